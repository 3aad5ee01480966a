//! libomp: `__kmpc_*`.

use super::{Chunk, Shared, chunk, from_both_ends, threads_value, unpack};
use crate::bridge::ir::{Bin, Ir, MinMax, Pos, Val};
use crate::facts::Pred;
use crate::options::OmpScheduling;

/// Numbers of the library's schedules.
const STATIC_CHUNKED: i64 = 33;
const STATIC: i64 = 34;
const DYNAMIC_CHUNKED: i64 = 35;
const GUIDED_CHUNKED: i64 = 36;
const RUNTIME: i64 = 37;
/// Added to a schedule whose pieces may reach a thread in any order.
const NONMONOTONIC: i64 = 1 << 30;

/// Flags of a source position: made by a compiler; of a loop.
const MADE_BY_COMPILER: i64 = 0x02;
const OF_LOOP: i64 = 0x200;

/// The library's description of a place in the source: nothing is told of it but its flags.
fn place<'f>(ir: &Ir<'f>, symbol: &str, flags: i64) -> Val<'f> {
    const UNKNOWN: &str = ";unknown;unknown;0;0;;";
    let narrow = ir.int_ty(32);
    let text = ir.text_constant("polyrs.place", UNKNOWN);
    let length = i64::try_from(UNKNOWN.len()).unwrap_or(0);
    let fields = [0, flags, 0, length].map(|v| ir.int(narrow, v));
    ir.struct_constant(symbol, &[fields[0], fields[1], fields[2], fields[3], text])
}

/// Runs `thread` in each thread of a new team.
pub(super) fn fork<'f>(ir: &Ir<'f>, thread: &Val<'f>, shared: Val<'f>, threads: Option<u32>) {
    let place = place(ir, "polyrs.place.fork", MADE_BY_COMPILER);
    if threads.is_some() {
        let me = ir.call_symbol("__kmpc_global_thread_num", Some(ir.int_ty(32)), &[place], None);
        ir.call_symbol("__kmpc_push_num_threads", None, &[place, me, threads_value(ir, threads)], None);
    }
    let count = ir.int(ir.int_ty(32), 1);
    ir.call_symbol("__kmpc_fork_call", None, &[place, count, *thread, shared], Some(3));
}

/// The function that each thread runs: `void (ptr global_thread, ptr thread_of_team, ptr shared)`.
pub(super) fn thread_function<'f>(ir: &Ir<'f>, name: &str, shared: &Shared<'f>) -> Val<'f> {
    let pointer = ir.ptr_ty();
    let (own, args) = ir.new_function(name, &[pointer, pointer, pointer], shared.body);
    let me = own.load(own.int_ty(32), args[0]);
    match (shared.deal.scheduling, shared.deal.chunk) {
        (_, Some(Chunk::FromBothEnds(multiple))) => from_both_ends(&own, args[2], shared, multiple),
        (OmpScheduling::Static, None) => one_piece(&own, me, args[2], shared),
        (OmpScheduling::Static, Some(_)) => fixed_pieces(&own, me, args[2], shared),
        (OmpScheduling::Dynamic, _) => dealt(&own, me, args[2], shared, DYNAMIC_CHUNKED + NONMONOTONIC),
        (OmpScheduling::Guided, _) => dealt(&own, me, args[2], shared, GUIDED_CHUNKED + NONMONOTONIC),
        (OmpScheduling::Runtime, _) => dealt(&own, me, args[2], shared, RUNTIME + NONMONOTONIC),
    }
    own.function()
}

/// Variables whose addresses the library gets; `upper` is inclusive.
struct Piece<'f> {
    is_last: Val<'f>,
    lower: Val<'f>,
    upper: Val<'f>,
    stride: Val<'f>,
}

impl<'f> Piece<'f> {
    /// At the start of the function; the insertion point is lost.
    fn new(ir: &Ir<'f>) -> Self {
        let word = ir.int_ty(64);
        Self {
            stride: ir.alloca(word, "stride"),
            upper: ir.alloca(word, "upper"),
            lower: ir.alloca(word, "lower"),
            is_last: ir.alloca(ir.int_ty(32), "is_last"),
        }
    }

    fn start_static(
        &self,
        ir: &Ir<'f>,
        me: Val<'f>,
        (first, last): (Val<'f>, Val<'f>),
        (kind, chunk): (i64, Val<'f>),
        step: i64,
    ) {
        let (word, narrow) = (ir.int_ty(64), ir.int_ty(32));
        let step = ir.int(word, step);
        ir.store(ir.int(narrow, 0), self.is_last);
        ir.store(first, self.lower);
        ir.store(last, self.upper);
        ir.store(step, self.stride);
        let place = place(ir, "polyrs.place.loop", MADE_BY_COMPILER + OF_LOOP);
        let kind = ir.int(narrow, kind);
        let args = [place, me, kind, self.is_last, self.lower, self.upper, self.stride, step, chunk];
        ir.call_symbol("__kmpc_for_static_init_8", None, &args, None);
    }
}

fn finish_static<'f>(ir: &Ir<'f>, me: Val<'f>) {
    let place = place(ir, "polyrs.place.loop", MADE_BY_COMPILER + OF_LOOP);
    ir.call_symbol("__kmpc_for_static_fini", None, &[place, me], None);
    ir.ret();
}

