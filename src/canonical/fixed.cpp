// Lets loops read sizes and pointers once that their own stores may overwrite.
//
// Bytes may be anything, and integers the sizes beside them: where a loop stores pixels or cells through a pointer that
// is a member, types do not tell that the members stay as they are. Which bytes the loop stores to is known once they
// are assumed to stay: between the lowest and the highest address that the counters lead to. That these do not meet the
// members is tested before the loop, with a copy of the loop, which reads them again and again, as the other branch.
// The test is exact arithmetic in 128 bits: it also asks that no subscript leaves the type that it is computed in.

#include "canonical/canonical.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace {

// Most instructions of a loop that is copied, most stores and pointers in one test.
constexpr unsigned MaxInstructions = 300;
constexpr unsigned MaxStores = 8;
constexpr unsigned MaxPointers = 4;
// What keeps sums in 128 bits: numbers of iterations below 2^32, constant factors below 2^8, so many of them at once,
// so many parts.
constexpr unsigned CountBits = 32;
constexpr unsigned FactorBits = 8;
constexpr unsigned MaxFactors = 3;
constexpr unsigned MaxParts = 32;

// Lowest and highest value of an expression in a loop, in 128 bits.
struct Range {
  Value *Low, *High;
};

// Writes the test at the end of the loop's preheader.
class Tester {
public:
  Tester(Loop &L, ScalarEvolution &SE)
      : L(L), SE(SE), At(L.getLoopPreheader()->getTerminator()), B(At), Expander(SE, "polyrs.fixed"),
        Wide(B.getIntNTy(128)), All(B.getTrue()) {}

  Value *test(const PolyrsFixed &Fixed);

private:
  std::optional<Range> rangeOf(const SCEV *S, unsigned Factors);
  std::optional<Range> rangeOf(const SCEVAddRecExpr &Counter, unsigned Factors);
  std::optional<Range> rangeOf(StoreInst &Store, Value *&Base);
  Value *expand(const SCEV *S) {
    return Expander.isSafeToExpandAt(S, At) ? Expander.expandCodeFor(S, S->getType(), At->getIterator()) : nullptr;
  }
  Value *number(APInt V) { return ConstantInt::get(Wide, V.sextOrTrunc(128)); }
  void require(Value *Condition) { All = B.CreateAnd(All, Condition); }
  void requireIn(const Range &R, const APInt &Low, const APInt &High) {
    require(B.CreateAnd(B.CreateICmpSGE(R.Low, number(Low)), B.CreateICmpSLE(R.High, number(High))));
  }

  Loop &L;
  ScalarEvolution &SE;
  Instruction *At;
  IRBuilder<> B;
  SCEVExpander Expander;
  Type *Wide;
  Value *All;
  unsigned Parts = 0;
};

// A counter's values lie between its first and its last; which of them is the larger, the sign of its step tells.
std::optional<Range> Tester::rangeOf(const SCEVAddRecExpr &Counter, unsigned Factors) {
  if (!Counter.isAffine() || !L.contains(Counter.getLoop()))
    return std::nullopt;
  const SCEV *Step = Counter.getStepRecurrence(SE), *Count = SE.getBackedgeTakenCount(Counter.getLoop());
  if (isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, &L) || !SE.isLoopInvariant(Step, &L) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return std::nullopt;
  auto Start = rangeOf(Counter.getStart(), Factors);
  Value *By = expand(Step), *Times = expand(Count);
  if (!Start || !By || !Times)
    return std::nullopt;
  Times = B.CreateZExt(Times, Wide);
  require(B.CreateICmpULT(Times, number(APInt::getOneBitSet(128, CountBits))));
  Value *Moved = B.CreateMul(B.CreateSExt(By, Wide), Times), *Zero = Constant::getNullValue(Wide);
  Value *Down = SE.isKnownNonNegative(Step) ? Zero : B.CreateBinaryIntrinsic(Intrinsic::smin, Moved, Zero);
  Value *Up = SE.isKnownNonPositive(Step) ? Zero : B.CreateBinaryIntrinsic(Intrinsic::smax, Moved, Zero);
  return Range{B.CreateAdd(Start->Low, Down), B.CreateAdd(Start->High, Up)};
}

