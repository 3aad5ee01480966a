// Makes branches of selects that choose an element: `a[i == 0 ? n - 1 : i - 1]` is not affine, but each arm is. A remainder that wraps at
// most once, as in `a[(i + 1) % n]`, is made a select first.
//
// Everything from the select to the end of its block that touches memory or hangs on it is copied, one copy per arm. Runs on clones
// only: where nothing is transformed nobody sees the copies.

#include "bridge.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace {

// Most instructions that are copied at once, most copies in one function, and how far expressions are followed.
constexpr unsigned MaxCopied = 64;
constexpr unsigned MaxArms = 32;
constexpr unsigned MaxDepth = 8;

using InstSet = SmallPtrSet<const Instruction *, 32>;

// Whether `V`, used in the nest of `Outermost`, is made of loop counters and of values from outside of the nest by sums, products and
// casts.
bool isCounted(const Value *V, const Loop &Outermost, const LoopInfo &LI, unsigned Depth = 0) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Outermost.contains(I))
    return V->getType()->isIntegerTy();
  if (isa<PHINode>(I))
    return LI.isLoopHeader(I->getParent());
  switch (I->getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return Depth < MaxDepth && all_of(I->operands(), [&](const Use &U) { return isCounted(U, Outermost, LI, Depth + 1); });
  default:
    return false;
  }
}

// Whether the remainder is known to be its dividend or that less the divisor: 0 <= X < 2 * N, N > 0.
bool wrapsAtMostOnce(BinaryOperator &Rem, ScalarEvolution &SE) {
  const SCEV *X = SE.getSCEV(Rem.getOperand(0)), *N = SE.getSCEV(Rem.getOperand(1));
  const SCEV *Zero = SE.getZero(X->getType());
  return SE.isKnownPredicateAt(CmpInst::ICMP_SGT, N, Zero, &Rem) && SE.isKnownPredicateAt(CmpInst::ICMP_SGE, X, Zero, &Rem) &&
         SE.isKnownPredicateAt(CmpInst::ICMP_SLT, SE.getMinusSCEV(X, N), N, &Rem);
}

// Makes selects of the remainders of the block that wrap at most once.
bool wrapBySelects(BasicBlock &BB, const Loop &Outermost, const LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<BinaryOperator *, 4> Wraps;
  for (Instruction &I : BB)
    if (I.getOpcode() == Instruction::SRem || I.getOpcode() == Instruction::URem)
      if (I.getType()->isIntegerTy() && all_of(I.operands(), [&](const Use &U) { return isCounted(U, Outermost, LI); }) &&
          wrapsAtMostOnce(cast<BinaryOperator>(I), SE))
        Wraps.push_back(&cast<BinaryOperator>(I));
  for (BinaryOperator *Rem : Wraps) {
    Value *X = Rem->getOperand(0), *N = Rem->getOperand(1);
    IRBuilder<> B(Rem);
    Rem->replaceAllUsesWith(B.CreateSelect(B.CreateICmpSLT(X, N), X, B.CreateNSWSub(X, N)));
    SE.forgetValue(Rem);
    Rem->eraseFromParent();
  }
  return !Wraps.empty();
}

// Whether `V` is made from `From` by instructions of its block, none of them a load.
bool isMadeFrom(const Value *V, const Instruction &From, unsigned Depth = 0) {
  if (V == &From)
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != From.getParent() || isa<PHINode>(I) || isa<LoadInst>(I) || Depth == MaxDepth)
    return false;
  return any_of(I->operands(), [&](const Use &U) { return isMadeFrom(U, From, Depth + 1); });
}

// The first integer select of the block that an address there is made from, and whose condition compares loop counters.
SelectInst *choiceOfElement(BasicBlock &BB, const Loop &Outermost, const LoopInfo &LI) {
  for (Instruction &I : BB) {
    auto *S = dyn_cast<SelectInst>(&I);
    auto *Compare = S ? dyn_cast<ICmpInst>(S->getCondition()) : nullptr;
    if (!Compare || !S->getType()->isIntegerTy() ||
        !all_of(Compare->operands(), [&](const Use &U) { return isCounted(U, Outermost, LI); }))
      continue;
    bool Addresses = any_of(BB, [&](const Instruction &Access) {
      const Value *Pointer = getLoadStorePointerOperand(&Access);
      return Pointer && isMadeFrom(Pointer, *S);
    });
    if (Addresses)
      return S;
  }
  return nullptr;
}

