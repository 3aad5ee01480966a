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

use super::atoms::Poly;
use super::emit::bug;
use super::generator::Generator;
use super::made::stride_of;
use super::openmp::work::Work;
use super::task::amount;
use crate::ast::device::{Device, Memory, Part, axes};
use crate::ast::next_after;
use crate::ast::types::{Ast, Cond, Expr, For};
use crate::bridge::ir::{Bin, Blk, Cast, Ir, MinMax, Pos, Val};
use crate::bridge::ir_device::DeviceModule;
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::Pred;
use crate::ids::IterId;
use crate::model::ArrayKind;
use crate::model::tree::Axis;
use std::collections::{BTreeMap, BTreeSet};

/// Version of the library's interface (POLYRS_GPU_VERSION), and what says that a range is written
/// (POLYRS_GPU_WRITTEN).
const VERSION: i64 = 1;
const WRITTEN: i64 = 1;
/// Words of a range: first byte, bytes, flags, the device's address minus the host's.
const RANGE_WORDS: i64 = 4;
/// Parameters lie between minus and plus two to the power of this: no address computed from them wraps.
const PARAMETER_BITS: u32 = 40;

/// A kernel: blocks to be moved, complete, with one entry that comes first.
pub struct Kernel<'f> {
    blocks: Vec<Blk<'f>>,
    /// Where its arrays begin on the device.
    bases: Vec<Val<'f>>,
    region: Val<'f>,
    /// Room for the launch's sizes.
    sizes: Val<'f>,
}

/// What code generation knows while it writes loops for a GPU.
#[derive(Default)]
pub struct State<'f> {
    kernels: Vec<Kernel<'f>>,
    at: At<'f>,
}

/// Whose code is being written.
#[derive(Default)]
enum At<'f> {
    /// The host's, and it is all.
    #[default]
    Outside,
    /// The host's around kernels.
    Host { region: Val<'f>, bases: Vec<Val<'f>> },
    /// A kernel's: number of the thread or block and how many there are, along each axis.
    Kernel(BTreeMap<Axis, (Val<'f>, Val<'f>)>),
}

impl<'f> State<'f> {
    /// The kernels, in the order in which they were made.
    #[must_use]
    pub fn into_kernels(self) -> Vec<Kernel<'f>> {
        self.kernels
    }
}

/// Moves kernels into a module of their own, writes the code that starts them and adds their PTX to the program.
/// `name`: of the function that they are in, whose code `symbol` stands for.
///
/// # Errors
/// Why there are no such kernels; the function is then broken.
pub fn outline<'f>(ir: &Ir<'f>, name: &str, kernels: &[Kernel<'f>], arch: &str) -> Result<(), String> {
    if kernels.is_empty() {
        return Ok(());
    }
    let device = DeviceModule::new(ir);
    let mut names = Vec::with_capacity(kernels.len());
    for (k, kernel) in kernels.iter().enumerate() {
        let own = format!("{}_{k}", plain_name(name));
        let launch = device.kernel(ir, (&kernel.blocks, &kernel.bases), &own)?;
        ir.set_debug_loc(None);
        ir.seek(Pos::End(launch.before));
        let number = |n: usize| ir.int(ir.int_ty(32), i64::try_from(n).unwrap_or(0));
        let count = number(usize::try_from(launch.count).unwrap_or(0));
        let arguments = [kernel.region, number(k), kernel.sizes, launch.room, count];
        ir.call_symbol("polyrs_gpu_launch", None, &arguments, None);
        ir.br(launch.after);
        names.push(ir.text_constant(&format!("{}.name.{k}", symbol(name)), &own));
    }
    let ptx = ir.text_constant(&format!("{}.ptx", symbol(name)), &device.ptx(arch)?);
    let count = ir.int(ir.int_ty(32), i64::try_from(names.len()).unwrap_or(0));
    let names = ir.struct_constant(&format!("{}.names", symbol(name)), &names);
    let fields = [ptx, names, count, ir.int(ir.int_ty(32), VERSION)];
    ir.fill(code(ir, name), &fields);
    Ok(())
}

/// The constant that stands for a function's kernels.
fn code<'f>(ir: &Ir<'f>, name: &str) -> Val<'f> {
    let (pointer, number) = (ir.ptr_ty(), ir.int_ty(32));
    ir.later_constant(&symbol(name), &[pointer, pointer, number, number])
}

fn symbol(name: &str) -> String {
    format!("polyrs.gpu.{name}")
}

/// A name that PTX can have.
fn plain_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("polyrs_{plain}")
}

/// The largest and smallest value that an iterator of a loop around may have, in terms of what is outside.
type Ends = BTreeMap<IterId, (Expr, Expr)>;

