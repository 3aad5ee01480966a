// Makes branches of selects that choose an element: `a[i == 0 ? n - 1 : i - 1]` is not affine, but each arm is. A
// remainder that wraps at most once, as in `a[(i + 1) % n]`, is made a select first. Where that hangs on the divisor
// (`n >= 2` for `(i + 2) % n` with i < n) it is tested, and the other branch, with the remainder as it is, is marked:
// the model takes it for never run where it is not proved to be so.
//
// Where that cannot be copied, a clamp by two choices, `i < 0 ? 0 : i > n - 1 ? n - 1 : i`, is made a minimum of a
// maximum if its bounds do not cross.
//
// Everything from the select to the end of its block that touches memory or hangs on it is copied, one copy per arm.
// Runs on clones only: where nothing is transformed nobody sees the copies.

#include "canonical/canonical.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Most instructions that are copied at once, most copies in one function, and how far expressions are followed.
constexpr unsigned MaxCopied = 64;
constexpr unsigned MaxArms = 64;
constexpr unsigned MaxDepth = 8;

// Divisors up to about this may be left out where a remainder is made a select.
constexpr uint64_t MaxDistance = 64;

using InstSet = SmallPtrSet<const Instruction *, 32>;

// Whether `V`, used in the nest of `Outermost`, is made of loop counters and of values from outside of the nest by
// sums, products and casts.
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

// Whether `V` is made from `From` by instructions of its block, none of them a load.
bool isMadeFrom(const Value *V, const Instruction &From, unsigned Depth = 0) {
  if (V == &From)
    return true;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != From.getParent() || isa<PHINode>(I) || isa<LoadInst>(I) || Depth == MaxDepth)
    return false;
  return any_of(I->operands(), [&](const Use &U) { return isMadeFrom(U, From, Depth + 1); });
}

// Whether an address of its block is made from `I`.
bool isInAddress(const Instruction &I) {
  return any_of(*I.getParent(), [&](const Instruction &Access) {
    const Value *Pointer = getLoadStorePointerOperand(&Access);
    return Pointer && isMadeFrom(Pointer, I);
  });
}

// Whether the remainder is known to be its dividend or that less the divisor: 0 <= X < 2 * N, N > 0.
bool wrapsAtMostOnce(BinaryOperator &Rem, ScalarEvolution &SE) {
  const SCEV *X = SE.getSCEV(Rem.getOperand(0)), *N = SE.getSCEV(Rem.getOperand(1));
  const SCEV *Zero = SE.getZero(X->getType());
  return SE.isKnownPredicateAt(CmpInst::ICMP_SGT, N, Zero, &Rem) && SE.isKnownPredicateAt(CmpInst::ICMP_SGE, X, Zero, &Rem) &&
         SE.isKnownPredicateAt(CmpInst::ICMP_SLT, SE.getMinusSCEV(X, N), N, &Rem);
}

// Whether `End`, of the values that X takes in a loop the first or the last, lies in 0 <= X < 2 * N for all but a few
// N: it is a constant, N and a constant, or less than 2 * N by a constant.
bool isNearDivisor(const SCEV *End, const SCEV *N, ScalarEvolution &SE) {
  for (int64_t Times : {0, 1, 2}) {
    const SCEV *Left = SE.getMinusSCEV(End, SE.getMulExpr(SE.getConstant(N->getType(), Times), N));
    auto *Distance = dyn_cast<SCEVConstant>(Left);
    if (!Distance || Distance->getAPInt().abs().ugt(MaxDistance))
      continue;
    bool IsNegative = Distance->getAPInt().isNegative();
    return Times == 1 || (Times == 0 ? !IsNegative : IsNegative);
  }
  return false;
}

// Whether the remainder is its dividend or that less the divisor for all but a few values of the divisor, as far as
// nothing overflows: the dividend counts along with a loop from one end of the range of the divisor to the other, or
// from one to the other end of the next.
bool mayWrapAtMostOnce(BinaryOperator &Rem, const Loop &Outermost, ScalarEvolution &SE) {
  const SCEV *N = SE.getSCEV(Rem.getOperand(1));
  auto *X = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Rem.getOperand(0)));
  if (!X || !X->isAffine() || isa<SCEVConstant>(N) || !SE.isLoopInvariant(N, &Outermost))
    return false;
  const SCEV *Taken = SE.getBackedgeTakenCount(X->getLoop());
  return !isa<SCEVCouldNotCompute>(Taken) && isNearDivisor(X->getStart(), N, SE) &&
         isNearDivisor(X->evaluateAtIteration(Taken, SE), N, SE);
}

