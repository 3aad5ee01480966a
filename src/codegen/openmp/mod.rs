//! Loops whose iterations run in several threads.
//!
//! In: tasks, the parallel loops of a function as the generator left them: each a group of blocks that runs the
//! iterations between two values. Out: each group is a function of its own, `void (i64 first, i64 end, ptr live)`. The
//! caller runs it through the run-time library, which starts a second small function per thread (one file per library:
//! [`kmp`], [`gomp`]), or calls it where the work does not pay for the threads.
//! Invariants: no state but the caller's frame, so that calls from several threads and from inside parallel regions are
//! safe. A task comes from a loop that `deps` proved free of carried dependences, but for scalars that each iteration
//! has for itself.
//! Sources: interface of libomp (Intel OpenMP run-time library interface, 2016); interface of libgomp (GNU libgomp
//! manual).

mod gomp;
mod kmp;
pub mod work;

use super::emit::bug;
use crate::bridge::ir::{Bin, Blk, Cast, Ir, MinMax, Pos, Val};
use crate::bridge::ir_outline::Outlined;
use crate::error::Failure;
use crate::facts::Pred;
use crate::options::{OmpBackend, OmpScheduling};

/// Pieces that the iterations of a loop with unequal ones are dealt out in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The number of them, if there are so many: a power of two.
    pub count_log2: i64,
    /// The fewest iterations of one.
    pub least: i64,
    /// Where a piece costs something whatever its length: each thread gets two, one from each end, of a multiple of so
    /// many iterations. Those of a triangle are as much work together as the next thread's.
    pub from_both_ends: Option<i64>,
}

impl Pieces {
    /// Of loops.
    pub const USUAL: Pieces = Pieces { count_log2: 6, least: 1, from_both_ends: None };

    /// Of the rows of a contraction with so many in registers: each piece packs columns for itself.
    #[must_use]
    pub fn of_contraction(rows: u32) -> Pieces {
        let rows = i64::from(rows);
        Pieces { count_log2: 3, least: 4 * rows, from_both_ends: Some(rows) }
    }
}

/// The user's wishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Whose entry points are called.
    pub backend: OmpBackend,
    /// How iterations are dealt out; `None`: by the loop.
    pub scheduling: Option<OmpScheduling>,
    /// Iterations per piece; `None`: by scheduling and loop.
    pub chunk: Option<u32>,
    /// Threads to ask for; `None`: as many as the library has.
    pub threads: Option<u32>,
    /// Run in threads whatever the work.
    pub force: bool,
}

/// A loop to run in threads: blocks to be moved, complete, with one entry that comes first.
pub struct Task<'f> {
    /// Iterator of the first iteration; an instruction before the blocks.
    pub first: Val<'f>,
    /// First value behind the last iteration; another instruction before the blocks.
    pub end: Val<'f>,
    /// Distance of two iterations.
    pub step: i64,
    /// Whether threads pay, as an i1.
    pub worth: Val<'f>,
    /// Pieces that are dealt out, where some iterations may do more than others.
    pub uneven: Option<Pieces>,
    /// The blocks.
    pub blocks: Vec<Blk<'f>>,
}

/// How one loop is dealt out.
#[derive(Clone, Copy)]
struct Deal {
    scheduling: OmpScheduling,
    /// `None`: the library's default.
    chunk: Option<Chunk>,
}

#[derive(Clone, Copy)]
enum Chunk {
    Iterations(u32),
    /// As many as make so many pieces.
    Share(Pieces),
    /// [`Pieces::from_both_ends`].
    FromBothEnds(i64),
}

/// What the functions that threads run have in common.
struct Shared<'f> {
    body: Val<'f>,
    live_offset: i64,
    step: i64,
    deal: Deal,
}

/// Moves each task into a function of its own and writes the code that runs it. `name`: of the function that the tasks
/// are in.
///
/// # Errors
/// `Bug` where LLVM cannot move the blocks; the function is then broken.
pub fn outline<'f>(ir: &Ir<'f>, name: &str, tasks: &[Task<'f>], cfg: &Config) -> Result<(), Failure> {
    for (k, task) in tasks.iter().enumerate() {
        let own = format!("{name}.polyrs.body.{k}");
        let made = ir.outline(&task.blocks, task.first, task.end, &own);
        let made = made.ok_or_else(|| bug(format!("loop {k} cannot be moved into a function")))?;
        ir.set_debug_loc_of(made.call);
        connect(ir, task, &made, &format!("{name}.polyrs.thread.{k}"), cfg);
    }
    ir.set_debug_loc(None);
    Ok(())
}

fn connect<'f>(ir: &Ir<'f>, task: &Task<'f>, made: &Outlined<'f>, name: &str, cfg: &Config) {
    let shared = Shared { body: made.body, live_offset: made.live_offset, step: task.step, deal: deal(task, cfg) };
    let threaded = ir.new_block("polyrs.threads");
    ir.seek(Pos::End(made.before));
    match ir.as_const(task.worth) {
        Some(0) => ir.br(made.alone),
        Some(_) => ir.br(threaded),
        None => {
            ir.cond_br(task.worth, threaded, made.alone);
        }
    }
    ir.seek(Pos::End(threaded));
    ir.store(task.first, made.shared);
    ir.store(task.end, ir.gep(made.shared, 1, ir.int(ir.int_ty(64), 8)));
    match cfg.backend {
        OmpBackend::Llvm => kmp::fork(ir, &kmp::thread_function(ir, name, &shared), made.shared, cfg.threads),
        OmpBackend::Gnu => gomp::fork(ir, &gomp::thread_function(ir, name, &shared), made.shared, cfg.threads),
    }
    ir.br(made.after);
    if ir.as_const(task.worth).is_some_and(|worth| worth != 0) {
        ir.delete_blocks(&[made.alone]);
    }
}

