//! New code that makes copies in memory which the program may not have used before runs once it has paid for that.
//!
//! A word counts the updates that the original code did instead. With those to be done now they have to gain what the
//! memory costs: then the new code runs, from the first time on where it has enough to do, else from some time on.

use super::emit::Emitter;
use crate::ast::types::Expr;
use crate::bridge::ir::{Bin, Blk, Ir, MinMax, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::model::contraction::{Calculator, Copies, Costs, Fresh, Op};

/// Largest number of iterations that is told from others, and of updates: products of both fit 64 bits.
const MOST_TRIPS: i64 = 1 << 20;
/// As [`MOST_TRIPS`].
const MOST_UPDATES: i64 = 1 << 40;

/// What is to be done, and what has to be done for copies to pay, in updates: i64s; and whether they pay once they are
/// there, if that hangs on the sizes.
#[derive(Clone, Copy)]
struct Work<'f> {
    updates: Val<'f>,
    needed: Val<'f>,
    pays: Option<Val<'f>>,
}

/// Emits what is to be done at the emitter's place before all loops.
fn work<'f>(em: &mut Emitter<'f>, fresh: &Fresh) -> Result<Work<'f>, Failure> {
    let ir = em.ir;
    let word = |n: i64| ir.int(ir.int_ty(64), n);
    let (mut updates, mut bytes, mut pays) = (word(0), word(0), None);
    for copies in &fresh.copies {
        let trips = trips(em, copies)?;
        let of_these = trips.iter().fold(word(1), |all, n| at_most(ir, ir.bin(Bin::Mul, all, *n), MOST_UPDATES));
        updates = ir.bin(Bin::Add, updates, of_these);
        bytes = ir.min_max(MinMax::SMax, bytes, room(ir, copies, &trips));
        if let (Some(original), Some(costs)) = (fresh.original, &copies.costs) {
            let these = pay(ir, costs, original, copies.most.map(|(dim, _)| trips[dim]));
            pays = Some(pays.map_or(these, |all| ir.bin(Bin::And, all, these)));
        }
    }
    let needed = ir.bin(Bin::Mul, bytes, word(fresh.updates_per_kib));
    Ok(Work { updates, needed: ir.bin(Bin::AShr, needed, word(10)), pays })
}

fn at_most<'f>(ir: &Ir<'f>, v: Val<'f>, most: i64) -> Val<'f> {
    ir.min_max(MinMax::SMin, v, ir.int(ir.int_ty(64), most))
}

/// Whether the one contraction has as much to do as it takes at least: next to nothing to ask, so that small calls are
/// not weighed. `None`: nothing is to be weighed, or several are.
///
/// # Errors
/// As [`Emitter::expr`].
pub fn may_pay<'f>(em: &mut Emitter<'f>, fresh: &Fresh) -> Result<Option<Val<'f>>, Failure> {
    let (Some(original), [copies]) = (fresh.original, &fresh.copies[..]) else { return Ok(None) };
    let Some(costs) = &copies.costs else { return Ok(None) };
    let (ir, trips) = (em.ir, trips(em, copies)?);
    let [rows, columns, depth] = copies.most.map(|(dim, _)| trips[dim]);
    let updates = ir.bin(Bin::Mul, ir.bin(Bin::Mul, rows, columns), depth);
    Ok(Some(ir.icmp(Pred::Sle, ir.int(ir.int_ty(64), costs.least_updates(original)), updates)))
}

/// As [`Costs::pay`].
fn pay<'f>(ir: &Ir<'f>, costs: &Costs, original: i64, sizes: [Val<'f>; 3]) -> Val<'f> {
    let [original, made] = costs.weigh(ir, original, sizes);
    ir.icmp(Pred::Sle, made, original)
}

/// Calculates in code, with i64s.
impl<'f> Calculator for Ir<'f> {
    type Number = Val<'f>;

    fn known(&self, n: i64) -> Val<'f> {
        self.int(self.int_ty(64), n)
    }

    fn apply(&self, op: Op, a: Val<'f>, b: Val<'f>) -> Val<'f> {
        match op {
            Op::Add => self.bin(Bin::Add, a, b),
            Op::Sub => self.bin(Bin::Sub, a, b),
            Op::Mul => self.bin(Bin::Mul, a, b),
            Op::Div => self.bin(Bin::UDiv, a, b),
            Op::Min => self.min_max(MinMax::SMin, a, b),
        }
    }
}

