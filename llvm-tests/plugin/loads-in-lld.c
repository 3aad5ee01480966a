// REQUIRES: lld
// The plugin loads into ld.lld and runs there for full and thin LTO; its options come from POLYRS_OPTIONS.

// RUN: %clang -O2 -flto -c %s -o %t.full.o
// RUN: env POLYRS_OPTIONS=-polyrs-report %clang -flto -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.full.o -o %t.so 2>&1 | FileCheck %s
// RUN: %clang -O2 -flto=thin -c %s -o %t.thin.o
// RUN: env POLYRS_OPTIONS=-polyrs-report %clang -flto=thin -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.thin.o -o %t.so 2>&1 | FileCheck %s
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs=false" %clang -flto -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.full.o -o %t.so 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

// CHECK: 1 functions with a loop over memory
// CHECK-NOT: functions with a loop over memory
// OFF-NOT: functions

void copy(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
