//! Memory arrays: picks the richest shape whose inner subscripts provably (or, for all sensible parameter values,
//! assumably) stay inside their dims, and turns addresses into subscripts.

use super::domain::Domains;
use super::nest::Nest;
use super::sets::Sets;
use super::values::{Root, Values, bytes};
use crate::error::{Failure, Limit, Reject, RejectKind, SourceLoc};
use crate::ids::{BlockId, LoopId, ValueId};
use crate::remedies::{BEYOND, STEPS, UNLIKE_ROWS};
use crate::scop::affine::{Conj, Cons, Reader};
use crate::scop::causes;
use crate::scop::cond::conjunction;
use crate::scop::polynomial::{Floor, Poly, Sym};
use crate::scop::shape::{Shape, Touch};
use crate::scop::views::{self, Fixed};
use std::collections::{BTreeMap, BTreeSet};

/// Constant inner sizes below this are only used where subscripts provably stay inside.
const MIN_ASSUMED_SIZE: i64 = 16;

/// A load or store as it stands in a statement.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The instruction.
    pub inst: ValueId,
    /// Where it is executed: the statement's block.
    pub block: BlockId,
}

/// A base pointer with its shape and the subscripts of its accesses.
pub struct Memory {
    /// What leads to it.
    pub root: Root,
    /// Bytes from there to where it begins: a polynomial in the parameters.
    pub offset: Poly,
    /// Its strides.
    pub shape: Shape,
    /// Inner sizes, degree at most 1.
    pub inner_sizes: Vec<Poly>,
    /// Subscripts by instruction, degree at most 1: one piece or several that cover all instances.
    pub subscripts: BTreeMap<ValueId, Vec<(Conj, Vec<Poly>)>>,
    /// Instructions that may touch any element.
    pub indirect: BTreeSet<ValueId>,
}

impl Memory {
    /// All loads and stores.
    pub fn accesses(&self) -> impl Iterator<Item = &ValueId> {
        self.subscripts.keys().chain(&self.indirect)
    }
}

/// A piece of a use: its address where the conditions hold.
#[derive(Clone)]
struct Part {
    used: Use,
    conds: Conj,
}

/// A domain with the dims that its constraints are over.
pub struct Domain<'a> {
    /// At least one conjunction holds.
    pub any: &'a [Conj],
    /// Loops around, outermost first.
    pub dims: &'a [LoopId],
}

/// Addresses of one array before its shape is known.
pub struct Accessed {
    root: Root,
    offset: Poly,
    uses: Vec<Part>,
    indirect: BTreeSet<ValueId>,
    shapes: Vec<Shaped>,
}

/// What may lie behind one base pointer: one array, or several; each choice has all uses. The first one is best.
pub type Choices = Vec<Vec<Accessed>>;

/// Groups the uses by base pointer, with every shape that has affine subscripts, richest first. Finds all parameters
/// needed.
///
/// # Errors
/// `Reject` if some address has no affine subscripts in any shape.
pub fn candidates(r: &mut Reader, values: &Values, uses: &[Use]) -> Result<Vec<Choices>, Failure> {
    let mut by_root: BTreeMap<Root, Vec<Use>> = BTreeMap::new();
    for used in uses {
        let root = values.root(used.inst).ok_or_else(|| non_affine(values, used.inst))?;
        by_root.entry(root).or_default().push(*used);
    }
    by_root.into_iter().map(|(root, uses)| choices_of(r, values, root, uses)).collect()
}

fn non_affine(values: &Values, inst: ValueId) -> Failure {
    let loc = values.facts.value(inst).loc.clone();
    Failure::Reject(Reject::new(RejectKind::NonAffineAccess, "", loc))
}

