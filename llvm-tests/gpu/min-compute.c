// With `-polyrs-gpu-min-compute` regions that have less to do stay with the host, even where the program is told to use
// the device always; others run there.

// RUN: %clang -O3 %s -o %t.host
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -mllvm -polyrs-gpu-min-compute=100000 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: grep "polyrs: scaled:0: device" %t.log | count 1
// RUN: grep "polyrs: scaled:0: host: it has less to do than -polyrs-gpu-min-compute asks for" %t.log | count 2
// RUN: grep "polyrs: scaled" %t.log | count 3
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: grep "polyrs: scaled:0: device" %t.log | count 3

#include "Inputs/tell.h"

__attribute__((noinline)) void scaled(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] / 3 + a[i];
}

int main(void) {
  static double a[60000], b[60000];
  for (int i = 0; i < 60000; i++)
    b[i] = i;
  scaled(10, a, b);
  scaled(300, a, b);
  scaled(60000, a, b);
  tell("scaled", a, sizeof a);
  return 0;
}
