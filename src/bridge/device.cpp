// Kernels for a GPU: blocks of a function become functions of a second module, which becomes PTX.
//
// Called by src/bridge/ir_device.rs only. Kernels hold nothing but what is known to compute the same bits on a GPU,
// and what its backend can lower: everything else is refused before. The backend is that of the LLVM that the plugin
// is loaded into; its entry points are looked up when they are needed, since not every program has them.

#include "bridge/bridge.h"
#include "bridge/device_registers.h"
#include "bridge/device_text.h"

#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/Core.h"
#include "llvm-c/TargetMachine.h"
#include "llvm-c/Transforms/PassBuilder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"

#include <dlfcn.h>

using namespace llvm;

namespace {

constexpr const char *DeviceTriple = "nvptx64-nvidia-cuda";
// Number of the address space of a block's shared memory, on every architecture.
constexpr unsigned SharedSpace = 3;

// Bytes that each tile in shared memory begins at a multiple of: the widest access.
constexpr uint64_t SharedAlignment = 16;

// Registers that a thread can have, and a multiprocessor has.
constexpr uint64_t MostRegistersOfThread = 255, RegistersOfBlock = 65536;

bool isNumber(const Type *Ty) {
  return Ty->isHalfTy() || Ty->isFloatTy() || Ty->isDoubleTy() || (Ty->isIntegerTy() && Ty->getIntegerBitWidth() <= 64);
}

// What only says something of values and memory.
bool isClaim(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->isAssumeLikeIntrinsic() || isa<DbgInfoIntrinsic>(Call));
}

bool isExactCall(const IntrinsicInst &Call) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::abs:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::cttz:
  case Intrinsic::bswap:
  case Intrinsic::bitreverse:
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::sadd_sat:
  case Intrinsic::uadd_sat:
  case Intrinsic::ssub_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::fabs:
  case Intrinsic::sqrt:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
  case Intrinsic::copysign:
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
    return true;
  default:
    return false;
  }
}

// What libdevice calls a function of numbers that the host rounds in its own way: its name in the C library behind a
// prefix; empty: it has none.
std::string inLibdevice(const IntrinsicInst &Call) {
  static const std::pair<Intrinsic::ID, const char *> Names[] = {
      {Intrinsic::exp, "exp"},     {Intrinsic::exp2, "exp2"}, {Intrinsic::exp10, "exp10"}, {Intrinsic::log, "log"},     {Intrinsic::log2, "log2"},
      {Intrinsic::log10, "log10"}, {Intrinsic::pow, "pow"},   {Intrinsic::sin, "sin"},     {Intrinsic::cos, "cos"},     {Intrinsic::tan, "tan"},
      {Intrinsic::asin, "asin"},   {Intrinsic::acos, "acos"}, {Intrinsic::atan, "atan"},   {Intrinsic::atan2, "atan2"}, {Intrinsic::sinh, "sinh"},
      {Intrinsic::cosh, "cosh"},   {Intrinsic::tanh, "tanh"}};
  const Type *Ty = Call.getType();
  if (!Ty->isFloatTy() && !Ty->isDoubleTy())
    return "";
  for (auto [ID, Name] : Names)
    if (Call.getIntrinsicID() == ID)
      return std::string("__nv_") + Name + (Ty->isFloatTy() ? "f" : "");
  return "";
}

bool isExactOpcode(unsigned Opcode) {
  switch (Opcode) {
  case Instruction::Ret:
  case Instruction::Br:
  case Instruction::PHI:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::FNeg:
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::ICmp:
  case Instruction::FCmp:
  case Instruction::Select:
  case Instruction::Freeze:
  case Instruction::GetElementPtr:
  case Instruction::Trunc:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::FPTrunc:
  case Instruction::FPExt:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::BitCast:
    return true;
  default:
    return false;
  }
}

// The parameter that an address is computed from, or null.
const Argument *baseOf(const Value *Address) {
  while (auto *Gep = dyn_cast<GetElementPtrInst>(Address))
    Address = Gep->getPointerOperand();
  return dyn_cast<Argument>(Address);
}

