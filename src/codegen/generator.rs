//! What code generation for one region knows at the current position; each part has a keeper of its own.

use super::alias::Disjoint;
use super::atoms::Poly;
use super::device;
use super::emit::Emitter;
use super::guards::Tested;
use super::openmp::{self, Task};
use super::places::Places;
use super::scev::Origin;
use super::surgery::{leaving, unstructured};
use crate::ast::buffers::Buffers;
use crate::ast::forms::{Form, Known, element};
use crate::ast::types::Expr;
use crate::bridge::ir::{Bin, Blk, Ir, Meta, Pos, Val};
use crate::error::Failure;
use crate::ids::IterId;
use crate::model::{Access, Scop};

/// The value an instruction is replaced by, or why there is none.
pub type Replaced<'f> = Result<Val<'f>, Failure>;

/// State of code generation for one region.
pub struct Generator<'f> {
    /// Expressions.
    pub(super) em: Emitter<'f>,
    /// The code that is replaced.
    pub(super) origin: Origin<'f>,
    /// What is computed.
    pub(super) scop: &'f Scop,
    /// The buffers of copies of arrays.
    pub(super) buffers: &'f Buffers,
    /// Where accesses go.
    pub(super) places: Places<'f>,
    /// Arrays known not to overlap.
    pub(super) disjoint: Disjoint<'f>,
    /// What the loops around say.
    pub(super) around: LoopFacts<'f>,
    /// Numbers of statement instances and addresses.
    pub(super) numbers: Numbers,
    /// Loops in threads.
    pub(super) threads: Threads<'f>,
    /// Loops on a GPU.
    pub(super) device: device::State<'f>,
    /// What the loops look at instead of running statements.
    pub(super) tested: Option<Tested<'f>>,
}

/// What is set aside of a region's own code while another one is written.
pub struct Own<'f> {
    scop: &'f Scop,
    places: Places<'f>,
    disjoint: Disjoint<'f>,
}

impl<'f> Generator<'f> {
    /// The values of the parameters.
    ///
    /// # Errors
    /// As [`Emitter::expr`].
    pub fn params(&mut self) -> Result<Vec<Poly>, Failure> {
        (0..self.scop.params.len()).map(|k| self.em.expr(&Expr::Param(k))).collect()
    }

    /// Writes code that is to become a function: `write` starts at the end of `entry`, which is its first block, and
    /// seeks what is handed to it, a new block called `name` that follows, when what is computed once is written. The
    /// current position is then where it has ended.
    ///
    /// # Errors
    /// As `write`.
    pub fn in_task<T>(
        &mut self,
        entry: Blk<'f>,
        name: &str,
        write: impl FnOnce(&mut Self, Blk<'f>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let ir = self.em.ir;
        let share = ir.new_block(name);
        let around = self.em.enter_task(entry);
        ir.seek(Pos::End(entry));
        let written = write(self, share);
        let last = ir.current();
        ir.seek(Pos::End(entry));
        ir.br(share);
        self.em.leave_task(around);
        ir.seek(Pos::End(last));
        written
    }

    /// Turns to other code of the same region, which hands on the same values, until [`Self::turn_back`]. The current
    /// position stays.
    ///
    /// # Errors
    /// `Reject` where it hands on others.
    pub fn turn_to(&mut self, scop: &'f Scop) -> Result<Own<'f>, Failure> {
        let ir = self.em.ir;
        let here = ir.current();
        let mut places = Places::new(ir, &scop.arrays);
        ir.seek(Pos::End(here));
        for to in leaving(&self.origin, scop) {
            let from = leaving(&self.origin, self.scop).find(|from| from.value == to.value);
            let slot = from.and_then(|from| self.places.scalar(from.array));
            places.share(to.array, slot.ok_or_else(|| unstructured("loops for a GPU hand on other values"))?);
        }
        let disjoint = Disjoint::new(ir, scop);
        if self.origin.is_in_loop() {
            disjoint.declare(ir);
        }
        let places = std::mem::replace(&mut self.places, places);
        let disjoint = std::mem::replace(&mut self.disjoint, disjoint);
        Ok(Own { scop: std::mem::replace(&mut self.scop, scop), places, disjoint })
    }

    /// Turns back to the region's own code.
    pub fn turn_back(&mut self, own: Own<'f>) {
        (self.scop, self.places, self.disjoint) = (own.scop, own.places, own.disjoint);
    }

    /// For a region, before its first loop. `threads`: how parallel loops run in threads; `None`: they do not.
    pub fn new(
        em: Emitter<'f>,
        origin: Origin<'f>,
        (scop, buffers): (&'f Scop, &'f Buffers),
        places: Places<'f>,
        disjoint: Disjoint<'f>,
        threads: Option<openmp::Config>,
    ) -> Self {
        let rounds = scop.stmts.iter().any(|s| s.reduction.as_ref().is_some_and(|r| r.op.is_rounded()));
        let threads = Threads { config: threads, rounds, ..Threads::default() };
        let (around, numbers) = (LoopFacts::default(), Numbers::default());
        let device = device::State::default();
        Self { em, origin, scop, buffers, places, disjoint, around, numbers, threads, device, tested: None }
    }
}

/// What holds at the current position, by the loops around.
#[derive(Default)]
pub struct LoopFacts<'f> {
    /// Access group of the innermost coincident loop around.
    group: Option<Meta<'f>>,
    /// Each is at least 1.
    positive: Vec<Poly>,
    /// Ranges of the iterators.
    known: Known,
}

/// A place to come back to by [`LoopFacts::forget`].
#[derive(Clone, Copy)]
pub struct Checkpoint {
    positive: usize,
    known: usize,
}

impl<'f> LoopFacts<'f> {
    /// A place to come back to.
    #[must_use]
    pub fn mark(&self) -> Checkpoint {
        Checkpoint { positive: self.positive.len(), known: self.known.mark() }
    }

