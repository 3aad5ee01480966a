//! Operations on maps.

use super::form::Shown;
use super::{Op, rows};
use presburger::{Dim, Map, PwMultiAff, Set};

pub struct Case {
    a: Map,
    b: Map,
    next: Map,
    dom: Set,
    ran: Set,
    params: Vec<i64>,
    input: Vec<i64>,
}

impl Case {
    pub fn read(fields: &[&str]) -> Result<Case, String> {
        let set = |t: &str| Set::parse(t).map_err(|e| format!("{e} in {t}"));
        let map = |t: &str| Map::parse(t).map_err(|e| format!("{e} in {t}"));
        let numbers = |t: &str| -> Result<Vec<i64>, String> {
            t.split_whitespace().map(|v| v.parse().map_err(|_| format!("not a number: {v}"))).collect()
        };
        Ok(Case {
            a: map(fields[0])?,
            b: map(fields[1])?,
            next: map(fields[2])?,
            dom: set(fields[3])?,
            ran: set(fields[4])?,
            params: numbers(fields[5])?,
            input: numbers(fields[6])?,
        })
    }

    fn square(&self) -> bool {
        self.a.space().is_to_self()
    }
}

/// For maps from a tuple to itself; `none` for others.
macro_rules! square {
    ($name:literal, |$c:ident, $b:ident| $e:expr) => {
        ($name, |$c, $b, form| if $c.square() { Ok($e?.shown(form)) } else { Ok("none".to_string()) })
    };
}

pub fn operations() -> Vec<Op<Case>> {
    let mut all = unary();
    all.extend(binary());
    all.extend(structure());
    all
}

fn unary() -> Vec<Op<Case>> {
    vec![
        text!("same", |c| c.a),
        plain!("reverse", |c| c.a.reverse()),
        spent!("affine_hull", |c, b| c.a.affine_hull(b).map(|h| h.to_map())),
        spent!("lattice_hull", |c, b| c.a.lattice_hull(b).map(|h| h.to_map())),
        ("rows", |c, _, form| Ok(rows::solved(&c.a)?.shown(form))),
        spent!("domain", |c, b| c.a.domain(b)),
        spent!("range", |c, b| c.a.range(b)),
        spent!("lexmin", |c, b| c.a.lexmin(b)),
        spent!("lexmax", |c, b| c.a.lexmax(b)),
        spent!("coalesce", |c, b| c.a.coalesce(b)),
        spent!("compute_divs", |c, b| c.a.compute_divs(b)),
        spent!("make_disjoint", |c, b| c.a.make_disjoint(b)),
        spent!("divs_of_disjoint", |c, b| c.a.make_disjoint(b)?.compute_divs(b).map(|s| s.into_owned())),
        spent!("empty", |c, b| c.a.is_empty(b)),
        spent!("single_valued", |c, b| c.a.is_single_valued(b)),
        spent!("injective", |c, b| c.a.is_injective(b)),
        spent!("bijective", |c, b| c.a.is_bijective(b)),
        spent!("function", |c, b| PwMultiAff::from_map(&c.a.lexmin(b)?, b).map(|f| f.to_map())),
        spent!("project_in", |c, b| c.a.project_out(Dim::In, 0, 1, b)),
        spent!("project_out", |c, b| c.a.project_out(Dim::Out, 0, 1, b)),
        ("card", |c, b, _| {
            let q = c.a.card(b)?;
            Ok(q.map_or_else(|| "infinite".to_string(), |q| q.eval(&c.params, &c.input).to_string()))
        }),
        ("card_text", |c, b, _| Ok(c.a.card(b)?.map_or_else(|| "infinite".to_string(), |q| q.to_string()))),
        square!("deltas", |c, b| c.a.deltas(b)),
        square!("deltas_map", |c, _b| Ok::<_, presburger::Error>(c.a.deltas_map())),
        square!("square", |c, b| c.a.fixed_power(2, b)),
        square!("power_minus_2", |c, b| c.a.fixed_power(-2, b)),
    ]
}

fn binary() -> Vec<Op<Case>> {
    vec![
        plain!("intersect", |c| c.a.intersect(&c.b)),
        plain!("union", |c| c.a.union(&c.b)),
        spent!("subtract", |c, b| c.a.subtract(&c.b, b)),
        spent!("gist", |c, b| c.a.gist(&c.b, b)),
        spent!("subset", |c, b| c.a.is_subset(&c.b, b)),
        spent!("strict_subset", |c, b| c.a.is_strict_subset(&c.b, b)),
        spent!("equal", |c, b| c.a.is_equal(&c.b, b)),
        spent!("disjoint", |c, b| c.a.is_disjoint(&c.b, b)),
        spent!("apply_range", |c, b| c.a.apply_range(&c.next, b)),
        spent!("apply_domain", |c, b| c.a.apply_domain(&c.b, b)),
        plain!("intersect_domain", |c| c.a.intersect_domain(&c.dom)),
        plain!("intersect_range", |c| c.a.intersect_range(&c.ran)),
        spent!("intersect_params", |c, b| c.dom.params(b).map(|p| c.a.intersect_params(&p))),
        spent!("apply", |c, b| c.dom.apply(&c.a, b)),
    ]
}

fn structure() -> Vec<Op<Case>> {
    vec![
        plain!("wrap", |c| c.a.wrap()),
        plain!("rename", |c| c.a.with_tuples("P", "Q")),
        plain!("product", |c| c.a.product(&c.next)),
        plain!("flat_product", |c| c.a.flat_product(&c.next)),
        plain!("range_product", |c| c.a.range_product(&c.b)),
        plain!("flat_range_product", |c| c.a.flat_range_product(&c.b)),
        plain!("domain_product", |c| c.a.domain_product(&c.b)),
        plain!("flatten", |c| c.a.product(&c.next).flatten()),
        plain!("zip", |c| c.a.product(&c.next).zip().expect("a product of maps")),
        plain!("curry", |c| c.a.domain_product(&c.b).curry().expect("a pair in the domain")),
        plain!("uncurry", |c| c.a.range_product(&c.b).uncurry().expect("a pair in the range")),
        plain!("domain_map", |c| c.a.domain_map()),
        plain!("range_map", |c| c.a.range_map()),
    ]
}
