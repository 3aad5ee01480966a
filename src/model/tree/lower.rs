//! Trees without extension and expansion nodes: what such nodes mean.
//!
//! An extension node at k outer band members adds the instances of `{ [t0, .., tk-1] -> Stmt<n>[..] }`. The same tree
//! without it: the instances are in the root domain, every filter on the way lists them, and outer member j has the
//! value `t_j`, a function of the instance. An expansion node `{ Stmt<m>[..] -> Stmt<n>[..] }` replaces what reaches
//! it. The same tree without it: on the way to the node each domain and filter lists the new instances of its old ones
//! (an old one may have none), and outer members have the value of the old instance, a function of the new one.
//! Source: Grosser, Verdoolaege, Cohen, TOPLAS 37(4), 2015, section 3; Verdoolaege, isl manual, schedule trees.

use super::maps::pieces_of;
use super::ops::Inapplicable;
use super::{Band, Expanded, Node};
use crate::ids::StmtId;
use presburger::{Aff, Budget, Map, PwMultiAff, Set, Space};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The tree with the same order of the same instances that has neither extension nor expansion nodes; `tree` itself
/// where there are none. Exact.
///
/// # Errors
/// Where the node means nothing: an instance is added at two times or comes from two instances, a statement is added
/// that is there already, reaches an expansion but is not expanded, or the map does not fit the outer members. Where
/// times or origins are different functions on different parts, or the budget is spent.
pub fn lowered<'t>(tree: &'t Node, budget: &Budget) -> Result<Cow<'t, Node>, Inapplicable> {
    let mut done = Cow::Borrowed(tree);
    while let Some(path) = first(&done) {
        done = Cow::Owned(without(&done, &path, budget)?);
    }
    Ok(done)
}

/// Path to the first extension or expansion node, parents first.
fn first(node: &Node) -> Option<Vec<usize>> {
    if matches!(node, Node::Extension(..) | Node::Expansion(..)) {
        return Some(Vec::new());
    }
    let below = |(k, child): (usize, &Node)| first(child).map(|rest| [vec![k], rest].concat());
    node.children().iter().enumerate().find_map(below)
}

/// What takes the place of a node.
#[derive(Default)]
struct Change {
    added: BTreeMap<StmtId, Added>,
    /// Statements that are expanded, with what is left of them elsewhere (no entry: nothing).
    left: BTreeMap<StmtId, Option<Set>>,
}

/// A statement that the outer nodes do not list yet.
struct Added {
    /// Its instances.
    instances: Set,
    origin: Origin,
}

/// What tells the time of an added instance; functions over its space.
enum Origin {
    /// The values of the outer members.
    Times(Vec<Aff>),
    /// The instance of this statement.
    Instance(StmtId, Vec<Aff>),
}

fn without(tree: &Node, path: &[usize], budget: &Budget) -> Result<Node, Inapplicable> {
    let mut reach: BTreeMap<StmtId, Set> = BTreeMap::new();
    let mut members = 0;
    let mut node = tree;
    for &step in path {
        match node {
            Node::Domain(sets, _) => reach.clone_from(sets),
            Node::Filter(sets, _) => {
                reach.retain(|id, _| sets.contains_key(id));
                reach.iter_mut().for_each(|(id, set)| *set = set.intersect(&sets[id]));
            }
            Node::Guard(guard, _) => reach.values_mut().for_each(|set| *set = set.intersect_params(guard)),
            Node::Band(band, _) => members += band.members.len(),
            _ => {}
        }
        node = &node.children()[step];
    }
    let Node::Domain(domain, _) = tree else { return Err(refused("the root is not a domain")) };
    let change = match node {
        Node::Extension(maps, _) => added(maps, members, domain, budget)?,
        Node::Expansion(maps, _) => expanded(maps, &reach, domain, budget)?,
        _ => Change::default(),
    };
    rewritten(tree, (path, 0), &change, budget)
}

fn refused(reason: &str) -> Inapplicable {
    Inapplicable(reason.to_owned())
}

fn spent<E>(_: E) -> Inapplicable {
    refused("the step budget was spent on the maps of a node")
}

/// The one function from the range of `map` to its domain.
fn origin_of(id: StmtId, map: &Map, budget: &Budget) -> Result<Vec<Aff>, Inapplicable> {
    let back = map.reverse();
    let pieces = pieces_of(&back, budget).map_err(|e| Inapplicable(format!("{id}: {e}")))?;
    match pieces.as_slice() {
        [] => Ok(vec![Aff::zero(&back.space().domain()); back.space().n_out()]),
        [(_, affs)] => Ok(affs.clone()),
        _ => Err(Inapplicable(format!("{id} comes from different functions on different parts"))),
    }
}

fn added(
    maps: &BTreeMap<StmtId, Map>,
    members: usize,
    domain: &BTreeMap<StmtId, Set>,
    budget: &Budget,
) -> Result<Change, Inapplicable> {
    let mut change = Change::default();
    for (&id, map) in maps {
        if domain.contains_key(&id) {
            return Err(Inapplicable(format!("{id} is added but has instances already")));
        }
        if map.space().n_in() != members {
            return Err(Inapplicable(format!(
                "{id} is added at {} values below {members} members",
                map.space().n_in()
            )));
        }
        let origin = Origin::Times(origin_of(id, map, budget)?);
        change.added.insert(id, Added { instances: map.range(budget).map_err(spent)?, origin });
    }
    Ok(change)
}