fn choices_of(r: &mut Reader, values: &Values, root: Root, uses: Vec<Use>) -> Result<Choices, Failure> {
    let (mut touches, mut parts) = (Vec::new(), Vec::new());
    let (indirect, uses): (Vec<Use>, Vec<Use>) = uses.into_iter().partition(|u| values.is_indirect(u.inst));
    let any: BTreeSet<ValueId> = indirect.iter().map(|u| u.inst).collect();
    let whole = |uses, shapes| Accessed { root, offset: Poly::default(), uses, indirect: any.clone(), shapes };
    if let (Some(first), true) = (indirect.first(), uses.is_empty()) {
        let shape = Shape { elem_bytes: bytes(values.facts.value(first.inst)), strides: vec![Poly::constant(1)] };
        return Ok(vec![vec![whole(parts, vec![(shape, Vec::new(), Vec::new())])]]);
    }
    for used in &uses {
        for piece in values.offset(used.inst).ok_or_else(|| non_affine(values, used.inst))? {
            touches.push(Touch { offset: piece.value.clone(), bytes: bytes(values.facts.value(used.inst)) });
            parts.push(Part { used: *used, conds: piece.conds.clone() });
        }
    }
    if let Root::Rows(_) = root {
        let shape = row_shape(r, values, &touches, &parts).filter(|_| any.is_empty());
        let shape = shape.ok_or_else(|| non_affine(values, parts[0].used.inst))?;
        return Ok(vec![vec![whole(parts, vec![shape])]]);
    }
    let mut choices = Choices::new();
    let [products, params] = [Fixed::Products, Fixed::Params]
        .map(|fixed| if any.is_empty() { split(r, (root, fixed), (&touches, &parts)) } else { None });
    let shapes = if products.is_some() { Vec::new() } else { shapes_of(r, &touches) };
    if !shapes.is_empty() {
        choices.push(vec![whole(parts.clone(), shapes)]);
    }
    choices.extend(products.into_iter().chain(params));
    if choices.is_empty() {
        let (own, all) = (causes::sizes(r, [&touches[0]]), causes::sizes(r, &touches));
        let (detail, about) = match (own.len() > 1, all.len() > 1) {
            (true, _) => (STEPS, own),
            (false, true) => (UNLIKE_ROWS, all),
            (false, false) => ("", own),
        };
        let loc = values.facts.value(uses[0].inst).loc.clone();
        return Err(Failure::Reject(Reject::new(RejectKind::NonAffineAccess, detail, loc).about(about)));
    }
    Ok(choices)
}

/// The arrays that one piece of memory is cut up into, each with its shapes; `None`: it is one array, or has no shape
/// so either.
fn split(r: &mut Reader, (root, fixed): (Root, Fixed), (touches, parts): (&[Touch], &[Part])) -> Option<Vec<Accessed>> {
    let insts: Vec<ValueId> = parts.iter().map(|part| part.used.inst).collect();
    let all = views::split(r, (&insts, touches), fixed)?;
    let accessed = all.into_iter().map(|view| {
        let shapes = shapes_of(r, &view.from_beginning(touches)?);
        let uses = view.touches.iter().map(|k| parts[*k].clone()).collect();
        (!shapes.is_empty()).then_some(Accessed { root, offset: view.offset, uses, indirect: BTreeSet::new(), shapes })
    });
    accessed.collect()
}

/// A shape, with its inner sizes and the subscripts of all touches.
type Shaped = (Shape, Vec<Poly>, Vec<Vec<Poly>>);

/// Every shape in which the touches have affine subscripts, the richest first.
fn shapes_of(r: &mut Reader, touches: &[Touch]) -> Vec<Shaped> {
    let floors = r.floors.clone();
    let mut shapes = fitting(touches, &floors, |poly| r.linearize(poly));
    if shapes.is_empty() {
        shapes = fitting(touches, &floors, |poly| r.linearize_address(poly));
    }
    if shapes.is_empty()
        && let Some(touches) = r.with_unit_stride(touches)
    {
        shapes = fitting(&touches, &floors, |poly| r.linearize_address(poly));
    }
    shapes.sort_by_key(|(shape, ..)| std::cmp::Reverse(shape.strides.len()));
    shapes.dedup_by(|a, b| a.0 == b.0);
    shapes
}

/// The shapes in which sizes and subscripts are affine by `affine`, with both: the richest that is suggested, and those
/// without some of its strides.
fn fitting(touches: &[Touch], floors: &[Floor], mut affine: impl FnMut(&Poly) -> Option<Poly>) -> Vec<Shaped> {
    let mut fits = |shape: Shape| {
        let sizes = shape.inner_sizes().iter().map(&mut affine).collect::<Option<Vec<Poly>>>()?;
        let subscripts = touches.iter().map(|touch| shape.subscripts(&touch.offset)?.iter().map(&mut affine).collect());
        let subscripts = subscripts.collect::<Option<Vec<Vec<Poly>>>>()?;
        Some((shape, sizes, subscripts))
    };
    let mut shapes = Vec::new();
    let mut shape = Shape::suggest(touches, floors);
    while let Some(current) = shape {
        let inner = current.strides.len() - 1;
        // Dropping the innermost size that is a constant leaves the shape that the next attempt is about.
        shape = (inner > 0).then(|| current.without(inner - 1));
        shapes.extend(fits(current));
    }
    // The outermost strides can be wrong as well: try chains without them.
    if let Some((mut outer, ..)) = shapes.first().cloned() {
        while outer.strides.len() > 2 {
            outer = outer.without(0);
            shapes.extend(fits(outer.clone()));
        }
    }
    shapes
}

