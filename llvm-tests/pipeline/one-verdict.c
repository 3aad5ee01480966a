// Loops that are a region of their own have one verdict, in either mode: why those around them are no region is told
// where these begin, with the line that it is about.

// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREADS --implicit-check-not=remark:

typedef struct {
  double *begin, *end;
} row;

// CHECK: [[#@LINE+5]]:3: remark: loops not optimized: the number of iterations of the loop in line [[#@LINE+6]] is not an affine function
// CHECK: [[#@LINE+5]]:5: remark: order of the loops kept
// THREADS: [[#@LINE+3]]:3: remark: loops not optimized: the number of iterations of the loop in line [[#@LINE+4]] is not an affine function
// THREADS: [[#@LINE+3]]:5: remark: loops run in threads
void ragged(row *rows, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < rows[i].end - rows[i].begin; j++)
      rows[i].begin[j] *= 2;
}