// Where an expression is computed in fewer bits, the range is that of a number equal to it modulo the type's size.
std::optional<Range> Tester::rangeOf(const SCEV *S, unsigned Factors) {
  if (++Parts > MaxParts || !S->getType()->isIntegerTy() || SE.getTypeSizeInBits(S->getType()) > 64)
    return std::nullopt;
  if (SE.isLoopInvariant(S, &L)) {
    Value *V = expand(S);
    return V ? std::optional(Range{B.CreateSExt(V, Wide), B.CreateSExt(V, Wide)}) : std::nullopt;
  }
  if (auto *Counter = dyn_cast<SCEVAddRecExpr>(S))
    return rangeOf(*Counter, Factors);
  if (auto *Sum = dyn_cast<SCEVAddExpr>(S)) {
    Range R{Constant::getNullValue(Wide), Constant::getNullValue(Wide)};
    for (const SCEV *Part : Sum->operands()) {
      auto Of = rangeOf(Part, Factors);
      if (!Of)
        return std::nullopt;
      R = {B.CreateAdd(R.Low, Of->Low), B.CreateAdd(R.High, Of->High)};
    }
    return R;
  }
  if (auto *Product = dyn_cast<SCEVMulExpr>(S)) {
    auto *Factor = dyn_cast<SCEVConstant>(Product->getOperand(0));
    if (!Factor || Product->getNumOperands() != 2 || Factors == MaxFactors || Factor->getAPInt().getSignificantBits() > FactorBits)
      return std::nullopt;
    auto Of = rangeOf(Product->getOperand(1), Factors + 1);
    if (!Of)
      return std::nullopt;
    Value *By = number(Factor->getAPInt().sext(128));
    Range R{B.CreateMul(Of->Low, By), B.CreateMul(Of->High, By)};
    return Factor->getAPInt().isNegative() ? Range{R.High, R.Low} : R;
  }
  bool IsSigned = isa<SCEVSignExtendExpr>(S);
  if (!IsSigned && !isa<SCEVZeroExtendExpr>(S))
    return std::nullopt;
  const SCEV *Inner = cast<SCEVCastExpr>(S)->getOperand();
  auto Of = rangeOf(Inner, Factors);
  unsigned Bits = SE.getTypeSizeInBits(Inner->getType());
  if (!Of)
    return std::nullopt;
  if (IsSigned)
    requireIn(*Of, APInt::getSignedMinValue(Bits).sext(128), APInt::getSignedMaxValue(Bits).sext(128));
  else
    requireIn(*Of, APInt::getZero(128), APInt::getMaxValue(Bits).zext(128));
  return Of;
}

// From the lowest byte that the store writes to behind the highest, and the pointer that it counts from.
std::optional<Range> Tester::rangeOf(StoreInst &Store, Value *&Base) {
  const SCEV *Address = SE.getSCEV(Store.getPointerOperand());
  auto *From = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!From || !SE.isLoopInvariant(From, &L))
    return std::nullopt;
  Base = From->getValue();
  auto R = rangeOf(SE.removePointerBase(Address), 0);
  if (!R)
    return std::nullopt;
  uint64_t Bytes = L.getHeader()->getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType()).getFixedValue();
  Value *Start = B.CreateZExt(B.CreatePtrToInt(Base, B.getInt64Ty()), Wide);
  R = Range{B.CreateAdd(Start, R->Low), B.CreateAdd(B.CreateAdd(Start, R->High), number(APInt(128, Bytes)))};
  requireIn(*R, APInt::getZero(128), APInt::getOneBitSet(128, 64));
  return R;
}

// Whether no byte that the stores write is one of what is assumed to stay; null where that cannot be told.
Value *Tester::test(const PolyrsFixed &Fixed) {
  MapVector<Value *, Range> Stored;
  for (StoreInst *Store : Fixed.Stores) {
    Value *Base = nullptr;
    auto R = rangeOf(*Store, Base);
    if (!R)
      return nullptr;
    auto [Known, IsNew] = Stored.insert({Base, *R});
    if (!IsNew)
      Known->second = {B.CreateBinaryIntrinsic(Intrinsic::smin, Known->second.Low, R->Low),
                       B.CreateBinaryIntrinsic(Intrinsic::smax, Known->second.High, R->High)};
  }
  for (auto &[Pointer, Extent] : Fixed.Extents) {
    Value *Start = B.CreateZExt(B.CreatePtrToInt(Pointer, B.getInt64Ty()), Wide);
    Value *Low = B.CreateAdd(Start, number(APInt(128, Extent.first, /*isSigned=*/true)));
    Value *High = B.CreateAdd(Start, number(APInt(128, Extent.second, /*isSigned=*/true)));
    for (auto &[Base, R] : Stored)
      require(B.CreateOr(B.CreateICmpSLE(R.High, Low), B.CreateICmpSLE(High, R.Low)));
  }
  return All;
}

