// Where only large data gains by a new order, one comparison at run time decides between it and the original.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<only-func=jacobi>' -pass-remarks=polyrs -S %t.ll -o %t.out.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.out.ll
// RUN: %opt '-passes=polyrs<only-func=product>' -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ANY --implicit-check-not='if sizes'
// RUN: %opt '-passes=polyrs<only-func=sweep>' -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NONE

// Tiled over time only where the planes do not stay in the second-level cache; a few steps are enough there.
// REMARK: remark: {{.*}}loops reordered: {{.*}}tiled in diamonds {{.*}}if sizes are at least {{[0-9]+}}
// CHECK-LABEL: define {{.*}}@jacobi
// CHECK: polyrs.check:
// CHECK: icmp sge i64 {{.*}}, 3{{$}}
// CHECK: icmp sge i64 {{.*}}, {{[0-9][0-9][0-9]+$}}
// CHECK: br i1
void jacobi(int steps, int n, double a[restrict n][n], double b[restrict n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 0.2 * (b[i][j] + b[i][j - 1] + b[i][j + 1] + b[i - 1][j] + b[i + 1][j]);
    }
}

// A matrix product gains in every size that matters; it is packed where its loops are long enough.
// ANY: remark: {{.*}}loops reordered: {{.*}}packed for {{.*}}if a run-time check allows it
void product(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}

// One sweep gains in none.
// NONE: order of the loops kept
void sweep(int n, double a[restrict n][n], double b[restrict n][n])
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j]);
}
