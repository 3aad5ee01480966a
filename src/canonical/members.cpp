// Keeps in registers what time loops hand around in memory: `t = s->a; s->a = s->b; s->b = t` behind a stencil, two
// vectors that `std::swap` exchanges, a number of a plane that is a member.
//
// A location that an outermost loop writes in each iteration, and that nothing else in the loop touches, as alias
// analysis and types prove, is loaded before the loop, is a header phi in it, and is stored behind it: what hands it
// around is then seen by swaps.cpp. Where two locations are apart only if two pointers of the program lead to different
// objects, as those of two vectors that are parameters, that is asked before the loop, with a copy of the loop as the
// other branch.

#include "canonical/canonical.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// Most accesses of a loop that is looked at, most locations kept in registers, most pointers compared.
constexpr unsigned MaxAccesses = 256;
constexpr unsigned MaxLocations = 16;
constexpr unsigned MaxPointers = 3;
// Places are no further from their pointer than what never lies at the end of the address space: comparisons do not
// wrap.
constexpr unsigned MaxOffsetBits = 12;

// Bytes at a distance from a pointer that does not change in the loop, and the instructions that touch just them.
struct Place {
  Value *Base;
  int64_t Offset;
  Type *Ty;
  SmallVector<Instruction *, 8> Accesses;
  StoreInst *Store = nullptr;
  bool IsKept = false;
};

class Keeper {
public:
  Keeper(Function &F, FunctionAnalysisManager &FAM)
      : DL(F.getDataLayout()), DT(FAM.getResult<DominatorTreeAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), AA(FAM.getResult<AAManager>(F)) {}

  bool run(Loop &Of);

private:
  bool collect();
  bool takesPlace(Instruction &I);
  bool findApart();
  bool isApart(Instruction &Other, const Place &P);
  Value *comparison(Instruction *At) const;
  void keep(Place &P);
  void settle(Place &P);

  const DataLayout &DL;
  DominatorTree &DT;
  LoopInfo &LI;
  ScalarEvolution &SE;
  AAResults &AA;
  Loop *L = nullptr;
  SmallVector<Place, 8> Places;
  SmallVector<Instruction *, 32> Others;
  // Pointers that have to lead to different objects.
  SmallSetVector<Value *, 4> Compared;
};

// The bytes around a pointer that its places take, from the lowest to behind the highest.
std::pair<int64_t, int64_t> extentOf(const Value *Base, ArrayRef<Place> Places, const DataLayout &DL) {
  int64_t Low = INT64_MAX, High = INT64_MIN;
  for (const Place &P : Places)
    if (P.Base == Base) {
      Low = std::min(Low, P.Offset);
      High = std::max(High, P.Offset + int64_t(DL.getTypeStoreSize(P.Ty).getFixedValue()));
    }
  return {Low, High};
}

// Counts the access among those of its place, if it has one: a pointer or a number at a fixed distance from a pointer
// that comes from outside.
bool Keeper::takesPlace(Instruction &I) {
  Value *Pointer = getLoadStorePointerOperand(&I);
  Type *Ty = Pointer ? getLoadStoreType(&I) : nullptr;
  if (!Pointer || I.isVolatile() || I.isAtomic() || !Ty->isIntOrPtrTy() || DL.getTypeSizeInBits(Ty) > 64 ||
      DL.getTypeSizeInBits(Ty) != DL.getTypeStoreSizeInBits(Ty))
    return false;
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Value *Base = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  if (!L->isLoopInvariant(Base) || Offset.getSignificantBits() > MaxOffsetBits)
    return false;
  auto *Known = find_if(Places, [&](const Place &P) { return P.Base == Base && P.Offset == Offset.getSExtValue() && P.Ty == Ty; });
  if (Known == Places.end()) {
    Places.push_back({Base, Offset.getSExtValue(), Ty, {}});
    Known = &Places.back();
  }
  Known->Accesses.push_back(&I);
  return true;
}