// The dividend less the divisor where that is not negative.
void wrapBySelect(BinaryOperator &Rem, ScalarEvolution &SE) {
  Value *X = Rem.getOperand(0), *N = Rem.getOperand(1);
  IRBuilder<> B(&Rem);
  Rem.replaceAllUsesWith(B.CreateSelect(B.CreateICmpSLT(X, N), X, B.CreateNSWSub(X, N)));
  SE.forgetValue(&Rem);
  Rem.eraseFromParent();
}

// Remainders of a block, with what has to be tested of each: 0 < N, 0 <= X where they are not known, and X - N < N.
using Wraps = SmallVector<BinaryOperator *, 4>;

// Makes selects of the remainders of the block that are known to wrap at most once. True if there are any. Adds those
// for which that has to be tested to `Tested`.
bool wrapBySelects(BasicBlock &BB, const Loop &Outermost, const LoopInfo &LI, ScalarEvolution &SE, Wraps &Tested) {
  Wraps Known;
  for (Instruction &I : BB) {
    if ((I.getOpcode() != Instruction::SRem && I.getOpcode() != Instruction::URem) || !I.getType()->isIntegerTy() ||
        !all_of(I.operands(), [&](const Use &U) { return isCounted(U, Outermost, LI); }))
      continue;
    auto &Rem = cast<BinaryOperator>(I);
    if (wrapsAtMostOnce(Rem, SE))
      Known.push_back(&Rem);
    else if (isInAddress(Rem) && mayWrapAtMostOnce(Rem, Outermost, SE))
      Tested.push_back(&Rem);
  }
  for (BinaryOperator *Rem : Known)
    wrapBySelect(*Rem, SE);
  return !Known.empty();
}

// Whether a bound of a clamp is a number wherever `At` runs, as far as its own operation and its operands tell.
bool isDefinedAt(Value *V, Instruction &At, ScalarEvolution &SE, const DominatorTree &DT) {
  auto IsNumber = [&](const Value *Op) { return isGuaranteedNotToBePoison(Op, nullptr, &At, &DT); };
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || (I->getOpcode() != Instruction::Add && I->getOpcode() != Instruction::Sub) || !all_of(I->operands(), IsNumber))
    return IsNumber(V);
  const SCEV *Left = SE.getSCEV(I->getOperand(0)), *Right = SE.getSCEV(I->getOperand(1));
  return (!I->hasNoSignedWrap() || SE.willNotOverflow(I->getOpcode(), true, Left, Right, &At)) &&
         (!I->hasNoUnsignedWrap() || SE.willNotOverflow(I->getOpcode(), false, Left, Right, &At));
}

