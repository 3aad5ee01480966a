// Sums of a loop without a block in front of it: nothing is asked of it that takes one for granted.

// RUN: %clang -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -S -o - %s | FileCheck %s

// CHECK: kernel:
double A0[17], V2[15], W4[1];
void kernel(int n, int m)
{
    double s2 = (double)0;
    for (int i4 = 0; i4 < (n + 3); i4++) {
        for (int i7 = 2; i7 < (i4 + 2); i7++) {
            for (int i8 = 1; i8 < (n + 1); i8++) {
                A0[2] = A0[3];
                for (long i9 = i4; i9 < (m + 2); i9++) {
                    V2[i9] = A0[(i4 + 2)];
                }
            }
            double s6 = (double)0;
            for (int i10 = (i4 - 1); i10 < (n - 2); i10++) {
                A0[4] = A0[(i10 + 2)];
                double s7 = A0[(i10 + 4)];
                A0[3] -= (A0[(-i4 + m + 3)] < s7 ? A0[(i10 + 2)] : s7);
                s6 += ((A0[(i10 + 5)] + A0[(i10 + 1)]) * A0[(i4 + 5)]);
            }
            A0[(i7 + 2)] = s6;
        }
        s2 += A0[4];
    }
    W4[0] = s2;
}
