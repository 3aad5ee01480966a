//! Loops for a GPU: the host launches kernels; these number the iterations of their loops.
//!
//! In: [`crate::ast::device::Device`]. Out: code that asks the run-time library for a device, launches, and ends with
//! an i1, whether the device has done the region; and groups of blocks that become kernels ([`outline`]) when all
//! regions are written. A kernel accesses memory through the addresses of copies alone: each array begins in the
//! device's memory where the host's does, plus the distance that the library tells.
//!
//! The value of a loop along an axis, modulo the number of blocks or threads along it, says who runs the iteration.
//! So does each loop of a kernel along that axis, whatever its bounds: what two iterations with equal values do runs
//! in one thread, in order, and the number of blocks is a matter of speed alone.

mod results;
mod stays;
mod text;

use stays::stays_unless;
pub use stays::{Stays, label, stays};
pub use text::{Ptx, Unit, outline};

use super::atoms::Poly;
use super::device_reduce::{collecting, row_words};
use super::emit::bug;
use super::generator::Generator;
use super::made::polynomial;
use super::openmp::work::Work;
use super::places::Slot;
use super::surgery::leaving;
use super::task::amount;
use crate::ast::device::{self, Device, Memory, MemoryPart, axes};
use crate::ast::next_after;
use crate::ast::shared;
use crate::ast::types::{Ast, Cond, Expr, For, Tile};
use crate::bridge::ir::{Bin, Blk, Cast, Ir, MinMax, Pos, Val};
use crate::bridge::ir_device::Base;
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::Pred;
use crate::ids::{ArrayId, IterId};
use crate::model::ArrayKind;
use crate::model::tree::Axis;
use std::collections::{BTreeMap, BTreeSet};

/// What says that a range is written (POLYRS_GPU_WRITTEN), every byte of it (POLYRS_GPU_WHOLE), before it is read
/// (POLYRS_GPU_FRESH); or that nobody wants what is written there.
const WRITTEN: i64 = 1;
const OVERWRITTEN: i64 = 1 | 2 | 4;
const SCRATCH: i64 = 2 | 4;
/// Words of a range: first byte, bytes, flags, the device's address minus the host's.
const RANGE_WORDS: i64 = 4;
/// Parameters lie between minus and plus two to the power of this: no address computed from them wraps.
const PARAMETER_BITS: u32 = 40;

/// What `errno` is where a function has no result for its argument.
const EDOM: i64 = 33;

/// What a statement takes in a thread that is alone, in launches: memory is waited for. Not measured.
const LONE_STATEMENT: f64 = 0.125;

/// What is asked of code for a GPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config<'a> {
    /// The oldest architecture that it is for; of several, commas between them, each has a text.
    pub arch: &'a str,
    /// Instructions of the host that a region must take for a device to be asked.
    pub min_compute: u64,
}

/// A kernel: blocks to be moved, complete, with one entry that comes first.
pub struct Kernel<'f> {
    blocks: Vec<Blk<'f>>,
    /// Where its arrays begin on the device.
    bases: Vec<Base<'f>>,
    region: Val<'f>,
    /// Room for the launch's sizes.
    sizes: Val<'f>,
    /// Threads of a block in x, y and z.
    threads: [u32; 3],
    /// Stands for the block's shared memory, and its bytes.
    shared: Option<(Val<'f>, u64)>,
    /// See [`State::error`].
    error: Option<Val<'f>>,
}

/// What code generation knows while it writes loops for a GPU.
#[derive(Default)]
pub struct State<'f> {
    kernels: Vec<Kernel<'f>>,
    at: At<'f>,
    /// The block's shared memory.
    pub(super) room: Option<Val<'f>>,
    /// Copies that lie in it, and how many bytes behind their places this iteration has them.
    pub(super) active: Vec<(Tile, Option<Val<'f>>)>,
    /// The device's memory in which blocks leave what they have collected.
    pub(super) row: Option<Val<'f>>,
    /// The word that says whether the host would have set `errno` to EDOM.
    error: Option<Val<'f>>,
}

/// Whose code is being written.
#[derive(Default)]
enum At<'f> {
    /// The host's, and it is all.
    #[default]
    Outside,
    /// The host's around kernels.
    Host { region: Val<'f>, bases: Vec<Base<'f>> },
    /// A kernel's: number of the thread or block and how many there are, along each axis.
    Kernel(BTreeMap<Axis, (Val<'f>, Val<'f>)>),
}

