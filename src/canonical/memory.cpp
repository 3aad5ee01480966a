// Makes loops of memset, memcpy and memmove in loops: elements stored one by one are accesses like any other.
//
// An element is of the type that the function's other accesses to the same array have, so that both see the same
// elements; nothing is done where there is none, or where the length may be no multiple of its size. Assumes nothing.
// Runs on clones only; LLVM recognizes such loops later, where they are still alone.

#include "canonical/canonical.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

// Most calls in one function that become loops.
constexpr unsigned MaxExpanded = 32;

// In which order elements may be stored one by one.
enum class Order { Up, Down };

// A call with the type of the elements that it becomes accesses of.
struct Expanded {
  MemIntrinsic *Call;
  Type *Element;
  Order First;
};

// What the accesses of one array are of; null where they differ.
using Types = MapVector<const Value *, Type *>;

Types accessedTypes(const Function &F) {
  Types Found;
  for (const Instruction &I : instructions(F))
    if (const Value *Pointer = getLoadStorePointerOperand(&I)) {
      Type *T = getLoadStoreType(&I);
      auto [It, New] = Found.try_emplace(getUnderlyingObject(Pointer), T);
      if (!New && It->second != T)
        It->second = nullptr;
    }
  return Found;
}

// The type of the elements of the arrays that the call touches; null where it is not known.
Type *elementOf(const MemIntrinsic &Call, const Types &Accessed, ScalarEvolution &SE, const DataLayout &DL) {
  Type *T = Accessed.lookup(getUnderlyingObject(Call.getDest()));
  if (auto *Copy = dyn_cast<MemTransferInst>(&Call)) {
    Type *From = Accessed.lookup(getUnderlyingObject(Copy->getSource()));
    if (T && From && T != From)
      return nullptr;
    T = T ? T : From;
  }
  if (!T || !(T->isIntegerTy() || T->isFloatTy() || T->isDoubleTy()) || DL.getTypeSizeInBits(T) != 8 * DL.getTypeStoreSize(T))
    return nullptr;
  uint64_t Size = DL.getTypeStoreSize(T).getFixedValue();
  return SE.getConstantMultiple(SE.getSCEV(Call.getLength())).urem(Size) == 0 ? T : nullptr;
}

bool isWanted(const MemIntrinsic &Call) {
  if (Call.isVolatile() || Call.getDestAddressSpace() != 0 || !Call.getLength()->getType()->isIntegerTy(64))
    return false;
  if (auto *Set = dyn_cast<MemSetInst>(&Call))
    return isa<ConstantInt>(Set->getValue());
  auto *Copy = dyn_cast<MemTransferInst>(&Call);
  return Copy && (isa<MemCpyInst, MemMoveInst>(Copy)) && Copy->getSourceAddressSpace() == 0;
}

// The order in which no element is written before it is read; none where source and destination may overlap either way.
std::optional<Order> orderOf(const MemIntrinsic &Call, ScalarEvolution &SE, AAResults &AA) {
  auto *Move = dyn_cast<MemMoveInst>(&Call);
  if (!Move)
    return Order::Up;
  const SCEV *Dest = SE.getSCEV(Move->getDest()), *Source = SE.getSCEV(Move->getSource());
  if (SE.getPointerBase(Dest) == SE.getPointerBase(Source)) {
    const SCEV *Distance = SE.getMinusSCEV(Dest, Source);
    if (isa<SCEVCouldNotCompute>(Distance))
      return std::nullopt;
    if (SE.isKnownNonPositive(Distance))
      return Order::Up;
    if (SE.isKnownNonNegative(Distance))
      return Order::Down;
  }
  if (AA.isNoAlias(MemoryLocation::getForDest(Move), MemoryLocation::getForSource(Move)))
    return Order::Up;
  return std::nullopt;
}

// The loop `for (i = 0; i < length / size; i++) dest[i] = ..`, or the same from its end, in rotated form behind a test
// whether it runs at all.
void expand(const Expanded &E, const DataLayout &DL) {
  MemIntrinsic &Call = *E.Call;
  uint64_t Size = DL.getTypeStoreSize(E.Element).getFixedValue();
  IRBuilder<> B(&Call);
  Value *Count = B.CreateUDiv(Call.getLength(), B.getInt64(Size), "", /*isExact=*/true);
  Value *Runs = B.CreateICmpNE(Count, B.getInt64(0));
  Instruction *Then = SplitBlockAndInsertIfThen(Runs, Call.getIterator(), /*Unreachable=*/false);
  BasicBlock *Before = Then->getParent();
  BasicBlock *Body = SplitBlock(Before, Then->getIterator());
  BasicBlock *Behind = SplitBlock(Body, Body->getTerminator()->getIterator());
  B.SetInsertPoint(Body->getTerminator());
  B.SetCurrentDebugLocation(Call.getDebugLoc());
  PHINode *At = B.CreatePHI(B.getInt64Ty(), 2);
  At->addIncoming(B.getInt64(0), Before);
  Value *Index = At;
  if (E.First == Order::Down)
    Index = B.CreateNUWSub(B.CreateNUWSub(Count, B.getInt64(1)), At);
  auto Access = [&](Value *Base) { return B.CreateInBoundsGEP(E.Element, Base, Index); };
  Value *Stored;
  if (auto *Copy = dyn_cast<MemTransferInst>(&Call))
    Stored = B.CreateAlignedLoad(E.Element, Access(Copy->getSource()), commonAlignment(Copy->getSourceAlign().valueOrOne(), Size));
  else
    Stored = ConstantFoldLoadFromUniformValue(cast<ConstantInt>(cast<MemSetInst>(Call).getValue()), E.Element, DL);
  B.CreateAlignedStore(Stored, Access(Call.getDest()), commonAlignment(Call.getDestAlign().valueOrOne(), Size));
  Value *Next = B.CreateAdd(At, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  At->addIncoming(Next, Body);
  B.CreateCondBr(B.CreateICmpULT(Next, Count), Body, Behind);
  Body->getTerminator()->eraseFromParent();
  Call.eraseFromParent();
}

// Whether the byte of a memset gives elements of the type.
bool hasValue(const MemIntrinsic &Call, Type *T, const DataLayout &DL) {
  auto *Set = dyn_cast<MemSetInst>(&Call);
  return !Set || ConstantFoldLoadFromUniformValue(cast<ConstantInt>(Set->getValue()), T, DL);
}

} // namespace

bool polyrsExpandMemory(Function &F, const LoopInfo &LI, ScalarEvolution &SE, AAResults &AA) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<Expanded, 8> Found;
  SmallVector<MemIntrinsic *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<MemIntrinsic>(&I); Call && LI.getLoopFor(I.getParent()) && isWanted(*Call))
      Calls.push_back(Call);
  if (Calls.empty() || Calls.size() > MaxExpanded)
    return false;
  Types Accessed = accessedTypes(F);
  for (MemIntrinsic *Call : Calls)
    if (Type *T = elementOf(*Call, Accessed, SE, DL); T && hasValue(*Call, T, DL))
      if (std::optional<Order> First = orderOf(*Call, SE, AA))
        Found.push_back({Call, T, *First});
  for (const Expanded &E : Found)
    expand(E, DL);
  return !Found.empty();
}