bool isPlainOperand(const Value *V) {
  if (isa<Instruction, Argument, BasicBlock>(V))
    return true;
  return isa<ConstantData>(V) && isNumber(V->getType());
}

// Why an instruction stays with the host, or nothing. `HasLibdevice`: functions may be taken from there where flags
// allow other bits.
std::string refusal(const Instruction &I, const SmallPtrSetImpl<const Argument *> &Bases, bool HasLibdevice) {
  auto Named = [&](const char *What) { return std::string(What) + " (" + I.getOpcodeName() + ")"; };
  if (const auto *Call = dyn_cast<CallBase>(&I)) {
    const auto *Intrinsic = dyn_cast<IntrinsicInst>(Call);
    bool Approximate = HasLibdevice && Intrinsic && isa<FPMathOperator>(Intrinsic) && Intrinsic->hasApproxFunc();
    if (!Intrinsic || !(isExactCall(*Intrinsic) || (Approximate && !inLibdevice(*Intrinsic).empty()))) {
      const Function *Callee = Call->getCalledFunction();
      return "a GPU may compute other bits in " + (Callee ? Callee->getName().str() : std::string("a call"));
    }
    // The host rounds twice where it has no such operation of half precision.
    if (I.getType()->isHalfTy() && Intrinsic->getIntrinsicID() != Intrinsic::fabs)
      return Named("an operation of half precision");
    for (const Value *Argument : Call->args())
      if (!isPlainOperand(Argument))
        return Named("a constant is not a number");
    return isNumber(I.getType()) || I.getType()->isVoidTy() ? "" : Named("a type is not for a GPU");
  }
  const Value *Address = getLoadStorePointerOperand(&I);
  if (Address) {
    bool Simple = isa<LoadInst>(I) ? cast<LoadInst>(I).isSimple() : cast<StoreInst>(I).isSimple();
    const Argument *Base = baseOf(Address);
    if (!Simple || !Base || !Bases.contains(Base))
      return Named("an access goes to memory that is not copied");
    const Value *Stored = isa<StoreInst>(I) ? I.getOperand(0) : nullptr;
    if (Stored && !isPlainOperand(Stored))
      return Named("a constant is not a number");
    return isNumber(getLoadStoreType(&I)) ? "" : Named("a type is not for a GPU");
  }
  // Made by notingErrors alone.
  if (auto *Note = dyn_cast<AtomicRMWInst>(&I))
    return Bases.contains(baseOf(Note->getPointerOperand())) ? "" : Named("an access goes to memory that is not copied");
  if (!isExactOpcode(I.getOpcode()))
    return Named("an instruction is not for a GPU");
  bool IsAddress = isa<GetElementPtrInst>(I) && I.getType()->isPointerTy();
  if (!IsAddress && !I.getType()->isVoidTy() && !isNumber(I.getType()))
    return Named("a type is not for a GPU");
  for (const Value *Operand : I.operands()) {
    if (!isPlainOperand(Operand))
      return Named("a constant is not a number");
    bool MayBeAddress = IsAddress || isa<BasicBlock>(Operand);
    if (!MayBeAddress && !isNumber(Operand->getType()))
      return Named("a type is not for a GPU");
  }
  return "";
}

// Whether a call computes a square root and sets errno where there is none.
bool isRootWithError(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->isDeclaration() || Call->isStrictFP() || Call->isNoBuiltin() || Call->arg_size() != 1 ||
      Call->getArgOperand(0)->getType() != Call->getType() || !I.getModule()->getTargetTriple().isOSLinux())
    return false;
  return (Call->getType()->isDoubleTy() && Callee->getName() == "sqrt") || (Call->getType()->isFloatTy() && Callee->getName() == "sqrtf");
}

