//! What of an array some statements touch: exactly, as a box, along the outermost subscript, in elements and in bytes.
//!
//! In: the model of a region, and its facts for how wide accesses are. Out: plain data; each question is answered when
//! it is asked, within a budget of its own. Never too small: what cannot be bounded has no answer.
//! Sources: the questions are those of Verdoolaege, Carlos Juega, Cohen, Ignacio Gómez, Tenllado, Catthoor, ACM TACO
//! 9(4), 2013, section 5 (array tiles); bounds by projection.

use super::bounds::{Range, range_of};
use crate::deps::compute::{context_of, limit};
use crate::error::Failure;
use crate::facts::FunctionFacts;
use crate::ids::ArrayId;
use crate::model::{Access, AccessKind, ParamPoly, Scop, Stmt};
use presburger::{Aff, Bound, Budget, Dim, Set, Space};

/// The accesses of some statements to one array.
#[derive(Clone, Debug)]
pub struct Footprint<'a> {
    scop: &'a Scop,
    array: ArrayId,
    accesses: Vec<(&'a Stmt, &'a Access)>,
}

/// First and last subscript, inclusive, per dim of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementBox(pub Vec<(i64, i64)>);

impl<'a> Footprint<'a> {
    /// What these statements of a region touch of one of its arrays.
    #[must_use]
    pub fn of(scop: &'a Scop, stmts: impl IntoIterator<Item = &'a Stmt>, array: ArrayId) -> Self {
        let own = |s: &'a Stmt| s.accesses.iter().filter(move |a| a.array == array).map(move |a| (s, a));
        Self { scop, array, accesses: stmts.into_iter().flat_map(own).collect() }
    }

    /// What the whole region touches of it, and what is tested before.
    #[must_use]
    pub fn of_region(scop: &'a Scop, array: ArrayId) -> Self {
        Self::of(scop, scop.stmts.iter().chain(scop.guards.iter().map(|guard| &guard.stmt)), array)
    }

    /// Whether nothing is touched, whatever the parameters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }

    /// Whether something of it may be written.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.accesses.iter().any(|(_, a)| a.kind != AccessKind::Read)
    }

    /// Bytes from one element to the next along each subscript, if they and where the array begins are known when
    /// compiling.
    #[must_use]
    pub fn strides(&self) -> Option<Vec<i64>> {
        let of = self.scop.array(self.array);
        if of.is_view() {
            return None;
        }
        of.strides.iter().map(ParamPoly::as_constant).collect()
    }

    /// Bytes of the narrowest and of the widest access; `None`: there is none.
    #[must_use]
    pub fn accessed_bytes(&self, facts: &FunctionFacts) -> Option<(u32, u32)> {
        let elem_bytes = self.scop.array(self.array).elem_bytes;
        let bytes_of = |a: &Access| if a.carries.is_some() { elem_bytes } else { facts.accessed_bytes(a.inst) };
        let bytes = || self.accesses.iter().map(|(_, a)| bytes_of(a));
        Some((bytes().min()?, bytes().max()?))
    }

    /// Bytes that the widest access touches behind the element that its subscripts name.
    #[must_use]
    pub fn spill_bytes(&self, facts: &FunctionFacts) -> i64 {
        let widest = self.accessed_bytes(facts).map_or(0, |(_, widest)| widest);
        i64::from(widest.saturating_sub(self.scop.array(self.array).elem_bytes))
    }

    /// The elements touched, `[params] -> { Arr<n>[s0, ..] }`; exact.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a number leaves i64.
    pub fn elements(&self, budget: &Budget) -> Result<Set, Failure> {
        let context = context_of(self.scop, budget)?;
        let rank = self.scop.array(self.array).sizes.len();
        let none = Set::empty(Space::set(&self.scop.param_names(), &self.array.to_string(), rank));
        self.accesses.iter().try_fold(none, |all, (stmt, access)| {
            let touched = access.relation.intersect_domain(&stmt.domain.intersect_params(&context));
            Ok(all.union(&touched.range(budget).map_err(limit)?))
        })
    }

    /// The smallest box that holds all elements touched; `None` where the region's parameters decide, or nothing is
    /// touched.
    ///
    /// # Errors
    /// `Limit` when the budget is spent or a number leaves i64.
    pub fn bounding_box(&self, budget: &Budget) -> Result<Option<ElementBox>, Failure> {
        let context = context_of(self.scop, budget)?;
        let mut bounds: Vec<Option<(i64, i64)>> = vec![None; self.scop.array(self.array).sizes.len()];
        for (stmt, access) in &self.accesses {
            let touched = access.relation.intersect_domain(&stmt.domain.intersect_params(&context));
            let touched = touched.project_out(Dim::In, 0, stmt.dims(), budget).map_err(limit)?;
            let touched = touched.range(budget).map_err(limit)?;
            for (k, bound) in bounds.iter_mut().enumerate() {
                match subscript_ends(&touched, k, budget).map_err(limit)? {
                    (Bound::Value(low), Bound::Value(high)) => {
                        let (l, h) = bound.unwrap_or((low, high));
                        *bound = Some((low.min(l), high.max(h)));
                    }
                    (Bound::Empty, _) | (_, Bound::Empty) => {}
                    _ => return Ok(None),
                }
            }
        }
        Ok(bounds.into_iter().collect::<Option<Vec<_>>>().map(ElementBox))
    }

    /// First and last value of the outermost subscript, as functions of the parameters; `None` if some access has no
    /// bound on one side, or nothing is touched. Over-approximate: per access and side, what projection gives.
    ///
    /// # Errors
    /// `Limit` when the budget is spent.
    pub fn outermost(&self, budget: &Budget) -> Result<Option<Range>, Failure> {
        range_of(&self.accesses, budget)
    }
}

