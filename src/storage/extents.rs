//! Where what each access of a region touches begins and ends, exactly: for whoever copies it all, and nothing else.
//!
//! In: the model of a region. Out: per access the first and the last element touched, as functions of the parameters.
//! Both are touched in every run of the region, so that all between them belongs to one object of the program. An
//! access that may be left out counts for nothing: no answer where it touches an element that no other one surely
//! touches, or where elements of greater subscripts may have smaller addresses.

use super::footprint::Footprint;
use crate::deps::compute::{context_of, limit};
use crate::deps::copies::fills;
use crate::deps::loops::Loop;
use crate::error::Failure;
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{Access, AccessKind, ParamPoly, Scop, Size, Stmt, StmtBody};
use presburger::{Aff, Budget, Error, Kind, Map, PwAff, Set, Space};
use std::collections::{BTreeMap, BTreeSet};

/// What one access touches of its array.
#[derive(Clone, Debug)]
pub struct Extent {
    /// `[params] -> { [s0, ..] }`: one element, or none for parameters for which nothing is touched.
    pub first: Set,
    /// The same for the last element.
    pub last: Set,
    /// Bytes touched from the beginning of the last element on.
    pub bytes: u32,
}

/// Why there is no answer.
pub const CONDITIONAL: &str = "conditions on data decide what is accessed";
pub const LOOKED_UP: &str = "a subscript that is not affine says which elements are accessed";
pub const ANY_ELEMENT: &str = "an access has no first or last element";
pub const APART: &str = "rows behind pointers do not lie in one array";
pub const WITHIN: &str = "an array lies with others in one piece of memory";
pub const UNORDERED: &str = "an array's elements may not lie in the order of their subscripts";

/// The extents of all accesses to an array in memory, or why there are none.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn extents(
    scop: &Scop,
    facts: &FunctionFacts,
    array: ArrayId,
    budget: &Budget,
) -> Result<Result<Vec<Extent>, &'static str>, Failure> {
    if scop.array(array).is_rows() {
        return Ok(Err(APART));
    }
    if scop.array(array).is_view() {
        return Ok(Err(WITHIN));
    }
    if !has_nested_strides(scop, array) {
        return Ok(Err(UNORDERED));
    }
    let context = context_of(scop, budget)?;
    let (mut extents, mut surely_touched, mut others) = (Vec::new(), None::<Set>, Vec::new());
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|a| a.array == array) {
            let bytes = bytes_touched(scop, facts, access);
            let width = i64::from(bytes) / i64::from(scop.array(array).elem_bytes);
            let names = names_its_elements(access, width, budget)?;
            let surely = names && is_surely_done(stmt, access, facts);
            let touched = access.relation.intersect_domain(&stmt.domain.intersect_params(&context));
            let touched = touched.range(budget).map_err(limit)?;
            if !surely {
                others.push((touched, if names { CONDITIONAL } else { LOOKED_UP }));
                continue;
            }
            let (first, last) = match (touched.lexmin(budget), touched.lexmax(budget)) {
                (Ok(first), Ok(last)) => (first, last),
                (Err(Error::Unbounded), _) | (_, Err(Error::Unbounded)) => return Ok(Err(ANY_ELEMENT)),
                (Err(other), _) | (_, Err(other)) => return Err(limit(other)),
            };
            if !touched.is_subset(&inside(scop, array, &touched), budget).map_err(limit)? {
                return Ok(Err(UNORDERED));
            }
            surely_touched = Some(surely_touched.map_or_else(|| touched.clone(), |all| all.union(&touched)));
            // The last one of neighbours is an element of its own.
            let bytes = if access.subscripts().is_some() { bytes } else { bytes.min(scop.array(array).elem_bytes) };
            extents.push(Extent { first, last, bytes });
        }
    }
    for (touched, why) in others {
        let Some(all) = &surely_touched else { return Ok(Err(why)) };
        if !touched.is_subset(all, budget).map_err(limit)? {
            return Ok(Err(why));
        }
    }
    Ok(Ok(extents))
}

