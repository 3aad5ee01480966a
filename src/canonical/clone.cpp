// The canonical clone: a private copy of a function in the form that scalar evolution reads best.
//
// Either the clone's body becomes the function's body (`polyrs_clone_commit`), or the clone goes (`polyrs_clone_drop`) and the
// module prints byte for byte as before. For the latter, everything that a pass may touch outside of a function is recorded
// when the clone is made: new declarations and globals, raised alignments, inferred attributes.

#include "bridge/bridge.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"

using namespace llvm;

namespace {

// Options that keep a nest a nest: nothing is hoisted or sunk across the blocks of a loop, no switch becomes a table.
SimplifyCFGOptions gentleSimplifyCFG() {
  return SimplifyCFGOptions().needCanonicalLoops(true).hoistCommonInsts(false).sinkCommonInsts(false).convertSwitchToLookupTable(
      false);
}

bool mayStandInARegion(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple();
  return !I.mayHaveSideEffects();
}

// Where a region may begin in the entry block: behind all allocas, at the first store. What is computed before stays outside, where it
// is a parameter or an invariant of every region.
BasicBlock::iterator endOfEntry(BasicBlock &Entry) {
  auto First = Entry.begin();
  for (Instruction &I : Entry)
    if (isa<AllocaInst>(I))
      First = std::next(I.getIterator());
  return std::find_if(First, Entry.end(), [](const Instruction &I) { return isa<StoreInst>(I) || I.isTerminator(); });
}

// Gives regions blocks to begin with: the function's entry block ends where a region may begin, and a preheader that is a loop header
// or has instructions that no region may hold is split, so that the loop has an empty one.
struct SplitForRegionsPass : PassInfoMixin<SplitForRegionsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
    auto &LI = FAM.getResult<LoopAnalysis>(F);
    BasicBlock &Entry = F.getEntryBlock();
    SplitBlock(&Entry, endOfEntry(Entry), &DT, &LI);
    for (Loop *L : LI.getLoopsInPreorder()) {
      BasicBlock *Preheader = L->getLoopPreheader();
      if (Preheader && (Preheader == &F.getEntryBlock() || LI.isLoopHeader(Preheader) || !all_of(*Preheader, mayStandInARegion)))
        SplitBlock(Preheader, Preheader->getTerminator()->getIterator(), &DT, &LI);
    }
    PreservedAnalyses Preserved;
    Preserved.preserve<DominatorTreeAnalysis>();
    Preserved.preserve<LoopAnalysis>();
    return Preserved;
  }
  static bool isRequired() { return true; }
};

// See reload.cpp.
struct ReloadValuesPass : PassInfoMixin<ReloadValuesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    polyrsReloadValues(F, FAM.getResult<AAManager>(F));
    PreservedAnalyses Preserved;
    Preserved.preserveSet<CFGAnalyses>();
    return Preserved;
  }
  static bool isRequired() { return true; }
};

// See choices.cpp.
struct MoveChoicesPass : PassInfoMixin<MoveChoicesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    bool Changed = polyrsMoveChoices(F);
    PreservedAnalyses Preserved;
    Preserved.preserveSet<CFGAnalyses>();
    return Changed ? Preserved : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// See arms.cpp.
struct BranchOnSelectsPass : PassInfoMixin<BranchOnSelectsPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    bool Changed = polyrsBranchOnSelects(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<ScalarEvolutionAnalysis>(F));
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// Bounds on inlining, in instructions of the callee and of all that is added to one function.
constexpr size_t MaxCalleeSize = 150;
constexpr size_t MaxInlinedSize = 1500;

bool mayBeInlined(const CallBase &Call, const Function &Caller, TargetTransformInfo &TTI) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Callee->isDeclaration() || Callee->isInterposable() || Callee == &Caller || !isa<CallInst>(Call))
    return false;
  if (Call.isNoInline() || Call.isMustTailCall() || Callee->hasFnAttribute(Attribute::NoInline) || Callee->hasOptNone() ||
      Callee->isVarArg() || Callee->isPresplitCoroutine() || Callee->hasFnAttribute("polyrs-done") ||
      polyrsIsOptedOut(*Callee) || Callee->getInstructionCount() > MaxCalleeSize)
    return false;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallBase>(&I))
      if (!Inner->getCalledFunction() || Inner->getCalledFunction() == Callee || Inner->getCalledFunction() == &Caller)
        return false;
  return isInlineViable(*const_cast<Function *>(Callee)).isSuccess() &&
         AttributeFuncs::areInlineCompatible(Caller, *Callee) && TTI.areInlineCompatible(&Caller, Callee);
}

