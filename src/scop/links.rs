//! Walks the structure of a function link by link and tries the longest runs first.

use super::causes::{call_behind, calls_at, in_lines};
use super::{Candidate, Config, Detection, check};
use crate::error::{Reject, RejectKind, SourceLoc};
use crate::facts::{FunctionFacts, ValueKind};
use crate::ids::{BlockId, LoopId, ValueId};
use crate::remedies::{AFTER, JUMP_OUT, NO_EXIT};

/// Loops of a nest in an arm of a branch from which on it is a region of its own.
const DEPTH_OF_CHOICE: usize = 3;

/// A reason, and the block that it stands in: one cause is told once, for the largest link that it stops, and two loops
/// stopped by the same kind of thing are two causes, with and without source positions.
type Cause = (BlockId, Reject);

/// A piece of a chain: a loop, or a block with everything up to its post-dominator.
#[derive(Clone, Debug)]
struct Link {
    head: BlockId,
    blocks: Vec<BlockId>,
    next: Option<BlockId>,
    lp: Option<LoopId>,
    has_loop: bool,
    has_store: bool,
    /// No region may hold its head: the function's entry, the header of the loop around.
    barred: bool,
    error: Option<Cause>,
}

/// A link that was turned down.
struct Refused {
    at: BlockId,
    reject: Reject,
    loops: Vec<LoopId>,
    /// Number of its blocks: what lies inside of it has fewer.
    blocks: usize,
    /// Whether some loop of it has no other fate.
    is_told: bool,
}

impl Refused {
    fn cause(&self) -> (BlockId, RejectKind, &str) {
        (self.at, self.reject.kind, &self.reject.detail)
    }
}