impl<'f> State<'f> {
    /// Number of the thread in its block, and how many there are, along each axis of threads.
    #[must_use]
    pub fn threads(&self) -> Vec<(Axis, Val<'f>)> {
        let At::Kernel(known) = &self.at else { return Vec::new() };
        known.iter().filter(|(axis, _)| matches!(axis, Axis::Block(..))).map(|(axis, (own, _))| (*axis, *own)).collect()
    }

    /// Code of a kernel follows: number of the thread or block and how many there are, along each axis.
    pub(super) fn enter_kernel(&mut self, known: BTreeMap<Axis, (Val<'f>, Val<'f>)>) {
        self.at = At::Kernel(known);
    }

    /// The kernels, in the order in which they were made.
    #[must_use]
    pub fn into_kernels(self) -> Vec<Kernel<'f>> {
        self.kernels
    }
}

/// What the program has for kernels.
struct Rooms<'f> {
    /// Scalars whose values go from kernel to kernel, a word for each in the function's frame.
    scalars: Option<Val<'f>>,
    /// Number of the word behind them that says whether some square root has no result, if one may have none.
    error: Option<i64>,
    /// Number of the range that blocks leave in what they have collected, and where it begins for the host, which never
    /// looks there.
    row: Option<(i64, Val<'f>)>,
}

/// Blocks of a kernel along x, y and z, at most, in terms of what is outside of it, and threads of a block.
#[must_use]
pub fn launch_sizes(kernel: &Ast) -> ([Expr; 3], [u32; 3]) {
    let (mut blocks, mut threads) = ([Expr::Int(1), Expr::Int(1), Expr::Int(1)], [1; 3]);
    for axis in axes(kernel).unwrap_or_default() {
        match axis {
            Axis::Grid(dim, most) => {
                if let Some(trip) = trip_of(kernel, axis, &mut Ends::new()) {
                    let most = most.map(|most| Expr::Int(i64::from(most)));
                    blocks[usize::from(dim)] =
                        most.map_or_else(|| trip.clone(), |most| Expr::Min(vec![trip.clone(), most]));
                }
            }
            Axis::Block(dim, count) => threads[usize::from(dim)] = count,
        }
    }
    (blocks, threads)
}

/// The largest and smallest value that an iterator of a loop around may have, in terms of what is outside.
type Ends = BTreeMap<IterId, (Expr, Expr)>;

