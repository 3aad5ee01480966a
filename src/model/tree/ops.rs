//! Operations on schedule trees.
//!
//! Each takes the subtree it works on and returns the new one; [`at`] applies one somewhere in a tree. None of them
//! proves anything: each says when its result is legal if its input is, and `proof` decides the rest.
//! Source: Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015, section 3; Verdoolaege et al., IMPACT 2014.

use super::{AstOption, Band, Expanded, Mark, Member, Node, Role};
use crate::ids::StmtId;
use presburger::{Aff, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

/// Why an operation does not apply: a sentence for a developer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inapplicable(pub String);

impl std::fmt::Display for Inapplicable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Inapplicable {}

type Applied = Result<Node, Inapplicable>;

fn no(reason: impl Into<String>) -> Applied {
    Err(Inapplicable(reason.into()))
}

/// Replaces the subtree at `path` (child number at each step from the root) by what `op` makes of it.
///
/// # Errors
/// The path leads nowhere, or the operation does not apply.
pub fn at(tree: Node, path: &[usize], op: &dyn Fn(Node) -> Applied) -> Applied {
    let Some((&step, rest)) = path.split_first() else { return op(tree) };
    let below = |child: Box<Node>| -> Result<Box<Node>, Inapplicable> {
        if step == 0 {
            Ok(Box::new(at(*child, rest, op)?))
        } else {
            Err(Inapplicable(format!("there is no child {step}")))
        }
    };
    Ok(match tree {
        Node::Domain(sets, child) => Node::Domain(sets, below(child)?),
        Node::Context(set, child) => Node::Context(set, below(child)?),
        Node::Band(band, child) => Node::Band(band, below(child)?),
        Node::Filter(sets, child) => Node::Filter(sets, below(child)?),
        Node::Guard(set, child) => Node::Guard(set, below(child)?),
        Node::Mark(mark, child) => Node::Mark(mark, below(child)?),
        Node::Extension(maps, child) => Node::Extension(maps, below(child)?),
        Node::Expansion(maps, child) => Node::Expansion(maps, below(child)?),
        Node::Sequence(children) => Node::Sequence(at_child(children, step, rest, op)?),
        Node::Set(children) => Node::Set(at_child(children, step, rest, op)?),
        Node::Leaf => return no("a leaf has no children"),
    })
}

fn at_child(
    mut children: Vec<Node>,
    step: usize,
    rest: &[usize],
    op: &dyn Fn(Node) -> Applied,
) -> Result<Vec<Node>, Inapplicable> {
    let Some(child) = children.get_mut(step) else { return Err(Inapplicable(format!("there is no child {step}"))) };
    *child = at(std::mem::replace(child, Node::Leaf), rest, op)?;
    Ok(children)
}

/// Puts parameter constraints above the subtree. Legal when they hold there.
#[must_use]
pub fn insert_context(tree: Node, context: Set) -> Node {
    Node::Context(context, Box::new(tree))
}

/// Puts a filter above the subtree. Legal when it lists every instance that reaches it.
#[must_use]
pub fn insert_filter(tree: Node, sets: BTreeMap<StmtId, Set>) -> Node {
    Node::Filter(sets, Box::new(tree))
}

/// Lets the subtree run only for the parameter values in `guard`. Legal when they are all that an instance reaches it
/// for.
#[must_use]
pub fn insert_guard(tree: Node, guard: Set) -> Node {
    Node::Guard(guard, Box::new(tree))
}

/// Adds instances that run in the subtree, `{ [values of the outer band members] -> Stmt<n>[..] }` by statement; the
/// subtree has a place for them. Legal when nothing outside lists their statements, each instance is added for one
/// vector of values, and they write only arrays that no statement of the original order touches.
#[must_use]
pub fn insert_extension(tree: Node, maps: BTreeMap<StmtId, Map>) -> Node {
    Node::Extension(maps, Box::new(tree))
}

/// The subtree runs what the instances that reach it stand for. Legal when every statement that reaches it is expanded,
/// each new instance comes from one old one, and the order of the new instances is legal.
#[must_use]
pub fn insert_expansion(tree: Node, maps: BTreeMap<StmtId, Expanded>) -> Node {
    Node::Expansion(maps, Box::new(tree))
}

/// Puts a note above the subtree. Always legal.
#[must_use]
pub fn insert_mark(tree: Node, mark: Mark) -> Node {
    Node::Mark(mark, Box::new(tree))
}

/// Replaces the members of a band: new member r is the sum over k of `matrix[r][k]` times member k, plus `shift[r]`. An
/// invertible matrix keeps instances apart; whether the order stays legal is to be checked. Nothing is said to be
/// permutable or coincident in the new band and below.
///
/// # Errors
/// Not a band, or the matrix does not fit it.
pub fn change_band(tree: Node, matrix: &[Vec<i64>], shift: &[i64]) -> Applied {
    let Node::Band(band, child) = tree else { return no("only a band has members") };
    let width = band.members.len();
    if matrix.len() != shift.len() || matrix.iter().any(|row| row.len() != width) {
        return no(format!("the matrix must have {width} columns and as many rows as the shift has entries"));
    }
    let member = |(row, constant): (&Vec<i64>, &i64)| {
        let value = |(&id, first): (&StmtId, &Aff)| {
            let start = Aff::constant(first.space(), *constant);
            let terms = row.iter().zip(&band.members).filter(|(k, _)| **k != 0);
            (id, terms.fold(start, |sum, (k, m)| sum.add(&m.affs[&id].scale(*k))))
        };
        let affs = band.members[0].affs.iter().map(value).collect();
        Member::new(affs)
    };
    let members = matrix.iter().zip(shift).map(member).collect();
    Ok(Node::Band(Band { members, permutable: false }, Box::new(without_flags(*child))))
}

/// The first `outer` members of a band around the others. Always legal; flags and options stay.
///
/// # Errors
/// Not a band, or one side would be empty.
pub fn split(tree: Node, outer: usize) -> Applied {
    let Node::Band(mut band, child) = tree else { return no("only a band can be split") };
    if outer == 0 || outer >= band.members.len() {
        return no(format!("a band of {} members cannot be split at {outer}", band.members.len()));
    }
    let inner = Band { members: band.members.split_off(outer), permutable: band.permutable };
    Ok(Node::Band(band, Box::new(Node::Band(inner, child))))
}

/// A band and the band right below it as one, the reverse of [`split`]. Always legal; the result is not said to be
/// permutable.
///
/// # Errors
/// Not a band right above a band.
pub fn combine(tree: Node) -> Applied {
    let Node::Band(mut outer, child) = tree else { return no("only a band can be combined") };
    let Node::Band(inner, below) = *child else { return no("there is no band right below") };
    outer.members.extend(inner.members);
    outer.permutable = false;
    Ok(Node::Band(outer, below))
}

/// The subtree with no band in it said to be permutable or coincident.
fn without_flags(tree: Node) -> Node {
    let mut tree = tree.map_children(&mut without_flags);
    if let Node::Band(band, _) = &mut tree {
        band.permutable = false;
        band.members.iter_mut().for_each(clear);
    }
    tree
}

fn clear(member: &mut Member) {
    member.coincident = false;
    member.alone.clear();
    member.role = Role::Serial;
}

/// A loop over the tiles of one member of a band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileLoop {
    /// Position of the member in the band.
    pub member: usize,
    /// Values of the member in one tile, at least 1.
    pub size: i64,
    /// See [`Member::coincident`]. Equal tiles do not make earlier members equal: that a member is coincident given
    /// equal values of earlier ones is not enough.
    pub coincident: bool,
    /// See [`Member::alone`].
    pub alone: Vec<StmtId>,
}