// Computes square roots in the blocks with an instruction, and notes in a word of memory where one has no result. Adds
// new blocks to the list.
void notingErrors(SmallVectorImpl<BasicBlock *> &Region, Value *Word) {
  for (size_t K = 0; K < Region.size(); ++K)
    for (Instruction &I : make_early_inc_range(*Region[K])) {
      if (!isRootWithError(I))
        continue;
      auto *Call = cast<CallInst>(&I);
      IRBuilder<> Builder(Call);
      Value *Of = Call->getArgOperand(0);
      Call->replaceAllUsesWith(Builder.CreateIntrinsic(Intrinsic::sqrt, {Call->getType()}, {Of}));
      Value *Missing = Builder.CreateFCmpOLT(Of, ConstantFP::get(Of->getType(), 0.0));
      Instruction *Then = SplitBlockAndInsertIfThen(Missing, Call->getIterator(), /*Unreachable=*/false);
      Builder.SetInsertPoint(Then);
      Builder.CreateAtomicRMW(AtomicRMWInst::Or, Word, Builder.getInt32(1), Align(4), AtomicOrdering::Monotonic);
      Region.append({Then->getParent(), Call->getParent()});
      Call->eraseFromParent();
      break;
    }
}

// Whether the host's code generator fuses `llvm.fmuladd` in `F`; -1: that is not known.
int fusesMulAdd(const Function &F) {
  const Triple &TT = F.getParent()->getTargetTriple();
  if (TT.isAArch64())
    return 1;
  Attribute Cpu = F.getFnAttribute("target-cpu"), Features = F.getFnAttribute("target-features");
  std::string Error;
  const Target *Host = TargetRegistry::lookupTarget(TT, Error);
  if (!TT.isX86() || !Cpu.isValid() || !Host)
    return -1;
  StringRef More = Features.isValid() ? Features.getValueAsString() : "";
  std::unique_ptr<MCSubtargetInfo> Info(Host->createMCSubtargetInfo(TT, Cpu.getValueAsString(), More));
  return !Info ? -1 : Info->checkFeatures("+fma") || Info->checkFeatures("+fma4");
}

// Writes what the host computes for `llvm.fmuladd`: one operation, or two.
void asOnHost(IntrinsicInst &MulAdd, bool Fuses) {
  IRBuilder<> Builder(&MulAdd);
  Value *A = MulAdd.getArgOperand(0), *B = MulAdd.getArgOperand(1), *C = MulAdd.getArgOperand(2);
  Value *Made = Fuses ? Builder.CreateIntrinsic(Intrinsic::fma, {MulAdd.getType()}, {A, B, C})
                      : Builder.CreateFAdd(Builder.CreateFMul(A, B), C);
  MulAdd.replaceAllUsesWith(Made);
  MulAdd.eraseFromParent();
}

// Calls libdevice's function in the place of LLVM's, if it is one that libdevice has.
void callLibdevice(IntrinsicInst &Call) {
  std::string Name = inLibdevice(Call);
  if (Name.empty())
    return;
  IRBuilder<> Builder(&Call);
  SmallVector<Value *, 2> Arguments(Call.args());
  FunctionCallee Callee = Call.getModule()->getOrInsertFunction(Name, Call.getFunctionType());
  Call.replaceAllUsesWith(Builder.CreateCall(Callee, Arguments));
  Call.eraseFromParent();
}

// Leaves of each instruction what it computes: no positions, no claims, no leave to compute something else.
void plain(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (isClaim(I)) {
      I.eraseFromParent();
      continue;
    }
    I.dropDbgRecords();
    I.setDebugLoc(DebugLoc());
    I.eraseMetadataIf([](unsigned, MDNode *) { return true; });
    if (isa<FPMathOperator>(I))
      I.copyFastMathFlags(FastMathFlags());
    if (auto *Call = dyn_cast<CallBase>(&I))
      Call->setAttributes(AttributeList());
  }
}