impl<'f> Generator<'f> {
    /// Runs the region on a device, if there is one: whether it was done, an i1 at the current position, the end of a
    /// new block. If not, no memory has changed. `name`: of the function.
    ///
    /// # Errors
    /// As [`Self::ast`]; `Reject` for parameters whose sums may be too large.
    pub fn on_device(&mut self, device: &Device, name: &str, cfg: Config<'_>) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let (word, truth) = (ir.int_ty(64), ir.int_ty(1));
        let joined = ir.new_block("polyrs.device.joined");
        let mut not_done = Vec::new();
        let label = label(ir, name, &self.scop.name);
        let mut only_if = |holds: Val<'f>, why: Stays| not_done.push(stays_unless(ir, label, (holds, why), joined));
        if let Some(fits) = self.parameters_fit(device)? {
            only_if(fits, Stays::Large);
        }
        let instructions = self.instructions()?;
        if cfg.min_compute > 0 {
            only_if(ir.real_at_least(instructions, ir.real(cfg.min_compute as f64)), Stays::Little);
        }
        let (ranges, count, Rooms { scalars, error, row }) = self.ranges(device)?;
        let (code, launches) = (text::code(ir, cfg.arch), self.launches(&device.ast)?);
        let arguments = [code, ranges, count, instructions, launches, label];
        let region = ir.call_symbol("polyrs_gpu_begin", Some(ir.ptr_ty()), &arguments, None);
        let entry = ir.new_block("polyrs.device");
        not_done.push(ir.current());
        ir.cond_br(ir.is_null(region), joined, entry);
        let written = self.in_task(entry, "polyrs.device.loops", |task, share| {
            let mut bases = Vec::with_capacity(device.ranges.len());
            for (range, memory) in device.ranges.iter().enumerate() {
                let field = RANGE_WORDS * count_of(range) + 3;
                let offset = ir.load(word, ir.element(word, ranges, ir.int(word, field)));
                let host = task.base_of(memory)?;
                let base = ir.freeze(ir.gep(host, 1, offset));
                task.go_to_copy(memory.array, base);
                bases.push(Base { device: base, host: Some(host), range });
            }
            let mut places = Vec::with_capacity(device.scalars.len());
            if let Some(scalars) = scalars {
                let field = RANGE_WORDS * count_of(device.ranges.len()) + 3;
                let offset = ir.load(word, ir.element(word, ranges, ir.int(word, field)));
                let base = ir.freeze(ir.gep(scalars, 1, offset));
                let place = |k: i64| ir.element(word, base, ir.int(word, k));
                places.extend((0..).zip(&device.scalars).map(|(k, array)| (*array, place(k))));
                task.device.error = error.map(place);
                let words = places.iter().map(|(_, at)| *at).chain(task.device.error);
                let range = device.ranges.len();
                bases.extend(words.map(|at| Base { device: at, host: None, range }));
            }
            if let Some((number, row)) = row {
                let offset = ir.load(word, ir.element(word, ranges, ir.int(word, RANGE_WORDS * number + 3)));
                let base = ir.freeze(ir.gep(row, 1, offset));
                task.device.row = Some(base);
                bases.push(Base { device: base, host: None, range: usize::try_from(number).unwrap_or(usize::MAX) });
            }
            ir.seek(Pos::End(share));
            let around = task.places.move_scalars(places);
            task.device.at = At::Host { region, bases };
            let written = task.parts(device, region);
            task.places.restore(around);
            written
        });
        self.device.at = At::Outside;
        self.device.row = None;
        self.device.error = None;
        self.places.forget_copies();
        written?;
        let last = ir.current();
        let ended = ir.call_symbol("polyrs_gpu_end", Some(ir.int_ty(32)), &[region], None);
        let done = ir.icmp(Pred::Ne, ended, ir.int(ir.int_ty(32), 0));
        self.bring_back(device, scalars)?;
        if let (Some(room), Some(number)) = (scalars, error) {
            self.set_errno(ir.load(word, ir.element(word, room, ir.int(word, number))));
        }
        ir.br(joined);
        ir.seek(Pos::End(joined));
        let all = ir.phi(truth, "polyrs.done");
        not_done.iter().for_each(|from| ir.add_incoming(all, ir.int(truth, 0), *from));
        ir.add_incoming(all, done, last);
        Ok(all)
    }

    /// Sets `errno` as the host's functions do, where a kernel has found that they would.
    fn set_errno(&self, found: Val<'f>) {
        let ir = self.em.ir;
        let (int, word) = (ir.int_ty(32), ir.int_ty(64));
        let place = ir.call_symbol("__errno_location", Some(ir.ptr_ty()), &[], None);
        let failed = ir.icmp(Pred::Ne, found, ir.int(word, 0));
        ir.store(ir.select(failed, ir.int(int, EDOM), ir.load(int, place)), place);
    }

    /// Takes over what scalars hold behind the region.
    fn bring_back(&mut self, device: &Device, room: Option<Val<'f>>) -> Result<(), Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let leaving: Vec<ArrayId> = leaving(&self.origin, self.scop).map(|e| e.array).collect();
        for array in leaving {
            let number = device.scalars.iter().position(|a| *a == array);
            let (Some(slot), Some(number), Some(room)) = (self.places.scalar(array), number, room) else {
                return Err(bug(format!("{array} leaves the region, and no kernel hands it on")));
            };
            let from = Slot { at: ir.element(word, room, ir.int(word, count_of(number))), ty: slot.ty };
            slot.store(ir, from.load(ir));
        }
        Ok(())
    }

    /// Whether this is code around kernels, and `ast` is one.
    #[must_use]
    pub fn is_kernel(&self, ast: &Ast) -> bool {
        matches!(self.device.at, At::Host { .. }) && device::is_kernel(ast)
    }

