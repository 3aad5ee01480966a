// Calls that regions can hold: they compute a value from their operands, and from memory that stays as it is.
#ifndef POLYRS_CALLS_H
#define POLYRS_CALLS_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class AAResults;
class CallBase;
class Function;
class LoopInfo;
class TargetLibraryInfo;
class Value;
}

// Whether the call touches nothing: without effects by its attributes or by what it calls, or a library function of
// real or complex numbers, which touches errno at most.
bool polyrsComputesOnly(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

// Whether all loops of the function end if nothing else is done in them: where the language says so, or they are new.
bool polyrsLoopsEnd(const llvm::Function &F);

// Whether the call writes nothing that anybody else sees and always returns: by its attributes, or by what it calls.
bool polyrsReadsOnly(const llvm::CallBase &Call);

// What the call does to the heap: 1 if its result is a block that nobody else knows, or null; 2 if its first operand is
// a block that ends; 0 for any other call.
uint64_t polyrsHeapWord(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &TLI);

// The calls of a function that read memory and always return (`pure`).
class PolyrsReadingCalls {
public:
  PolyrsReadingCalls(const llvm::Function &F, const llvm::LoopInfo &LI, llvm::AAResults &AA, const llvm::TargetLibraryInfo &TLI)
      : F(F), LI(LI), AA(AA), TLI(TLI) {}

  // Whether what the call reads is written by no loop of its function and by nothing else there that a region may hold:
  // it computes the same whenever it runs. The first question is linear in the size of the function.
  bool isOfConstants(const llvm::CallBase &Call);

private:
  void find();

  const llvm::Function &F;
  const llvm::LoopInfo &LI;
  llvm::AAResults &AA;
  const llvm::TargetLibraryInfo &TLI;
  bool IsKnown = false;
  bool WritesAnything = false;
  llvm::SmallPtrSet<const llvm::Value *, 8> Written;
};

#endif
