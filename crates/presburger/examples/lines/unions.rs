//! Operations on union sets, union maps and union functions.

use super::Op;
use super::form::Shown;
use presburger::{Set, UnionMap, UnionPwAff, UnionPwMultiAff, UnionSet};

pub struct Case {
    a: UnionSet,
    b: UnionSet,
    m: UnionMap,
    n: UnionMap,
    f: UnionPwAff,
    g: UnionPwAff,
    p: UnionPwMultiAff,
    q: UnionPwMultiAff,
    number: i64,
    divisor: i64,
}

impl Case {
    pub fn read(fields: &[&str]) -> Result<Case, String> {
        let set = |t: &str| UnionSet::parse(t).map_err(|e| format!("{e} in {t}"));
        let map = |t: &str| UnionMap::parse(t).map_err(|e| format!("{e} in {t}"));
        let scalar = |t: &str| UnionPwAff::parse(t).map_err(|e| format!("{e} in {t}"));
        let multi = |t: &str| UnionPwMultiAff::parse(t).map_err(|e| format!("{e} in {t}"));
        let number = |t: &str| t.parse().map_err(|_| format!("not a number: {t}"));
        Ok(Case {
            a: set(fields[0])?,
            b: set(fields[1])?,
            m: map(fields[2])?,
            n: map(fields[3])?,
            f: scalar(fields[4])?,
            g: scalar(fields[5])?,
            p: multi(fields[6])?,
            q: multi(fields[7])?,
            number: number(fields[8])?,
            divisor: number(fields[9])?,
        })
    }

    /// The parameter values of `b`.
    fn context(&self, b: &presburger::Budget) -> presburger::Result<Set> {
        self.b.params_set(b)
    }
}

pub fn operations() -> Vec<Op<Case>> {
    let mut all = sets();
    all.extend(maps());
    all.extend(functions());
    all.extend(multi());
    all
}

fn sets() -> Vec<Op<Case>> {
    vec![
        text!("set_same", |c| c.a),
        plain!("set_union", |c| c.a.union(&c.b)),
        plain!("set_intersect", |c| c.a.intersect(&c.b)),
        spent!("set_subtract", |c, b| c.a.subtract(&c.b, b)),
        spent!("set_subset", |c, b| c.a.is_subset(&c.b, b)),
        spent!("set_equal", |c, b| c.a.is_equal(&c.b, b)),
        spent!("set_disjoint", |c, b| c.a.is_disjoint(&c.b, b)),
        spent!("set_empty", |c, b| c.a.is_empty(b)),
        spent!("set_lexmin", |c, b| c.a.lexmin(b)),
        spent!("set_lexmax", |c, b| c.a.lexmax(b)),
        spent!("set_coalesce", |c, b| c.a.coalesce(b)),
        spent!("set_gist", |c, b| c.a.gist(&c.b, b)),
        spent!("set_apply", |c, b| c.a.apply(&c.m, b)),
        spent!("set_params", |c, b| c.a.params_set(b)),
        plain!("set_identity", |c| c.a.identity()),
        plain!("set_product", |c| c.a.product(&c.b)),
        plain!("set_unwrap", |c| c.a.product(&c.b).unwrap()),
        plain!("set_lex_lt", |c| c.a.lex_lt(&c.b)),
        plain!("set_lex_le", |c| c.a.lex_le(&c.b)),
        plain!("set_pairs", |c| c.a.product_map(&c.b)),
        spent!("set_strict_subset", |c, b| c.a.is_strict_subset(&c.b, b)),
        spent!("set_intersect_params", |c, b| c.context(b).map(|p| c.a.intersect_params(&p))),
    ]
}

