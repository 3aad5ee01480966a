// New code that LLVM's simplification does not look at.
//
// What simplification does to code as users write it, new code does not need: it is in SSA form, its loops are
// canonical and its expressions folded. To look for more in it again and again is what most of the time went to that
// the plugin added to a compilation. So the new code of a region waits in a function of its own, marked `optnone`, and
// comes back to where it was called before loops are vectorized. The attribute "polyrs-deferred" tells it apart.
//
// A long run-time test becomes a function for good: to vectorizers it is one reduction over dozens of comparisons.

#include "bridge/deferred.h"
#include "bridge/bridge.h"

#include "llvm-c/Core.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace {

constexpr StringRef Deferred = "polyrs-deferred";

// The blocks between `Start` and `Done`, `Start` first; empty if there are other ways out.
SmallVector<BasicBlock *, 32> between(BasicBlock *Start, BasicBlock *Done) {
  SetVector<BasicBlock *> Found;
  Found.insert(Start);
  for (size_t K = 0; K < Found.size(); ++K) {
    if (Found[K] == Done)
      continue;
    if (succ_empty(Found[K]))
      return {};
    Found.insert(succ_begin(Found[K]), succ_end(Found[K]));
  }
  if (!Found.contains(Done) || !Done->getSingleSuccessor() || Found.contains(Done->getSingleSuccessor()))
    return {};
  return {Found.begin(), Found.end()};
}

// Source positions of instructions that move into a function without a subprogram, which would lose them.
class KeptPositions {
  SmallVector<std::pair<Instruction *, DebugLoc>, 64> Positions;
  SmallVector<std::pair<Instruction *, MDNode *>, 16> Loops;

public:
  explicit KeptPositions(ArrayRef<BasicBlock *> Blocks) {
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *BB) {
        if (I.getDebugLoc())
          Positions.push_back({&I, I.getDebugLoc()});
        if (MDNode *Loop = I.getMetadata(LLVMContext::MD_loop))
          Loops.push_back({&I, Loop});
      }
  }
  void putBack() const {
    for (auto &[I, Position] : Positions)
      I->setDebugLoc(Position);
    for (auto &[I, Loop] : Loops)
      I->setMetadata(LLVMContext::MD_loop, Loop);
  }
};

// What callers may rely on, as they could where the code stood before.
void tellEffects(Function &F) {
  bool InArguments = true, Synchronizes = false, Frees = false, Throws = false;
  for (Instruction &I : instructions(F)) {
    if (const Value *Address = getLoadStorePointerOperand(&I)) {
      const Value *Object = getUnderlyingObject(Address);
      InArguments &= isa<Argument, AllocaInst>(Object);
    } else if (I.mayReadOrWriteMemory() && !isa<NoAliasScopeDeclInst, AssumeInst, LifetimeIntrinsic>(I)) {
      InArguments = false;
    }
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      Synchronizes |= !Call->hasFnAttr(Attribute::NoSync);
      Frees |= !Call->hasFnAttr(Attribute::NoFree);
      Throws |= !Call->doesNotThrow();
    }
    Synchronizes |= I.isAtomic() || I.isVolatile();
  }
  if (InArguments)
    F.setMemoryEffects(MemoryEffects::argMemOnly());
  if (!Synchronizes)
    F.setNoSync();
  if (!Frees)
    F.addFnAttr(Attribute::NoFree);
  if (!Throws)
    F.setDoesNotThrow();
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy() && !PointerMayBeCaptured(&A, /*ReturnCaptures=*/true))
      A.addAttr(Attribute::getWithCaptureInfo(F.getContext(), CaptureInfo::none()));
}

// Appends where `Call` was inlined to the source positions of what came in its place.
class Positions {
  LLVMContext &Context;
  DILocation *At;
  DenseMap<const MDNode *, MDNode *> Cache;

  DebugLoc appended(const DebugLoc &Position) {
    DebugLoc Outer = DebugLoc::appendInlinedAt(Position, At, Context, Cache);
    return DILocation::get(Context, Position.getLine(), Position.getCol(), Position.getScope(), Outer.getAsMDNode());
  }

public:
  explicit Positions(CallBase &Call)
      : Context(Call.getContext()), At(Call.getDebugLoc() ? Call.getDebugLoc()->getInlinedAt() : nullptr) {}
  void appendTo(Instruction &I) {
    if (!At)
      return;
    if (I.getDebugLoc())
      I.setDebugLoc(appended(I.getDebugLoc()));
    updateLoopMetadataDebugLocations(I, [&](Metadata *M) -> Metadata * {
      auto *Position = dyn_cast_or_null<DILocation>(M);
      return Position ? appended(Position).get() : M;
    });
  }
};

