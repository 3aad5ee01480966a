// What the files of this folder share: the rewrites of the canonical clone, in the order in which they run on it. Each
// changes the clone only, and keeps what the function computes under the assumptions that it names; nobody sees a clone
// in which nothing is transformed.
#ifndef POLYRS_CANONICAL_H
#define POLYRS_CANONICAL_H

#include "bridge/bridge.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class AAResults;
class AssumptionCache;
class CallBase;
class DominatorTree;
class Instruction;
class LoadInst;
class Loop;
class LoopInfo;
class PostDominatorTree;
class ScalarEvolution;
class StoreInst;
class Value;
}

// Replaces calls of small functions inside of loops, and of those outside that fill or read local variables, by the
// functions' bodies, and calls in these bodies, up to a total size. Assumes nothing: a callee that may be replaced at
// link time, that asked not to be inlined or that opted out stays called.
void polyrsInlineIntoLoops(PolyrsClone &C);

// Puts constants in place of integer parameters for which every caller passes the same one: sizes are known then.
// Assumes nothing: only where no other module, and no pointer, leads to the function.
void polyrsPutConstants(PolyrsClone &C);

// Remembers the outermost loops that the clone has, to tell later which of them are left. To be called before it is
// rewritten.
void polyrsRecordOutermost(PolyrsClone &C);

// Sets marks around the outermost loops of a clone in SSA form. Assumes nothing.
void polyrsMarkLoops(PolyrsClone &C);

// Remembers what stands between the marks of a canonical clone, to see later what is new.
void polyrsRecordMarked(PolyrsClone &C);

// Removes the marks.
void polyrsRemoveMarks(PolyrsClone &C);

// A private copy of `F` in SSA form. Owned by the caller, who gives it back to `polyrsErase` or keeps its function.
PolyrsClone polyrsCopy(PolyrsModule &M, llvm::Function &F, bool Turns);

// Removes a copy in SSA form that nothing came of.
void polyrsErase(PolyrsClone &C);

// Whether `polyrsInlineIntoLoops` may inline the call; what the target says of the two functions is left out.
bool polyrsMayInline(const llvm::CallBase &Call, const llvm::Function &Caller, const PolyrsModule &M);

// SSA form without what never runs and what is known already, which tells which loops a region may hold.
llvm::FunctionPassManager polyrsSSAForm();

// The rest, after that: rotated loops with preheader, one latch and dedicated exits, i64 induction variables,
// loop-closed values, and all rewrites below. Assumes nothing: LLVM's passes do not.
llvm::FunctionPassManager polyrsCanonicalization();

