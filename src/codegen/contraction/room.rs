//! Room for packed copies, which any code may ask for: also a signal handler that interrupts `malloc`, or the very
//! functions here. It comes from the operating system and is kept for the next product, up to a size, in a row of
//! places that all threads share; who takes a block takes it out of its place at once, so that nobody waits. A block
//! begins with its size. `errno` stays what it is.

use super::code::Code;
use crate::bridge::ir::{Cast, Ir, Val};
use crate::codegen::bug;
use crate::error::Failure;
use crate::facts::Pred;

/// Bytes in front of what a block is taken for: a cache line with its size.
pub const HEAD: u64 = 64;
/// Places for blocks: as many threads find one that was mapped before.
const PLACES: u64 = 8;
/// Largest block that is kept, in bytes; products with larger copies take long enough to ask for it anew.
const KEPT_BYTES: u64 = 2 << 20;
/// Blocks are multiples of so many bytes: a page, as far as the operating system cares.
const PAGE: u64 = 4096;
/// Places of one layout; another one has another name.
const ROW: &str = "polyrs.rooms.8";
/// `PROT_READ | PROT_WRITE`.
const MAY_READ_AND_WRITE: i64 = 3;
/// `MAP_PRIVATE | MAP_ANONYMOUS`.
const OF_ITS_OWN: i64 = 0x22;

/// Writes one of the functions.
struct Writer<'w, 'f> {
    code: Code<'w, 'f>,
    row: Val<'f>,
}

/// The function that takes room, `void (i64 bytes, ptr to)`: puts a block for so many bytes besides its head where `to`
/// says, or null where there is none.
///
/// # Errors
/// `Bug` where what was made is not well-formed.
pub fn take<'f>(ir: &Ir<'f>) -> Result<Val<'f>, Failure> {
    function(ir, "polyrs.room.take", 2, &|writer, args| writer.take(args[0], args[1]))
}

/// The function that gives it back, `void (ptr block)`; null is no block.
///
/// # Errors
/// As [`take`].
pub fn give<'f>(ir: &Ir<'f>) -> Result<Val<'f>, Failure> {
    function(ir, "polyrs.room.give", 1, &|writer, args| writer.give(args[0]))
}

fn function<'f>(
    ir: &Ir<'f>,
    name: &str,
    params: usize,
    write: &dyn Fn(&Writer<'_, 'f>, &[Val<'f>]),
) -> Result<Val<'f>, Failure> {
    if let Some(function) = ir.kernel(name) {
        return Ok(function);
    }
    let row = ir.shared_pointers(ROW, PLACES);
    let all = [ir.int_ty(64), ir.ptr_ty()];
    let (own, args) = ir.new_kernel((name.to_owned(), name), &all[2 - params..], 128);
    write(&Writer { code: Code { ir: &own }, row }, &args);
    own.ret();
    own.verify().map_err(|why| bug(format!("{name} is not well-formed: {why}")))?;
    Ok(own.function())
}

impl<'f> Writer<'_, 'f> {
    /// Whether a pointer is one.
    fn is_some(&self, ptr: Val<'f>) -> Val<'f> {
        let ir = self.code.ir;
        ir.icmp(Pred::Ne, ptr, ir.zero(ir.ptr_ty()))
    }

    fn each_place(&self, body: &mut dyn FnMut(Val<'f>)) {
        let code = self.code;
        let [first, end, step] = [0, PLACES, 1].map(|n| code.keep(code.word(n)));
        code.each_kept([first, end, step], &mut |n| body(code.ir.gep(self.row, 8, code.get(n))));
    }

    fn size(&self, block: Val<'f>) -> Val<'f> {
        self.code.ir.load(self.code.ir.int_ty(64), block)
    }

    fn unmap(&self, block: Val<'f>) {
        let ir = self.code.ir;
        ir.call_symbol("munmap", Some(ir.int_ty(32)), &[block, self.size(block)], None);
    }

    fn take(&self, bytes: Val<'f>, to: Val<'f>) {
        let (code, ir) = (self.code, self.code.ir);
        let null = ir.zero(ir.ptr_ty());
        let found = code.keep(null);
        let whole = code.add(bytes, code.word(HEAD + PAGE - 1));
        let wanted = code.keep(ir.bin(crate::bridge::ir::Bin::And, whole, code.word(!(PAGE - 1))));
        self.each_place(&mut |place| {
            let looks = code.all([ir.is_null(code.get(found)), self.is_some(ir.load_shared(ir.ptr_ty(), place))]);
            code.when(looks, &mut || code.put(found, ir.exchange(place, null)));
        });
        code.when(self.is_some(code.get(found)), &mut || {
            let is_small = code.less(self.size(code.get(found)), code.get(wanted));
            code.when(is_small, &mut || {
                self.unmap(code.get(found));
                code.put(found, null);
            });
        });
        code.when(ir.is_null(code.get(found)), &mut || code.put(found, self.map(code.get(wanted))));
        ir.store(code.get(found), to);
    }

    /// A new block of so many bytes; null where there is no memory.
    fn map(&self, bytes: Val<'f>) -> Val<'f> {
        let (code, ir) = (self.code, self.code.ir);
        let (int, word) = (ir.int_ty(32), ir.int_ty(64));
        let error = ir.call_symbol("__errno_location", Some(ir.ptr_ty()), &[], None);
        let before = ir.load(int, error);
        let how = [ir.int(int, MAY_READ_AND_WRITE), ir.int(int, OF_ITS_OWN), ir.int(int, -1), ir.int(word, 0)];
        let args = [ir.zero(ir.ptr_ty()), bytes, how[0], how[1], how[2], how[3]];
        let got = ir.call_symbol("mmap", Some(ir.ptr_ty()), &args, None);
        ir.store(before, error);
        let fails = ir.icmp(Pred::Eq, ir.cast(Cast::PtrToInt, got, word), ir.int(word, -1));
        let block = code.keep(ir.select(fails, ir.zero(ir.ptr_ty()), got));
        code.when(self.is_some(code.get(block)), &mut || {
            ir.store(bytes, code.get(block));
        });
        code.get(block)
    }

    fn give(&self, block: Val<'f>) {
        let (code, ir) = (self.code, self.code.ir);
        let left = code.keep(block);
        code.when(self.is_some(block), &mut || {
            let is_kept = code.at_most(self.size(block), code.word(KEPT_BYTES));
            code.when(is_kept, &mut || {
                self.each_place(&mut |place| {
                    let fits = code.all([self.is_some(code.get(left)), ir.is_null(ir.load_shared(ir.ptr_ty(), place))]);
                    code.when(fits, &mut || {
                        let is_there = ir.fill_null(place, block);
                        code.put(left, ir.select(is_there, ir.zero(ir.ptr_ty()), block));
                    });
                });
            });
            code.when(self.is_some(code.get(left)), &mut || self.unmap(block));
        });
    }
}