// Puts the body of what `Call` calls in its place. False, with nothing changed, if that cannot be.
bool bringBack(CallBase &Call) {
  BasicBlock *Alone = Call.getParent()->splitBasicBlock(&Call);
  if (!Call.isTerminator())
    Alone->splitBasicBlock(std::next(Call.getIterator()));
  Function &Caller = *Alone->getParent();
  DenseSet<BasicBlock *> Before;
  for (BasicBlock &BB : Caller)
    Before.insert(&BB);
  Positions Inlined(Call);
  DebugLoc Own = Call.getDebugLoc();
  Call.setDebugLoc(DebugLoc());
  InlineFunctionInfo Info;
  if (!InlineFunction(Call, Info).isSuccess()) {
    Call.setDebugLoc(Own);
    return false;
  }
  for (BasicBlock &BB : Caller)
    if (&BB == Alone || !Before.contains(&BB))
      for (Instruction &I : BB) {
        Inlined.appendTo(I);
        // Passes that move a call leave it a position in the subprogram, which the function it waited in did not have.
        if (isa<CallBase>(I) && !I.getDebugLoc())
          I.setDebugLoc(Own);
      }
  return true;
}

// What new code gains by: copies of statements that were jammed into one load what another has stored.
FunctionPassManager simplification() {
  FunctionPassManager FPM;
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(DSEPass());
  FPM.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  return FPM;
}

// Whether `I` only computes, and only what `Test` needs.
bool isPartOfTest(const Instruction &I, const SetVector<Instruction *> &Test) {
  return !I.mayReadOrWriteMemory() && !I.mayHaveSideEffects() && !isa<PHINode, AllocaInst>(I) &&
         all_of(I.users(), [&](const User *U) { return Test.contains(const_cast<Instruction *>(cast<Instruction>(U))); });
}

// What `Root` is computed from and what nothing else needs, in the block of `Root`; users before operands.
SetVector<Instruction *> testOf(Instruction &Root) {
  SetVector<Instruction *> Test;
  Test.insert(&Root);
  for (Instruction &I : make_range(std::next(Root.getReverseIterator()), Root.getParent()->rend()))
    if (!I.use_empty() && isPartOfTest(I, Test))
      Test.insert(&I);
  return Test;
}

// Lets `Call` run only where what is tested beside it holds: sizes come first, which are what small data fails by.
void runLast(CallInst &Call) {
  auto *Both = Call.hasOneUse() ? dyn_cast<BinaryOperator>(Call.user_back()) : nullptr;
  auto *Branch = dyn_cast<BranchInst>(Call.getParent()->getTerminator());
  if (!Both || Both->getOpcode() != Instruction::And || !Branch || !Branch->isConditional() ||
      Branch->getCondition() != Both || Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return;
  BasicBlock *Else = Branch->getSuccessor(1);
  for (PHINode &Phi : Else->phis())
    if (Phi.getIncomingValueForBlock(Call.getParent()) == Both)
      Phi.setIncomingValueForBlock(Call.getParent(), ConstantInt::getFalse(Call.getContext()));
  if (!Both->hasOneUse())
    return;
  Value *Other = Both->getOperand(Both->getOperand(0) == &Call ? 1 : 0);
  BasicBlock *Last = SplitBlock(Call.getParent(), Branch->getIterator());
  Call.moveBefore(Branch->getIterator());
  Branch->setCondition(&Call);
  Both->eraseFromParent();
  BasicBlock *First = Last->getSinglePredecessor();
  First->getTerminator()->eraseFromParent();
  BranchInst::Create(Last, Else, Other, First);
  for (PHINode &Phi : Else->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Last), First);
}

// Moves `Test` into the new function `Alone`, in which each of `Inputs` is an argument.
void moveTest(const SetVector<Instruction *> &Test, ArrayRef<Value *> Inputs, Function &Alone) {
  BasicBlock *Body = BasicBlock::Create(Alone.getContext(), "", &Alone);
  for (Instruction *I : reverse(Test)) {
    I->setDebugLoc(DebugLoc());
    I->moveBefore(*Body, Body->end());
    for (Use &Operand : I->operands())
      if (auto *Found = find(Inputs, Operand.get()); Found != Inputs.end())
        Operand.set(Alone.getArg(std::distance(Inputs.begin(), Found)));
  }
}

} // namespace

// Instructions from which on a test is a function of its own: three arrays. Five in bicg: a quarter of `opt -O3`.
constexpr unsigned LongTest = 16;
// Arguments that a call takes without much ado.
constexpr unsigned MostInputs = 32;

