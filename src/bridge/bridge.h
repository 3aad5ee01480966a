// What the C++ files of the bridge share. Rust sees these types only as opaque pointers.
//
// Rules: every exported symbol starts with `polyrs_`, has C types only and never throws; strings travel as pointer and length;
// what a function returns stays owned by the side that made it, unless a matching `_free` or `_drop` exists.
#ifndef POLYRS_BRIDGE_H
#define POLYRS_BRIDGE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class AAResults;
class LoopInfo;
class ScalarEvolution;
}

// One module that the pass runs on. Lives on the stack of the pass.
struct PolyrsModule {
  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  // Functions worth a look, in module order.
  std::vector<llvm::Function *> Candidates;
};

// The canonical copy of one function, inside the same module, private, without callers. `Original` is untouched until commit.
// Analyses: `Module.FAM.getResult<...>(*Clone)`; whoever changes the clone's IR invalidates them.
struct PolyrsClone {
  PolyrsModule &Module;
  llvm::Function *Original;
  llvm::Function *Clone;

  // What the module looked like before: to take back all that canonicalization or code generation added or changed outside.
  llvm::Function *LastFunction;
  llvm::GlobalVariable *LastGlobal;
  std::vector<std::pair<llvm::GlobalVariable *, llvm::MaybeAlign>> Alignments;
  std::vector<std::pair<llvm::Function *, llvm::AttributeList>> Attributes;

  // Functions whose bodies were inlined into the clone.
  std::vector<llvm::Function *> Inlined;
};

// A string that Rust reads or fills through `polyrs_text_*`.
struct PolyrsText {
  std::string Text;
};

// A borrowed string.
struct PolyrsStr {
  const char *Data;
  size_t Length;
};

inline PolyrsStr polyrsStr(llvm::StringRef S) { return {S.data(), S.size()}; }
inline llvm::StringRef stringRef(PolyrsStr S) { return {S.Data, S.Length}; }

// True if the function has a body that may be cloned and a loop over memory. Linear in the size of the function.
bool polyrsIsCandidate(const llvm::Function &F);

// Makes blocks load again what the block before them loaded or stored, instead of using the value in its register. True if the
// function changed; the control flow does not.
bool polyrsReloadValues(llvm::Function &F, llvm::AAResults &AA);

// Moves choices between the old and the updated value of a floating-point sum or product into the update. True if the function changed;
// the control flow does not.
bool polyrsMoveChoices(llvm::Function &F);

// Metadata of branches that the model assumes to go to their first successor.
constexpr const char *PolyrsAssumedTaken = "polyrs.assumed-taken";

// Makes branches of selects by loop counters, and of remainders that wrap at most once, that choose what element is accessed, with a
// copy of the accesses in each arm. True if the function changed; `LI` is kept up to date.
bool polyrsBranchOnSelects(llvm::Function &F, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

// True if the user asked to leave the function alone, by attribute `polyrs-off` or annotation `polyrs:off`.
bool polyrsIsOptedOut(const llvm::Function &F);

#define POLYRS_EXPORT extern "C" __attribute__((visibility("hidden")))

#endif
