// Lets pointers that walk through inner loops (`*p++` in a nest) be counters of the loops around.
//
// How far an inner loop moves a pointer is known where its number of iterations is; but scalar evolution does not see
// through the loop: the pointer that the next row begins with is whatever the inner loop left. Where that is the row's
// beginning plus a distance that is the same in all rows, it is written so.

#include "canonical/canonical.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// Most phis between what an inner loop leaves and the outer loop's latch.
constexpr unsigned MaxPhis = 4;

// The distance from a header phi of a loop to the value at the end of an iteration, where a branch around an inner loop
// counts as zero; null if it is not the same in all iterations, or not known. `Guard` and `MovesIfTrue` are what the
// distance depends on: the branch whose inner loop moves the pointer.
struct Distance {
  const SCEV *By = nullptr;
  const BranchInst *Guard = nullptr;
  bool MovesIfTrue = true;
};

// A value that an inner loop leaves, without the phis that close the loop.
Value *leftBy(Value *V) {
  for (unsigned K = 0; K < MaxPhis; ++K) {
    auto *Phi = dyn_cast<PHINode>(V);
    if (!Phi || Phi->getNumIncomingValues() != 1)
      break;
    V = Phi->getIncomingValue(0);
  }
  return V;
}

// The distance that an inner loop moves the pointer; null if that is not known before `L`.
const SCEV *movedBy(Value *Left, const PHINode &From, const Loop &L, LoopInfo &LI, ScalarEvolution &SE) {
  auto *Last = dyn_cast<Instruction>(leftBy(Left));
  const Loop *Inner = Last ? LI.getLoopFor(Last->getParent()) : nullptr;
  if (!Inner || Inner->getParentLoop() != &L || !SE.isSCEVable(Last->getType()))
    return nullptr;
  const SCEV *At = SE.getSCEVAtScope(Last, &L);
  if (isa<SCEVCouldNotCompute>(At))
    return nullptr;
  const SCEV *By = SE.getMinusSCEV(At, SE.getSCEV(const_cast<PHINode *>(&From)));
  return isa<SCEVCouldNotCompute>(By) || !SE.isLoopInvariant(By, &L) || By->isZero() ? nullptr : By;
}

// Whether a condition has the same value in all iterations: made before the loop, or of what is.
bool isSameAlways(const Value &Cond, const Loop &L) {
  auto *Compare = dyn_cast<ICmpInst>(&Cond);
  return L.isLoopInvariant(&Cond) || (Compare && L.hasLoopInvariantOperands(Compare));
}

// The expression divided by a constant that all its terms are multiples of; null where one is not.
const SCEV *dividedBy(const SCEV *S, int64_t By, ScalarEvolution &SE) {
  if (S->getExpressionSize() > PolyrsMaxExpression)
    return nullptr;
  if (auto *C = dyn_cast<SCEVConstant>(S)) {
    std::optional<int64_t> Value = C->getAPInt().trySExtValue();
    return Value && *Value % By == 0 ? SE.getConstant(S->getType(), *Value / By, /*isSigned=*/true) : nullptr;
  }
  auto *All = dyn_cast<SCEVNAryExpr>(S);
  if (!All || !isa<SCEVAddExpr, SCEVMulExpr>(S))
    return nullptr;
  SmallVector<const SCEV *, 4> Parts;
  if (isa<SCEVMulExpr>(S)) {
    const SCEV *First = dividedBy(All->getOperand(0), By, SE);
    for (const SCEV *Part : All->operands())
      Parts.push_back(Parts.empty() ? First : Part);
    return First ? SE.getMulExpr(Parts) : nullptr;
  }
  for (const SCEV *Part : All->operands()) {
    Parts.push_back(dividedBy(Part, By, SE));
    if (!Parts.back())
      return nullptr;
  }
  return SE.getAddExpr(Parts);
}

// What the outer loop adds behind the inner one (`p += stride - width`): instructions of `L` itself that move on by
// what is the same in all iterations, the last one first.
SmallVector<Instruction *, 2> movedBehind(Value *To, const Loop &L, const LoopInfo &LI, ScalarEvolution &SE) {
  SmallVector<Instruction *, 2> Steps;
  auto IsSame = [&](const Use &By) { return SE.isSCEVable(By->getType()) && SE.isLoopInvariant(SE.getSCEV(By), &L); };
  for (auto *I = dyn_cast<Instruction>(To); I && LI.getLoopFor(I->getParent()) == &L; I = dyn_cast<Instruction>(I->getOperand(0))) {
    bool IsStep = isa<GetElementPtrInst>(I) || I->getOpcode() == Instruction::Add || I->getOpcode() == Instruction::Sub;
    if (!IsStep || !all_of(drop_begin(I->operands()), IsSame))
      break;
    Steps.push_back(I);
  }
  return Steps;
}