    /// Forgets what was learned since `mark`.
    pub fn forget(&mut self, mark: Checkpoint) {
        self.positive.truncate(mark.positive);
        self.known.forget(mark.known);
    }

    /// Learns that a loop of `iter` from `lower` to `upper`, both inclusive, lies around.
    pub fn enter(&mut self, iter: IterId, lower: &Expr, upper: &Expr) {
        self.known.learn(iter, lower, upper);
    }

    /// Learns that `p` is at least 1.
    pub fn learn_positive(&mut self, p: Poly) {
        self.positive.push(p);
    }

    /// Whether `p` is at least 1 by something learned, plus a constant.
    #[must_use]
    pub fn is_positive(&self, p: &Poly) -> bool {
        self.positive.iter().any(|known| p.sub(known).as_constant().is_some_and(|c| c >= 0))
    }

    /// What is known of the iterators.
    #[must_use]
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// The same, to be asked for forms.
    pub fn known_mut(&mut self) -> &mut Known {
        &mut self.known
    }

    /// The subscripts of an access at `args`, where they are affine ([`element`]).
    pub fn element(&mut self, scop: &Scop, access: &Access, args: &[Expr]) -> Option<Vec<Form>> {
        element(&mut self.known, scop, access, args)
    }

    /// Enters or leaves the body of an innermost coincident loop.
    pub fn set_group(&mut self, group: Option<Meta<'f>>) {
        self.group = group;
    }

    /// Access group of the innermost coincident loop around.
    #[must_use]
    pub fn group(&self) -> Option<Meta<'f>> {
        self.group
    }
}

/// Statement instances are numbered from 1, addresses computed beside them from the other end.
#[derive(Default)]
pub struct Numbers {
    instances: u32,
    addresses: u32,
}

impl Numbers {
    /// The number of the next instance, which is emitted.
    pub fn next_instance(&mut self) -> u32 {
        self.instances += 1;
        self.instances
    }

    /// The number of the next instance, which is not.
    #[must_use]
    pub fn upcoming(&self) -> u32 {
        self.instances + 1
    }

    /// A number for an address.
    pub fn next_address(&mut self) -> u32 {
        self.addresses += 1;
        u32::MAX - self.addresses
    }

    /// Instances emitted so far.
    #[must_use]
    pub fn emitted(&self) -> u32 {
        self.instances
    }
}

/// Loops that may run in threads.
#[derive(Default)]
pub struct Threads<'f> {
    config: Option<openmp::Config>,
    /// Parallel loops emitted so far.
    tasks: Vec<Task<'f>>,
    /// Whether threads pay for one of them, as i1s computed before all loops, each once.
    pays: Vec<Val<'f>>,
    /// Whether there are several threads, once that was needed; computed before all loops.
    several: Option<Val<'f>>,
    in_task: bool,
    /// Whether the region has updates that may change places and give other bits then: which code runs must not depend
    /// on the number of threads.
    rounds: bool,
}

impl<'f> Threads<'f> {
    /// How parallel loops run in threads; `None`: they do not.
    #[must_use]
    pub fn config(&self) -> Option<openmp::Config> {
        self.config
    }

    /// From here on no loop runs in threads.
    pub fn stop(&mut self) {
        self.config = None;
    }

    /// Notes a loop that does enough for threads where `enough` holds, and can have several where `threads` does; both
    /// i1s. Returns whether it pays to make it ready for them.
    pub fn note(&mut self, enough: Val<'f>, threads: Val<'f>) -> Val<'f> {
        let pays = if self.rounds { enough } else { threads };
        if !self.pays.contains(&pays) {
            self.pays.push(pays);
        }
        pays
    }

    /// Whether some loop noted so far pays for threads, as an i1 at the current position.
    pub fn some_pay(&self, ir: &Ir<'f>) -> Val<'f> {
        let pays = self.pays.iter().copied().reduce(|a, b| ir.bin(Bin::Or, a, b));
        pays.unwrap_or_else(|| ir.int(ir.int_ty(1), 0))
    }

    /// Whether there are several threads, computed once, at the current position before all loops.
    pub fn several(&mut self, ir: &Ir<'f>, cfg: &openmp::Config) -> Val<'f> {
        *self.several.get_or_insert_with(|| openmp::has_threads(ir, cfg))
    }

    /// Whether the current position is in a task.
    #[must_use]
    pub fn in_task(&self) -> bool {
        self.in_task
    }

    /// Enters or leaves a task.
    pub fn set_in_task(&mut self, inside: bool) {
        self.in_task = inside;
    }

    /// Adds a finished task.
    pub fn add(&mut self, task: Task<'f>) {
        self.tasks.push(task);
    }

    /// The tasks, in the order in which they were made.
    #[must_use]
    pub fn into_tasks(self) -> Vec<Task<'f>> {
        self.tasks
    }
}
