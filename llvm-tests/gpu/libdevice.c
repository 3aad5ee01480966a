// Functions of the mathematical library from libdevice, where flags allow other bits than the host's; and those that
// round as the host's, which need no library.

// RUN: %clang --target=nvptx64-nvidia-cuda -nocudalib -O1 -emit-llvm -c %S/Inputs/libdevice.c -o %t.bc
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.bc %s -o %t.gpu -L%rt -lpolyrs_rt -lm
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: FileCheck %s < %t.log
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: %no_driver %t.gpu | FileCheck %s --check-prefix=OUT
// CHECK-NOT: ptx-emulator:
// CHECK-DAG: polyrs: exponential:0: device (PTX emulator):
// CHECK-DAG: polyrs: again:0: device (PTX emulator):
// CHECK-DAG: polyrs: waves:0: device (PTX emulator):
// OUT: right right right

// Functions of one program have copies of their own.
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.bc -S -emit-llvm %s -o - | FileCheck %s --check-prefix=PTX
// PTX: .visible .entry polyrs_exponential_0
// PTX-NOT: .extern

// Not without such flags, without the library, or for what it does not have.
// RUN: %clang -O3 -fno-math-errno -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.bc -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=EXACT
// EXACT: loops get no kernel for a GPU: a GPU may compute other bits in {{.*}}exp
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: %clang -O3 -ffast-math -DOTHER -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.bc -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: loops get no kernel for a GPU: libdevice has no __nv_cos
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.none -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: loops get no kernel for a GPU: libdevice cannot be read
// RUN: echo "no bitcode" > %t.text
// RUN: %clang -O3 -ffast-math -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-libdevice=%t.text -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TEXT --implicit-check-not=error
// TEXT: loops get no kernel for a GPU: libdevice is no bitcode: {{.*}}.text: 

// Rounded to whole numbers, and with another's sign: the host's bits.
// RUN: %clang -O3 -DEXACT %s -o %t.host -lm
// RUN: %t.host > %t.expected
// RUN: %clang -O3 -DEXACT -fpass-plugin=%plugin -mllvm -polyrs-target=gpu %s -o %t.gpu -L%rt -lpolyrs_rt -lm
// RUN: %emulator POLYRS_GPU_LOG=1 %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s --check-prefix=WHOLE < %t.log
// RUN: %clang -O3 -march=x86-64-v3 -DEXACT -fpass-plugin=%plugin -mllvm -polyrs-target=gpu %s -o %t.gpu -L%rt -lpolyrs_rt -lm
// RUN: %emulator %t.gpu > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: count 0 < %t.log
// WHOLE-NOT: ptx-emulator:
// WHOLE-DAG: polyrs: whole:0: device (PTX emulator):
// WHOLE-DAG: polyrs: wholef:0: device (PTX emulator):

#include "Inputs/tell.h"
#include <math.h>

#ifdef EXACT
__attribute__((noinline)) void whole(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = floor(b[i]) * 3 + ceil(b[i]) * 5 + trunc(b[i] * 7) + copysign(rint(b[i] * 11), a[i]) + nearbyint(b[i] / 3);
}

__attribute__((noinline)) void wholef(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = copysignf(floorf(b[i]) - ceilf(b[i] * 3), b[i]) / truncf(a[i] + 300);
}

static double a[3000], b[3000];
static float c[3000], d[3000];

int main(void) {
  for (int i = 0; i < 3000; i++) {
    a[i] = c[i] = i % 2 ? -1 : 1;
    b[i] = d[i] = (i - 1500) / 4.0;
  }
  b[7] = -0.0;
  b[8] = 0.0;
  b[9] = INFINITY;
  b[10] = 4503599627370497.5;
  d[9] = -0.25f;
  whole(3000, a, b);
  wholef(3000, c, d);
  tell("whole", a, sizeof a);
  tell("wholef", c, sizeof c);
  return 0;
}
#elif defined(OTHER)
void other(int n, double *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = cos(a[i]);
}
#else
__attribute__((noinline)) void exponential(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = exp(b[i]) + 1;
}

__attribute__((noinline)) void again(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = exp(b[i]) * b[i];
}

__attribute__((noinline)) void waves(int n, float *restrict a, const float *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] = sinf(b[i]);
}

static double a[1000], b[1000], want[1000];
static float c[1000], d[1000];

static const char *near(double got, double want) {
  return got - want < 1e-6 && want - got < 1e-6 ? "right" : "wrong";
}

int main(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = d[i] = (i - 500) / 300.0f;
  exponential(1000, a, b);
  printf("%s ", near(a[777], 3.51766865));
  again(1000, a, b);
  printf("%s ", near(a[200], -0.367879441));
  waves(1000, c, d);
  printf("%s\n", near(c[650], 0.479425539));
  return 0;
}
#endif
