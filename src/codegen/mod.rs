//! AST -> LLVM IR, beside the original code of a region.
//!
//! In: facts and handles of the canonical clone, the model of one region, the AST that replaces it, the condition under
//! which the model holds. Out: `if (condition and no overlap) new code else old code`, or only the new code where
//! nothing needs testing.
//! Invariants: new blocks are unreachable until the last step, which cannot fail; on an error they are deleted and the
//! function is as it was. Copied instructions keep flags, metadata and source positions (but for integer updates that
//! may change places, which claim nothing of their results): floating point stays bit-identical, but where its flags
//! allow otherwise. For that reason no loop asks to be vectorized: LLVM takes `llvm.loop.vectorize.enable` as leave to
//! reorder sums. It is told what is independent instead (access groups of coincident innermost loops, alias scopes of
//! arrays) and decides by its own costs.

mod accumulate;
mod alias;
mod atoms;
mod boxed;
mod check;
mod contraction;
mod copies;
pub mod device;
pub mod device_reduce;
mod emit;
mod fresh;
mod generator;
mod guards;
mod hints;
mod lanes;
mod made;
mod nest;
pub mod openmp;
mod partial;
mod places;
mod reduce;
mod rows;
mod scev;
mod shared;
mod stmt;
mod surgery;
mod task;
#[cfg(test)]
mod tests;
mod trace;

use crate::ast::buffers::Buffers;
use crate::ast::check::RunTimeCheck;
use crate::ast::device::Device;
use crate::ast::types::Ast;
use crate::bridge::ir::{Bin, Blk, Ir, Pos, Val};
use crate::error::{Failure, Reject, RejectKind, SourceLoc};
use crate::facts::FunctionFacts;
use crate::ids::{ArrayId, ValueId};
use crate::model::{LiveOut, Scop};
use alias::Disjoint;
use atoms::Poly;
use check::Checker;
use device::Stays;
use emit::{Emitter, bug};
use generator::Generator;
use log::debug;
use places::Places;
use scev::{Origin, Place, Trust};
use std::collections::BTreeMap;
use surgery::{Frame, NewCode, Original, leaving};

/// What to generate.
pub struct Input<'a> {
    /// Facts of the function, as they were before its first region was replaced.
    pub facts: &'a FunctionFacts,
    /// The region's model.
    pub scop: &'a Scop,
    /// Its new loops.
    pub ast: &'a Ast,
    /// What is tested before they run.
    pub check: &'a RunTimeCheck,
    /// The buffers of the copies of arrays that they need.
    pub buffers: &'a Buffers,
    /// How parallel loops run in threads; `None`: in one.
    pub threads: Option<openmp::Config>,
    /// Whether the new code is to run only where some loop in it pays for threads.
    pub only_threads: bool,
    /// Whether the original code may stay beside the new, for when a run-time check fails.
    pub may_version: bool,
    /// Loops to run instead of `ast` where no loop pays for threads; `None`: `ast` in one thread.
    pub alone: Option<&'a Ast>,
    /// Loops for a GPU, which come first where there is one when the program runs.
    pub device: Option<&'a Device>,
    /// What is asked of them.
    pub gpu: device::Config<'a>,
    /// Whether the original code, and not `ast`, runs where there is none.
    pub only_device: bool,
    /// Whether the program is to say which code it runs.
    pub trace: bool,
}

/// What was generated.
#[derive(Default)]
pub struct Written<'f> {
    /// Whether the original code is kept for when a run-time check fails.
    pub versioned: bool,
    /// Statement copies emitted.
    pub instances: u32,
    /// Loops that are to run in threads; until [`openmp::outline`] they are loops like any other.
    pub tasks: Vec<openmp::Task<'f>>,
    /// Loops that are to run on a GPU, the same until [`device::outline`].
    pub kernels: Vec<device::Kernel<'f>>,
    /// Whether no arrays overlap that may not, if that is tested.
    pub apart: Option<Val<'f>>,
    /// First and last block of the new code.
    ends: Option<(Blk<'f>, Blk<'f>)>,
}

/// Replaces a region's code. Regions of one function are replaced with the same `ir`, each after those that dominate
/// it: what it uses of them is then what their new code hands on.
///
/// # Errors
/// The function is as it was. `Reject`: shapes and expressions that cannot be emitted. `Limit`: the run-time check is
/// too large. `Bug`: the input contradicts itself.
pub fn generate<'f>(ir: &'f Ir<'f>, input: &Input<'f>) -> Result<Written<'f>, Failure> {
    let origin = Origin::new(ir, input.facts, &input.scop.region)?;
    let frame = Frame::new(ir, &origin, input.scop)?;
    match emit_code(ir, input, origin) {
        Ok((code, written)) => {
            let origin = Origin::new(ir, input.facts, &input.scop.region)?;
            frame.connect(ir, &origin, code);
            ir.promote();
            ir.keep_made();
            debug!(
                "{}: {} copies of statements, {} loops in threads, {}",
                input.scop.name,
                written.instances,
                written.tasks.len(),
                if written.versioned { "behind a run-time check" } else { "no run-time check" }
            );
            Ok(written)
        }
        Err(failure) => {
            ir.delete_blocks(&ir.made());
            ir.erase_slots();
            ir.delete_kernels();
            Err(failure)
        }
    }
}

