//! Lines on the error stream of the compiled program that tell which code of a region it runs, by `write`, which needs
//! no library besides C's.

use crate::bridge::ir::{Ir, Val};

/// Says at the current position, on stream 2, that this code of a region comes next: `polyrs: kernel:0: new code`.
pub fn say<'f>(ir: &Ir<'f>, region: &str, code: &str) {
    let line = format!("polyrs: {region}: {code} code\n");
    let text = ir.text_constant(&format!("polyrs.trace.{code}.{region}"), &line);
    let (int, long) = (ir.int_ty(32), ir.int_ty(64));
    let length = i64::try_from(line.len()).unwrap_or_default();
    let args: [Val<'f>; 3] = [ir.int(int, 2), text, ir.int(long, length)];
    ir.call_symbol("write", Some(long), &args, None);
}
