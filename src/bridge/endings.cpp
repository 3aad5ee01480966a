// See endings.h.

#include "bridge/endings.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

// Where a loop ends if all its ends end the program: behind the test of its counter. Null: it has other ends, or none.
static const BasicBlock *onlyEnd(const Loop &L, const DenseSet<const BasicBlock *> &Blocks) {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Edges;
  L.getExitEdges(Edges);
  if (any_of(Edges, [&](const auto &Edge) { return !Blocks.contains(Edge.second); }))
    return nullptr;
  for (const BasicBlock *From : {L.getLoopLatch(), L.getHeader()})
    for (auto [Exiting, Exit] : Edges)
      if (Exiting == From)
        return Exit;
  return nullptr;
}

void PolyrsEndings::endOrdinarily(const BasicBlock *BB) {
  SmallVector<const BasicBlock *, 4> Work = {BB};
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (!Blocks.erase(Next))
      continue;
    for (const BasicBlock *S : llvm::successors(Next))
      if (none_of(llvm::predecessors(S), [&](const BasicBlock *P) { return neverReturns(P); }))
        Work.push_back(S);
  }
}

PolyrsEndings::PolyrsEndings(Function &F, const LoopInfo &LI) {
  SmallVector<BasicBlock *, 16> Work;
  for (BasicBlock &BB : F)
    if (isa<UnreachableInst, ResumeInst>(BB.getTerminator()))
      Work.push_back(&BB);
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (BB->isEntryBlock() || !Blocks.insert(BB).second)
      continue;
    for (BasicBlock *P : predecessors(BB))
      if (all_of(llvm::successors(P), [&](const BasicBlock *S) { return Blocks.contains(S); }))
        Work.push_back(P);
  }
  for (const Loop *L : LI.getLoopsInPreorder())
    if (const BasicBlock *End = onlyEnd(*L, Blocks))
      endOrdinarily(End);
  SmallVector<DominatorTreeBase<BasicBlock, true>::UpdateType, 16> Cut;
  for (BasicBlock &BB : F)
    if (!neverReturns(&BB))
      for (BasicBlock *S : llvm::successors(&BB))
        if (neverReturns(S))
          Cut.push_back({DominatorTree::Delete, &BB, S});
  if (Cut.empty())
    return;
  Tree = std::make_unique<PostDominatorTree>(F);
  Tree->applyUpdates({}, Cut);
}

SmallVector<const BasicBlock *, 2> PolyrsEndings::successors(const BasicBlock &BB) const {
  SmallVector<const BasicBlock *, 2> Found;
  for (const BasicBlock *S : llvm::successors(&BB))
    if (neverReturns(&BB) || !neverReturns(S))
      Found.push_back(S);
  return Found;
}

unsigned PolyrsEndings::endsOn(const BasicBlock &BB) const {
  auto *Branch = dyn_cast<BranchInst>(BB.getTerminator());
  if (!Branch || !Branch->isConditional() || neverReturns(&BB))
    return 0;
  return neverReturns(Branch->getSuccessor(0)) ? 1 : neverReturns(Branch->getSuccessor(1)) ? 2 : 0;
}

SmallVector<BasicBlock *, 4> PolyrsEndings::exiting(const Loop &L) const {
  SmallVector<BasicBlock *, 4> All, Found;
  L.getExitingBlocks(All);
  for (BasicBlock *BB : All)
    if (any_of(llvm::successors(BB), [&](const BasicBlock *S) { return !L.contains(S) && !neverReturns(S); }))
      Found.push_back(BB);
  return Found;
}

const SCEV *PolyrsEndings::backedgeTaken(const Loop &L, ScalarEvolution &SE) const {
  SmallVector<BasicBlock *, 4> Exiting = exiting(L);
  return Exiting.size() == 1 ? SE.getExitCount(&L, Exiting.front()) : SE.getBackedgeTakenCount(&L);
}

const BasicBlock *PolyrsEndings::postDominator(const BasicBlock &BB, const PostDominatorTree &OfAll) const {
  auto *Node = (Tree ? *Tree : OfAll).getNode(&BB);
  return Node && Node->getIDom() ? Node->getIDom()->getBlock() : nullptr;
}

bool polyrsIsMessage(const CallBase &Call, const TargetLibraryInfo &TLI) {
  LibFunc Func;
  const Function *Callee = Call.getCalledFunction();
  if (Call.hasFnAttr(Attribute::Cold))
    return true;
  if (!Callee || !TLI.getLibFunc(*Callee, Func))
    return false;
  switch (Func) {
  case LibFunc_printf:
  case LibFunc_fprintf:
  case LibFunc_puts:
  case LibFunc_putchar:
  case LibFunc_fputs:
  case LibFunc_fputc:
  case LibFunc_fwrite:
  case LibFunc_perror:
  case LibFunc_fflush:
    return true;
  default:
    return false;
  }
}
