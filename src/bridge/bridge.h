// What the C++ files of the bridge share. Rust sees these types only as opaque pointers.
//
// Rules: every exported symbol starts with `polyrs_`, has C types only and never throws; strings travel as pointer and
// length; what a function returns stays owned by the side that made it, unless a matching `_free` or `_drop` exists.
#ifndef POLYRS_BRIDGE_H
#define POLYRS_BRIDGE_H

#include "llvm-c/Types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/ValueHandle.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class Loop;
class LoopInfo;
class ScalarEvolution;
class TargetTransformInfo;
}

// Terms and operations of an expression of scalar evolution beyond which nothing is told of it: those who walk through
// it take it for a tree, and one in which values are used twice may have no end as such.
constexpr unsigned PolyrsMaxExpression = 512;

// What was done with the module, counted; mirrored by `Work` in `report.rs`.
struct PolyrsWork {
  // Functions cloned, and their instructions.
  uint64_t Clones, Instructions;
  // Clones brought into canonical form.
  uint64_t Canonical;
  // Globals and declarations whose state was recorded.
  uint64_t Recorded;
};

// How far a function with a body is looked at; mirrored by `Look` in `module.rs`.
enum class PolyrsLook : uint32_t {
  // A loop accesses memory: all stages.
  All = 0,
  // No loop does: nothing to gain.
  NoMemory = 1,
  // Computed jumps, a coroutine, a naked function: no copy can be made.
  NoCopy = 2,
  // No loop, or code of another module.
  None = 3,
};

// An outermost loop of a function as the user wrote it.
struct PolyrsOutermost {
  llvm::DebugLoc Loc;
  // The first call that may touch memory, if there is one.
  bool Calls;
  llvm::DebugLoc Call;
  std::string Called = {};
};

// What annotations of one function say.
struct PolyrsSaid {
  // Of "polyrs:off", "off"; several joined by ';'.
  std::string Text;
  bool IsOurs = false;
  // Texts that look as if they were meant for us, whole, a line each.
  std::string Odd;
  // Where the function is.
  std::string File;
  uint32_t Line = 0;
};
using PolyrsAnnotations = llvm::MapVector<const llvm::Function *, PolyrsSaid>;
// What looks as if it was meant for us and stands at a variable: at one of this function, or at this global one.
using PolyrsStrays = std::vector<std::pair<const llvm::GlobalValue *, PolyrsSaid>>;

// One module that the pass runs on. Lives on the stack of the pass.
struct PolyrsModule {
  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  // Functions with a loop, in module order, and how far each can be looked at.
  std::vector<std::pair<llvm::Function *, PolyrsLook>> Candidates;
  // The answer to the last question for the loops of a function.
  std::vector<PolyrsOutermost> Outermost;
  // Whether new code may wait until simplification is over.
  bool MayDefer = false;
  // What the user says of functions in their source.
  PolyrsAnnotations Annotations;
  PolyrsStrays Strays;
  // Whether it is linked from several files, or a part of such a program.
  bool IsLinked = false;

  // Alignments of globals and attributes of declarations as they were before the first clone, or as a new body left
  // them.
  bool IsRecorded = false;
  llvm::DenseMap<llvm::GlobalVariable *, llvm::MaybeAlign> Alignments;
  llvm::DenseMap<llvm::Function *, llvm::AttributeList> Attributes;
  // Whether some function has a new body.
  bool HasNewCode = false;

  PolyrsWork Work = {};

  PolyrsModule(llvm::Module &M, llvm::FunctionAnalysisManager &FAM) : M(M), FAM(FAM) {}
};

// What some loops hold; mirrored by `Loops` in `module.rs`.
struct PolyrsLoops {
  // Natural loops.
  uint32_t Loops;
  // Instructions in loops that may write memory, other than local scalars, and are not counted as calls.
  uint32_t Writes;
  // Calls in loops that may be inlined.
  uint32_t Calls;
  // Whether every innermost loop runs in each iteration something that no region can hold and no rewrite removes.
  bool Barred;
  // Whether loops read no memory, and write elements one behind the other.
  bool Fills;
  // Whether all loops end after a few iterations, and what they do together is too little for another order to matter.
  bool Little;
};

// Marks around an outermost loop of a clone, and what stands between them in canonical form; see `shapes.cpp`.
struct PolyrsMarked {
  llvm::WeakVH Begin, End;
  std::vector<llvm::WeakVH> Instructions;
  // Whether new code stands beside it.
  bool IsBeside = false;
};

// The canonical copy of one function, inside the same module, private, without callers. `Original` is untouched until
// commit. Analyses: `Module.FAM.getResult<...>(*Clone)`; whoever changes the clone's IR invalidates them.
struct PolyrsClone {
  PolyrsModule &Module;
  llvm::Function *Original;
  llvm::Function *Clone;