// Replaces calls of small functions inside of loops by the functions' bodies, and calls in these bodies, up to a total size.
void inlineIntoLoops(PolyrsClone &C) {
  FunctionAnalysisManager &FAM = C.Module.FAM;
  SmallVector<CallBase *, 8> Work;
  for (Loop *L : FAM.getResult<LoopAnalysis>(*C.Clone))
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB)
        if (auto *Call = dyn_cast<CallBase>(&I))
          Work.push_back(Call);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(*C.Clone);
  size_t Added = 0;
  for (size_t Next = 0; Next < Work.size(); ++Next) {
    if (!mayBeInlined(*Work[Next], *C.Original, TTI))
      continue;
    Function *Callee = Work[Next]->getCalledFunction();
    Added += Callee->getInstructionCount();
    if (Added > MaxInlinedSize)
      break;
    InlineFunctionInfo Info;
    if (!InlineFunction(*Work[Next], Info).isSuccess())
      continue;
    C.Inlined.push_back(Callee);
    Work.append(Info.InlinedCallSites.begin(), Info.InlinedCallSites.end());
  }
  if (!C.Inlined.empty())
    FAM.invalidate(*C.Clone, PreservedAnalyses::none());
}

// SSA form, rotated loops with preheader, one latch and dedicated exits, i64 induction variables, loop-closed values.
FunctionPassManager canonicalization() {
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  FPM.addPass(InstCombinePass());
  FPM.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass(/*EnableHeaderDuplication=*/true, /*PrepareForLTO=*/false)));
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  FPM.addPass(InstCombinePass());
  FPM.addPass(createFunctionToLoopPassAdaptor(IndVarSimplifyPass(/*WidenIndVars=*/true)));
  FPM.addPass(EarlyCSEPass());
  FPM.addPass(SimplifyCFGPass(gentleSimplifyCFG()));
  FPM.addPass(MoveChoicesPass());
  FPM.addPass(LowerSwitchPass());
  FPM.addPass(BranchOnSelectsPass());
  FPM.addPass(ReloadValuesPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(SplitForRegionsPass());
  return FPM;
}

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

// What LLVM's passes may change in place outside of the function they run on.
void recordModule(PolyrsClone &C) {
  for (GlobalVariable &G : C.Module.M.globals())
    if (!G.isDeclaration())
      C.Alignments.emplace_back(&G, G.getAlign());
  for (Function &F : C.Module.M)
    if (F.isDeclaration())
      C.Attributes.emplace_back(&F, F.getAttributes());
}

void restoreModule(PolyrsClone &C) {
  for (auto &[G, Alignment] : C.Alignments)
    if (G->getAlign() != Alignment)
      G->setAlignment(Alignment);
  for (auto &[F, Attributes] : C.Attributes)
    if (F->getAttributes() != Attributes)
      F->setAttributes(Attributes);
}

// Also true of a call that inlining may turn into such an access.
bool readsOrWritesArrays(const BasicBlock &BB) {
  for (const Instruction &I : BB) {
    const Value *Pointer = getLoadStorePointerOperand(&I);
    if (Pointer && !isa<AllocaInst>(Pointer))
      return true;
    auto *Call = dyn_cast<CallInst>(&I);
    if (Call && Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration())
      return true;
  }
  return false;
}

// Whether some natural loop accesses memory other than a local scalar: linear in the size of the function, no analysis needed.
bool hasLoopOverMemory(const Function &F) {
  if (F.size() < 2 && succ_empty(&F.getEntryBlock()))
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> Backedges;
  FindFunctionBackedges(F, Backedges);
  SmallPtrSet<const BasicBlock *, 32> Seen;
  SmallVector<const BasicBlock *, 16> Work;
  for (auto &[Latch, Header] : Backedges) {
    if (Seen.insert(Header).second && readsOrWritesArrays(*Header))
      return true;
    Work.push_back(Latch);
    while (!Work.empty()) {
      const BasicBlock *BB = Work.pop_back_val();
      if (!Seen.insert(BB).second)
        continue;
      if (readsOrWritesArrays(*BB))
        return true;
      Work.append(pred_begin(BB), pred_end(BB));
    }
  }
  return false;
}

bool hasTakenBlockAddress(const Function &F) {
  for (const BasicBlock &BB : F)
    if (BB.hasAddressTaken())
      return true;
  return false;
}

// Lends the original's debug subprogram to the clone: the verifier checks calls in functions with debug information only.
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