    /// Where an array begins.
    fn base_of(&self, memory: &Memory) -> Result<Val<'f>, Failure> {
        match self.scop.array(memory.array).kind {
            ArrayKind::Memory { base } => Ok(self.em.ir.value(base)),
            kind => Err(bug(format!("{} has no address: {kind:?}", memory.array))),
        }
    }

    /// Whether parameters are so small that no address computed from them wraps, as an i1; `None`: they are.
    fn parameters_fit(&mut self, device: &Device) -> Result<Option<Val<'f>>, Failure> {
        let expressions = device.ranges.iter().flat_map(|m| &m.parts).flat_map(|p| p.first.iter().chain(&p.last));
        let magnitude = |(cond, subscripts): &(Cond, Vec<Expr>)| {
            largest_in(cond).max(subscripts.iter().map(largest).max().unwrap_or(0))
        };
        if expressions.map(magnitude).max().unwrap_or(0) >= 1 << 62 {
            let detail = "a bound of what the loops touch is too large".to_owned();
            return Err(Failure::Reject(Reject::new(RejectKind::TooLarge, detail, SourceLoc::default())));
        }
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let mut all = None;
        for (k, param) in self.scop.params.iter().enumerate() {
            if !param.is_product() && self.origin.facts.signed_bits(param.value) <= PARAMETER_BITS {
                continue;
            }
            let value = self.em.expr(&Expr::Param(k))?;
            let value = self.em.value(&value);
            let most = ir.int(word, 1 << PARAMETER_BITS);
            let least = ir.int(word, -(1 << PARAMETER_BITS));
            let fits = ir.bin(Bin::And, ir.icmp(Pred::Slt, value, most), ir.icmp(Pred::Sgt, value, least));
            all = Some(all.map_or(fits, |a| ir.bin(Bin::And, a, fits)));
        }
        Ok(all)
    }

    /// The ranges that kernels use, in the function's frame, how many there are, and what the program has for kernels.
    fn ranges(&mut self, device: &Device) -> Result<(Val<'f>, Val<'f>, Rooms<'f>), Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let here = ir.current();
        let insts = self.scop.stmts.iter().flat_map(|s| s.body.insts());
        let error = insts.copied().any(|v| ir.may_fail(v)).then(|| count_of(device.scalars.len()));
        let scalars = (8 * (count_of(device.scalars.len()) + i64::from(error.is_some()))).cast_unsigned();
        let kept = row_words(&device.ast).cast_unsigned();
        let of_scalars = count_of(device.ranges.len());
        let of_row = of_scalars + i64::from(scalars > 0);
        let count = of_row + i64::from(kept > 0);
        let row = ir.alloca_row(word, (count * RANGE_WORDS).max(1).cast_unsigned(), "polyrs.ranges");
        let room = (scalars > 0).then(|| ir.alloca_row(word, scalars / 8, "polyrs.scalars"));
        ir.seek(Pos::End(here));
        let values = (kept > 0).then(|| ir.room_on_device(kept));
        let range = |k: i64, (first, bytes): (Val<'f>, Val<'f>), flags: i64| {
            let place = |field: i64| ir.element(word, row, ir.int(word, RANGE_WORDS * k + field));
            ir.store(first, place(0));
            ir.store(bytes, place(1));
            ir.store(ir.int(word, flags), place(2));
            ir.store(ir.int(word, 0), place(3));
        };
        for (k, memory) in (0_i64..).zip(&device.ranges) {
            let (first, bytes) = self.extent(memory)?;
            let flags = match (memory.written, memory.fresh, memory.scratch) {
                (_, _, true) => SCRATCH,
                (_, true, false) => OVERWRITTEN,
                (written, false, false) => i64::from(written) * WRITTEN,
            };
            range(k, (ir.gep(self.base_of(memory)?, 1, first), bytes), flags);
        }
        if let Some(room) = room {
            if let Some(number) = error {
                ir.store(ir.int(word, 0), ir.element(word, room, ir.int(word, number)));
            }
            range(of_scalars, (room, ir.int(word, scalars.cast_signed())), WRITTEN);
        }
        if let Some(values) = values {
            range(of_row, (values, ir.int(word, 8 * kept.cast_signed())), SCRATCH);
        }
        let rooms = Rooms { scalars: room, error, row: values.map(|values| (of_row, values)) };
        Ok((row, ir.int(ir.int_ty(32), count), rooms))
    }

    /// Bytes from the beginning of an array to the first one touched, and from there to behind the last one.
    fn extent(&mut self, memory: &Memory) -> Result<(Val<'f>, Val<'f>), Failure> {
        let ir = self.em.ir;
        let word = |v: i64| ir.int(ir.int_ty(64), v);
        if let Some(whole) = memory.whole {
            return Ok((word(0), word(whole.cast_signed())));
        }
        let (mut first, mut end) = (word(i64::MAX), word(i64::MIN));
        for part in &memory.parts {
            let MemoryPart { first: own_first, last, bytes } = part;
            let own_first = self.offset(memory, own_first, 0, i64::MAX)?;
            let own_end = self.offset(memory, last, i64::from(*bytes), i64::MIN)?;
            first = ir.min_max(MinMax::SMin, first, own_first);
            end = ir.min_max(MinMax::SMax, end, own_end);
        }
        let some = ir.icmp(Pred::Slt, first, end);
        let bytes = ir.select(some, ir.bin(Bin::Sub, end, first), word(0));
        Ok((ir.select(some, first, word(0)), bytes))
    }

    /// Bytes from the beginning of an array to an element and `more`, where one of the conditions holds.
    fn offset(
        &mut self,
        memory: &Memory,
        pieces: &[(Cond, Vec<Expr>)],
        more: i64,
        otherwise: i64,
    ) -> Result<Val<'f>, Failure> {
        let array = self.scop.array(memory.array);
        let params = self.params()?;
        let mut found = self.em.ir.int(self.em.ir.int_ty(64), otherwise);
        for (cond, subscripts) in pieces {
            let mut offset = Poly::constant(more);
            for (subscript, stride) in subscripts.iter().zip(&array.strides) {
                offset = offset.add(&self.em.expr(subscript)?.mul(&polynomial(stride, &params)));
            }
            let value = self.em.value(&offset);
            let holds = self.em.cond(cond)?;
            found = self.em.ir.select(holds, value, found);
        }
        Ok(found)
    }

    /// What one core would do, roughly.
    fn instructions(&mut self) -> Result<Val<'f>, Failure> {
        let all: Vec<_> = self.scop.stmts.iter().map(|s| (s.id, (0..s.dims()).collect())).collect();
        let work = Work::of(self.scop, &all)?;
        let params: Vec<Val<'f>> = self.params()?.iter().map(|p| self.em.value(p)).collect();
        Ok(amount(&self.em, &work, &params))
    }

    /// How many kernels are started, at most, roughly; what one thread does alone counts as launches as well.
    fn launches(&mut self, ast: &Ast) -> Result<Val<'f>, Failure> {
        let mut all = Vec::new();
        launches_of(ast, &mut Ends::new(), &mut Vec::new(), &mut all);
        let mut sum = self.em.ir.real(0.0);
        for (each, trips) in all {
            let mut product = self.em.ir.real(each);
            for trip in trips {
                let trip = self.em.expr(&trip)?;
                let trip = self.em.value(&trip);
                let ir = self.em.ir;
                product = ir.real_mul(product, ir.real_max(ir.real_of_int(trip), ir.real(0.0)));
            }
            sum = self.em.ir.real_add(sum, product);
        }
        Ok(sum)
    }

    /// A kernel as blocks of their own, and its launch.
    ///
    /// # Errors
    /// As [`Self::ast`]; `Bug` for loops that are no kernel.
    pub fn kernel(&mut self, ast: &Ast) -> Result<(), Failure> {
        let axes = axes(ast).map_err(|why| bug(why.to_owned()))?;
        let launch = launch_sizes(ast);
        if let Some(f) = collecting(ast) {
            return self.collecting_kernels((ast, f), &axes, &launch);
        }
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let mut blocks = [ir.int(word, 1); 3];
        for (k, trip) in launch.0.iter().enumerate().filter(|(_, trip)| **trip != Expr::Int(1)) {
            let trip = self.em.expr(trip)?;
            blocks[k] = ir.min_max(MinMax::SMax, self.em.value(&trip), ir.int(word, 1));
        }
        let sizes = self.size_row(blocks, launch.1);
        let private = device::private_scalars(self.scop, ast);
        self.as_kernel((sizes, launch.1), shared::bytes_of(ast), &private, |task, share| {
            task.device.enter_kernel(axes.iter().map(|axis| (*axis, numbers(ir, *axis))).collect());
            ir.seek(Pos::End(share));
            task.places.empty(ir, &private);
            task.ast(ast)
        })
    }

    /// Blocks of their own that become a kernel, and its launch: `write` begins at the end of the first one, says whose
    /// threads run ([`State::enter_kernel`]), and goes on at the end of the block that is handed to it. `bytes`: of
    /// shared memory; `private`: scalars that each thread has for itself.
    ///
    /// # Errors
    /// As `write`; `Bug` outside of a region for a device.
    pub(super) fn as_kernel(
        &mut self,
        (sizes, threads): (Val<'f>, [u32; 3]),
        bytes: i64,
        private: &BTreeSet<ArrayId>,
        write: impl FnOnce(&mut Self, Blk<'f>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let At::Host { region, bases } = std::mem::take(&mut self.device.at) else {
            return Err(bug("a kernel outside of a region for a device".to_owned()));
        };
        let ir = self.em.ir;
        let before = ir.current();
        let around_scalars = self.places.for_each_thread(ir, private);
        ir.seek(Pos::End(before));
        let bytes = u64::try_from(bytes).unwrap_or(0);
        let room = (bytes > 0).then(|| ir.shared_room());
        let (made, join) = (ir.made().len(), ir.new_block("polyrs.launched"));
        let entry = ir.new_block("polyrs.kernel");
        ir.br(entry);
        self.device.room = room;
        let written = self.in_task(entry, "polyrs.kernel.loops", write);
        self.device.at = At::Host { region, bases: bases.clone() };
        self.places.restore(around_scalars);
        written?;
        ir.br(join);
        ir.seek(Pos::End(join));
        let blocks = ir.made().split_off(made).into_iter().filter(|b| *b != join).collect();
        let shared = self.device.room.take().map(|room| (room, bytes));
        let error = self.device.error;
        self.device.kernels.push(Kernel { blocks, bases, region, sizes, threads, shared, error });
        Ok(())
    }

    /// Blocks in x, y, z, 1 where nothing is said, and threads in x, y, z, in the function's frame.
    pub(super) fn size_row<const N: usize>(&self, blocks: [Val<'f>; N], threads: [u32; 3]) -> Val<'f> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let here = ir.current();
        let row = ir.alloca_row(word, 6, "polyrs.sizes");
        ir.seek(Pos::End(here));
        let mut sizes = [ir.int(word, 1); 6];
        sizes.iter_mut().zip(blocks).for_each(|(size, asked)| *size = asked);
        for (size, count) in sizes[3..].iter_mut().zip(threads) {
            *size = ir.int(word, i64::from(count));
        }
        for (k, size) in (0_i64..).zip(sizes) {
            ir.store(size, ir.element(word, row, ir.int(word, k)));
        }
        row
    }

    /// The iterations of a kernel's loop that are this thread's; `false`: it is no such loop.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn numbered(&mut self, f: &For) -> Result<bool, Failure> {
        let (Some(axis), At::Kernel(known)) = (f.axis, &self.device.at) else { return Ok(false) };
        let (own, count) = *known.get(&axis).ok_or_else(|| bug("a loop along an axis of its own".to_owned()))?;
        if f.step != 1 {
            return Err(bug("a loop along an axis has strides".to_owned()));
        }
        if shared::is_full(f) {
            return self.numbered_once(f, own).map(|()| true);
        }
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let lower = self.em.expr(&f.lower)?;
        let end = self.em.expr(&next_after(&f.upper))?;
        let (from, last) = (self.em.value(&lower), self.em.value(&end));
        let first = match lower.as_constant() {
            Some(0) => own,
            _ => ir.bin(Bin::Add, from, remainder(ir, ir.bin(Bin::Sub, own, from), (axis, count))),
        };
        let (preheader, header) = (ir.new_block("polyrs.preheader"), ir.new_block("polyrs.loop"));
        let after = ir.new_block("polyrs.after");
        ir.cond_br(ir.icmp(Pred::Slt, first, last), preheader, after);
        ir.seek(Pos::End(preheader));
        ir.br(header);
        ir.seek(Pos::End(header));
        let phi = ir.phi(word, "polyrs.iv");
        ir.add_incoming(phi, first, preheader);
        let mark = self.around.mark();
        self.around.enter(f.iter, &f.lower, &f.upper);
        self.em.enter_loop(f.iter, phi);
        self.with_copies(&f.staged, &f.body, None)?;
        let next = ir.bin(Bin::Add, phi, count);
        ir.add_incoming(phi, next, ir.current());
        ir.cond_br(ir.icmp(Pred::Slt, next, last), header, after);
        self.em.leave_loop();
        self.around.forget(mark);
        ir.seek(Pos::End(after));
        Ok(true)
    }
}

