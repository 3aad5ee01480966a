// Tile sizes are given outermost first, in the order that the loops have in the end.

// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs<tile-sizes=8,16,32>' -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: %opt '-passes=polyrs<tile-sizes=8>' -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %opt '-passes=polyrs<tile-sizes=64,128,256;2nd-level-tile-sizes=8,16,32>' -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=LEVELS

// THREE: loops reordered: interchanged, tiled 8x16x32,
// ONE: loops reordered: interchanged, tiled 8x8x8,
// LEVELS: loops reordered: interchanged, tiled 8x16x32 in 64x128x256,
void product(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}
