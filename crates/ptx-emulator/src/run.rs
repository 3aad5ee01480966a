//! Runs a kernel: block after block, and within a block thread after thread, each up to the next barrier.

use crate::arith;
use crate::counts::{Accesses, Counts};
use crate::findings::{Finding, Findings};
use crate::memory::{Global, How, Piece, Who};
use crate::order::Order;
use crate::parse::{LOCAL_BASE, SHARED_BASE};
use crate::types::{Index, Inst, Kernel, Op, Space, Type, Value};

/// Instructions that one thread may run: more than any test has.
const MAX_STEPS: u64 = 2_000_000_000;

/// What is launched.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Its number, from 1.
    pub number: u32,
    /// In which order blocks and threads run.
    pub order: Order,
    /// Whether accesses are counted.
    pub counts: bool,
}

/// What became of a launch.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is wrong.
    pub findings: Findings,
    /// Numbers.
    pub counts: Counts,
}

impl Outcome {
    /// Whether a device would have ended the kernel.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        self.findings.all.iter().any(|(finding, _)| finding.is_fatal())
    }
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Runs,
    /// At the barrier at this position.
    Waits(usize),
    Done,
}

struct Thread {
    registers: Vec<u64>,
    at: usize,
    local: Piece,
    state: State,
    steps: u64,
    /// How often each instruction has run, where accesses are counted.
    times: Vec<u32>,
}

/// One block while it runs.
struct Block<'r> {
    launch: &'r Launch<'r>,
    params: &'r Piece,
    global: &'r mut Global,
    shared: Piece,
    outcome: &'r mut Outcome,
    accesses: Accesses,
    /// Its number in x, y, z.
    index: [u32; 3],
    who: Who,
}

/// A kernel that cannot go on.
struct Stopped;

/// Runs a kernel on the device's memory; `params`: the bytes of its parameters.
#[must_use]
pub fn run(launch: &Launch<'_>, params: &[u8], global: &mut Global) -> Outcome {
    let mut outcome = Outcome::default();
    let mut param_bytes = Piece::new(params.len());
    param_bytes.fill(0, params);
    let count = launch.grid.iter().product::<u32>();
    for number in launch.order.of(count, 0) {
        let mut block = Block {
            launch,
            params: &param_bytes,
            global,
            shared: Piece::new(launch.kernel.shared_bytes),
            outcome: &mut outcome,
            accesses: Accesses::default(),
            index: unfolded(number, launch.grid),
            who: Who { launch: launch.number, block: number, thread: 0, epoch: 0 },
        };
        let stopped = block.run().is_err();
        let Block { accesses, outcome, .. } = block;
        accesses.add_to(&mut outcome.counts);
        if stopped {
            break;
        }
    }
    outcome
}

/// A number as x, y, z, x fastest.
fn unfolded(number: u32, sizes: [u32; 3]) -> [u32; 3] {
    [number % sizes[0], number / sizes[0] % sizes[1], number / sizes[0] / sizes[1]]
}