// Says of memory that a kernel only reads that it does not change meanwhile: there are loads for it that need not be
// coherent. Different arrays of a region are apart where one of them is written, or their order would not be known.
void sayWhatIsOnlyRead(Function &Kernel) {
  SmallPtrSet<const Argument *, 8> Written;
  for (const Instruction &I : instructions(Kernel))
    if (auto *Store = dyn_cast<StoreInst>(&I))
      Written.insert(baseOf(Store->getPointerOperand()));
  for (Instruction &I : instructions(Kernel))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getPointerAddressSpace() != SharedSpace && !Written.contains(baseOf(Load->getPointerOperand())))
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(Kernel.getContext(), {}));
}

void collectNewDeclarations(Module &M) {
  for (Function &F : make_early_inc_range(M))
    if (F.isIntrinsic() && F.use_empty() && F.getName().starts_with("llvm.nvvm."))
      F.eraseFromParent();
}

} // namespace

// The module of a function's kernels.
struct PolyrsDevice {
  std::unique_ptr<Module> M;
  std::string Libdevice; // path of its bitcode; empty: there is none
};

// What takes the place of a kernel's blocks; mirrored by `RawKernel` in ir_device.rs.
struct PolyrsKernel {
  LLVMBasicBlockRef Before; // stores the parameters; without terminator
  LLVMBasicBlockRef After;
  LLVMValueRef Room; // one 8-byte slot per parameter
  uint64_t Count;
};

POLYRS_EXPORT PolyrsDevice *polyrs_device_new(LLVMModuleRef HostRef, PolyrsStr Libdevice) {
  auto *Device = new PolyrsDevice;
  Device->Libdevice = stringRef(Libdevice).str();
  Device->M = std::make_unique<Module>("polyrs", unwrap(HostRef)->getContext());
  Device->M->setTargetTriple(Triple(DeviceTriple));
  return Device;
}

POLYRS_EXPORT void polyrs_device_free(PolyrsDevice *Device) { delete Device; }

