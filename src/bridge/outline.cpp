// Moves blocks of a function into a function of their own, which runs a range of a loop's iterations.
//
// Called by src/bridge/ir_outline.rs only. Values that the blocks use and do not compute travel in one struct on the
// caller's stack, behind two 64-bit places for the bounds of the whole loop.

#include "bridge/bridge.h"

#include "llvm-c/Core.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

using namespace llvm;

namespace {

// Lends the subprogram of one function to another.
class LentSubprogram {
  Function &From, &To;
  DISubprogram *SP;

public:
  LentSubprogram(Function &From, Function &To) : From(From), To(To), SP(From.getSubprogram()) {
    From.setSubprogram(nullptr);
    To.setSubprogram(SP);
  }
  ~LentSubprogram() {
    To.setSubprogram(nullptr);
    From.setSubprogram(SP);
  }
};

// Operands of a subprogram's node that hold its two names.
constexpr unsigned NameOperand = 2, LinkageNameOperand = 3;

void nameSubprogram(Function &F) {
  DISubprogram *SP = F.getSubprogram();
  if (!SP)
    return;
  MDString *Name = MDString::get(F.getContext(), F.getName());
  SP->replaceOperandWith(NameOperand, Name);
  SP->replaceOperandWith(LinkageNameOperand, Name);
}

// The body of `Extracted`, called by `Call` alone, as a function `void (i64 first, i64 end, ptr live)`. The argument of
// `Call` that is `First` becomes the parameter of that name, and so on; what is left is the struct. `Extracted` goes,
// `Call` stays.
Function *withThreeParameters(Function *Extracted, CallInst *Call, Value *First, Value *End, StringRef Name) {
  LLVMContext &Context = Extracted->getContext();
  Type *Word = Type::getInt64Ty(Context);
  auto *Ty = FunctionType::get(Type::getVoidTy(Context), {Word, Word, PointerType::getUnqual(Context)}, false);
  auto *Body = Function::Create(Ty, GlobalValue::InternalLinkage, Extracted->getAddressSpace(), Name, Extracted->getParent());
  AttrBuilder Attributes(Context, Extracted->getAttributes().getFnAttrs());
  Attributes.addAttribute("polyrs-done");
  Body->setAttributes(AttributeList::get(Context, AttributeList::FunctionIndex, Attributes));
  Body->setDSOLocal(true);
  Body->setSubprogram(Extracted->getSubprogram());
  Extracted->setSubprogram(nullptr);
  nameSubprogram(*Body);
  Body->splice(Body->begin(), Extracted);
  for (auto [Parameter, Argument] : zip(Extracted->args(), Call->args())) {
    unsigned Index = Argument.get() == First ? 0 : Argument.get() == End ? 1 : 2;
    Parameter.replaceAllUsesWith(Body->getArg(Index));
  }
  Body->getArg(0)->setName("first");
  Body->getArg(1)->setName("end");
  Body->getArg(2)->setName("live");
  return Body;
}

// Rooms of a known size in the frame are made where the function begins, as LLVM expects of them.
void hoistRooms(Function &F) {
  SmallVector<AllocaInst *, 4> Rooms;
  for (Instruction &I : instructions(F))
    if (auto *Room = dyn_cast<AllocaInst>(&I); Room && !Room->isStaticAlloca() && isa<ConstantInt>(Room->getArraySize()))
      Rooms.push_back(Room);
  for (AllocaInst *Room : Rooms)
    Room->moveBefore(F.getEntryBlock().getFirstInsertionPt());
}

// The struct that the call passes, or null.
AllocaInst *structOf(CallInst *Call, Value *First, Value *End) {
  for (Value *Argument : Call->args())
    if (Argument != First && Argument != End)
      return cast<AllocaInst>(Argument);
  return nullptr;
}

} // namespace

