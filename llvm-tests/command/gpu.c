// What `polyrs explain --gpu` shows of kernels: what is copied, grid and block, the loops, the PTX; and what doctor
// says of the device.

// RUN: %polyrs explain --gpu %s -polyrs-gpu-time-tiles=false | FileCheck %s
// CHECK: scaled: rewritten
// CHECK: == {{.*}}gpu.c:{{[0-9]+}}: scaled: 2 kernels for a GPU
// CHECK: a copied in: [0][0] to [n - 1][m - 1]
// CHECK: b copied out: [0][0] to [n - 1][m - 1]
// CHECK: what the host runs:
// CHECK-EMPTY:
// CHECK-NEXT: launch polyrs_scaled_0
// CHECK-NEXT: launch polyrs_scaled_1
// CHECK-NOT: #pragma
// CHECK: polyrs_scaled_0: grid floord(m - 1, 32) + 1 x floord(n - 1, 8) + 1 x 1, block 32 x 8 x 1, no shared memory
// CHECK: #pragma block.y
// CHECK: #pragma thread.x:32
// CHECK: Stmt0(
// CHECK: .visible .entry polyrs_scaled_0(
// CHECK: ret;
// CHECK: polyrs_scaled_1: grid

// A loop over time is the host's, which launches in each of its iterations.
// CHECK: == {{.*}}gpu.c:{{[0-9]+}}: steps: 2 kernels for a GPU
// CHECK: what the host runs:
// CHECK-EMPTY:
// CHECK-NEXT: for (c{{[0-9]+}} = 0; c{{[0-9]+}} <= t - 1; c{{[0-9]+}}++) {
// CHECK-NEXT: {{^}}  launch polyrs_steps_{{[0-9]+}}{{$}}

// Sizes of a kernel that no region has are told.
// RUN: %polyrs explain --gpu %s -polyrs-gpu-sizes=7.block=64 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: warning: polyrs: -polyrs-gpu-sizes speaks of kernel 7: regions have kernels 0 to 1 at most here
// RUN: %polyrs explain --gpu %s -polyrs-gpu-sizes=1.block=64 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN-NOT: warning:
// RUN: not %polyrs explain --gpu %s -polyrs-gpu-sizes=block=64,64 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: 'block=64,64' makes 4096 threads of a block, which has 1024 at most

// RUN: %polyrs explain --gpu --json %s | FileCheck %s --check-prefix=JSON
// JSON: "gpu": {
// JSON: "block": [
// JSON: "name": "polyrs_scaled_0"

// RUN: %polyrs explain %s | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: GPU

// RUN: %emulator %polyrs doctor | FileCheck %s --check-prefix=DEVICE
// DEVICE: ok GPU PTX emulator, compute capability 6.0, 4096 MiB, driver for CUDA
// RUN: %no_driver %polyrs doctor | FileCheck %s --check-prefix=NONE
// NONE: no GPU there is no driver (libcuda.so.1)
// RUN: env PTX_EMULATOR_FAULT=no-device %emulator %polyrs doctor | FileCheck %s --check-prefix=NO-DEVICE
// NO-DEVICE: no GPU the driver knows no device

void scaled(long n, long m, double a[restrict n][m], double b[restrict n][m]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      b[i][j] = a[i][j] * 3.0;
  for (long i = 1; i < n; i++)
    for (long j = 0; j < m; j++)
      b[i][j] += b[i - 1][j];
}

void steps(long t, long n, double a[restrict n][n], double b[restrict n][n]) {
  for (long k = 0; k < t; k++) {
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1];
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        a[i][j] = b[i][j];
  }
}