// Makes a minimum of a maximum, or the other way around, of a clamp by a choice and one of them. False if it is none,
// or its bounds may cross.
bool clampByBounds(SelectInst &S, ScalarEvolution &SE, const DominatorTree &DT) {
  CmpPredicate Pred;
  Value *X = nullptr, *Bound = nullptr, *Other = nullptr;
  if (!match(S.getCondition(), m_ICmp(Pred, m_Value(X), m_Value(Bound))))
    return false;
  Value *End = S.getTrueValue(), *Rest = S.getFalseValue();
  CmpInst::Predicate Beyond = Pred;
  bool IsLow = match(Rest, m_c_SMin(m_Specific(X), m_Value(Other))), IsHigh = match(Rest, m_c_SMax(m_Specific(X), m_Value(Other)));
  if (!IsLow && !IsHigh) {
    std::swap(End, Rest);
    Beyond = CmpInst::getInversePredicate(Beyond);
    IsLow = match(Rest, m_c_SMin(m_Specific(X), m_Value(Other)));
    IsHigh = match(Rest, m_c_SMax(m_Specific(X), m_Value(Other)));
  }
  if ((!IsLow && !IsHigh) || !S.getType()->isIntegerTy())
    return false;
  // A comparison with the bound itself, or with the number next to it.
  auto Strict = IsLow ? CmpInst::ICMP_SLT : CmpInst::ICMP_SGT, Weak = IsLow ? CmpInst::ICMP_SLE : CmpInst::ICMP_SGE;
  const APInt *At = nullptr, *To = nullptr;
  bool IsNext = Beyond == Weak && match(Bound, m_APInt(At)) && match(End, m_APInt(To)) &&
                (IsLow ? !At->isMaxSignedValue() && *At + 1 == *To : !At->isMinSignedValue() && *At - 1 == *To);
  if (!IsNext && (Bound != End || (Beyond != Strict && Beyond != Weak)))
    return false;
  Value *Low = IsLow ? End : Other, *High = IsLow ? Other : End;
  if (!isDefinedAt(Low, S, SE, DT) || !isDefinedAt(High, S, SE, DT) ||
      !SE.isKnownPredicateAt(CmpInst::ICMP_SLE, SE.getSCEV(Low), SE.getSCEV(High), &S))
    return false;
  IRBuilder<> B(&S);
  Value *Clamped = B.CreateBinaryIntrinsic(IsLow ? Intrinsic::smax : Intrinsic::smin, Rest, End);
  SE.forgetValue(&S);
  S.replaceAllUsesWith(Clamped);
  S.eraseFromParent();
  return true;
}

// The first integer select of the block that an address there is made from, and whose condition compares loop counters.
SelectInst *choiceOfElement(BasicBlock &BB, const Loop &Outermost, const LoopInfo &LI) {
  for (Instruction &I : BB) {
    auto *S = dyn_cast<SelectInst>(&I);
    auto *Compare = S ? dyn_cast<ICmpInst>(S->getCondition()) : nullptr;
    if (!Compare || !S->getType()->isIntegerTy() ||
        !all_of(Compare->operands(), [&](const Use &U) { return isCounted(U, Outermost, LI); }))
      continue;
    if (isInAddress(*S))
      return S;
  }
  return nullptr;
}

