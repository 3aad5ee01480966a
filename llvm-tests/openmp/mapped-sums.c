// What a loop in threads adds up in a local variable that an element of an array holds in the new code is collected
// like what it adds up in the element itself: in a copy of one element, or of the array.

// REQUIRES: libomp
// DEFINE: %{flags} =
// DEFINE: %{run} = %clang -O3 -fno-vectorize -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new -lomp 2>&1 | FileCheck %s --check-prefix=DONE && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && env OMP_NUM_THREADS=3 %t.new > %t.3.txt && diff %t.old.txt %t.1.txt && diff %t.old.txt %t.3.txt

// RUN: %clang -O3 %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-fusion=max -mllvm -polyrs-scheduling=dynamic
// RUN: %{run}
// REDEFINE: %{flags} = -mllvm -polyrs-optimizer=none
// RUN: %{run}

// DONE: {{ }}2 regions transformed

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;process-unprofitable;optimizer=none>>' -disable-output %t.ll 2>&1 | FileCheck %s

#include <stdio.h>

enum { N = 40 };
static unsigned short table[N][N], cube[N][N][N], sums[N];

// Arr3 is the variable, Arr0 the table.
// CHECK: #pragma parallel reduction(add: Arr3)
// CHECK: #pragma parallel reduction(add: Arr0)
__attribute__((noinline, weak)) void one_element(int n)
{
    for (int i = 2; i < n; i++)
        for (int j = 1; j < n; j++) {
            unsigned short s = table[j - 1][i - 2];
            for (int k = 2; k < n; k++)
                s += table[k][k];
            for (int k = 0; k < n; k++)
                s -= cube[k][i - 2][k];
            table[j - 1][i - 2] = s;
        }
}

// CHECK: #pragma parallel reduction(add: Arr0[:])
__attribute__((noinline, weak)) void whole_array(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unsigned short s = sums[j];
            for (int k = 0; k < n; k++)
                s += cube[i][j][k];
            sums[j] = s;
        }
}

__attribute__((optnone)) int main(void)
{
    for (int i = 0; i < N * N * N; i++)
        (&cube[0][0][0])[i] = i % 101 * (i % 7);
    for (int i = 0; i < N * N; i++)
        (&table[0][0])[i] = i % 97;
    one_element(N - 3);
    whole_array(N);
    for (int i = 0; i < N * N; i++)
        printf("%d\n", (&table[0][0])[i]);
    for (int i = 0; i < N; i++)
        printf("%d\n", sums[i]);
    return 0;
}