pub(super) struct Scanner<'a> {
    facts: &'a FunctionFacts,
    cfg: &'a Config,
    seen: Vec<bool>,
    refused: Vec<Refused>,
    out: Detection,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(facts: &'a FunctionFacts, cfg: &'a Config) -> Self {
        Self { facts, cfg, seen: vec![false; facts.blocks.len()], refused: Vec::new(), out: Detection::default() }
    }

    pub(super) fn run(mut self) -> Detection {
        if !self.facts.loops.is_empty() {
            self.scan(BlockId(0), None, None);
        }
        self.settle();
        self.out
    }

    /// Gives each loop one fate: it lies in a region, or in the innermost link that was turned down, or nothing led to
    /// it. A link all of whose loops have another is not told of.
    fn settle(&mut self) {
        let mut told: Vec<bool> = self.facts.loops.iter().map(|l| l.boxed).collect();
        for lp in self.out.candidates.iter().flat_map(|c| &c.loops) {
            told[lp.index()] = true;
        }
        let mut smallest_first: Vec<usize> = (0..self.refused.len()).collect();
        smallest_first.sort_by_key(|k| self.refused[*k].blocks);
        for k in smallest_first {
            let refused = &mut self.refused[k];
            refused.is_told = refused.loops.iter().any(|l| !told[l.index()]);
            refused.loops.iter().for_each(|l| told[l.index()] = true);
        }
        let mut refused = std::mem::take(&mut self.refused);
        refused.retain(|r| r.is_told);
        let is_told_further_out =
            |r: &Refused| refused.iter().any(|other| other.cause() == r.cause() && other.blocks > r.blocks);
        let innermost: Vec<bool> = refused.iter().map(is_told_further_out).collect();
        let outermost = refused.into_iter().zip(innermost).filter(|(_, innermost)| !innermost);
        self.out.rejects.extend(outermost.map(|(r, _)| r.reject));
        for (lp, _) in self.facts.loops.iter().zip(&told).filter(|(_, told)| !**told) {
            if lp.parent.is_some_and(|l| !told[l.index()]) {
                continue;
            }
            let (kind, detail) = if lp.exiting.is_empty() {
                (RejectKind::LoopShape, NO_EXIT)
            } else {
                (RejectKind::UnstructuredControlFlow, AFTER)
            };
            let outside = |block: &BlockId| self.facts.block(*block).succs.clone();
            let about: Vec<ValueId> =
                lp.exiting.iter().flat_map(outside).flat_map(|succ| calls_at(self.facts, succ)).collect();
            let at = lp.latch.and_then(|latch| self.facts.block(latch).insts.last().copied());
            let nest = lp.parent.map_or_else(|| lp.loc.clone(), |l| self.facts.outermost(l).loc.clone());
            self.out.rejects.push(Reject {
                nest: Some(Box::new(nest)),
                about,
                at,
                ..Reject::new(kind, detail, lp.loc.clone())
            });
        }
    }

    /// Finds regions in the chain from `start` to `stop`, all in the loop `around`.
    fn scan(&mut self, start: BlockId, around: Option<LoopId>, stop: Option<BlockId>) {
        let links = self.chain(start, around, stop);
        let mut first = 0;
        while first < links.len() {
            let usable = |l: &Link| {
                l.error.is_none() && !l.barred && l.next.is_some() && (around.is_some() || !self.is_choice(l))
            };
            let len = links[first..].iter().take_while(|l| usable(l)).count();
            if len > 0 {
                self.try_run(&links[first..first + len], around);
                first += len;
            } else {
                let link = &links[first];
                match &link.error {
                    Some(cause) => self.turn_down(link, cause.clone(), around),
                    None => self.inside(link, around),
                }
                first += 1;
            }
        }
    }

    /// Whether a link is a branch to nests of which one runs: regions of their own, between which there is no order to
    /// choose. Flat ones, as set or scale what comes behind works on, stay with that.
    fn is_choice(&self, link: &Link) -> bool {
        let depth = |block: BlockId| {
            let innermost = self.facts.block(block).innermost;
            std::iter::successors(innermost, |l| self.facts.lp(*l).parent).count()
        };
        let is_in_arm = |block: BlockId, arm: BlockId| {
            std::iter::successors(Some(block), |b| self.facts.block(*b).idom).any(|b| b == arm)
        };
        let is_nest = |arm: &&BlockId| {
            Some(**arm) != link.next && link.blocks.iter().any(|b| depth(*b) >= DEPTH_OF_CHOICE && is_in_arm(*b, **arm))
        };
        link.lp.is_none() && self.facts.block(link.head).succs.iter().filter(is_nest).count() > 1
    }

    /// Regions inside of a link that is none itself.
    fn inside(&mut self, link: &Link, around: Option<LoopId>) {
        if !link.has_loop {
            return;
        }
        match link.lp {
            Some(lp) => self.scan(link.head, Some(lp), None),
            None => {
                let succs = self.facts.block(link.head).succs.clone();
                for succ in succs {
                    if Some(succ) != link.next && link.blocks.contains(&succ) {
                        self.scan(succ, around, link.next);
                    }
                }
            }
        }
    }

    fn try_run(&mut self, links: &[Link], around: Option<LoopId>) {
        let worth = |l: &Link| l.has_loop || l.has_store;
        let Some(mut first) = links.iter().position(worth) else { return };
        let Some(last) = links.iter().rposition(worth) else { return };
        if !links.iter().any(|l| l.has_loop) {
            return;
        }
        if links[first].lp.is_some() {
            if first == 0 {
                let detail = "no preheader of its own".to_owned();
                let kind = RejectKind::UnstructuredControlFlow;
                let reject = Reject::new(kind, detail, SourceLoc::default());
                self.fail(links, 0, (links[0].head, reject), around);
                return;
            }
            first -= 1;
        }
        let links = &links[first..=last];
        let mut blocks: Vec<BlockId> = links.iter().flat_map(|l| l.blocks.iter().copied()).collect();
        blocks.sort_unstable();
        let (Some(exit), entry) = (links[links.len() - 1].next, links[0].head) else { return };
        match check::region(self.facts, &blocks, entry, self.cfg) {
            Ok(loops) => self.out.candidates.push(Candidate { entry, exit, blocks, loops }),
            Err(cause) => {
                let at = links.iter().position(|l| l.blocks.contains(&cause.0)).unwrap_or(0);
                self.fail(links, at, cause, around);
            }
        }
    }

    /// A run is no region because of what stands in the link at `at`: tries what is before it, then what is left.
    fn fail(&mut self, links: &[Link], at: usize, cause: Cause, around: Option<LoopId>) {
        if at > 0 {
            // A loop needs the link before it, as its preheader: what is stored there is of its region then.
            let has_preheader = links[at].lp.is_some() && !links[at - 1].has_loop && (at > 1 || !links[0].has_store);
            let before = if has_preheader && links[at - 1].has_store { at - 1 } else { at };
            self.try_run(&links[..before], around);
            if has_preheader {
                self.retry(links, at, cause, around);
            } else {
                self.try_run(&links[at..], around);
            }
        } else if links.len() == 1 {
            self.turn_down(&links[0], cause, around);
        } else if links[1..].iter().any(|l| l.has_loop) && !links[0].has_loop && links[1].lp.is_some() {
            self.turn_down(&links[1], cause, around);
            self.try_run(&links[2..], around);
        } else {
            self.try_run(&links[..1], around);
            self.try_run(&links[1..], around);
        }
    }

    /// The rest of a run from the loop at `at`, which stopped it, with its preheader. A loop that is a region alone
    /// starts a shorter run; where the run is no shorter so, the loop does not go together with what follows and stays
    /// alone.
    fn retry(&mut self, links: &[Link], at: usize, cause: Cause, around: Option<LoopId>) {
        let rest = &links[at - 1..];
        let mut blocks: Vec<BlockId> = rest[..2].iter().flat_map(|l| l.blocks.iter().copied()).collect();
        blocks.sort_unstable();
        if check::region(self.facts, &blocks, rest[0].head, self.cfg).is_err() {
            self.turn_down(&rest[1], cause, around);
            self.try_run(&rest[2..], around);
        } else if at > 1 {
            self.try_run(rest, around);
        } else {
            self.try_run(&rest[..2], around);
            self.try_run(&rest[2..], around);
        }
    }

    /// Says why a link is no region, and looks for some inside of it where that may help.
    fn turn_down(&mut self, link: &Link, (at, mut reject): Cause, around: Option<LoopId>) {
        if !link.has_loop {
            return;
        }
        let may_help = reject.kind != RejectKind::NoEffect;
        if reject.loc.line == 0 {
            reject.loc = self.location(link);
        }
        let loops = (0..self.facts.loops.len()).map(LoopId::new);
        let loops: Vec<LoopId> = loops.filter(|l| link.blocks.contains(&self.facts.lp(*l).header)).collect();
        reject.nest = loops.first().map(|lp| Box::new(self.facts.outermost(*lp).loc.clone()));
        self.refused.push(Refused { at, reject, loops, blocks: link.blocks.len(), is_told: false });
        if may_help {
            self.inside(link, around);
        }
    }

    /// Location of the first loop of the link that has one.
    fn location(&self, link: &Link) -> SourceLoc {
        let loops = self.facts.loops.iter().filter(|l| link.blocks.contains(&l.header));
        loops.map(|l| l.loc.clone()).find(|l| l.line != 0).unwrap_or_default()
    }

    fn chain(&mut self, start: BlockId, around: Option<LoopId>, stop: Option<BlockId>) -> Vec<Link> {
        let mut links = Vec::new();
        let mut at = Some(start);
        while let Some(head) = at {
            if Some(head) == stop || (self.seen[head.index()] && Some(head) != self.header(around)) {
                break;
            }
            self.seen[head.index()] = true;
            let link = self.link(head, around);
            at = link.next.filter(|n| self.is_in(*n, around));
            links.push(link);
        }
        links
    }

    fn header(&self, around: Option<LoopId>) -> Option<BlockId> {
        around.map(|l| self.facts.lp(l).header)
    }

    /// True if the block's innermost loop is `around` or inside of it.
    fn is_in(&self, block: BlockId, around: Option<LoopId>) -> bool {
        self.child_below(block, around).is_some()
    }

    /// `Some(None)`: directly in `around`; `Some(Some(l))`: in the loop `l` directly below `around`; `None`: outside.
    fn child_below(&self, block: BlockId, around: Option<LoopId>) -> Option<Option<LoopId>> {
        let mut child = None;
        let mut at = self.facts.block(block).innermost;
        while at != around {
            let lp = at?;
            child = Some(lp);
            at = self.facts.lp(lp).parent;
        }
        Some(child)
    }

    fn link(&self, head: BlockId, around: Option<LoopId>) -> Link {
        let lp = self.child_below(head, around).flatten().filter(|l| self.facts.lp(*l).header == head);
        let next = match lp {
            Some(lp) => self.loop_exit(lp, around),
            None => self.facts.block(head).ipdom.filter(|b| self.is_in(*b, around) && Some(*b) != self.header(around)),
        };
        let (blocks, error) = self.collect(head, next, around, lp);
        let values = || blocks.iter().flat_map(|b| self.facts.block(*b).insts.iter());
        let has_store = values().any(|v| matches!(self.facts.value(*v).kind, ValueKind::Store { .. }));
        let has_loop = blocks.iter().any(|b| self.facts.block(*b).innermost != around);
        let barred = head == BlockId(0) || Some(head) == self.header(around);
        Link { head, blocks, next, lp, has_loop, has_store, barred, error }
    }

    fn unstructured(&self, detail: &str) -> Reject {
        Reject::new(RejectKind::UnstructuredControlFlow, detail, SourceLoc::default())
    }

    /// The only block outside that the loop leaves to, if it lies in `around`.
    fn loop_exit(&self, lp: LoopId, around: Option<LoopId>) -> Option<BlockId> {
        let mut exit = None;
        for exiting in &self.facts.lp(lp).exiting {
            for succ in &self.facts.block(*exiting).succs {
                if self.is_in(*succ, Some(lp)) {
                    continue;
                }
                if exit.is_some_and(|e| e != *succ) {
                    return None;
                }
                exit = Some(*succ);
            }
        }
        exit.filter(|e| self.is_in(*e, around))
    }

    /// Blocks from `head` up to `next`, ascending; an error if they are not entered by `head` and left to `next` alone.
    fn collect(
        &self,
        head: BlockId,
        next: Option<BlockId>,
        around: Option<LoopId>,
        lp: Option<LoopId>,
    ) -> (Vec<BlockId>, Option<Cause>) {
        let (mut blocks, mut work, mut error) = (vec![head], vec![head], None);
        while let Some(block) = work.pop() {
            for succ in &self.facts.block(block).succs {
                if Some(*succ) == next || blocks.contains(succ) {
                    continue;
                }
                if Some(*succ) == self.header(around) || !self.is_in(*succ, around) {
                    let why = self.unstructured(JUMP_OUT);
                    error = Some((block, why.about(calls_at(self.facts, *succ))));
                } else if lp.is_none() || self.is_in(*succ, lp) {
                    blocks.push(*succ);
                    work.push(*succ);
                } else {
                    let detail = lp.map_or_else(String::new, |lp| in_lines(self.facts, "several exits", lp, &[block]));
                    let why = Reject::new(RejectKind::LoopShape, detail, SourceLoc::default());
                    let call = call_behind(self.facts, block, &why);
                    let why = call.unwrap_or_else(|| why.about(calls_at(self.facts, *succ)));
                    error =
                        Some((block, self.facts.block(block).insts.last().map_or(why.clone(), |last| why.at(*last))));
                }
            }
        }
        blocks.sort_unstable();
        let entered_elsewhere = blocks
            .iter()
            .any(|b| *b != head && self.facts.block(*b).preds.iter().any(|p| blocks.binary_search(p).is_err()));
        if entered_elsewhere {
            error = Some((head, self.unstructured("jump into the middle of a region")));
        }
        (blocks, error)
    }
}
