//! Schedule trees from schedules given per statement, and back.
//!
//! Forms (Kelly, Pugh 1995; Girbal et al., IJPP 34(3), 2006; example in all of them: `tests`):
//! Kelly: statement positions only where needed, `S2[i, j] -> [1, i, 0, j]`;
//! 2d+1: positions and loop values alternate, position first and last, `S2[i, j] -> [1, i, 0, j, 0]`;
//! union map: all statements padded with zeros to one length, so that times compare lexicographically.

use super::{AstOption, Band, Member, Node};
use crate::ids::StmtId;
use presburger::{Aff, Set};
use std::collections::BTreeMap;

/// A statement with its time vector: integers and quasi-affine functions of its dims.
#[derive(Clone, Debug)]
pub struct Timed {
    /// The statement.
    pub id: StmtId,
    /// `[params] -> { Stmt<n>[..] : .. }`.
    pub domain: Set,
    /// Time vector, most significant first; each over the domain's space.
    pub time: Vec<Aff>,
}

/// The tree of statements whose time vectors alternate position, loop value, …, position (2d+1 form) or leave out a
/// trailing position (Kelly form). Positions must be integer constants. One single-member band per loop value; a
/// sequence where positions differ.
///
/// # Errors
/// A message, when a position is not a constant or statements at one position disagree on whether a loop follows.
pub fn from_2d1(stmts: &[Timed]) -> Result<Node, String> {
    let all: Vec<&Timed> = stmts.iter().collect();
    Ok(with_domain(stmts, positions(&all, 0, Level::Alternating)?))
}

/// The tree of statements whose time vectors all have one length (union-map form). A component that is constant in
/// every statement that shares the earlier components orders them; any other component is a loop.
///
/// # Errors
/// A message, when lengths differ, or when two statements share their whole time vectors.
pub fn from_union_map(stmts: &[Timed]) -> Result<Node, String> {
    let length = stmts.first().map_or(0, |s| s.time.len());
    if stmts.iter().any(|s| s.time.len() != length) {
        return Err("time vectors have different lengths".to_owned());
    }
    let all: Vec<&Timed> = stmts.iter().collect();
    Ok(with_domain(stmts, positions(&all, 0, Level::Any)?))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Alternating,
    Any,
}

fn with_domain(stmts: &[Timed], child: Node) -> Node {
    let domain = stmts.iter().map(|s| (s.id, s.domain.clone())).collect();
    Node::Domain(domain, Box::new(child))
}

/// The integer that `aff` is, if it is one.
#[must_use]
pub fn constant_of(aff: &Aff) -> Option<i64> {
    let row = aff.row();
    let (value, rest) = row.split_last()?;
    rest.iter().all(|k| *k == 0).then_some(*value)
}

fn positions(stmts: &[&Timed], at: usize, level: Level) -> Result<Node, String> {
    if stmts.iter().all(|s| s.time.len() <= at) {
        return one_statement(stmts);
    }
    let mut groups: BTreeMap<i64, Vec<&Timed>> = BTreeMap::new();
    for s in stmts {
        let position = match s.time.get(at) {
            None => Some(0),
            Some(aff) => constant_of(aff),
        };
        match position {
            Some(p) => groups.entry(p).or_default().push(s),
            None if level == Level::Any => return loop_over(stmts, at, level),
            None => return Err(format!("component {at} of the schedule of {} is not a constant", s.id)),
        }
    }
    let below = |group: &[&Timed]| {
        if level == Level::Any { positions(group, at + 1, level) } else { loop_over(group, at + 1, level) }
    };
    if groups.len() == 1 {
        return below(stmts);
    }
    let child = |group: &Vec<&Timed>| Ok(filter_of(group, below(group)?));
    Ok(Node::Sequence(groups.values().map(child).collect::<Result<_, String>>()?))
}

fn loop_over(stmts: &[&Timed], at: usize, level: Level) -> Result<Node, String> {
    if stmts.iter().all(|s| s.time.len() <= at) {
        return one_statement(stmts);
    }
    let mut affs = BTreeMap::new();
    for s in stmts {
        let Some(aff) = s.time.get(at) else {
            return Err(format!("{} and {} share a position, but only one has a loop there", s.id, stmts[0].id));
        };
        affs.insert(s.id, aff.clone());
    }
    let member = Member::new(affs);
    let child = positions(stmts, at + 1, level)?;
    Ok(Node::Band(Band { members: vec![member], permutable: false }, Box::new(child)))
}

fn one_statement(stmts: &[&Timed]) -> Result<Node, String> {
    match stmts {
        [] | [_] => Ok(Node::Leaf),
        [a, b, ..] => Err(format!("{} and {} have the same schedule", a.id, b.id)),
    }
}

fn filter_of(stmts: &[&Timed], child: Node) -> Node {
    let sets = stmts.iter().map(|s| (s.id, Set::universe(s.domain.space().clone()))).collect();
    Node::Filter(sets, Box::new(child))
}

/// The 2d+1 form of a tree made of a domain, single-member bands and sequences of whole statements; `None` for any
/// other tree, and for one whose bands carry marks of a scheduler (permutable, coincident, code generation options).
#[must_use]
pub fn to_2d1(root: &Node) -> Option<BTreeMap<StmtId, Vec<Aff>>> {
    let Node::Domain(domain, child) = root else { return None };
    let times = domain.iter().map(|(&id, set)| (id, (set, Vec::new()))).collect();
    let mut done = BTreeMap::new();
    position_of(child, times, &mut done)?;
    Some(done)
}

type Open<'a> = BTreeMap<StmtId, (&'a Set, Vec<Aff>)>;
type Done = BTreeMap<StmtId, Vec<Aff>>;

fn push_constant(times: &mut Open<'_>, value: i64) {
    for (set, time) in times.values_mut() {
        time.push(Aff::constant(set.space(), value));
    }
}

fn position_of(node: &Node, mut times: Open<'_>, done: &mut Done) -> Option<()> {
    let Node::Sequence(children) = node else {
        push_constant(&mut times, 0);
        return loop_of(node, times, done);
    };
    for (child, at) in children.iter().zip(0_i64..) {
        let Node::Filter(sets, below) = child else { return None };
        let mut here = Open::new();
        for (id, set) in sets {
            if !set.is_plain_universe() {
                return None;
            }
            here.extend(times.remove_entry(id));
        }
        push_constant(&mut here, at);
        loop_of(below, here, done)?;
    }
    times.is_empty().then_some(())
}

fn loop_of(node: &Node, mut times: Open<'_>, done: &mut Done) -> Option<()> {
    match node {
        Node::Leaf => {
            done.extend(times.into_iter().map(|(id, (_, time))| (id, time)));
            Some(())
        }
        Node::Band(band, child) if !band.permutable && band.members.len() == 1 => {
            let member = &band.members[0];
            if member.coincident || member.ast != AstOption::Default {
                return None;
            }
            for (id, (_, time)) in &mut times {
                time.push(member.affs.get(id)?.clone());
            }
            position_of(child, times, done)
        }
        _ => None,
    }
}
