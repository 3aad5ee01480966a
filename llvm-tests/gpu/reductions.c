// Sums, products and minima over loops that a GPU runs: threads collect them, blocks put them together in a fixed
// order.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=5 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=backward %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: sum:0: device (PTX emulator): 3 launches,
// What blocks leave for each other is copied nowhere.
// CHECK-DAG: polyrs: into:0: device (PTX emulator): 2 launches, 20004 bytes in, 4 bytes out
// CHECK-DAG: polyrs: plane:0: device (PTX emulator): 2 launches,
// CHECK-DAG: polyrs: triangle:0: device (PTX emulator):
// CHECK-DAG: polyrs: several:0: device (PTX emulator):
// CHECK-DAG: polyrs: extremes:0: device (PTX emulator):
// CHECK-DAG: polyrs: steps:0: device (PTX emulator):
// CHECK-DAG: polyrs: cube:0: device (PTX emulator):

// Barriers are needed: without one, two threads meet at a place of shared memory.
// RUN: %emulator PTX_EMULATOR_FAULT=barrier=2 %t.gpu 2>&1 | FileCheck %s --check-prefix=RACE
// RACE: ptx-emulator: {{.*}}

// Threads of a block that are no power of two.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-sizes=7,3 %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator PTX_EMULATOR_ORDER=random=2 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log

// Beside threads of the host, with which the host's order has other reductions.
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force %s -o %t.both -L%rt -lpolyrs_rt -fopenmp
// RUN: %emulator %t.both > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// RUN: %no_driver %t.both > %t.out
// RUN: diff %t.expected %t.out

// Where anything fails, the host computes the same.
// RUN: %emulator PTX_EMULATOR_FAULT=launch=2 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=alloc=3 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=lost=5 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %emulator PTX_EMULATOR_FAULT=to-host=1 %t.gpu > %t.out
// RUN: diff %t.expected %t.out
// RUN: %no_driver %t.gpu > %t.out
// RUN: diff %t.expected %t.out

// What blocks leave for each other takes no room in a function's frame, which may be one of many.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -S -emit-llvm %s -o - | FileCheck %s --check-prefix=FRAME
// FRAME: @polyrs.gpu.row.1024 = private {{.*}}global [1024 x i64] zeroinitializer
// FRAME-NOT: alloca [1024 x i64]

// No room for it: one thread would have to do it all.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-max-shared-bytes=3000 -mllvm -polyrs-only-func=sum -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: loops get no kernel for a GPU

// Sums of floating-point numbers only where their flags let additions change places: the device's sum is the same for
// every grid, and within rounding that of the host.
// RUN: %clang -O3 -DREAL -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-only-func=real -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: loops get no kernel for a GPU: every loop carries a dependence
// RUN: %clang -O3 -DREAL -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.first 2> %t.log
// RUN: FileCheck %s --check-prefix=REAL < %t.log
// RUN: %emulator PTX_EMULATOR_ORDER=random=3 %t.gpu > %t.second
// RUN: %emulator PTX_EMULATOR_GRID=3 %t.gpu > %t.third
// RUN: diff %t.first %t.second
// RUN: diff %t.first %t.third
// RUN: grep -c right %t.first
// REAL-NOT: ptx-emulator:
// REAL: polyrs: real:0: device (PTX emulator): 2 launches,

#include <math.h>
#include <stdio.h>

#ifdef REAL
__attribute__((noinline)) void real(int n, const double *restrict a, double *restrict s) {
  for (int i = 0; i < n; i++)
    *s += a[i] * a[i];
}

static double a[5000];

int main(void) {
  double want = 0, got = 0;
  for (int i = 0; i < 5000; i++) {
    a[i] = 1.0 / (i + 3);
    want += a[i] * a[i];
  }
  real(5000, a, &got);
  printf("%.17g %s\n", got, fabs(got - want) < 1e-12 ? "right" : "wrong");
  return 0;
}
#else
__attribute__((noinline)) long sum(int n, const int *a) {
  long s = 5;
  for (int i = 0; i < n; i++)
    s += a[i];
  return s;
}

// An element in memory, and nothing of it where there is no iteration.
__attribute__((noinline)) void into(int n, const unsigned *restrict a, unsigned *restrict s) {
  for (int i = 0; i < n; i++)
    s[3] ^= a[i] * 2654435761u;
}

__attribute__((noinline)) void plane(int n, int m, int a[restrict n][m], long *restrict s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s[0] += a[i][j] ^ (i * j);
}

__attribute__((noinline)) void triangle(int n, int a[restrict n][n], long *restrict s) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j += 1)
      s[1] -= a[j][i];
}

// Two sums, and what is written besides.
__attribute__((noinline)) void several(int n, const int *restrict a, int *restrict b, long *restrict s) {
  for (int i = 0; i < n; i++) {
    b[i] = a[i] * 3;
    s[0] += b[i];
    s[1] |= (long)a[i] << (i % 40);
  }
}

__attribute__((noinline)) void extremes(int n, const int *restrict a, int *restrict least, unsigned *restrict most) {
  for (int i = 0; i < n; i++) {
    *least = a[i] < *least ? a[i] : *least;
    *most = (unsigned)a[i] > *most ? (unsigned)a[i] : *most;
  }
}

// A sum in each step of a loop that must run in order, which the next statement needs.
__attribute__((noinline)) void steps(int t, int n, unsigned *restrict a, unsigned *restrict s) {
  for (int k = 0; k < t; k++) {
    for (int i = 0; i < n; i++)
      s[k] += a[i] * (i + 1);
    for (int i = 0; i < n; i++)
      a[i] ^= s[k] + i;
  }
}

__attribute__((noinline)) void cube(int n, short a[restrict n][n][n], unsigned char *restrict s) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        s[n] += a[i][j][k];
}

static int a[5000], b[5000], p[60][90], q[70][70];
static short c[19][19][19];
static unsigned u[5000], v[16];
static long s[4];
static unsigned char bytes[32];

int main(void) {
  for (int i = 0; i < 5000; i++) {
    a[i] = (int)(i * 2654435761u) >> 3;
    u[i] = i * 40503u;
  }
  for (int i = 0; i < 60 * 90; i++)
    p[0][i] = i * 7 - 1000;
  for (int i = 0; i < 70 * 70; i++)
    q[0][i] = i * 11 - 900;
  for (int i = 0; i < 19 * 19 * 19; i++)
    c[0][0][i] = i * 5;
  printf("%ld %ld %ld\n", sum(5000, a), sum(1, a), sum(0, a));
  into(5000, u, v);
  into(0, u, 0);
  plane(60, 90, p, s);
  triangle(70, q, s);
  several(4321, a, b, s + 2);
  printf("%u %ld %ld %ld %ld %d\n", v[3], s[0], s[1], s[2], s[3], b[77]);
  int least = 1 << 30;
  unsigned most = 3;
  extremes(5000, a, &least, &most);
  steps(9, 1000, u, v + 4);
  cube(19, c, bytes);
  printf("%d %u %u %u %d\n", least, most, v[12], u[999], bytes[19]);
  return 0;
}
#endif
