//! Detection and reading of expressions on hand-made facts.

use super::affine::{Cons, Reader};
use super::cond::{Branch, condition};
use super::polynomial::{Poly, Sym};
use super::sketch::{BODY, Sketch};
use super::{Config, Detection, detect};
use crate::error::RejectKind;
use crate::facts::{FunctionFacts, Pred, ScevKind, Type, ValueKind};
use crate::ids::{BlockId, LoopId};

fn run(facts: &FunctionFacts) -> Detection {
    detect(facts, &Config::default())
}

fn plain() -> Sketch {
    let mut s = Sketch::new();
    let offset = s.bytes(s.i);
    s.store(s.array, offset);
    s
}

fn rejected(facts: &FunctionFacts) -> Vec<RejectKind> {
    let found = run(facts);
    assert!(found.candidates.is_empty());
    found.rejects.iter().map(|r| r.kind).collect()
}

#[test]
fn a_loop_with_its_preheader_is_a_region() {
    let found = run(&plain().finish());
    assert!(found.rejects.is_empty(), "{:?}", found.rejects);
    let region = &found.candidates[0];
    assert_eq!((region.entry, region.exit), (BlockId(1), BlockId(3)));
    assert_eq!((found.candidates.len(), region.loops.as_slice()), (1, [LoopId(0)].as_slice()));
}

#[test]
fn what_stands_in_the_way_is_named() {
    let mut s = plain();
    s.value(ValueKind::Call, Type::Other, Some(BODY), &[]);
    assert_eq!(rejected(&s.finish()), [RejectKind::Call]);

    let mut s = plain();
    s.value(ValueKind::Unsupported, Type::Other, Some(BODY), &[]);
    assert_eq!(rejected(&s.finish()), [RejectKind::UnsupportedInstruction]);

    let mut s = Sketch::new();
    let squared = s.scev(ScevKind::Mul(vec![s.i, s.i]), 64, true);
    s.store(s.array, squared);
    assert_eq!(rejected(&s.finish()), [RejectKind::NonAffineAccess]);

    let mut s = Sketch::new();
    let pointer = s.value(ValueKind::Pure, Type::Ptr, Some(BODY), &[]);
    let offset = s.bytes(s.i);
    s.store(pointer, offset);
    assert_eq!(rejected(&s.finish()), [RejectKind::VariantBase]);

    let mut facts = plain().finish();
    facts.loops[0].backedge_taken = None;
    assert_eq!(rejected(&facts), [RejectKind::NonAffineBound]);

    assert_eq!(rejected(&Sketch::new().finish()), [RejectKind::NoEffect]);
}

#[test]
fn a_region_does_not_begin_at_a_loop_header() {
    let mut s = plain();
    s.facts.blocks[1].insts.insert(0, s.n);
    s.facts.values[s.n.index()].kind = ValueKind::Call;
    let found = run(&s.finish());
    assert!(found.candidates.is_empty());
    assert_eq!(found.rejects.len(), 1);
}

fn inside(facts: &FunctionFacts) -> Vec<bool> {
    (0..facts.blocks.len()).map(|b| b == 1 || b == 2).collect()
}

#[test]
fn narrow_values_wrap_and_wide_ones_are_checked() {
    let mut s = Sketch::new();
    let bit = s.scev(ScevKind::Trunc(s.i), 1, false);
    let parity = s.scev(ScevKind::ZExt(bit), 64, false);
    let (n, five) = (s.unknown(s.n, 32), s.constant(5, 32));
    let sum = s.scev(ScevKind::Add(vec![n, five]), 32, false);
    let wide = s.scev(ScevKind::ZExt(sum), 64, false);
    let facts = s.finish();
    let inside = inside(&facts);
    let mut r = Reader::new(&facts, &inside, BlockId(1));

    let pw = r.read(parity).unwrap();
    assert!(pw.checks.is_empty());
    assert_eq!(r.floors.len(), 1);
    let value = pw.as_single().unwrap();
    for (i, odd) in [(0, 0), (1, 1), (6, 0), (7, 1)] {
        let at = |s: Sym| if matches!(s, Sym::Floor(_)) { i / 2 } else { i };
        assert_eq!(value.eval(&at), Some(odd));
    }

    let pw = r.read(wide).unwrap();
    assert_eq!(pw.as_single(), Poly::sym(Sym::Param(0)).plus(5).as_ref());
    assert_eq!((pw.checks.len(), pw.checks[0].low, pw.checks[0].high), (1, Some(0), Some((1 << 32) - 1)));
}

#[test]
fn unsigned_comparison_of_a_difference() {
    let mut s = Sketch::new();
    let (minus_three, four) = (s.constant(-3, 64), s.constant(4, 64));
    let shifted = s.scev(ScevKind::Add(vec![minus_three, s.i]), 64, true);
    s.facts.scevs[shifted.index()].nonneg = false;
    let kind = ValueKind::ICmp { pred: Pred::Ult, lhs: s.n, rhs: s.n };
    let compare = s.value(kind, Type::Int(1), Some(BODY), &[]);
    s.facts.values[compare.index()].cmp_scevs = Some((shifted, four));
    let facts = s.finish();
    let inside = inside(&facts);
    let mut r = Reader::new(&facts, &inside, BlockId(1));
    let dnf = condition(&mut r, compare, Branch::Taken).unwrap();
    let not = condition(&mut r, compare, Branch::Else).unwrap();
    assert!(dnf.checks.is_empty() && not.checks.is_empty());
    for i in 0..12 {
        let holds = |c: &Cons| {
            let v = c.poly.eval(&|_| i).unwrap();
            if c.eq { v == 0 } else { v >= 0 }
        };
        assert_eq!(dnf.any.iter().any(|conj| conj.iter().all(holds)), (3..7).contains(&i), "i = {i}");
        assert_eq!(not.any.iter().any(|conj| conj.iter().all(holds)), !(3..7).contains(&i), "i = {i}");
    }
}

#[test]
fn a_product_that_nothing_computes_is_a_parameter_of_addresses() {
    let mut s = Sketch::new();
    let m = s.value(ValueKind::Pure, Type::Int(64), Some(BlockId(0)), &[]);
    let (n, m, eight) = (s.unknown(s.n, 64), s.unknown(m, 64), s.constant(8, 64));
    let bytes = s.scev(ScevKind::Mul(vec![eight, n, m]), 64, false);
    let facts = s.finish();
    let inside = inside(&facts);
    let mut r = Reader::new(&facts, &inside, BlockId(1));

    let elements = r.read(bytes).unwrap().as_single().unwrap().exact_div(8).unwrap();
    assert_eq!(r.linearize(&elements), None);
    let row = r.linearize_address(&elements).unwrap();
    assert_eq!((row.degree(), r.params.len(), r.params[2].times.len()), (1, 3, 1));
    assert_eq!(r.linearize_address(&elements), Some(row));

    let counted = Poly::sym(Sym::Dim(LoopId(0))).mul(&Poly::sym(Sym::Param(0))).unwrap();
    let other = elements.mul(&Poly::sym(Sym::Param(0))).unwrap();
    assert_eq!(r.linearize_address(&other.add(&counted).unwrap()), None);
    assert_eq!(r.params.len(), 3);
}