/// Subscripts of accesses to rows behind pointers: the pointer's number, and the element counted from there.
fn row_shape(r: &mut Reader, values: &Values, touches: &[Touch], parts: &[Part]) -> Option<Shaped> {
    let shape = Shape::suggest(touches, &r.floors)?.flat();
    let subscripts = touches.iter().zip(parts).map(|(touch, part)| {
        let row = values.row(part.used.inst)?.number.clone();
        let column = shape.subscripts(&touch.offset)?.pop()?;
        Some(vec![r.linearize(&row)?, r.linearize(&column)?])
    });
    let subscripts = subscripts.collect::<Option<Vec<_>>>()?;
    Some((shape, Vec::new(), subscripts))
}

/// When a whole size may be moved between neighbouring subscripts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carry {
    /// Where that provably brings the inner one inside.
    Proved,
    /// Also where it is never inside as it is, but may be then.
    Possible,
}

/// Where the accesses of a region are executed.
#[derive(Clone, Copy)]
struct Executed<'a> {
    nest: &'a Nest<'a>,
    domains: &'a Domains,
    /// Parameter values that can be, and parameters that stand for products and quotients.
    params: (&'a presburger::Set, &'a [u32]),
}

/// Picks shapes: the richest that holds everywhere, else the richest that may be assumed. `params`: the values they
/// can have, and those that stand for products and quotients.
///
/// # Errors
/// `Limit`; `Reject` if no shape is left for an array.
pub fn choose(
    sets: &mut Sets,
    values: &Values,
    nest: &Nest,
    domains: &Domains,
    accessed: Vec<Choices>,
    params: (&presburger::Set, &[u32]),
) -> Result<Vec<Memory>, Failure> {
    let at = Executed { nest, domains, params };
    let mut memories = Vec::with_capacity(accessed.len());
    for choices in accessed {
        let (mut chosen, mut why) = (None, None);
        for arrays in choices {
            let invalid = sets.invalid.clone();
            match arrays.into_iter().map(|array| chosen_shape(sets, values, at, array)).collect::<Result<Vec<_>, _>>() {
                Ok(found) => {
                    chosen = Some(found);
                    break;
                }
                Err(Failure::Reject(reject)) => why = why.or(Some(reject)),
                Err(failure) => return Err(failure),
            }
            sets.invalid = invalid;
        }
        let refused =
            || Failure::Reject(why.unwrap_or(Reject::new(RejectKind::NonAffineAccess, "", SourceLoc::default())));
        memories.extend(chosen.ok_or_else(refused)?);
    }
    Ok(memories)
}

/// The array in the richest of its shapes that holds everywhere, or else may be assumed to.
fn chosen_shape(sets: &mut Sets, values: &Values, at: Executed, array: Accessed) -> Result<Memory, Failure> {
    let Executed { nest, domains, params } = at;
    let mut chosen = None;
    let shapes = |carry: Carry| array.shapes.iter().map(move |shape| (carry, shape));
    for (carry, (shape, sizes, subscripts)) in shapes(Carry::Proved).chain(shapes(Carry::Possible)) {
        let mut subscripts = subscripts.clone();
        if let Root::Rows(_) = array.root {
            chosen = Some((shape.clone(), sizes.clone(), subscripts));
            break;
        }
        let bad = overruns(sets, values, (nest, domains), &array.uses, (shape, sizes), (&mut subscripts, carry))?;
        let small = |s: &Poly| s.as_constant().is_some_and(|c| c < MIN_ASSUMED_SIZE);
        let acceptable = match &bad {
            None => true,
            Some(_) if sizes.iter().any(small) => false,
            Some(bad) => {
                let mut leaves = true;
                for possible in with_values(sets, params, bad)? {
                    leaves = leaves && leaves_something(sets, nest, domains, (&array.uses, &possible), bad)?;
                }
                leaves
            }
        };
        if acceptable {
            if let Some(bad) = bad {
                sets.invalid = sets.invalid.union(&bad);
            }
            chosen = Some((shape.clone(), sizes.clone(), subscripts));
            break;
        }
    }
    let Some((shape, inner_sizes, subscripts)) = chosen else {
        let access = values.facts.value(array.uses[0].used.inst);
        let reject = Reject::new(RejectKind::NonAffineAccess, BEYOND, access.loc.clone());
        return Err(Failure::Reject(reject.about(access.base.into_iter().collect())));
    };
    let subscripts = by_instruction(&array.uses, subscripts);
    let Accessed { root, offset, indirect, .. } = array;
    Ok(Memory { root, offset, shape, inner_sizes, subscripts, indirect })
}