/// LLVM's verifier on the whole function.
///
/// # Errors
/// `Bug` with the verifier's message.
pub fn verify(ir: &Ir<'_>) -> Result<(), Failure> {
    ir.verify().map_err(|message| bug(format!("the verifier says: {message}")))
}

impl<'f> Written<'f> {
    /// New code that is for one thread and the host, as a whole.
    #[must_use]
    pub fn plain(&self) -> Option<Plain<'f>> {
        let ends = self.ends.filter(|_| self.tasks.is_empty() && self.kernels.is_empty())?;
        Some(Plain { ends, versioned: self.versioned })
    }
}

/// New code of a region that is for one thread and the host.
#[derive(Clone, Copy)]
pub struct Plain<'f> {
    /// First and last block.
    ends: (Blk<'f>, Blk<'f>),
    /// Whether the original code stays beside it.
    versioned: bool,
}

/// Lets new code wait in functions of its own until LLVM's simplification is over, which would look for long and find
/// nothing in it. Code that has the original beside it stays there.
pub fn defer<'f>(ir: &Ir<'f>, name: &str, code: &[Plain<'f>]) {
    for (k, &Plain { ends, versioned }) in code.iter().enumerate() {
        let waits = ir.defer(ends, versioned, &format!("{name}.polyrs.{k}"));
        debug!("{name}: new code {k} {}", if waits { "waits for the end of simplification" } else { "stays in place" });
    }
}

/// Makes long tests of whether arrays overlap functions of their own, which no pass looks at.
pub fn tests_apart<'f>(ir: &Ir<'f>, name: &str, tests: &[Val<'f>]) {
    for (k, &test) in tests.iter().enumerate() {
        ir.test_apart(test, &format!("{name}.polyrs.test.{k}"));
    }
}

fn emit_code<'f>(ir: &'f Ir<'f>, input: &Input<'f>, origin: Origin<'f>) -> Result<(NewCode<'f>, Written<'f>), Failure> {
    let scop = input.scop;
    let places = Places::new(ir, &scop.arrays);
    let (check, start) = (ir.new_block("polyrs.check"), ir.new_block("polyrs.start"));
    ir.set_debug_loc(None);
    ir.seek(Pos::End(check));
    let mut em = Emitter::new(ir, Pos::End(check));
    let params = params(&origin, scop, &mut em)?;
    em.set_params(params);
    let tested = run_time_check(&mut em, input)?;

    ir.seek(Pos::End(start));
    if input.trace {
        trace::say(ir, &scop.name, "new");
    }
    let disjoint = Disjoint::new(ir, scop);
    if origin.is_in_loop() {
        disjoint.declare(ir);
        places.empty(ir, &(0..scop.arrays.len()).map(ArrayId::new).collect());
    }
    let mut generator = Generator::new(em, origin, (scop, input.buffers), places, disjoint, input.threads);
    generator.make_arrays()?;
    if input.device.is_some() && !scop.guards.is_empty() {
        return Err(Failure::Reject(Reject::new(RejectKind::NonAffineCondition, "", SourceLoc::default())));
    }
    if let Some(device) = input.device.filter(|_| input.only_device) {
        return if_on_device(generator, device, input, (check, tested, start));
    }
    match input.device {
        Some(device) => device_or_host(&mut generator, device, input)?,
        None => host(&mut generator, input)?,
    }
    let live_out = last_values(&generator)?;
    let why_not = Some(if input.only_threads { Stays::Sizes } else { tested.why_not() });
    let Tested { asked, at, cond, apart } = tested;
    let cond = if input.only_threads { with_threads(&generator, at, cond) } else { cond };
    if (cond.is_some() || !scop.guards.is_empty()) && !input.may_version {
        return Err(Failure::Reject(Reject::new(RejectKind::CodeSize, "", SourceLoc::default())));
    }
    let copied = input.check.fresh.as_ref().filter(|_| input.may_version && input.device.is_none());
    let (decides, cond) = match copied {
        Some(fresh) => fresh::wait(&mut generator.em, fresh, (at, cond))?,
        None => (at, cond),
    };
    let (decides, cond) = guards::test(ir, input, (decides, cond))?;
    let (instances, tasks) = (generator.numbers.emitted(), generator.threads.into_tasks());
    let kernels = generator.device.into_kernels();
    let ends = Some((start, ir.current()));
    let written = Written { versioned: cond.is_some(), instances, tasks, kernels, apart, ends };
    let (done, original) = (ir.current(), Original::of(ir, input));
    Ok((NewCode { check, asked, decides, cond, why_not, start, done, live_out, original }, written))
}

