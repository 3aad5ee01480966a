//! Execution order of a region: blocks in topological order, the blocks of each loop in a row.

use crate::error::{Failure, Reject, RejectKind};
use crate::facts::FunctionFacts;
use crate::ids::{BlockId, LoopId};
use crate::scop::Candidate;

/// A block or a loop with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A block.
    Block(BlockId),
    /// A loop.
    Loop(LoopId, Vec<Item>),
}

/// Structure of a region.
pub struct Nest<'a> {
    facts: &'a FunctionFacts,
    /// The region's content in an order in which it may run.
    pub items: Vec<Item>,
    /// All blocks in that order.
    pub order: Vec<BlockId>,
    loops: Vec<Vec<LoopId>>,
    inside: Vec<bool>,
}

impl<'a> Nest<'a> {
    /// The structure of a region.
    ///
    /// # Errors
    /// Control flow with cycles that are no loops.
    pub fn new(facts: &'a FunctionFacts, region: &Candidate) -> Result<Self, Failure> {
        let mut inside = vec![false; facts.blocks.len()];
        for block in &region.blocks {
            inside[block.index()] = true;
        }
        let mut loops = vec![Vec::new(); facts.blocks.len()];
        for block in &region.blocks {
            let mut chain = Vec::new();
            let mut at = facts.block(*block).innermost;
            while let Some(lp) = at.filter(|l| inside[facts.lp(*l).header.index()]) {
                chain.push(lp);
                at = facts.lp(lp).parent;
            }
            chain.reverse();
            loops[block.index()] = chain;
        }
        let mut nest = Self { facts, items: Vec::new(), order: Vec::new(), loops, inside };
        nest.items = nest.level(region.entry, None)?;
        let mut order = Vec::new();
        flatten(&nest.items, &mut order);
        nest.order = order;
        if nest.order.len() != region.blocks.len() {
            return Err(Failure::Bug("a region's block is not reachable from its entry".to_owned()));
        }
        Ok(nest)
    }

    /// Loops of the region around a block, outermost first.
    #[must_use]
    pub fn loops(&self, block: BlockId) -> &[LoopId] {
        &self.loops[block.index()]
    }

    /// True if the block is part of the region.
    #[must_use]
    pub fn contains(&self, block: BlockId) -> bool {
        self.inside[block.index()]
    }

    /// The block itself if `lp` is the innermost loop around it; for a block deeper inside, the header of the loop
    /// directly below `lp`; `None` outside of `lp`.
    fn representative(&self, block: BlockId, lp: Option<LoopId>) -> Option<BlockId> {
        if !self.contains(block) {
            return None;
        }
        let chain = self.loops(block);
        let depth = match lp {
            None => 0,
            Some(l) => chain.iter().position(|c| *c == l)? + 1,
        };
        Some(chain.get(depth).map_or(block, |child| self.facts.lp(*child).header))
    }

    /// The loop that a representative stands for.
    fn child(&self, rep: BlockId, lp: Option<LoopId>) -> Option<LoopId> {
        self.loops(rep).last().copied().filter(|l| Some(*l) != lp)
    }

    fn successors(&self, rep: BlockId, lp: Option<LoopId>) -> Vec<BlockId> {
        let sources = match self.child(rep, lp) {
            Some(child) => self.facts.lp(child).exiting.clone(),
            None => vec![rep],
        };
        let header = lp.map(|l| self.facts.lp(l).header);
        let mut succs = Vec::new();
        for source in sources {
            for succ in &self.facts.block(source).succs {
                if let Some(next) = self.representative(*succ, lp)
                    && next != rep
                    && Some(next) != header
                    && !succs.contains(&next)
                {
                    succs.push(next);
                }
            }
        }
        succs
    }

    /// Content of a loop (or of the region) from `start` on: reverse postorder of the graph with inner loops collapsed.
    fn level(&self, start: BlockId, lp: Option<LoopId>) -> Result<Vec<Item>, Failure> {
        let mut state = vec![0u8; self.facts.blocks.len()];
        let mut postorder = Vec::new();
        let mut stack = vec![(start, self.successors(start, lp))];
        state[start.index()] = 1;
        while let Some((rep, pending)) = stack.last_mut() {
            let rep = *rep;
            match pending.pop() {
                Some(next) if state[next.index()] == 0 => {
                    state[next.index()] = 1;
                    stack.push((next, self.successors(next, lp)));
                }
                Some(next) if state[next.index()] == 1 => {
                    let detail = "cycle that is no loop".to_owned();
                    let loc = self.facts.block(next).insts.first().map(|v| self.facts.value(*v).loc.clone());
                    let kind = RejectKind::UnstructuredControlFlow;
                    return Err(Failure::Reject(Reject::new(kind, detail, loc.unwrap_or_default())));
                }
                Some(_) => {}
                None => {
                    state[rep.index()] = 2;
                    postorder.push(rep);
                    stack.pop();
                }
            }
        }
        postorder.reverse();
        let item = |rep| match self.child(rep, lp) {
            Some(child) => Ok(Item::Loop(child, self.level(rep, Some(child))?)),
            None => Ok(Item::Block(rep)),
        };
        postorder.into_iter().map(item).collect()
    }
}

fn flatten(items: &[Item], order: &mut Vec<BlockId>) {
    for item in items {
        match item {
            Item::Block(block) => order.push(*block),
            Item::Loop(_, inner) => flatten(inner, order),
        }
    }
}