impl<'f> Generator<'f> {
    /// The one iteration that each thread of a block has of a loop; `own`: number of the thread.
    fn numbered_once(&mut self, f: &For, own: Val<'f>) -> Result<(), Failure> {
        let Some(axis) = f.axis else { return Err(bug("a loop without threads".to_owned())) };
        let lower = self.em.expr(&f.lower)?;
        let from = self.em.value(&lower);
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let threads = ir.int(word, if let Axis::Block(_, n) = axis { i64::from(n) } else { 1 });
        let value = match lower.as_constant() {
            Some(0) => own,
            _ => ir.bin(Bin::Add, from, remainder(ir, ir.bin(Bin::Sub, own, from), (axis, threads))),
        };
        let (before, body) = (ir.current(), ir.new_block("polyrs.thread"));
        ir.br(body);
        ir.seek(Pos::End(body));
        let phi = ir.phi(word, "polyrs.iv");
        ir.add_incoming(phi, value, before);
        let mark = self.around.mark();
        self.around.enter(f.iter, &f.lower, &f.upper);
        self.em.enter_loop(f.iter, phi);
        self.ast(&f.body)?;
        self.em.leave_loop();
        self.around.forget(mark);
        Ok(())
    }
}

fn count_of(all: usize) -> i64 {
    i64::try_from(all).unwrap_or(i64::MAX)
}

