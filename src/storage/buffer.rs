//! The buffers that copies of arrays lie in.

use super::bounds::{End, Range, has_narrow_params};
use super::footprint::{ElementBox, Footprint};
use crate::deps::copies::fills;
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId};
use crate::model::Scop;
use presburger::{Aff, Budget, PwAff, Set, Space};
use std::collections::BTreeSet;

/// Copies begin at multiples of this many bytes.
pub const ALIGNMENT: i64 = 64;
/// Bytes that all private copies of one thread may have together: they lie on its stack.
pub const MAX_COPY_BYTES: u64 = 64 << 10;
/// Farthest elements: 64 bits hold every size.
const MAX_STRIDE: i64 = 1 << 16;
/// Part of the budget that finding out about one array may cost.
const ARRAY_PART: u64 = 20;
/// Part of it for the array's bounds where they depend on the parameters.
pub const RANGE_PART: u64 = 10;

/// The buffer of a privatized array, in bytes from the array's base pointer: all that the region touches, and what lies
/// between.
#[derive(Clone, Debug, PartialEq)]
pub enum PrivateBuffer {
    /// Known before the region runs.
    Fixed {
        /// First byte, a multiple of [`ALIGNMENT`].
        first: i64,
        /// First byte behind the last.
        end: i64,
    },
    /// An array of one dim whose bounds depend on the parameters.
    Bounded {
        /// First and last subscript.
        subscripts: Range,
        /// Bytes from one element to the next.
        stride: i64,
        /// Bytes of the widest access.
        bytes: i64,
    },
}

impl PrivateBuffer {
    /// The buffer for a copy of an array in memory; `None` where nothing bounds it, or the budget is spent before that
    /// is known.
    #[must_use]
    pub fn of(scop: &Scop, facts: &FunctionFacts, array: ArrayId, budget: &Budget) -> Option<Self> {
        let of = scop.array(array);
        if !of.is_memory() || of.is_rows() {
            return None;
        }
        let touched = Footprint::of_region(scop, array);
        let strides = touched.strides()?;
        let bytes = i64::from(touched.accessed_bytes(facts)?.1.max(of.elem_bytes));
        let fixed = touched.bounding_box(&budget.part(ARRAY_PART)).ok().flatten();
        let fixed = fixed.and_then(|elements| Self::fixed(&elements, &strides, bytes));
        fixed.filter(|buffer| buffer.bytes() <= MAX_COPY_BYTES).or_else(|| {
            let &[stride @ 1..=MAX_STRIDE] = strides.as_slice() else { return None };
            let subscripts = touched.outermost(&budget.part(RANGE_PART)).ok()??;
            let is_known = subscripts.first.as_constant().is_some() && subscripts.last.as_constant().is_some();
            let is_bounded = !is_known && has_narrow_params(scop, facts);
            is_bounded.then_some(Self::Bounded { subscripts, stride, bytes })
        })
    }

    fn fixed(elements: &ElementBox, strides: &[i64], bytes: i64) -> Option<Self> {
        let (first, last) = elements.byte_offsets(strides)?;
        Some(Self::Fixed { first: first.div_euclid(ALIGNMENT).checked_mul(ALIGNMENT)?, end: last.checked_add(bytes)? })
    }

    /// Number of bytes, as far as it is known: 0 where it is tested at run time.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Fixed { first, end } => end.abs_diff(*first),
            Self::Bounded { .. } => 0,
        }
    }
}

/// The elements that a reduction copy of an array holds, counted from the array's base pointer; neighbours lie next to
/// each other. It holds the elements that the region surely writes, all of them and no others, so that putting copies
/// together touches no element that the original code leaves alone.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionBuffer {
    /// First and last element.
    pub elements: Elements,
    /// Bytes of one element.
    pub bytes: i64,
}

/// A row of elements.
#[derive(Clone, Debug, PartialEq)]
pub enum Elements {
    /// First and last, known before the region runs.
    Fixed(i64, i64),
    /// They depend on the parameters.
    Bounded(Range),
}

impl ReductionBuffer {
    /// What a copy of an array that these statements update must hold; `None` where nothing bounds it, neighbours are
    /// apart, the region leaves some elements alone, or the budget is spent before that is known.
    #[must_use]
    pub fn of(
        scop: &Scop,
        facts: &FunctionFacts,
        array: ArrayId,
        updates: &BTreeSet<StmtId>,
        budget: &Budget,
    ) -> Option<Self> {
        let of_region = Footprint::of_region(scop, array);
        let strides = of_region.strides()?;
        let bytes = *strides.last()?;
        let is_of_one_width = |(least, most)| i64::from(least) == bytes && i64::from(most) == bytes;
        let is_even = of_region.accessed_bytes(facts).is_none_or(is_of_one_width);
        if !scop.array(array).is_memory() || scop.array(array).is_rows() || bytes <= 0 || !is_even {
            return None;
        }
        let own = budget.part(ARRAY_PART);
        let updated = Footprint::of(scop, scop.stmts.iter().filter(|s| updates.contains(&s.id)), array);
        let fixed = updated.bounding_box(&own).ok().flatten();
        let is_filled = |part: &Set| fills(scop, (array, part), updates, &own).unwrap_or(false);
        let fixed = fixed.and_then(|elements| Self::fixed(scop, (&elements, &strides), &is_filled));
        let has_one_dim = strides.len() == 1;
        fixed.or_else(|| has_one_dim.then(|| Self::bounded(scop, facts, (&updated, bytes), &is_filled, budget))?)
    }

    fn fixed(
        scop: &Scop,
        (elements, strides): (&ElementBox, &[i64]),
        is_filled: &dyn Fn(&Set) -> bool,
    ) -> Option<Self> {
        if !elements.is_dense(strides) {
            return None;
        }
        let bytes = *strides.last()?;
        let (first, last) = elements.byte_offsets(strides)?;
        let is_whole = first % bytes == 0 && is_filled(&elements.to_set(&scop.param_names()));
        is_whole.then_some(Self { elements: Elements::Fixed(first / bytes, last / bytes), bytes })
    }

    fn bounded(
        scop: &Scop,
        facts: &FunctionFacts,
        (updated, bytes): (&Footprint<'_>, i64),
        is_filled: &dyn Fn(&Set) -> bool,
        budget: &Budget,
    ) -> Option<Self> {
        let range = updated.outermost(&budget.part(RANGE_PART)).ok()??;
        // Sums and products that wrap are right once their exact value fits, choices and quotients are not.
        let is_affine = |end: &End| end.is_affine();
        let is_exact = (is_affine(&range.first) && is_affine(&range.last)) || has_narrow_params(scop, facts);
        if !is_exact {
            return None;
        }
        let space = Space::set(&scop.param_names(), "", 1);
        let value = |end: &End| end.value(&space, budget).ok();
        let subscript = PwAff::from(Aff::dim(&space, 0));
        let part = subscript.ge_set(&value(&range.first)?).intersect(&subscript.le_set(&value(&range.last)?));
        is_filled(&part).then_some(Self { elements: Elements::Bounded(range), bytes })
    }
}