// Whether a phi moves on for nothing where the inner loop does not run: only what is behind the guard uses it, or what
// the iteration leaves, `To`, which goes through `Steps` into it again.
bool isForInnerLoop(const PHINode &From, Value *To, ArrayRef<Instruction *> Steps, const Distance &Of, const DominatorTree &DT) {
  auto *Meet = dyn_cast<PHINode>(To);
  if (!Meet || !Of.Guard)
    return false;
  BasicBlockEdge Taken(Of.Guard->getParent(), Of.Guard->getSuccessor(Of.MovesIfTrue ? 0 : 1));
  auto GoesOn = [&](const User *U) { return U == &From || is_contained(Steps, U); };
  auto IsBehind = [&](const Use &U) { return U.getUser() == Meet || DT.dominates(Taken, U); };
  return all_of(From.uses(), IsBehind) && all_of(Meet->users(), GoesOn) &&
         all_of(Steps, [&](const Instruction *I) { return all_of(I->users(), GoesOn); });
}

// The distance from `From` to what an inner loop leaves, `To`.
Distance distanceOf(Value *To, const PHINode &From, const Loop &L, LoopInfo &LI, ScalarEvolution &SE, const DominatorTree &DT) {
  if (const SCEV *By = movedBy(To, From, L, LI, SE))
    return {By};
  // The inner loop stands behind a branch that is the same in all iterations.
  auto *Meet = dyn_cast<PHINode>(To);
  if (!Meet || Meet->getNumIncomingValues() != 2 || LI.getLoopFor(Meet->getParent()) != &L)
    return {};
  for (unsigned Skips : {0, 1}) {
    // Where rotation knew that the inner loop runs.
    if (isa<PoisonValue>(Meet->getIncomingValue(Skips)))
      if (const SCEV *By = movedBy(Meet->getIncomingValue(1 - Skips), From, L, LI, SE))
        return {By};
    BasicBlock *Around = Meet->getIncomingBlock(Skips);
    auto *Branch = dyn_cast<BranchInst>(Around->getTerminator());
    if (Meet->getIncomingValue(Skips) != &From || !Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1) || LI.getLoopFor(Around) != &L ||
        !DT.dominates(Around, Meet->getParent()) || !isSameAlways(*Branch->getCondition(), L))
      continue;
    if (const SCEV *By = movedBy(Meet->getIncomingValue(1 - Skips), From, L, LI, SE))
      return {By, Branch, Branch->getSuccessor(1) == Meet->getParent()};
  }
  return {};
}

// Puts another expression in the place of a number of iterations that is counted in a narrower type, less one.
class InPlaceOfCount : public SCEVRewriteVisitor<InPlaceOfCount> {
public:
  InPlaceOfCount(const SCEV *LessOne, const SCEV *By, ScalarEvolution &SE) : SCEVRewriteVisitor(SE), LessOne(LessOne), By(By) {}
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *S) {
    return S->getOperand() == LessOne ? By : SCEVRewriteVisitor::visitZeroExtendExpr(S);
  }

private:
  const SCEV *LessOne, *By;
};

