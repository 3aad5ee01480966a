// Gives the ways of a branch on data a join of their own, where others meet them: `if (i == 0) v = 0; else if (a[i])
// v = 1; else v = 2;` comes together in one block from three ways, two of which the data decides between.
//
// A branch on data becomes a part of the block before it where all its ways, and no others, meet in one block
// (`scop/boxes.rs`). An empty block in front of the join is such a one; what the join chooses between, it does. Assumes
// nothing. Runs on clones only, behind the last pass that would undo it.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// A branch on data, and the block in front of which its ways meet.
struct Branching {
  BasicBlock *Head, *Join;
};

// Bound on the operations that one condition is made of.
constexpr unsigned MaxOperations = 16;

// Whether an expression is none of sums of counters and what the loop does not change.
bool isNoSum(const SCEV *Of, const Loop &L, ScalarEvolution &SE) {
  auto Counts = [](const SCEV *S) { return SCEVExprContains(S, [](const SCEV *P) { return isa<SCEVAddRecExpr>(P); }); };
  return SCEVExprContains(Of, [&](const SCEV *S) {
    if (auto *Counter = dyn_cast<SCEVAddRecExpr>(S))
      return !Counter->isAffine() || Counts(Counter->getOperand(1));
    if (auto *Product = dyn_cast<SCEVMulExpr>(S))
      return count_if(Product->operands(), Counts) > 1;
    if (auto *Quotient = dyn_cast<SCEVUDivExpr>(S))
      return !isa<SCEVConstant>(Quotient->getRHS());
    auto *Unknown = dyn_cast<SCEVUnknown>(S);
    return isa<SCEVCouldNotCompute>(S) || (Unknown && !SE.isLoopInvariant(Unknown, &L));
  });
}

// Whether a condition compares other things than such sums: data, or products of counters.
bool isOnData(Value *Condition, const Loop &L, ScalarEvolution &SE) {
  SmallVector<Value *, 8> Work = {Condition};
  for (unsigned At = 0; At < Work.size() && At < MaxOperations; ++At) {
    auto *Made = dyn_cast<Instruction>(Work[At]);
    if (!Made || L.isLoopInvariant(Made))
      continue;
    bool IsJoined = Made->getType()->isIntegerTy(1) && (isa<BinaryOperator>(Made) || isa<SelectInst>(Made));
    auto *Compare = dyn_cast<ICmpInst>(Made);
    if (IsJoined)
      Work.append(Made->op_begin(), Made->op_end());
    else if (!Compare || any_of(Compare->operands(), [&](Value *V) { return !SE.isSCEVable(V->getType()) || isNoSum(SE.getSCEV(V), L, SE); }))
      return true;
  }
  return false;
}

// Whether a block lies between a branch and its join.
bool isWithin(const Branching &Of, const BasicBlock *BB, const DominatorTree &DT, const PostDominatorTree &PDT) {
  return BB != Of.Head && DT.dominates(Of.Head, BB) && !DT.dominates(Of.Join, BB) && PDT.dominates(Of.Join, BB);
}

// Whether the ways from a block to its join bring different values there, beside ways of others.
bool isMetByOthers(const Branching &Of, const DominatorTree &DT) {
  auto IsOwn = [&](const BasicBlock *From) { return DT.dominates(Of.Head, From); };
  unsigned Own = count_if(predecessors(Of.Join), IsOwn);
  if (Own < 2 || Own == pred_size(Of.Join))
    return false;
  return any_of(Of.Join->phis(), [&](const PHINode &Phi) {
    const Value *First = nullptr;
    for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks())) {
      if (!IsOwn(From))
        continue;
      if (First && V.get() != First)
        return true;
      First = V.get();
    }
    return false;
  });
}

} // namespace

bool polyrsJoinApart(DominatorTree &DT, const PostDominatorTree &PDT, LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<Branching, 8> Found;
  for (auto *Node : depth_first(DT.getRootNode())) {
    BasicBlock *Head = Node->getBlock();
    auto *Branch = dyn_cast<BranchInst>(Head->getTerminator());
    const Loop *L = LI.getLoopFor(Head);
    auto *Behind = PDT.getNode(Head) ? PDT.getNode(Head)->getIDom() : nullptr;
    if (!Branch || !Branch->isConditional() || !L || !Behind || !Behind->getBlock())
      continue;
    Branching Of = {Head, Behind->getBlock()};
    auto HasIt = [&](const Branching &Outer) { return isWithin(Outer, Head, DT, PDT); };
    if (LI.getLoopFor(Of.Join) == L && Of.Join != L->getHeader() && isOnData(Branch->getCondition(), *L, SE) && none_of(Found, HasIt))
      Found.push_back(Of);
  }
  bool Changed = false;
  for (const Branching &Of : Found) {
    if (!isMetByOthers(Of, DT))
      continue;
    SmallVector<BasicBlock *, 4> Own;
    copy_if(predecessors(Of.Join), std::back_inserter(Own), [&](BasicBlock *From) { return DT.dominates(Of.Head, From); });
    Changed |= SplitBlockPredecessors(Of.Join, Own, ".own", &DT, &LI) != nullptr;
  }
  return Changed;
}
