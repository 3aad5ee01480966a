//! The record that a routine reads: what is computed from what, in 64-bit words.
//!
//! A function of its own fills it: filled in the user's function, its twenty stores and addresses went through each of
//! LLVM's passes, 7 of the 360 million instructions that compiling three products takes.

use super::code::Code;
use crate::bridge::ir::{Ir, Ty, Val};
use crate::codegen::bug;
use crate::error::Failure;

/// Bits of vectors that such a function needs.
const VECTOR_BITS: u32 = 128;

/// A record in the frame, and what it is to say.
pub struct Record<'f> {
    at: Val<'f>,
    words: Vec<(usize, Val<'f>)>,
}

impl<'f> Record<'f> {
    /// A record at this address that says nothing yet.
    pub fn new(at: Val<'f>) -> Self {
        Self { at, words: Vec::new() }
    }

    /// The address of a word.
    pub fn place(&self, ir: &Ir<'f>, word: usize) -> Val<'f> {
        ir.gep(self.at, 8, Code { ir }.word(word as u64))
    }

    /// What a word is to be; no word is named twice.
    pub fn put(&mut self, word: usize, value: Val<'f>) {
        self.words.push((word, value));
    }

    /// Fills the record, at the end of the block that the builder stands in. Its address.
    ///
    /// # Errors
    /// `Bug` where what was made is not well-formed.
    pub fn fill(self, ir: &Ir<'f>) -> Result<Val<'f>, Failure> {
        let types: Vec<Ty<'f>> = self.words.iter().map(|(_, value)| ir.type_of(*value)).collect();
        let places: Vec<usize> = self.words.iter().map(|(word, _)| *word).collect();
        let function = filler(ir, &places, &types)?;
        let args: Vec<Val<'f>> = std::iter::once(self.at).chain(self.words.iter().map(|(_, value)| *value)).collect();
        ir.call(function, &args);
        Ok(self.at)
    }
}

/// The function `void (ptr record, values)` that stores values of these types in these words.
fn filler<'f>(ir: &Ir<'f>, places: &[usize], types: &[Ty<'f>]) -> Result<Val<'f>, Failure> {
    let key = format!("record {places:?} {types:?}");
    if let Some(function) = ir.kernel(&key) {
        return Ok(function);
    }
    let params: Vec<Ty<'f>> = std::iter::once(ir.ptr_ty()).chain(types.iter().copied()).collect();
    let (own, args) = ir.new_kernel((key, "polyrs.record"), &params, VECTOR_BITS);
    own.spend_little();
    let code = Code { ir: &own };
    for (place, value) in places.iter().zip(&args[1..]) {
        own.store(*value, own.gep(args[0], 8, code.word(*place as u64)));
    }
    own.ret();
    own.verify().map_err(|why| bug(format!("the function that fills a record is not well-formed: {why}")))?;
    Ok(own.function())
}
