//! Results that come back while kernels run: behind the last part of a region that writes a range.

use crate::ast::device::Device;
use crate::ast::types::Ast;
use crate::bridge::ir::Val;
use crate::codegen::generator::Generator;
use crate::error::Failure;
use crate::ids::ArrayId;
use crate::model::{AccessKind, Scop};
use std::collections::BTreeSet;

/// Number of the bit that stands for a range and all that follow.
const LAST_BIT: usize = 63;

/// The bit that stands for a range.
pub(super) fn bit_of(range: usize) -> i64 {
    1 << range.min(LAST_BIT)
}

impl<'f> Generator<'f> {
    /// The parts of a region, one after the other; behind each, the library is told what none of the others writes.
    ///
    /// # Errors
    /// As [`Self::ast`].
    pub(super) fn parts(&mut self, device: &Device, region: Val<'f>) -> Result<(), Failure> {
        let Ast::Block(parts) = &device.ast else { return self.ast(&device.ast) };
        let all = written_last(self.scop, device, parts);
        for (part, last) in parts.iter().zip(all) {
            self.ast(part)?;
            if last != 0 {
                let ranges = self.em.ir.int(self.em.ir.int_ty(64), last);
                self.em.ir.call_symbol("polyrs_gpu_final", None, &[region, ranges], None);
            }
        }
        Ok(())
    }
}

/// For each part but the last one, the bits of ranges that it writes and no later part does. A bit that stands for
/// several ranges stands for none here.
fn written_last(scop: &Scop, device: &Device, parts: &[Ast]) -> Vec<i64> {
    let written = |part: &Ast| -> BTreeSet<ArrayId> {
        let accesses = part.stmts().flat_map(|id| &scop.stmt(id).accesses);
        accesses.filter(|a| a.kind != AccessKind::Read).map(|a| a.array).collect()
    };
    let mut later = parts.last().map_or_else(BTreeSet::new, written);
    let mut all = vec![0; parts.len()];
    for (part, bits) in parts.iter().zip(&mut all).rev().skip(1) {
        let own = written(part);
        let ranges = device.ranges.iter().enumerate().take(LAST_BIT);
        let last = ranges.filter(|(_, memory)| own.contains(&memory.array) && !later.contains(&memory.array));
        *bits = last.fold(0, |all, (range, _)| all | bit_of(range));
        later.extend(own);
    }
    all
}
