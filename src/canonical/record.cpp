// What LLVM's passes change in place outside of the function that they run on, and how it is taken back.
//
// A clone that is dropped must leave the module as it was, byte for byte when printed. New functions and globals are
// removed with it; what was there before may have been changed: alignments of globals are raised, attributes of library
// functions inferred. All of them are recorded once, before the first clone of the module; a clone that goes takes back
// only what it uses, so that its cost does not grow with the rest of the module. What a dropped clone changed and no
// longer used at its end is found by one more look at the end of the module, and stays only where something else was
// transformed: both changes are true of any program.

#include "canonical/canonical.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace {

// Calls `Visit` with every global object that an instruction of `F` names, itself or inside of constant expressions,
// each once.
template <typename Callback> void visitUsed(const Function &F, Callback Visit) {
  SmallPtrSet<const Constant *, 16> Seen;
  SmallVector<const Constant *, 16> Work;
  auto Add = [&](const Value *V) {
    auto *C = dyn_cast<Constant>(V);
    if (C && !isa<ConstantData>(C) && Seen.insert(C).second)
      Work.push_back(C);
  };
  for (const Instruction &I : instructions(F))
    for (const Value *Op : I.operand_values())
      Add(Op);
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (auto *G = dyn_cast<GlobalObject>(C))
      Visit(*const_cast<GlobalObject *>(G));
    else
      for (const Value *Op : C->operand_values())
        Add(Op);
  }
}

void restore(GlobalVariable &G, MaybeAlign Alignment) {
  if (G.getAlign() != Alignment)
    G.setAlignment(Alignment);
}

void restore(Function &F, AttributeList Attributes) {
  if (F.getAttributes() != Attributes)
    F.setAttributes(Attributes);
}

} // namespace

void polyrsRecordModule(PolyrsModule &M) {
  if (M.IsRecorded)
    return;
  M.IsRecorded = true;
  for (GlobalVariable &G : M.M.globals())
    if (!G.isDeclaration())
      M.Alignments[&G] = G.getAlign();
  for (Function &F : M.M)
    if (F.isDeclaration())
      M.Attributes[&F] = F.getAttributes();
  M.Work.Recorded += M.Alignments.size() + M.Attributes.size();
}

void polyrsRestoreUsed(PolyrsClone &C) {
  PolyrsModule &M = C.Module;
  visitUsed(*C.Clone, [&](GlobalObject &Object) {
    if (auto *G = dyn_cast<GlobalVariable>(&Object)) {
      if (auto It = M.Alignments.find(G); It != M.Alignments.end())
        restore(*G, It->second);
    } else if (auto *F = dyn_cast<Function>(&Object)) {
      if (auto It = M.Attributes.find(F); It != M.Attributes.end())
        restore(*F, It->second);
    }
  });
}

void polyrsKeepUsed(PolyrsClone &C) {
  PolyrsModule &M = C.Module;
  M.HasNewCode = true;
  visitUsed(*C.Clone, [&](GlobalObject &Object) {
    if (auto *G = dyn_cast<GlobalVariable>(&Object)) {
      if (auto It = M.Alignments.find(G); It != M.Alignments.end())
        It->second = G->getAlign();
    } else if (auto *F = dyn_cast<Function>(&Object)) {
      if (auto It = M.Attributes.find(F); It != M.Attributes.end())
        It->second = F->getAttributes();
    }
  });
}

void polyrsRestoreModule(PolyrsModule &M) {
  if (!M.IsRecorded || M.HasNewCode)
    return;
  for (auto &[G, Alignment] : M.Alignments)
    restore(*G, Alignment);
  for (auto &[F, Attributes] : M.Attributes)
    restore(*F, Attributes);
}
