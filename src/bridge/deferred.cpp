// New code that LLVM's simplification does not look at.
//
// What simplification does to code as users write it, new code does not need: it is in SSA form, its loops are
// canonical and its expressions folded. To look for more in it again and again is what most of the time went to that
// the plugin added to a compilation. So the new code of a region waits in a function of its own, marked `optnone`, and
// comes back to where it was called before loops are vectorized. The attribute "polyrs-deferred" tells it apart.
//
// New code beside which the original stays does not come back: what it takes of registers and of the stack would be
// paid for on each way into the function, and small data pays for it with a tenth of its time. The attribute
// "polyrs-versioned" tells it apart. Callers inline the function around it as if it were not there.
//
// A run-time test of arrays becomes a function for good: to vectorizers it is one reduction over dozens of comparisons,
// and small data, which it is not run for, has no need of its registers.

#include "bridge/deferred.h"
#include "bridge/bridge.h"
#include "bridge/callers.h"
#include "bridge/calls.h"
#include "bridge/conditions.h"
#include "bridge/unread.h"

#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/Triple.h"
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

// Computes again inside of `Blocks`, which begin with `Blocks.front()`, what they take of sizes and addresses that is
// computed before: as an argument a stride is a number that vectorizers guess to be 1. A pointer of the module's own is
// read again: as an argument it could lead anywhere, and alias analysis would not know in any function of the module
// that it leads to memory of its own.
class Recomputed {
  ArrayRef<BasicBlock *> Blocks;
  BasicBlock::iterator Place;
  DenseMap<Value *, Value *> Known;

  static bool onlyComputes(const Instruction &I) {
    bool IsNumber = I.getType()->isIntegerTy() || I.getType()->isPointerTy();
    return IsNumber && (isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, MinMaxIntrinsic>(I));
  }

  Value *inside(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (!I || is_contained(Blocks, I->getParent()) || !(onlyComputes(*I) || I->hasMetadata(PolyrsSteady)))
      return V;
    if (Value *Copy = Known.lookup(I))
      return Copy;
    Instruction *Copy = I->clone();
    for (Use &Operand : Copy->operands())
      Operand.set(inside(Operand.get()));
    Copy->setDebugLoc(DebugLoc());
    Copy->insertBefore(Place);
    Known[I] = Copy;
    return Copy;
  }

public:
  explicit Recomputed(ArrayRef<BasicBlock *> Blocks)
      : Blocks(Blocks), Place(Blocks.front()->getFirstInsertionPt()) {
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : *BB)
        if (!isa<PHINode>(I) || BB != Blocks.front())
          for (Use &Operand : I.operands())
            Operand.set(inside(Operand.get()));
  }
};

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

// What code does that stands in a function of its own.
class Effects {
  // Whether all that is accessed is a variable of its own or what an argument leads to; these are known then.
  bool InArguments = true;
  SmallPtrSet<const Value *, 8> Read, Written;
  bool Synchronizes = false, Frees = false, Throws = false, Returns = true;

public:
  explicit Effects(const Function &F) {
    for (const Instruction &I : instructions(F)) {
      if (const Value *Address = getLoadStorePointerOperand(&I)) {
        const Value *Object = getUnderlyingObject(Address);
        InArguments &= isa<Argument, AllocaInst>(Object);
        (isa<LoadInst>(I) ? Read : Written).insert(Object);
      } else if (I.mayReadOrWriteMemory() && !isa<NoAliasScopeDeclInst, AssumeInst, LifetimeIntrinsic>(I)) {
        InArguments = false;
      }
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        Synchronizes |= !Call->hasFnAttr(Attribute::NoSync);
        Frees |= !Call->hasFnAttr(Attribute::NoFree);
        Throws |= !Call->doesNotThrow();
        Returns &= Call->hasFnAttr(Attribute::WillReturn);
      }
      Synchronizes |= I.isAtomic() || I.isVolatile();
    }
    Returns &= !Synchronizes && !Throws && polyrsLoopsEnd(F);
  }

  // Lets callers rely on it, as they could where the code stood before: where nobody reads what is written, LLVM
  // removes the call.
  void tell(Function &F) const {
    if (InArguments)
      F.setMemoryEffects(MemoryEffects::argMemOnly());
    if (!Synchronizes)
      F.setNoSync();
    if (!Frees)
      F.addFnAttr(Attribute::NoFree);
    if (!Throws)
      F.setDoesNotThrow();
    if (Returns)
      F.setWillReturn();
    for (Argument &A : F.args())
      if (A.getType()->isPointerTy())
        tell(A);
  }