/// The values of a region's parameters.
fn params<'f>(origin: &Origin<'f>, scop: &Scop, em: &mut Emitter<'f>) -> Result<Vec<Poly>, Failure> {
    let outside = Place::default();
    let mut params: Vec<Poly> = Vec::with_capacity(scop.params.len());
    for p in &scop.params {
        let mut value = origin.signed(em, p.value, &outside, Trust::Flags)?;
        for by in &p.times {
            value = value.mul(&origin.signed(em, *by, &outside, Trust::Flags)?);
        }
        if let Some((constant, row)) = p.by.split_last() {
            let terms = params.iter().zip(row).map(|(param, c)| param.scale(*c));
            value = value.mul(&terms.fold(Poly::constant(*constant), |sum, term| sum.add(&term)));
        }
        params.push(value);
    }
    Ok(params)
}

/// What is in the scalars that leave the region.
fn last_values<'f>(generator: &Generator<'f>) -> Result<BTreeMap<ValueId, Val<'f>>, Failure> {
    let mut all = BTreeMap::new();
    for LiveOut { value, array } in leaving(&generator.origin, generator.scop) {
        let last = generator.places.scalar(array);
        let last = last.ok_or_else(|| bug(format!("{value} escapes but {array} is no scalar")))?;
        all.insert(value, last.load(generator.em.ir));
    }
    Ok(all)
}

/// Emits the loops for the machine that the program runs on.
fn host(generator: &mut Generator<'_>, input: &Input<'_>) -> Result<(), Failure> {
    match input.alone {
        Some(alone) => either(generator, input.ast, alone),
        None => generator.ast(input.ast),
    }
}

/// Emits loops for a GPU, and those that run where it has not done the region.
fn device_or_host<'f>(generator: &mut Generator<'f>, device: &'f Device, input: &Input<'_>) -> Result<(), Failure> {
    let ir = generator.em.ir;
    let done = on_device(generator, device, input)?;
    let (here, other, join) = (ir.current(), ir.new_block("polyrs.host"), ir.new_block("polyrs.joined"));
    ir.seek(Pos::End(other));
    ir.note_host();
    host(generator, input)?;
    ir.br(join);
    ir.seek(Pos::End(here));
    ir.cond_br(done, join, other);
    ir.seek(Pos::End(join));
    Ok(())
}

/// Emits loops for a GPU, of the host's code or of their own: whether they have done the region.
fn on_device<'f>(generator: &mut Generator<'f>, device: &'f Device, input: &Input<'_>) -> Result<Val<'f>, Failure> {
    let own = match &device.scop {
        Some(scop) => Some(generator.turn_to(scop)?),
        None => None,
    };
    let done = generator.on_device(device, &input.facts.name, input.gpu);
    if let Some(own) = own {
        generator.turn_back(own);
    }
    done
}

/// Emits loops for a GPU, where the condition holds; the new code is nothing else, and the original code runs where a
/// GPU has not done the region.
fn if_on_device<'f>(
    mut generator: Generator<'f>,
    device: &'f Device,
    input: &Input<'f>,
    (check, tested, start): (Blk<'f>, Tested<'f>, Blk<'f>),
) -> Result<(NewCode<'f>, Written<'f>), Failure> {
    let ir = generator.em.ir;
    let (first, decides) = (ir.new_block("polyrs.device.first"), ir.new_block("polyrs.device.decided"));
    ir.seek(Pos::End(first));
    let done = on_device(&mut generator, device, input)?;
    if !input.may_version {
        return Err(Failure::Reject(Reject::new(RejectKind::CodeSize, "", SourceLoc::default())));
    }
    let last = ir.current();
    ir.br(decides);
    let truth = ir.int_ty(1);
    let original = Original::of(ir, input);
    let other = original.because(ir, Some(tested.why_not()), decides);
    ir.seek(Pos::End(tested.at));
    ir.cond_br(tested.cond.unwrap_or_else(|| ir.int(truth, -1)), first, other);
    ir.seek(Pos::End(decides));
    let all = ir.phi(truth, "polyrs.done");
    ir.add_incoming(all, done, last);
    ir.add_incoming(all, ir.int(truth, 0), other);
    ir.seek(Pos::End(start));
    let live_out = last_values(&generator)?;
    let (instances, kernels) = (generator.numbers.emitted(), generator.device.into_kernels());
    let Tested { asked, cond, apart, .. } = tested;
    let written = Written { versioned: cond.is_some(), instances, kernels, apart, ..Written::default() };
    let (cond, why_not) = (Some(all), None);
    Ok((NewCode { check, asked, decides, cond, why_not, start, done: start, live_out, original }, written))
}