  // The last function and the last global before the clone was made: what follows is new.
  llvm::Function *LastFunction;
  llvm::GlobalVariable *LastGlobal;

  // The outermost loops before canonicalization: where they started, and what became of their blocks.
  std::vector<std::pair<llvm::DebugLoc, std::vector<llvm::WeakTrackingVH>>> Outermost = {};

  // Its outermost loops in SSA form, and its variables on the stack at that time.
  std::vector<PolyrsMarked> Marked = {};
  std::vector<llvm::WeakVH> Variables = {};

  // What LLVM's inliner counts for the canonical copy without new code.
  int64_t InlineCost = 0;

  // Functions whose bodies were inlined into the clone.
  std::vector<llvm::Function *> Inlined = {};

  // What the nests hold that may be in a region, as last looked for.
  std::vector<PolyrsLoops> Nests = {};
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

// Attribute of functions of new code beside which the original stays.
constexpr const char *PolyrsVersioned = "polyrs-versioned";

// Attribute of functions that are written as a whole, see `WRITTEN` in `ir_vector.rs`.
constexpr const char *PolyrsWritten = "polyrs-written";

// Metadata of branches that the model assumes to go to their first successor.
constexpr const char *PolyrsAssumedTaken = "polyrs.assumed-taken";

// Property of loops that were unrolled for pointers that take turns, or keep them or sizes in registers: where no new
// code takes the place of such a loop, the clone is made again without.
constexpr const char *PolyrsTurns = "polyrs.turns";

// Property of loops before which it is tested that their stores do not change the sizes and pointers that they read.
constexpr const char *PolyrsSizes = "polyrs.sizes";

// Of a load in a clone: the function does not change the pointer of the module's own that it reads.
constexpr const char *PolyrsSteady = "polyrs.steady";

// Takes back what dropped clones changed outside of themselves, where nothing has new code. To be called last.
void polyrsRestoreModule(PolyrsModule &M);

// True if the user asked to leave the function alone, by attribute `polyrs-off` or annotation `polyrs:off`.
bool polyrsIsOptedOut(const PolyrsModule &M, const llvm::Function &F);

// Property of loops that code generation wrote, see `WRITTEN_NEW` in `hints.rs`; each ends.
constexpr const char *PolyrsWrittenNew = "polyrs.loop";

// Whether code generation wrote the loop.
bool polyrsIsWrittenNew(const llvm::Loop &L);

// See names.cpp.
extern "C" __attribute__((visibility("hidden"))) void polyrs_value_called(LLVMValueRef V, PolyrsText *Out);
extern "C" __attribute__((visibility("hidden"))) void polyrs_function_shown(const llvm::Function *F, PolyrsText *Out);

// See merge.cpp.
void polyrsMergeWritten(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

// See faults.cpp.
bool polyrsAvoidFaults(llvm::Function &F, const llvm::TargetTransformInfo &Target);

// See opaque.cpp. Whether the loop is of new code, or in a loop of it: what transforms a loop may leave one without
// that mark.
bool polyrsIsNew(const llvm::Loop *L);
bool polyrsHideStarts(llvm::Function &F, llvm::LoopInfo &LI);

// See whole_stores.cpp.
bool polyrsStoreWhole(llvm::Function &F, llvm::LoopInfo &LI);

// See alignment.cpp.
bool polyrsAlignLoops(llvm::Function &F, llvm::LoopInfo &LI);

// See chains.cpp.
bool polyrsKeepApart(llvm::Function &F, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
                     const llvm::TargetTransformInfo &Target);
bool polyrsLetTogether(llvm::Function &F);

// See blocks.cpp.
bool polyrsHideAccesses(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);
bool polyrsShowAccesses(llvm::Function &F);

// Keeps in registers what one iteration of the loop stores and the next one loads; false, with nothing changed, where
// some accesses are not a known number of bytes apart. The control flow does not change.
bool polyrsKeepCarried(const llvm::Loop &L, llvm::ScalarEvolution &SE);

// What a pass leaves valid that changes instructions, but no control flow.
inline llvm::PreservedAnalyses polyrsPreservedAfter(bool Changed) {
  llvm::PreservedAnalyses Preserved;
  Preserved.preserveSet<llvm::CFGAnalyses>();
  return Changed ? Preserved : llvm::PreservedAnalyses::all();
}

// See hints.cpp.
uint64_t polyrsHintsOf(const llvm::Loop &L, llvm::ScalarEvolution &SE);

#define POLYRS_EXPORT extern "C" __attribute__((visibility("hidden")))

#endif
