//! What the emitter makes is compiled and run.

use super::super::atoms::{Atom, Poly};
use super::super::emit::Emitter;
use crate::ast::types::{Cond, Expr};
use crate::bridge::ir::{Cast, Pos, Val};
use crate::bridge::sandbox::Sandbox;
use crate::ids::{BlockId, IterId, ValueId};

const POINTS: [(i64, i64); 9] =
    [(0, 0), (1, 2), (-1, 3), (7, -7), (-8, 5), (31, 32), (-33, 1), (100, -64), (-0x8000_0000, 12345)];

/// Runs `e` on all points; the parameters are the two arguments. The function's result is replaced by `e`.
fn evaluate(e: &Expr) -> Vec<i64> {
    run(|em| {
        let p = em.expr(e).unwrap();
        em.value(&p)
    })
}

fn run(make: impl for<'f> FnOnce(&mut Emitter<'f>) -> Val<'f>) -> Vec<i64> {
    let mut sandbox =
        Sandbox::parse("define i64 @f(i64 %a, i64 %b) {\n  br label %x\nx:\n  %r = add i64 %a, 0\n  ret i64 %r\n}\n");
    {
        let ir = sandbox.ir();
        let block = ir.new_block("new");
        let mut em = Emitter::new(&ir, Pos::End(block));
        ir.seek(Pos::End(block));
        let params = (0..2).map(|k| em.atoms.poly(Atom::Value(ValueId(k)))).collect();
        em.set_params(params);
        let v = make(&mut em);
        ir.br(ir.block(BlockId(1)));
        ir.redirect(ir.block(BlockId(0)), block);
        ir.replace_operand(ValueId(4), ir.value(ValueId(3)), v, &[]);
        ir.verify().unwrap();
    }
    sandbox.run(&POINTS)
}

fn param(k: usize) -> Expr {
    Expr::Param(k)
}

fn check(e: &Expr, expected: impl Fn(i64, i64) -> i64) {
    let want: Vec<i64> = POINTS.iter().map(|(a, b)| expected(*a, *b)).collect();
    assert_eq!(evaluate(e), want, "{e:?}");
}

#[test]
fn sums_and_products() {
    check(&Expr::Add(vec![param(0), Expr::Mul(-3, Box::new(param(1))), Expr::Int(7)]), |a, b| a - 3 * b + 7);
    check(&Expr::Add(vec![param(0), Expr::Mul(-1, Box::new(param(0)))]), |_, _| 0);
    check(&Expr::Mul(-1, Box::new(param(1))), |_, b| -b);
}

#[test]
fn divisions_round_as_told() {
    for d in [1, 2, 3, 7, 32] {
        check(&Expr::FloorDiv(Box::new(param(0)), d), |a, _| a.div_euclid(d));
        check(&Expr::CeilDiv(Box::new(param(0)), d), |a, _| -(-a).div_euclid(d));
        check(&Expr::Mod(Box::new(param(1)), d), |_, b| b.rem_euclid(d));
    }
}

#[test]
fn smallest_and_largest() {
    check(&Expr::Min(vec![param(0), param(1), Expr::Int(4)]), |a, b| a.min(b).min(4));
    check(&Expr::Max(vec![Expr::Int(-4), param(0), param(1)]), |a, b| a.max(b).max(-4));
    check(&Expr::Max(vec![param(0), param(0)]), |a, _| a);
}

#[test]
fn conditions() {
    let ge = Cond::Ge(param(0), param(1));
    let eq = Cond::Eq(Expr::Mod(Box::new(param(0)), 2), Expr::Int(0));
    let c = Cond::Or(vec![Cond::And(vec![ge.clone(), eq.clone()]), Cond::Not(Box::new(ge))]);
    let got = run(|em| {
        let v = em.cond(&c).unwrap();
        em.ir.cast(Cast::ZExt, v, em.ir.int_ty(64))
    });
    let want: Vec<i64> = POINTS.iter().map(|(a, b)| i64::from(a < b || a.rem_euclid(2) == 0)).collect();
    assert_eq!(got, want);
}

#[test]
fn low_bits_extend() {
    let got = run(|em| {
        let a = em.atoms.poly(Atom::Value(ValueId(0)));
        let signed = em.atoms.poly(Atom::SExt(8, a.scale(3)));
        let unsigned = em.atoms.poly(Atom::ZExt(8, a));
        em.value(&signed.add(&unsigned.scale(1000)))
    });
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let want: Vec<i64> = POINTS.iter().map(|(a, _)| i64::from((a * 3) as i8) + 1000 * i64::from(*a as u8)).collect();
    assert_eq!(got, want);
}

#[test]
fn an_iterator_of_one_iteration_is_its_value() {
    let got = run(|em| {
        let a = em.expr(&Expr::Param(0)).unwrap();
        em.bind(IterId(4), a.add(&Poly::constant(2)));
        let p = em.expr(&Expr::Add(vec![Expr::Iter(IterId(4)), Expr::Iter(IterId(4))])).unwrap();
        em.value(&p)
    });
    assert_eq!(got, POINTS.map(|(a, _)| 2 * (a + 2)));
}

#[test]
fn unknown_names_are_bugs() {
    let mut sandbox = Sandbox::parse("define void @f() {\n  ret void\n}\n");
    let ir = sandbox.ir();
    let block = ir.new_block("new");
    let mut em = Emitter::new(&ir, Pos::End(block));
    assert!(em.expr(&Expr::Param(0)).is_err());
    assert!(em.expr(&Expr::Iter(IterId(0))).is_err());
    assert!(em.expr(&Expr::FloorDiv(Box::new(Expr::Int(3)), 0)).is_err());
}
