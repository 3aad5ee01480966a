// Code in threads is called from inside other parallel regions (really nested or run by one thread), from several POSIX
// threads at once, and from itself.

// REQUIRES: libomp, libgomp
// RUN: %clang -O2 -fopenmp -I%S/../codegen/Inputs %s -o %t.old -lpthread
// RUN: %t.old > %t.old.txt
// RUN: %clang -O2 -fopenmp -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force \
// RUN:   -mllvm -polyrs-fatal-bugs -mllvm -polyrs-report %s -o %t.new -lpthread 2>&1 | FileCheck %s
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=1 %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=3 %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt
// RUN: %clang -O2 -fno-openmp -I%S/../codegen/Inputs -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-parallel-force \
// RUN:   -mllvm -polyrs-fatal-bugs -mllvm -polyrs-omp-backend=GNU %s -o %t.gnu -lpthread %gomp
// RUN: env OMP_NUM_THREADS=3 OMP_MAX_ACTIVE_LEVELS=3 %t.gnu > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

// CHECK: {{ }}2 regions transformed

#include "dump.h"
#include <pthread.h>

enum { JOBS = 6, N = 40 };
static double A[JOBS][N][N], B[JOBS][N][N];

KERNEL void smooth(int n, double out[N][N], double in[N][N], int depth) {
  for (int i = 0; i < n; i++) {
    double sum = 0.25;
    for (int j = 0; j < n; j++)
      sum += in[i][j] * 0.5;
    for (int j = 0; j < n; j++)
      out[i][j] += sum + in[i][j];
  }
  if (depth > 0)
    smooth(n - 1, in, out, depth - 1);
}

static void *job(void *data) {
  int k = *(int *)data;
  smooth(N, A[k], B[k], 3);
  return 0;
}

int main(void) {
  fill(&A[0][0][0], JOBS * N * N, 1);
  fill(&B[0][0][0], JOBS * N * N, 2);
#pragma omp parallel for
  for (int k = 0; k < JOBS; k++)
    smooth(N, A[k], B[k], 2);
  pthread_t threads[JOBS];
  int numbers[JOBS];
  for (int k = 0; k < JOBS; k++) {
    numbers[k] = k;
    pthread_create(&threads[k], 0, job, &numbers[k]);
  }
  for (int k = 0; k < JOBS; k++)
    pthread_join(threads[k], 0);
  dump("A", A, sizeof A);
  dump("B", B, sizeof B);
}