fn maps() -> Vec<Op<Case>> {
    vec![
        text!("map_same", |c| c.m),
        plain!("map_union", |c| c.m.union(&c.n)),
        plain!("map_intersect", |c| c.m.intersect(&c.n)),
        spent!("map_subtract", |c, b| c.m.subtract(&c.n, b)),
        spent!("map_subset", |c, b| c.m.is_subset(&c.n, b)),
        spent!("map_equal", |c, b| c.m.is_equal(&c.n, b)),
        spent!("map_disjoint", |c, b| c.m.is_disjoint(&c.n, b)),
        plain!("map_reverse", |c| c.m.reverse()),
        spent!("map_domain", |c, b| c.m.domain(b)),
        spent!("map_range", |c, b| c.m.range(b)),
        spent!("map_apply_range", |c, b| c.m.apply_range(&c.n, b)),
        spent!("map_apply_domain", |c, b| c.m.apply_domain(&c.n, b)),
        plain!("map_intersect_domain", |c| c.m.intersect_domain(&c.a)),
        plain!("map_intersect_range", |c| c.m.intersect_range(&c.a)),
        spent!("map_lexmin", |c, b| c.m.lexmin(b)),
        spent!("map_coalesce", |c, b| c.m.coalesce(b)),
        spent!("map_strict_subset", |c, b| c.m.is_strict_subset(&c.n, b)),
        spent!("map_intersect_params", |c, b| c.context(b).map(|p| c.m.intersect_params(&p))),
        spent!("map_lexmax", |c, b| c.m.lexmax(b)),
        spent!("map_gist", |c, b| c.m.gist(&c.n, b)),
        plain!("map_deltas_map", |c| c.m.deltas_map()),
        spent!("map_fixed_power", |c, b| c.m.fixed_power(2, b)),
        plain!("map_wrap", |c| c.m.wrap()),
        plain!("map_product", |c| c.m.product(&c.n)),
        plain!("map_range_product", |c| c.m.range_product(&c.n)),
        plain!("map_zip", |c| c.m.product(&c.n).zip()),
        plain!("map_curry", |c| c.m.product(&c.n).curry()),
        plain!("map_uncurry", |c| c.m.range_product(&c.n).uncurry()),
        plain!("map_domain_map", |c| c.m.domain_map()),
        plain!("map_range_map", |c| c.m.range_map()),
        spent!("map_lex_lt", |c, b| c.m.lex_lt(&c.n, b)),
        spent!("map_lex_le", |c, b| c.m.lex_le(&c.n, b)),
        spent!("map_single_valued", |c, b| c.m.is_single_valued(b)),
        spent!("map_injective", |c, b| c.m.is_injective(b)),
        spent!("map_bijective", |c, b| c.m.is_bijective(b)),
        spent!("map_deltas", |c, b| c.m.deltas(b)),
        spent!("map_function", |c, b| UnionPwMultiAff::from_map(&c.m.lexmin(b)?, b)),
    ]
}

fn functions() -> Vec<Op<Case>> {
    vec![
        text!("union_f_same", |c| c.f),
        spent!("union_f_add", |c, b| c.f.add(&c.g, b)),
        spent!("union_f_sub", |c, b| c.f.sub(&c.g, b)),
        plain!("union_f_scale", |c| c.f.scale(c.number)),
        spent!("union_f_union_add", |c, b| c.f.union_add(&c.g, b)),
        spent!("union_f_union_min", |c, b| c.f.union_min(&c.g, b)),
        spent!("union_f_union_max", |c, b| c.f.union_max(&c.g, b)),
        spent!("union_f_or_else", |c, b| c.f.or_else(&c.g, b)),
        plain!("union_f_floor_div", |c| c.f.floor_div(c.divisor)),
        plain!("union_f_modulo", |c| c.f.modulo(c.divisor)),
        plain!("union_f_domain", |c| c.f.domain()),
        plain!("union_f_restrict", |c| c.f.intersect_domain(&c.a)),
        spent!("union_f_pullback", |c, b| c.f.pullback(&c.p, b)),
        spent!("union_f_coalesce", |c, b| c.f.coalesce(b)),
        spent!("union_f_from_map", |c, b| UnionPwAff::from_map(&c.f.to_map(), b)),
        plain!("union_f_eq_set", |c| c.f.eq_set(&c.g)),
        plain!("union_f_ge_set", |c| c.f.ge_set(&c.g)),
        plain!("union_f_lt_set", |c| c.f.lt_set(&c.g)),
    ]
}

fn multi() -> Vec<Op<Case>> {
    vec![
        text!("union_p_same", |c| c.p),
        spent!("union_p_add", |c, b| c.p.add(&c.q, b)),
        spent!("union_p_sub", |c, b| c.p.sub(&c.q, b)),
        plain!("union_p_scale", |c| c.p.scale(c.number)),
        spent!("union_p_union_add", |c, b| c.p.union_add(&c.q, b)),
        plain!("union_p_domain", |c| c.p.domain()),
        plain!("union_p_restrict", |c| c.p.intersect_domain(&c.a)),
        spent!("union_p_pullback", |c, b| c.p.pullback(&c.q, b)),
        spent!("union_p_coalesce", |c, b| c.p.coalesce(b)),
        spent!("union_p_from_map", |c, b| UnionPwMultiAff::from_map(&c.p.to_map(), b)),
        plain!("union_p_identity", |c| UnionPwMultiAff::identity(&c.a)),
    ]
}
