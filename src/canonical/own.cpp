// Reads pointers of the module's own once: `static double *a;` that `main` lets point to memory, and other functions
// only read.
//
// Each nest reads such a pointer for itself, in front of its loops. As values these reads are different arrays, and
// whether they overlap cannot be tested: they do. In a function that does not change the pointer all of them are one,
// which is read where the function begins: a variable of the module's own can be read at any time. Behind a condition
// it would be a phi, and alias analysis would not know where it comes from. Runs on clones only.

#include "canonical/canonical.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

// Pointers beyond which no more are looked at.
constexpr size_t MaxOwn = 64;
// Calls from one to the next initializer that are followed.
constexpr unsigned MaxDepth = 3;

using Reads = SmallVector<LoadInst *, 4>;

MapVector<GlobalVariable *, Reads> readsOf(Function &F) {
  MapVector<GlobalVariable *, Reads> Found;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && Load->getType()->isPointerTy())
      if (auto *Own = dyn_cast<GlobalVariable>(Load->getPointerOperand()); Own && Own->hasLocalLinkage())
        if (Own->getValueType()->isPointerTy() && !Own->isThreadLocal())
          Found[Own].push_back(Load);
  return Found;
}

// Whether a function runs before `main` only: nothing but the list of initializers leads to it.
bool runsAtStart(const Function &F, unsigned Depth = 0) {
  auto IsFromStart = [&](const User *U) {
    if (auto *Call = dyn_cast<CallBase>(U))
      return Depth < MaxDepth && Call->getCalledFunction() == &F && runsAtStart(*Call->getFunction(), Depth + 1);
    return isa<ConstantStruct>(U) && all_of(U->users(), [](const User *List) {
             return isa<ConstantArray>(List) && all_of(List->users(), [](const User *G) {
                      auto *Global = dyn_cast<GlobalVariable>(G);
                      return Global && Global->getName() == "llvm.global_ctors";
                    });
           });
  };
  return F.hasLocalLinkage() && !F.use_empty() && all_of(F.users(), IsFromStart);
}

// Whether no call of a function that runs later changes a pointer.
bool isSetAtStart(const GlobalVariable &Own) {
  return all_of(Own.users(), [&](const User *U) {
    auto *Store = dyn_cast<StoreInst>(U);
    return isa<LoadInst>(U) ||
           (Store && Store->getPointerOperand() == &Own && runsAtStart(*Store->getFunction()));
  });
}

// One read where the function begins instead of all of these.
LoadInst &once(Function &F, const Reads &Loads) {
  auto *Once = cast<LoadInst>(Loads.front()->clone());
  auto HasType = [&](const LoadInst *Load) { return Load->getMetadata(LLVMContext::MD_tbaa); };
  bool IsTyped = all_equal(map_range(Loads, HasType));
  Once->dropUnknownNonDebugMetadata(IsTyped ? ArrayRef<unsigned>(LLVMContext::MD_tbaa) : ArrayRef<unsigned>());
  Once->setDebugLoc(DebugLoc());
  Once->insertBefore(F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (LoadInst *Load : Loads) {
    Load->replaceAllUsesWith(Once);
    Load->eraseFromParent();
  }
  return *Once;
}

} // namespace

bool polyrsReadOnce(Function &F, AAResults &AA) {
  MapVector<GlobalVariable *, Reads> Found = readsOf(F);
  if (Found.empty() || Found.size() > MaxOwn)
    return false;
  BatchAAResults Batch(AA);
  SmallPtrSet<const GlobalVariable *, 8> AtStart;
  if (!runsAtStart(F))
    for (const auto &[Own, Loads] : Found)
      if (isSetAtStart(*Own))
        AtStart.insert(Own);
  for (Instruction &I : instructions(F))
    if (I.mayWriteToMemory())
      Found.remove_if([&](const auto &Own) {
        bool IsLater = isa<CallBase>(I) && AtStart.contains(Own.first);
        return !IsLater && isModSet(Batch.getModRefInfo(&I, MemoryLocation::get(Own.second.front())));
      });
  for (auto &[Own, Loads] : Found)
    once(F, Loads).setMetadata(PolyrsSteady, MDNode::get(F.getContext(), {}));
  return !Found.empty();
}