/// Emits two versions of the loops: `threads` runs where one of its loops pays for threads, else `alone`, in one.
fn either(generator: &mut Generator<'_>, threads: &Ast, alone: &Ast) -> Result<(), Failure> {
    let ir = generator.em.ir;
    let start = ir.current();
    let (shared, single) = (ir.new_block("polyrs.shared"), ir.new_block("polyrs.single"));
    let join = ir.new_block("polyrs.joined");
    ir.seek(Pos::End(shared));
    generator.ast(threads)?;
    ir.br(join);
    ir.seek(Pos::End(single));
    generator.threads.stop();
    generator.ast(alone)?;
    ir.br(join);
    ir.seek(Pos::End(start));
    ir.cond_br(generator.threads.some_pay(ir), shared, single);
    ir.seek(Pos::End(join));
    Ok(())
}

/// The condition for new code that gains by threads alone: the old condition, and some loop pays for threads.
fn with_threads<'f>(generator: &Generator<'f>, check: Blk<'f>, cond: Option<Val<'f>>) -> Option<Val<'f>> {
    let ir = generator.em.ir;
    let here = ir.current();
    ir.seek(Pos::End(check));
    let pays = generator.threads.some_pay(ir);
    let both = cond.map_or(pays, |c| ir.bin(Bin::And, c, pays));
    ir.seek(Pos::End(here));
    Some(both).filter(|v| ir.as_const(*v).is_none_or(|k| k == 0))
}

/// What is known before the new code.
struct Tested<'f> {
    /// What is asked first, one after the other, and where it goes on if that holds; none: all is asked in one place.
    asked: Vec<(Val<'f>, Blk<'f>)>,
    /// The last block of the tests; without terminator.
    at: Blk<'f>,
    /// The condition for the new code there, `None` if it always holds.
    cond: Option<Val<'f>>,
    /// The part of it that says that no arrays overlap.
    apart: Option<Val<'f>>,
}

impl Tested<'_> {
    /// Why the condition does not hold, if it does not.
    fn why_not(&self) -> Stays {
        if self.apart.is_some() { Stays::Overlap } else { Stays::Sizes }
    }
}

/// Emits the condition for the new code: sizes first, which are what small data fails by, then what else is asked of
/// parameters, and whether arrays overlap.
fn run_time_check<'f>(em: &mut Emitter<'f>, input: &Input<'_>) -> Result<Tested<'f>, Failure> {
    let ir = em.ir;
    let mut checker = Checker::new(em);
    let fails = |v: Val<'f>| ir.as_const(v) == Some(0);
    let refused = || Failure::Reject(Reject::new(RejectKind::CheckFails, "", SourceLoc::default()));
    let varies = |v: &Val<'f>| ir.as_const(*v).is_none();
    let large = checker.large(input.check)?;
    // Without sizes to ask for it is the other parameters that are asked for first.
    let mut early = if varies(&large) { large } else { checker.known(input.check)? };
    if fails(large) || fails(early) {
        return Err(refused());
    }
    let more = !input.check.apart.is_empty() || varies(&large) && input.check.asks_for_more();
    let mut asked = Vec::new();
    if more && varies(&early) {
        let next = ir.new_block("polyrs.apart");
        asked.push((early, next));
        checker.em.go_on_at(Pos::End(next));
    }
    if let (true, Some(fresh)) = (varies(&large), &input.check.fresh)
        && let Some(may_pay) = fresh::may_pay(checker.em, fresh)?
    {
        if asked.is_empty() {
            early = checker.and(early, may_pay);
        } else {
            let next = ir.new_block("polyrs.enough");
            asked.push((may_pay, next));
            checker.em.go_on_at(Pos::End(next));
        }
    }
    let later = if varies(&large) { checker.known(input.check)? } else { checker.truth(true) };
    let apart = checker.apart(input.scop, input.check, if varies(&large) { later } else { early })?;
    let rest = checker.and(later, apart);
    let cond = if asked.is_empty() { checker.and(early, rest) } else { rest };
    if fails(cond) {
        return Err(refused());
    }
    let (at, cond) = (ir.current(), Some(cond).filter(|v| !asked.is_empty() || varies(v)));
    checker.em.go_on_at(Pos::End(at));
    Ok(Tested { asked, at, cond, apart: Some(apart).filter(varies) })
}
