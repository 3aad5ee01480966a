// What the PTX of a kernel holds: operations that round as the host's, one after the other or fused as the host has
// them, dimension x where neighbours in memory are, and 64-bit addresses.

// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALL,APART
// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=ALL,FUSED
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_80 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ARCH
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_999 -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %clang -O3 -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=CPU

// ALL: @polyrs.gpu.sm_60.ptx = private constant
// ALL-SAME: .target sm_60
// ALL-SAME: .visible .entry polyrs_axpy_0
// ALL-SAME: %tid.x
// APART-SAME: mul.rn.f64
// APART-SAME: add.rn.f64
// FUSED-SAME: fma.rn.f64
// ALL-SAME: div.rn.f64
// ALL-NOT: .approx
// ALL-NOT: .target sm_60{{.*}}.target sm_60
// ALL-SAME: .visible .entry polyrs_scale_1
// ALL-SAME: .visible .entry polyrs_distant_2
// ALL-SAME: s64 {{[^;]*}}, 25600000000
// ALL-NOT: .ptx = private
// ALL: call ptr @polyrs_gpu_begin(
// ALL: call void @polyrs_gpu_launch_on(
// ALL: call i32 @polyrs_gpu_end(
// ARCH: .target sm_80
// UNKNOWN: loops get no kernel for a GPU: the backend knows no architecture sm_999
// CPU-NOT: polyrs_gpu

void axpy(long n, double x, const double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    b[i] = (a[i] * x + b[i]) / 3.0;
}

// One module of PTX for all functions.
void scale(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] = a[i] * 3.0;
}

// What 256 iterations of a 32-bit counter walk through is more than 32 bits can say.
void distant(int n, char *a) {
  for (int i = 0; i < n; i++)
    a[i * 100000000l] += 1;
}