// True if the function has a body that may be cloned and a loop over memory.
bool polyrsIsCandidate(const Function &F) {
  return !F.isDeclaration() && !F.hasAvailableExternallyLinkage() && hasLoopOverMemory(F) && !hasTakenBlockAddress(F) &&
         !F.isPresplitCoroutine() && !F.hasFnAttribute(Attribute::Naked);
}

// A canonical copy of `F`, or null if the copy has no loop. Owned by the caller: exactly one of `polyrs_clone_commit` and
// `polyrs_clone_drop` must follow.
POLYRS_EXPORT PolyrsClone *polyrs_clone_create(PolyrsModule *M, Function *F) {
  auto *C = new PolyrsClone{*M, F, nullptr, &*M->M.rbegin(), nullptr, {}, {}, {}};
  if (!M->M.global_empty())
    C->LastGlobal = &*std::prev(M->M.global_end());
  recordModule(*C);
  C->Clone = Function::Create(F->getFunctionType(), GlobalValue::InternalLinkage, F->getAddressSpace(), "polyrs.clone", &M->M);
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(F->args(), C->Clone->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionAttributesInto(C->Clone, F, Map, /*ModuleLevelChanges=*/false);
  CloneFunctionBodyInto(*C->Clone, *F, Map, RF_NoModuleLevelChanges, Returns);
  DenseMap<DIAssignID *, DIAssignID *> Assignments;
  for (Instruction &I : instructions(*C->Clone))
    at::remapAssignID(Assignments, I);
  C->Clone->setLinkage(GlobalValue::InternalLinkage);
  inlineIntoLoops(*C);
  canonicalization().run(*C->Clone, M->FAM);
  return C;
}

// Number of loops in the clone.
POLYRS_EXPORT size_t polyrs_clone_loops(PolyrsClone *C) {
  return C->Module.FAM.getResult<LoopAnalysis>(*C->Clone).getLoopsInPreorder().size();
}

POLYRS_EXPORT Function *polyrs_clone_original(PolyrsClone *C) { return C->Original; }
POLYRS_EXPORT Function *polyrs_clone_function(PolyrsClone *C) { return C->Clone; }
POLYRS_EXPORT FunctionAnalysisManager *polyrs_clone_analyses(PolyrsClone *C) { return &C->Module.FAM; }

// Runs LLVM's verifier on the clone and on functions made since; true if all are well-formed, else `Message` says what is not.
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

// The clone's body becomes the original's; everything else about the original stays but what the new body may not do. Frees `C`.
POLYRS_EXPORT void polyrs_clone_commit(PolyrsClone *C) {
  Function &F = *C->Original, &Clone = *C->Clone;
  FunctionAnalysisManager &FAM = C->Module.FAM;
  FAM.clear(Clone, Clone.getName());
  eraseBody(F);
  F.splice(F.begin(), &Clone);
  for (auto [Old, New] : zip(F.args(), Clone.args()))
    New.replaceAllUsesWith(&Old);
  for (Function *Callee : C->Inlined)
    AttributeFuncs::mergeAttributesForInlining(F, *Callee);
  forgetEffects(F);
  F.addFnAttr("polyrs-done");
  Clone.eraseFromParent();
  C->Clone = nullptr;
  eraseNewGlobals(*C, /*OnlyUnused=*/true);
  FAM.invalidate(F, PreservedAnalyses::none());
  delete C;
}

// Removes the clone and all that came with it. Frees `C`.
POLYRS_EXPORT void polyrs_clone_drop(PolyrsClone *C) {
  C->Module.FAM.clear(*C->Clone, C->Clone->getName());
  eraseFunction(*C->Clone);
  C->Clone = nullptr;
  eraseNewGlobals(*C, /*OnlyUnused=*/false);
  restoreModule(*C);
  delete C;
}

// What the target offers to the clone; 0 = the target does not say.
struct PolyrsMachine {
  uint64_t L1Bytes, L2Bytes, L3Bytes;
  uint32_t VectorBits, VectorRegisters;
};

POLYRS_EXPORT void polyrs_clone_machine(PolyrsClone *C, PolyrsMachine *Out) {
  auto &TTI = C->Module.FAM.getResult<TargetIRAnalysis>(*C->Clone);
  Out->L1Bytes = TTI.getCacheSize(TargetTransformInfo::CacheLevel::L1D).value_or(0);
  Out->L2Bytes = TTI.getCacheSize(TargetTransformInfo::CacheLevel::L2D).value_or(0);
  Out->L3Bytes = 0;
  Out->VectorBits = TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  Out->VectorRegisters = TTI.getNumberOfRegisters(TTI.getRegisterClassForType(/*Vector=*/true));
}
