// Takes back what store-to-load forwarding does across blocks.
//
// A value that a block gets from the block before it in a register ties the two together for every schedule; the same
// value read from the element where it was just stored (or from where it was loaded) does not. Runs on clones only:
// where nothing is transformed nobody sees the loads, and where something is, later passes forward them again.

#include "canonical/canonical.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace {

// Bounds on the search for the access that has the value.
constexpr unsigned MaxScanned = 64;
constexpr unsigned MaxClobbers = 4;
constexpr unsigned MaxConditions = 16;

// Values that scalar evolution will not understand: all else is recomputed where it is needed, and what indices are
// made of is a parameter.
bool isOpaque(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V); Load && polyrsIsIndexLoad(*Load))
    return false;
  if (V->getType()->isFloatingPointTy())
    return isa<Instruction>(V);
  return V->getType()->isIntegerTy() && (isa<LoadInst>(V) || isa<SelectInst>(V) || isa<MinMaxIntrinsic>(V));
}

// Follows phis with one incoming value.
Value *source(Value *V) {
  while (auto *P = dyn_cast<PHINode>(V)) {
    if (P->getNumIncomingValues() != 1)
      break;
    V = P->getIncomingValue(0);
  }
  return V;
}

// The simple load that made `V`, or a simple store of it, that ends the path of single predecessors into `BB` and whose
// element nothing on that path writes again; null if there is none.
Instruction *accessBefore(BasicBlock &BB, Value *V, AAResults &AA) {
  SmallVector<Instruction *, MaxClobbers> Clobbers;
  unsigned Scanned = 0;
  for (BasicBlock *At = BB.getSinglePredecessor(); At && At != &BB; At = At->getSinglePredecessor()) {
    for (Instruction &I : reverse(*At)) {
      if (++Scanned > MaxScanned)
        return nullptr;
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if ((Load && Load == V && Load->isSimple()) || (Store && Store->getValueOperand() == V && Store->isSimple())) {
        MemoryLocation Element = MemoryLocation::get(&I);
        bool Kept = none_of(Clobbers, [&](Instruction *C) { return isModSet(AA.getModRefInfo(C, Element)); });
        return Kept ? &I : nullptr;
      }
      if (&I == V)
        return nullptr;
      if (I.mayWriteToMemory()) {
        if (Clobbers.size() == MaxClobbers)
          return nullptr;
        Clobbers.push_back(&I);
      }
    }
  }
  return nullptr;
}

Value *reload(BasicBlock &BB, Instruction &Access) {
  auto *Pointer = getLoadStorePointerOperand(&Access);
  auto *New = new LoadInst(getLoadStoreType(&Access), Pointer, "reload", false, getLoadStoreAlignment(&Access),
                           BB.getFirstInsertionPt());
  New->setAAMetadata(Access.getAAMetadata());
  New->setDebugLoc(Access.getDebugLoc());
  return New;
}

// Whether a condition is made of what is read in its block.
bool isOfData(const Instruction &Condition) {
  SmallVector<const Instruction *, MaxConditions> Work{&Condition};
  for (unsigned Seen = 0; !Work.empty() && Seen < MaxConditions; ++Seen) {
    const Instruction *I = Work.pop_back_val();
    if (I->getParent() != Condition.getParent() || isa<PHINode>(I))
      continue;
    if (auto *Load = dyn_cast<LoadInst>(I); Load && !polyrsIsIndexLoad(*Load))
      return true;
    for (const Value *Op : I->operands())
      if (auto *Of = dyn_cast<Instruction>(Op))
        Work.push_back(Of);
  }
  return false;
}

// Whether a branch on data decides if the block runs, and no loop begins behind it: the block becomes a part of the
// one with the branch, and has its values.
bool isArm(const BasicBlock &BB, const LoopInfo &LI) {
  auto *Branch = dyn_cast<BranchInst>(BB.getSinglePredecessor()->getTerminator());
  auto *Condition = Branch && Branch->isConditional() ? dyn_cast<Instruction>(Branch->getCondition()) : nullptr;
  const Loop *Own = LI.getLoopFor(&BB);
  return Condition && isOfData(*Condition) && Own && Own == LI.getLoopFor(Branch->getParent()) &&
         all_of(successors(&BB), [&](const BasicBlock *Next) { return LI.getLoopFor(Next) == Own; });
}

bool reloadIn(BasicBlock &BB, AAResults &AA, const LoopInfo &LI) {
  if (!BB.getSinglePredecessor() || isArm(BB, LI))
    return false;
  SmallSetVector<Value *, 8> Wanted;
  for (Instruction &I : BB) {
    if (isa<PHINode>(I))
      continue;
    for (Value *Op : I.operands()) {
      Value *From = source(Op);
      if (isOpaque(From) && cast<Instruction>(From)->getParent() != &BB)
        Wanted.insert(Op);
    }
  }
  bool Changed = false;
  for (Value *Op : Wanted) {
    Instruction *Access = accessBefore(BB, source(Op), AA);
    if (!Access)
      continue;
    Value *New = reload(BB, *Access);
    Op->replaceUsesWithIf(New, [&](Use &U) {
      auto *User = cast<Instruction>(U.getUser());
      return User->getParent() == &BB && !isa<PHINode>(User) && User != New;
    });
    Changed = true;
  }
  return Changed;
}

} // namespace

// True if the function changed; the control flow does not.
bool polyrsReloadValues(Function &F, AAResults &AA, const LoopInfo &LI) {
  bool Changed = false;
  ReversePostOrderTraversal<Function *> Order(&F);
  for (BasicBlock *BB : Order)
    Changed |= reloadIn(*BB, AA, LI);
  return Changed;
}