// What has to be copied per arm: the select, other selects, what touches memory, and what hangs on these. Empty if that cannot be done:
// when some value of it is used elsewhere, or it may not be copied.
InstSet copiedWith(SelectInst &S) {
  InstSet Copied;
  for (auto At = S.getIterator(); !At->isTerminator(); ++At) {
    bool Hangs = any_of(At->operands(), [&](const Use &U) {
      auto *Op = dyn_cast<Instruction>(U);
      return Op && Copied.contains(Op);
    });
    if (Hangs || isa<SelectInst>(*At) || At->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&*At))
      Copied.insert(&*At);
  }
  auto mayBeCopied = [&](const Instruction *I) {
    auto *Call = dyn_cast<CallBase>(I);
    bool IsPlain = !Call || !(Call->isConvergent() || Call->cannotDuplicate());
    return IsPlain && !I->getType()->isTokenTy() && all_of(I->users(), [&](const User *U) {
      auto *By = dyn_cast<Instruction>(U);
      return By && Copied.contains(By) && !isa<PHINode>(By);
    });
  };
  if (Copied.size() > MaxCopied || !all_of(Copied, mayBeCopied))
    Copied.clear();
  return Copied;
}

// Moves in front of the select, and adds to the copies, what is computed or loaded for them alone, so that no arm waits for a value of the
// block before it. The first instruction to be copied.
Instruction *sunkTo(SelectInst &S, InstSet &Copied) {
  SmallVector<Instruction *, 16> Sunk;
  bool Written = false;
  for (Instruction &I : make_range(std::next(S.getReverseIterator()), S.getParent()->rend())) {
    bool IsValue = I.getType()->isFloatingPointTy() && !I.mayHaveSideEffects() && !isa<PHINode>(I);
    bool MayMove = IsValue && !(Written && I.mayReadFromMemory());
    Written |= I.mayWriteToMemory();
    if (MayMove && Copied.size() < MaxCopied &&
        all_of(I.users(), [&](const User *U) { return Copied.contains(cast<Instruction>(U)); })) {
      Copied.insert(&I);
      Sunk.push_back(&I);
    }
  }
  for (Instruction *I : reverse(Sunk))
    I->moveBefore(S.getIterator());
  return Sunk.empty() ? &S : Sunk.back();
}

// The block of the value that is chosen where the condition holds, and that of the other one, each with its copy.
std::pair<BasicBlock *, BasicBlock *> branch(SelectInst &S, InstSet &Copied, LoopInfo &LI) {
  BasicBlock *Head = S.getParent();
  SmallVector<Instruction *, 16> Before;
  for (auto At = S.getIterator(); !At->isTerminator(); ++At)
    if (!Copied.contains(&*At))
      Before.push_back(&*At);
  for (Instruction *I : Before)
    I->moveBefore(S.getIterator());
  Instruction *First = sunkTo(S, Copied);
  BasicBlock *Yes = SplitBlock(Head, First->getIterator(), static_cast<DominatorTree *>(nullptr), &LI);
  SplitBlock(Yes, Yes->getTerminator()->getIterator(), static_cast<DominatorTree *>(nullptr), &LI);
  ValueToValueMapTy Copies;
  BasicBlock *No = CloneBasicBlock(Yes, Copies, ".no", Head->getParent());
  No->moveAfter(Yes);
  for (Instruction &I : *No) {
    RemapInstruction(&I, Copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    RemapDbgRecordRange(I.getModule(), I.getDbgRecordRange(), Copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  if (Loop *L = LI.getLoopFor(Head))
    L->addBasicBlockToLoop(No, LI);
  auto *Other = cast<SelectInst>(Copies[&S]);
  Head->getTerminator()->eraseFromParent();
  BranchInst::Create(Yes, No, S.getCondition(), Head)->setDebugLoc(S.getDebugLoc());
  Other->replaceAllUsesWith(Other->getFalseValue());
  Other->eraseFromParent();
  S.replaceAllUsesWith(S.getTrueValue());
  S.eraseFromParent();
  return {Yes, No};
}

} // namespace

// True if the function changed. `LI` is kept up to date.
bool polyrsBranchOnSelects(Function &F, LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<BasicBlock *, 16> Work;
  bool Wrapped = false;
  for (BasicBlock &BB : F) {
    if (const Loop *L = LI.getLoopFor(&BB)) {
      Wrapped |= wrapBySelects(BB, *L->getOutermostLoop(), LI, SE);
      Work.push_back(&BB);
    }
  }
  unsigned Arms = 0;
  while (!Work.empty() && Arms < MaxArms) {
    BasicBlock *BB = Work.pop_back_val();
    const Loop *Outermost = LI.getLoopFor(BB)->getOutermostLoop();
    SelectInst *S = choiceOfElement(*BB, *Outermost, LI);
    if (!S)
      continue;
    InstSet Copied = copiedWith(*S);
    if (Copied.empty())
      continue;
    auto [Yes, No] = branch(*S, Copied, LI);
    Work.append({Yes, No});
    Arms += 2;
  }
  return Wrapped || Arms > 0;
}
