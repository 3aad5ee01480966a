//! Which elements the threads of a block copy to shared memory before they use them.
//!
//! In: loops for a GPU. Out: the same with [`For::staged`], where that makes fewer transactions of global memory: of
//! arrays that the kernel only reads, the boxes that the references of a block touch in one iteration of the innermost
//! loop around its threads, or, where all threads run the same iterations of a loop, in some iterations of that one,
//! which is then cut into steps. A box is what a reference touches, all of it and nothing else: each subscript moves
//! with at most one loop, element by element, whose bounds move with no other loop of the block. References whose boxes
//! lie next to each other share a copy. [`super::shared_check`] proves what comes out.
//! Source: Verdoolaege, Carlos Juega, Cohen, Ignacio Gómez, Tenllado, Catthoor, ACM TACO 9(4), 2013, section 5.

use super::device::{axes, each_kernel};
use super::expr::{scaled, sum};
use super::forms::{Form, Known};
use super::types::{Ast, Expr, For, Part, Read, Tile};
use crate::facts::{FunctionFacts, Type};
use crate::ids::{ArrayId, IterId, StmtId};
use crate::model::tree::Axis;
use crate::model::{Access, AccessKind, ArrayKind, ParamPoly, Scop, StmtBody};
use crate::parallel::device::{DEVICE, OTHER_REGISTERS};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a step that are tried.
const STEPS: [i64; 4] = [32, 16, 8, 4];
/// What a copy takes of each warp, in instructions: for its elements, one by one, and for each comparison with a part's
/// bounds; and what a sector of global memory takes. The emulator counts the former; the latter was not measured.
const ELEMENT: i64 = 24;
const COMPARISON: i64 = 4;
const SECTOR: i64 = 2;
/// Threads of a warp, and bytes of a sector of global memory.
const WARP: i64 = 32;
const SECTOR_BYTES: i64 = 32;
/// Each copy begins at a multiple of this many bytes.
const ALIGNMENT: i64 = 16;

/// Bytes of shared memory that a block of a kernel has.
#[must_use]
pub fn bytes_of(ast: &Ast) -> i64 {
    match ast {
        Ast::Block(parts) => parts.iter().map(bytes_of).max().unwrap_or(0),
        Ast::For(f) => f.staged.iter().map(Tile::end).max().unwrap_or(0).max(bytes_of(&f.body)),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).map(bytes_of).max().unwrap_or(0),
        Ast::Stmt { .. } => 0,
    }
}

/// Lets blocks copy what pays, into so many bytes at most.
pub fn stage(scop: &Scop, facts: &FunctionFacts, ast: &mut Ast, most_bytes: i64) {
    let mut next = first_unused(ast);
    each_kernel(ast, &mut |kernel| {
        let Ok(axes) = axes(kernel) else { return };
        if matches!(kernel, Ast::For(f) if !f.collects.is_empty()) {
            return;
        }
        let of = |axis: &Axis| if let Axis::Block(_, n) = axis { i64::from(*n) } else { 1 };
        let threads: i64 = axes.iter().map(of).product();
        if threads <= WARP {
            return;
        }
        let room = room(kernel, scop, threads).min(most_bytes);
        let known = Known::default();
        let read_only = read_only(scop, kernel);
        let mut walk = Walk { scop, facts, read_only, threads, room, known, around: Vec::new(), next: &mut next };
        walk.visit(kernel, (true, 0), &[]);
    });
}

/// Arrays in memory that a kernel reads and does not write.
pub(super) fn read_only(scop: &Scop, kernel: &Ast) -> BTreeSet<ArrayId> {
    let stmts: BTreeSet<StmtId> = kernel.stmts().collect();
    let accesses = || stmts.iter().flat_map(|id| &scop.stmt(*id).accesses);
    let written: BTreeSet<ArrayId> = accesses().filter(|a| a.kind != AccessKind::Read).map(|a| a.array).collect();
    let is_plain = |a: ArrayId| matches!(scop.array(a).kind, ArrayKind::Memory { .. });
    accesses().map(|a| a.array).filter(|a| is_plain(*a) && !written.contains(a)).collect()
}

/// What a block can have without that half as many run on a multiprocessor than without it.
fn room(kernel: &Ast, scop: &Scop, threads: i64) -> i64 {
    let blocks = DEVICE.resident(u32::try_from(threads).unwrap_or(u32::MAX), registers_of(scop, kernel), 0).max(1);
    i64::from(DEVICE.shared_bytes / blocks.div_ceil(2))
}