// Makes comparisons of each number of one comparison of the bits of several that loops count, `(i | j) == 0`. Assumes
// nothing. True if the function changed; the control flow does not.
bool polyrsCompareApart(llvm::Function &F, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

// Moves choices between the old and the updated value of a floating-point sum or product into the update. Assumes what
// the update's flags allow: that it may change places with others. True if the function changed; the control flow does
// not.
bool polyrsMoveChoices(llvm::Function &F);

// Makes branches of selects by loop counters, and of remainders that wrap at most once, that choose what element is
// accessed, with a copy of the accesses in each arm. Assumes nothing for what it writes; that the branches marked with
// `PolyrsAssumedTaken` are taken is for the model to assume. True if the function changed; `LI` is kept up to date.
bool polyrsBranchOnSelects(llvm::Function &F, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

// Makes loops of element accesses of memset and memcpy in loops. Assumes nothing. True if the function changed.
bool polyrsExpandMemory(llvm::Function &F, const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE, llvm::AAResults &AA);

// Makes plain operations and comparisons of those that tell whether they overflow, where the result is used only where
// they do not. Assumes nothing. True if the function changed; the control flow does not.
bool polyrsReadOverflow(llvm::Function &F, const llvm::DominatorTree &DT);

// Whether an address, a bound or a condition is made of what the load reads: such values are to be invariants of
// regions.
bool polyrsIsIndexLoad(const llvm::LoadInst &Load);

// Metadata of what stands for a load that moved under a condition: what it is where that does not hold, nobody asks.
inline constexpr const char *PolyrsHoisted = "polyrs.hoisted";

// Which run it is of those on one clone: the last one leaves no marks for others.
enum class PolyrsHoist { First, Last };

// Moves loads of sizes and pointers out of loops that do not write them, and makes those of one location one. Assumes
// nothing: alias analysis proves that the location is not written, and no load runs that would not. True if the
// function changed.
bool polyrsHoistIndexLoads(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, PolyrsHoist Which);

// What is assumed of an outermost loop: what loads read in it, around pointers from outside of it, stores do not write.
struct PolyrsFixed {
  // Places are no further from their pointer than that.
  static constexpr unsigned MaxOffsetBits = 12;
  llvm::Loop &Outermost;
  // By pointer: the lowest byte, and the one behind the highest.
  llvm::MapVector<llvm::Value *, std::pair<int64_t, int64_t>> Extents;
  // What may write there as far as alias analysis knows.
  llvm::SmallSetVector<llvm::StoreInst *, 8> Stores;
  // Counts a load and the stores that may write what it reads; false where it reads no place of that kind.
  bool assume(const llvm::LoadInst &Load, llvm::ArrayRef<llvm::StoreInst *> Met);
};

// Moves loads of sizes and pointers out of a loop and those in it as `polyrsHoistIndexLoads` does, assuming of stores
// what is collected in `All`: the caller has it tested. No load runs that would not, whether that holds or not. True if
// the function changed.
bool polyrsHoistAssuming(llvm::Function &F, llvm::FunctionAnalysisManager &FAM, PolyrsFixed &All);

// Lets outermost loops around nests read sizes and pointers once that they may overwrite (bytes and integers in
// structures of sizes and pointers). Assumes nothing: where the loops store is compared with where they read these
// before, with a copy of the loop as the other branch. True if the function changed.
bool polyrsFixSizes(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Lets the loop, of one exit, run where the condition in its preheader holds, and a copy of it elsewhere; the copy.
llvm::Loop *polyrsVersionLoop(llvm::Loop &L, llvm::Value *Condition, llvm::DominatorTree &DT, llvm::LoopInfo &LI,
                              llvm::ScalarEvolution &SE);

// Lets loops with a step of more than one, and those that take rows of an unknown length from what is left, end by a
// count of their iterations, and divides what does not change in a loop before it. Assumes nothing: only where the
// number of iterations is known, and the divisor not to be zero. True if the function changed; the control flow does
// not.
bool polyrsCountIterations(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE, const llvm::DominatorTree &DT);

// Whether it divides by what is no constant, so that it must not run where that is zero.
bool polyrsIsQuotient(const llvm::Instruction &I);

// Decides branches in loops on whether a pointer is null where the way to them does (what Rust's iterators return is a
// pointer, or null at the end): each way gets a block of its own. Assumes nothing. True if the function changed.
bool polyrsDecideByWay(llvm::Function &F, const llvm::DominatorTree &DT, llvm::AssumptionCache &AC, const llvm::LoopInfo &LI);

// Lets loops over Rust's inclusive ranges end by a comparison of their counter. Assumes nothing. True if the function
// changed; the control flow does not.
bool polyrsCountInclusive(const llvm::LoopInfo &LI);

// Lets pointers and counters that walk through inner loops (`*p++`) be counters of the loops around: what an inner loop
// adds to them is added at once. Assumes nothing. True if the function changed; the control flow does not.
bool polyrsWalkAtOnce(llvm::LoopInfo &LI, llvm::ScalarEvolution &SE, const llvm::DominatorTree &DT);

// Keeps in registers, within outermost loops, the pointers and numbers of planes that these hand around in memory
// (`t = s->a; s->a = s->b; s->b = t`). Assumes nothing: alias analysis proves that nothing else touches them, or
// pointers are compared before, with a copy of the loop as the other branch. True if the function changed.
bool polyrsKeepTurns(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Attribute of a clone in which neither this is done nor the next: nothing came of it, see `PolyrsTurns`.
inline constexpr const char *PolyrsNoTurns = "polyrs-no-turns";

// Makes one iteration of two to four of outermost loops around nests where pointers take turns (`t = a; a = b; b = t`)
// or planes do (`now = 1 - now`): each step has its own then. Assumes nothing. True if the function changed.
bool polyrsUnrollTurns(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Unrolls short loops of constant length within others that only make one value of several: the window of a filter, the
// coordinates of a point. Assumes nothing. True if the function changed.
bool polyrsUnrollWindows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

// Whether a condition, alone or with others, decides on a branch.
bool polyrsDecidesBranch(const llvm::Value &Condition);

// Compares floating-point numbers that no loop around changes before the loops, where branches in them ask. Assumes
// nothing. True if the function changed; the control flow does not.
bool polyrsHoistCompares(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

// Reads pointers of the module's own once, where the function begins, if it does not change them. Assumes nothing. True
// if the function changed; the control flow does not.
bool polyrsReadOnce(llvm::Function &F, llvm::AAResults &AA);

// Makes blocks load again what the block before them loaded or stored, instead of using the value in its register; not
// what indices are made of. Assumes nothing: alias analysis proves that the element still holds the value. True if the
// function changed; the control flow does not.
bool polyrsReloadValues(llvm::Function &F, llvm::AAResults &AA, const llvm::LoopInfo &LI);

// Lets loops that are left in the middle end at their latch, where that makes the same test. Assumes nothing. True if
// the function changed; `DT` is kept up to date.
bool polyrsRejoinExits(llvm::LoopInfo &LI, llvm::DominatorTree &DT);

// Gives the ways of branches on data a join of their own where others meet them, and the join chooses between values.
// Assumes nothing. True if the function changed; `DT` and `LI` are kept up to date.
bool polyrsJoinApart(llvm::DominatorTree &DT, const llvm::PostDominatorTree &PDT, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE);

// What LLVM's passes may change in place outside of the function that they run on: alignments of globals, attributes of
// declarations. Recorded once for a module, however many of its functions are cloned.
void polyrsRecordModule(PolyrsModule &M);

// Gives globals and declarations that the clone uses what they had when the module was recorded. Linear in the size of
// the clone.
void polyrsRestoreUsed(PolyrsClone &C);

// What globals and declarations that the clone uses have now is theirs for good. Linear in the size of the clone.
void polyrsKeepUsed(PolyrsClone &C);

#endif
