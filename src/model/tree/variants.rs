//! Statements whose times or origins are different functions on different parts, as a statement per part: a tree has
//! one function for each.

use super::{Band, Expanded, Member, Node};
use crate::ids::StmtId;
use presburger::{Aff, Budget, Map, Set};
use std::collections::BTreeMap;

/// The parts that statements of a tree have been cut into while it was read.
#[derive(Default)]
pub(super) struct Variants {
    /// What each part is a part of, and the instances of that which it has.
    parts: BTreeMap<StmtId, (StmtId, Set)>,
    /// Statement numbers that are taken.
    taken: u32,
}

impl Variants {
    /// None yet, of statements with smaller numbers than `taken`.
    pub fn beside(taken: u32) -> Self {
        Self { parts: BTreeMap::new(), taken }
    }

    /// The statement that each part is a part of.
    pub fn origins(&self) -> BTreeMap<StmtId, StmtId> {
        self.parts.keys().map(|id| (*id, self.lineage(*id).last().unwrap_or(*id))).collect()
    }

    /// The part, what it is a part of, and so on.
    fn lineage(&self, id: StmtId) -> impl Iterator<Item = StmtId> {
        std::iter::successors(Some(id), |id| self.parts.get(id).map(|(of, _)| *of))
    }

    /// The parts of a statement that are not cut themselves.
    pub fn leaves(&self, id: StmtId) -> Vec<StmtId> {
        let own: Vec<StmtId> = self.parts.iter().filter(|(_, (of, _))| *of == id).map(|(part, _)| *part).collect();
        if own.is_empty() { vec![id] } else { own.into_iter().flat_map(|part| self.leaves(part)).collect() }
    }

    /// Cuts all parts of a statement by these sets, which exclude each other; the new parts by set.
    pub fn cut(&mut self, id: StmtId, sets: &[Set]) -> Vec<Vec<StmtId>> {
        let leaves = self.leaves(id);
        let mut new = Vec::with_capacity(sets.len());
        for set in sets {
            let mut own = Vec::with_capacity(leaves.len());
            for leaf in &leaves {
                let part = StmtId(self.taken);
                self.taken += 1;
                self.parts.insert(part, (*leaf, set.clone()));
                own.push(part);
            }
            new.push(own);
        }
        new
    }

    /// The tree with the parts in place of what they are parts of.
    pub fn applied(&self, node: Node) -> Node {
        if self.parts.is_empty() {
            return node;
        }
        let below = |child: Box<Node>| Box::new(self.applied(*child));
        match node {
            Node::Domain(sets, child) => {
                let mut sets = self.sets(&sets);
                // Of parts only: what has no instances needs no time.
                sets.retain(|id, set| !self.parts.contains_key(id) || set.is_empty(&Budget::unlimited()) != Ok(true));
                Node::Domain(sets, below(child))
            }
            Node::Filter(sets, child) => Node::Filter(self.sets(&sets), below(child)),
            Node::Band(band, child) => {
                let members = band.members.into_iter().map(|m| self.member(m)).collect();
                Node::Band(Band { members, permutable: band.permutable }, below(child))
            }
            Node::Extension(maps, child) => {
                Node::Extension(self.each(&maps, |map: &Map, set| map.intersect_range(set)), below(child))
            }
            Node::Expansion(maps, child) => {
                let of = |e: &Expanded, set: &Set| Expanded { from: e.from, map: e.map.intersect_range(set) };
                Node::Expansion(self.each(&maps, of), below(child))
            }
            other => other.map_children(&mut |child| self.applied(child)),
        }
    }

    fn sets(&self, sets: &BTreeMap<StmtId, Set>) -> BTreeMap<StmtId, Set> {
        self.each(sets, |own: &Set, set| own.intersect(set))
    }

    /// What is known of statements, for their parts.
    fn each<V: Clone>(&self, all: &BTreeMap<StmtId, V>, within: impl Fn(&V, &Set) -> V) -> BTreeMap<StmtId, V> {
        let mut out = BTreeMap::new();
        for (id, value) in all {
            for leaf in self.leaves(*id) {
                let mut own = value.clone();
                for part in self.lineage(leaf).take_while(|part| part != id) {
                    own = within(&own, &self.parts[&part].1);
                }
                out.insert(leaf, own);
            }
        }
        out
    }

    /// The member with a value for each part: its own, or that of what it is a part of.
    fn member(&self, mut member: Member) -> Member {
        let mut affs: BTreeMap<StmtId, Aff> = BTreeMap::new();
        for id in member.affs.keys() {
            for leaf in self.leaves(*id) {
                if let Some(aff) = self.lineage(leaf).find_map(|part| member.affs.get(&part)) {
                    affs.insert(leaf, aff.clone());
                }
            }
        }
        member.affs = affs;
        member.alone = member.alone.iter().flat_map(|id| self.leaves(*id)).collect();
        member
    }
}
