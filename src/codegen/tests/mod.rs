//! Code generation for functions made from text, with hand-made models: what it writes is compiled and run.

mod check;
mod emit;
mod made;
mod reductions;
mod surgery;

use super::openmp::Config;
use super::{Input, generate};
use crate::ast::buffers::Buffers;
use crate::ast::check::run_time_check;
use crate::ast::{self, Ast};
use crate::bridge::sandbox::Sandbox;
use crate::error::{Failure, SourceLoc};
use crate::facts::{FunctionFacts, Loop, Scev, ScevKind, ValueKind};
use crate::ids::{BlockId, LoopId, ScevId, ValueId};
use crate::model::{ArrayKind, Instructions, LoopDim, Region, Scop, StmtBody};
use crate::options::OmpBackend;
use presburger::Budget;

/// What was generated.
struct Outcome {
    versioned: bool,
    /// Loops made ready for threads.
    tasks: usize,
}

/// `i64 @f(i64 %n, i64 %seed)` with what is known of it.
struct Function {
    sandbox: Sandbox,
    facts: FunctionFacts,
}

impl Function {
    /// The first expression is `%n`.
    fn parse(text: &str) -> Self {
        let mut sandbox = Sandbox::parse(text);
        let facts = sandbox.facts();
        let mut function = Self { sandbox, facts };
        function.scev(ScevKind::Unknown(ValueId(0)));
        function
    }

    fn scev(&mut self, kind: ScevKind) -> ScevId {
        self.facts.scevs.push(Scev { kind, bits: 64, is_ptr: false, nsw: true, nuw: false, nonneg: false });
        ScevId::new(self.facts.scevs.len() - 1)
    }

    /// The value of this name, or `store k`: the k-th store.
    fn id(&self, name: &str) -> ValueId {
        let is_store = |v: &ValueId| matches!(self.facts.value(*v).kind, ValueKind::Store { .. });
        let mut all = (0..self.facts.values.len()).map(ValueId::new);
        let found = match name.strip_prefix("store ") {
            Some(k) => all.filter(is_store).nth(k.parse().expect("a number")),
            None => all.find(|v| self.facts.value(*v).name == name),
        };
        found.unwrap_or_else(|| panic!("no value {name}"))
    }

    /// Says that a block is a loop of its own that counts with the phi `counter` from 0, inside of loop `parent` or of
    /// none.
    fn counts(&mut self, counter: &str, latch: u32, parent: Option<u32>) -> ScevId {
        let phi = self.id(counter);
        let header = self.facts.value(phi).block.expect("an instruction");
        let lp = LoopId::new(self.facts.loops.len());
        self.facts.loops.push(Loop {
            parent: parent.map(LoopId),
            header,
            latch: Some(BlockId(latch)),
            preheader: None,
            exiting: vec![BlockId(latch)],
            backedge_taken: None,
            ends: true,
            hints: crate::facts::Hints::default(),
            boxed: false,
            iv_start: None,
            loc: SourceLoc::default(),
            counter: crate::facts::Counter::default(),
        });
        let (zero, one) = (self.scev(ScevKind::Const(0)), self.scev(ScevKind::Const(1)));
        let counter = self.scev(ScevKind::AddRec { lp, ops: vec![zero, one] });
        self.facts.values[phi.index()].scev = Some(counter);
        counter
    }

    /// Says that these loads and stores touch the element `index` of elements of 8 bytes.
    fn touch(&mut self, accesses: &[&str], index: ScevId) {
        let eight = self.scev(ScevKind::Const(8));
        let bytes = self.scev(ScevKind::Mul(vec![eight, index]));
        for name in accesses {
            let id = self.id(name);
            self.facts.values[id.index()].offset = Some(bytes);
        }
    }

    /// The model of the blocks `inside`, left to the block `exit`; `bases`: of its arrays in memory, in order.
    fn model(&self, text: &str, bases: &[&str], inside: &[u32], exit: u32) -> Scop {
        let mut scop = Scop::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let memory = scop.arrays.iter_mut().filter(|a| matches!(a.kind, ArrayKind::Memory { .. }));
        for (array, base) in memory.zip(bases) {
            array.kind = ArrayKind::Memory { base: self.id(base) };
        }
        let blocks: Vec<BlockId> = inside.iter().copied().map(BlockId).collect();
        scop.region = Region { entry: blocks.first().copied(), exit: Some(BlockId(exit)), blocks };
        scop
    }