impl Block<'_> {
    fn run(&mut self) -> Result<(), Stopped> {
        let kernel = self.launch.kernel;
        let count = self.launch.block.iter().product::<u32>();
        let new = |_| Thread {
            registers: vec![0; kernel.registers],
            at: 0,
            local: Piece::new(kernel.local_bytes),
            state: State::Runs,
            steps: 0,
            times: if self.launch.counts { vec![0; kernel.code.len()] } else { Vec::new() },
        };
        let mut threads: Vec<Thread> = (0..count).map(new).collect();
        loop {
            for number in self.launch.order.of(count, self.who.epoch + 1) {
                let thread = &mut threads[number as usize];
                self.who.thread = number;
                while thread.state == State::Runs {
                    self.step(thread)?;
                }
            }
            let mut waiting =
                threads.iter().filter_map(|t| if let State::Waits(at) = t.state { Some(at) } else { None });
            let Some(first) = waiting.next() else { return Ok(()) };
            if !threads.iter().all(|t| t.state == State::Waits(first)) {
                let done = threads.iter().filter(|t| t.state == State::Done).count();
                let (line, index) = (kernel.code[first].line, self.index);
                let detail =
                    || format!("block {index:?}: {done} threads of {count} have ended, or others wait elsewhere");
                self.outcome.findings.add(Finding::DivergentBarrier, line, detail);
            }
            threads.iter_mut().filter(|t| t.state != State::Done).for_each(|t| t.state = State::Runs);
            self.who.epoch += 1;
        }
    }

    /// Runs one instruction.
    fn step(&mut self, t: &mut Thread) -> Result<(), Stopped> {
        let inst = &self.launch.kernel.code[t.at];
        let position = t.at;
        t.at += 1;
        t.steps += 1;
        self.outcome.counts.instructions += 1;
        if t.steps > MAX_STEPS {
            self.find(Finding::Trap, inst, 0);
            return Err(Stopped);
        }
        if inst.when.is_some_and(|(register, negated)| (t.registers[register] & 1 == 1) == negated) {
            return Ok(());
        }
        match &inst.op {
            Op::Nothing => {}
            Op::Load { space, ty, constant, to, at, offset } => {
                let how = if *constant { How::ReadConstant } else { How::Read };
                let address = self.value(t, *at).wrapping_add_signed(*offset);
                self.check_alignment(inst, address, ty.bytes() * to.len() as u64)?;
                for (k, to) in to.iter().enumerate() {
                    let v = self.access(t, inst, (*space, *ty), address + k as u64 * ty.bytes(), how, &|old| old)?;
                    set(t, *to, ty.extend(v));
                }
                self.note(t, *space, position, address, ty.bytes() * to.len() as u64);
            }
            Op::Store { space, ty, from, at, offset } => {
                let address = self.value(t, *at).wrapping_add_signed(*offset);
                self.check_alignment(inst, address, ty.bytes() * from.len() as u64)?;
                for (k, from) in from.iter().enumerate() {
                    let v = self.value(t, *from);
                    self.access(t, inst, (*space, *ty), address + k as u64 * ty.bytes(), How::Write, &|_| v)?;
                }
                self.note(t, *space, position, address, ty.bytes() * from.len() as u64);
            }
            Op::Atomic { space, ty, op, to, at, offset, value } => {
                let address = self.value(t, *at).wrapping_add_signed(*offset);
                self.check_alignment(inst, address, ty.bytes())?;
                let v = self.value(t, *value);
                let update = |old| arith::binary(*op, *ty, old, v);
                let old = self.access(t, inst, (*space, *ty), address, How::Atomic, &update)?;
                set(t, *to, old);
                self.note(t, *space, position, address, ty.bytes());
            }
            Op::LoadParam { ty, to, at } => {
                for (k, to) in to.iter().enumerate() {
                    let at = (*at + k * ty.bytes() as usize) as u64;
                    if self.params.read(at, ty.bytes() as usize).is_none() {
                        self.find(Finding::OutOfBounds, inst, at);
                        return Err(Stopped);
                    }
                    set(t, *to, ty.extend(self.params.load(at, ty.bytes() as usize)));
                }
            }
            Op::Unpack { ty, to, from } => {
                let (v, width) = (self.value(t, *from), ty.part_bits(to.len()));
                for (k, to) in (0u32..).zip(to) {
                    set(t, *to, v >> (k * width) & ((1 << width) - 1));
                }
            }
            Op::Branch { to } => t.at = *to,
            Op::Barrier => t.state = State::Waits(position),
            Op::Return => t.state = State::Done,
            Op::Trap => {
                self.find(Finding::Trap, inst, 0);
                return Err(Stopped);
            }
            computed => {
                let (to, v) = self.computed(t, computed);
                t.registers[to] = v;
            }
        }
        Ok(())
    }

    /// What an instruction without memory computes, and for which register.
    fn computed(&self, t: &Thread, op: &Op) -> (usize, u64) {
        let value = |v: &Value| self.value(t, *v);
        match op {
            Op::Move { ty, to, from } => (*to, ty.cut(value(from))),
            Op::Pack { ty, to, from } => {
                let width = ty.part_bits(from.len());
                let part = |(k, v): (u32, &Value)| (value(v) & ((1 << width) - 1)) << (k * width);
                (*to, (0u32..).zip(from).map(part).sum())
            }
            Op::Convert { to_ty, from_ty, integral, to, from } => {
                (*to, arith::convert(*to_ty, *from_ty, *integral, value(from)))
            }
            Op::Unary { op, ty, to, a } => (*to, arith::unary(*op, *ty, value(a))),
            Op::Binary { op, ty, to, a, b } => (*to, arith::binary(*op, *ty, value(a), value(b))),
            Op::Ternary { op, ty, to, of } => (*to, arith::ternary(*op, *ty, of.map(|v| value(&v)))),
            Op::Compare { cmp, unordered, ty, to, a, b, with } => {
                let holds = u64::from(arith::compare(*cmp, *unordered, *ty, value(a), value(b)));
                let truth = Type::of("pred").expect("a type");
                (*to, with.map_or(holds, |(op, other)| arith::binary(op, truth, holds, value(&other))))
            }
            Op::Numbers { nan, ty, to, a, b } => {
                let both = arith::is_number(*ty, value(a)) && arith::is_number(*ty, value(b));
                (*to, u64::from(both != *nan))
            }
            Op::Select { ty, to, a, b, cond } => (*to, ty.cut(if value(cond) & 1 == 1 { value(a) } else { value(b) })),
            other => unreachable!("{other:?} is done elsewhere"),
        }
    }

    fn value(&self, t: &Thread, v: Value) -> u64 {
        let [blocks, threads] = [self.launch.grid, self.launch.block];
        match v {
            Value::Reg(register) => t.registers[register],
            Value::Const(c) => c,
            Value::Index(Index::Thread, d) => u64::from(unfolded(self.who.thread, threads)[d]),
            Value::Index(Index::Threads, d) => u64::from(threads[d]),
            Value::Index(Index::Block, d) => u64::from(self.index[d]),
            Value::Index(Index::Blocks, d) => u64::from(blocks[d]),
            Value::Index(Index::Lane, _) => u64::from(self.who.thread % crate::counts::WARP),
        }
    }

    /// Touches memory; returns what was there.
    fn access(
        &mut self,
        t: &mut Thread,
        inst: &Inst,
        (space, ty): (Space, Type),
        address: u64,
        how: How,
        update: &dyn Fn(u64) -> u64,
    ) -> Result<u64, Stopped> {
        let (who, bytes) = (self.who, ty.bytes() as usize);
        let place = match space_of(space, address) {
            Space::Shared => address.checked_sub(SHARED_BASE).map(|at| (&mut self.shared, at)),
            Space::Local => address.checked_sub(LOCAL_BASE).map(|at| (&mut t.local, at)),
            Space::Global | Space::Generic => self.global.at(address),
        };
        let touched = place.and_then(|(piece, at)| piece.touch(at, bytes, who, how).map(|found| (piece, at, found)));
        let Some((piece, at, found)) = touched else {
            self.find(Finding::OutOfBounds, inst, address);
            return Err(Stopped);
        };
        let old = piece.load(at, bytes);
        if !how.only_reads() {
            piece.store(at, bytes, update(old));
        }
        found.into_iter().flatten().for_each(|finding| self.find(finding, inst, address));
        Ok(old)
    }

    fn check_alignment(&mut self, inst: &Inst, address: u64, bytes: u64) -> Result<(), Stopped> {
        if address.is_multiple_of(bytes) {
            return Ok(());
        }
        self.find(Finding::Misaligned, inst, address);
        Err(Stopped)
    }

    /// Counts an access, where accesses are counted.
    fn note(&mut self, t: &mut Thread, space: Space, position: usize, address: u64, bytes: u64) {
        let Some(time) = t.times.get_mut(position) else { return };
        *time += 1;
        match space_of(space, address) {
            Space::Local => {}
            space => self.accesses.note(space == Space::Shared, (self.who.thread, position, *time), address, bytes),
        }
    }

    fn find(&mut self, finding: Finding, inst: &Inst, address: u64) {
        let thread = unfolded(self.who.thread, self.launch.block);
        let (index, op) = (self.index, &inst.op);
        let detail = || format!("block {index:?}, thread {thread:?}, address {address:#x}, {op:?}");
        self.outcome.findings.add(finding, inst.line, detail);
    }
}

/// The space of an address that the instruction leaves open.
fn space_of(space: Space, address: u64) -> Space {
    match space {
        Space::Generic if (SHARED_BASE..LOCAL_BASE).contains(&address) => Space::Shared,
        Space::Generic if (LOCAL_BASE..LOCAL_BASE << 1).contains(&address) => Space::Local,
        Space::Generic => Space::Global,
        told => told,
    }
}

fn set(t: &mut Thread, to: Option<usize>, v: u64) {
    if let Some(to) = to {
        t.registers[to] = v;
    }
}
