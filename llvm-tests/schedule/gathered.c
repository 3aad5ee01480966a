// What a processor gathers at once takes longer on many than as many loads: distances of all pairs of rows run in lanes
// whose elements are loaded row by row, not in vectors of columns.

// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -Rpass=polyrs -S -emit-llvm %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE --implicit-check-not=llvm.masked.gather --input-file=%t.ll

// CHECK: remark: loops reordered: {{.*}}rows in 8 lanes
// CODE: fcmp {{.*}}<8 x float>
void pairs(int n, int m, int ld, const int *restrict x, const float *restrict w, float *restrict y) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int k = 0; k < n; k++) {
        int a = x[i * ld + k];
        float b = w[j * ld + k];
        s += a - b < 0 ? -(a - b) : a - b;
      }
      y[i * ld + j] = s;
    }
}
