// What `polyrs explain --gpu` shows of kernels: what is copied, grid and block, the loops, the PTX; and what doctor
// says of the device.

// RUN: %polyrs explain --gpu %s | FileCheck %s
// CHECK: scaled: rewritten
// CHECK: == {{.*}}gpu.c:{{[0-9]+}}: scaled: 2 kernels for a GPU
// CHECK: a copied in: [0][0] to [n - 1][m - 1]
// CHECK: b copied out: [0][0] to [n - 1][m - 1]
// CHECK: the host:
// CHECK: #pragma block
// CHECK: polyrs_scaled_0: grid floord(m - 1, 32) + 1 x floord(n - 1, 8) + 1 x 1, block 32 x 8 x 1, no shared memory
// CHECK: #pragma block.y
// CHECK: #pragma thread.x:32
// CHECK: Stmt0(
// CHECK: .visible .entry polyrs_scaled_0(
// CHECK: ret;
// CHECK: polyrs_scaled_1: grid

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
