// The control flow of a function without its errors: blocks behind which it never returns (a panic, a trap, `abort`, an
// exception) are left out. What a loop ends in for want of another end is none of them: `exit(0)` behind the last loop
// of a program.
#ifndef POLYRS_ENDINGS_H
#define POLYRS_ENDINGS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/PostDominators.h"

namespace llvm {
class CallBase;
class Function;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class TargetLibraryInfo;
}

class PolyrsEndings {
public:
  PolyrsEndings(llvm::Function &F, const llvm::LoopInfo &LI);

  // Whether all paths from the block end in `unreachable` or leave the function by an exception.
  bool neverReturns(const llvm::BasicBlock *BB) const { return Blocks.contains(BB); }

  // Successors in terminator order; those that never return count only behind blocks that do not either.
  llvm::SmallVector<const llvm::BasicBlock *, 2> successors(const llvm::BasicBlock &BB) const;

  // Which way a block ends the program: 0 none, 1 where its condition holds, 2 where it does not.
  unsigned endsOn(const llvm::BasicBlock &BB) const;

  // Blocks with an edge out of the loop, as far as it does not end the program.
  llvm::SmallVector<llvm::BasicBlock *, 4> exiting(const llvm::Loop &L) const;

  // How often the back edge is taken where nothing ends the program.
  const llvm::SCEV *backedgeTaken(const llvm::Loop &L, llvm::ScalarEvolution &SE) const;

  // The immediate post-dominator, as far as nothing ends the program; null if it is no block.
  const llvm::BasicBlock *postDominator(const llvm::BasicBlock &BB, const llvm::PostDominatorTree &OfAll) const;

private:
  // Takes a block for one that returns, with those behind it that only such blocks lead to.
  void endOrdinarily(const llvm::BasicBlock *BB);

  // Finds the post-dominators without the edges that do not count, if there are such edges.
  void cut(llvm::Function &F, const llvm::LoopInfo &LI);

  llvm::DenseSet<const llvm::BasicBlock *> Blocks;
  // Whether there are edges to what never returns, or loops that are never left: of those, LLVM's tree would take some
  // block for the end. Here they end where they start again.
  bool IsCut = false;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> PostDominators;
};

// Whether the call writes to a stream or is said to be cold: a message that is not printed as a rule.
bool polyrsIsMessage(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

#endif
