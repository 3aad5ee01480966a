// Where loops are in the user's source, and what counts them there.
#ifndef POLYRS_PLACES_H
#define POLYRS_PLACES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class DIFile;
class DILocation;
class Loop;
class SCEV;
class ScalarEvolution;
}

// The place itself, or for code inlined from another file the call in the function's own file, if there is one.
const llvm::DILocation *polyrsInOwnFile(const llvm::DILocation *Loc);

// Whether a file is of an installed library, not the user's.
bool polyrsIsInstalled(const llvm::DIFile *File);

// Where a loop begins; null: nothing is known.
const llvm::DILocation *polyrsStartOf(const llvm::Loop &L);

// The variable that counts a loop's iterations.
struct PolyrsCounter {
  // Empty where nothing is known.
  llvm::StringRef Name;
  // Whether its values are those that the loop is modelled with: up by one from the same start.
  bool IsValue = false;
};

// Of several variables that step those that count from `Start` come first.
PolyrsCounter polyrsCounterOf(const llvm::Loop &L, const llvm::SCEV *Start, llvm::ScalarEvolution &SE);

#endif
