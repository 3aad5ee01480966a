// What the target costs: instructions, caches, registers, as `TargetTransformInfo` and, for code compiled for this very
// machine, the machine itself have it.

#include "bridge/costs.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

using namespace llvm;

using TTI = TargetTransformInfo;

namespace {

uint32_t costWord(InstructionCost Cost) {
  if (!Cost.isValid() || Cost < 0)
    return PolyrsNoCost;
  return static_cast<uint32_t>(std::min<int64_t>(Cost.getValue(), PolyrsNoCost - 1));
}

// The type whose width decides how many elements a vector has: the widest that the instruction reads or writes.
Type *widestType(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->getValueOperand()->getType();
  if (isa<CmpInst>(I))
    return I.getOperand(0)->getType();
  if (auto *Cast = dyn_cast<CastInst>(&I))
    return Cast->getSrcTy()->getScalarSizeInBits() > Cast->getDestTy()->getScalarSizeInBits() ? Cast->getSrcTy() : Cast->getDestTy();
  return I.getType();
}

// Cycles from the first to the last of the operations that a quotient by a number is made of (the upper half of a
// product, shifts, a difference), and a remainder (a product and a difference more). The tables count operations alone.
constexpr unsigned QuotientCycles = 6, RemainderCycles = 10;

// Whether it divides by a number that is no power of two.
bool dividesByNumber(const Instruction &I) {
  auto *By = I.getNumOperands() == 2 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
  return By && I.isIntDivRem() && !By->getValue().isPowerOf2() && !By->getValue().isNegatedPowerOf2() && By->getBitWidth() <= 64;
}

// Cost of the instruction. Products of narrow integers are those of 32 bits: that is what is made of them, while the
// tables have three times as much for bytes.
InstructionCost scalarCost(const Instruction &I, const TTI &Target, TTI::TargetCostKind Kind) {
  if (Kind == TTI::TCK_Latency && dividesByNumber(I)) {
    bool IsRemainder = I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem;
    return IsRemainder ? RemainderCycles : QuotientCycles;
  }
  if (I.getOpcode() == Instruction::Mul && I.getType()->isIntegerTy() && I.getType()->getIntegerBitWidth() < 32)
    return Target.getArithmeticInstrCost(Instruction::Mul, Type::getInt32Ty(I.getContext()), Kind);
  return Target.getInstructionCost(&I, Kind);
}

// Reciprocal throughput of the instruction done to `Lanes` elements at once.
InstructionCost vectorCost(const Instruction &I, const TTI &Target, unsigned Lanes) {
  const TTI::TargetCostKind Kind = TTI::TCK_RecipThroughput;
  auto Vector = [&](Type *T) { return T->isVoidTy() ? T : FixedVectorType::get(T, Lanes); };
  if (isa<BinaryOperator>(I) || isa<UnaryOperator>(I)) {
    TTI::OperandValueInfo Last = TTI::getOperandInfo(I.getOperand(I.getNumOperands() - 1));
    return Target.getArithmeticInstrCost(I.getOpcode(), Vector(I.getType()), Kind, {}, isa<BinaryOperator>(I) ? Last : TTI::OperandValueInfo());
  }
  if (auto *Cast = dyn_cast<CastInst>(&I)) {
    if (!VectorType::isValidElementType(Cast->getSrcTy()) || !VectorType::isValidElementType(Cast->getDestTy()))
      return InstructionCost::getInvalid();
    return Target.getCastInstrCost(I.getOpcode(), Vector(Cast->getDestTy()), Vector(Cast->getSrcTy()), TTI::getCastContextHint(&I), Kind);
  }
  if (auto *Cmp = dyn_cast<CmpInst>(&I))
    return Target.getCmpSelInstrCost(I.getOpcode(), Vector(Cmp->getOperand(0)->getType()), Vector(I.getType()), Cmp->getPredicate(), Kind);
  if (isa<SelectInst>(I))
    return Target.getCmpSelInstrCost(I.getOpcode(), Vector(I.getType()), Vector(Type::getInt1Ty(I.getContext())),
                                     CmpInst::BAD_ICMP_PREDICATE, Kind);
  if (isa<LoadInst, StoreInst>(I))
    return Target.getMemoryOpCost(I.getOpcode(), Vector(getLoadStoreType(&I)), getLoadStoreAlignment(&I),
                                  getLoadStoreAddressSpace(&I), Kind);
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic || !all_of(Intrinsic->args(), [&](const Use &U) { return U->getType() == I.getType(); }))
    return InstructionCost::getInvalid();
  SmallVector<Type *, 4> Arguments(Intrinsic->arg_size(), Vector(I.getType()));
  FastMathFlags Flags = isa<FPMathOperator>(I) ? I.getFastMathFlags() : FastMathFlags();
  return Target.getIntrinsicInstrCost(IntrinsicCostAttributes(Intrinsic->getIntrinsicID(), Vector(I.getType()), Arguments, Flags), Kind);
}