// Moves `Blocks` (one entry, which comes first and has no phis, one exit; nothing they compute is used behind them)
// into a kernel called `Name`, whose blocks have so many threads along x, y and z. They access memory through `Bases`
// alone: addresses that they compute from the host's, of the same order (null: there is none), move there; and through
// `SharedRef` (null: they do not), which stands for so many bytes that threads of a block share. The word at
// `ErrorRef`, one of `Bases` (null: there is none), becomes 1 where the host would set errno to EDOM. False: they
// cannot be moved, `Error` says why, and `FunctionRef` is broken. `Used`: which of the bases are parameters of the
// kernel.
POLYRS_EXPORT bool polyrs_device_kernel(PolyrsDevice *Device, LLVMValueRef FunctionRef, LLVMBasicBlockRef *Blocks, size_t Count,
                                        LLVMValueRef *BaseRefs, LLVMValueRef *HostRefs, bool *Used, size_t BaseCount, PolyrsStr Name,
                                        const uint32_t *Threads, LLVMValueRef SharedRef, uint64_t SharedBytes, LLVMValueRef ErrorRef,
                                        PolyrsKernel *Out, PolyrsText *Error) {
  Function &F = *cast<Function>(unwrap(FunctionRef));
  SmallVector<BasicBlock *, 16> Region;
  for (size_t I = 0; I < Count; ++I)
    Region.push_back(unwrap(Blocks[I]));
  if (ErrorRef)
    notingErrors(Region, unwrap(ErrorRef));
  for (BasicBlock *BB : Region)
    for (Instruction &I : make_early_inc_range(*BB)) {
      if (isClaim(I)) {
        I.eraseFromParent();
        continue;
      }
      for (size_t K = 0; K < BaseCount; ++K)
        if (isa<GetElementPtrInst, LoadInst, StoreInst>(I) && HostRefs[K])
          I.replaceUsesOfWith(unwrap(HostRefs[K]), unwrap(BaseRefs[K]));
    }
  bool OtherNumbers = F.hasFnAttribute(Attribute::StrictFP) || F.getDenormalMode(APFloat::IEEEdouble()) != DenormalMode::getIEEE() ||
                      F.getDenormalMode(APFloat::IEEEsingle()) != DenormalMode::getIEEE();
  if (OtherNumbers) {
    Error->Text = "the function has a floating-point environment of its own";
    return false;
  }
  CodeExtractorAnalysisCache Cache(F);
  CodeExtractor Extractor(Region, /*DT=*/nullptr, /*AggregateArgs=*/false);
  SetVector<Value *> Inputs, Outputs, Sunk;
  if (Extractor.isEligible())
    Extractor.findInputsOutputs(Inputs, Outputs, Sunk);
  DISubprogram *SP = F.getSubprogram();
  F.setSubprogram(nullptr);
  Function *Extracted = Extractor.isEligible() && Outputs.empty() ? Extractor.extractCodeRegion(Cache) : nullptr;
  F.setSubprogram(SP);
  if (!Extracted) {
    Error->Text = "a kernel cannot be moved into a function";
    return false;
  }
  auto *Call = cast<CallInst>(Extracted->user_back());
  SmallPtrSet<const Argument *, 8> Bases;
  for (auto [Parameter, Argument] : zip(Extracted->args(), Call->args()))
    for (size_t I = 0; I < BaseCount; ++I)
      if (Argument.get() == unwrap(BaseRefs[I])) {
        Bases.insert(&Parameter);
        Used[I] = true;
      }
  const llvm::Argument *Shared = nullptr;
  for (auto [Parameter, Argument] : zip(Extracted->args(), Call->args()))
    if (SharedRef && Argument.get() == unwrap(SharedRef))
      Shared = &Parameter;
  if (Shared)
    Bases.insert(Shared);
  for (const Argument &Parameter : Extracted->args())
    if (!isNumber(Parameter.getType()) && !Bases.contains(&Parameter))
      Error->Text = "a kernel uses a value that cannot be handed over";
  bool HasMulAdd = false;
  for (const Instruction &I : instructions(*Extracted)) {
    if (Error->Text.empty())
      Error->Text = refusal(I, Bases, !Device->Libdevice.empty());
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      HasMulAdd |= Intrinsic->getIntrinsicID() == Intrinsic::fmuladd;
  }
  int Fuses = HasMulAdd ? fusesMulAdd(F) : 0;
  if (Error->Text.empty() && Fuses < 0)
    Error->Text = "whether the host fuses multiplications and additions is not known";

  BasicBlock *Before = Call->getParent();
  if (Error->Text.empty()) {
    Module &M = *Device->M;
    SmallVector<Type *, 8> Types;
    SmallVector<Value *, 8> Arguments;
    for (auto [Parameter, Argument] : zip(Extracted->args(), Call->args()))
      if (&Parameter != Shared) {
        Types.push_back(Parameter.getType());
        Arguments.push_back(Argument.get());
      }
    auto *Signature = FunctionType::get(Type::getVoidTy(F.getContext()), Types, /*isVarArg=*/false);
    auto *Kernel = Function::Create(Signature, GlobalValue::ExternalLinkage, stringRef(Name), M);
    ValueToValueMapTy Map;
    auto *Next = Kernel->arg_begin();
    for (const llvm::Argument &From : Extracted->args())
      if (&From != Shared)
        Map[&From] = &*Next++;
    if (Shared) {
      auto *Room = ArrayType::get(Type::getInt8Ty(F.getContext()), SharedBytes);
      auto *Block = new GlobalVariable(M, Room, /*isConstant=*/false, GlobalValue::InternalLinkage, UndefValue::get(Room),
                                       stringRef(Name) + "_shared", nullptr, GlobalValue::NotThreadLocal, SharedSpace);
      Block->setAlignment(Align(SharedAlignment));
      Map[Shared] = Block;
    }
    for (const Instruction &I : instructions(*Extracted))
      if (auto *Called = dyn_cast<IntrinsicInst>(&I)) {
        Function *Callee = Called->getCalledFunction();
        auto *Own = cast<Function>(M.getOrInsertFunction(Callee->getName(), Callee->getFunctionType()).getCallee());
        Own->setAttributes(Intrinsic::getAttributes(F.getContext(), Called->getIntrinsicID(), Callee->getFunctionType()));
        Map[Callee] = Own;
      }
    SmallVector<ReturnInst *, 1> Returns;
    Extracted->setSubprogram(nullptr);
    // Nothing in a kernel unwinds: whoever handles exceptions of the host's function belongs to its module.
    Extracted->setPersonalityFn(nullptr);
    CloneFunctionInto(Kernel, Extracted, Map, CloneFunctionChangeType::DifferentModule, Returns);
    // Cloning between modules makes an empty list of compile units.
    if (NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu"))
      Units->eraseFromParent();
    Kernel->setAttributes(AttributeList());
    Kernel->addFnAttr(Attribute::NoUnwind);
    // The assembler has to see to it that registers do for a whole block. For a small one they do anyway.
    if (uint64_t(Threads[0]) * Threads[1] * Threads[2] * MostRegistersOfThread > RegistersOfBlock)
      Kernel->addFnAttr("nvvm.maxntid", utostr(Threads[0]) + "," + utostr(Threads[1]) + "," + utostr(Threads[2]));
    Kernel->setCallingConv(CallingConv::PTX_Kernel);
    Kernel->setLinkage(GlobalValue::ExternalLinkage);
    plain(*Kernel);
    sayWhatIsOnlyRead(*Kernel);
    for (Instruction &I : make_early_inc_range(instructions(*Kernel)))
      if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
        if (Intrinsic->getIntrinsicID() == Intrinsic::fmuladd)
          asOnHost(*Intrinsic, Fuses > 0);
        else
          callLibdevice(*Intrinsic);
      }

    auto *Slots = ArrayType::get(Type::getInt64Ty(F.getContext()), std::max<size_t>(1, Arguments.size()));
    auto *Room = new AllocaInst(Slots, F.getDataLayout().getAllocaAddrSpace(), "polyrs.params", F.getEntryBlock().begin());
    IRBuilder<> Builder(Call);
    for (auto [Index, Argument] : enumerate(Arguments))
      Builder.CreateStore(Argument, Builder.CreateConstInBoundsGEP2_64(Slots, Room, 0, Index));
    Out->Room = wrap(Room);
    Out->Count = Arguments.size();
  }
  Out->Before = wrap(Before);
  Out->After = wrap(Before->getSingleSuccessor());
  Call->eraseFromParent();
  Extracted->eraseFromParent();
  Before->getTerminator()->eraseFromParent();
  collectNewDeclarations(*F.getParent());
  return Error->Text.empty();
}