/// Loops over `floor(t / size)` of members `t` of a band, outermost first. Permutable where the band is.
///
/// # Errors
/// There is no such member, or a size is below 1.
pub fn tile_loops(points: &Band, loops: &[TileLoop]) -> Result<Band, Inapplicable> {
    let tiled = |tile: &TileLoop| {
        let of = points.members.get(tile.member).filter(|_| tile.size >= 1);
        let of = of.ok_or_else(|| Inapplicable("tiles need a member of the band and a positive size".to_owned()))?;
        let affs = of.affs.iter().map(|(id, aff)| (*id, aff.floor_div(tile.size))).collect();
        Ok(Member { coincident: tile.coincident, alone: tile.alone.clone(), ..Member::new(affs) })
    };
    Ok(Band { members: loops.iter().map(tiled).collect::<Result<_, _>>()?, permutable: points.permutable })
}

/// Tile loops `floor(t / size)` around point loops `t`, one of each per member. Legal when the band is permutable. The
/// point loops keep flags and options; a tile loop is coincident when its member and all earlier ones are.
///
/// # Errors
/// Not a band, or sizes that do not fit it or are below 1.
pub fn tile(tree: Node, sizes: &[i64]) -> Applied {
    let Node::Band(points, child) = tree else { return no("only a band can be tiled") };
    if sizes.len() != points.members.len() {
        return no(format!("a band of {} members needs as many tile sizes", points.members.len()));
    }
    let tiles = tile_loops(&points, &by_flags(&points, sizes))?;
    Ok(Node::Band(tiles, Box::new(Node::Band(points, child))))
}

/// A tile loop of each member, as the members' flags say.
#[must_use]
pub fn by_flags(points: &Band, sizes: &[i64]) -> Vec<TileLoop> {
    let tiled = |(member, &size): (usize, &i64)| {
        let outer = &points.members[..=member];
        let is_alone = |id: &StmtId| outer.iter().all(|m| m.coincident || m.alone.contains(id));
        let alone = outer[member].affs.keys().copied().filter(is_alone).collect();
        TileLoop { member, size, coincident: outer.iter().all(|m| m.coincident), alone }
    };
    sizes.iter().enumerate().take(points.members.len()).map(tiled).collect()
}