/// The parts of each access; of one that stands in several statements those of the last.
fn by_instruction(parts: &[Part], subscripts: Vec<Vec<Poly>>) -> BTreeMap<ValueId, Vec<(Conj, Vec<Poly>)>> {
    let mut all: BTreeMap<ValueId, (BlockId, Vec<(Conj, Vec<Poly>)>)> = BTreeMap::new();
    let mut before = None;
    for (part, subs) in parts.iter().zip(subscripts) {
        let Part { used: Use { inst, block }, conds } = part;
        let is_first = before != Some((*inst, *block)) || conds.is_empty();
        let entry = all.entry(*inst).or_insert((*block, Vec::new()));
        if is_first {
            *entry = (*block, Vec::new());
        }
        entry.1.push((conds.clone(), subs));
        before = Some((*inst, *block));
    }
    all.into_iter().map(|(inst, (_, pieces))| (inst, pieces)).collect()
}

/// The possible parameter values for which a parameter that `bad` is about, and that stands for a product or quotient,
/// is not 0; of each such parameter. An offset of `w / 2` that would have to be none is no assumption.
fn with_values(
    sets: &Sets,
    (possible, computed): (&presburger::Set, &[u32]),
    bad: &presburger::Set,
) -> Result<Vec<presburger::Set>, Failure> {
    let rows = bad.basics().iter().map(|b| b.rows_i64().map_err(Limit::of("model")));
    let rows: Vec<_> = rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut found = vec![possible.clone()];
    for &param in computed.iter().filter(|p| rows.iter().any(|(_, r)| r[**p as usize] != 0)) {
        let value = Poly::sym(Sym::Param(param));
        let signs = [value.plus(-1), value.scale(-1).and_then(|v| v.plus(-1))];
        let mut other = presburger::Set::empty(sets.params_space());
        for sign in signs.into_iter().flatten() {
            other = other.union(&sets.param_set(&[Cons::ge(sign)])?);
        }
        found.push(possible.intersect(&other));
    }
    Ok(found)
}

