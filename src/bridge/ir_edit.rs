//! Changing what is there: copies of instructions, edges, phis, metadata, deletion, verification.

use std::ffi::{c_char, c_uint, c_void};

use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

use crate::bridge::ffi::polyrs_clone_mark_original;
use crate::bridge::ir::{Blk, Ir, Meta, Val, built, len_u32};
use crate::ids::ValueId;

unsafe extern "C" {
    fn polyrs_ir_split_preds(
        block: LLVMBasicBlockRef,
        preds: *mut LLVMBasicBlockRef,
        count: usize,
    ) -> LLVMBasicBlockRef;
    fn polyrs_ir_preds(
        block: LLVMBasicBlockRef,
        data: *mut c_void,
        visit: unsafe extern "C" fn(*mut c_void, LLVMBasicBlockRef),
    );
    fn polyrs_ir_split_phis(block: LLVMBasicBlockRef) -> LLVMBasicBlockRef;
    fn polyrs_ir_start_lifetimes(blocks: *mut LLVMBasicBlockRef, count: usize, at: LLVMBasicBlockRef);
    fn polyrs_ir_delete_blocks(blocks: *mut LLVMBasicBlockRef, count: usize);
    fn polyrs_ir_promote(function: LLVMValueRef, allocas: *mut LLVMValueRef, count: usize);
    fn polyrs_ir_distinct(context: LLVMContextRef) -> LLVMMetadataRef;
    fn polyrs_ir_loop_id(context: LLVMContextRef, properties: *mut LLVMMetadataRef, count: usize) -> LLVMMetadataRef;
    fn polyrs_ir_alias_domain(context: LLVMContextRef) -> LLVMMetadataRef;
    fn polyrs_ir_alias_scope(context: LLVMContextRef, domain: LLVMMetadataRef) -> LLVMMetadataRef;
    fn polyrs_ir_annotate_access(
        access: LLVMValueRef,
        group: LLVMMetadataRef,
        scopes: LLVMMetadataRef,
        noalias: LLVMMetadataRef,
    );
    fn polyrs_ir_set_metadata(inst: LLVMValueRef, kind: c_uint, node: LLVMMetadataRef);
    fn polyrs_ir_verify(function: LLVMValueRef, message: *mut c_char, capacity: usize) -> usize;
}