/// Registers of a thread of a kernel, roughly: those that hold elements, and others.
#[must_use]
pub fn registers_of(scop: &Scop, kernel: &Ast) -> u32 {
    let words = |id: StmtId| {
        let writes = scop.stmt(id).accesses.iter().filter(|a| a.kind != AccessKind::Read);
        writes.map(|a| i64::from(scop.array(a.array).elem_bytes / 4)).sum::<i64>()
    };
    OTHER_REGISTERS + u32::try_from(most_in_a_body(kernel, &words)).unwrap_or(u32::MAX / 2)
}

/// The most that the statements of one innermost loop have together.
fn most_in_a_body(ast: &Ast, words: &dyn Fn(StmtId) -> i64) -> i64 {
    match ast {
        Ast::For(f) if !f.body.contains_loop() => f.body.stmts().map(words).sum(),
        Ast::For(f) => most_in_a_body(&f.body, words),
        Ast::Block(parts) => parts.iter().map(|part| most_in_a_body(part, words)).max().unwrap_or(0),
        Ast::If(i) => {
            [&i.then].into_iter().chain(&i.otherwise).map(|part| most_in_a_body(part, words)).max().unwrap_or(0)
        }
        Ast::Stmt { id, .. } => words(*id),
    }
}

/// The number behind all iterators.
fn first_unused(ast: &Ast) -> u32 {
    match ast {
        Ast::Block(parts) => parts.iter().map(first_unused).max().unwrap_or(0),
        Ast::For(f) => first_unused(&f.body).max(f.iter.0 + 1),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).map(first_unused).max().unwrap_or(0),
        Ast::Stmt { .. } => 0,
    }
}

/// A loop whose iterations a copy is for.
#[derive(Clone)]
struct Inner {
    iter: IterId,
    lower: Vec<Expr>,
    upper: Vec<Expr>,
    axis: Option<Axis>,
}

impl Inner {
    fn of(f: &For) -> Self {
        let list = |e: &Expr| match e {
            Expr::Min(of) | Expr::Max(of) => of.clone(),
            one => vec![one.clone()],
        };
        let lower = if matches!(f.lower, Expr::Min(_)) { vec![f.lower.clone()] } else { list(&f.lower) };
        let upper = if matches!(f.upper, Expr::Max(_)) { vec![f.upper.clone()] } else { list(&f.upper) };
        Self { iter: f.iter, lower, upper, axis: f.axis }
    }

    /// Whether its bounds move with one of these loops.
    fn moves_with(&self, others: &[Inner]) -> bool {
        self.lower.iter().chain(&self.upper).any(|e| others.iter().any(|o| e.mentions(o.iter)))
    }

    fn is_in_x(&self) -> bool {
        matches!(self.axis, Some(Axis::Block(0, _)))
    }
}

/// The subscripts that one reference has along one dim of its array.
#[derive(Clone)]
struct Side {
    lows: Vec<Expr>,
    highs: Vec<Expr>,
    /// One of the former, and how many there are from there on at most.
    first: (Expr, Form),
    extent: i64,
    /// Position of the loop that it moves with.
    moves_with: Option<usize>,
}

/// A reference that a copy may serve.
#[derive(Clone)]
struct Reference {
    array: ArrayId,
    read: Read,
    sides: Vec<Side>,
    conds: Vec<Expr>,
    /// Sectors of global memory that a block touches without a copy.
    sectors: i64,
    /// Whether neighbours in a warp are apart in it.
    is_apart: bool,
}

struct Walk<'a> {
    scop: &'a Scop,
    facts: &'a FunctionFacts,
    read_only: BTreeSet<ArrayId>,
    threads: i64,
    /// Bytes that a block may have.
    room: i64,
    known: Known,
    /// Loops of threads around.
    around: Vec<Inner>,
    /// A new iterator.
    next: &'a mut u32,
}