/// Whether every instance of a statement touches what an access does: of the scalars on elements, what writes one, as
/// the store that the scalar has been mapped to follows in every run ([`super::scalars`]), although its statement may
/// be gone.
fn is_surely_done(stmt: &Stmt, access: &Access, facts: &FunctionFacts) -> bool {
    let is_done = match access.carries {
        None if facts.value(access.inst).in_arm => is_touched_in_any_case(stmt, access, facts),
        None => access.kind != AccessKind::MayWrite,
        Some(_) => access.kind == AccessKind::MustWrite,
    };
    is_done && matches!(stmt.body, StmtBody::Original(_))
}

/// Whether each way behind a branch on data has an access to the element of this one, of as many bytes.
fn is_touched_in_any_case(stmt: &Stmt, access: &Access, facts: &FunctionFacts) -> bool {
    let Some(boxed) = facts.boxed(access.inst).filter(|b| !b.has_loops) else { return false };
    let Some(own) = access.subscripts() else { return false };
    let is_same = |other: &Access| {
        let is_there = other.array == access.array && other.carries.is_none();
        is_there
            && facts.accessed_bytes(other.inst) == facts.accessed_bytes(access.inst)
            && other.subscripts().as_ref() == Some(&own)
    };
    let same: BTreeSet<ValueId> = stmt.accesses.iter().filter(|a| is_same(a)).map(|a| a.inst).collect();
    boxed.all_ways_pass(|arm| arm.insts.iter().any(|inst| same.contains(inst)))
}

fn bytes_touched(scop: &Scop, facts: &FunctionFacts, access: &Access) -> u32 {
    if access.carries.is_some() { scop.array(access.array).elem_bytes } else { facts.accessed_bytes(access.inst) }
}

/// Whether the relation names, per instance, what is touched and nothing else: one element, or as many neighbours as
/// the access is wide. Relations are never too small.
fn names_its_elements(access: &Access, width: i64, budget: &Budget) -> Result<bool, Failure> {
    if access.subscripts().is_some() {
        return Ok(true);
    }
    if width == 1 || access.relation.space().n_out() == 0 {
        return access.relation.is_single_valued(budget).map_err(limit);
    }
    let first = match access.relation.lexmin(budget) {
        Err(Error::Unbounded) => return Ok(false),
        first => first.map_err(limit)?,
    };
    let neighbours = first.apply_range(&neighbours(first.space(), width), budget).map_err(limit)?;
    access.relation.is_subset(&neighbours, budget).map_err(limit)
}

/// `{ Arr[.., s] -> Arr[.., t] : s <= t < s + width }` for the elements of a relation.
fn neighbours(of: &Space, width: i64) -> Map {
    let elements = Set::universe(of.range());
    let space = elements.identity().space().clone();
    let (first, rank) = (space.n_param(), space.n_in());
    let row = |dims: &[(usize, i64)], constant: i64| {
        let mut row = vec![0; space.n_cols() + 1];
        dims.iter().for_each(|(k, c)| row[first + k] = *c);
        row[space.n_cols()] = constant;
        row
    };
    let same = (0..rank - 1).map(|k| (Kind::Eq, row(&[(k, 1), (rank + k, -1)], 0)));
    let last = rank - 1;
    let near = [row(&[(last, -1), (rank + last, 1)], 0), row(&[(last, 1), (rank + last, -1)], width - 1)];
    same.chain(near.map(|r| (Kind::Ge, r))).fold(Map::universe(space.clone()), |all, (kind, row)| all.add(kind, &row))
}