/// Number of the block or thread along an axis, and how many there are: 64 bits.
pub(super) fn numbers<'f>(ir: &Ir<'f>, axis: Axis) -> (Val<'f>, Val<'f>) {
    let dim = ["x", "y", "z"][axis.index() % 3];
    let read = |register: &str| {
        let symbol = format!("llvm.nvvm.read.ptx.sreg.{register}.{dim}");
        ir.cast(Cast::ZExt, ir.call_symbol(&symbol, Some(ir.int_ty(32)), &[], None), ir.int_ty(64))
    };
    match axis {
        Axis::Grid(..) => (read("ctaid"), read("nctaid")),
        Axis::Block(_, threads) => (read("tid"), ir.int(ir.int_ty(64), i64::from(threads))),
    }
}

/// `v` modulo the number of blocks or threads, from 0 on.
fn remainder<'f>(ir: &Ir<'f>, v: Val<'f>, (axis, count): (Axis, Val<'f>)) -> Val<'f> {
    let word = ir.int_ty(64);
    if let Axis::Block(_, threads) = axis
        && threads.is_power_of_two()
    {
        return ir.bin(Bin::And, v, ir.int(word, i64::from(threads) - 1));
    }
    let rest = ir.bin(Bin::SRem, v, count);
    let below = ir.icmp(Pred::Slt, rest, ir.int(word, 0));
    ir.select(below, ir.bin(Bin::Add, rest, count), rest)
}

