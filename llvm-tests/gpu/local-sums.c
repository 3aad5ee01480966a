// Sums that the host's loops keep in arrays of their own have no kernels; the same sums in elements of the array do.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: local-sums.c:[[#@LINE+3]]:3: remark: loops get no kernel for a GPU: the host's loops keep local variables in arrays of their own (what is added up in an array's element has a kernel)
// CHECK-NOT: with kernels for a GPU
void local(int n, int a[restrict n][n], int b[restrict n][n], int c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[k][i] * b[j][k];
      c[i][j] = sum;
    }
}

// CHECK: local-sums.c:[[#@LINE+2]]:{{.*}} with kernels for a GPU
void element(int n, int a[restrict n][n], int b[restrict n][n], int c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[k][i] * b[j][k];
    }
}
