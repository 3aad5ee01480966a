// Unrolling a loop and jamming its copies pays where the copies' loops have the same bounds. Where a loop inside runs up to the value of the
// jammed one they have only if that loop is tiled, too: LU factorization is tiled in all three loops, and then jammed.

// RUN: %clang -O1 -march=x86-64-v3 -DSHAPE_GLOBAL -Xclang -disable-llvm-passes -S -emit-llvm %kernels/lu.c -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs %t.ll -disable-output 2>&1 | FileCheck %s

// CHECK: remark: {{.*}} loops reordered: {{.*}}tiled 64x16x128, unrolled and jammed by 4