/// The expression where iterators have their largest or smallest values.
fn at_ends(e: &Expr, ends: &Ends, side: fn(&(Expr, Expr)) -> &Expr) -> Expr {
    let of = |e: &Expr| at_ends(e, ends, side);
    let all = |of_all: &[Expr]| of_all.iter().map(of).collect();
    match e {
        Expr::Int(_) | Expr::Param(_) => e.clone(),
        Expr::Iter(i) => ends.get(i).map_or_else(|| e.clone(), |pair| side(pair).clone()),
        Expr::Add(a) => Expr::Add(all(a)),
        Expr::Mul(k, e) => Expr::Mul(*k, Box::new(of(e))),
        Expr::FloorDiv(e, d) => Expr::FloorDiv(Box::new(of(e)), *d),
        Expr::CeilDiv(e, d) => Expr::CeilDiv(Box::new(of(e)), *d),
        Expr::Mod(e, d) => Expr::Mod(Box::new(of(e)), *d),
        Expr::Min(a) => Expr::Min(all(a)),
        Expr::Max(a) => Expr::Max(all(a)),
    }
}

/// Values that a loop's iterator has at the corners of the loops around: smallest and largest. Approximate.
fn corners(f: &For, ends: &Ends) -> (Expr, Expr) {
    let both = |e: &Expr, of: fn(Vec<Expr>) -> Expr| {
        let (low, high) = (at_ends(e, ends, |p| &p.0), at_ends(e, ends, |p| &p.1));
        if low == high { low } else { of(vec![low, high]) }
    };
    (both(&f.lower, Expr::Min), both(&f.upper, Expr::Max))
}