// Whether an instruction is a square root that sets errno where there is none.
POLYRS_EXPORT bool polyrs_device_may_fail(LLVMValueRef Inst) {
  auto *I = dyn_cast_or_null<Instruction>(unwrap(Inst));
  return I && isRootWithError(*I);
}

// Makes the backend known; false if the program that the plugin is loaded into has none.
static bool initialize() {
  for (const char *Part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
    std::string Symbol = std::string("LLVMInitializeNVPTX") + Part;
    auto *Entry = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, Symbol.c_str()));
    if (!Entry)
      return false;
    Entry();
  }
  return true;
}

namespace {

// A module in a context of its own: what is told of it by passes is told to nobody.
class Isolated {
public:
  LLVMContextRef Context = LLVMContextCreate();
  LLVMModuleRef M = nullptr;

  explicit Isolated(Module &From) {
    LLVMMemoryBufferRef Bits = LLVMWriteBitcodeToMemoryBuffer(wrap(&From));
    LLVMParseBitcodeInContext2(Context, Bits, &M);
    LLVMDisposeMemoryBuffer(Bits);
  }
  ~Isolated() {
    if (M)
      LLVMDisposeModule(M);
    LLVMContextDispose(Context);
  }
};

} // namespace

// Puts the functions that kernels call into their module, under names that no other module's kernels have: all of a
// program lie in one text.
static bool linkLibdevice(LLVMModuleRef Into, const std::string &Path, std::string &Error) {
  Module &M = *unwrap(Into);
  bool Calls = any_of(M, [](const Function &F) { return F.getName().starts_with("__nv_"); });
  if (!Calls)
    return true;
  auto Bits = MemoryBuffer::getFile(Path);
  if (!Bits) {
    Error = "libdevice cannot be read: " + Bits.getError().message();
    return false;
  }
  // What is wrong with it is no error of the user's program.
  Expected<std::unique_ptr<Module>> Library = parseBitcodeFile((*Bits)->getMemBufferRef(), M.getContext());
  if (!Library) {
    Error = "libdevice is no bitcode: " + Path + ": " + toString(Library.takeError());
    return false;
  }
  (*Library)->setTargetTriple(M.getTargetTriple());
  (*Library)->setDataLayout(M.getDataLayout());
  std::string Suffix;
  for (const Function &F : M)
    if (F.getCallingConv() == CallingConv::PTX_Kernel && Suffix.empty())
      Suffix = "_" + F.getName().str();
  for (Function &F : **Library) {
    F.removeFnAttr("target-features");
    F.removeFnAttr("target-cpu");
  }
  if (Linker::linkModules(M, std::move(*Library))) {
    Error = "libdevice does not fit: " + Path;
    return false;
  }
  for (Function &F : M) {
    if (F.getCallingConv() == CallingConv::PTX_Kernel || F.isIntrinsic() || F.getName().starts_with("__nvvm_reflect"))
      continue;
    if (F.isDeclaration() && !F.use_empty()) {
      Error = "libdevice has no " + F.getName().str();
      return false;
    }
    if (!F.isDeclaration()) {
      F.setLinkage(GlobalValue::InternalLinkage);
      F.setName(F.getName() + Suffix);
    }
  }
  for (GlobalVariable &G : M.globals())
    if (!G.isDeclaration() && !G.getName().ends_with("_shared") && !G.getName().starts_with("llvm.")) {
      G.setLinkage(GlobalValue::InternalLinkage);
      G.setName(G.getName() + Suffix);
    }
  return true;
}

