// A function beside whose loops new code runs is inlined where it was without: a caller that knows small sizes has the
// loops alone, one that knows large ones calls the new code, or has it in place.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -Rpass=inline -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=INLINE

// INLINE: 'product' inlined into 'few'
// INLINE: 'product' inlined into 'many'

void product(int n, int m, const double *factor, const double *a, const double *b, double *c) {
  if (*factor == 0) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] = 0;
  } else {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] *= *factor;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (a[i * m + k] != 0)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * m + k] * b[j * m + k];
}

// CHECK-LABEL: define {{.*}} @few(
// CHECK-NOT: call {{.*}}polyrs
// CHECK-LABEL: define {{.*}} @many(
// CHECK: polyrs
void few(const double *f, const double *a, const double *b, double *c) { product(5, 3, f, a, b, c); }
void many(const double *f, const double *a, const double *b, double *c) { product(500, 300, f, a, b, c); }
