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

#endif