// Makes what computes `Result`, a truth value, a function called `Name` if it is long. Called while it is part of a
// clone of `Original`.
POLYRS_EXPORT void polyrs_ir_test_apart(LLVMValueRef Result, const Function *Original, PolyrsStr Name) {
  auto *Root = dyn_cast<Instruction>(unwrap(Result));
  if (!Root || Root->getFunction()->getSubprogram())
    return;
  SetVector<Instruction *> Test = testOf(*Root);
  SmallVector<Value *, 16> Inputs;
  for (Instruction *I : Test)
    for (Value *Operand : I->operands())
      if (isa<Argument>(Operand) || (isa<Instruction>(Operand) && !Test.contains(cast<Instruction>(Operand))))
        if (!is_contained(Inputs, Operand))
          Inputs.push_back(Operand);
  if (Test.size() < LongTest || Inputs.size() > MostInputs)
    return;
  Function &F = *Root->getFunction();
  SmallVector<Type *, 16> Types;
  for (Value *V : Inputs)
    Types.push_back(V->getType());
  auto *Type = FunctionType::get(Root->getType(), Types, /*isVarArg=*/false);
  Function *Alone = Function::Create(Type, GlobalValue::InternalLinkage, stringRef(Name), F.getParent());
  for (Attribute A : Original->getAttributes().getFnAttrs())
    if (A.isStringAttribute() || A.hasAttribute(Attribute::UWTable))
      Alone->addFnAttr(A);
  for (Attribute::AttrKind Kind :
       {Attribute::NoInline, Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync, Attribute::NoFree})
    Alone->addFnAttr(Kind);
  Alone->setDoesNotAccessMemory();
  Alone->addFnAttr("polyrs-written");
  IRBuilder<> Builder(Root->getParent(), std::next(Root->getIterator()));
  CallInst *Call = Builder.CreateCall(Alone, Inputs);
  if (DISubprogram *SP = Original->getSubprogram())
    Call->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
  Root->replaceAllUsesWith(Call);
  moveTest(Test, Inputs, *Alone);
  ReturnInst::Create(F.getContext(), Root, Root->getParent());
  runLast(*Call);
}

// Moves the new code from `Start` to `Done` into a function called `Name`, to wait there. Called while the code is part
// of a clone of `Original`. False, with nothing changed, if it cannot be moved.
POLYRS_EXPORT bool polyrs_ir_defer(LLVMValueRef FunctionRef, const Function *Original, LLVMBasicBlockRef Start,
                                   LLVMBasicBlockRef Done, PolyrsStr Name) {
  Function &F = *cast<Function>(unwrap(FunctionRef));
  SmallVector<BasicBlock *, 32> Blocks = between(unwrap(Start), unwrap(Done));
  if (Blocks.empty() || F.getSubprogram())
    return false;
  CodeExtractorAnalysisCache Cache(F);
  CodeExtractor Extractor(Blocks);
  if (!Extractor.isEligible())
    return false;
  SetVector<Value *> Inputs, Outputs, Sunk;
  Extractor.findInputsOutputs(Inputs, Outputs, Sunk);
  if (!Outputs.empty())
    return false;
  KeptPositions Kept(Blocks);
  Function *Waiting = Extractor.extractCodeRegion(Cache);
  if (!Waiting)
    return false;
  Kept.putBack();
  if (DISubprogram *SP = Original->getSubprogram())
    cast<CallBase>(Waiting->user_back())->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
  Waiting->setName(stringRef(Name));
  Waiting->setLinkage(GlobalValue::InternalLinkage);
  Waiting->removeFnAttr(Attribute::AlwaysInline);
  Waiting->removeFnAttr(Attribute::InlineHint);
  for (Attribute::AttrKind Kind : {Attribute::NoInline, Attribute::OptimizeNone})
    Waiting->addFnAttr(Kind);
  Waiting->addFnAttr(Deferred);
  Waiting->addFnAttr("polyrs-done");
  tellEffects(*Waiting);
  return true;
}

PreservedAnalyses ResumePass::run(Module &M, ModuleAnalysisManager &MAM) {
  SmallVector<Function *, 8> Waiting;
  for (Function &F : M)
    if (F.hasFnAttribute(Deferred))
      Waiting.push_back(&F);
  if (Waiting.empty())
    return PreservedAnalyses::all();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  FunctionPassManager Simplification = simplification();
  for (Function *F : Waiting) {
    F->removeFnAttr(Attribute::OptimizeNone);
    F->removeFnAttr(Attribute::NoInline);
    F->removeFnAttr(Deferred);
    Simplification.run(*F, FAM);
    FAM.clear(*F, F->getName());
    SmallVector<CallBase *, 2> Calls;
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == F)
        Calls.push_back(Call);
    for (CallBase *Call : Calls) {
      Function *Caller = Call->getFunction();
      bringBack(*Call);
      FAM.invalidate(*Caller, PreservedAnalyses::none());
    }
    if (F->use_empty())
      F->eraseFromParent();
  }
  PreservedAnalyses Preserved;
  Preserved.preserve<FunctionAnalysisManagerModuleProxy>();
  return Preserved;
}
