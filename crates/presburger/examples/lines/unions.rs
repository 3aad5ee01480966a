//! Operations on union sets, union maps and union functions.

use super::Op;
use presburger::{UnionMap, UnionPwMultiAff, UnionSet};

pub struct Case {
    a: UnionSet,
    b: UnionSet,
    m: UnionMap,
    n: UnionMap,
}

impl Case {
    pub fn read(fields: &[&str]) -> Result<Case, String> {
        let set = |t: &str| UnionSet::parse(t).map_err(|e| format!("{e} in {t}"));
        let map = |t: &str| UnionMap::parse(t).map_err(|e| format!("{e} in {t}"));
        Ok(Case { a: set(fields[0])?, b: set(fields[1])?, m: map(fields[2])?, n: map(fields[3])? })
    }
}

pub fn operations() -> Vec<Op<Case>> {
    let mut all = sets();
    all.extend(maps());
    all
}

fn sets() -> Vec<Op<Case>> {
    vec![
        plain!("set_same", |c| c.a),
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
        plain!("set_pairs", |c| c.a.product_map(&c.b)),
    ]
}

fn maps() -> Vec<Op<Case>> {
    vec![
        plain!("map_same", |c| c.m),
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
        spent!("map_function", |c, b| UnionPwMultiAff::from_map(&c.m.lexmin(b)?, b)),
    ]
}
