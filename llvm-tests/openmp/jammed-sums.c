// Copies of an unrolled and jammed loop run interleaved in the loops inside: where these collect what they add up in a
// copy of an element, the copies of the loop around must not update two.

// REQUIRES: libomp
// RUN: %clang -O3 %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-tile-sizes=2,3,4 -mllvm -polyrs-process-unprofitable -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report -Rpass=polyrs %s -o %t.new -lomp 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: env OMP_NUM_THREADS=2 %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// DONE: unrolled and jammed by 2
// DONE: {{ }}1 regions transformed

#include <stdio.h>

static unsigned long counts[81];

__attribute__((noinline, weak)) void count(int n)
{
    for (int i = 0; i < n + 1; i += 2)
        for (int j = 0; j < i + 2; j++)
            for (int k = 0; k < n - 2; k++)
                counts[j - k + 38] += 1;
}

__attribute__((optnone)) int main(void)
{
    count(40);
    for (int i = 0; i < 81; i++)
        printf("%d %lu\n", i, counts[i]);
    return 0;
}