fn trip(f: &For, (low, high): &(Expr, Expr)) -> Expr {
    if let (Expr::Int(0), Expr::Int(last), 1) = (low, high, f.step) {
        return Expr::Int(last.saturating_add(1));
    }
    let mut sum = vec![high.clone(), Expr::Int(f.step)];
    if *low != Expr::Int(0) {
        sum.push(Expr::Mul(-1, Box::new(low.clone())));
    }
    if f.step == 1 { Expr::Add(sum) } else { Expr::FloorDiv(Box::new(Expr::Add(sum)), f.step) }
}

/// Iterations of the first loop along an axis, roughly, in terms of what is outside of the kernel.
fn trip_of(ast: &Ast, axis: Axis, ends: &mut Ends) -> Option<Expr> {
    match ast {
        Ast::Block(parts) => parts.iter().find_map(|part| trip_of(part, axis, ends)),
        Ast::If(i) => trip_of(&i.then, axis, ends).or_else(|| trip_of(i.otherwise.as_ref()?, axis, ends)),
        Ast::For(f) => {
            let corners = corners(f, ends);
            if f.axis == Some(axis) {
                return Some(trip(f, &corners));
            }
            ends.insert(f.iter, corners);
            let found = trip_of(&f.body, axis, ends);
            ends.remove(&f.iter);
            found
        }
        Ast::Stmt { .. } => None,
    }
}

/// What takes as long as a launch, times iterations of the loops around: each kernel, and the iterations of those that
/// one thread runs.
fn launches_of(ast: &Ast, ends: &mut Ends, around: &mut Vec<Expr>, all: &mut Vec<(f64, Vec<Expr>)>) {
    if device::is_kernel(ast) {
        all.push((if collecting(ast).is_some() { 2.0 } else { 1.0 }, around.clone()));
        if matches!(ast, Ast::For(f) if f.axis.is_none()) {
            alone(ast, ends, around, all);
        }
        return;
    }
    match ast {
        Ast::Block(parts) => parts.iter().for_each(|part| launches_of(part, ends, around, all)),
        Ast::If(i) => {
            let parts = [&i.then].into_iter().chain(&i.otherwise);
            parts.for_each(|part| launches_of(part, ends, around, all));
        }
        Ast::For(f) => inside(f, ends, around, |ends, around| launches_of(&f.body, ends, around, all)),
        Ast::Stmt { .. } => {}
    }
}

/// The iterations of a kernel that one thread runs.
fn alone(ast: &Ast, ends: &mut Ends, around: &mut Vec<Expr>, all: &mut Vec<(f64, Vec<Expr>)>) {
    match ast {
        Ast::Block(parts) => parts.iter().for_each(|part| alone(part, ends, around, all)),
        Ast::If(i) => [&i.then].into_iter().chain(&i.otherwise).for_each(|part| alone(part, ends, around, all)),
        Ast::For(f) => inside(f, ends, around, |ends, around| alone(&f.body, ends, around, all)),
        Ast::Stmt { .. } => all.push((LONE_STATEMENT, around.clone())),
    }
}

/// Goes into a loop.
fn inside(f: &For, ends: &mut Ends, around: &mut Vec<Expr>, go: impl FnOnce(&mut Ends, &mut Vec<Expr>)) {
    let corners = corners(f, ends);
    around.push(trip(f, &corners));
    ends.insert(f.iter, corners);
    go(ends, around);
    ends.remove(&f.iter);
    around.pop();
}

/// What the absolute value of an expression of parameters, and of every sum on the way, is at most.
fn largest(e: &Expr) -> u128 {
    let sum = |of: &[Expr]| of.iter().map(largest).fold(0_u128, u128::saturating_add);
    match e {
        Expr::Int(v) => v.unsigned_abs().into(),
        Expr::Param(_) | Expr::Iter(_) => 1 << PARAMETER_BITS,
        Expr::Add(of) | Expr::Min(of) | Expr::Max(of) => sum(of),
        Expr::Mul(k, e) => u128::from(k.unsigned_abs()).saturating_mul(largest(e)),
        Expr::FloorDiv(e, d) | Expr::CeilDiv(e, d) | Expr::Mod(e, d) => {
            largest(e).saturating_add(d.unsigned_abs().into())
        }
    }
}

fn largest_in(cond: &Cond) -> u128 {
    match cond {
        Cond::True | Cond::False => 0,
        Cond::And(of) | Cond::Or(of) => of.iter().map(largest_in).max().unwrap_or(0),
        Cond::Not(c) => largest_in(c),
        Cond::Ge(a, b) | Cond::Eq(a, b) => largest(a).saturating_add(largest(b)),
    }
}