// The distance without its guard, if that asks whether the inner loop runs at all: `1 + zext(m - 1)` where `m > 0` is
// `zext(max(m, 0))` everywhere, and `sext(m)` where it counts if it is for the inner loop alone. Null where the guard
// asks for something else.
const SCEV *everywhere(const Distance &Of, bool ForInner, ScalarEvolution &SE) {
  auto *Compare = Of.Guard ? dyn_cast<ICmpInst>(Of.Guard->getCondition()) : nullptr;
  if (!Compare || !SE.isSCEVable(Compare->getOperand(0)->getType()) || !Compare->getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  CmpInst::Predicate Runs = Of.MovesIfTrue ? Compare->getPredicate() : Compare->getInversePredicate();
  const SCEV *Count = SE.getSCEV(Compare->getOperand(0)), *Least = SE.getSCEV(Compare->getOperand(1));
  if (isa<SCEVConstant>(Count)) {
    std::swap(Count, Least);
    Runs = CmpInst::getSwappedPredicate(Runs);
  }
  bool IsSigned = (Runs == CmpInst::ICMP_SGT && Least->isZero()) || (Runs == CmpInst::ICMP_SGE && Least->isOne());
  bool IsUnsigned = ((Runs == CmpInst::ICMP_UGT || Runs == CmpInst::ICMP_NE) && Least->isZero()) ||
                    (Runs == CmpInst::ICMP_UGE && Least->isOne());
  Type *Wide = Of.By->getType();
  if (!(IsSigned || IsUnsigned) || Count->getType()->getIntegerBitWidth() >= SE.getTypeSizeInBits(Wide))
    return nullptr;
  const SCEV *LessOne = SE.getAddExpr(Count, SE.getMinusOne(Count->getType())), *None = SE.getMinusOne(Wide);
  const SCEV *Times = IsSigned ? SE.getSMaxExpr(Count, SE.getZero(Count->getType())) : Count;
  const SCEV *Counted = ForInner && IsSigned ? SE.getSignExtendExpr(Count, Wide) : SE.getZeroExtendExpr(Times, Wide);
  const SCEV *Always = SE.getAddExpr(Counted, None);
  bool IsZeroWithout = InPlaceOfCount(LessOne, None, SE).visit(Of.By)->isZero();
  return IsZeroWithout ? InPlaceOfCount(LessOne, Always, SE).visit(Of.By) : nullptr;
}

bool walkAtOnce(Loop &L, LoopInfo &LI, ScalarEvolution &SE, const DominatorTree &DT) {
  BasicBlock *Preheader = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  if (L.isInnermost() || !Preheader || !Latch)
    return false;
  bool Changed = false;
  for (PHINode &From : L.getHeader()->phis()) {
    bool IsPointer = From.getType()->isPointerTy();
    if (!SE.isSCEVable(From.getType()) || isa<SCEVAddRecExpr>(SE.getSCEV(&From)))
      continue;
    SmallVector<Instruction *, 2> Steps = movedBehind(From.getIncomingValueForBlock(Latch), L, LI, SE);
    Instruction *Behind = Steps.empty() ? nullptr : Steps.back();
    Value *To = Behind ? Behind->getOperand(0) : From.getIncomingValueForBlock(Latch);
    Distance Of = distanceOf(To, From, L, LI, SE, DT);
    bool ForInner = Behind && isForInnerLoop(From, To, Steps, Of, DT);
    if (const SCEV *By = everywhere(Of, ForInner, SE))
      Of = {By};
    else if (ForInner)
      Of = {Of.By};
    SCEVExpander Expander(SE, "polyrs.walk");
    if (!Of.By || !Expander.isSafeToExpandAt(Of.By, Preheader->getTerminator()))
      continue;
    IRBuilder<> B(Preheader->getTerminator());
    int64_t Unit = 1;
    // The model knows a distance that is chosen as a whole: it is to count elements.
    for (int64_t Bytes : {16, 8, 4, 2})
      if (const SCEV *Elements = Of.Guard && Unit == 1 ? dividedBy(Of.By, Bytes, SE) : nullptr) {
        Unit = Bytes;
        Of.By = Elements;
      }
    Value *By = Expander.expandCodeFor(Of.By, Of.By->getType(), Preheader->getTerminator());
    if (Of.Guard) {
      Value *Runs = Of.Guard->getCondition();
      if (auto *Compare = dyn_cast<Instruction>(Runs); Compare && L.contains(Compare))
        Runs = B.Insert(Compare->clone());
      Value *None = Constant::getNullValue(By->getType());
      By = Of.MovesIfTrue ? B.CreateSelect(Runs, By, None) : B.CreateSelect(Runs, None, By);
    }
    B.SetInsertPoint(Behind ? Behind : Latch->getTerminator());
    Type *Element = B.getIntNTy(unsigned(8 * Unit));
    Value *Next = IsPointer ? B.CreateGEP(Element, &From, By) : B.CreateAdd(&From, B.CreateMul(By, ConstantInt::get(By->getType(), Unit)));
    if (Behind)
      Behind->setOperand(0, Next);
    else
      From.setIncomingValueForBlock(Latch, Next);
    SE.forgetValue(&From);
    SE.forgetLoop(&L);
    Changed = true;
  }
  return Changed;
}

} // namespace

bool polyrsWalkAtOnce(LoopInfo &LI, ScalarEvolution &SE, const DominatorTree &DT) {
  bool Changed = false;
  // Inner loops first: what they leave moves with the loops around them.
  SmallVector<Loop *, 4> Loops = LI.getLoopsInPreorder();
  for (Loop *L : reverse(Loops))
    Changed |= walkAtOnce(*L, LI, SE, DT);
  return Changed;
}
