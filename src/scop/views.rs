//! Arrays that lie behind one another in one piece of memory: matrices in a workspace, the planes of an image.
//!
//! `work[i*m + k]` and `work[n*m + k*p + j]` have no common rows. What loops do not change of an address, but for whole
//! rows, is where another array begins; that the arrays do not overlap is for a run-time check to find.

use super::affine::{ParamDef, Reader};
use super::causes;
use super::polynomial::{Floor, Mono, Poly, Sym};
use super::shape::{Shape, Touch, by_dim, divide, positive};
use crate::facts::{ScevKind, ValueKind};
use crate::ids::ValueId;
use std::collections::{BTreeMap, BTreeSet};

/// What of an address is the array's beginning, and no subscript, unless it is whole rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fixed {
    /// Products of parameters.
    Products,
    /// Single parameters, too.
    Params,
}

/// The accesses to one of the arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where it begins, in bytes; a polynomial in the parameters without a constant.
    pub offset: Poly,
    /// Numbers of its touches, ascending.
    pub touches: Vec<usize>,
}

impl View {
    /// Its touches, counted from where it begins; `None` if a number leaves i64.
    #[must_use]
    pub fn from_beginning(&self, touches: &[Touch]) -> Option<Vec<Touch>> {
        let moved = |touch: &Touch| Some(Touch { offset: touch.offset.sub(&self.offset)?, bytes: touch.bytes });
        self.touches.iter().map(|k| moved(&touches[*k])).collect()
    }
}

/// Accesses whose rows have a common length, with their shape; no row: all that have none.
struct Group {
    lengths: BTreeSet<Poly>,
    touches: Vec<usize>,
    shape: Option<Shape>,
}

/// The arrays that lie in one piece of memory, which these instructions touch; `None` if it is one array. An
/// instruction is of one array; none lies before the pointer, and where one of two is written they may well lie apart.
#[must_use]
pub fn split(r: &Reader, (insts, touches): (&[ValueId], &[Touch]), fixed: Fixed) -> Option<Vec<View>> {
    let all = views(touches, &r.floors, fixed)?;
    let counts = |sym: Sym| matches!(sym, Sym::Param(k) if r.params.get(k as usize).is_some_and(|p| is_counted(r, p)));
    let is_store = |k: &usize| matches!(r.facts.value(insts[*k]).kind, ValueKind::Store { .. });
    let is_written = |view: &View| view.touches.iter().any(is_store);
    let mut home: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (n, view) in all.iter().enumerate() {
        let overlaps = |other: &View| (is_written(view) || is_written(other)) && meet(view, other, counts);
        let is_shared = |k: &usize| *home.entry(insts[*k]).or_insert(n) != n;
        let is_before = view.offset.terms().iter().any(|(_, c)| *c < 0);
        if is_before || all[..n].iter().any(overlaps) || view.touches.iter().any(is_shared) {
            return None;
        }
    }
    Some(all)
}

/// Whether two arrays are likely to overlap: they begin at one place, or at least one moves along in the loops around,
/// and in the first iterations there is no room for rows between them.
fn meet(a: &View, b: &View, is_counter: impl Fn(Sym) -> bool) -> bool {
    let first = |view: &View| {
        let stays = |(mono, _): &&(Mono, i64)| !mono.syms().any(&is_counter);
        Poly::from_terms(view.offset.terms().iter().filter(stays).copied())
    };
    let (Some(of_a), Some(of_b)) = (first(a), first(b)) else { return true };
    let stay = of_a == a.offset && of_b == b.offset;
    of_a.sub(&of_b).is_none_or(|between| between.is_zero() || !stay && between.degree() < 2)
}

/// Whether a parameter is made of the counters of loops around the region.
fn is_counted(r: &Reader, param: &ParamDef) -> bool {
    let mut parts = std::iter::once(&param.value).chain(&param.times).flat_map(|scev| causes::parts(r.facts, *scev));
    parts.any(|part| matches!(r.facts.scev(part).kind, ScevKind::AddRec { .. }))
}

/// The same, whatever is written; `None` also if no row has a symbolic length.
fn views(touches: &[Touch], floors: &[Floor], fixed: Fixed) -> Option<Vec<View>> {
    let groups = groups(touches, floors)?;
    let mut found: Vec<(usize, View)> = Vec::new();
    let mut add = |group: usize, offset: Poly, touch: usize| match found
        .iter_mut()
        .find(|(of, view)| *of == group && view.offset == offset)
    {
        Some((_, view)) => view.touches.push(touch),
        None => found.push((group, View { offset, touches: vec![touch] })),
    };
    let mut rowless = Vec::new();
    for (k, group) in groups.iter().enumerate() {
        match group.lengths.is_empty() {
            true => rowless.extend(group.touches.iter().map(|touch| (k, *touch))),
            false => {
                for touch in &group.touches {
                    add(k, beginning(&touches[*touch].offset, group.shape.as_ref()?, fixed)?, *touch);
                }
            }
        }
    }
    for (own, touch) in rowless {
        let (group, offset) = home(&touches[touch].offset, &groups, own, fixed)?;
        add(group, offset, touch);
    }
    let mut views: Vec<View> = found.into_iter().map(|(_, view)| view).collect();
    views.iter_mut().for_each(|view| view.touches.sort_unstable());
    (views.len() > 1 || !views[0].offset.is_zero()).then_some(views)
}

/// The group with rows whose array an access without rows may be in: one that begins where the memory does. Else its
/// own.
fn home(offset: &Poly, groups: &[Group], own: usize, fixed: Fixed) -> Option<(usize, Poly)> {
    for (k, group) in groups.iter().enumerate().filter(|(k, _)| *k != own) {
        if let Some(begin) = group.shape.as_ref().and_then(|shape| beginning(offset, shape, fixed))
            && begin.is_zero()
        {
            return Some((k, begin));
        }
    }
    Some((own, beginning(offset, groups[own].shape.as_ref()?, fixed)?))
}