/// Whether a region surely writes every byte between the first and the last element of an array that it touches, and
/// reads none that it has not written before: nobody needs what the array held. For arrays with [`extents`]; `false`
/// also where that is not known.
///
/// # Errors
/// `Limit` when the budget is spent or a number leaves i64.
pub fn is_overwritten(scop: &Scop, facts: &FunctionFacts, array: ArrayId, budget: &Budget) -> Result<bool, Failure> {
    let touched = Footprint::of_region(scop, array);
    let own =
        || scop.stmts.iter().flat_map(|s| s.accesses.iter().map(move |a| (s, a))).filter(|(_, a)| a.array == array);
    let bytes = scop.array(array).elem_bytes;
    let writers: BTreeSet<StmtId> = own().filter(|(_, a)| a.kind == AccessKind::MustWrite).map(|(s, _)| s.id).collect();
    let is_plain = own()
        .all(|(s, a)| matches!(s.body, StmtBody::Original(_)) && (a.carries.is_some() || !facts.value(a.inst).in_arm));
    if writers.is_empty() || !is_plain || touched.accessed_bytes(facts) != Some((bytes, bytes)) {
        return Ok(false);
    }
    let Some(rows) = touched.outermost(budget)? else { return Ok(false) };
    let space = Space::set(&scop.param_names(), "", scop.array(array).sizes.len());
    let (first, last) = (rows.first.value(&space, budget), rows.last.value(&space, budget));
    let row = PwAff::from(Aff::dim(&space, 0));
    let all = row.ge_set(&first.map_err(limit)?).intersect(&row.le_set(&last.map_err(limit)?));
    let all = all.intersect(&inside(scop, array, &all));
    if !fills(scop, (array, &all), &writers, budget)? {
        return Ok(false);
    }
    if own().all(|(_, a)| a.kind != AccessKind::Read) {
        return Ok(true);
    }
    let Some(whole) = Loop::whole(&scop.schedule) else { return Ok(false) };
    whole.reads_its_own(scop, &scop.schedule, array, budget)
}

/// Whether each stride is the next one times the size of that dimension, down to one element.
fn has_nested_strides(scop: &Scop, array: ArrayId) -> bool {
    let of = scop.array(array);
    let sizes = of.sizes.iter().skip(1);
    let mut inner = of.strides.iter().skip(1);
    let nested = of.strides.iter().zip(sizes).all(|(stride, size)| {
        let expected = inner.next().and_then(|inner| product(inner, size));
        expected.is_some_and(|expected| expected == terms(stride))
    });
    let last = of.strides.last().and_then(ParamPoly::as_constant);
    nested && (of.strides.is_empty() || last.is_some_and(|bytes| bytes == i64::from(of.elem_bytes)))
}

/// Coefficients by products of parameters; none is 0.
type Terms = BTreeMap<Vec<usize>, i64>;

fn terms(poly: &ParamPoly) -> Terms {
    let mut all = Terms::new();
    for (c, product) in &poly.0 {
        *all.entry(product.clone()).or_default() += c;
    }
    all.retain(|_, c| *c != 0);
    all
}

fn product(poly: &ParamPoly, size: &Size) -> Option<Terms> {
    let factors: Vec<(Vec<usize>, i64)> = match size {
        Size::Unknown => return None,
        Size::Const(n) => vec![(Vec::new(), *n)],
        Size::Affine(row) => {
            let (constant, linear) = row.split_last()?;
            let params = linear.iter().enumerate().map(|(k, c)| (vec![k], *c));
            params.chain([(Vec::new(), *constant)]).collect()
        }
    };
    let mut all = Terms::new();
    for (of, c) in terms(poly) {
        for (more, by) in &factors {
            let mut both = [of.as_slice(), more].concat();
            both.sort_unstable();
            let entry = all.entry(both).or_default();
            *entry = entry.checked_add(c.checked_mul(*by)?)?;
        }
    }
    all.retain(|_, c| *c != 0);
    Some(all)
}

/// Elements whose inner subscripts lie within the array's sizes.
fn inside(scop: &Scop, array: ArrayId, like: &Set) -> Set {
    let space = like.space();
    let sizes = scop.array(array).sizes.iter().enumerate().skip(1);
    sizes.fold(Set::universe(space.clone()), |all, (k, size)| {
        let subscript = Aff::dim(space, k);
        let end = match size {
            Size::Unknown => return all,
            Size::Const(n) => Aff::constant(space, *n),
            Size::Affine(row) => {
                let (constant, linear) = row.split_last().map_or((0, &[][..]), |(c, l)| (*c, l));
                let terms = linear.iter().enumerate().filter(|(_, c)| **c != 0);
                terms.fold(Aff::constant(space, constant), |sum, (p, c)| sum.add(&Aff::param(space, p).scale(*c)))
            }
        };
        all.intersect(&subscript.ge_set(&Aff::zero(space))).intersect(&subscript.lt_set(&end))
    })
}
