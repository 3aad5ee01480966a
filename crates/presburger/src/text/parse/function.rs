//! Piecewise functions: tuples whose entries are terms, each part with its domain.

use super::build::{Disjunct, Reader};
use super::formula::{Expr, Formula, Lin, Var};
use super::{ParseError, Parsed};
use crate::budget::Budget;
use crate::functions::aff::Aff;
use crate::functions::pw_multi::PwMultiAff;
use crate::num::Int;
use crate::sets::set::Set;
use crate::sets::space::{Space, Tuple};
use crate::sets::union::Parts;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Budget for making the domains of the parts disjoint.
const STEPS: u64 = 10_000_000;

/// The functions of all parts, one per space; where parts overlap the first one counts.
pub(super) fn functions(text: &str) -> Parsed<(Reader, Vec<PwMultiAff>)> {
    let mut r = Reader::new(text)?;
    let mut out: Vec<PwMultiAff> = Vec::new();
    for part in r.disjuncts()? {
        let f = part_function(&mut r, &part)?;
        let budget = Budget::steps(STEPS);
        match out.iter_mut().find(|g| g.space().same_tuples(f.space())) {
            Some(g) => *g = g.or_else(&f, &budget).map_err(|_| r.error_at(part.at, "domains are too complicated"))?,
            None => out.push(f),
        }
    }
    Ok((r, out))
}

fn part_function(r: &mut Reader, part: &Disjunct) -> Parsed<PwMultiAff> {
    let n_in = part.input.as_ref().map_or(0, |t| t.dims.len());
    let input = part.input.clone().unwrap_or_else(Tuple::absent);
    let domain = Space { input: None, output: input, ..r.params_space() };
    let values = part.entries[n_in..].iter().map(|e| e.as_ref());
    let values: Vec<&Expr> = values
        .collect::<Option<_>>()
        .ok_or_else(|| r.error_at(part.at, "expected a function: an entry of the last tuple has no value"))?;
    // The conditions without those that define the values.
    let given = part.entries[..n_in].iter().flatten().count();
    let own = part.conditions[..given].iter().chain(&part.conditions[given + values.len()..]);
    let own = Formula::And(own.cloned().collect());
    let forms = Forms { domain: &domain, part, inputs: &part.dims[..n_in] };
    let mut pieces = Vec::new();
    for (guard, list) in combinations(&values) {
        let bodies = r.conjunctions(part, &own.clone().and(&guard), forms.inputs, domain.n_cols())?;
        let affs = list.iter().map(|l| forms.aff(r, l)).collect::<Parsed<Vec<Aff>>>()?;
        if !bodies.is_empty() {
            pieces.push((Set::from_bodies(&Arc::new(domain.clone()), bodies), affs));
        }
    }
    Ok(PwMultiAff::from_pieces(&domain, &part.output, pieces))
}

/// Every choice of one piece per value, with the conjunction of their conditions.
fn combinations(values: &[&Expr]) -> Vec<(Formula, Vec<Lin>)> {
    let mut out = vec![(Formula::True, Vec::new())];
    for e in values {
        out = out
            .iter()
            .flat_map(|(c, list)| {
                e.0.iter().map(move |(d, l)| (c.clone().and(d), [list.as_slice(), std::slice::from_ref(l)].concat()))
            })
            .collect();
    }
    out
}

/// Turns forms of one part into functions of its domain.
struct Forms<'a> {
    domain: &'a Space,
    part: &'a Disjunct,
    inputs: &'a [Var],
}

impl Forms<'_> {
    fn aff(&self, r: &Reader, l: &Lin) -> Parsed<Aff> {
        if l.den.is_some() {
            return Err(r.error_at(self.part.at, "a value of a function is a fraction: write floor(..) around it"));
        }
        let np = self.domain.n_param();
        let mut known: BTreeMap<Var, Aff> = (0..np).map(|p| (p, Aff::param(self.domain, p))).collect();
        known.extend(self.inputs.iter().enumerate().map(|(k, v)| (*v, Aff::dim(self.domain, k))));
        for f in &self.part.floors {
            // A floor of something else belongs to the conditions.
            if let Ok(num) = self.sum(r, &f.num, &known) {
                let den = Int::to_i64(&f.den).ok_or_else(|| self.too_wide(r))?;
                known.insert(f.var, num.floor_div(den));
            }
        }
        self.sum(r, l, &known)
    }

    fn too_wide(&self, r: &Reader) -> ParseError {
        r.error_at(self.part.at, "a coefficient of a function does not fit 64 bits")
    }

    fn sum(&self, r: &Reader, l: &Lin, known: &BTreeMap<Var, Aff>) -> Parsed<Aff> {
        let small = |v| Int::to_i64(v).ok_or_else(|| self.too_wide(r));
        let mut out = Aff::constant(self.domain, small(&l.constant)?);
        for (v, c) in &l.terms {
            let value = known
                .get(v)
                .ok_or_else(|| r.error_at(self.part.at, "a value may use parameters and the first tuple only"))?;
            out = out.add(&value.scale(small(c)?));
        }
        Ok(out)
    }
}