impl Walk<'_> {
    /// `uniform`: all threads of a block come here at the same time; `used`: bytes that are taken, for `taken`.
    fn visit(&mut self, ast: &mut Ast, (uniform, used): (bool, i64), taken: &[Read]) {
        match ast {
            Ast::Block(parts) => parts.iter_mut().for_each(|part| self.visit(part, (uniform, used), taken)),
            Ast::If(i) => {
                let uniform = uniform && !self.around.iter().any(|lp| i.cond.mentions(lp.iter));
                let branches = [&mut i.then].into_iter().chain(&mut i.otherwise);
                branches.for_each(|part| self.visit(part, (uniform, used), taken));
            }
            Ast::For(f) => self.visit_loop(f, (uniform, used), taken),
            Ast::Stmt { .. } => {}
        }
    }

    fn visit_loop(&mut self, f: &mut For, (uniform, used): (bool, i64), taken: &[Read]) {
        let mut taken = taken.to_vec();
        let varies = |e: &Expr, of: &[Inner]| of.iter().any(|t| e.mentions(t.iter));
        let same_for_all = !varies(&f.lower, &self.around) && !varies(&f.upper, &self.around);
        let in_threads = matches!(f.axis, Some(Axis::Block(..)));
        let uniform = uniform && if in_threads { is_full(f) } else { same_for_all };
        let mark = self.known.mark();
        if uniform && !in_threads && !self.around.is_empty() && f.step == 1 {
            self.in_steps(f, used, &taken);
            if f.stepped().is_some() {
                return;
            }
        }
        self.known.learn(f.iter, &f.lower, &f.upper);
        if uniform && !in_threads && self.around.is_empty() && is_last_around_threads(f) {
            (f.staged, _) = self.tiles(&f.body, used, &taken);
        }
        taken.extend(f.staged.iter().flat_map(|t| t.reads.clone()));
        let used = f.staged.iter().map(Tile::end).max().unwrap_or(used);
        let threads_around = self.around.len();
        if in_threads || !same_for_all {
            self.around.push(Inner::of(f));
        }
        self.visit(&mut f.body, (uniform, used), &taken);
        self.around.truncate(threads_around);
        self.known.forget(mark);
    }

    /// Cuts a loop that all threads run alike into steps, if copies for each step pay.
    fn in_steps(&mut self, f: &mut For, used: i64, taken: &[Read]) {
        let iter = IterId(*self.next);
        let mut found: Vec<(i64, For)> = Vec::new();
        for step in STEPS {
            let mut inner = f.clone();
            let last = Expr::Add(vec![Expr::Iter(iter), Expr::Int(step - 1)]);
            let mut upper = vec![last];
            upper.extend(Inner::of(f).upper);
            (inner.lower, inner.upper) = (Expr::Iter(iter), Expr::Min(upper));
            let mut outer = For { iter, step, coincident: false, body: Ast::For(Box::new(inner)), ..f.clone() };
            let mark = self.known.mark();
            self.known.learn(iter, &f.lower, &f.upper);
            let (tiles, saved) = self.tiles(&outer.body, used, taken);
            self.known.forget(mark);
            // What is saved by each of `STEPS[0]` iterations.
            let saved = saved * (STEPS[0] / step);
            if !tiles.is_empty() {
                outer.staged = tiles;
                found.push((saved, outer));
            }
        }
        // Of equal ones the longest step, which comes first.
        let Some(best) = (0..found.len()).rev().max_by_key(|k| found[*k].0) else { return };
        let shorter = found.iter().position(|(_, other)| 2 * other.step == found[best].1.step);
        let taken = [Some(best), shorter].into_iter().flatten().find(|k| {
            let same = reads_of(&found[*k].1) == reads_of(&found[best].1);
            same && self.take_turns(&mut found[*k].1.staged, used)
        });
        *self.next += 1;
        *f = found.swap_remove(taken.unwrap_or(best)).1;
    }

    /// Lets the copies of a loop's consecutive iterations take turns, if there is room for both: nobody has to wait
    /// then for threads that still read the last ones.
    fn take_turns(&self, tiles: &mut [Tile], used: i64) -> bool {
        let end = tiles.iter().map(Tile::end).max().unwrap_or(used);
        let turn = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - used;
        let fits = end + turn <= self.room;
        if fits {
            tiles.iter_mut().for_each(|tile| tile.turn = turn);
        }
        fits
    }

    /// Copies for one run of `body`, and sectors that they save.
    fn tiles(&mut self, body: &Ast, used: i64, taken: &[Read]) -> (Vec<Tile>, i64) {
        let mut found = Vec::new();
        let mut inner = self.around.clone();
        let own = inner.len();
        self.references(body, (&mut inner, own), &mut found);
        found.retain(|r| !taken.contains(&r.read));
        let mut groups: BTreeMap<(ArrayId, Vec<Form>), Vec<Reference>> = BTreeMap::new();
        for reference in found {
            let place = reference.sides.iter().map(|side| side.first.1.split_constant().0).collect();
            groups.entry((reference.array, place)).or_default().push(reference);
        }
        let mut worth: Vec<(i64, Tile)> = groups.values().filter_map(|group| self.tile(group)).collect();
        worth.sort_by_key(|(saved, _)| std::cmp::Reverse(*saved));
        let (mut at, mut all, mut sum) = (used, Vec::new(), 0);
        for (saved, tile) in worth {
            let end = (at + tile.bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
            if end <= self.room {
                all.push(Tile { at, ..tile });
                (at, sum) = (end, sum + saved);
            }
        }
        (all, sum)
    }

    /// The references below that a copy can serve. `inner`: loops that it is for; all but the first `own` lie inside.
    fn references(&mut self, ast: &Ast, (inner, own): (&mut Vec<Inner>, usize), out: &mut Vec<Reference>) {
        match ast {
            Ast::Block(parts) => parts.iter().for_each(|part| self.references(part, (inner, own), out)),
            Ast::For(f) if f.step == 1 => {
                let mark = self.known.mark();
                self.known.learn(f.iter, &f.lower, &f.upper);
                inner.push(Inner::of(f));
                self.references(&f.body, (inner, own), out);
                inner.pop();
                self.known.forget(mark);
            }
            // Which instances there are is another question.
            Ast::For(_) | Ast::If(_) => {}
            Ast::Stmt { id, args } => {
                let stmt = self.scop.stmt(*id);
                if !matches!(stmt.body, StmtBody::Original(_)) || stmt.body.branches() {
                    return;
                }
                for access in &stmt.accesses {
                    let read = Read { stmt: *id, inst: access.inst, args: args.clone() };
                    out.extend(self.reference(access, read, inner));
                }
            }
        }
    }

    /// What one access touches in the loops of a copy; `None`: no box, or nothing that can be copied.
    fn reference(&mut self, access: &Access, read: Read, inner: &[Inner]) -> Option<Reference> {
        let bytes = self.scop.array(access.array).elem_bytes;
        let bits = match self.facts.value(access.inst).ty {
            Type::Int(bits) | Type::Float(bits) => bits,
            Type::Ptr | Type::Other => 0,
        };
        let is_plain = access.kind == AccessKind::Read && access.carries.is_none() && [8, 16, 32, 64].contains(&bits);
        let is_whole = bits == 8 * bytes && self.facts.accessed_bytes(access.inst) == bytes;
        // What data decides to read may not be there.
        let always = !self.facts.value(access.inst).in_arm;
        if !is_plain || !is_whole || !always || !self.read_only.contains(&access.array) {
            return None;
        }
        let params = self.scop.params.len();
        let mut sides = Vec::new();
        for row in access.subscripts()? {
            let (constant, linear) = row.split_last()?;
            let mut terms = vec![Expr::Int(*constant)];
            let value = |k: usize| if k < params { Expr::Param(k) } else { read.args[k - params].clone() };
            terms.extend(linear.iter().enumerate().filter(|(_, c)| **c != 0).map(|(k, c)| scaled(*c, value(k))));
            sides.push(self.side(&sum(terms), inner)?);
        }
        let moved: Vec<usize> = sides.iter().filter_map(|side| side.moves_with).collect();
        if sides.is_empty() || moved.iter().collect::<BTreeSet<_>>().len() != moved.len() {
            return None;
        }
        let mut conds = Vec::new();
        for (k, lp) in inner.iter().enumerate() {
            if lp.moves_with(&inner[..k]) {
                return None;
            }
            for (low, high) in lp.lower.iter().flat_map(|l| lp.upper.iter().map(move |u| (l, u))) {
                let length = Expr::Add(vec![high.clone(), scaled(-1, low.clone())]);
                match self.known.form(&length).as_ref().and_then(Form::as_constant) {
                    Some(..0) => return None,
                    Some(_) => {}
                    None => conds.push(length),
                }
            }
        }
        let (sectors, is_apart) = self.sectors(access.array, &sides, inner)?;
        Some(Reference { array: access.array, read, sides, conds, sectors, is_apart })
    }

    /// The values of a subscript.
    fn side(&mut self, subscript: &Expr, inner: &[Inner]) -> Option<Side> {
        let form = self.known.form(subscript)?;
        let mut moving = inner.iter().enumerate().filter(|(_, lp)| self.known.moves(&form, lp.iter));
        let Some((at, lp)) = moving.next() else {
            let only = vec![subscript.clone()];
            let first = (subscript.clone(), form);
            return Some(Side { lows: only.clone(), highs: only, first, extent: 1, moves_with: None });
        };
        let slope = self.known.slope(&form, lp.iter)?;
        if moving.next().is_some() || slope.abs() != 1 || lp.moves_with(inner) {
            return None;
        }
        let at_all = |bounds: &[Expr]| bounds.iter().map(|b| flat(&subscript.with(lp.iter, b))).collect::<Vec<Expr>>();
        let (mut lows, mut highs) = (at_all(&lp.lower), at_all(&lp.upper));
        if slope < 0 {
            std::mem::swap(&mut lows, &mut highs);
        }
        let mut best: Option<(i64, (Expr, Form))> = None;
        for (low, high) in lows.iter().flat_map(|l| highs.iter().map(move |h| (l, h))) {
            let (Some(l), Some(h)) = (self.known.form(low), self.known.form(high)) else { continue };
            let extent = h.plus(-1, &l)?.as_constant().and_then(|n| n.checked_add(1));
            if let Some(extent) = extent.filter(|n| best.as_ref().is_none_or(|(least, _)| n < least)) {
                best = Some((extent, (low.clone(), l)));
            }
        }
        let (extent, first) = best.filter(|(extent, _)| (1..=i64::from(u16::MAX)).contains(extent))?;
        // What is compared must be known as a form for the proof.
        let has_form = |e: &Expr, known: &mut Known| known.form(e).is_some();
        let all_known = lows.iter().chain(&highs).all(|e| has_form(e, &mut self.known));
        all_known.then_some(Side { lows, highs, first, extent, moves_with: Some(at) })
    }

    /// Sectors of global memory that all threads of a block touch by a reference, and whether neighbours of a warp are
    /// apart in it.
    fn sectors(&self, array: ArrayId, sides: &[Side], inner: &[Inner]) -> Option<(i64, bool)> {
        let x = inner.iter().position(Inner::is_in_x);
        let of_array = self.scop.array(array);
        let last_stride = of_array.strides.last().and_then(ParamPoly::as_constant);
        let is_dense = last_stride == Some(i64::from(of_array.elem_bytes));
        let along = sides.iter().position(|side| x.is_some() && side.moves_with == x);
        let each = match along {
            None => 1,
            Some(k) if k + 1 == sides.len() && is_dense => i64::from(of_array.elem_bytes) * WARP / SECTOR_BYTES,
            Some(_) => WARP,
        };
        let serial = |side: &&Side| side.moves_with.is_some_and(|k| inner[k].axis.is_none());
        let times = sides.iter().filter(serial).try_fold(1_i64, |all, side| all.checked_mul(side.extent))?;
        let sectors = (self.threads / WARP).checked_mul(each)?.checked_mul(times)?;
        Some((sectors, along.is_some_and(|k| k + 1 != sides.len())))
    }

    /// A copy for references that are a constant number of elements apart, and sectors that it saves, if that pays.
    fn tile(&self, group: &[Reference]) -> Option<(i64, Tile)> {
        let one = group.first()?;
        let of_array = self.scop.array(one.array);
        let (mut first, mut extents) = (Vec::new(), Vec::new());
        for k in 0..one.sides.len() {
            let constant = |r: &Reference| r.sides[k].first.1.split_constant().1;
            let lowest = group.iter().min_by_key(|r| constant(r))?;
            let end = group.iter().map(|r| constant(r) + r.sides[k].extent).max()?;
            first.push(lowest.sides[k].first.0.clone());
            extents.push(end - constant(lowest));
        }
        let rows = extents.iter().rev().skip(1).try_fold(1_i64, |all, n| all.checked_mul(*n))?;
        let (bytes, row) = (i64::from(of_array.elem_bytes), *extents.last()?);
        let is_dense = of_array.strides.last().and_then(ParamPoly::as_constant) == Some(bytes);
        let row_sectors = if is_dense { (row * bytes + SECTOR_BYTES - 1) / SECTOR_BYTES } else { row };
        let after = rows.checked_mul(row_sectors)?;
        let mut parts: Vec<Part> = Vec::new();
        let mut before = 0;
        for r in group {
            let bounds = r.sides.iter().map(|side| (side.lows.clone(), side.highs.clone())).collect();
            let part = Part { bounds, conds: r.conds.clone() };
            if !parts.contains(&part) {
                parts.push(part);
                before += r.sectors;
            }
        }
        let pitch = if group.iter().any(|r| r.is_apart) { row | 1 } else { row };
        let reads = group.iter().map(|r| r.read.clone()).collect();
        let tile =
            merged(Tile { array: one.array, elem_bytes: bytes, first, extents, pitch, at: 0, turn: 0, parts, reads });
        let comparisons = comparisons(&tile);
        let rounds = rows.checked_mul(row)?.checked_add(self.threads - 1)? / self.threads * (self.threads / WARP);
        let cost = rounds * (ELEMENT + COMPARISON * comparisons);
        ((before - after) * SECTOR > cost).then_some((before - after, tile))
    }
}