/// Touches by symbolic lengths of rows: those that share one belong together. `None` if there is no such length.
fn groups(touches: &[Touch], floors: &[Floor]) -> Option<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for (k, touch) in touches.iter().enumerate() {
        let (mut lengths, mut members) = (BTreeSet::new(), vec![k]);
        for coefficient in by_dim(&touch.offset)?.values().filter(|c| c.as_constant().is_none()) {
            lengths.insert(positive(coefficient.exact_div(coefficient.content())?)?);
        }
        let shares =
            |g: &Group| if lengths.is_empty() { g.lengths.is_empty() } else { !g.lengths.is_disjoint(&lengths) };
        let (same, others): (Vec<Group>, Vec<Group>) = groups.into_iter().partition(shares);
        groups = others;
        for group in same {
            lengths.extend(group.lengths);
            members.extend(group.touches);
        }
        groups.push(Group { lengths, touches: members, shape: None });
    }
    if groups.iter().all(|group| group.lengths.is_empty()) {
        return None;
    }
    for group in &mut groups {
        group.touches.sort_unstable();
        let own: Vec<Touch> = group.touches.iter().map(|k| touches[*k].clone()).collect();
        group.shape = Shape::suggest(&own, floors);
    }
    groups.sort_by_key(|group| group.touches.first().copied());
    Some(groups)
}

/// What the parameters alone say of an address, in bytes, but for whole rows and what may be a subscript.
fn beginning(offset: &Poly, shape: &Shape, fixed: Fixed) -> Option<Poly> {
    let least = if fixed == Fixed::Products { 2 } else { 1 };
    let own = offset.terms().iter().filter(|(mono, _)| mono.is_param_only() && mono.degree() > 0).copied();
    let unit = i64::from(shape.elem_bytes);
    let mut rest = Poly::from_terms(own)?.exact_div(unit)?;
    let mut begin = Poly::default();
    for stride in shape.strides.iter().filter(|s| s.as_constant().is_none()) {
        let (rows, left) = divide(&rest, stride)?;
        let many = rows.terms().iter().filter(|(mono, _)| mono.degree() > 1).copied();
        begin = begin.add(&Poly::from_terms(many)?.mul(stride)?)?;
        rest = left;
    }
    let left = rest.terms().iter().filter(|(mono, _)| mono.degree() >= least).copied();
    begin.add(&Poly::from_terms(left)?)?.scale(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scop::sketch::{dim, param};

    fn touch(parts: &[&[&Poly]]) -> Touch {
        let product = |of: &[&Poly]| of.iter().fold(Poly::constant(8), |p, q| p.mul(q).unwrap());
        Touch { offset: parts.iter().fold(Poly::default(), |sum, of| sum.add(&product(of)).unwrap()), bytes: 8 }
    }

    fn offsets(touches: &[Touch], fixed: Fixed) -> Option<Vec<(Poly, Vec<usize>)>> {
        Some(views(touches, &[], fixed)?.into_iter().map(|v| (v.offset, v.touches)).collect())
    }

    #[test]
    fn matrices_of_a_workspace() {
        let (n, m, p) = (param(0), param(1), param(2));
        let (i, j, k) = (dim(0), dim(1), dim(2));
        let a = touch(&[&[&i, &m], &[&k]]);
        let b = touch(&[&[&n, &m], &[&k, &p], &[&j]]);
        let c = touch(&[&[&n, &m], &[&m, &p], &[&i, &p], &[&j]]);
        let begin = touch(&[&[&n, &m]]).offset;
        let expected = vec![(Poly::default(), vec![0]), (begin, vec![1, 2])];
        assert_eq!(offsets(&[a, b, c], Fixed::Products), Some(expected));
    }

    #[test]
    fn whole_rows_are_no_beginning() {
        let (n, i, j) = (param(0), dim(0), dim(1));
        let a = touch(&[&[&i, &n], &[&j]]);
        let below = touch(&[&[&i, &n], &[&n], &[&j]]);
        let vector = touch(&[&[&n, &n], &[&j]]);
        assert_eq!(offsets(&[a, below, vector], Fixed::Params), None);
    }

    #[test]
    fn vectors_behind_a_matrix_are_its_rows() {
        let (n, m, i, j) = (param(0), param(1), dim(0), dim(1));
        let a = touch(&[&[&i, &m], &[&j]]);
        let x = touch(&[&[&n, &m], &[&j]]);
        assert_eq!(offsets(&[a, x], Fixed::Products), None);
    }

    #[test]
    fn a_single_parameter_is_a_subscript_or_a_beginning() {
        let (n, m, i, j) = (param(0), param(1), dim(0), dim(1));
        let x = touch(&[&[&j]]);
        let a = touch(&[&[&n], &[&i, &m], &[&j]]);
        assert_eq!(offsets(&[x.clone(), a.clone()], Fixed::Products), None);
        let expected = vec![(touch(&[&[&n]]).offset, vec![1]), (Poly::default(), vec![0])];
        let mut found = offsets(&[x, a], Fixed::Params).unwrap();
        found.sort_by_key(|(_, touches)| std::cmp::Reverse(touches.clone()));
        assert_eq!(found, expected);
    }

    #[test]
    fn accesses_without_rows_have_none() {
        let (n, m, i) = (param(0), param(1), dim(0));
        let x = touch(&[&[&n, &m], &[&i]]);
        assert_eq!(offsets(&[x], Fixed::Products), None);
    }
}
