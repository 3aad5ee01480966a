// What only some iterations of a loop may load is gathered in vectors, one element for all of them, too: new code with
// little arithmetic beside does without vectors there. What all load is loaded once before the loop.

// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass=polyrs -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE --implicit-check-not=llvm.masked.gather --input-file=%t.ll

// CHECK: remark: loops reordered: same order, written anew
// CODE-LABEL: define {{.*}}@choose
void choose(long n, long m, long p, int ld, double (*restrict a)[ld], const double *restrict b,
            const float (*restrict c)[ld], const double *restrict d) {
  for (long i = 2; i < n - 2; i++)
    for (long j = 2; j < m - 2; j++)
      for (long k = 2; k < p - 2; k++)
        a[i + 1][j] += d[k] * ((double)c[i + 2][k + i] > b[j] ? d[j + i] : 1.25);
}
