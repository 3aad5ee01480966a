// What a loop collects in a local variable is collected in threads, in blocks that do not depend on the number of
// threads: the same bits in one, two and five threads, with both libraries and every way to deal out blocks.

// REQUIRES: libomp, libgomp
// DEFINE: %{fast} =
// DEFINE: %{flags} =
// DEFINE: %{regions} = 17
// DEFINE: %{library} = -lomp
// DEFINE: %{run} = %clang -O3 -g -I%S/../codegen/Inputs %{fast} -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %{flags} %s -o %t.new %{library} 2>&1 | FileCheck %s --check-prefix=DONE -DREGIONS=%{regions} && env OMP_NUM_THREADS=1 %t.new > %t.1.txt && env OMP_NUM_THREADS=2 %t.new > %t.2.txt && env OMP_NUM_THREADS=5 %t.new > %t.5.txt && diff %t.1.txt %t.2.txt && diff %t.1.txt %t.5.txt

// Integers give what the original gives.
// RUN: %clang -O3 -I%S/../codegen/Inputs %s -o %t.old
// RUN: %t.old > %t.old.txt
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=dynamic -mllvm -polyrs-process-unprofitable
// REDEFINE: %{regions} = 19
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt
// REDEFINE: %{library} = %gomp
// REDEFINE: %{flags} = -mllvm -polyrs-omp-backend=GNU
// REDEFINE: %{regions} = 17
// RUN: %{run}
// RUN: diff %t.old.txt %t.1.txt

// Floating point, once it may be reordered, gives the same bits for every number of threads.
// REDEFINE: %{fast} = -ffast-math
// REDEFINE: %{regions} = 20
// RUN: %{run}
// REDEFINE: %{library} = -lomp
// REDEFINE: %{flags} = -mllvm -polyrs-scheduling=guided
// RUN: %{run}

// Without being forced.
// RUN: %clang -O3 -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel %s -o %t.free -lomp
// RUN: env OMP_NUM_THREADS=3 %t.free > %t.free.txt
// RUN: diff %t.old.txt %t.free.txt

// DONE: {{ }}[[REGIONS]] regions transformed

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: %opt -passes='polyrs<parallel;parallel-force;fatal-bugs>,verify' %t.ll -S | FileCheck %s
// RUN: %clang -O1 -ffast-math -Xclang -disable-llvm-passes -emit-llvm -S -I%S/../codegen/Inputs %s -o %t.fast.ll
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;reductions=false>>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %opt -passes='print<polyrs-ast>' -disable-output %t.fast.ll 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

// STRICT-COUNT-18: #pragma parallel reduction(
// STRICT-NOT: reduction(
// FAST-COUNT-21: #pragma parallel reduction(
// FAST-NOT: reduction(
// OFF-NOT: reduction(

// RUN: %opt -passes='print<polyrs-ast<parallel;parallel-force;only-func=each>>' -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=EACH
// EACH: {{^if .*}}
// EACH: {{^}}  #pragma parallel{{$}}
// EACH: {{^if .*}}
// EACH-NEXT: {{^}}  #pragma parallel{{$}}
// EACH-NEXT: for
// EACH-NOT: reduction(

#include "dump.h"

#define N 10007
static int A[N], B[N], M[100][101];
static unsigned char C[N];
static int Y[100];
static double D[N], W[100][101];
static float E[N];

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: alloca [64 x i32]
// CHECK: polyrs.combine:
// CHECK: %[[RUNNING:.*]] = phi i32 [ 7,
// CHECK: add i32 %[[RUNNING]]
// CHECK: call void {{.*}}@__kmpc_fork_call(
// CHECK-LABEL: define {{.*}}@sum.polyrs.body.0(
// CHECK: phi i32 [ 0,
// CHECK: add i32
// CHECK: {{^[}]$}}
KERNEL int sum(int n) {
  int s = 7;
  for (int i = 0; i < n; i++)
    s += A[i];
  return s;
}

KERNEL long wide(int n) {
  long s = 0;
  for (int i = 0; i < n; i++)
    s -= A[i];
  return s;
}

// Backwards, every third; the type of the sum is narrower than its use.
KERNEL unsigned narrow(int n) {
  unsigned char s = 1;
  for (int i = n - 1; i >= 0; i -= 3)
    s += C[i];
  return s;
}

KERNEL int product(int n) {
  int s = 3;
  for (int i = 0; i < n; i++)
    s *= 2 * A[i] + 1;
  return s;
}

KERNEL int masks(int n) {
  int all = -1, any = 0, odd = 0;
  for (int i = 0; i < n; i++)
    all &= A[i] | 0xf0f0;
  for (int i = 0; i < n; i++)
    any |= A[i] & 0x35;
  for (int i = 0; i < n; i++)
    odd ^= A[i];
  return all + 3 * any + 5 * odd;
}

KERNEL int largest(int n) {
  int s = A[0];
  for (int i = 1; i < n; i++)
    s = s > A[i] ? s : A[i];
  return s;
}

