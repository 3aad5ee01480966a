// Rows that are apart, with pages between them that nobody may read: what a region touches would be copied with them.
// The host runs its loops then, with its own result, whichever of its arrays it is.

// RUN: %clang -O3 %s -o %t.host
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %t.host > %t.expected
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %emulator PTX_EMULATOR_FAULT=pinned %t.gpu | diff %t.expected -
// RUN: %no_driver %t.gpu | diff %t.expected -
// CHECK-NOT: ptx-emulator
// CHECK-DAG: polyrs: sums:{{.*}}: host: copying the host's memory fails: a part between rows cannot be read
// CHECK-DAG: polyrs: doubled:{{.*}}: host:

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, ROWS = 5, APART = 2 * PAGE / sizeof(long) };

__attribute__((noinline)) void sums(long *restrict out, const long *a, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    out[j] = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      out[j] += a[i * APART + j];
}

__attribute__((noinline)) void doubled(long *a, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      a[i * APART + j] *= 2;
}

int main(void) {
  char *pages = mmap(0, ROWS * 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < ROWS; i++)
    mprotect(pages + (2 * i + 1) * PAGE, PAGE, PROT_NONE);
  long out[PAGE / sizeof(long)], *a = (long *)pages;
  for (int i = 0; i < ROWS; i++)
    a[i * APART + 3] = i + 1;
  sums(out, a, ROWS, PAGE / sizeof(long));
  doubled(a, ROWS, PAGE / sizeof(long));
  printf("%ld %ld %ld\n", out[3], out[4], a[APART + 3]);
}