private:
  void tell(Argument &A) const {
    if (!PointerMayBeCaptured(&A, /*ReturnCaptures=*/true))
      A.addAttr(Attribute::getWithCaptureInfo(A.getContext(), CaptureInfo::none()));
    if (!InArguments)
      return;
    bool IsRead = Read.contains(&A), IsWritten = Written.contains(&A);
    if (!IsRead || !IsWritten)
      A.addAttr(!IsWritten ? IsRead ? Attribute::ReadOnly : Attribute::ReadNone : Attribute::WriteOnly);
  }
};

// Appends where a call was inlined to the source positions of what came in its place.
class Positions {
  LLVMContext &Context;
  // Where the function was inlined that the code belongs to; null if it was not.
  DILocation *At = nullptr;
  // Where the call is, and the subprogram of its function. That is another one than the code's own where a pass has
  // made a function of its own of what was around the call (a specialization): the code counts as inlined there.
  DILocation *Call = nullptr;
  DISubprogram *Around = nullptr;
  DenseMap<const MDNode *, MDNode *> Cache;

  static DISubprogram *outermost(const DILocation &Position) {
    const DILocation *Outer = &Position;
    while (DILocation *Next = Outer->getInlinedAt())
      Outer = Next;
    return Outer->getScope()->getSubprogram();
  }