KERNEL unsigned smallest(int n) {
  unsigned s = -1;
  for (int i = 0; i < n; i++)
    if ((unsigned)B[i] < s)
      s = B[i];
  return s;
}

// Through two loops, with updates in both of them.
KERNEL int nest(int n, int m) {
  int s = 1;
  for (int i = 0; i < n; i++) {
    s += A[i];
    for (int j = 0; j < m; j++)
      s += M[i][j];
    s -= B[i];
  }
  return s;
}

// One variable through two loops in a row, and two variables in one.
KERNEL int rows(int n) {
  int s = 0, t = 0;
  for (int i = 0; i < n; i++) {
    s += A[i];
    t ^= B[i];
  }
  for (int i = 0; i < n; i++)
    s += B[i];
  return s + t;
}

// Only where a condition holds that the model knows.
KERNEL int some(int n, int m) {
  int s = 5;
  for (int i = 0; i < n; i++)
    if (i < m)
      s += A[i];
  return s;
}

// What is collected is also the store's: one statement does both.
KERNEL int changed(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    B[i] += 3;
    s += B[i];
  }
  return s;
}

KERNEL double fsum(int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += D[i] * D[i];
  return s;
}

KERNEL float flargest(int n) {
  float s = E[0];
  for (int i = 0; i < n; i++)
    s = E[i] > s ? E[i] : s;
  return s;
}

KERNEL double fnest(int n, int m) {
  double s = 0.5;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s += W[i][j];
  return s;
}

// Known without a loop, but by a product of 65 bits.
KERNEL unsigned long counted(int n) {
  unsigned long s = 1;
  for (int i = 3; i < n; i++) {
    B[i] = A[2];
    s += i;
  }
  return s;
}

// A variable of one iteration is private; its loop runs as it did.
KERNEL void each(int n, int m) {
  for (int i = 0; i < n; i++) {
    int s = 0;
    for (int j = 0; j < m; j++)
      s += M[i][j];
    Y[i] = s;
  }
}

// Two variables, one of them not in every part of the loop: what is cut off collects only the other.
KERNEL int parts(int n, int m) {
  unsigned char s = 1, t;
  for (int i = 0; i < n; i++) {
    t = 0;
    for (int j = 1; j < m; j++) {
      if (j != i)
        s = s > C[i + j] ? s : C[i + j];
      t += C[2];
    }
    D[i] += t;
  }
  return s;
}

// None of these may be collected apart.

// Somebody looks at the running value.
KERNEL int prefix(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    s += A[i];
    B[i] = s;
  }
  return s;
}

KERNEL int earlier(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    B[i] = s;
    s += A[i];
  }
  return s;
}

KERNEL int both(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = (s + A[i]) * 3;
  return s;
}

KERNEL int turns(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s = A[i] - s;
  return s;
}

KERNEL int doubled(int n) {
  int s = 1;
  for (int i = 0; i < n; i++)
    s = s + s + A[i];
  return s;
}

// The value before the last update leaves the loop.
KERNEL int behind(int n) {
  int s = 0, last = 0;
  for (int i = 0; i < n; i++) {
    last = s;
    s += A[i];
  }
  return last;
}

static volatile int flicker = 3;
KERNEL int restless(int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += flicker;
  return s;
}

KERNEL int stored(int n) {
  volatile int s = 0;
  for (int i = 0; i < n; i++)
    s += A[i];
  return s;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    A[i] = (i * 7919) ^ (i << 16);
    B[i] = i * 31 - 5000;
    C[i] = (unsigned char)(i * 31);
  }
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 101; j++)
      M[i][j] = (i * 71) ^ (j << 3);
  fill(D, N, 1);
  fill(&W[0][0], 100 * 101, 2);
  for (int i = 0; i < N; i++)
    E[i] = (float)D[i];
  for (int n = 0; n < 200; n += n < 3 ? 1 : 61)
    printf("%d %ld %u %d %d %d %u\n", sum(n), wide(n), narrow(n), product(n), masks(n), largest(n), smallest(n));
  printf("%d %ld %u %d %d %d %u\n", sum(N), wide(N), narrow(N), product(N), masks(N), largest(N), smallest(N));
  printf("%d %d %d\n", nest(100, 101), nest(3, 0), nest(0, 5));
  printf("%d %d %d %d\n", rows(N), rows(0), some(N, 555), some(N, -1));
  printf("%d\n", changed(N));
  double f[4] = {fsum(N), flargest(N), fnest(100, 101), fnest(0, 0)};
  dump("f", f, sizeof f);
  each(100, 101);
  dump("Y", Y, sizeof Y);
  printf("%d %d %d %d\n", prefix(N), earlier(N), both(N), turns(N));
  dump("B", B, sizeof B);
  printf("%d %d %d %d\n", doubled(N), behind(N), restless(N), stored(N));
  printf("%lu %d\n", counted(N), parts(40, 50));
}