unsafe extern "C" fn push_block(data: *mut c_void, block: LLVMBasicBlockRef) {
    // SAFETY: `data` is the vector that `Ir::preds` passed, borrowed by nobody else during the call.
    unsafe { (*data.cast::<Vec<Blk<'_>>>()).push(Blk::of(block)) };
}

impl<'f> Ir<'f> {
    /// Operands of an instruction that are instructions or arguments with an id: `(operand number, value)`.
    #[must_use]
    pub fn operands(&self, inst: ValueId) -> Vec<(u32, ValueId)> {
        let inst = self.value(inst).0;
        // SAFETY: live handle; operand numbers are below the count.
        unsafe {
            let count = LLVMGetNumOperands(inst).cast_unsigned();
            (0..count)
                .filter_map(|i| {
                    let operand = LLVMGetOperand(inst, i);
                    let varies = !LLVMIsAInstruction(operand).is_null() || !LLVMIsAArgument(operand).is_null();
                    varies.then(|| self.id_of(operand).map(|id| (i, id)))?
                })
                .collect()
        }
    }

    /// Whether every instruction operand of `inst` has an id (so that [`Self::operands`] is complete).
    #[must_use]
    pub fn knows_operands(&self, inst: ValueId) -> bool {
        let inst = self.value(inst).0;
        // SAFETY: as in `operands`.
        unsafe {
            (0..LLVMGetNumOperands(inst).cast_unsigned()).all(|i| {
                let operand = LLVMGetOperand(inst, i);
                LLVMIsAInstruction(operand).is_null() || self.id_of(operand).is_some()
            })
        }
    }

    /// A copy of an instruction (flags, metadata and source position included) at the insertion point, with these
    /// operands replaced.
    pub fn clone_inst(&self, inst: ValueId, operands: &[(u32, Val<'f>)]) -> Val<'f> {
        // SAFETY: live handles; operand numbers come from `operands`, the types are those of the values replaced. The
        // builder would overwrite the copy's source position, so it is put back.
        unsafe {
            let original = self.value(inst).0;
            let copy = LLVMInstructionClone(original);
            for (index, value) in operands {
                LLVMSetOperand(copy, *index, value.0);
            }
            LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), copy);
            LLVMInstructionSetDebugLoc(copy, LLVMInstructionGetDebugLoc(original));
            Val::of(copy)
        }
    }

    /// Replaces each operand of `user` that is `old`; in phis only where the incoming block is not in `except`.
    pub fn replace_operand(&self, user: ValueId, old: Val<'f>, new: Val<'f>, except: &[Blk<'f>]) {
        let user = self.value(user).0;
        // SAFETY: live handles; operand numbers are below the count; `new` has the type of `old`. Operand i of a phi is
        // its incoming value i.
        unsafe {
            let is_phi = !LLVMIsAPHINode(user).is_null();
            for i in 0..LLVMGetNumOperands(user).cast_unsigned() {
                let kept = is_phi && except.contains(&Blk::of(LLVMGetIncomingBlock(user, i)));
                if LLVMGetOperand(user, i) == old.0 && !kept {
                    LLVMSetOperand(user, i, new.0);
                }
            }
        }
    }

    /// Predecessors, each once.
    #[must_use]
    pub fn preds(&self, block: Blk<'f>) -> Vec<Blk<'f>> {
        let mut found: Vec<Blk<'f>> = Vec::new();
        // SAFETY: live handle; the callback gets the vector's address, which nobody else uses during the call.
        unsafe { polyrs_ir_preds(block.0, (&raw mut found).cast(), push_block) };
        found
    }

    /// Phis of a block, in order.
    #[must_use]
    pub fn phis(&self, block: Blk<'f>) -> Vec<Val<'f>> {
        let mut found = Vec::new();
        // SAFETY: live handle; a null instruction ends the walk.
        unsafe {
            let mut inst = LLVMGetFirstInstruction(block.0);
            while !inst.is_null() && !LLVMIsAPHINode(inst).is_null() {
                found.push(Val::of(inst));
                inst = LLVMGetNextInstruction(inst);
            }
        }
        found
    }

    /// Incoming values of a phi; none for anything else.
    #[must_use]
    pub fn incoming(&self, phi: Val<'f>) -> Vec<(Val<'f>, Blk<'f>)> {
        // SAFETY: checked to be a phi; numbers are below the count.
        unsafe {
            let count = if LLVMIsAPHINode(phi.0).is_null() { 0 } else { LLVMCountIncoming(phi.0) };
            (0..count)
                .map(|i| (Val::of(LLVMGetIncomingValue(phi.0, i)), Blk::of(LLVMGetIncomingBlock(phi.0, i))))
                .collect()
        }
    }

    /// What a phi takes when control comes from `from`.
    #[must_use]
    pub fn incoming_from(&self, phi: Val<'f>, from: Blk<'f>) -> Option<Val<'f>> {
        self.incoming(phi).into_iter().find(|(_, b)| *b == from).map(|(v, _)| v)
    }

    /// Moves the insertion point to the start of a block, before its phis.
    pub fn seek_start(&self, block: Blk<'f>) {
        match block.block().get_first_instruction() {
            Some(first) => self.builder.position_before(&first),
            None => self.builder.position_at_end(block.block()),
        }
        // SAFETY: the builder is live; a null location clears it.
        unsafe { LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), self.debug_loc.get()) };
    }

    /// A new block that takes over the edges from `preds` to `block`; phis are split. `preds` is not empty.
    pub fn split_preds(&self, block: Blk<'f>, preds: &[Blk<'f>]) -> Blk<'f> {
        let mut refs: Vec<LLVMBasicBlockRef> = preds.iter().map(|b| b.0).collect();
        // SAFETY: live handles of predecessors of `block`; the array outlives the call.
        Blk::of(unsafe { polyrs_ir_split_preds(block.0, refs.as_mut_ptr(), refs.len()) })
    }

    /// Moves all of a block but its phis to a new block behind it, which comes back.
    pub fn split_phis(&self, block: Blk<'f>) -> Blk<'f> {
        // SAFETY: live handle of a block with a terminator.
        Blk::of(unsafe { polyrs_ir_split_phis(block.0) })
    }

    /// Lets the variables that begin to live in these blocks live from the end of `at` on, a block without terminator,
    /// for code that takes their place: a variable that has not begun to live may share its memory with another one.
    pub fn start_lifetimes(&self, blocks: &[Blk<'f>], at: Blk<'f>) {
        let mut refs: Vec<LLVMBasicBlockRef> = blocks.iter().map(|b| b.0).collect();
        // SAFETY: live handles; the array outlives the call.
        unsafe { polyrs_ir_start_lifetimes(refs.as_mut_ptr(), refs.len(), at.0) };
    }

    /// Lets the loops of a region, whose code runs from `first` to where it leaves to `join`, get back the shape that
    /// they came in although new code will stand beside them. Changes nothing else; edges to `join` get a block.
    pub fn mark_original(&self, first: Blk<'f>, region: &[Blk<'f>], join: Blk<'f>) {
        if self.clone.is_null() {
            return;
        }
        let region: Vec<LLVMBasicBlockRef> = region.iter().map(|b| b.0).collect();
        // SAFETY: the clone lives as long as `self`; live handles of blocks of its function; the array outlives the
        // call.
        unsafe { polyrs_clone_mark_original(self.clone, first.0, region.as_ptr(), region.len(), join.0) };
    }

    /// Replaces the terminator of a block with an unconditional branch. Phis of old and new successors are the caller's
    /// care.
    pub fn redirect(&self, block: Blk<'f>, to: Blk<'f>) {
        // SAFETY: live handles; the terminator is not used as a value.
        unsafe {
            let old = LLVMGetBasicBlockTerminator(block.0);
            let loc = LLVMInstructionGetDebugLoc(old);
            LLVMInstructionEraseFromParent(old);
            self.builder.position_at_end(block.block());
            LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), loc);
        }
        self.br(to);
    }

    /// Deletes blocks that no living block branches to; their values have no uses left outside of them.
    pub fn delete_blocks(&self, blocks: &[Blk<'f>]) {
        let mut refs: Vec<LLVMBasicBlockRef> = blocks.iter().map(|b| b.0).collect();
        // SAFETY: live handles; unreachability is the caller's care (remaining uses become poison).
        unsafe {
            for block in &refs {
                if LLVMGetBasicBlockTerminator(*block).is_null() {
                    self.builder.position_at_end(Blk::of(*block).block());
                    built(self.builder.build_unreachable());
                }
            }
            polyrs_ir_delete_blocks(refs.as_mut_ptr(), refs.len());
        }
        let is_gone = |b: &LLVMBasicBlockRef| blocks.contains(&Blk::of(*b));
        self.made.borrow_mut().retain(|b| !is_gone(b));
        self.blocks.borrow_mut().iter_mut().filter(|b| is_gone(b)).for_each(|b| *b = std::ptr::null_mut());
    }

    /// Deletes the slots made so far, as far as nothing uses them.
    pub fn erase_slots(&self) {
        for slot in self.slots.take() {
            // SAFETY: live handle of an alloca; only done when nothing uses it.
            unsafe {
                if LLVMGetFirstUse(slot).is_null() {
                    LLVMInstructionEraseFromParent(slot);
                }
            }
        }
    }

    /// Turns the slots made so far into SSA values.
    pub fn promote(&self) {
        let mut slots = self.slots.take();
        // SAFETY: live handles of allocas of this function.
        unsafe { polyrs_ir_promote(self.function, slots.as_mut_ptr(), slots.len()) };
    }

    /// A fresh access group.
    #[must_use]
    pub fn access_group(&self) -> Meta<'f> {
        // SAFETY: the context is live.
        Meta::of(unsafe { polyrs_ir_distinct(self.context) })
    }

    /// A node with these operands.
    #[must_use]
    pub fn node(&self, operands: &[Meta<'f>]) -> Meta<'f> {
        let mut refs: Vec<LLVMMetadataRef> = operands.iter().map(|m| m.0).collect();
        // SAFETY: metadata lives as long as its context.
        Meta::of(unsafe { LLVMMDNodeInContext2(self.context, refs.as_mut_ptr(), refs.len()) })
    }

    /// A metadata string.
    #[must_use]
    pub fn text(&self, text: &str) -> Meta<'f> {
        // SAFETY: pointer and length of a live string, which is copied.
        Meta::of(unsafe { LLVMMDStringInContext2(self.context, text.as_ptr().cast(), text.len()) })
    }

    /// A constant integer.
    #[must_use]
    pub fn number(&self, value: Val<'f>) -> Meta<'f> {
        // SAFETY: a constant lives as long as its context.
        Meta::of(unsafe { LLVMValueAsMetadata(value.0) })
    }

    /// Loop name with these properties.
    #[must_use]
    pub fn loop_id(&self, properties: &[Meta<'f>]) -> Meta<'f> {
        let mut refs: Vec<LLVMMetadataRef> = properties.iter().map(|m| m.0).collect();
        // SAFETY: metadata lives as long as its context.
        Meta::of(unsafe { polyrs_ir_loop_id(self.context, refs.as_mut_ptr(), refs.len()) })
    }

    /// A fresh domain of alias scopes.
    #[must_use]
    pub fn alias_domain(&self) -> Meta<'f> {
        // SAFETY: the context is live.
        Meta::of(unsafe { polyrs_ir_alias_domain(self.context) })
    }

    /// A fresh alias scope.
    #[must_use]
    pub fn alias_scope(&self, domain: Meta<'f>) -> Meta<'f> {
        // SAFETY: `domain` comes from `alias_domain`.
        Meta::of(unsafe { polyrs_ir_alias_scope(self.context, domain.0) })
    }

    /// Says that alias scopes hold for one execution of this point until the next, at the insertion point.
    pub fn declare_scope(&self, scopes: Meta<'f>) {
        let name = "llvm.experimental.noalias.scope.decl";
        // SAFETY: live handles; the intrinsic takes one metadata argument and is not overloaded.
        unsafe {
            let id = LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            let callee = LLVMGetIntrinsicDeclaration(self.module, id, std::ptr::null_mut(), 0);
            let mut list = LLVMMetadataAsValue(self.context, scopes.0);
            LLVMBuildCall2(
                self.builder.as_mut_ptr(),
                LLVMGlobalGetValueType(callee),
                callee,
                &raw mut list,
                1,
                c"".as_ptr(),
            );
        }
    }

    /// Replaces access group and alias scopes of a load or store; those of the original code go.
    pub fn annotate_access(
        &self,
        access: Val<'f>,
        group: Option<Meta<'f>>,
        scopes: Option<Meta<'f>>,
        noalias: Option<Meta<'f>>,
    ) {
        let raw = |m: Option<Meta<'f>>| m.map_or(std::ptr::null_mut(), |m| m.0);
        // SAFETY: live handles; null means none.
        unsafe { polyrs_ir_annotate_access(access.0, raw(group), raw(scopes), raw(noalias)) };
    }

    /// Names the loop that `latch_branch` closes.
    pub fn set_loop_id(&self, latch_branch: Val<'f>, id: Meta<'f>) {
        let name = "llvm.loop";
        // SAFETY: live handles; pointer and length of a live string.
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), len_u32(name.len()));
            polyrs_ir_set_metadata(latch_branch.0, kind, id.0);
        }
    }

    /// Runs LLVM's verifier.
    ///
    /// # Errors
    /// The verifier's message.
    pub fn verify(&self) -> Result<(), String> {
        let mut text = vec![0u8; 4096];
        // SAFETY: the buffer has the length told.
        let length = unsafe { polyrs_ir_verify(self.function, text.as_mut_ptr().cast(), text.len()) };
        if length == 0 {
            return Ok(());
        }
        text.truncate(length.min(4096));
        Err(String::from_utf8_lossy(&text).into_owned())
    }
}