// What has to be copied per arm: the first instruction, selects, what touches memory, and what hangs on these. Empty if
// that cannot be done: when some value of it is used elsewhere, or it may not be copied.
InstSet copiedWith(Instruction &S) {
  InstSet Copied;
  for (auto At = S.getIterator(); !At->isTerminator(); ++At) {
    bool Hangs = any_of(At->operands(), [&](const Use &U) {
      auto *Op = dyn_cast<Instruction>(U);
      return Op && Copied.contains(Op);
    });
    if (&*At == &S || Hangs || isa<SelectInst>(*At) || At->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&*At))
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

// Moves in front of the first copied instruction, and adds to the copies, what is computed or loaded for them alone, so
// that no arm waits for a value of the block before it. The first instruction to be copied.
Instruction *sunkTo(Instruction &S, InstSet &Copied) {
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

// Two blocks with a copy of all that is in `Copied`, of which `S` comes first: one to run where the condition holds,
// and one for where it does not.
struct Branches {
  BasicBlock *Yes;
  BasicBlock *No;
  // From what is in `Yes` to what is in `No`.
  ValueToValueMapTy Copies;
};

void branch(Instruction &S, Value *Condition, InstSet &Copied, LoopInfo &LI, Branches &Made) {
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
  BasicBlock *No = CloneBasicBlock(Yes, Made.Copies, ".no", Head->getParent());
  No->moveAfter(Yes);
  for (Instruction &I : *No) {
    RemapInstruction(&I, Made.Copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    RemapDbgRecordRange(I.getModule(), I.getDbgRecordRange(), Made.Copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  if (Loop *L = LI.getLoopFor(Head))
    L->addBasicBlockToLoop(No, LI);
  Head->getTerminator()->eraseFromParent();
  BranchInst::Create(Yes, No, Condition, Head)->setDebugLoc(S.getDebugLoc());
  std::tie(Made.Yes, Made.No) = {Yes, No};
}

// Makes a branch of the first select of the block that chooses an element. False if there is none.
bool branchOnSelect(BasicBlock &BB, LoopInfo &LI, Branches &Made) {
  SelectInst *S = choiceOfElement(BB, *LI.getLoopFor(&BB)->getOutermostLoop(), LI);
  InstSet Copied = S ? copiedWith(*S) : InstSet();
  if (Copied.empty())
    return false;
  branch(*S, S->getCondition(), Copied, LI, Made);
  auto *Other = cast<SelectInst>(Made.Copies[S]);
  Other->replaceAllUsesWith(Other->getFalseValue());
  Other->eraseFromParent();
  S->replaceAllUsesWith(S->getTrueValue());
  S->eraseFromParent();
  return true;
}

// The first of the instructions of the block of `Rem`, up to that, that chooses an element.
Instruction &firstChoice(BinaryOperator &Rem) {
  for (Instruction &I : make_range(Rem.getParent()->begin(), Rem.getIterator()))
    if (isa<SelectInst>(I) && I.getType()->isIntegerTy() && isInAddress(I))
      return I;
  return Rem;
}

// Makes selects of these remainders of one block on a branch that runs where they wrap at most once. False if that
// cannot be done.
bool branchOnWraps(const Wraps &Tested, LoopInfo &LI, ScalarEvolution &SE, Branches &Made) {
  BasicBlock &BB = *Tested.front()->getParent();
  Instruction &First = firstChoice(*Tested.front());
  InstSet Copied = copiedWith(First);
  if (Copied.empty())
    return false;
  IRBuilder<> B(BB.getTerminator());
  Value *Holds = B.getTrue();
  for (BinaryOperator *Rem : Tested) {
    Value *X = Rem->getOperand(0), *N = Rem->getOperand(1), *Zero = Constant::getNullValue(X->getType());
    if (!SE.isKnownPredicateAt(CmpInst::ICMP_SGT, SE.getSCEV(N), SE.getSCEV(Zero), Rem))
      Holds = B.CreateAnd(Holds, B.CreateICmpSGT(N, Zero));
    if (!SE.isKnownPredicateAt(CmpInst::ICMP_SGE, SE.getSCEV(X), SE.getSCEV(Zero), Rem))
      Holds = B.CreateAnd(Holds, B.CreateICmpSGE(X, Zero));
    Holds = B.CreateAnd(Holds, B.CreateICmpSLT(B.CreateSub(X, N), N));
  }
  branch(First, Holds, Copied, LI, Made);
  BB.getTerminator()->setMetadata(PolyrsAssumedTaken, MDNode::get(BB.getContext(), {}));
  for (BinaryOperator *Rem : Tested)
    wrapBySelect(*Rem, SE);
  return true;
}

// The same of the clamps in a block that no arms can be made of.
bool clampByBounds(BasicBlock &BB, const Loop &Outermost, const LoopInfo &LI, ScalarEvolution &SE, const DominatorTree &DT) {
  SelectInst *First = choiceOfElement(BB, Outermost, LI);
  bool Changed = false;
  if (First && copiedWith(*First).empty())
    for (Instruction &I : make_early_inc_range(BB))
      if (auto *Choice = dyn_cast<SelectInst>(&I))
        Changed |= clampByBounds(*Choice, SE, DT);
  return Changed;
}

} // namespace

// True if the function changed. `LI` is kept up to date.
bool polyrsBranchOnSelects(Function &F, LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<BasicBlock *, 16> Work;
  SmallVector<Wraps, 4> AllTested;
  bool Changed = false;
  DominatorTree DT(F);
  for (BasicBlock &BB : F) {
    if (const Loop *L = LI.getLoopFor(&BB)) {
      Changed |= clampByBounds(BB, *L->getOutermostLoop(), LI, SE, DT);
      Wraps Tested;
      Changed |= wrapBySelects(BB, *L->getOutermostLoop(), LI, SE, Tested);
      Work.push_back(&BB);
      if (!Tested.empty())
        AllTested.push_back(Tested);
    }
  }
  for (const Wraps &Tested : AllTested) {
    Branches Made;
    if (branchOnWraps(Tested, LI, SE, Made)) {
      Work.push_back(Made.Yes);
      Changed = true;
    }
  }
  unsigned Arms = 0;
  while (!Work.empty() && Arms < MaxArms) {
    BasicBlock *BB = Work.pop_back_val();
    Branches Made;
    if (branchOnSelect(*BB, LI, Made)) {
      Work.append({Made.Yes, Made.No});
      Arms += 2;
      Changed = true;
    }
  }
  return Changed;
}
