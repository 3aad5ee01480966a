// What LLVM's code generation cannot do with code that LLVM's passes make of new code.

#include "bridge/bridge.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace {

// Bits of the vectors that LLVM takes apart where shorter ones are preferred.
constexpr unsigned WideBits = 512;

bool multipliesWide(const Instruction &I) {
  auto *Type = dyn_cast<FixedVectorType>(I.getType());
  return I.getOpcode() == Instruction::Mul && Type && Type->getElementType()->isIntegerTy(64) &&
         Type->getPrimitiveSizeInBits().getFixedValue() >= WideBits;
}

// Whether the user wrote `I` for this very processor.
bool isOfTarget(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && (Call->isInlineAsm() || (Call->getCalledFunction() && Call->getCalledFunction()->isTargetIntrinsic()));
}

} // namespace

// Keeps instruction selection of LLVM 22 from a crash: it makes vpmadd52luq of every product of 64-bit numbers that are
// known to have at most 52 bits, and cannot take that apart where vectors of 512 bits are not to be used
// (llvm-project#183250 mends it). SLP vectorization writes such products for the addresses of eight rows. True if `F`
// changed: it does without the instruction. Before this runs, the function may still be inlined or be inlined into.
bool polyrsAvoidFaults(Function &F, const TargetTransformInfo &Target) {
  StringRef Features = F.getFnAttribute("target-features").getValueAsString();
  if (!Triple(F.getParent()->getTargetTriple()).isX86() || !Features.contains("+avx512ifma") ||
      Target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue() >= WideBits)
    return false;
  if (none_of(instructions(F), multipliesWide) || any_of(instructions(F), isOfTarget))
    return false;
  F.addFnAttr("target-features", (Features + ",-avx512ifma").str());
  return true;
}
