// What the source says of its loops: `#pragma clang loop`, `#pragma unroll`, and other loop metadata.

#include "bridge/bridge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

// The property that asks for vectors of any width.
constexpr StringLiteral AsksForVectors = "llvm.loop.vectorize.enable";

// Properties of loops that ask LLVM for a transformation, or for none but those asked for; numbered from 1, mirrored by
// `PINS` in `read.rs`.
constexpr StringLiteral Pins[] = {"llvm.loop.disable_nonforced",
                                  "llvm.loop.distribute.enable",
                                  "llvm.loop.interleave.count",
                                  "llvm.loop.pipeline.initiationinterval",
                                  "llvm.loop.unroll.count",
                                  "llvm.loop.unroll.enable",
                                  "llvm.loop.unroll.full",
                                  "llvm.loop.unroll_and_jam.count",
                                  "llvm.loop.unroll_and_jam.enable",
                                  AsksForVectors,
                                  "llvm.loop.vectorize.width"};

// Whether a loop computes a chain of floating-point results, in a register or in an element that stays: where vectors
// are asked for, LLVM reorders its operations.
static bool hasChain(const Loop &L, ScalarEvolution &SE) {
  if (any_of(L.getHeader()->phis(), [](const PHINode &Phi) { return Phi.getType()->isFPOrFPVectorTy(); }))
    return true;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->getValueOperand()->getType()->isFPOrFPVectorTy())
        if (SE.isLoopInvariant(SE.getSCEV(Store->getPointerOperand()), &L))
          return true;
  return false;
}

// What the user says of a loop: 1 no vectors, 2 not unrolled, 4 not interleaved, what canonicalization says of it: 8
// that it was unrolled for pointers that take turns, 16 that its sizes are tested to stay, and from bit 8 on the number
// of the first property that pins it. A wish for vectors pins a loop only where LLVM would compute something else in
// them than its iterations in order do.
uint64_t polyrsHintsOf(const Loop &L, ScalarEvolution &SE) {
  MDNode *ID = L.getLoopID();
  uint64_t Hints = 0;
  if (!ID)
    return Hints;
  for (const MDOperand &Property : drop_begin(ID->operands())) {
    auto *Node = dyn_cast_or_null<MDNode>(Property);
    auto *Name = Node && Node->getNumOperands() ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
    if (!Name)
      continue;
    auto *Number = Node->getNumOperands() == 2 ? mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(1)) : nullptr;
    StringRef Text = Name->getString();
    bool IsOff = Number && Number->isZero(), IsOne = Number && Number->isOne();
    const auto *Pin = find(Pins, Text);
    if (Text == "llvm.loop.unroll.disable")
      Hints |= 2;
    else if ((Text == "llvm.loop.vectorize.width" && IsOne) || (Text == AsksForVectors && IsOff))
      Hints |= 1;
    else if (Text == "llvm.loop.interleave.count" && IsOne)
      Hints |= 4;
    else if (Text == PolyrsTurns)
      Hints |= 8;
    else if (Text == PolyrsSizes)
      Hints |= 16;
    else if (Text == AsksForVectors && !hasChain(L, SE))
      continue;
    else if (Pin != std::end(Pins) && !IsOff && Hints >> 8 == 0)
      Hints |= uint64_t(Pin - std::begin(Pins) + 1) << 8;
  }
  return Hints;
}