/// How many reads copies of a loop's iterations serve.
fn reads_of(f: &For) -> usize {
    f.staged.iter().map(|tile| tile.reads.len()).sum()
}

/// How many comparisons say whether an element is copied.
fn comparisons(tile: &Tile) -> i64 {
    let mut known = Known::default();
    let mut all = 0;
    for (k, (lows, highs)) in tile.parts.iter().flat_map(|part| part.bounds.iter().enumerate()) {
        let last = sum(vec![tile.first[k].clone(), Expr::Int(tile.extents[k] - 1)]);
        for (sides, trivial) in [(lows, &tile.first[k]), (highs, &last)] {
            let trivial = known.form(trivial);
            all += sides.iter().map(|e| i64::from(known.form(e) != trivial)).sum::<i64>();
        }
    }
    all
}

/// A copy whose parts are put together where they lie side by side.
fn merged(mut tile: Tile) -> Tile {
    let mut known = Known::default();
    let mut at = 0;
    while at < tile.parts.len() {
        let joined = (at + 1..tile.parts.len()).find_map(|other| {
            let one = joined(&mut known, &tile.parts[at], &tile.parts[other])?;
            Some((other, one))
        });
        match joined {
            Some((other, one)) => {
                tile.parts.remove(other);
                tile.parts[at] = one;
                at = 0;
            }
            None => at += 1,
        }
    }
    tile
}

