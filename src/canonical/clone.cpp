// The canonical clone: a private copy of a function in the form that scalar evolution reads best.
//
// Either the clone's body becomes the function's body (`polyrs_clone_commit`), or the clone goes (`polyrs_clone_drop`)
// and the module prints byte for byte as before, see also record.cpp. What a clone costs does not depend on the rest of
// the module.

#include "canonical/canonical.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace {

void eraseBody(Function &F) {
  for (BasicBlock &BB : F)
    BB.dropAllReferences();
  while (!F.empty())
    F.begin()->eraseFromParent();
}

void eraseFunction(Function &F) {
  eraseBody(F);
  if (!F.use_empty())
    F.replaceAllUsesWith(PoisonValue::get(F.getType()));
  F.eraseFromParent();
}

// Removes functions and globals made since the clone was; with `OnlyUnused` those that something uses stay.
void eraseNewGlobals(PolyrsClone &C, bool OnlyUnused) {
  Module &M = C.Module.M;
  SmallVector<Function *, 8> NewFunctions;
  for (Function &F : reverse(M)) {
    if (&F == C.LastFunction)
      break;
    if (&F != C.Clone)
      NewFunctions.push_back(&F);
  }
  SmallVector<GlobalVariable *, 8> NewGlobals;
  for (GlobalVariable &G : reverse(M.globals())) {
    if (&G == C.LastGlobal)
      break;
    NewGlobals.push_back(&G);
  }
  if (!OnlyUnused)
    for (Function *F : NewFunctions)
      eraseBody(*F);
  for (Function *F : NewFunctions)
    if (F->use_empty() || !OnlyUnused)
      eraseFunction(*F);
  for (GlobalVariable *G : NewGlobals)
    if (G->use_empty() || !OnlyUnused) {
      if (!G->use_empty())
        G->replaceAllUsesWith(PoisonValue::get(G->getType()));
      G->eraseFromParent();
    }
}

// What LLVM's inliner counts for an instruction, and in addition for a call.
constexpr int InstructionCost = 5, CallCost = 25;

// Simplification leaves one of so many instructions that test whether new code runs.
constexpr int Simplified = 2;

// What LLVM's inliner counts for the function, about.
int64_t inlineCost(Function &F, FunctionAnalysisManager &FAM) {
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  int64_t Cost = 0;
  for (Instruction &I : instructions(F)) {
    if (isa<PHINode, AllocaInst>(I) || TTI.getInstructionCost(&I, TargetTransformInfo::TCK_SizeAndLatency) == TargetTransformInfo::TCC_Free)
      continue;
    auto *Call = dyn_cast<CallBase>(&I);
    if (!isa<IntrinsicInst>(I))
      Cost += InstructionCost * (1 + (Call ? Call->arg_size() : 0)) + (Call ? CallCost : 0);
    else
      Cost += InstructionCost;
  }
  return Cost;
}

// Lets callers inline the function as they did before new code was called from it beside the original: they know sizes,
// and what they know decides which of the two runs. `Before`: what the inliner counted then.
void keepInlineCost(Function &F, int64_t Before, FunctionAnalysisManager &FAM) {
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->getCalledFunction() && Call->getCalledFunction()->hasFnAttribute(PolyrsVersioned))
      Calls.push_back(Call);
  if (Calls.empty())
    return;
  int64_t Own = 0;
  for (CallInst *Call : Calls)
    Own += CallCost + InstructionCost * (1 + Call->arg_size());
  int64_t Others = std::max<int64_t>(inlineCost(F, FAM) - Own - Before, 0);
  for (CallInst *Call : Calls)
    Call->addFnAttr(Attribute::get(F.getContext(), "call-inline-cost", std::to_string(-Others / Simplified / int64_t(Calls.size()))));
}

// Lends the original's debug subprogram to the clone: the verifier checks calls in functions with debug information
// only.
class BorrowedSubprogram {
  PolyrsClone &C;
  DISubprogram *SP;

public:
  explicit BorrowedSubprogram(PolyrsClone &C) : C(C), SP(C.Original->getSubprogram()) {
    C.Original->setSubprogram(nullptr);
    C.Clone->setSubprogram(SP);
  }
  ~BorrowedSubprogram() {
    C.Clone->setSubprogram(nullptr);
    C.Original->setSubprogram(SP);
  }
};

} // namespace

PolyrsClone polyrsCopy(PolyrsModule &M, Function &F, bool Turns) {
  PolyrsClone C{.Module = M, .Original = &F, .Clone = nullptr, .LastFunction = &*M.M.rbegin(), .LastGlobal = nullptr};
  if (!M.M.global_empty())
    C.LastGlobal = &*std::prev(M.M.global_end());
  C.Clone = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(), "polyrs.clone", &M.M);
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(F.args(), C.Clone->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionAttributesInto(C.Clone, &F, Map, /*ModuleLevelChanges=*/false);
  CloneFunctionBodyInto(*C.Clone, F, Map, RF_NoModuleLevelChanges, Returns);
  DenseMap<DIAssignID *, DIAssignID *> Assignments;
  for (Instruction &I : instructions(*C.Clone))
    at::remapAssignID(Assignments, I);
  C.Clone->setLinkage(GlobalValue::InternalLinkage);
  if (!Turns)
    C.Clone->addFnAttr(PolyrsNoTurns);
  polyrsPutConstants(C);
  polyrsRecordOutermost(C);
  polyrsInlineIntoLoops(C);
  polyrsSSAForm().run(*C.Clone, M.FAM);
  return C;
}