    /// Gives a statement its accesses' instructions and, unless it is one of ours, its own and its loops.
    fn code(&self, scop: &mut Scop, stmt: usize, accesses: &[&str], insts: &[&str], loops: &[u32]) {
        let stmt = &mut scop.stmts[stmt];
        assert_eq!(stmt.accesses.len(), accesses.len());
        for (access, name) in stmt.accesses.iter_mut().zip(accesses) {
            access.inst = self.id(name);
        }
        if let StmtBody::Original(code) = &mut stmt.body {
            let loops = loops.iter().map(|l| LoopDim { id: LoopId(*l), offset: None, strip: None }).collect();
            *code =
                Instructions { insts: insts.iter().map(|i| self.id(i)).collect(), loops, ..Instructions::default() };
        }
    }

    /// Replaces the region by `ast`, all of whose parallel loops are made ready for threads and run in one.
    fn generate(&mut self, scop: &Scop, ast: &Ast) -> Result<Outcome, Failure> {
        let threads =
            Config { backend: OmpBackend::Llvm, scheduling: None, chunk: None, threads: Some(2), force: true };
        let facts = &self.facts;
        let budget = Budget::steps(2_000_000);
        let (check, buffers) = (run_time_check(scop, facts, &budget)?, Buffers::of(scop, facts, [ast], &budget)?);
        let threads = Some(threads);
        let input = Input {
            facts,
            scop,
            ast,
            check: &check,
            buffers: &buffers,
            threads,
            only_threads: false,
            may_version: true,
            alone: None,
            device: None,
            gpu: crate::codegen::device::Config::default(),
            only_device: false,
            trace: false,
        };
        let ir = self.sandbox.ir();
        let outcome = generate(&ir, &input);
        ir.verify().expect("well-formed");
        outcome.map(|written| Outcome { versioned: written.versioned, tasks: written.tasks.len() })
    }

    fn run(self, arguments: &[(i64, i64)]) -> Vec<i64> {
        self.sandbox.run(arguments)
    }
}

/// The loops of the model's own order.
fn loops_of(scop: &Scop) -> Ast {
    ast::build(scop, &scop.schedule, &ast::Config::default(), &Budget::steps(2_000_000)).expect("in budget")
}

/// `entry`: `%a` and room for `count` elements; `a[k] = seed * k + k * k`, then block `next`.
fn filled(name: &str, count: usize, next: &str) -> String {
    format!(
        "  br label %fill.{name}
fill.{name}:
  %{name}.k = phi i64 [ 0, %entry ], [ %{name}.next, %fill.{name} ]
  %{name}.at = getelementptr i64, ptr %{name}, i64 %{name}.k
  %{name}.s = mul i64 %{name}.k, %seed
  %{name}.q = mul i64 %{name}.k, %{name}.k
  %{name}.v = add i64 %{name}.s, %{name}.q
  store i64 %{name}.v, ptr %{name}.at
  %{name}.next = add i64 %{name}.k, 1
  %{name}.more = icmp slt i64 %{name}.next, {count}
  br i1 %{name}.more, label %fill.{name}, label %{next}
"
    )
}

/// What [`filled`] leaves in element `k`.
fn initial(seed: i64, k: i64) -> i64 {
    seed.wrapping_mul(k).wrapping_add(k.wrapping_mul(k))
}

/// A last block `name`, which returns the sum of all of `count` elements of `%array`, element `k` times `2 k + 1`.
fn summed(name: &str, array: &str, count: i64) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{name}:\n  %sum.0 = add i64 0, 0\n");
    for k in 0..count {
        let _ = writeln!(text, "  %at.{k} = getelementptr i64, ptr %{array}, i64 {k}");
        let _ = writeln!(text, "  %el.{k} = load i64, ptr %at.{k}");
        let _ = writeln!(text, "  %tm.{k} = mul i64 %el.{k}, {}", 2 * k + 1);
        let _ = writeln!(text, "  %sum.{} = add i64 %sum.{k}, %tm.{k}", k + 1);
    }
    let _ = writeln!(text, "  ret i64 %sum.{count}\n}}");
    text
}

/// The sum that [`summed`] returns.
fn sum_of(elements: &[i64]) -> i64 {
    let term = |(k, v): (i64, &i64)| v.wrapping_mul(2 * k + 1);
    (0_i64..).zip(elements).map(term).fold(0, i64::wrapping_add)
}
