// What loops hold, as far as it decides whether something in them may be transformed.
#ifndef POLYRS_SCAN_H
#define POLYRS_SCAN_H

#include "canonical/canonical.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class StoreInst;
class TargetLibraryInfo;
}

// Looks at the instructions in the loops of one function.
class PolyrsLoopScan {
  const PolyrsModule &M;
  const llvm::Function &F;
  const llvm::TargetLibraryInfo &TLI;
  bool IsInlined;
  // Memory that was asked for, and whether nothing reads it.
  mutable llvm::DenseMap<const llvm::Value *, bool> Unread;

  bool isUnread(const llvm::StoreInst &Store) const;

public:
  // `IsInlined`: calls that are still there stay.
  PolyrsLoopScan(const PolyrsModule &M, const llvm::Function &F, const llvm::TargetLibraryInfo &TLI, bool IsInlined = false)
      : M(M), F(F), TLI(TLI), IsInlined(IsInlined) {}

  // Whether the call is replaced by the body of its function when the clone is made.
  bool mayInline(const llvm::Instruction &I) const;

  // Whether it writes memory that regions know of and somebody reads: messages do not.
  bool writesArrays(const llvm::Instruction &I) const;

  bool isMessage(const llvm::Instruction &I) const;

  // Whether no region can hold the instruction and no rewrite of the clone removes it. Calls that are no library
  // functions stay calls, those that write memory cannot go; what an indirect call leads to is not found out where the
  // pointer comes from outside.
  bool isBar(const llvm::Instruction &I) const;

  // Whether the loop runs a bar in each iteration, as far as its first and last blocks tell.
  bool isBarred(const llvm::Loop &L) const;

  // Whether the instruction does nothing to memory but to store elements that lie side by side in the iterations of the
  // loop: nothing is read, written again, or left for another line.
  bool onlyFills(const llvm::Instruction &I, const llvm::Loop &L, llvm::ScalarEvolution &SE) const;
};

#endif