fn plus<'f>(ir: &Ir<'f>, v: Val<'f>, c: i64) -> Val<'f> {
    ir.bin(Bin::Add, v, ir.int(ir.int_ty(64), c))
}

/// The last value the loop may take of a piece that may reach behind the end.
fn within<'f>(ir: &Ir<'f>, piece_last: Val<'f>, last: Val<'f>) -> Val<'f> {
    ir.min_max(MinMax::SMin, piece_last, last)
}

/// Each thread runs one piece, all of about one length.
fn one_piece<'f>(ir: &Ir<'f>, me: Val<'f>, shared_struct: Val<'f>, shared: &Shared<'f>) {
    let here = ir.current();
    let piece = Piece::new(ir);
    ir.seek(Pos::End(here));
    let (first, end, live) = unpack(ir, shared_struct, shared.live_offset);
    let (last, word) = (plus(ir, end, -1), ir.int_ty(64));
    piece.start_static(ir, me, (first, last), (STATIC, ir.int(word, 1)), shared.step);
    let own_last = within(ir, ir.load(word, piece.upper), last);
    ir.call(shared.body, &[ir.load(word, piece.lower), plus(ir, own_last, 1), live]);
    finish_static(ir, me);
}

/// Pieces of a fixed length go to the threads in turn.
fn fixed_pieces<'f>(ir: &Ir<'f>, me: Val<'f>, shared_struct: Val<'f>, shared: &Shared<'f>) {
    let here = ir.current();
    let piece = Piece::new(ir);
    ir.seek(Pos::End(here));
    let (first, end, live) = unpack(ir, shared_struct, shared.live_offset);
    let (last, word) = (plus(ir, end, -1), ir.int_ty(64));
    let chunk = chunk(ir, shared, (first, end), 1);
    piece.start_static(ir, me, (first, last), (STATIC_CHUNKED, chunk), shared.step);
    let stride = ir.load(word, piece.stride);
    let (lower, upper) = (ir.load(word, piece.lower), ir.load(word, piece.upper));
    let (test, run, done) = (ir.new_block("test"), ir.new_block("run"), ir.new_block("done"));
    ir.br(test);
    ir.seek(Pos::End(test));
    let (from, to) = (ir.phi(word, "from"), ir.phi(word, "to"));
    ir.add_incoming(from, lower, here);
    ir.add_incoming(to, upper, here);
    ir.cond_br(ir.icmp(Pred::Sle, from, last), run, done);
    ir.seek(Pos::End(run));
    ir.call(shared.body, &[from, plus(ir, within(ir, to, last), 1), live]);
    let (next_from, next_to) = (ir.bin(Bin::Add, from, stride), ir.bin(Bin::Add, to, stride));
    ir.add_incoming(from, next_from, run);
    ir.add_incoming(to, next_to, run);
    ir.br(test);
    ir.seek(Pos::End(done));
    finish_static(ir, me);
}

/// Threads ask for pieces until none is left.
fn dealt<'f>(ir: &Ir<'f>, me: Val<'f>, shared_struct: Val<'f>, shared: &Shared<'f>, kind: i64) {
    let here = ir.current();
    let piece = Piece::new(ir);
    ir.seek(Pos::End(here));
    let (first, end, live) = unpack(ir, shared_struct, shared.live_offset);
    let (word, narrow) = (ir.int_ty(64), ir.int_ty(32));
    let place = place(ir, "polyrs.place.loop", MADE_BY_COMPILER + OF_LOOP);
    let (step, chunk) = (ir.int(word, shared.step), chunk(ir, shared, (first, end), 1));
    let args = [place, me, ir.int(narrow, kind), first, plus(ir, end, -1), step, chunk];
    ir.call_symbol("__kmpc_dispatch_init_8", None, &args, None);
    let (ask, run, done) = (ir.new_block("ask"), ir.new_block("run"), ir.new_block("done"));
    ir.br(ask);
    ir.seek(Pos::End(ask));
    let args = [place, me, piece.is_last, piece.lower, piece.upper, piece.stride];
    let more = ir.call_symbol("__kmpc_dispatch_next_8", Some(narrow), &args, None);
    ir.cond_br(ir.icmp(Pred::Ne, more, ir.int(narrow, 0)), run, done);
    ir.seek(Pos::End(run));
    ir.call(shared.body, &[ir.load(word, piece.lower), plus(ir, ir.load(word, piece.upper), 1), live]);
    ir.br(ask);
    ir.seek(Pos::End(done));
    ir.ret();
}