static bool compile(PolyrsDevice &Device, LLVMTargetMachineRef Machine, PolyrsText *Ptx, PolyrsText *Error) {
  Isolated Own(*Device.M);
  if (!Own.M) {
    Error->Text = "the kernels cannot be read back";
    return false;
  }
  LLVMTargetDataRef Layout = LLVMCreateTargetDataLayout(Machine);
  LLVMSetModuleDataLayout(Own.M, Layout);
  LLVMDisposeTargetData(Layout);
  if (!Device.Libdevice.empty() && !linkLibdevice(Own.M, Device.Libdevice, Error->Text))
    return false;
  bool IsExact = none_of(*unwrap(Own.M), [](const Function &F) { return F.getName().starts_with("__nv_"); });
  auto OfKernels = [&Own](auto Change) {
    for (Function &F : *unwrap(Own.M))
      if (F.getCallingConv() == CallingConv::PTX_Kernel)
        Change(F);
  };
  OfKernels(polyrsKeepRimsApart);
  LLVMPassBuilderOptionsRef Options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef Failed = LLVMRunPasses(Own.M, "default<O3>", Machine, Options);
  LLVMDisposePassBuilderOptions(Options);
  if (Failed) {
    LLVMConsumeError(Failed);
    Error->Text = "LLVM's passes do not know the kernels";
    return false;
  }
  OfKernels(polyrsStepRows);
  OfKernels(polyrsSplitProducts);
  char *Message = nullptr;
  LLVMMemoryBufferRef Text = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(Machine, Own.M, LLVMAssemblyFile, &Message, &Text)) {
    Error->Text = Message ? Message : "the backend makes no PTX";
    LLVMDisposeMessage(Message);
    return false;
  }
  Ptx->Text = polyrsWithoutCutStores({LLVMGetBufferStart(Text), LLVMGetBufferSize(Text)});
  LLVMDisposeMemoryBuffer(Text);
  for (const char *Inexact : {".approx", ".ftz", ".full"})
    if (IsExact && StringRef(Ptx->Text).contains(Inexact)) {
      Error->Text = std::string("the backend was told to compute other bits (") + Inexact + ")";
      return false;
    }
  return true;
}