void polyrsErase(PolyrsClone &C) {
  C.Module.FAM.clear(*C.Clone, C.Clone->getName());
  eraseFunction(*C.Clone);
  C.Clone = nullptr;
  eraseNewGlobals(C, /*OnlyUnused=*/true);
}

// A copy of `F` in SSA form, which `polyrs_clone_complete` makes a canonical one. Owned by the caller: exactly one of
// `polyrs_clone_commit` and `polyrs_clone_drop` must follow. `Turns`: whether time loops may be unrolled until pointers
// that take turns have steps of their own.
POLYRS_EXPORT PolyrsClone *polyrs_clone_create(PolyrsModule *M, Function *F, bool Turns) {
  polyrsRecordModule(*M);
  ++M->Work.Clones;
  M->Work.Instructions += F->getInstructionCount();
  return new PolyrsClone(polyrsCopy(*M, *F, Turns));
}

// Makes the copy in SSA form a canonical one.
POLYRS_EXPORT void polyrs_clone_complete(PolyrsClone *C) {
  polyrsMarkLoops(*C);
  polyrsCanonicalization().run(*C->Clone, C->Module.FAM);
  ++C->Module.Work.Canonical;
}

// Remembers what the canonical copy is before new code is written into it. To be called once, if any is.
POLYRS_EXPORT void polyrs_clone_record(PolyrsClone *C) {
  polyrsRecordMarked(*C);
  C->InlineCost = inlineCost(*C->Clone, C->Module.FAM);
}

// Number of loops in the clone.
POLYRS_EXPORT size_t polyrs_clone_loops(PolyrsClone *C) {
  return C->Module.FAM.getResult<LoopAnalysis>(*C->Clone).getLoopsInPreorder().size();
}

POLYRS_EXPORT Function *polyrs_clone_original(PolyrsClone *C) { return C->Original; }
POLYRS_EXPORT Function *polyrs_clone_function(PolyrsClone *C) { return C->Clone; }
POLYRS_EXPORT FunctionAnalysisManager *polyrs_clone_analyses(PolyrsClone *C) { return &C->Module.FAM; }

// Runs LLVM's verifier on the clone and on functions made since; true if all are well-formed, else `Message` says what
// is not.
POLYRS_EXPORT bool polyrs_clone_verify(PolyrsClone *C, PolyrsText *Message) {
  BorrowedSubprogram Borrowed(*C);
  raw_string_ostream OS(Message->Text);
  bool Broken = false;
  for (Function &F : reverse(C->Module.M)) {
    if (&F == C->LastFunction)
      break;
    Broken |= verifyFunction(F, &OS);
  }
  return !Broken;
}

// The clone's IR as text.
POLYRS_EXPORT void polyrs_clone_print(PolyrsClone *C, PolyrsText *Out) {
  raw_string_ostream OS(Out->Text);
  C->Clone->print(OS);
}

// Takes back what was inferred of the old body's effects where the new one calls a run-time library.
static void forgetEffects(Function &F) {
  bool CallsOut = any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && !Call->hasFnAttr(Attribute::NoSync) && !Call->doesNotAccessMemory();
  });
  if (CallsOut)
    for (Attribute::AttrKind Kind : {Attribute::Memory, Attribute::NoSync, Attribute::NoFree})
      F.removeFnAttr(Kind);
}

// Gives `F`, which has the clone's body now, what inlining gave the clone beside its body.
static void takeOver(Function &F, const Function &Clone, ArrayRef<Function *> Inlined) {
  for (Function *Callee : Inlined)
    AttributeFuncs::mergeAttributesForInlining(F, *Callee);
  if (Clone.hasPersonalityFn())
    F.setPersonalityFn(Clone.getPersonalityFn());
  if (Clone.hasGC())
    F.setGC(Clone.getGC());
}

// The clone's body becomes the original's; everything else about the original stays but what the new body may not do.
// Frees `C`.
POLYRS_EXPORT void polyrs_clone_commit(PolyrsClone *C) {
  Function &F = *C->Original, &Clone = *C->Clone;
  FunctionAnalysisManager &FAM = C->Module.FAM;
  FAM.clear(Clone, Clone.getName());
  polyrsRemoveMarks(*C);
  polyrsKeepUsed(*C);
  eraseBody(F);
  F.splice(F.begin(), &Clone);
  for (auto [Old, New] : zip(F.args(), Clone.args()))
    New.replaceAllUsesWith(&Old);
  takeOver(F, Clone, C->Inlined);
  forgetEffects(F);
  F.addFnAttr("polyrs-done");
  Clone.eraseFromParent();
  C->Clone = nullptr;
  eraseNewGlobals(*C, /*OnlyUnused=*/true);
  FAM.invalidate(F, PreservedAnalyses::none());
  keepInlineCost(F, C->InlineCost, FAM);
  delete C;
}

// Removes the clone and all that came with it. Frees `C`.
POLYRS_EXPORT void polyrs_clone_drop(PolyrsClone *C) {
  C->Module.FAM.clear(*C->Clone, C->Clone->getName());
  polyrsRestoreUsed(*C);
  eraseFunction(*C->Clone);
  C->Clone = nullptr;
  eraseNewGlobals(*C, /*OnlyUnused=*/false);
  delete C;
}