// Whether the function is compiled for the processor that the compiler runs on, by name (`-march=native`).
bool isForThisMachine(const Function &F) {
  static const std::string Name = sys::getHostCPUName().str();
  static const Triple::ArchType Arch = Triple(sys::getProcessTriple()).getArch();
  StringRef Wanted = F.getFnAttribute("target-cpu").getValueAsString();
  return Name != "generic" && Wanted == Name && F.getParent()->getTargetTriple().getArch() == Arch;
}

// Whether the function is compiled, by name, for processors whose last level of cache lies behind a mesh of many cores:
// lines come from it several times as slowly as on the quickest.
bool isMeshed(const Function &F) {
  static const char *const Names[] = {"skylake-avx512", "cascadelake",   "cooperlake",    "icelake-server",
                                      "sapphirerapids", "emeraldrapids", "graniterapids", "graniterapids-d"};
  StringRef Wanted = F.getFnAttribute("target-cpu").getValueAsString();
  return is_contained(Names, Wanted);
}

// Largest last level of cache that one group of cores has without a mesh: stacked caches have 96 MiB. Virtual machines
// may go by the name of a smaller processor.
constexpr uint64_t MostWithoutMesh = 128 << 20;

// Data cache of this machine at a level from 1 to 3; 0: it does not say.
uint64_t cacheBytesHere(int Level) {
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const int Names[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
  long Bytes = sysconf(Names[Level - 1]);
  return Bytes > 0 ? Bytes : 0;
#else
  return 0;
#endif
}

} // namespace

PolyrsCosts polyrsCostsOf(const Instruction &I, const TTI &Target, const DataLayout &DL) {
  PolyrsCosts Costs{PolyrsNoCost, PolyrsNoCost, PolyrsNoCost, 0};
  Costs.Throughput = costWord(scalarCost(I, Target, TTI::TCK_RecipThroughput));
  Costs.Latency = costWord(scalarCost(I, Target, TTI::TCK_Latency));
  Type *Widest = widestType(I);
  if (!VectorType::isValidElementType(Widest) || I.isTerminator() || isa<PHINode, AllocaInst, GetElementPtrInst>(I))
    return Costs;
  uint64_t Bits = DL.getTypeSizeInBits(Widest).getFixedValue();
  uint64_t VectorBits = Target.getRegisterBitWidth(TTI::RGK_FixedWidthVector).getFixedValue();
  if (Bits < 8 || VectorBits < 2 * Bits)
    return Costs;
  Costs.Lanes = static_cast<uint32_t>(VectorBits / Bits);
  Costs.Vector = costWord(vectorCost(I, Target, Costs.Lanes));
  return Costs;
}

// Whether programs get memory from the operating system by calls whose numbers src/codegen/contraction/room.rs knows,
// and the module means these by their names.
static bool canMapMemory(const Module &M) {
  const Triple &Target = M.getTargetTriple();
  bool IsKnown = Target.getArch() == Triple::x86_64 || Target.isAArch64(64) || Target.isRISCV64();
  bool IsLinux = Target.isOSLinux() && (Target.isGNUEnvironment() || Target.isMusl()) && !Target.isX32();
  auto IsTheirs = [&](StringRef Name) {
    const Function *F = M.getFunction(Name);
    return !M.getNamedAlias(Name) && !M.getNamedGlobal(Name) && (!F || F->isDeclaration());
  };
  return IsKnown && IsLinux && all_of(ArrayRef<StringRef>{"mmap", "munmap", "__errno_location"}, IsTheirs);
}

