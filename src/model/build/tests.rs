//! Models of hand-made facts.

use super::{Config, Families, build};
use crate::facts::{Operation, Type, Update, ValueKind};
use crate::ids::{BlockId, ScevId, ValueId};
use crate::model::{ArrayKind, LiveOut, Reduction, Scop};
use crate::scop::{
    self,
    sketch::{BODY, Sketch},
};

#[test]
fn the_model_assumes_that_the_bound_is_not_negative() {
    let mut s = Sketch::new();
    let offset = s.bytes(s.i);
    s.store(s.array, offset);
    let facts = s.finish();
    let found = scop::detect(&facts, &scop::Config::default());
    let scop = build(&facts, &found.candidates[0], 0, &Config::default(), &presburger::Budget::steps(400_000)).unwrap();
    let budget = presburger::Budget::unlimited();
    let set = |text: &str| presburger::Set::parse(text).unwrap();
    let domain = set("[p0] -> { Stmt0[i] : 0 <= i < p0 }");
    assert!(scop.stmts[0].domain.is_equal(&domain, &budget).unwrap());
    let write = presburger::Map::parse("[p0] -> { Stmt0[i] -> Arr0[i] }").unwrap();
    assert!(scop.stmts[0].accesses[0].relation.is_equal(&write, &budget).unwrap());
    // Without a guard the loop runs at least once: for n = 0 its count would wrap.
    assert!(scop.contexts.invalid.contains(&[0], &[]) && scop.contexts.invalid.contains(&[-1], &[]));
    assert!(!scop.contexts.invalid.contains(&[1], &[]));
    assert_eq!(scop.params[0].value, ScevId(0));
}

/// `x[0] = ..` made of loads of `x` and `A[i]` by instructions that tests choose.
struct Body {
    s: Sketch,
    x: ValueId,
    /// Value of `x[0]`, of `A[i]`.
    old: ValueId,
    element: ValueId,
}

impl Body {
    fn new() -> Self {
        let mut s = Sketch::new();
        let x = s.value(ValueKind::Argument, Type::Ptr, None, &[]);
        let (array, zero, at) = (s.array, s.constant(0, 64), s.bytes(s.i));
        let old = Self::load(&mut s, x, zero);
        let element = Self::load(&mut s, array, at);
        Self { s, x, old, element }
    }

    fn load(s: &mut Sketch, base: ValueId, offset: ScevId) -> ValueId {
        let id = s.value(ValueKind::Load { ptr: base, bytes: 8 }, Type::Int(64), Some(BODY), &[base]);
        let value = &mut s.facts.values[id.index()];
        (value.base, value.offset) = (Some(base), Some(offset));
        id
    }

    /// `a op b`; the running value may be one of these operands.
    fn apply(&mut self, op: Operation, a: ValueId, b: ValueId, through: &[usize]) -> ValueId {
        let id = self.s.value(ValueKind::Pure, Type::Int(64), Some(BODY), &[a, b]);
        let update = Update { op, through: through.to_vec(), has_infinities: true };
        self.s.facts.values[id.index()].update = Some(update);
        id
    }

    fn store(&mut self, value: ValueId, base: ValueId, offset: ScevId) {
        let kind = ValueKind::Store { ptr: base, value, bytes: 8 };
        let id = self.s.value(kind, Type::Other, Some(BODY), &[base, value]);
        let stored = &mut self.s.facts.values[id.index()];
        (stored.base, stored.offset) = (Some(base), Some(offset));
    }

    fn build(self, reductions: bool) -> Scop {
        self.build_as(&Config { reductions, ..Config::default() })
    }

    fn build_as(self, cfg: &Config) -> Scop {
        let facts = self.s.finish();
        let found =
            scop::detect(&facts, &scop::Config { running: cfg.families != Families::None, ..scop::Config::default() });
        build(&facts, &found.candidates[0], 0, cfg, &presburger::Budget::steps(400_000)).expect("a model")
    }

    /// The update of the statement that writes `new` to `x[0]`.
    fn stored(mut self, new: ValueId) -> Option<Reduction> {
        let (x, zero) = (self.x, self.s.constant(0, 64));
        self.store(new, x, zero);
        self.build(true).stmts[0].reduction.clone()
    }
}

#[test]
fn one_operation_on_what_was_read_is_an_update() {
    for (first, second) in [(true, 0), (false, 1)] {
        let mut b = Body::new();
        let (old, element) = (b.old, b.element);
        let (x, y) = if first { (old, element) } else { (element, old) };
        let new = b.apply(Operation::Add, x, y, &[0, 1]);
        let found = b.stored(new).unwrap_or_else(|| panic!("operand {second}"));
        assert_eq!((found.op, found.chain), (Operation::Add, vec![new]));
    }
}

#[test]
fn the_model_lists_no_updates_unless_asked() {
    let mut b = Body::new();
    let (old, element, x, zero) = (b.old, b.element, b.x, b.s.constant(0, 64));
    let new = b.apply(Operation::Add, old, element, &[0, 1]);
    b.store(new, x, zero);
    assert_eq!(b.build(false).stmts[0].reduction, None);
}

#[test]
fn a_chain_of_one_operation_is_an_update_and_of_two_is_none() {
    for (second, expected) in [(Operation::Add, true), (Operation::Mul, false)] {
        let mut b = Body::new();
        let (old, element) = (b.old, b.element);
        let middle = b.apply(Operation::Add, element, old, &[0, 1]);
        let new = b.apply(second, middle, element, &[0, 1]);
        let found = b.stored(new);
        assert_eq!(found.is_some(), expected, "{second:?}");
        assert!(found.is_none_or(|f| f.chain == [new, middle]));
    }
}

