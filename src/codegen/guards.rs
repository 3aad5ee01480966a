//! New code for data on which a condition always holds runs where it does: all of it is looked at before.
//!
//! The original code asks in each iteration, and does less where the condition does not hold; it stays for that. What
//! is looked at is what it would load anyway, and nothing in the region writes it. Loops around the innermost one are
//! left when something was found: the innermost one has no branch, so that it can be run in vectors.

use super::Input;
use super::alias::Disjoint;
use super::emit::Emitter;
use super::generator::Generator;
use super::places::{Places, Slot};
use super::scev::Origin;
use crate::ast::types::{Expr, For};
use crate::bridge::ir::{Bin, Blk, Cast, Ir, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;
use crate::model::Guard;

/// A condition while it is tested.
#[derive(Clone, Copy)]
pub struct Tested<'f> {
    guard: &'f Guard,
    /// Whether it did not hold somewhere: not zero then.
    fails: Slot<'f>,
}

/// Tests the region's conditions on data behind `check`, without a terminator yet, where `cond` (`None`: nothing) is
/// known. Where it is known then whether the new code runs, and that; the current position stays.
///
/// # Errors
/// As [`Generator::ast`].
pub fn test<'f>(
    ir: &'f Ir<'f>,
    input: &Input<'f>,
    (check, cond): (Blk<'f>, Option<Val<'f>>),
) -> Result<(Blk<'f>, Option<Val<'f>>), Failure> {
    if input.check.guards.is_empty() {
        return Ok((check, cond));
    }
    let (here, truth) = (ir.current(), ir.int_ty(1));
    let [first, decides] = ["polyrs.looks", "polyrs.looked"].map(|name| ir.new_block(name));
    ir.seek(Pos::End(check));
    match cond {
        Some(cond) => {
            ir.cond_br(cond, first, decides);
        }
        None => ir.br(first),
    }
    let origin = Origin::new(ir, input.facts, &input.scop.region)?;
    let places = Places::new(ir, &input.scop.arrays);
    ir.seek(Pos::End(first));
    let mut em = Emitter::new(ir, Pos::End(first));
    let params = super::params(&origin, input.scop, &mut em)?;
    em.set_params(params);
    let disjoint = Disjoint::new(ir, input.scop);
    let mut generator = Generator::new(em, origin, (input.scop, input.buffers), places, disjoint, None);
    let mut at = ir.new_block("polyrs.look");
    let begins = at;
    let mut ways = Vec::new();
    let last = input.scop.guards.len().saturating_sub(1);
    for (k, (guard, loops)) in input.scop.guards.iter().zip(&input.check.guards).enumerate() {
        let fails = Slot::new(ir, ir.int_ty(64));
        ir.seek(Pos::End(at));
        fails.store(ir, ir.int(ir.int_ty(64), 0));
        generator.tested = Some(Tested { guard, fails });
        generator.scop = &loops.scop;
        generator.ast(&loops.ast)?;
        let holds = generator.none_fails(fails);
        if k == last {
            ways.push((holds, ir.current()));
            ir.br(decides);
        } else {
            at = ir.new_block("polyrs.look");
            ways.push((ir.int(truth, 0), ir.current()));
            ir.cond_br(holds, at, decides);
        }
    }
    ir.seek(Pos::End(first));
    ir.br(begins);
    ir.seek(Pos::End(decides));
    let runs = ir.phi(truth, "polyrs.holds");
    ways.into_iter().for_each(|(holds, from)| ir.add_incoming(runs, holds, from));
    if cond.is_some() {
        ir.add_incoming(runs, ir.int(truth, 0), check);
    }
    ir.seek(Pos::End(here));
    Ok((decides, Some(runs)))
}

impl<'f> Generator<'f> {
    fn none_fails(&self, fails: Slot<'f>) -> Val<'f> {
        let ir = self.em.ir;
        ir.icmp(Pred::Eq, fails.load(ir), ir.int(ir.int_ty(64), 0))
    }

    /// Looks at one instance of a condition.
    ///
    /// # Errors
    /// As [`Self::instance`].
    pub(super) fn look(&mut self, Tested { guard, fails }: Tested<'f>, args: &[Expr]) -> Result<(), Failure> {
        for (value, wanted) in &guard.holds {
            let holds = self.value_in(&guard.stmt, args, *value)?;
            let ir = self.em.ir;
            let differs = if *wanted { ir.bin(Bin::Xor, holds, ir.int(ir.int_ty(1), -1)) } else { holds };
            let differs = ir.cast(Cast::ZExt, differs, ir.int_ty(64));
            fails.store(ir, ir.bin(Bin::Or, fails.load(ir), differs));
        }
        Ok(())
    }

    /// Whether a loop goes on that would by its counter: not behind the innermost one of a test that has failed.
    pub(super) fn goes_on(&self, f: &For, again: Val<'f>) -> Val<'f> {
        match self.tested {
            Some(Tested { fails, .. }) if f.body.contains_loop() => {
                self.em.ir.bin(Bin::And, again, self.none_fails(fails))
            }
            _ => again,
        }
    }
}