/// Whether one of the accesses is still executed for some parameter values where those in `bad` are excluded, too.
fn leaves_something(
    sets: &Sets,
    nest: &Nest,
    domains: &Domains,
    (uses, possible): (&[Part], &presburger::Set),
    bad: &presburger::Set,
) -> Result<bool, Failure> {
    let excluded = sets.invalid.union(bad);
    let mut blocks: Vec<BlockId> = uses.iter().map(|u| u.used.block).collect();
    blocks.dedup();
    for block in blocks {
        let executed = sets.inhabited(domains.of(block), nest.loops(block))?;
        if !possible.intersect(&executed).is_subset(&excluded, sets.budget).map_err(Limit::of("model"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes subscripts stay inside the inner dims where a carry does that; parameter values for which some do not, `None`
/// = nowhere. All elements that an access touches have to stay in its row.
fn overruns(
    sets: &mut Sets,
    values: &Values,
    (nest, domains): (&Nest, &Domains),
    uses: &[Part],
    (shape, sizes): (&Shape, &[Poly]),
    (subscripts, carried): (&mut [Vec<Poly>], Carry),
) -> Result<Option<presburger::Set>, Failure> {
    let mut bad: Option<presburger::Set> = None;
    for (Part { used, conds }, subs) in uses.iter().zip(subscripts) {
        let within: Vec<Conj> = domains.of(used.block).iter().map(|conj| conjunction(conj, conds)).collect();
        let domain = Domain { any: &within, dims: nest.loops(used.block) };
        let elements = i64::from(bytes(values.facts.value(used.inst)).div_ceil(shape.elem_bytes));
        for k in (1..subs.len()).rev() {
            // Of several elements, the first one is inside of a row that is so much shorter.
            let more = if k + 1 == subs.len() { elements.max(1) - 1 } else { 0 };
            let room = sizes[k - 1].plus(-more).ok_or_else(|| non_affine(values, used.inst))?;
            let size = (&sizes[k - 1], &room);
            if stays_inside(sets, &domain, &subs[k], &room)? || carry(sets, &domain, subs, k, size, stays_inside)? {
                continue;
            }
            let is_moved = likelier(sets, &domain, subs, k, size)?;
            if !is_moved && carried == Carry::Possible && !may_stay_inside(sets, &domain, &subs[k], &room)? {
                carry(sets, &domain, subs, k, size, may_stay_inside)?;
            }
            for poly in bounds(&subs[k], &room).ok_or_else(|| non_affine(values, used.inst))? {
                let failing = sets.failing(domain.any, domain.dims, &poly)?;
                bad = Some(match bad {
                    None => failing,
                    Some(b) => b.union(&failing),
                });
            }
        }
    }
    Ok(bad)
}

/// Moves one whole size between subscript k and its outer neighbour if more of what has to hold is certain then, given
/// that there are elements in a row: `(2i - 1)n + 2j` in rows of `2n` is `[i - 1][n + 2j]`, which asks for `2j < n`,
/// and not `[i][2j - n]`.
fn likelier(
    sets: &mut Sets,
    domain: &Domain,
    subs: &mut [Poly],
    k: usize,
    (size, room): (&Poly, &Poly),
) -> Result<bool, Failure> {
    let Some(is_row) = size.plus(-1) else { return Ok(false) };
    let within: Vec<Conj> =
        domain.any.iter().map(|conj| conj.iter().cloned().chain([Cons::ge(is_row.clone())]).collect()).collect();
    let mut certain = |sub: &Poly| -> Result<usize, Failure> {
        let mut count = 0;
        for bound in bounds(sub, room).into_iter().flatten() {
            count += usize::from(sets.holds(&within, domain.dims, &bound)?);
        }
        Ok(count)
    };
    let as_it_is = certain(&subs[k])?;
    for (inner, outer) in moved(subs, k, size) {
        if certain(&inner)? > as_it_is {
            (subs[k], subs[k - 1]) = (inner, outer);
            return Ok(true);
        }
    }
    Ok(false)
}

/// Subscript k and its outer neighbour where one whole size is moved from or to that.
fn moved(subs: &[Poly], k: usize, size: &Poly) -> Vec<(Poly, Poly)> {
    let by = |times: i64| Some((subs[k].add(&size.scale(times)?)?, subs[k - 1].plus(-times)?));
    [1, -1].into_iter().filter_map(by).collect()
}

/// `sub >= 0` and `room - 1 - sub >= 0`.
fn bounds(sub: &Poly, room: &Poly) -> Option<[Poly; 2]> {
    Some([sub.clone(), room.sub(sub)?.plus(-1)?])
}

fn stays_inside(sets: &mut Sets, domain: &Domain, sub: &Poly, room: &Poly) -> Result<bool, Failure> {
    let Some([low, high]) = bounds(sub, room) else { return Ok(false) };
    Ok(sets.holds(domain.any, domain.dims, &low)? && sets.holds(domain.any, domain.dims, &high)?)
}

/// Whether the subscript is inside for some dims and parameters.
fn may_stay_inside(sets: &mut Sets, domain: &Domain, sub: &Poly, room: &Poly) -> Result<bool, Failure> {
    let Some(bounds) = bounds(sub, room) else { return Ok(false) };
    let within: Vec<Conj> =
        domain.any.iter().map(|conj| conj.iter().cloned().chain(bounds.clone().map(Cons::ge)).collect()).collect();
    Ok(!sets.holds(&within, domain.dims, &Poly::constant(-1))?)
}

/// Moves one whole size between subscript k and its outer neighbour if that brings it inside, as `is_inside` sees it;
/// `size`: with the room that there is for first elements.
fn carry(
    sets: &mut Sets,
    domain: &Domain,
    subs: &mut [Poly],
    k: usize,
    (size, room): (&Poly, &Poly),
    is_inside: impl Fn(&mut Sets, &Domain, &Poly, &Poly) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    for (inner, outer) in moved(subs, k, size) {
        if is_inside(sets, domain, &inner, room)? {
            (subs[k], subs[k - 1]) = (inner, outer);
            return Ok(true);
        }
    }
    Ok(false)
}
