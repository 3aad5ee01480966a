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

namespace {
using Successors = function_ref<SmallVector<const BasicBlock *, 2>(const BasicBlock &)>;

// Blocks in the order of a walk against the edges, each behind all that it leads the walk to.
struct PostOrder {
  DenseMap<const BasicBlock *, unsigned> Numbers;
  SmallVector<const BasicBlock *, 32> Blocks;
  DenseSet<const BasicBlock *> Last;

  // Adds the blocks that lead to one behind which nothing comes.
  void walk(const BasicBlock &End, Successors Next) {
    if (Numbers.contains(&End))
      return;
    Last.insert(&End);
    Numbers[&End] = ~0u;
    SmallVector<std::pair<const BasicBlock *, const_pred_iterator>, 16> Open = {{&End, pred_begin(&End)}};
    while (!Open.empty()) {
      auto &[BB, At] = Open.back();
      if (At == pred_end(BB)) {
        Numbers[BB] = Blocks.size();
        Blocks.push_back(BB);
        Open.pop_back();
        continue;
      }
      const BasicBlock *P = *At++;
      if (is_contained(Next(*P), BB) && Numbers.try_emplace(P, ~0u).second)
        Open.push_back({P, pred_begin(P)});
    }
  }

  // The immediate post-dominators, null for blocks behind which no block surely comes. Source: Cooper, Harvey, Kennedy,
  // "A simple, fast dominance algorithm", 2001, on the reversed graph.
  DenseMap<const BasicBlock *, const BasicBlock *> dominators(Successors Next) const {
    const unsigned Exit = Blocks.size(), None = ~0u;
    SmallVector<unsigned, 32> Above(Exit + 1, None);
    Above[Exit] = Exit;
    auto Common = [&](unsigned A, unsigned B) {
      while (A != B)
        (A < B ? A : B) = Above[std::min(A, B)];
      return A;
    };
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (unsigned K = Exit; K-- > 0;) {
        unsigned Found = Last.contains(Blocks[K]) ? Exit : None;
        if (Found == None)
          for (const BasicBlock *S : Next(*Blocks[K]))
            if (unsigned N = Numbers.lookup(S); Above[N] != None)
              Found = Found == None ? N : Common(Found, N);
        Changed |= Above[K] != Found;
        Above[K] = Found;
      }
    }
    DenseMap<const BasicBlock *, const BasicBlock *> All;
    for (unsigned K = 0; K < Exit; ++K)
      All[Blocks[K]] = Above[K] < Exit ? Blocks[Above[K]] : nullptr;
    return All;
  }
};
} // namespace

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
  cut(F, LI);
}

void PolyrsEndings::cut(Function &F, const LoopInfo &LI) {
  DenseSet<std::pair<const BasicBlock *, const BasicBlock *>> Starts;
  for (const Loop *L : LI.getLoopsInPreorder())
    if (exiting(*L).empty())
      for (const BasicBlock *Latch : predecessors(L->getHeader()))
        if (L->contains(Latch) && all_of(successors(*Latch), [&](const BasicBlock *S) { return S == L->getHeader(); }))
          Starts.insert({Latch, L->getHeader()});
  IsCut = !Starts.empty() || any_of(F, [&](const BasicBlock &BB) {
    return !neverReturns(&BB) && any_of(llvm::successors(&BB), [&](const BasicBlock *S) { return neverReturns(S); });
  });
  if (!IsCut)
    return;
  PostOrder Found;
  auto Next = [&](const BasicBlock &BB) {
    SmallVector<const BasicBlock *, 2> All = successors(BB);
    erase_if(All, [&](const BasicBlock *S) { return Starts.contains({&BB, S}); });
    return All;
  };
  for (const BasicBlock &BB : F)
    if (Next(BB).empty())
      Found.walk(BB, Next);
  // What is left never comes to an end: each such block may be the last.
  for (const BasicBlock &BB : F)
    if (!Found.Numbers.contains(&BB))
      Found.walk(BB, Next);
  PostDominators = Found.dominators(Next);
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
  if (IsCut)
    return PostDominators.lookup(&BB);
  auto *Node = OfAll.getNode(&BB);
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