fn deal<'f>(task: &Task<'f>, cfg: &Config) -> Deal {
    let from_both_ends = task.uneven.and_then(|pieces| pieces.from_both_ends);
    if let (Some(multiple), None, None) = (from_both_ends, cfg.scheduling, cfg.chunk) {
        return Deal { scheduling: OmpScheduling::Static, chunk: Some(Chunk::FromBothEnds(multiple)) };
    }
    let chosen = if task.uneven.is_some() { OmpScheduling::Dynamic } else { OmpScheduling::Static };
    let scheduling = cfg.scheduling.unwrap_or(chosen);
    let own = task.uneven.filter(|_| cfg.scheduling.is_none()).map(Chunk::Share);
    Deal { scheduling, chunk: cfg.chunk.map(Chunk::Iterations).or(own) }
}

/// First value, end and live values out of the shared struct.
fn unpack<'f>(ir: &Ir<'f>, shared: Val<'f>, live_offset: i64) -> (Val<'f>, Val<'f>, Val<'f>) {
    let word = ir.int_ty(64);
    let first = ir.load(word, shared);
    let end = ir.load(word, ir.gep(shared, 1, ir.int(word, 8)));
    (first, end, ir.gep(shared, 1, ir.int(word, live_offset)))
}

/// Iterations per piece, 64 bits; `otherwise` where nothing asks for a number.
fn chunk<'f>(ir: &Ir<'f>, shared: &Shared<'f>, (first, end): (Val<'f>, Val<'f>), otherwise: i64) -> Val<'f> {
    let word = ir.int_ty(64);
    match shared.deal.chunk {
        None | Some(Chunk::FromBothEnds(_)) => ir.int(word, otherwise),
        Some(Chunk::Iterations(n)) => ir.int(word, i64::from(n)),
        Some(Chunk::Share(pieces)) => {
            let length = ir.bin(Bin::Sub, end, first);
            let trips = ir.bin(Bin::UDiv, length, ir.int(word, shared.step));
            let share = ir.bin(Bin::AShr, trips, ir.int(word, pieces.count_log2));
            ir.min_max(MinMax::SMax, share, ir.int(word, pieces.least))
        }
    }
}

/// The rest of a thread's function where it runs two pieces: of all pieces of one length, two for each thread, those as
/// far from the first as from the last one. No iteration but those of the loop: pieces behind the end are empty.
fn from_both_ends<'f>(ir: &Ir<'f>, shared_struct: Val<'f>, shared: &Shared<'f>, multiple: i64) {
    let (word, narrow) = (ir.int_ty(64), ir.int_ty(32));
    let number = |symbol: &str| ir.cast(Cast::SExt, ir.call_symbol(symbol, Some(narrow), &[], None), word);
    let (threads, me) = (number("omp_get_num_threads"), number("omp_get_thread_num"));
    let (first, end, live) = unpack(ir, shared_struct, shared.live_offset);
    let pieces = ir.bin(Bin::Add, threads, threads);
    let unit = ir.int(word, shared.step * multiple);
    let before = |v: Val<'f>| ir.bin(Bin::Sub, v, ir.int(word, 1));
    let (span, each) = (ir.bin(Bin::Sub, end, first), ir.bin(Bin::Mul, pieces, unit));
    let units = ir.bin(Bin::UDiv, ir.bin(Bin::Add, span, before(each)), each);
    let length = ir.bin(Bin::Mul, units, unit);
    let place = |offset: Val<'f>| ir.bin(Bin::Add, first, ir.min_max(MinMax::SMin, offset, span));
    for piece in [before(ir.bin(Bin::Sub, pieces, me)), me] {
        let offset = ir.bin(Bin::Mul, piece, length);
        let (from, to) = (place(offset), place(ir.bin(Bin::Add, offset, length)));
        let (run, done) = (ir.new_block("run"), ir.new_block("done"));
        ir.cond_br(ir.icmp(Pred::Slt, from, to), run, done);
        ir.seek(Pos::End(run));
        ir.call(shared.body, &[from, to, live]);
        ir.br(done);
        ir.seek(Pos::End(done));
    }
    ir.ret();
}

/// Whether the library would use several threads here, as an i1.
pub fn has_threads<'f>(ir: &Ir<'f>, cfg: &Config) -> Val<'f> {
    let narrow = ir.int_ty(32);
    match cfg.threads {
        Some(n) => ir.int(ir.int_ty(1), if n > 1 { -1 } else { 0 }),
        None => {
            let most = ir.call_symbol("omp_get_max_threads", Some(narrow), &[], None);
            ir.icmp(Pred::Sgt, most, ir.int(narrow, 1))
        }
    }
}

/// The number of threads to ask for, 0 for the library's choice.
fn threads_value<'f>(ir: &Ir<'f>, threads: Option<u32>) -> Val<'f> {
    ir.cast(Cast::Trunc, ir.int(ir.int_ty(64), i64::from(threads.unwrap_or(0))), ir.int_ty(32))
}