// Finds the places that the loop writes in each iteration, and all else that touches memory. False if there are none,
// or it is too much.
bool Keeper::collect() {
  SimpleLoopSafetyInfo Safety;
  Safety.computeLoopSafetyInfo(L);
  for (BasicBlock *BB : L->blocks())
    for (Instruction &I : *BB)
      if (I.mayReadOrWriteMemory() && !takesPlace(I))
        Others.push_back(&I);
  for (Place &P : Places)
    for (Instruction *I : P.Accesses)
      if (auto *Store = dyn_cast<StoreInst>(I); Store && LI.getLoopFor(Store->getParent()) == L && Safety.isGuaranteedToExecute(*Store, &DT, L))
        P.Store = Store;
  unsigned Accesses = Others.size();
  for (const Place &P : Places)
    Accesses += P.Accesses.size();
  return any_of(Places, [](const Place &P) { return P.Store; }) && Accesses <= MaxAccesses && Places.size() <= MaxLocations;
}

// Whether an instruction surely does not touch the place: what is true of its store, which runs in each iteration, is
// true of the bytes, whatever its loads say of their types.
bool Keeper::isApart(Instruction &Other, const Place &P) {
  MemoryLocation Location = MemoryLocation::get(P.Store);
  // Scopes of inlined functions hold for one call, and the loop may have many.
  Location.AATags.Scope = Location.AATags.NoAlias = nullptr;
  return !isModOrRefSet(AA.getModRefInfo(&Other, Location));
}

// Whether what is stored is one less, or the other bit than, what is loaded from there: the number of a plane.
bool isPlaneNumber(const StoreInst &Store) {
  auto *Next = dyn_cast<BinaryOperator>(Store.getValueOperand());
  return Next && (match(Next, m_Sub(m_One(), m_Load(m_Value()))) || match(Next, m_Xor(m_Load(m_Value()), m_One())));
}

// Tells which places nothing else touches. False if none of them is handed around.
bool Keeper::findApart() {
  SmallVector<bool, 8> Keeps(Places.size());
  for (auto [P, Keep] : zip(Places, Keeps)) {
    Keep = P.Store && all_of(Others, [&](Instruction *I) { return isApart(*I, P); });
    for (const Place &Q : Places) {
      if (!Keep || &P == &Q || all_of(Q.Accesses, [&](Instruction *I) { return isApart(*I, P); }))
        continue;
      // Of one object they overlap.
      Keep = P.Base != Q.Base;
      Compared.insert(P.Base);
      Compared.insert(Q.Base);
    }
  }
  if (Compared.size() > MaxPointers)
    return false;
  for (auto [P, Keep] : zip(Places, Keeps))
    P.IsKept = Keep && (P.Ty->isPointerTy() || isPlaneNumber(*P.Store));
  unsigned Pointers = count_if(Places, [](const Place &P) { return P.IsKept && P.Ty->isPointerTy(); });
  return Pointers > 1 || any_of(Places, [](const Place &P) { return P.IsKept && P.Ty->isIntegerTy(); });
}

// Whether the objects that the pointers lead to are apart, as far as the loop looks into them.
Value *Keeper::comparison(Instruction *At) const {
  IRBuilder<> B(At);
  Value *All = B.getTrue();
  for (unsigned I = 0; I < Compared.size(); ++I)
    for (unsigned J = 0; J < I; ++J) {
      auto [LowA, HighA] = extentOf(Compared[I], Places, DL);
      auto [LowB, HighB] = extentOf(Compared[J], Places, DL);
      auto *Number = DL.getIntPtrType(At->getContext());
      Value *A = B.CreatePtrToInt(Compared[I], Number), *C = B.CreatePtrToInt(Compared[J], Number);
      auto Plus = [&](Value *V, int64_t By) { return B.CreateAdd(V, ConstantInt::getSigned(Number, By)); };
      Value *Before = B.CreateICmpULE(Plus(A, HighA), Plus(C, LowB)), *Behind = B.CreateICmpULE(Plus(C, HighB), Plus(A, LowA));
      All = B.CreateAnd(All, B.CreateOr(Before, Behind));
    }
  return All;
}

// A place that is loaded before the loop and stored behind it.
struct Promoter : LoadAndStorePromoter {
  Promoter(ArrayRef<const Instruction *> Accesses, SSAUpdater &SSA, const StoreInst &Like, Value *Address, BasicBlock *Exit)
      : LoadAndStorePromoter(Accesses, SSA), Like(Like), Address(Address), Exit(Exit) {}
  void doExtraRewritesBeforeFinalDeletion() override {
    auto *Store = new StoreInst(SSA.GetValueInMiddleOfBlock(Exit), Address, false, Like.getAlign(), Exit->getFirstInsertionPt());
    Store->setMetadata(LLVMContext::MD_tbaa, Like.getMetadata(LLVMContext::MD_tbaa));
    Store->setDebugLoc(Like.getDebugLoc());
  }
  const StoreInst &Like;
  Value *Address;
  BasicBlock *Exit;
};