// Whether an outermost loop around others does nothing but load, compute and store, and reads sizes or pointers at
// fixed distances from pointers that do not change, which stores in it may change for all that alias analysis knows.
bool isWorthACopy(Loop &L, AAResults &AA) {
  if (L.isInnermost() || !L.isLoopSimplifyForm() || !L.getExitingBlock() || L.getExitingBlock() != L.getLoopLatch() ||
      !L.getExitBlock() || !L.isSafeToClone())
    return false;
  unsigned Instructions = 0;
  SmallVector<StoreInst *, MaxStores> Stores;
  SmallVector<LoadInst *, 16> Loads;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      if (++Instructions > MaxInstructions)
        return false;
      auto *Store = dyn_cast<StoreInst>(&I);
      if ((I.mayHaveSideEffects() && !Store) || (Store && (!Store->isSimple() || Stores.size() == MaxStores)))
        return false;
      if (Store)
        Stores.push_back(Store);
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Loads.push_back(Load);
    }
  for (Loop *Inner : L.getLoopsInPreorder())
    if (!Inner->getExitingBlock() || Inner->getExitingBlock() != Inner->getLoopLatch())
      return false;
  auto MayChange = [&](LoadInst *Load) {
    APInt Offset(64, 0);
    const DataLayout &DL = Load->getDataLayout();
    const Value *Base = Load->getPointerOperand()->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    return L.isLoopInvariant(Base) && polyrsIsIndexLoad(*Load) &&
           any_of(Stores, [&](StoreInst *S) { return isModSet(AA.getModRefInfo(S, MemoryLocation::get(Load))); });
  };
  return any_of(Loads, MayChange);
}

} // namespace

bool polyrsFixSizes(Function &F, FunctionAnalysisManager &FAM) {
  if (F.hasFnAttribute(PolyrsNoTurns) || F.getDataLayout().getPointerSizeInBits() != 64)
    return false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  SmallVector<Loop *, 4> Found;
  copy_if(LI, std::back_inserter(Found), [&](Loop *L) { return isWorthACopy(*L, AA); });
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Loop *L : Found) {
    BasicBlock *Check = L->getLoopPreheader();
    Loop *Other = polyrsVersionLoop(*L, ConstantInt::getTrue(F.getContext()), DT, LI, SE);
    PolyrsFixed Fixed{*L, {}, {}};
    polyrsHoistAssuming(F, FAM, Fixed);
    SE.forgetLoop(L);
    bool IsSmall = !Fixed.Extents.empty() && Fixed.Extents.size() <= MaxPointers;
    Value *Holds = IsSmall ? Tester(*L, SE).test(Fixed) : nullptr;
    auto *Branch = cast<BranchInst>(Check->getTerminator());
    if (!Holds) {
      Branch->setCondition(ConstantInt::getFalse(F.getContext()));
      continue;
    }
    // What is loaded stands between the branch and the loop: the branch moves behind it.
    BasicBlock *Start = Branch->getSuccessor(0), *Behind = L->getLoopPreheader();
    SplitBlock(Behind, Behind->getTerminator()->getIterator(), &DT, &LI);
    Behind->getTerminator()->eraseFromParent();
    BranchInst::Create(L->getLoopPreheader(), Other->getLoopPreheader(), Holds, Behind);
    for (PHINode &Phi : Other->getLoopPreheader()->phis())
      Phi.replaceIncomingBlockWith(Check, Behind);
    Branch->eraseFromParent();
    BranchInst::Create(Start, Check);
    DT.recalculate(F);
    SE.forgetLoop(L);
    addStringMetadataToLoop(L, PolyrsTurns, 1);
    addStringMetadataToLoop(L, PolyrsSizes, 1);
  }
  return !Found.empty();
}
