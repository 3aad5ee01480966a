//! Loops over jammed iterations of a loop around, as lanes of vectors: in blocks of as many iterations as there are
//! lanes, the rest as it is.
//!
//! What each access touches in a block was found out before ([`crate::ast::lanes`]); here its values turn out to be
//! ones that vectors have. Rows of a block that lie along the loop are loaded and stored as vectors, and change places
//! with its columns in registers.

use super::atoms::Poly;
use super::generator::{Generator, Replaced};
use super::hints::WRITTEN_NEW;
use super::nest::Bounds;
use super::places::At;
use super::stmt::memory_access;
use crate::ast::types::{BlockAccess, BlockShape, Expr, For, Lanes, Together};
use crate::bridge::ir::{Bin, Pos, Val};
use crate::error::Failure;
use crate::facts::{Pred, Type, ValueKind};
use crate::ids::{ArrayId, StmtId, ValueId};
use crate::model::{Access, AccessKind, ArrayKind, Stmt, StmtBody};
use std::collections::{BTreeMap, BTreeSet};

/// Bits of the part of a vector in which elements change places cheaply.
const PART_BITS: usize = 128;
/// Instructions of a statement beyond which it is not looked through.
const MAX_LANE_INSTRUCTIONS: usize = 256;
/// So many instructions in a row at most that make a number of counters for the lanes.
const MAX_COUNTED: usize = 8;

/// Values of one element of each lane of a vector: by the array where a block writes it, else by access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Array(ArrayId, usize),
    Access(usize, usize),
}

/// A block while it is emitted.
struct Block<'b, 'f> {
    of: &'b For,
    lanes: &'b Lanes,
    stmts: &'b [(StmtId, &'b [Expr])],
    /// What is known of the elements so far, by column: the iteration of the block in which the writing access touches
    /// them.
    columns: BTreeMap<(Key, i64), Val<'f>>,
    /// Values that the end of the block stores: statement and access.
    left: Vec<(usize, usize)>,
}

/// One iteration of one statement of a block.
struct Iteration<'i, 'f> {
    /// Position among the block's statements.
    at: usize,
    stmt: &'i Stmt,
    number: i64,
    done: BTreeMap<ValueId, Val<'f>>,
}