fn expanded(
    maps: &BTreeMap<StmtId, Expanded>,
    reach: &BTreeMap<StmtId, Set>,
    domain: &BTreeMap<StmtId, Set>,
    budget: &Budget,
) -> Result<Change, Inapplicable> {
    let mut change = Change::default();
    for (id, set) in reach {
        if maps.values().all(|e| e.from != *id) {
            return Err(Inapplicable(format!("{id} reaches an expansion that does not list it")));
        }
        let left = domain[id].subtract(set, budget).map_err(spent)?;
        let is_gone = left.is_empty(budget).map_err(spent)?;
        change.left.insert(*id, (!is_gone).then_some(left));
    }
    for (&id, e) in maps {
        let Some(set) = reach.get(&e.from) else { continue };
        if domain.contains_key(&id) {
            return Err(Inapplicable(format!("{id} is made by an expansion but has instances already")));
        }
        let map = e.map.intersect_domain(set);
        let origin = Origin::Instance(e.from, origin_of(id, &map, budget)?);
        change.added.insert(id, Added { instances: map.range(budget).map_err(spent)?, origin });
    }
    Ok(change)
}

/// The tree with the nodes on the path changed and the one at its end left out; `members` counts the outer ones.
fn rewritten(
    node: &Node,
    (path, members): (&[usize], usize),
    change: &Change,
    budget: &Budget,
) -> Result<Node, Inapplicable> {
    let Some((&step, rest)) = path.split_first() else { return Ok(node.children()[0].clone()) };
    let inner = if let Node::Band(band, _) = node { members + band.members.len() } else { members };
    let below = rewritten(&node.children()[step], (rest, inner), change, budget)?;
    let one = |below: Node| Box::new(below);
    Ok(match node {
        Node::Domain(sets, _) => Node::Domain(change.domain(sets), one(below)),
        Node::Filter(sets, _) => Node::Filter(change.filter(sets, budget)?, one(below)),
        Node::Band(band, _) => Node::Band(change.band(band, members)?, one(below)),
        Node::Context(set, _) => Node::Context(set.clone(), one(below)),
        Node::Guard(set, _) => Node::Guard(set.clone(), one(below)),
        Node::Mark(mark, _) => Node::Mark(mark.clone(), one(below)),
        Node::Sequence(children) => Node::Sequence(with_child(children, step, below)),
        Node::Set(children) => Node::Set(with_child(children, step, below)),
        Node::Extension(..) | Node::Expansion(..) | Node::Leaf => return Err(refused("the path leads nowhere")),
    })
}

fn with_child(children: &[Node], at: usize, child: Node) -> Vec<Node> {
    let mut all = children.to_vec();
    all[at] = child;
    all
}

impl Change {
    fn domain(&self, sets: &BTreeMap<StmtId, Set>) -> BTreeMap<StmtId, Set> {
        let mut all = sets.clone();
        for (id, left) in &self.left {
            match left {
                Some(set) => all.insert(*id, set.clone()),
                None => all.remove(id),
            };
        }
        all.extend(self.added.iter().map(|(id, a)| (*id, a.instances.clone())));
        all
    }

    fn filter(&self, sets: &BTreeMap<StmtId, Set>, budget: &Budget) -> Result<BTreeMap<StmtId, Set>, Inapplicable> {
        let mut all = sets.clone();
        for (&id, a) in &self.added {
            let space = a.instances.space();
            let listed = match &a.origin {
                Origin::Times(_) => Set::universe(space.clone()),
                Origin::Instance(from, _) if sets[from].is_plain_universe() => Set::universe(space.clone()),
                Origin::Instance(from, affs) => {
                    let function = PwMultiAff::from_affs(space, affs, sets[from].space().output.name_str());
                    function.preimage(&sets[from], budget).map_err(spent)?
                }
            };
            all.insert(id, listed);
        }
        all.retain(|id, _| self.left.get(id).is_none_or(Option::is_some));
        Ok(all)
    }

    /// The band with a value for each added statement; its first member is outer member `first`.
    fn band(&self, band: &Band, first: usize) -> Result<Band, Inapplicable> {
        let mut band = band.clone();
        for (member, at) in band.members.iter_mut().zip(first..) {
            for (&id, a) in &self.added {
                let space: &Space = a.instances.space();
                let value = match &a.origin {
                    Origin::Times(times) => times[at].clone(),
                    Origin::Instance(from, affs) => {
                        let own = member.affs.get(from);
                        own.ok_or_else(|| Inapplicable(format!("a band has no value for {from}")))?
                            .pullback(space, affs)
                    }
                };
                member.affs.insert(id, value);
                if matches!(&a.origin, Origin::Instance(from, _) if member.alone.contains(from)) {
                    member.alone.push(id);
                }
            }
            let is_gone = |id: &StmtId| self.left.get(id).is_some_and(Option::is_none);
            member.affs.retain(|id, _| !is_gone(id));
            member.alone.retain(|id| !is_gone(id));
        }
        Ok(band)
    }
}
