// Where threads are wanted, what one thread does best is not given up: products from packed copies, whose rows threads
// share, and scalars in arrays for strips of the loops. Each thread has its own record and copies.

// REQUIRES: libomp
// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.old && %t.old > %t.old.txt
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-fatal-bugs -Rpass=polyrs %s -o %t.new -lomp 2>&1 | FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t.new > %t.1.txt && diff %t.old.txt %t.1.txt
// RUN: env OMP_NUM_THREADS=2 %t.new > %t.2.txt && diff %t.old.txt %t.2.txt
// RUN: env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.old.txt %t.5.txt

#include <stdio.h>
#define N 500
static double a[N][N], b[N][N], c[N][N], l[N][N];

__attribute__((noinline)) static void product(void) {
  // CHECK: best-of-one.c:[[@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed {{.*}}in threads
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) static void lower(void) {
  // CHECK: best-of-one.c:[[@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}packed {{.*}}in threads
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j <= i; j++)
        l[i][j] += a[i][k] * b[j][k];
}

__attribute__((noinline)) static void symmetric(void) {
  // CHECK: best-of-one.c:[[@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}scalars in arrays for strips
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < i; k++) {
        c[k][j] += 1.5 * b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] = 1.2 * c[i][j] + 1.5 * b[i][j] * a[i][i] + 1.5 * sum;
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * j % 17) / 7.0, b[i][j] = (i + 3 * j) % 13 / 11.0, c[i][j] = i - j, l[i][j] = 1;
  product();
  lower();
  symmetric();
  double s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s = s * 0.999 + c[i][j] - l[i][j];
  printf("%a %a %a\n", s, c[17][N - 1], l[N - 1][5]);
}