/// Both boxes as one, where that is one.
fn joined(known: &mut Known, a: &Part, b: &Part) -> Option<Part> {
    if a.conds != b.conds {
        return None;
    }
    let mut differ = (0..a.bounds.len()).filter(|k| a.bounds[*k] != b.bounds[*k]);
    let (k, None) = (differ.next()?, differ.next()) else { return None };
    // By how much all of these bounds differ from those.
    let mut shift = |from: &[Expr], to: &[Expr]| {
        let mut by = None;
        for (from, to) in from.iter().zip(to) {
            let own = known.form(to)?.plus(-1, &known.form(from)?)?.as_constant()?;
            if by.is_some_and(|by| by != own) {
                return None;
            }
            by = Some(own);
        }
        by.filter(|_| from.len() == to.len())
    };
    let (mut one, mut two) = (&a.bounds[k], &b.bounds[k]);
    let (mut first, mut last) = (shift(&one.0, &two.0)?, shift(&one.1, &two.1)?);
    if first < 0 || (first == 0 && last < 0) {
        (one, two, first, last) = (two, one, -first, -last);
    }
    // Neither is empty, by the conditions of both: the second one begins behind the first one's end at most.
    let length = match (one.0.as_slice(), one.1.as_slice()) {
        ([low], [high]) => known.form(high)?.plus(-1, &known.form(low)?)?.as_constant(),
        _ => None,
    };
    let touches = first <= 1 || (0..=1).contains(&last) || length.is_some_and(|length| first <= length + 1);
    let mut made = a.clone();
    made.bounds[k] = (one.0.clone(), if last >= 0 { two.1.clone() } else { one.1.clone() });
    touches.then_some(made)
}

/// A sum without sums in it.
fn flat(e: &Expr) -> Expr {
    if let Expr::Add(of) = e { sum(of.iter().map(flat).collect()) } else { e.clone() }
}

/// Whether each thread of a block runs one iteration of a loop.
#[must_use]
pub fn is_full(f: &For) -> bool {
    let mut known = Known::default();
    let length = Expr::Add(vec![f.upper.clone(), scaled(-1, f.lower.clone())]);
    let length = known.form(&length).and_then(|length| length.as_constant());
    matches!(f.axis, Some(Axis::Block(_, threads)) if length == Some(i64::from(threads) - 1))
}

/// Whether threads of a block run loops inside of a loop, and no other loop lies between.
fn is_last_around_threads(f: &For) -> bool {
    let in_threads = |lp: &For| matches!(lp.axis, Some(Axis::Block(..)));
    let around = |lp: &For| !in_threads(lp) && lp.body.any_loop(&in_threads);
    f.body.any_loop(&in_threads) && !f.body.any_loop(&around)
}
