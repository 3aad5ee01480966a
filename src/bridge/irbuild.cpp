//===- irbuild.cpp - what writing IR needs and LLVM's C API lacks ---------===//
//
// Called by src/bridge/ir.rs only. C types cross, no exceptions, no ownership:
// every handle belongs to the function, module or context it lives in.
//
//===----------------------------------------------------------------------===//

#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <cstring>
#include <string>

using namespace llvm;

static SmallVector<BasicBlock *, 16> blocksOf(LLVMBasicBlockRef *blocks,
                                              size_t count) {
  SmallVector<BasicBlock *, 16> result;
  for (size_t i = 0; i < count; ++i)
    result.push_back(unwrap(blocks[i]));
  return result;
}

static MDNode *asNode(LLVMMetadataRef md) {
  return md ? cast<MDNode>(unwrap(md)) : nullptr;
}

extern "C" {

/// New block that takes over the edges from `preds` to `block`; phis are split.
LLVMBasicBlockRef polyrs_ir_split_preds(LLVMBasicBlockRef block,
                                        LLVMBasicBlockRef *preds,
                                        size_t count) {
  DomTreeUpdater *none = nullptr;
  return wrap(SplitBlockPredecessors(unwrap(block), blocksOf(preds, count),
                                     ".polyrs", none));
}

/// New block with all of `block` but its phis; `block` branches to it.
LLVMBasicBlockRef polyrs_ir_split_phis(LLVMBasicBlockRef block) {
  BasicBlock *bb = unwrap(block);
  return wrap(bb->splitBasicBlock(bb->getFirstNonPHIIt(), "polyrs.region"));
}

/// Lets each variable live from the end of `at` on, which has no terminator yet, that begins to live in `blocks`.
void polyrs_ir_start_lifetimes(LLVMBasicBlockRef *blocks, size_t count,
                               LLVMBasicBlockRef at) {
  SmallSetVector<Value *, 4> variables;
  for (BasicBlock *bb : blocksOf(blocks, count))
    for (Instruction &inst : *bb)
      if (auto *start = dyn_cast<IntrinsicInst>(&inst);
          start && start->getIntrinsicID() == Intrinsic::lifetime_start)
        variables.insert(start->getArgOperand(0));
  IRBuilder<> builder(unwrap(at));
  for (Value *variable : variables)
    builder.CreateLifetimeStart(variable);
}

/// Calls `visit` with each predecessor of `block`, each once, in use order.
void polyrs_ir_preds(LLVMBasicBlockRef block, void *data,
                     void (*visit)(void *, LLVMBasicBlockRef)) {
  SmallPtrSet<BasicBlock *, 8> seen;
  for (BasicBlock *pred : predecessors(unwrap(block)))
    if (seen.insert(pred).second)
      visit(data, wrap(pred));
}

/// Deletes blocks that are reachable from each other only.
void polyrs_ir_delete_blocks(LLVMBasicBlockRef *blocks, size_t count) {
  DeleteDeadBlocks(blocksOf(blocks, count), nullptr, true);
}

/// Turns allocas into SSA values where all their uses are plain loads and
/// stores; the others stay. Unreachable uses are allowed.
void polyrs_ir_promote(LLVMValueRef function, LLVMValueRef *allocas,
                       size_t count) {
  SmallVector<AllocaInst *, 16> promotable;
  for (size_t i = 0; i < count; ++i) {
    auto *alloca = cast<AllocaInst>(unwrap(allocas[i]));
    if (isAllocaPromotable(alloca))
      promotable.push_back(alloca);
  }
  if (promotable.empty())
    return;
  DominatorTree tree(*cast<Function>(unwrap(function)));
  PromoteMemToReg(promotable, tree);
}

/// A distinct empty node: an access group.
LLVMMetadataRef polyrs_ir_distinct(LLVMContextRef context) {
  return wrap(MDNode::getDistinct(*unwrap(context), {}));
}

/// A node that names a loop: itself, then `properties`.
LLVMMetadataRef polyrs_ir_loop_id(LLVMContextRef context,
                                  LLVMMetadataRef *properties, size_t count) {
  SmallVector<Metadata *, 4> operands = {nullptr};
  for (size_t i = 0; i < count; ++i)
    operands.push_back(unwrap(properties[i]));
  MDNode *id = MDNode::getDistinct(*unwrap(context), operands);
  id->replaceOperandWith(0, id);
  return wrap(id);
}

LLVMMetadataRef polyrs_ir_alias_domain(LLVMContextRef context) {
  return wrap(MDBuilder(*unwrap(context)).createAnonymousAliasScopeDomain());
}

LLVMMetadataRef polyrs_ir_alias_scope(LLVMContextRef context,
                                      LLVMMetadataRef domain) {
  return wrap(MDBuilder(*unwrap(context))
                  .createAnonymousAliasScope(asNode(domain)));
}

/// Replaces access group and alias scopes of a load or store (null: none). The
/// original's scopes may hold per iteration of the original loops only.
void polyrs_ir_annotate_access(LLVMValueRef access, LLVMMetadataRef group,
                               LLVMMetadataRef scopes,
                               LLVMMetadataRef noalias) {
  auto *inst = cast<Instruction>(unwrap(access));
  inst->setMetadata(LLVMContext::MD_mem_parallel_loop_access, nullptr);
  inst->setMetadata(LLVMContext::MD_access_group, asNode(group));
  inst->setMetadata(LLVMContext::MD_alias_scope, asNode(scopes));
  inst->setMetadata(LLVMContext::MD_noalias, asNode(noalias));
}

void polyrs_ir_set_metadata(LLVMValueRef inst, unsigned kind,
                            LLVMMetadataRef node) {
  cast<Instruction>(unwrap(inst))->setMetadata(kind, asNode(node));
}

/// Runs LLVM's verifier. Returns the length of its message (0: valid) and
/// copies at most `capacity` bytes of it.
size_t polyrs_ir_verify(LLVMValueRef function, char *message,
                        size_t capacity) {
  std::string text;
  raw_string_ostream out(text);
  if (!verifyFunction(*cast<Function>(unwrap(function)), &out))
    return 0;
  if (text.empty())
    text = "broken function";
  std::memcpy(message, text.data(), std::min(capacity, text.size()));
  return text.size();
}

} // extern "C"
