//! libgomp: `GOMP_*`. Its loops take `long` bounds, the end exclusive.

use super::{Chunk, Shared, chunk, from_both_ends, threads_value, unpack};
use crate::bridge::ir::{Ir, Pos, Val};
use crate::facts::Pred;
use crate::options::OmpScheduling;

/// Runs `thread` in each thread of a new team.
pub(super) fn fork<'f>(ir: &Ir<'f>, thread: &Val<'f>, shared: Val<'f>, threads: Option<u32>) {
    let no_flags = ir.int(ir.int_ty(32), 0);
    ir.call_symbol("GOMP_parallel", None, &[*thread, shared, threads_value(ir, threads), no_flags], None);
}

/// The function that each thread runs: `void (ptr shared)`. Threads ask for pieces until none is left.
pub(super) fn thread_function<'f>(ir: &Ir<'f>, name: &str, shared: &Shared<'f>) -> Val<'f> {
    let (own, args) = ir.new_function(name, &[ir.ptr_ty()], shared.body);
    let ir = &own;
    if let Some(Chunk::FromBothEnds(multiple)) = shared.deal.chunk {
        from_both_ends(ir, args[0], shared, multiple);
        return own.function();
    }
    let (word, truth) = (ir.int_ty(64), ir.int_ty(8));
    let here = ir.current();
    let (upper, lower) = (ir.alloca(word, "end"), ir.alloca(word, "begin"));
    ir.seek(Pos::End(here));
    let (first, end, live) = unpack(ir, args[0], shared.live_offset);
    let kind = match shared.deal.scheduling {
        OmpScheduling::Static => "static",
        OmpScheduling::Dynamic => "dynamic",
        OmpScheduling::Guided => "guided",
        OmpScheduling::Runtime => "runtime",
    };
    let mut start = vec![first, end, ir.int(word, shared.step)];
    if shared.deal.scheduling != OmpScheduling::Runtime {
        // 0: one piece per thread.
        let otherwise = i64::from(shared.deal.scheduling != OmpScheduling::Static);
        start.push(chunk(ir, shared, (first, end), otherwise));
    }
    start.extend([lower, upper]);
    let got = ir.call_symbol(&format!("GOMP_loop_{kind}_start"), Some(truth), &start, None);
    let (run, done) = (ir.new_block("run"), ir.new_block("done"));
    ir.cond_br(ir.icmp(Pred::Ne, got, ir.int(truth, 0)), run, done);
    ir.seek(Pos::End(run));
    ir.call(shared.body, &[ir.load(word, lower), ir.load(word, upper), live]);
    let more = ir.call_symbol(&format!("GOMP_loop_{kind}_next"), Some(truth), &[lower, upper], None);
    ir.cond_br(ir.icmp(Pred::Ne, more, ir.int(truth, 0)), run, done);
    ir.seek(Pos::End(done));
    ir.call_symbol("GOMP_loop_end_nowait", None, &[], None);
    ir.ret();
    own.function()
}