  DebugLoc appended(const DebugLoc &Position) {
    DILocation *To = At || !Around || outermost(*Position) == Around ? At : Call;
    if (!To)
      return Position;
    DebugLoc Outer = DebugLoc::appendInlinedAt(Position, To, Context, Cache);
    return DILocation::get(Context, Position.getLine(), Position.getCol(), Position.getScope(), Outer.getAsMDNode());
  }

public:
  Positions(LLVMContext &Context, DILocation *At) : Context(Context), At(At) {}
  explicit Positions(const CallBase &Of)
      : Context(Of.getContext()), Call(Of.getDebugLoc()), Around(Of.getFunction()->getSubprogram()) {
    At = Call ? Call->getInlinedAt() : nullptr;
    if (Around && !(Call && outermost(*Call) == Around))
      Call = DILocation::get(Context, 0, 0, Around);
  }
  void appendTo(Instruction &I) {
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

// Calls of code beside which the original stays that may be replaced by it: where a function was inlined more often,
// each copy would be optimized again.
constexpr unsigned MostCopies = 4;

// Whether the code that `Call` stands for stays a function: the original code is beside it, and the caller knows none
// of the numbers that it works on, or too many callers do.
bool staysApart(const CallBase &Call) {
  const BasicBlock *Before = Call.getParent()->getSinglePredecessor();
  const auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  return Call.getCalledFunction()->hasFnAttribute(PolyrsVersioned) && Branch && Branch->isConditional() &&
         (Call.getCalledFunction()->hasNUsesOrMore(MostCopies + 1) ||
          none_of(Call.args(), [](const Use &Argument) { return isa<ConstantInt, ConstantFP>(Argument); }));
}

// Gives `F`, which waited and stays apart, a subprogram of its own, if `Call` has a source position: the code that it
// was made from counts as inlined there.
void addSubprogram(Function &F, const CallBase &Call) {
  if (!Call.getDebugLoc())
    return;
  DISubprogram *From = Call.getDebugLoc()->getScope()->getSubprogram();
  DIBuilder Builder(*F.getParent(), /*AllowUnresolved=*/false, From->getUnit());
  DISubprogram *SP = Builder.createFunction(
      From->getUnit(), F.getName(), F.getName(), From->getFile(), From->getLine(),
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), From->getLine(), DINode::FlagArtificial,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagLocalToUnit | DISubprogram::SPFlagOptimized);
  F.setSubprogram(SP);
  Builder.finalizeSubprogram(SP);
  DILocation *At = DILocation::get(F.getContext(), From->getLine(), 0, SP);
  Positions Inlined(F.getContext(), At);
  for (Instruction &I : instructions(F)) {
    Inlined.appendTo(I);
    if (isa<CallBase>(I) && !I.getDebugLoc())
      I.setDebugLoc(At);
  }
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

// Instructions from which on a test is a function of its own: one pair of arrays, for the registers that it would take.
// Five in bicg: a quarter of `opt -O3`.
constexpr unsigned LongTest = 6;
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
  // The original code needs what is in registers, if the test fails: it has no need of a frame for that.
  if (Triple(F.getParent()->getTargetTriple()).isX86_64())
    Alone->setCallingConv(CallingConv::PreserveMost);
  Alone->addFnAttr(PolyrsWritten);
  IRBuilder<> Builder(Root->getParent(), std::next(Root->getIterator()));
  CallInst *Call = Builder.CreateCall(Alone, Inputs);
  Call->setCallingConv(Alone->getCallingConv());
  if (DISubprogram *SP = Original->getSubprogram())
    Call->setDebugLoc(DILocation::get(F.getContext(), 0, 0, SP));
  Root->replaceAllUsesWith(Call);
  moveTest(Test, Inputs, *Alone);
  ReturnInst::Create(F.getContext(), Root, Root->getParent());
}

// Values that new code hands on in memory.
constexpr unsigned MostOutputs = 8;

// Moves the new code from `Start` to `Done` into a function called `Name`, to wait there. Called while the code is part
// of a clone of `Original`. `IsVersioned`: the original code stays beside it. False, with nothing changed, if it cannot
// be moved.
POLYRS_EXPORT bool polyrs_ir_defer(LLVMValueRef FunctionRef, const Function *Original, LLVMBasicBlockRef Start,
                                   LLVMBasicBlockRef Done, bool IsVersioned, PolyrsStr Name) {
  Function &F = *cast<Function>(unwrap(FunctionRef));
  SmallVector<BasicBlock *, 32> Blocks = between(unwrap(Start), unwrap(Done));
  if (Blocks.empty() || F.getSubprogram())
    return false;
  DeleteDeadPHIs(unwrap(Done)->getSingleSuccessor());
  CodeExtractorAnalysisCache Cache(F);
  CodeExtractor Extractor(Blocks);
  if (!Extractor.isEligible())
    return false;
  SetVector<Value *> Inputs, Outputs, Sunk;
  Extractor.findInputsOutputs(Inputs, Outputs, Sunk);
  if (Outputs.size() > MostOutputs)
    return false;
  if (IsVersioned)
    Recomputed Copies(Blocks);
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
  if (IsVersioned)
    Waiting->addFnAttr(PolyrsVersioned);
  Waiting->addFnAttr("polyrs-done");
  Effects(*Waiting).tell(*Waiting);
  if (IsVersioned) {
    polyrsHideConditions(*cast<CallBase>(Waiting->user_back()));
    polyrsAskCallers(*cast<CallBase>(Waiting->user_back()), *Original);
  }
  return true;
}

PreservedAnalyses ResumePass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  polyrsRemoveUnread(M, FAM);
  polyrsShowConditions(M, FAM);
  SmallVector<Function *, 8> Waiting;
  for (Function &F : M)
    if (F.hasFnAttribute(Deferred))
      Waiting.push_back(&F);
  if (Waiting.empty())
    return PreservedAnalyses::all();
  polyrsAnswerCallers(M, FAM);
  FunctionPassManager Simplification = simplification();
  for (Function *F : Waiting) {
    F->removeFnAttr(Attribute::OptimizeNone);
    F->removeFnAttr(Attribute::NoInline);
    F->removeFnAttr(Deferred);
    Simplification.run(*F, FAM);
    FAM.clear(*F, F->getName());
    SmallVector<CallBase *, 2> Calls;
    CallBase *Apart = nullptr;
    for (User *U : F->users())
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledFunction() == F) {
        if (staysApart(*Call))
          Apart = Call;
        else
          Calls.push_back(Call);
      }
    for (CallBase *Call : Calls) {
      Function *Caller = Call->getFunction();
      bringBack(*Call);
      FAM.invalidate(*Caller, PreservedAnalyses::none());
    }
    if (F->use_empty()) {
      F->eraseFromParent();
    } else if (Apart) {
      F->addFnAttr(Attribute::NoInline);
      addSubprogram(*F, *Apart);
    }
  }
  PreservedAnalyses Preserved;
  Preserved.preserve<FunctionAnalysisManagerModuleProxy>();
  return Preserved;
}