/// The band restricted to some statements.
fn restricted(band: &Band, stmts: &BTreeSet<StmtId>) -> Band {
    let only = |m: &Member| Member {
        affs: m.affs.iter().filter(|(id, _)| stmts.contains(id)).map(|(id, aff)| (*id, aff.clone())).collect(),
        coincident: m.coincident,
        alone: m.alone.iter().copied().filter(|id| stmts.contains(id)).collect(),
        ast: m.ast,
        isolated: m.isolated,
        by_stmt: m.by_stmt.clone(),
        role: m.role.clone(),
    };
    Band { members: band.members.iter().map(only).collect(), permutable: band.permutable }
}

/// Loops around a sequence (or set) become a sequence of loops, one per child. Legal when no dependence goes from an
/// instance of a later child to one of an earlier child in a later iteration.
///
/// # Errors
/// Not a band right above a sequence or set of filters.
pub fn distribute(tree: Node) -> Applied {
    let Node::Band(band, child) = tree else { return no("only a band can be distributed") };
    let loops = |children: Vec<Node>| -> Result<Vec<Node>, Inapplicable> {
        let one = |child: Node| {
            let Node::Filter(sets, below) = child else { return no("a child is not a filter") };
            let band = restricted(&band, &sets.keys().copied().collect());
            Ok(Node::Filter(sets, Box::new(Node::Band(band, below))))
        };
        children.into_iter().map(one).collect()
    };
    match *child {
        Node::Sequence(children) => Ok(Node::Sequence(loops(children)?)),
        Node::Set(children) => Ok(Node::Set(loops(children)?)),
        _ => no("there is no sequence right below"),
    }
}

/// A sequence (or set) of loops becomes loops around a sequence, the reverse of [`distribute`]; shift a child's members
/// first to align iterations. Legal when no dependence goes to an earlier iteration of another child. A statement may
/// be in one child only.
///
/// # Errors
/// Not a sequence or set of filters right above bands with one number of members, or a statement in several children.
pub fn fuse(tree: Node) -> Applied {
    let (children, is_set) = match tree {
        Node::Sequence(children) => (children, false),
        Node::Set(children) => (children, true),
        _ => return no("only a sequence or set can be fused"),
    };
    let mut fused: Option<Band> = None;
    let mut below = Vec::with_capacity(children.len());
    for child in children {
        let Node::Filter(sets, inner) = child else { return no("a child is not a filter") };
        let Node::Band(band, rest) = *inner else { return no("a child has no loops of its own") };
        below.push(Node::Filter(sets, rest));
        let Some(all) = &mut fused else {
            fused = Some(Band { permutable: false, ..band });
            continue;
        };
        if all.members.len() != band.members.len() {
            return no("the children have different numbers of loops");
        }
        for (member, more) in all.members.iter_mut().zip(band.members) {
            if more.affs.keys().any(|id| member.affs.contains_key(id)) {
                return no("a statement is in several children");
            }
            member.affs.extend(more.affs);
            member.ast = AstOption::Default;
        }
    }
    let Some(mut band) = fused else { return no("there is nothing to fuse") };
    band.members.iter_mut().for_each(clear);
    Ok(Node::Band(band, Box::new(if is_set { Node::Set(below) } else { Node::Sequence(below) })))
}

/// Moves a band below everything under it, to the leaves: its loops become innermost. Legal when the band and every
/// band below it are one permutable whole, and nothing is added or expanded below. What is said of the bands that move
/// outwards is dropped.
///
/// # Errors
/// Not a band.
pub fn sink(tree: Node) -> Applied {
    let Node::Band(band, child) = tree else { return no("only a band can be sunk") };
    let Some(first) = band.members.first() else { return no("the band is empty") };
    let stmts = first.affs.keys().copied().collect();
    Ok(sunk(without_flags(*child), &band, &stmts))
}

fn sunk(tree: Node, band: &Band, stmts: &BTreeSet<StmtId>) -> Node {
    match tree {
        Node::Leaf => Node::Band(restricted(band, stmts), Box::new(Node::Leaf)),
        Node::Filter(sets, child) => {
            let kept = sets.keys().copied().filter(|id| stmts.contains(id)).collect();
            Node::Filter(sets, Box::new(sunk(*child, band, &kept)))
        }
        other => other.map_children(&mut |child| sunk(child, band, stmts)),
    }
}

/// Puts the children of a sequence in another order: new child k is old child `order[k]`. Legal when no dependence goes
/// from one child to another that now comes first. A set may be reordered freely.
///
/// # Errors
/// Not a sequence or set, or `order` does not list each child once.
pub fn reorder(tree: Node, order: &[usize]) -> Applied {
    let permuted = |children: Vec<Node>| -> Result<Vec<Node>, Inapplicable> {
        let mut slots: Vec<Option<Node>> = children.into_iter().map(Some).collect();
        if order.len() != slots.len() {
            return Err(Inapplicable(format!("there are {} children", slots.len())));
        }
        let mut take = |k: &usize| slots.get_mut(*k).and_then(Option::take);
        let all: Option<Vec<Node>> = order.iter().map(&mut take).collect();
        all.ok_or_else(|| Inapplicable("the order must list each child once".to_owned()))
    };
    match tree {
        Node::Sequence(children) => Ok(Node::Sequence(permuted(children)?)),
        Node::Set(children) => Ok(Node::Set(permuted(children)?)),
        _ => no("only a sequence or set can be reordered"),
    }
}