// What `polyrs_ir_outline` made; mirrored by `RawOutlined` in ir_outline.rs.
struct PolyrsOutlined {
  LLVMValueRef Body;        // void (i64 first, i64 end, ptr live)
  LLVMBasicBlockRef Before; // fills the struct; without terminator
  LLVMBasicBlockRef Alone;  // calls the body with all iterations, then branches to `After`
  LLVMBasicBlockRef After;
  LLVMValueRef Call;   // the call in `Alone`
  LLVMValueRef Shared; // { i64, i64, live values }
  uint64_t LiveOffset; // of the live values in `Shared`, in bytes
};

// Moves `Blocks` (one entry, which comes first and has no phis, one exit; nothing they compute is used behind them)
// into a new function. `First` and `End` are different i64 instructions of `Function`. `Original` has the debug
// subprogram that scopes in `Function` belong to. False, with nothing changed, if the blocks cannot be moved.
POLYRS_EXPORT bool polyrs_ir_outline(LLVMValueRef FunctionRef, Function *Original, LLVMBasicBlockRef *Blocks, size_t Count,
                                     LLVMValueRef FirstRef, LLVMValueRef EndRef, PolyrsStr Name, PolyrsOutlined *Out) {
  Function &F = *cast<Function>(unwrap(FunctionRef));
  Value *First = unwrap(FirstRef), *End = unwrap(EndRef);
  SmallVector<BasicBlock *, 16> Region;
  for (size_t I = 0; I < Count; ++I)
    Region.push_back(unwrap(Blocks[I]));
  LentSubprogram Lent(*Original, F);
  CodeExtractorAnalysisCache Cache(F);
  CodeExtractor Extractor(Region, /*DT=*/nullptr, /*AggregateArgs=*/true, /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                          /*AllowVarArgs=*/false, /*AllowAlloca=*/true);
  if (!Extractor.isEligible())
    return false;
  Extractor.excludeArgFromAggregate(First);
  Extractor.excludeArgFromAggregate(End);
  SetVector<Value *> Inputs, Outputs, Sunk;
  Extractor.findInputsOutputs(Inputs, Outputs, Sunk);
  if (!Outputs.empty())
    return false;
  Function *Extracted = Extractor.extractCodeRegion(Cache);
  if (!Extracted)
    return false;

  auto *Call = cast<CallInst>(Extracted->user_back());
  AllocaInst *Struct = structOf(Call, First, End);
  Function *Body = withThreeParameters(Extracted, Call, First, End, stringRef(Name));
  hoistRooms(*Body);
  Type *Word = Type::getInt64Ty(F.getContext());
  Type *Live = Struct ? Struct->getAllocatedType() : StructType::get(F.getContext());
  auto *SharedTy = StructType::get(Word, Word, Live);
  const DataLayout &DL = F.getDataLayout();
  auto *Shared = new AllocaInst(SharedTy, DL.getAllocaAddrSpace(), "polyrs.shared", F.getEntryBlock().begin());
  Out->LiveOffset = DL.getStructLayout(SharedTy)->getElementOffset(2).getFixedValue();

  BasicBlock *Before = Call->getParent();
  BasicBlock *Alone = Before->splitBasicBlock(Call, "polyrs.alone");
  Before->getTerminator()->eraseFromParent();
  IRBuilder<> Builder(Before, Before->getFirstInsertionPt());
  Value *LivePtr = Builder.CreateStructGEP(SharedTy, Shared, 2);
  if (Struct) {
    Struct->replaceAllUsesWith(LivePtr);
    Struct->eraseFromParent();
  }
  Builder.SetInsertPoint(Call);
  CallInst *All = Builder.CreateCall(Body, {First, End, LivePtr});
  All->setDebugLoc(Call->getDebugLoc());
  Call->eraseFromParent();
  Extracted->eraseFromParent();
  Out->Body = wrap(Body);
  Out->Before = wrap(Before);
  Out->Alone = wrap(Alone);
  Out->After = wrap(Alone->getSingleSuccessor());
  Out->Call = wrap(All);
  Out->Shared = wrap(Shared);
  return true;
}
