// Sums of several rows run side by side in full tiles alone. A narrow band has none, and keeps its order; whole rows
// have them; those of two matrices that share a vector gain on common cores and more on quick ones.

// RUN: %clang -O1 -march=x86-64-v4 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: remark: {{.*}}order of the loops kept
void band(int n, int w, double A[restrict n][n], double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n && i <= j + w; i++)
            y[i] += A[i][j] * x[j];
}

// CHECK: remark: {{.*}}loops reordered: {{.*}}rows in 4 lanes
void rows(int n, double A[restrict n][n], double B[restrict n][n], double *restrict x, double *restrict y, double *restrict z)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            y[i] += A[i][j] * x[j];
            z[i] += B[i][j] * x[j];
        }
}
