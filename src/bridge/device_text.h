// The text of kernels behind the backend: what assemblers get wrong is written another way.
//
// In:     PTX as LLVM's backend writes it
// Out:    PTX that computes the same
// Source: PTX ISA, "Operand size exceeding instruction-type size"

#ifndef POLYRS_DEVICE_TEXT_H
#define POLYRS_DEVICE_TEXT_H

#include "llvm/ADT/StringRef.h"

#include <string>

// Stores of the low bytes of a wider register (the backend splits numbers that may lie at any address) get a register
// of their own width. NVIDIA's assembler up to 13.0, and the driver with it, takes the register for a floating-point
// number where such arithmetic has made it, and stores that number converted to an integer.
std::string polyrsWithoutCutStores(llvm::StringRef Ptx);

#endif