/// Smallest and largest value of subscript `k` of these elements, `[params] -> { [s0, ..] }`, over all parameters.
///
/// # Errors
/// Those of the two searches.
pub fn subscript_ends(elements: &Set, k: usize, budget: &Budget) -> presburger::Result<(Bound, Bound)> {
    let form = Aff::dim(elements.space(), k);
    Ok((elements.min_of(&form, budget)?, elements.max_of(&form, budget)?))
}

impl ElementBox {
    /// Number of elements; `None` if it does not fit.
    #[must_use]
    pub fn count(&self) -> Option<i64> {
        self.0.iter().try_fold(1_i64, |n, (low, high)| n.checked_mul(high.checked_sub(*low)?.checked_add(1)?))
    }

    /// Bytes from the base pointer to the first and to the last element, given the bytes from one to the next along
    /// each subscript; `None` if they do not fit.
    #[must_use]
    pub fn byte_offsets(&self, strides: &[i64]) -> Option<(i64, i64)> {
        self.0.iter().zip(strides).try_fold((0_i64, 0_i64), |(first, last), ((low, high), stride)| {
            let (a, b) = (low.checked_mul(*stride)?, high.checked_mul(*stride)?);
            Some((first.checked_add(a.min(b))?, last.checked_add(a.max(b))?))
        })
    }

    /// Whether its elements lie next to each other in memory, in the order of their subscripts, with nothing between
    /// them.
    #[must_use]
    pub fn is_dense(&self, strides: &[i64]) -> bool {
        let Some(mut dense) = strides.last().copied().filter(|bytes| *bytes > 0) else { return self.0.is_empty() };
        for ((low, high), stride) in self.0.iter().zip(strides).rev() {
            let extent = high.checked_sub(*low).and_then(|n| n.checked_add(1));
            let Some(next) = extent.and_then(|n| dense.checked_mul(n)) else { return false };
            if *stride != dense && low != high {
                return false;
            }
            dense = next;
        }
        true
    }

    /// Its elements, `[params] -> { [s0, ..] }`.
    #[must_use]
    pub fn to_set(&self, params: &[&str]) -> Set {
        let space = Space::set(params, "", self.0.len());
        self.0.iter().enumerate().fold(Set::universe(space.clone()), |part, (k, (low, high))| {
            let subscript = Aff::dim(&space, k);
            let bound = |v: &i64| Aff::constant(&space, *v);
            part.intersect(&subscript.ge_set(&bound(low))).intersect(&bound(high).ge_set(&subscript))
        })
    }
}