// The kernels as PTX for an architecture and what came after it.
POLYRS_EXPORT bool polyrs_device_compile(PolyrsDevice *Device, PolyrsStr Arch, PolyrsText *Ptx, PolyrsText *Error) {
  static const bool Known = initialize();
  LLVMTargetRef Target = nullptr;
  char *Message = nullptr;
  if (!Known || LLVMGetTargetFromTriple(DeviceTriple, &Target, &Message)) {
    LLVMDisposeMessage(Message);
    Error->Text = "the compiler has no backend for it (NVPTX)";
    return false;
  }
  std::string Cpu = stringRef(Arch).str();
  LLVMTargetMachineRef Machine = LLVMCreateTargetMachine(Target, DeviceTriple, Cpu.c_str(), "", LLVMCodeGenLevelAggressive,
                                                         LLVMRelocDefault, LLVMCodeModelDefault);
  auto *M = reinterpret_cast<TargetMachine *>(Machine);
  bool Done = false;
  if (!M->getMCSubtargetInfo()->isCPUStringValid(Cpu)) {
    Error->Text = "the backend knows no architecture " + Cpu;
  } else {
    M->Options.AllowFPOpFusion = FPOpFusion::Strict;
    Done = compile(*Device, Machine, Ptx, Error);
  }
  LLVMDisposeTargetMachine(Machine);
  return Done;
}

// Gives the constant called `Symbol` its value, or that of this name and a number that has none yet: kernels as PTX,
// with their names. Without uses it goes.
POLYRS_EXPORT void polyrs_device_fill(PolyrsModule *Wrapped, PolyrsStr Symbol, const PolyrsStr *Texts, size_t TextCount, const PolyrsStr *Names, size_t Count,
                                      uint32_t Version) {
  Module &M = Wrapped->M;
  std::string Name = stringRef(Symbol).str();
  GlobalVariable *Code = M.getNamedGlobal(Name);
  for (unsigned K = 1; Code && Code->hasInitializer(); ++K)
    Code = M.getNamedGlobal(Name + "." + utostr(K));
  if (!Code)
    return;
  if (Code->use_empty()) {
    Code->eraseFromParent();
    return;
  }
  auto Constant = [&](llvm::Constant *Value, const Twine &Of) {
    return new GlobalVariable(M, Value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, Value, Of);
  };
  auto Text = [&](PolyrsStr Of, const Twine &Suffix) {
    return Constant(ConstantDataArray::getString(M.getContext(), stringRef(Of)), Name + Suffix);
  };
  auto List = [&](ArrayRef<llvm::Constant *> All, const Twine &Suffix) {
    return Constant(ConstantArray::get(ArrayType::get(PointerType::get(M.getContext(), 0), All.size()), All), Name + Suffix);
  };
  SmallVector<llvm::Constant *, 8> AllTexts, AllNames;
  for (size_t K = 0; K < TextCount; ++K)
    AllTexts.push_back(Text(Texts[K], K ? "." + utostr(K) + ".ptx" : std::string(".ptx")));
  for (size_t K = 0; K < Count; ++K)
    AllNames.push_back(Text(Names[K], ".name." + utostr(K)));
  auto Number = [&](uint64_t Value) { return ConstantInt::get(Type::getInt32Ty(M.getContext()), Value); };
  llvm::Constant *Fields[] = {List(AllTexts, ".texts"), List(AllNames, ".names"), Number(Count), Number(Version), Number(TextCount)};
  Code->setInitializer(ConstantStruct::get(cast<StructType>(Code->getValueType()), Fields));
  Code->setConstant(true);
  Code->setLinkage(GlobalValue::PrivateLinkage);
}