impl<'f> Generator<'f> {
    /// Runs the region on a device, if there is one: whether it was done, an i1 at the current position, the end of a
    /// new block. If not, no memory has changed.
    ///
    /// # Errors
    /// As [`Self::ast`]; `Reject` for parameters whose sums may be too large.
    pub fn on_device(&mut self, device: &Device, name: &str) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let (word, truth) = (ir.int_ty(64), ir.int_ty(1));
        let joined = ir.new_block("polyrs.device.joined");
        let mut not_done = Vec::new();
        if let Some(fits) = self.parameters_fit(device)? {
            let narrow = ir.new_block("polyrs.device.ask");
            not_done.push(ir.current());
            ir.cond_br(fits, narrow, joined);
            ir.seek(Pos::End(narrow));
        }
        let ranges = self.ranges(&device.ranges)?;
        let (code, count) = (code(ir, name), ir.int(ir.int_ty(32), count_of(&device.ranges)));
        let [instructions, launches] = [self.instructions()?, self.launches(&device.ast)?];
        let label = ir.text_constant(&format!("{}.region.{}", symbol(name), self.scop.name), &self.scop.name);
        let arguments = [code, ranges, count, instructions, launches, label];
        let region = ir.call_symbol("polyrs_gpu_begin", Some(ir.ptr_ty()), &arguments, None);
        let (entry, share) = (ir.new_block("polyrs.device"), ir.new_block("polyrs.device.loops"));
        not_done.push(ir.current());
        ir.cond_br(ir.is_null(region), joined, entry);

        let around = self.em.enter_task(entry);
        ir.seek(Pos::End(entry));
        let mut bases = Vec::with_capacity(device.ranges.len());
        for (k, memory) in (0_i64..).zip(&device.ranges) {
            let offset = ir.load(word, ir.element(word, ranges, ir.int(word, RANGE_WORDS * k + 3)));
            let base = ir.freeze(ir.gep(self.base_of(memory)?, 1, offset));
            self.go_to_copy(memory.array, base);
            bases.push(base);
        }
        ir.seek(Pos::End(share));
        self.device.at = At::Host { region, bases };
        let written = self.ast(&device.ast);
        self.device.at = At::Outside;
        self.places.forget_copies();
        written?;
        let last = ir.current();
        ir.seek(Pos::End(entry));
        ir.br(share);
        self.em.leave_task(around);

