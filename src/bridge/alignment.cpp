// Places short innermost loops so that they do not run across more lines of code than they have to.
//
// A loop of a few instructions that crosses the end of a 64-byte line takes up to 1.8 times as long as one that does
// not (Zen 5, minima and sums). Clang places loops at multiples of 16: whether one crosses is luck. Tests for new code
// in front of the original move its loops, which are the same as without them, to other places; so that none is slower
// for that, those of functions with new code never cross without need.

#include "bridge/bridge.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

// Property of loops, known to code generation: multiple of bytes at which they begin.
constexpr const char *Property = "llvm.loop.align";
// Bytes of a line of code, as processors fetch and keep decoded instructions.
constexpr unsigned Line = 64;
// Bytes of machine code that an instruction becomes, about.
constexpr unsigned Each = 4;
// Bytes of code from which on one line more does not count.
constexpr unsigned Long = 4 * Line;

// Bytes of machine code of a loop, about, as far as they count: addresses are parts of loads and stores.
static unsigned bytes(const Loop &L) {
  unsigned Bytes = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      Bytes += isa<PHINode, GetElementPtrInst, DbgInfoIntrinsic>(I) ? 0 : Each;
      if (Bytes > Long)
        return Bytes;
    }
  return Bytes;
}

// The outermost loop around `L` that a line holds as a whole: of short loops inside, its begin and end count as much.
static Loop *outermostInLine(Loop &L) {
  Loop *Found = &L;
  while (Found->getParentLoop() && bytes(*Found->getParentLoop()) <= Line)
    Found = Found->getParentLoop();
  return Found;
}

// True if anything changed. Only functions with new code are to be handed over.
bool polyrsAlignLoops(Function &F, LoopInfo &LI) {
  if (F.hasOptSize() || !F.getParent()->getTargetTriple().isX86())
    return false;
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost())
      continue;
    L = outermostInLine(*L);
    if (bytes(*L) > Long || !L->getLoopLatch() || findOptionMDForLoop(L, Property))
      continue;
    addStringMetadataToLoop(L, Property, Line);
    Changed = true;
  }
  return Changed;
}
