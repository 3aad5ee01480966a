//! A nest with its scalars in small arrays, over loops cut into strips.
//!
//! In: a program in which scalars that share an element are one, and which loops are cut. Out: the same program over
//! dims `[strips | loops]`, in the same order: `i` is `first + size * strip + i'` with `0 <= i' < size`, and a scalar's
//! element is at the `i'` of the cut loops that it has elements for. An array has a copy for each such `i'`.

use crate::deps::compute::limit;
use crate::error::Failure;
use crate::ids::{ArrayId, StmtId};
use crate::model::tree::Node;
use crate::model::{Access, Array, ArrayKind, Lifetime, ParamPoly, Reduction, Scop, Size, Stmt, StmtBody, Strip};
use crate::storage::footprint::ElementBox;
use presburger::{Aff, Budget, Kind, Map, PwMultiAff, Set, Space};
use std::collections::{BTreeMap, BTreeSet};

/// An outer loop that is cut into strips.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Position among the loops of the nest.
    pub at: usize,
    /// Value of the dim where the first strip begins, if that is known; else 0.
    pub first: i64,
    /// Iterations of a strip.
    pub size: i64,
}

/// What has elements for each iteration of a strip.
#[derive(Clone, Debug)]
pub(super) struct Expanded {
    /// Outer loops, of which those that are cut count.
    pub depth: usize,
    /// First and last subscript of what each iteration has: empty for a scalar.
    pub elements: ElementBox,
}

/// How the dims of a statement become others.
struct Dims {
    space: Space,
    /// Each old dim by the new ones.
    affs: Vec<Aff>,
}

/// What takes the place of a scalar or an array.
struct Made {
    array: ArrayId,
    /// Cut loops that it has elements for.
    own: Vec<usize>,
    /// First subscripts of what it takes the place of.
    first: Vec<i64>,
}

/// The program with these scalars and arrays of a nest in other arrays: with elements for each iteration of a strip of
/// those cut loops that are among as many outer ones as each is to have elements for.
///
/// # Errors
/// `Limit` when the budget is spent or a coefficient leaves i64.
pub(super) fn expanded(
    scop: &Scop,
    nest: &BTreeSet<StmtId>,
    cuts: &[Cut],
    of: &BTreeMap<ArrayId, Expanded>,
    budget: &Budget,
) -> Result<Scop, Failure> {
    let mut result = scop.clone();
    let mut made: BTreeMap<ArrayId, Made> = BTreeMap::new();
    for (&old, Expanded { depth, elements: ElementBox(ends) }) in of {
        let own: Vec<usize> = (0..cuts.len()).filter(|c| cuts[*c].at < *depth).collect();
        let sizes: Vec<i64> =
            own.iter().map(|c| cuts[*c].size).chain(ends.iter().map(|(low, high)| high - low + 1)).collect();
        let first = ends.iter().map(|(low, _)| *low).collect();
        made.insert(old, Made { array: ArrayId::new(result.arrays.len()), own, first });
        result.arrays.push(array(scop.array(old), &sizes));
    }
    let mut dims = BTreeMap::new();
    for id in nest {
        let stmt = scop.stmt(*id);
        let of = of_statement(scop, stmt, cuts);
        result.stmts[id.index()] = cut(stmt, &of, cuts, &made, budget)?;
        dims.insert(*id, of);
    }
    let tree = std::mem::replace(&mut result.schedule, Node::Leaf);
    result.schedule = over(tree, &dims, &result.stmts, budget)?;
    Ok(result)
}

/// Room for a scalar or an array in each iteration of a strip.
fn array(old: &Array, sizes: &[i64]) -> Array {
    let bytes = i64::from(old.elem_bytes);
    let stride = |k: usize| ParamPoly::constant(bytes * sizes[k + 1..].iter().product::<i64>());
    Array {
        kind: ArrayKind::Made { lifetime: Lifetime::Region },
        sizes: sizes.iter().map(|s| Size::Const(*s)).collect(),
        strides: (0..sizes.len()).map(stride).collect(),
        offset: ParamPoly::default(),
        ..old.clone()
    }
}

fn of_statement(scop: &Scop, stmt: &Stmt, cuts: &[Cut]) -> Dims {
    let space = Space::set(&scop.param_names(), &stmt.id.to_string(), cuts.len() + stmt.dims());
    let value = |k: usize| {
        let inside = Aff::dim(&space, cuts.len() + k);
        match cuts.iter().position(|c| c.at == k) {
            Some(at) => inside.add(&Aff::dim(&space, at).scale(cuts[at].size)).add_constant(cuts[at].first),
            None => inside,
        }
    };
    let affs = (0..stmt.dims()).map(value).collect();
    Dims { space, affs }
}