/// Iterations of each loop around what is copied, none below 0.
fn trips<'f>(em: &mut Emitter<'f>, copies: &Copies) -> Result<Vec<Val<'f>>, Failure> {
    let ir = em.ir;
    let word = |n: i64| ir.int(ir.int_ty(64), n);
    let within = |v: Val<'f>| at_most(ir, ir.min_max(MinMax::SMax, v, word(0)), MOST_TRIPS);
    let mut trips = Vec::with_capacity(copies.trips.len());
    for row in &copies.trips {
        let mut twice = word(row.last().copied().unwrap_or(0));
        for (k, c) in row.iter().enumerate().take(row.len().saturating_sub(1)).filter(|(_, c)| **c != 0) {
            let param = em.expr(&Expr::Param(k))?;
            let param = within(em.value(&param));
            twice = ir.bin(Bin::Add, twice, ir.bin(Bin::Mul, param, word(*c)));
        }
        trips.push(within(ir.bin(Bin::AShr, twice, word(1))));
    }
    Ok(trips)
}

/// Bytes of the copies.
fn room<'f>(ir: &Ir<'f>, copies: &Copies, trips: &[Val<'f>]) -> Val<'f> {
    let word = |n: i64| ir.int(ir.int_ty(64), n);
    let [rows, columns, depth] = copies.most.map(|(dim, most)| at_most(ir, trips[dim], most));
    let of_one = ir.bin(Bin::Mul, rows, word(copies.bytes[0]));
    let of_one = ir.bin(Bin::Add, of_one, ir.bin(Bin::Mul, columns, word(copies.bytes[1])));
    ir.bin(Bin::Mul, of_one, depth)
}

/// Lets the new code wait for enough to do: behind `check`, without a terminator yet, where `cond` (`None`: nothing) is
/// known. Where it is known then whether the new code runs, and that; the current position stays.
///
/// # Errors
/// As [`Emitter::expr`].
pub fn wait<'f>(
    em: &mut Emitter<'f>,
    fresh: &Fresh,
    (check, cond): (Blk<'f>, Option<Val<'f>>),
) -> Result<(Blk<'f>, Option<Val<'f>>), Failure> {
    let ir = em.ir;
    let (here, truth) = (ir.current(), ir.int_ty(1));
    let first = ir.new_block("polyrs.fresh");
    ir.seek(Pos::End(first));
    let Work { updates, needed, pays } = work(em, fresh)?;
    let is_sure = ir.as_const(ir.icmp(Pred::Sle, needed, updates)).is_some_and(|sure| sure != 0);
    ir.seek(Pos::End(check));
    let decides = ir.new_block("polyrs.ready");
    match cond {
        Some(cond) => {
            ir.cond_br(cond, first, decides);
        }
        None => ir.br(first),
    }
    ir.seek(Pos::End(first));
    let mut last = first;
    if let Some(pays) = pays {
        last = ir.new_block("polyrs.pays");
        ir.cond_br(pays, last, decides);
        ir.seek(Pos::End(last));
    }
    let waits = if is_sure {
        ir.br(decides);
        None
    } else {
        // Data, with a number that is not 0.
        let done = ir.shared_word("polyrs.done", 1);
        let all = ir.bin(Bin::Add, ir.load_shared(ir.int_ty(64), done), updates);
        let waits = ir.new_block("polyrs.waits");
        ir.cond_br(ir.icmp(Pred::Sle, needed, all), decides, waits);
        ir.seek(Pos::End(waits));
        ir.store_shared(all, done);
        ir.br(decides);
        Some(waits)
    };
    ir.seek(Pos::End(decides));
    let runs = ir.phi(truth, "polyrs.runs");
    ir.add_incoming(runs, ir.int(truth, -1), last);
    for fails in waits.into_iter().chain(pays.map(|_| first)).chain(cond.map(|_| check)) {
        ir.add_incoming(runs, ir.int(truth, 0), fails);
    }
    ir.seek(Pos::End(here));
    Ok((decides, Some(runs).filter(|_| cond.is_some() || !is_sure || pays.is_some())))
}
