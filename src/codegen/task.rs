//! Loops that may run in threads: emitted as a range of iterations with a beginning and an end of its own, to be moved
//! into a function afterwards (see [`super::openmp`]).

use super::atoms::Poly;
use super::copies::Reserved;
use super::emit::Emitter;
use super::generator::Generator;
use super::nest::Bounds;
use super::openmp::work::{self, Row, WORTHWHILE_CYCLES, WORTHWHILE_EACH_TIME_CYCLES, Work};
use super::openmp::{self, Pieces, Task};
use super::reduce::{Updated, When};
use crate::ast::buffers::updated_in;
use crate::ast::types::For;
use crate::bridge::ir::{Bin, Pos, Val};
use crate::error::Failure;
use crate::facts::Pred;

/// Whether a loop is to run in threads, as i1s.
struct Worth<'f> {
    /// It does enough for that.
    enough: Val<'f>,
    /// It does, and there are several.
    threads: Val<'f>,
    /// Estimated cycles; `None`: it runs in threads whatever it does.
    work: Option<Val<'f>>,
}

impl<'f> Generator<'f> {
    /// Emits a parallel loop that may run in threads.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub fn task(&mut self, f: &For, lower: &Poly, end: &Poly) -> Result<(), Failure> {
        let (Some(cfg), Some(copies)) = (self.threads.config(), &f.parallel) else {
            return self.whole_or_part(f, lower, end, None);
        };
        let work = work::of_loop(self.scop, f)?;
        let pieces = f.contraction.map_or(Pieces::USUAL, |blocks| Pieces::of_contraction(blocks.rows));
        let uneven = work.uneven.then_some(pieces);
        let Worth { enough, threads: worth, work: cycles } = self.worth(&work, &cfg)?;
        let pays = self.threads.note(enough, worth);
        self.set_loc(&f.body);
        let (elements, arrays) = (updated_in(self.scop, f, &copies.elements), updated_in(self.scop, f, &copies.arrays));
        let collects = !(elements.is_empty() && arrays.is_empty());
        if self.em.ir.as_const(if collects { pays } else { worth }) == Some(0) {
            return self.whole_or_part(f, lower, end, None);
        }
        let (places, fits) = self.reserve(&copies.privatized)?;
        if collects {
            let blocks = fits.map_or(pays, |fits| self.em.ir.bin(Bin::And, pays, fits));
            let when = When { blocks, threads: worth, work: cycles };
            return self.reduced(f, &Updated { elements, arrays, places }, (lower, end), uneven, when);
        }
        let has_two_ways = fits.is_some() || (self.em.depth() > 0 && self.em.ir.as_const(worth).is_none());
        let worth = fits.map_or(worth, |fits| self.em.ir.bin(Bin::And, worth, fits));
        if has_two_ways {
            self.both_ways(f, (lower, end), (uneven, &places), worth)
        } else {
            self.split_off(f, (lower, end), (uneven, &places), worth)
        }
    }

    /// Inside other loops the loop for one thread stands beside the one for several, so that nothing is handed over
    /// where they do not pay; so it does where there may be no room for copies.
    fn both_ways(
        &mut self,
        f: &For,
        (lower, end): (&Poly, &Poly),
        how: (Option<Pieces>, &[Reserved<'f>]),
        worth: Val<'f>,
    ) -> Result<(), Failure> {
        let ir = self.em.ir;
        let (threads, alone) = (ir.new_block("polyrs.pays"), ir.new_block("polyrs.alone"));
        let join = ir.new_block("polyrs.joined");
        ir.cond_br(worth, threads, alone);
        ir.seek(Pos::End(threads));
        let always = ir.int(ir.int_ty(1), -1);
        self.split_off(f, (lower, end), how, always)?;
        ir.br(join);
        ir.seek(Pos::End(alone));
        self.whole_or_part(f, lower, end, None)?;
        ir.br(join);
        ir.seek(Pos::End(join));
        Ok(())
    }

    /// The loop as blocks of their own, to be moved into a function.
    fn split_off(
        &mut self,
        f: &For,
        (lower, end): (&Poly, &Poly),
        (uneven, places): (Option<Pieces>, &[Reserved<'f>]),
        worth: Val<'f>,
    ) -> Result<(), Failure> {
        let (first, last) = (self.em.value(lower), self.em.value(end));
        let (first, last) = (self.em.ir.freeze(first), self.em.ir.freeze(last));
        let private = self.scop.scalars_written_by(f.body.stmts());
        let before = self.em.ir.current();
        let whole_end = if places.is_empty() { last } else { self.em.ir.freeze(last) };
        let around_scalars = self.places.for_each_thread(self.em.ir, &private);
        self.em.ir.seek(Pos::End(before));
        let join = self.em.ir.new_block("polyrs.join");
        let made = self.em.ir.made().len();
        let entry = self.em.ir.new_block("polyrs.task");
        self.em.ir.br(entry);
        let written = self.in_task(entry, "polyrs.share", |task, share| {
            if !places.is_empty() {
                task.make_copies(places, entry, whole_end);
            }
            task.make_arrays_of_thread(entry)?;
            task.em.ir.seek(Pos::End(share));
            task.places.empty(task.em.ir, &private);
            let enters = task.em.ir.icmp(Pred::Slt, first, last);
            let preheader = task.em.ir.new_block("polyrs.preheader");
            let after = task.em.ir.new_block("polyrs.after");
            task.em.ir.cond_br(enters, preheader, after);
            task.em.ir.seek(Pos::End(preheader));
            task.threads.set_in_task(true);
            let bounds = Bounds { first, end: last, is_rest: false };
            let emitted = task.whole_or_part(f, lower, end, Some(bounds));
            task.threads.set_in_task(false);
            task.places.forget_copies();
            emitted?;
            task.em.ir.br(after);
            task.em.ir.seek(Pos::End(after));
            Ok(())
        });
        self.places.restore(around_scalars);
        written?;
        self.em.ir.br(join);
        self.em.ir.seek(Pos::End(join));
        let blocks = self.em.ir.made().split_off(made);
        self.threads.add(Task { first, end: last, step: f.step, worth, uneven, blocks });
        Ok(())
    }

    /// Whether threads pay for this much work, computed before all loops.
    fn worth(&mut self, work: &Work, cfg: &openmp::Config) -> Result<Worth<'f>, Failure> {
        let truth = self.em.ir.int_ty(1);
        if cfg.force {
            let always = self.em.ir.int(truth, -1);
            return Ok(Worth { enough: always, threads: always, work: None });
        }
        let (here, is_repeated) = (self.em.ir.current(), self.em.depth() > 0);
        let params: Vec<Val<'f>> = self.params()?.iter().map(|p| self.em.value(p)).collect();
        self.em.ir.seek(self.em.outside());
        let ir = self.em.ir;
        let cycles = amount(&self.em, work, &params);
        let least = if is_repeated { WORTHWHILE_EACH_TIME_CYCLES } else { WORTHWHILE_CYCLES };
        let enough = ir.real_at_least(cycles, ir.real(least));
        let threads = match ir.as_const(enough) {
            Some(0) => enough,
            Some(_) => self.threads.several(ir, cfg),
            None => ir.bin(Bin::And, enough, self.threads.several(ir, cfg)),
        };
        ir.seek(Pos::End(here));
        Ok(Worth { enough, threads, work: Some(cycles) })
    }
}

/// The value of an amount of work, at the current position; `params` are 64-bit integers.
pub(super) fn amount<'f>(em: &Emitter<'f>, work: &Work, params: &[Val<'f>]) -> Val<'f> {
    let ir = em.ir;
    let factor = |row: &Row| {
        let mut sum = ir.real(row.last().copied().unwrap_or(0.0));
        for (c, p) in row.iter().zip(params).filter(|(c, _)| **c != 0.0) {
            sum = ir.real_add(sum, ir.real_mul(ir.real(*c), ir.real_of_int(*p)));
        }
        ir.real_max(sum, ir.real(0.0))
    };
    work.terms.iter().fold(ir.real(0.0), |sum, term| {
        let product = term.factors.iter().fold(ir.real(term.cycles), |product, f| ir.real_mul(product, factor(f)));
        ir.real_add(sum, product)
    })
}
