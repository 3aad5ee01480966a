//! Arrays of which all strides are parameters (`a[i * s0 + j * s1]`): where they lie in memory without gaps, one of
//! them is 1. That is assumed of the one that the program names last, as with rows one after the other, and tested
//! before the loops.

use super::affine::Reader;
use super::polynomial::{Mono, Poly, Sym};
use super::shape::{Touch, by_dim, positive};
use crate::facts::{FunctionFacts, ScevKind};
use crate::ids::{ScevId, ValueId};
use std::collections::BTreeSet;

impl Reader<'_> {
    /// The accesses to one array with the last of its strides as 1, which is assumed from now on; `None` where elements
    /// side by side are known, or there are no strides to choose from.
    pub fn with_unit_stride(&mut self, touches: &[Touch]) -> Option<Vec<Touch>> {
        let mut strides = BTreeSet::new();
        for touch in touches {
            for coefficient in by_dim(&touch.offset)?.into_values() {
                if coefficient.as_constant().is_some() {
                    return None;
                }
                // Of `i * s` in bytes (Fortran's descriptors) no stride is 1.
                if coefficient.content() != i64::from(touch.bytes) {
                    return None;
                }
                strides.insert(positive(coefficient.exact_div(coefficient.content())?)?);
            }
        }
        let single = |stride: &Poly| match stride.terms() {
            [(mono, 1)] if mono.degree() == 1 => mono.syms().next(),
            _ => None,
        };
        let named = |sym: Sym| match sym {
            Sym::Param(k) => Some((named_by(self.facts, self.params.get(k as usize)?.value)?, k)),
            _ => None,
        };
        let (_, unit) = strides.iter().filter_map(single).filter_map(named).max().filter(|_| strides.len() > 1)?;
        self.units.insert(unit);
        touches.iter().map(|t| Some(Touch { offset: without(&t.offset, Sym::Param(unit))?, bytes: t.bytes })).collect()
    }
}

/// The value that an expression is but for its width.
fn named_by(facts: &FunctionFacts, scev: ScevId) -> Option<ValueId> {
    match facts.scev(scev).kind {
        ScevKind::Unknown(value) => Some(value),
        ScevKind::SExt(of) | ScevKind::ZExt(of) => named_by(facts, of),
        _ => None,
    }
}

/// The polynomial where a variable is 1.
fn without(poly: &Poly, unit: Sym) -> Option<Poly> {
    let terms = poly.terms().iter().map(|(mono, c)| Some((Mono::of(mono.syms().filter(|s| *s != unit))?, *c)));
    Poly::from_terms(terms.collect::<Option<Vec<_>>>()?)
}