// Loads that moved out of inner loops under the condition that these run have a value that stands for them elsewhere:
// what that is nobody asks. It is loaded, too, before all loads go.
void Keeper::settle(Place &P) {
  SmallSetVector<PHINode *, 4> Stand;
  for (Instruction *I : P.Accesses)
    for (User *U : I->users())
      if (auto *Phi = dyn_cast<PHINode>(U); Phi && isa<LoadInst>(I) && Phi->hasMetadata(PolyrsHoisted) && L->contains(Phi))
        Stand.insert(Phi);
  for (PHINode *Phi : Stand) {
    auto *Load = new LoadInst(P.Ty, PoisonValue::get(P.Store->getPointerOperandType()), "", Phi->getParent()->getFirstInsertionPt());
    Phi->replaceAllUsesWith(Load);
    Phi->eraseFromParent();
    P.Accesses.push_back(Load);
  }
}

void Keeper::keep(Place &P) {
  settle(P);
  IRBuilder<> B(L->getLoopPreheader()->getTerminator());
  Value *Address = B.CreatePtrAdd(P.Base, B.getInt64(P.Offset));
  LoadInst *First = B.CreateAlignedLoad(P.Ty, Address, P.Store->getAlign());
  First->setMetadata(LLVMContext::MD_tbaa, P.Store->getMetadata(LLVMContext::MD_tbaa));
  SSAUpdater SSA;
  SmallVector<Instruction *, 8> Accesses(P.Accesses);
  Promoter Made(ArrayRef<const Instruction *>(Accesses.begin(), Accesses.end()), SSA, *P.Store, Address, L->getExitBlock());
  SSA.AddAvailableValue(L->getLoopPreheader(), First);
  Made.run(Accesses);
}

bool Keeper::run(Loop &Of) {
  L = &Of;
  if (Of.isInnermost() || !Of.isLoopSimplifyForm() || !Of.getExitingBlock() || Of.getExitingBlock() != Of.getLoopLatch() ||
      !Of.getExitBlock() || !Of.isSafeToClone() || !collect())
    return false;
  if (!findApart())
    return false;
  if (!Compared.empty())
    polyrsVersionLoop(*L, comparison(L->getLoopPreheader()->getTerminator()), DT, LI, SE);
  for (Place &P : Places)
    if (P.IsKept)
      keep(P);
  addStringMetadataToLoop(L, PolyrsTurns, 1);
  return true;
}

} // namespace

Loop *polyrsVersionLoop(Loop &L, Value *Condition, DominatorTree &DT, LoopInfo &LI, ScalarEvolution &SE) {
  BasicBlock *Check = L.getLoopPreheader(), *Exit = L.getExitBlock();
  formLCSSARecursively(L, DT, &LI, &SE);
  SplitBlock(Check, Check->getTerminator()->getIterator(), &DT, &LI);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Other = cloneLoopWithPreheader(Exit, Check, &L, Map, ".met", &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Check->getTerminator()->eraseFromParent();
  BranchInst::Create(L.getLoopPreheader(), Other->getLoopPreheader(), Condition, Check);
  for (PHINode &Phi : Exit->phis())
    for (unsigned K = 0, E = Phi.getNumIncomingValues(); K < E; ++K) {
      Value *V = Phi.getIncomingValue(K);
      auto Copy = Map.find(V);
      Phi.addIncoming(Copy == Map.end() ? V : static_cast<Value *>(Copy->second), cast<BasicBlock>(Map[Phi.getIncomingBlock(K)]));
    }
  DT.recalculate(*Check->getParent());
  formDedicatedExitBlocks(&L, &DT, &LI, nullptr, /*PreserveLCSSA=*/true);
  SE.forgetLoop(&L);
  return Other;
}

bool polyrsKeepTurns(Function &F, FunctionAnalysisManager &FAM) {
  if (F.hasFnAttribute(PolyrsNoTurns))
    return false;
  bool Changed = false;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  SmallVector<Loop *, 4> Outermost(LI.begin(), LI.end());
  for (Loop *L : Outermost)
    Changed |= Keeper(F, FAM).run(*L);
  return Changed;
}
