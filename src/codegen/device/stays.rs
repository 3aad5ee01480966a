//! Regions with kernels of which no device is asked: the run-time library is told why, for the log of the program.

use crate::bridge::ir::{Blk, Ir, Pos, Val};

/// Why no device is asked: what `polyrs_gpu_stays` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    /// Sizes or strides are not such as the model assumes, or new code is not expected to pay for them.
    Sizes = 0,
    /// Arrays overlap, as far as is known.
    Overlap = 1,
    /// Addresses computed from parameters might wrap.
    Large = 2,
    /// There is less to do than the user asks for.
    Little = 3,
}

/// The name of a region of this function, for the library.
pub fn label<'f>(ir: &Ir<'f>, function: &str, region: &str) -> Val<'f> {
    ir.text_constant(&format!("polyrs.gpu.region.{function}.{region}"), region)
}

/// A new block in which the library is told why the region of this name stays with the host; it goes on at `next`. The
/// insertion point is lost.
pub fn stays<'f>(ir: &Ir<'f>, label: Val<'f>, why: Stays, next: Blk<'f>) -> Blk<'f> {
    let block = ir.new_block("polyrs.device.stays");
    ir.seek(Pos::End(block));
    ir.call_symbol("polyrs_gpu_stays", None, &[label, ir.int(ir.int_ty(32), why as i64)], None);
    ir.br(next);
    block
}

/// The program goes on at `next`, and the library is told why, unless the condition holds: the new block that does so.
/// The current position is then where it holds, the end of another new block.
pub(super) fn stays_unless<'f>(ir: &Ir<'f>, label: Val<'f>, (holds, why): (Val<'f>, Stays), next: Blk<'f>) -> Blk<'f> {
    let (here, go_on) = (ir.current(), ir.new_block("polyrs.device.ask"));
    let other = stays(ir, label, why, next);
    ir.seek(Pos::End(here));
    ir.cond_br(holds, go_on, other);
    ir.seek(Pos::End(go_on));
    other
}