        ir.seek(Pos::End(last));
        let ended = ir.call_symbol("polyrs_gpu_end", Some(ir.int_ty(32)), &[region], None);
        let done = ir.icmp(Pred::Ne, ended, ir.int(ir.int_ty(32), 0));
        ir.br(joined);
        ir.seek(Pos::End(joined));
        let all = ir.phi(truth, "polyrs.done");
        not_done.iter().for_each(|from| ir.add_incoming(all, ir.int(truth, 0), *from));
        ir.add_incoming(all, done, last);
        Ok(all)
    }

    /// Whether this is code around kernels, and `ast` is one.
    #[must_use]
    pub fn is_kernel(&self, ast: &Ast) -> bool {
        let is_one = match ast {
            Ast::For(f) => f.axis.is_some(),
            Ast::Stmt { .. } => true,
            Ast::Block(_) | Ast::If(_) => false,
        };
        is_one && matches!(self.device.at, At::Host { .. })
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
            return Err(Failure::Reject(Reject { kind: RejectKind::TooLarge, detail, loc: SourceLoc::default() }));
        }
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let mut all = None;
        for (k, param) in self.scop.params.iter().enumerate() {
            if self.origin.facts.signed_bits(param.value) <= PARAMETER_BITS {
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

    /// The ranges that kernels use, in the function's frame.
    fn ranges(&mut self, all: &[Memory]) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let here = ir.current();
        let words = count_of(all) * RANGE_WORDS;
        let row = ir.alloca_row(word, words.max(1).cast_unsigned(), "polyrs.ranges");
        ir.seek(Pos::End(here));
        for (k, memory) in (0_i64..).zip(all) {
            let (first, bytes) = self.extent(memory)?;
            let ir = self.em.ir;
            let place = |field: i64| ir.element(word, row, ir.int(word, RANGE_WORDS * k + field));
            ir.store(ir.gep(self.base_of(memory)?, 1, first), place(0));
            ir.store(bytes, place(1));
            ir.store(ir.int(word, if memory.written { WRITTEN } else { 0 }), place(2));
            ir.store(ir.int(word, 0), place(3));
        }
        Ok(row)
    }

    /// Bytes from the beginning of an array to the first one touched, and from there to behind the last one.
    fn extent(&mut self, memory: &Memory) -> Result<(Val<'f>, Val<'f>), Failure> {
        let ir = self.em.ir;
        let word = |v: i64| ir.int(ir.int_ty(64), v);
        let (mut first, mut end) = (word(i64::MAX), word(i64::MIN));
        for part in &memory.parts {
            let Part { first: own_first, last, bytes } = part;
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
                offset = offset.add(&self.em.expr(subscript)?.mul(&stride_of(stride, &params)));
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

    /// How many kernels are started, at most, roughly.
    fn launches(&mut self, ast: &Ast) -> Result<Val<'f>, Failure> {
        let mut all = Vec::new();
        trips_around_kernels(ast, &mut Ends::new(), &mut Vec::new(), &mut all);
        let mut sum = self.em.ir.real(0.0);
        for trips in all {
            let mut product = self.em.ir.real(1.0);
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
        let At::Host { region, bases } = std::mem::take(&mut self.device.at) else {
            return Err(bug("a kernel outside of a region for a device".to_owned()));
        };
        let sizes = self.sizes(ast, &axes)?;
        let ir = self.em.ir;
        let (made, join) = (ir.made().len(), ir.new_block("polyrs.launched"));
        let (entry, share) = (ir.new_block("polyrs.kernel"), ir.new_block("polyrs.kernel.loops"));
        ir.br(entry);
        let around = self.em.enter_task(entry);
        ir.seek(Pos::End(entry));
        self.device.at = At::Kernel(axes.iter().map(|axis| (*axis, numbers(ir, *axis))).collect());
        ir.seek(Pos::End(share));
        let written = self.ast(ast);
        self.device.at = At::Host { region, bases: bases.clone() };
        written?;
        let last = ir.current();
        ir.seek(Pos::End(entry));
        ir.br(share);
        self.em.leave_task(around);
        ir.seek(Pos::End(last));
        ir.br(join);
        ir.seek(Pos::End(join));
        let blocks = ir.made().split_off(made).into_iter().filter(|b| *b != join).collect();
        self.device.kernels.push(Kernel { blocks, bases, region, sizes });
        Ok(())
    }

    /// Blocks in x, y, z and threads in x, y, z, in the function's frame.
    fn sizes(&mut self, kernel: &Ast, axes: &BTreeSet<Axis>) -> Result<Val<'f>, Failure> {
        let ir = self.em.ir;
        let word = ir.int_ty(64);
        let here = ir.current();
        let row = ir.alloca_row(word, 6, "polyrs.sizes");
        ir.seek(Pos::End(here));
        let mut sizes = [ir.int(word, 1); 6];
        for axis in axes {
            sizes[axis.index()] = match axis {
                Axis::Block(_, threads) => ir.int(word, i64::from(*threads)),
                Axis::Grid(_) => {
                    let trip = trip_of(kernel, *axis, &mut Ends::new());
                    let trip = self.em.expr(&trip.ok_or_else(|| bug("an axis without a loop".to_owned()))?)?;
                    let trip = self.em.value(&trip);
                    self.em.ir.min_max(MinMax::SMax, trip, self.em.ir.int(word, 1))
                }
            };
        }
        for (k, size) in (0_i64..).zip(sizes) {
            ir.store(size, ir.element(word, row, ir.int(word, k)));
        }
        Ok(row)
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
        self.ast(&f.body)?;
        let next = ir.bin(Bin::Add, phi, count);
        ir.add_incoming(phi, next, ir.current());
        ir.cond_br(ir.icmp(Pred::Slt, next, last), header, after);
        self.em.leave_loop();
        self.around.forget(mark);
        ir.seek(Pos::End(after));
        Ok(true)
    }
}

fn count_of(all: &[Memory]) -> i64 {
    i64::try_from(all.len()).unwrap_or(i64::MAX)
}

/// Number of the block or thread along an axis, and how many there are: 64 bits.
fn numbers<'f>(ir: &Ir<'f>, axis: Axis) -> (Val<'f>, Val<'f>) {
    let dim = ["x", "y", "z"][axis.index() % 3];
    let read = |register: &str| {
        let symbol = format!("llvm.nvvm.read.ptx.sreg.{register}.{dim}");
        ir.cast(Cast::ZExt, ir.call_symbol(&symbol, Some(ir.int_ty(32)), &[], None), ir.int_ty(64))
    };
    match axis {
        Axis::Grid(_) => (read("ctaid"), read("nctaid")),
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
    let both = |e: &Expr| vec![at_ends(e, ends, |p| &p.0), at_ends(e, ends, |p| &p.1)];
    if ends.is_empty() {
        return (f.lower.clone(), f.upper.clone());
    }
    (Expr::Min(both(&f.lower)), Expr::Max(both(&f.upper)))
}

fn trip(f: &For, (low, high): &(Expr, Expr)) -> Expr {
    let last = Expr::Add(vec![high.clone(), Expr::Mul(-1, Box::new(low.clone()))]);
    Expr::FloorDiv(Box::new(Expr::Add(vec![last, Expr::Int(f.step)])), f.step)
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

/// Iterations of the loops around each kernel.
fn trips_around_kernels(ast: &Ast, ends: &mut Ends, around: &mut Vec<Expr>, all: &mut Vec<Vec<Expr>>) {
    match ast {
        Ast::Block(parts) => parts.iter().for_each(|part| trips_around_kernels(part, ends, around, all)),
        Ast::If(i) => {
            let parts = [&i.then].into_iter().chain(&i.otherwise);
            parts.for_each(|part| trips_around_kernels(part, ends, around, all));
        }
        Ast::For(f) if f.axis.is_none() => {
            let corners = corners(f, ends);
            around.push(trip(f, &corners));
            ends.insert(f.iter, corners);
            trips_around_kernels(&f.body, ends, around, all);
            ends.remove(&f.iter);
            around.pop();
        }
        Ast::For(_) | Ast::Stmt { .. } => all.push(around.clone()),
    }
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