impl<'f> Generator<'f> {
    /// How a loop runs in lanes, if it does and all that its body computes can be computed so.
    pub fn lanes_of<'l>(&self, f: &'l For) -> Option<&'l Lanes> {
        let lanes = f.lanes.as_ref().filter(|lanes| !lanes.stmts.is_empty() && self.tested.is_none())?;
        let stmts: Vec<(StmtId, &[Expr])> = f.body.instances().collect();
        lanes.stmts.iter().all(|of| self.is_in_lanes(of, &stmts)).then_some(lanes)
    }

    fn is_in_lanes(&self, of: &Together, stmts: &[(StmtId, &[Expr])]) -> bool {
        let Some(stmt) = of.copies.first().and_then(|at| stmts.get(*at)).map(|(id, _)| self.scop.stmt(*id)) else {
            return false;
        };
        let StmtBody::Original(code) = &stmt.body else { return false };
        if code.insts.len() > MAX_LANE_INSTRUCTIONS || !stmt.accesses.iter().all(|a| self.has_vectors(a)) {
            return false;
        }
        if code.loops.iter().any(|dim| self.origin.facts.lp(dim.id).hints.no_vectors) {
            return false;
        }
        let (facts, mut known) = (self.origin.facts, BTreeSet::new());
        let mut comes = |value| self.comes_in_lanes(stmt, value, &mut known, 0);
        let mut stored = |id: &ValueId| match facts.value(*id).kind {
            ValueKind::Load { .. } => memory_access(stmt, *id).is_some(),
            ValueKind::Store { value, .. } => memory_access(stmt, *id).is_some() && comes(value),
            _ => true,
        };
        if !code.insts.iter().all(&mut stored) {
            return false;
        }
        let mut written = stmt.accesses.iter().filter(|a| a.kind != AccessKind::Read && a.carries.is_some());
        written.all(|a| comes(self.written_by(a)))
    }

    /// Whether vectors have what an access moves, and it moves one element as it is.
    fn has_vectors(&self, access: &Access) -> bool {
        let array = self.scop.array(access.array);
        if let At::Slot(_) = self.places.of(0, access) {
            return !array.is_memory() && access.kind == AccessKind::Read;
        }
        !self.places.is_taken(access.array) && self.bits_of(access) == Some(8 * u64::from(array.elem_bytes))
    }

    /// Bits of what an access moves, for numbers of 32 and 64 bits.
    fn bits_of(&self, access: &Access) -> Option<u64> {
        let facts = self.origin.facts;
        let value = match access.carries {
            Some(scalar) => match self.scop.array(scalar).kind {
                ArrayKind::Value { def } | ArrayKind::Phi { phi: def } => def,
                _ => return None,
            },
            None => match facts.value(access.inst).kind {
                ValueKind::Load { .. } => access.inst,
                ValueKind::Store { bytes, .. } => return Some(8 * u64::from(bytes)).filter(|b| matches!(b, 32 | 64)),
                _ => return None,
            },
        };
        match facts.value(value).ty {
            Type::Float(bits @ (32 | 64)) | Type::Int(bits @ (32 | 64)) => Some(u64::from(bits)),
            _ => None,
        }
    }

    /// The value that the write of a scalar which lives on an element puts there.
    fn written_by(&self, access: &Access) -> ValueId {
        match self.scop.array(access.carries.unwrap_or(access.array)).kind {
            ArrayKind::Value { def } => def,
            _ => access.inst,
        }
    }

    /// Whether a value of an instance can be computed for all lanes; `known` are values of which that is known.
    fn comes_in_lanes(&self, stmt: &Stmt, id: ValueId, known: &mut BTreeSet<ValueId>, depth: usize) -> bool {
        let (facts, ir) = (self.origin.facts, self.em.ir);
        let is_read = || stmt.accesses.iter().any(|a| a.kind == AccessKind::Read && a.inst == id);
        if known.contains(&id) || self.origin.is_available(id) || is_read() {
            return true;
        }
        let (value, resolved) = (facts.value(id), self.origin.resolve(id));
        let deeper = depth < MAX_LANE_INSTRUCTIONS;
        let comes = if resolved != id {
            deeper && self.comes_in_lanes(stmt, resolved, known, depth + 1)
        } else if value.in_lanes && ir.knows_operands(id) && deeper {
            ir.operands(id).iter().all(|(_, of)| self.comes_in_lanes(stmt, *of, known, depth + 1))
        } else {
            value.scev.is_some() && matches!(value.ty, Type::Int(32 | 64)) && self.takes_no_memory(id, 0)
        };
        if comes {
            known.insert(id);
        }
        comes
    }

    /// Whether a number is made of counters and of what is known before the region: nothing of it is loaded.
    fn takes_no_memory(&self, id: ValueId, depth: usize) -> bool {
        let value = self.origin.facts.value(id);
        match value.kind {
            _ if self.origin.is_available(id) => true,
            ValueKind::Load { .. } | ValueKind::Merge(_) => false,
            ValueKind::Phi(_) => value.scev.is_some(),
            _ => depth < MAX_COUNTED && value.operands.iter().all(|of| self.takes_no_memory(*of, depth + 1)),
        }
    }

    /// The loop, which runs at least once, in blocks and what is left of it.
    ///
    /// # Errors
    /// As for the statements themselves.
    pub fn in_lanes(&mut self, f: &For, lanes: &Lanes, lower: &Poly, end: &Poly) -> Result<(), Failure> {
        self.set_loc(&f.body);
        let (first, last) = (self.em.value(lower), self.em.value(end));
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let number = ir.bin(Bin::Sub, last, first);
        let whole = ir.bin(Bin::And, number, ir.int(word, -lanes.width));
        let middle = ir.bin(Bin::Add, first, whole);
        let [blocks, between, rest, after] =
            ["polyrs.blocks", "polyrs.between", "polyrs.rest", "polyrs.after"].map(|name| ir.new_block(name));
        ir.cond_br(ir.icmp(Pred::Ne, whole, ir.int(word, 0)), blocks, between);
        ir.seek(Pos::End(blocks));
        self.blocks(f, lanes, Bounds { first, end: middle, is_rest: false })?;
        let ir = self.em.ir;
        ir.br(between);
        ir.seek(Pos::End(between));
        ir.cond_br(ir.icmp(Pred::Slt, middle, last), rest, after);
        ir.seek(Pos::End(rest));
        self.counted(f, lower, end, Some(Bounds { first: middle, end: last, is_rest: true }))?;
        let ir = self.em.ir;
        ir.br(after);
        ir.seek(Pos::End(after));
        Ok(())
    }

    /// The blocks, of which there is one at least.
    fn blocks(&mut self, f: &For, lanes: &Lanes, bounds: Bounds<'f>) -> Result<(), Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let mark = self.around.mark();
        self.around.enter(f.iter, &f.lower, &f.upper);
        let before = ir.current();
        let header = ir.new_block("polyrs.lanes");
        ir.br(header);
        ir.seek(Pos::End(header));
        let phi = ir.phi(word, "polyrs.iv");
        ir.add_incoming(phi, bounds.first, before);
        self.em.enter_loop(f.iter, phi);
        let stmts: Vec<(StmtId, &[Expr])> = f.body.instances().collect();
        let block = Block { of: f, lanes, stmts: &stmts, columns: BTreeMap::new(), left: Vec::new() };
        self.block_of_lanes(block)?;
        let ir = self.em.ir;
        let next = ir.bin(Bin::AddNsw, phi, ir.int(word, lanes.width));
        let again = ir.icmp(Pred::Ne, next, bounds.end);
        let (latch, exit) = (ir.current(), ir.new_block("polyrs.exit"));
        let branch = ir.cond_br(again, header, exit);
        ir.add_incoming(phi, next, latch);
        let properties =
            [ir.node(&[ir.text(WRITTEN_NEW)]), self.is_vectorized(), ir.node(&[ir.text("llvm.loop.unroll.disable")])];
        ir.set_loop_id(branch, ir.loop_id(&properties));
        self.em.leave_loop();
        self.around.forget(mark);
        ir.seek(Pos::End(exit));
        Ok(())
    }

    fn block_of_lanes(&mut self, mut block: Block<'_, 'f>) -> Result<(), Failure> {
        for number in 0..block.lanes.width {
            for at in 0..block.lanes.stmts.len() {
                self.iteration(&mut block, at, number)?;
            }
        }
        for (at, access) in std::mem::take(&mut block.left) {
            self.store_left(&mut block, at, access)?;
        }
        Ok(())
    }

    /// One iteration of a statement in all lanes.
    fn iteration(&mut self, block: &mut Block<'_, 'f>, at: usize, number: i64) -> Result<(), Failure> {
        let stmt = self.scop.stmt(block.stmts[block.lanes.stmts[at].copies[0]].0);
        let mut own = Iteration { at, stmt, number, done: BTreeMap::new() };
        for (k, access) in stmt.accesses.iter().enumerate() {
            let slot = match self.places.of(0, access) {
                At::Slot(slot) if access.kind == AccessKind::Read => Some(slot),
                _ => None,
            };
            if let Some(slot) = slot {
                let value = self.em.ir.splat(slot.load(self.em.ir), block.width());
                own.done.insert(access.inst, value);
            } else if access.kind == AccessKind::Read && access.carries.is_some() {
                let value = self.read_lanes(block, at, k, number)?;
                own.done.insert(access.inst, value);
            }
        }
        let position = |id: ValueId| stmt.accesses.iter().position(|a| a.inst == id && a.carries.is_none());
        for &id in stmt.body.insts() {
            match self.origin.facts.value(id).kind {
                ValueKind::Load { .. } => {
                    let Some(k) = position(id) else { continue };
                    let value = self.read_lanes(block, at, k, number)?;
                    own.done.insert(id, value);
                }
                ValueKind::Store { value, .. } => {
                    let Some(k) = position(id) else { continue };
                    let value = self.in_each_lane(block, &mut own, value)?;
                    self.write_lanes(block, at, k, number, value)?;
                }
                _ => {}
            }
        }
        let mut written = Vec::new();
        for (k, access) in stmt.accesses.iter().enumerate() {
            if access.kind != AccessKind::Read && access.carries.is_some() {
                written.push((k, self.in_each_lane(block, &mut own, self.written_by(access))?));
            }
        }
        for (k, value) in written {
            self.write_lanes(block, at, k, number, value)?;
        }
        Ok(())
    }

    /// A value of an iteration as a vector.
    fn in_each_lane(&mut self, block: &Block<'_, 'f>, own: &mut Iteration<'_, 'f>, id: ValueId) -> Replaced<'f> {
        if let Some(value) = own.done.get(&id) {
            return Ok(*value);
        }
        let width = block.width();
        let resolved = self.origin.resolve(id);
        let value = if self.origin.is_available(id) {
            self.em.ir.splat(self.em.ir.value(id), width)
        } else if resolved != id {
            self.in_each_lane(block, own, resolved)?
        } else if self.origin.facts.value(id).in_lanes {
            let like = self.em.ir.value(id);
            let mut operands: BTreeMap<u32, Val<'f>> = BTreeMap::new();
            for (index, operand) in self.em.ir.operands(id) {
                operands.insert(index, self.in_each_lane(block, own, operand)?);
            }
            let ir = self.em.ir;
            for index in 0..u32::try_from(ir.operand_count(like)).unwrap_or(0) {
                if let Some(constant) = ir.constant_operand(like, index) {
                    operands.entry(index).or_insert_with(|| ir.splat(constant, width));
                }
            }
            ir.lanewise(like, &operands.into_values().collect::<Vec<_>>())
        } else {
            let mut values = Vec::new();
            for lane in 0..block.lanes.stmts[own.at].copies.len() {
                let args = block.args(own.at, lane, own.number);
                values.push(self.value_in(own.stmt, &args, id)?);
            }
            self.em.ir.gathered(&values)
        };
        own.done.insert(id, value);
        Ok(value)
    }

    /// What an access reads in an iteration of a block.
    fn read_lanes(&mut self, block: &mut Block<'_, 'f>, at: usize, k: usize, number: i64) -> Replaced<'f> {
        let touched = block.touched(at, k);
        let key = block.key(at, k, self.access(block, at, k).array);
        let column = if touched.moves { number + touched.ahead } else { 0 };
        if let Some(value) = block.columns.get(&(key, column)) {
            return Ok(*value);
        }
        let width = block.width();
        let value = match touched.shape {
            BlockShape::Same => {
                let one = self.load_lane(block, (at, k), 0, number, None)?;
                self.em.ir.splat(one, width)
            }
            BlockShape::Beside => self.load_lane(block, (at, k), 0, number, Some(width))?,
            BlockShape::Along | BlockShape::Back if touched.ahead == 0 => {
                let order = block.iterations_by_address(touched.shape);
                let mut rows = Vec::new();
                for lane in 0..block.lanes.stmts[at].copies.len() {
                    rows.push(self.load_lane(block, (at, k), lane, order[0], Some(width))?);
                }
                for (column, value) in order.into_iter().zip(self.transposed(block, (at, k), &rows)) {
                    block.columns.entry((key, column)).or_insert(value);
                }
                return Ok(block.columns[&(key, column)]);
            }
            BlockShape::Along | BlockShape::Back | BlockShape::Apart => {
                let mut values = Vec::new();
                for lane in 0..block.lanes.stmts[at].copies.len() {
                    values.push(self.load_lane(block, (at, k), lane, number, None)?);
                }
                self.em.ir.gathered(&values)
            }
        };
        block.columns.insert((key, column), value);
        Ok(value)
    }

    /// Writes a vector in an iteration of a block: at once where it lies side by side, else at the end.
    fn write_lanes(
        &mut self,
        block: &mut Block<'_, 'f>,
        at: usize,
        k: usize,
        number: i64,
        value: Val<'f>,
    ) -> Result<(), Failure> {
        let touched = block.touched(at, k);
        let array = self.access(block, at, k).array;
        let key = block.key(at, k, array);
        block.columns.insert((key, if touched.moves { number } else { 0 }), value);
        if touched.shape == BlockShape::Beside && touched.moves {
            return self.store_lane(block, (at, k), 0, number, value);
        }
        let key_of =
            |(other, access): &(usize, usize)| block.key(*other, *access, self.access(block, *other, *access).array);
        if !block.left.iter().any(|left| key_of(left) == key) {
            block.left.push((at, k));
        }
        Ok(())
    }

    /// Stores what a block has left of an array that it writes.
    fn store_left(&mut self, block: &mut Block<'_, 'f>, at: usize, k: usize) -> Result<(), Failure> {
        let key = block.key(at, k, self.access(block, at, k).array);
        let column = |number: i64| block.columns[&(key, number)];
        match block.touched(at, k).shape {
            shape @ (BlockShape::Along | BlockShape::Back) => {
                let order = block.iterations_by_address(shape);
                let columns: Vec<Val<'f>> = order.iter().map(|number| column(*number)).collect();
                for (lane, row) in self.transposed(block, (at, k), &columns).into_iter().enumerate() {
                    self.store_lane(block, (at, k), lane, order[0], row)?;
                }
            }
            BlockShape::Beside => self.store_lane(block, (at, k), 0, 0, column(0))?,
            BlockShape::Apart | BlockShape::Same => {
                let all = column(0);
                for lane in 0..block.lanes.stmts[at].copies.len() {
                    let value = self.em.ir.lane(all, lane);
                    self.store_lane(block, (at, k), lane, 0, value)?;
                }
            }
        }
        Ok(())
    }

    fn access<'a>(&self, block: &Block<'_, 'f>, at: usize, k: usize) -> &'a Access
    where
        'f: 'a,
    {
        let (id, _) = block.stmts[block.lanes.stmts[at].copies[0]];
        &self.scop.stmt(id).accesses[k]
    }

    /// The address of an element that an access touches.
    fn lane_address(
        &mut self,
        block: &Block<'_, 'f>,
        (at, k): (usize, usize),
        lane: usize,
        number: i64,
    ) -> Replaced<'f> {
        let access = self.access(block, at, k);
        let args = block.args(at, lane, number);
        if access.carries.is_some() {
            return self.element_address(access, &args);
        }
        self.address_of(access.inst, block.stmts[block.lanes.stmts[at].copies[0]].0, &args)
    }

    /// Loads an element, or so many from there on.
    fn load_lane(
        &mut self,
        block: &Block<'_, 'f>,
        of: (usize, usize),
        lane: usize,
        number: i64,
        width: Option<u32>,
    ) -> Replaced<'f> {
        let address = self.lane_address(block, of, lane, number)?;
        let access = self.access(block, of.0, of.1);
        let ty = self.accessed_type(access).ok_or_else(|| super::emit::bug(format!("{} has no type", access.inst)))?;
        let ty = width.map_or(ty, |width| self.em.ir.vector_ty(ty, width));
        let load = self.em.ir.load(ty, address);
        self.claim_lane(load, access.array);
        Ok(load)
    }

    fn store_lane(
        &mut self,
        block: &Block<'_, 'f>,
        of: (usize, usize),
        lane: usize,
        number: i64,
        value: Val<'f>,
    ) -> Result<(), Failure> {
        let address = self.lane_address(block, of, lane, number)?;
        let array = self.access(block, of.0, of.1).array;
        let store = self.em.ir.store(value, address);
        self.claim_lane(store, array);
        Ok(())
    }

    fn claim_lane(&self, access: Val<'f>, array: ArrayId) {
        self.em.ir.align(access, self.alignment_of(array));
        self.disjoint.annotate(self.em.ir, access, Some(array), None);
        self.fit_to_copy(access, array);
    }

    /// Rows of a block as its columns, or columns as its rows.
    fn transposed(&self, block: &Block<'_, 'f>, (at, k): (usize, usize), rows: &[Val<'f>]) -> Vec<Val<'f>> {
        let bytes = usize::try_from(self.scop.array(self.access(block, at, k).array).elem_bytes).unwrap_or(8);
        let ir = self.em.ir;
        transposed(rows, PART_BITS / 8 / bytes, &mut |a, b, from| ir.shuffle(a, b, from))
    }
}

impl Block<'_, '_> {
    fn width(&self) -> u32 {
        u32::try_from(self.lanes.width).unwrap_or(1)
    }

    fn touched(&self, at: usize, k: usize) -> BlockAccess {
        self.lanes.stmts[at].touched[k]
    }

    /// Its iterations, in the order of the elements that one row has of them.
    fn iterations_by_address(&self, shape: BlockShape) -> Vec<i64> {
        let all = 0..self.lanes.width;
        if shape == BlockShape::Back { all.rev().collect() } else { all.collect() }
    }

    /// What the values of an access are known by.
    fn key(&self, at: usize, k: usize, array: ArrayId) -> Key {
        if self.touched(at, k).written { Key::Array(array, self.lanes.stmts[at].vector) } else { Key::Access(at, k) }
    }

    /// Values of the statement's dims in an iteration of the block.
    fn args(&self, at: usize, lane: usize, number: i64) -> Vec<Expr> {
        let (_, args) = self.stmts[self.lanes.stmts[at].copies[lane]];
        let iter = Expr::Iter(self.of.iter);
        let value = if number == 0 { iter } else { Expr::Add(vec![iter, Expr::Int(number)]) };
        args.iter().map(|arg| arg.with(self.of.iter, &value)).collect()
    }
}

/// The columns of a square block of vectors; as many elements as `part` says, a power of two, change places cheaply.
/// First the blocks of that size are transposed, by interleaving pairs of vectors in all parts at once, then the parts
/// as a whole, by taking every other one of two vectors.
fn transposed<V: Copy>(rows: &[V], part: usize, shuffle: &mut dyn FnMut(V, V, &[usize]) -> V) -> Vec<V> {
    let width = rows.len();
    let part = part.clamp(1, width);
    // Vectors of which part P holds column `P * part + c` of `part` rows from `r` on, at `r + c`.
    let mut now = rows.to_vec();
    let mut run = 1;
    while run < part {
        let mut next = now.clone();
        for group in (0..width).step_by(part) {
            let count = part / 2;
            // Runs of elements of two vectors by turns: of their lower halves, of their upper halves.
            for pair in 0..count {
                let (low, high) = (pair % run, pair / run);
                let first = group + low + high * 2 * run;
                let second = first + run;
                let of_half = |half: usize| {
                    let element = |at: usize| {
                        let (of_part, inside) = (at / part * part, at % part);
                        let (turn, within) = (inside / run, inside % run);
                        let from = of_part + half * part / 2 + turn / 2 * run + within;
                        from + if turn.is_multiple_of(2) { 0 } else { width }
                    };
                    (0..width).map(element).collect::<Vec<usize>>()
                };
                next[group + low + high * 2 * run] = shuffle(now[first], now[second], &of_half(0));
                next[group + low + high * 2 * run + run] = shuffle(now[first], now[second], &of_half(1));
            }
        }
        now = next;
        run *= 2;
    }
    // Each step has sorted by one more bit of the column, the lowest one last.
    let bits = part.ilog2();
    let reversed = |at: usize| (0..bits).fold(0, |sum, bit| sum * 2 + (at >> bit & 1));
    let place = |at: usize| at / part * part + reversed(at % part);
    let sorted: Vec<V> = (0..width).map(|at| now[place(at)]).collect();
    transposed_parts(&sorted, part, shuffle)
}

/// The second step of [`transposed`].
fn transposed_parts<V: Copy>(rows: &[V], part: usize, shuffle: &mut dyn FnMut(V, V, &[usize]) -> V) -> Vec<V> {
    let width = rows.len();
    let groups = width / part;
    let mut out = rows.to_vec();
    for column in 0..part {
        // One vector for each group of rows.
        let mut now: Vec<V> = (0..groups).map(|g| rows[g * part + column]).collect();
        let mut done = 1;
        while done < groups {
            let every_other = |odd: usize| {
                let element = |at: usize| {
                    let (p, inside) = (at / part, at % part);
                    (2 * p + odd) * part + inside
                };
                (0..width).map(element).collect::<Vec<usize>>()
            };
            let half = groups / 2;
            let mut next = now.clone();
            for pair in 0..half {
                next[pair] = shuffle(now[2 * pair], now[2 * pair + 1], &every_other(0));
                next[half + pair] = shuffle(now[2 * pair], now[2 * pair + 1], &every_other(1));
            }
            now = next;
            done *= 2;
        }
        for (p, vector) in now.into_iter().enumerate() {
            out[p * part + column] = vector;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::transposed;

    /// Rows of (row, column) change places with columns, whatever the size of cheap parts.
    #[test]
    fn rows_become_columns() {
        for width in [2_usize, 4, 8, 16] {
            for part in [1, 2, 4, 8].into_iter().filter(|part| *part <= width) {
                let mut made: Vec<Vec<(usize, usize)>> =
                    (0..width).map(|row| (0..width).map(|column| (row, column)).collect()).collect();
                let rows: Vec<usize> = (0..width).collect();
                let mut steps = 0;
                let columns = transposed(&rows, part, &mut |a, b, from| {
                    let of = |at: &usize| if *at < width { made[a][*at] } else { made[b][at - width] };
                    let vector: Vec<(usize, usize)> = from.iter().map(of).collect();
                    made.push(vector);
                    steps += 1;
                    made.len() - 1
                });
                for (column, vector) in columns.iter().enumerate() {
                    let wanted: Vec<(usize, usize)> = (0..width).map(|row| (row, column)).collect();
                    assert_eq!(made[*vector], wanted, "{width} lanes in parts of {part}");
                }
                assert_eq!(steps, width * width.ilog2() as usize, "{width} lanes in parts of {part}");
            }
        }
    }
}