// What the target offers to the clone; 0: it does not say. Mirrored by `Target` in `target.rs`.
struct PolyrsMachine {
  uint64_t L1Bytes, L2Bytes, L3Bytes;
  uint32_t VectorBits, VectorRegisters, Cores, LineBytes, WidestBits, HasRoom, IsMeshed;
};

POLYRS_EXPORT void polyrs_clone_machine(PolyrsClone *C, PolyrsMachine *Out) {
  auto &Target = C->Module.FAM.getResult<TargetIRAnalysis>(*C->Clone);
  bool IsHere = isForThisMachine(*C->Original);
  // LLVM's tables have one size for a whole vendor (256 KiB behind every x86 core); this machine knows better.
  auto Bytes = [&](TTI::CacheLevel Level, int Number) {
    uint64_t Here = IsHere ? cacheBytesHere(Number) : 0;
    return Here ? Here : Target.getCacheSize(Level).value_or(0);
  };
  Out->L1Bytes = Bytes(TTI::CacheLevel::L1D, 1);
  Out->L2Bytes = Bytes(TTI::CacheLevel::L2D, 2);
  Out->L3Bytes = IsHere ? cacheBytesHere(3) : 0;
  Out->VectorBits = Target.getRegisterBitWidth(TTI::RGK_FixedWidthVector).getFixedValue();
  Out->VectorRegisters = Target.getNumberOfRegisters(Target.getRegisterClassForType(/*Vector=*/true));
  Out->Cores = IsHere ? std::max(get_physical_cores(), 0) : 0;
  Out->IsMeshed = isMeshed(*C->Original) || Out->L3Bytes > MostWithoutMesh;
  Out->LineBytes = Target.getCacheLineSize();
  StringRef Features = C->Original->getFnAttribute("target-features").getValueAsString();
  bool HasFullVectors = C->Original->getParent()->getTargetTriple().isX86() && Features.contains("+avx512f");
  auto &Library = C->Module.FAM.getResult<TargetLibraryAnalysis>(*C->Original);
  bool IsHosted = Library.has(LibFunc_malloc) && Library.has(LibFunc_free);
  Out->HasRoom = IsHosted && canMapMemory(*C->Original->getParent());
  Out->WidestBits = HasFullVectors ? std::max(Out->VectorBits, 512u) : Out->VectorBits;
}

// Whether arithmetic can do no harm to any value.
static bool isHarmless(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return true;
  case Instruction::Call: {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
    return Intrinsic &&
           (Intrinsic->getIntrinsicID() == Intrinsic::fmuladd || Intrinsic->getIntrinsicID() == Intrinsic::fma);
  }
  default:
    return false;
  }
}

uint64_t polyrsLanewise(const Instruction &I) {
  if (I.getType()->isVectorTy())
    return 0;
  if (isHarmless(I))
    return 9;
  if (I.getOpcode() == Instruction::FDiv || isa<FCmpInst>(I))
    return 8;
  // Choices and conversions of numbers.
  if (isa<SelectInst>(I))
    return I.getType()->isFloatingPointTy() || I.getType()->isIntegerTy() ? 8 : 0;
  if (isa<SIToFPInst, UIToFPInst, FPExtInst, FPTruncInst>(I)) {
    auto IsUsual = [](Type *T) { return T->isFloatTy() || T->isDoubleTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 64); };
    return IsUsual(I.getType()) && IsUsual(I.getOperand(0)->getType()) ? 8 : 0;
  }
  auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  switch (Intrinsic ? Intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::sqrt:
  case Intrinsic::fabs:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::smax:
  case Intrinsic::smin:
  case Intrinsic::umax:
  case Intrinsic::umin:
    return 8;
  default:
    return 0;
  }
}
