// Where no memory is left for packed copies, small blocks of them lie in the frame: the same bits come out, and errno
// keeps its value.

// RUN: %clang -O3 -march=x86-64-v3 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -c %s -o %t.o
// RUN: %clang -O1 -fno-builtin -DNO_MEMORY -c %s -o %t.none.o
// RUN: %clang %t.o %t.none.o -o %t.packed && %t.packed | diff %t.expected -
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

// CHECK: call {{.*}}@polyrs.contraction.6x8(
// CHECK: define internal {{.*}}@polyrs.room.take(
// CHECK: call {{.*}}@mmap(

#ifdef NO_MEMORY

#include <errno.h>

void *mmap(void *at, unsigned long size, int may, int flags, int file, long first) {
  errno = ENOMEM;
  return (void *)-1;
}

#else

#include "Inputs/product.h"
#include <errno.h>

int main(void) {
  fill();
  errno = 0;
  product();
  return print(errno);
}

#endif
