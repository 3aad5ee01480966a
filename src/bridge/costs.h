// Costs of instructions on the target.
#ifndef POLYRS_COSTS_H
#define POLYRS_COSTS_H

#include "bridge/bridge.h"

#include "llvm/Analysis/TargetTransformInfo.h"

// Not known, or not possible on the target.
constexpr uint32_t PolyrsNoCost = ~uint32_t(0);

// Costs of one instruction, see `Costs` in `facts/costs.rs`.
struct PolyrsCosts {
  uint32_t Throughput, Latency, Vector, Lanes;
};

PolyrsCosts polyrsCostsOf(const llvm::Instruction &I, const llvm::TargetTransformInfo &Target, const llvm::DataLayout &DL);

// Whether the instruction does the same to each element of vectors as to scalars: where each is one that a scalar would
// have (bit 3), and whatever is in them (bit 0).
uint64_t polyrsLanewise(const llvm::Instruction &I);

#endif
