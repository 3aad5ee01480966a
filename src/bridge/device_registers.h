// Values that LLVM would keep in registers all over a kernel although only a part of it needs them.
#ifndef POLYRS_DEVICE_REGISTERS_H
#define POLYRS_DEVICE_REGISTERS_H

namespace llvm {
class Function;
}

// Before LLVM's passes: what the loops at the rims of tiles compute stays with these loops, beside the loops that have
// a whole tile of elements in registers. LLVM computes all of it in front of the outermost loop.
void polyrsKeepRimsApart(llvm::Function &F);

// Behind LLVM's passes: the addresses of elements in rows that are as long as a value says go from one row to the next,
// where the rows are loaded, and again where they are stored. LLVM computes all of them once, in front of the outermost
// loop, and each takes two registers until the end of the kernel.
void polyrsStepRows(llvm::Function &F);

// Behind LLVM's passes: many products of 64-bit integers that are added to something are computed half by half. The
// assembler would do that, with two more registers for many of them at a time.
void polyrsSplitProducts(llvm::Function &F);

#endif
