// Where loops are in the user's source, and what counts them there.
#ifndef POLYRS_PLACES_H
#define POLYRS_PLACES_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace llvm {
class DIFile;
class DILocation;
class DISubprogram;
class Loop;
class SCEV;
class ScalarEvolution;
}

// The place itself, or for code inlined from another file the call in the function's own file, if there is one.
const llvm::DILocation *polyrsInOwnFile(const llvm::DILocation *Loc);

// Whether a file is of an installed library, not the user's.
bool polyrsIsInstalled(const llvm::DIFile *File);

// Where a place is in the user's files, null if nowhere, and the function of a library that is called there, null where
// the code is the user's own.
std::pair<const llvm::DILocation *, const llvm::DISubprogram *> polyrsInUsersFile(const llvm::DILocation *Loc);

// What a function of a library is called in short: `std::vector::push_back`, `Iterator::sum`.
std::string polyrsLibraryName(const llvm::DISubprogram *Of);

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