#[test]
fn a_running_value_that_is_subtracted_or_used_twice_is_no_update() {
    let mut b = Body::new();
    let (old, element) = (b.old, b.element);
    let new = b.apply(Operation::Add, element, old, &[0]);
    assert_eq!(b.stored(new), None, "element - old");
    let mut b = Body::new();
    let old = b.old;
    let new = b.apply(Operation::Add, old, old, &[0, 1]);
    assert_eq!(b.stored(new), None, "old + old");
    let mut b = Body::new();
    let (old, element) = (b.old, b.element);
    let middle = b.apply(Operation::Mul, old, element, &[0, 1]);
    let new = b.apply(Operation::Add, old, middle, &[0, 1]);
    assert_eq!(b.stored(new), None, "old + old * element");
}

#[test]
fn an_instruction_that_may_not_change_places_is_no_update() {
    let mut b = Body::new();
    let (old, element) = (b.old, b.element);
    let new = b.s.value(ValueKind::Pure, Type::Float(64), Some(BODY), &[old, element]);
    assert_eq!(b.stored(new), None);
}

#[test]
fn an_update_writes_where_it_read() {
    let mut b = Body::new();
    let (old, element, x, at) = (b.old, b.element, b.x, b.s.bytes(b.s.i));
    let new = b.apply(Operation::Add, old, element, &[0, 1]);
    b.store(new, x, at);
    assert_eq!(b.build(true).stmts[0].reduction, None);
}

#[test]
fn a_statement_that_shows_the_new_value_is_no_update() {
    let mut b = Body::new();
    let (old, element, x, array) = (b.old, b.element, b.x, b.s.array);
    let (zero, at) = (b.s.constant(0, 64), b.s.bytes(b.s.i));
    let new = b.apply(Operation::Add, old, element, &[0, 1]);
    b.store(new, x, zero);
    b.store(new, array, at);
    let scop = b.build(true);
    assert!(scop.stmts.iter().all(|s| s.reduction.is_none()), "{scop}");
}

/// A loop that makes `next` out of the phi `s`, and uses it behind the loop; the model, the phi and the next value.
fn collected(running: bool, next: impl FnOnce(&mut Body, ValueId) -> ValueId) -> (Scop, ValueId, ValueId) {
    let mut b = Body::new();
    let start = b.s.value(ValueKind::Argument, Type::Int(64), None, &[]);
    let phi = b.s.value(ValueKind::Phi(Vec::new()), Type::Int(64), Some(BODY), &[]);
    let next = next(&mut b, phi);
    let value = &mut b.s.facts.values[phi.index()];
    value.kind = ValueKind::Phi(vec![(start, BlockId(1)), (next, BODY)]);
    value.operands = vec![start, next];
    b.s.value(ValueKind::Pure, Type::Int(64), Some(BlockId(3)), &[next]);
    let families = if running { Families::Updates } else { Families::None };
    (b.build_as(&Config { families, ..Config::default() }), phi, next)
}

fn adds(b: &mut Body, s: ValueId) -> ValueId {
    let element = b.element;
    b.apply(Operation::Add, s, element, &[0, 1])
}

#[test]
fn what_a_local_variable_collects_is_one_scalar() {
    let (scop, phi, next) = collected(true, adds);
    assert_eq!(scop.stmts.len(), 2, "{scop}");
    let update = scop.stmts[1].reduction.as_ref().expect("an update");
    assert_eq!((update.op, update.chain.as_slice()), (Operation::Add, &[next][..]));
    assert_eq!(scop.array(update.array).kind, ArrayKind::Phi { phi });
    assert_eq!(scop.live_out, [LiveOut { value: next, array: update.array }]);
    let scalars = scop.arrays.iter().filter(|a| !a.is_memory());
    assert_eq!(scalars.count(), 1);
}

#[test]
fn running_values_stay_apart_unless_asked() {
    let (scop, _, next) = collected(false, |b, s| {
        let (array, at) = (b.s.array, b.s.bytes(b.s.i));
        b.store(array, array, at);
        adds(b, s)
    });
    assert!(scop.stmts.iter().all(|s| s.reduction.is_none()), "{scop}");
    assert_eq!(scop.array(scop.live_out[0].array).kind, ArrayKind::Value { def: next });
}

/// The loop of these next values also stores something that is not collected, so that it counts without.
fn assert_no_update(next: fn(&mut Body, ValueId) -> ValueId) {
    let (scop, ..) = collected(true, |b, s| {
        let (array, at) = (b.s.array, b.s.bytes(b.s.i));
        b.store(array, array, at);
        next(b, s)
    });
    assert!(scop.stmts.iter().all(|s| s.reduction.is_none()), "{scop}");
}

#[test]
fn a_running_value_that_the_loop_shows_keeps_its_order() {
    assert_no_update(|b, s| {
        let (x, zero) = (b.x, b.s.constant(0, 64));
        b.store(s, x, zero);
        adds(b, s)
    });
    assert_no_update(|b, s| {
        let (next, x, zero) = (adds(b, s), b.x, b.s.constant(0, 64));
        b.store(next, x, zero);
        next
    });
}

#[test]
fn a_running_value_changed_by_two_operations_or_turned_keeps_its_order() {
    assert_no_update(|b, s| {
        let (sum, element) = (adds(b, s), b.element);
        b.apply(Operation::Mul, sum, element, &[0, 1])
    });
    assert_no_update(|b, s| {
        let element = b.element;
        b.apply(Operation::Add, element, s, &[0])
    });
    assert_no_update(|b, s| b.apply(Operation::Add, s, s, &[0, 1]));
    assert_no_update(|b, s| {
        let element = b.element;
        b.s.value(ValueKind::Pure, Type::Float(64), Some(BODY), &[s, element])
    });
}
