// Packed products call nothing that a signal handler must not: here one runs in a handler that interrupts malloc, in
// the program's own lock, and gets the same bits. Before, its copies came from malloc, which was then entered twice.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -o %t.packed
// RUN: %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

// CHECK: call {{.*}}@polyrs.contraction.6x8(
// CHECK-NOT: call {{.*}}@malloc(
// CHECK: define internal {{.*}}@polyrs.room.take(
// CHECK: call {{.*}}@mmap(

#include "Inputs/product.h"
#include <signal.h>

void handler(int number) {
  product();
}

static volatile int held;
void *__libc_malloc(unsigned long size);

void *malloc(unsigned long size) {
  static volatile int is_first = 1;
  if (held) {
    _exit(2 * (write(2, "malloc was entered twice\n", 25) == 25));
  }
  held = 1;
  if (is_first) {
    is_first = 0;
    raise(SIGUSR1);
  }
  held = 0;
  return __libc_malloc(size);
}

int main(void) {
  fill();
  signal(SIGUSR1, handler);
  void *volatile got = malloc(8);
  for (int again = 0; again < 4; again++)
    product();
  return print(got == 0);
}