/// The points of the new dims that stand for points of `set`.
fn moved(set: &Set, dims: &Dims, budget: &Budget) -> Result<Set, Failure> {
    if set.is_plain_universe() {
        return Ok(Set::universe(dims.space.clone()));
    }
    let to = PwMultiAff::from_affs(&dims.space, &dims.affs, set.space().output.name_str());
    to.preimage(set, budget).map_err(limit)
}

fn cut(
    stmt: &Stmt,
    dims: &Dims,
    cuts: &[Cut],
    made: &BTreeMap<ArrayId, Made>,
    budget: &Budget,
) -> Result<Stmt, Failure> {
    let params = dims.space.n_param();
    let mut domain = moved(&stmt.domain, dims, budget)?;
    for cut in cuts {
        let mut row = vec![0; params + dims.space.n_out() + 1];
        let (own, last) = (params + cuts.len() + cut.at, row.len() - 1);
        row[own] = 1;
        domain = domain.add(Kind::Ge, &row);
        (row[own], row[last]) = (-1, cut.size - 1);
        domain = domain.add(Kind::Ge, &row);
    }
    let mut accesses = Vec::with_capacity(stmt.accesses.len());
    for access in &stmt.accesses {
        let moved = relation(access, dims, budget)?;
        accesses.push(match made.get(&access.array) {
            Some(made) => to_made(&Access { relation: moved, ..access.clone() }, (dims, cuts), made)?,
            None => Access { relation: moved, ..access.clone() },
        });
    }
    let reduction = stmt.reduction.clone().map(|r| Reduction { array: accesses[r.write].array, ..r });
    let mut body = stmt.body.clone();
    if let StmtBody::Original(code) = &mut body {
        for (dim, Cut { at, first, size }) in cuts.iter().enumerate() {
            code.loops[*at].strip = Some(Strip { dim, first: *first, size: *size });
        }
    }
    Ok(Stmt { domain: domain.simplify(budget).map_err(limit)?, accesses, reduction, body, ..stmt.clone() })
}

/// An access, whose relation is over the new dims, to what takes the place of what it touched.
fn to_made(access: &Access, (dims, cuts): (&Dims, &[Cut]), made: &Made) -> Result<Access, Failure> {
    let old = access.subscripts().ok_or_else(|| Failure::Bug("an expanded array without subscripts".to_owned()))?;
    let inside = made.own.iter().map(|c| Aff::dim(&dims.space, cuts.len() + cuts[*c].at));
    let counted = |(row, first): (&Vec<i64>, &i64)| Aff::from_row(&dims.space, row).add_constant(-first);
    let subscripts: Vec<Aff> = inside.chain(old.iter().zip(&made.first).map(counted)).collect();
    let relation = Map::from_affs_over(&dims.space, &subscripts, &made.array.to_string());
    // What an array holds is no scalar's value.
    let carries = if old.is_empty() { access.carries.or(Some(access.array)) } else { access.carries };
    Ok(Access { array: made.array, relation, carries, ..access.clone() })
}

/// What an access touches, over the new dims.
fn relation(access: &Access, dims: &Dims, budget: &Budget) -> Result<Map, Failure> {
    let array = access.array.to_string();
    let Some(rows) = access.subscripts() else {
        let to = Map::from_affs_over(&dims.space, &dims.affs, access.relation.space().domain().output.name_str());
        return to.apply_range(&access.relation, budget).map_err(limit);
    };
    let old = access.relation.space().domain();
    let affs: Vec<Aff> = rows.iter().map(|r| Aff::from_row(&old, r).pullback(&dims.space, &dims.affs)).collect();
    Ok(Map::from_affs_over(&dims.space, &affs, &array))
}

/// The tree over the new dims of some statements.
fn over(node: Node, dims: &BTreeMap<StmtId, Dims>, stmts: &[Stmt], budget: &Budget) -> Result<Node, Failure> {
    let mut failure = None;
    let mut node = node.map_children(&mut |child| {
        over(child, dims, stmts, budget).unwrap_or_else(|f| {
            failure = Some(f);
            Node::Leaf
        })
    });
    if let Some(failure) = failure {
        return Err(failure);
    }
    match &mut node {
        Node::Domain(sets, _) => {
            for id in dims.keys() {
                sets.insert(*id, stmts[id.index()].domain.clone());
            }
        }
        Node::Filter(sets, _) => {
            for (id, set) in sets.iter_mut() {
                if let Some(of) = dims.get(id) {
                    *set = moved(set, of, budget)?;
                }
            }
        }
        Node::Band(band, _) => {
            for (id, aff) in band.members.iter_mut().flat_map(|m| m.affs.iter_mut()) {
                if let Some(of) = dims.get(id) {
                    *aff = aff.pullback(&of.space, &of.affs);
                }
            }
        }
        _ => {}
    }
    Ok(node)
}
