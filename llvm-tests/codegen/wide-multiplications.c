// LLVM 22 makes vpmadd52luq of products of 64-bit numbers that are known to have at most 52 bits, also where vectors of
// 512 bits are to be taken apart: its instruction selection then ends in a crash. New code whose addresses LLVM
// multiplies eight at a time does without that instruction, if the processor has it and prefers shorter vectors;
// functions of the user's are left alone.

// RUN: %clang -O3 -march=icelake-server -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %clang -O3 -march=icelake-server -fpass-plugin=%plugin -c %s -o %t.o
// RUN: %clang -O3 -march=icelake-server -mprefer-vector-width=512 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=KEPT %s
// RUN: %clang -O3 -march=znver5 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck --check-prefix=KEPT %s
// KEPT-NOT: -avx512ifma

typedef unsigned short T;

// CHECK: define {{.*}}@gathers({{.*}} [[WITHOUT:#[0-9]+]]
// CHECK: mul {{.*}}<8 x i64>
void gathers(int n, int m, int width, T a[][width], int length, T b[][length], T c[]) {
  for (int i = 1; i < n + 2; i++)
    for (int j = 1; j < 9; j++)
      for (int k = i + 2; k < m + 2; k++) {
        unsigned x = a[2 * j - 2][0], y = b[2 * k + 1][i];
        c[2 * k - 6] = (x > y ? x : y) + b[i + 2][k - 3];
      }
}

// CHECK: attributes [[WITHOUT]] = {{.*}}"target-features"="{{[^"]*}},-avx512ifma"
