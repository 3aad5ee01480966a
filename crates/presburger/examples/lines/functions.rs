//! Operations on functions.

use super::Op;
use super::form::Shown;
use presburger::{PwAff, PwMultiAff, Set};

pub struct Case {
    f: PwAff,
    g: PwAff,
    p: PwMultiAff,
    q: PwMultiAff,
    dom: Set,
    number: i64,
    divisor: i64,
}

impl Case {
    pub fn read(fields: &[&str]) -> Result<Case, String> {
        let at = |t: &str, e: presburger::ParseError| format!("{e} in {t}");
        let scalar = |t: &str| PwAff::parse(t).map_err(|e| at(t, e));
        let multi = |t: &str| PwMultiAff::parse(t).map_err(|e| at(t, e));
        let number = |t: &str| t.parse().map_err(|_| format!("not a number: {t}"));
        Ok(Case {
            f: scalar(fields[0])?,
            g: scalar(fields[1])?,
            p: multi(fields[2])?,
            q: multi(fields[3])?,
            dom: Set::parse(fields[4]).map_err(|e| at(fields[4], e))?,
            number: number(fields[5])?,
            divisor: number(fields[6])?,
        })
    }
}

pub fn operations() -> Vec<Op<Case>> {
    let mut all = scalar();
    all.extend(comparisons());
    all.extend(multi());
    all
}

fn scalar() -> Vec<Op<Case>> {
    vec![
        text!("same", |c| c.f),
        plain!("neg", |c| c.f.neg()),
        plain!("scale", |c| c.f.scale(c.number)),
        plain!("add_constant", |c| c.f.add_constant(c.number)),
        plain!("floor_div", |c| c.f.floor_div(c.divisor)),
        plain!("ceil_div", |c| c.f.ceil_div(c.divisor)),
        plain!("modulo", |c| c.f.modulo(c.divisor)),
        spent!("add", |c, b| c.f.add(&c.g, b)),
        spent!("sub", |c, b| c.f.sub(&c.g, b)),
        spent!("smaller", |c, b| c.f.min(&c.g, b)),
        spent!("larger", |c, b| c.f.max(&c.g, b)),
        spent!("or_else", |c, b| c.f.or_else(&c.g, b)),
        spent!("union_add", |c, b| c.f.union_add(&c.g, b)),
        spent!("union_min", |c, b| c.f.union_min(&c.g, b)),
        spent!("union_max", |c, b| c.f.union_max(&c.g, b)),
        spent!("coalesce", |c, b| c.f.coalesce(b)),
        plain!("restrict", |c| c.f.intersect_domain(&c.dom)),
        plain!("defined", |c| c.f.domain()),
        plain!("graph", |c| c.f.to_map()),
        spent!("from_graph", |c, b| PwAff::from_map(&c.f.to_map(), b)),
        spent!("pullback", |c, b| c.f.pullback(&c.p, b)),
        spent!("dim_min", |c, b| c.dom.dim_min(0, b)),
        spent!("dim_max", |c, b| c.dom.dim_max(0, b)),
        spent!("least_point", |c, b| c.dom.lexmin_function(b)),
        spent!("greatest_point", |c, b| c.dom.lexmax_function(b)),
    ]
}

fn comparisons() -> Vec<Op<Case>> {
    vec![
        plain!("eq_set", |c| c.f.eq_set(&c.g)),
        plain!("ne_set", |c| c.f.ne_set(&c.g)),
        plain!("lt_set", |c| c.f.lt_set(&c.g)),
        plain!("le_set", |c| c.f.le_set(&c.g)),
        plain!("gt_set", |c| c.f.gt_set(&c.g)),
        plain!("ge_set", |c| c.f.ge_set(&c.g)),
        plain!("multi_eq_set", |c| c.p.eq_set(&c.q)),
        plain!("multi_lex_lt", |c| c.p.lex_lt_set(&c.q)),
        plain!("multi_lex_le", |c| c.p.lex_le_set(&c.q)),
    ]
}

fn multi() -> Vec<Op<Case>> {
    vec![
        text!("multi_same", |c| c.p),
        plain!("multi_scale", |c| c.p.scale(c.number)),
        plain!("multi_component", |c| c.p.component(0)),
        spent!("multi_add", |c, b| c.p.add(&c.q, b)),
        spent!("multi_sub", |c, b| c.p.sub(&c.q, b)),
        spent!("multi_union_add", |c, b| c.p.union_add(&c.q, b)),
        spent!("multi_range_product", |c, b| c.p.range_product(&c.q, b)),
        spent!("multi_flat_range_product", |c, b| c.p.flat_range_product(&c.q, b)),
        spent!("multi_pullback", |c, b| c.p.pullback(&c.q, b)),
        spent!("multi_coalesce", |c, b| c.p.coalesce(b)),
        spent!("multi_preimage", |c, b| c.p.preimage(&c.dom, b)),
        plain!("multi_graph", |c| c.p.to_map()),
        spent!("multi_from_graph", |c, b| PwMultiAff::from_map(&c.p.to_map(), b)),
    ]
}
