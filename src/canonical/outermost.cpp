// The outermost loops of a function as the user wrote them: what is told of those that no region holds.

#include "canonical/canonical.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

// Blocks by which an outermost loop is recognized after canonicalization: more are not needed.
static constexpr size_t MaxTracked = 64;

void polyrsRecordOutermost(PolyrsClone &C) {
  for (Loop *L : reverse(C.Module.FAM.getResult<LoopAnalysis>(*C.Clone))) {
    auto Blocks = ArrayRef(L->getBlocks()).take_front(MaxTracked);
    C.Outermost.emplace_back(L->getStartLoc(), std::vector<WeakTrackingVH>(Blocks.begin(), Blocks.end()));
  }
}

// The outermost loops of `F`, in function order; returns how many there are, see `polyrs_outermost`.
POLYRS_EXPORT size_t polyrs_function_outermost(PolyrsModule *M, Function *F) {
  M->Outermost.clear();
  for (Loop *L : reverse(M->FAM.getResult<LoopAnalysis>(*F))) {
    PolyrsOutermost Found{L->getStartLoc(), false, DebugLoc()};
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (auto *Call = dyn_cast<CallBase>(&I); Call && !Found.Calls && !isa<IntrinsicInst>(I) && !Call->doesNotAccessMemory()) {
          PolyrsText Called;
          polyrs_value_called(reinterpret_cast<LLVMValueRef>(Call), &Called);
          Found.Calls = true;
          Found.Call = I.getDebugLoc();
          Found.Called = Called.Text;
        }
    M->Outermost.push_back(Found);
  }
  return M->Outermost.size();
}

// Where control enters the cycles of `F` that have several entries and are in no loop; returns how many there are, see
// `polyrs_outermost`.
POLYRS_EXPORT size_t polyrs_function_cycles(PolyrsModule *M, Function *F) {
  M->Outermost.clear();
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Backedges;
  FindFunctionBackedges(*F, Backedges);
  auto &LI = M->FAM.getResult<LoopAnalysis>(*F);
  for (auto &[Latch, Header] : Backedges) {
    if (LI.getLoopFor(Header))
      continue;
    PolyrsOutermost Found{DebugLoc(), false, DebugLoc()};
    for (const Instruction &I : *Header)
      if (DebugLoc Loc = I.getDebugLoc(); Loc && Loc.getLine() != 0 && !Found.Loc)
        Found.Loc = Loc;
    M->Outermost.push_back(Found);
  }
  return M->Outermost.size();
}

// The outermost loops of the original that canonicalization left nothing of; returns how many there are, see
// `polyrs_outermost`.
POLYRS_EXPORT size_t polyrs_clone_lost(PolyrsClone *C) {
  auto &LI = C->Module.FAM.getResult<LoopAnalysis>(*C->Clone);
  auto IsInLoop = [&](const WeakTrackingVH &Block) {
    auto *BB = dyn_cast_or_null<BasicBlock>(Block);
    return BB && LI.getLoopFor(BB);
  };
  C->Module.Outermost.clear();
  for (auto &[Loc, Blocks] : C->Outermost)
    if (none_of(Blocks, IsInLoop))
      C->Module.Outermost.push_back({Loc, false, DebugLoc()});
  return C->Module.Outermost.size();
}

// A position in the source; line 0 = unknown. Mirrored by `PolyrsPosition` in `ffi.rs`.
struct PolyrsPosition {
  PolyrsStr File;
  uint32_t Line, Column;
};

static PolyrsPosition positionOf(const DebugLoc &Loc) {
  return Loc ? PolyrsPosition{polyrsStr(Loc->getFilename()), Loc.getLine(), Loc.getCol()} : PolyrsPosition{polyrsStr(""), 0, 0};
}

// Loop `Index` of the last such list: where it starts, whether it has a call that may touch memory, where, and of what.
POLYRS_EXPORT bool polyrs_outermost(const PolyrsModule *M, size_t Index, PolyrsPosition *Start, PolyrsPosition *Call, PolyrsText *Called) {
  const PolyrsOutermost &L = M->Outermost[Index];
  *Start = positionOf(L.Loc);
  *Call = positionOf(L.Call);
  Called->Text = L.Called;
  return L.Calls;
}
