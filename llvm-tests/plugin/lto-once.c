// REQUIRES: lld
// With the plugin loaded into the compiler and into the linker a function is transformed once; loaded into one of them,
// there.

// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -O2 -fPIC -flto -fpass-plugin=%plugin -c %s -o %t.full.o 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -flto -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.full.o -o %t.so 2>&1 | FileCheck %s --check-prefix=SKIPPED
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -O2 -fPIC -flto=thin -fpass-plugin=%plugin -c %s -o %t.thin.o 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -flto=thin -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.thin.o -o %t.so 2>&1 | FileCheck %s --check-prefix=SKIPPED
// RUN: %clang -O2 -fPIC -flto=thin -c %s -o %t.thin.o
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -flto=thin -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.thin.o -o %t.so 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: %clang -O2 -fPIC -flto -c %s -o %t.full.o
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable" %clang -flto -fuse-ld=lld -nostdlib -shared -Wl,--load-pass-plugin=%plugin %t.full.o -o %t.so 2>&1 | FileCheck %s --check-prefix=DONE

// DONE: 1 functions with a loop over memory
// DONE: 0 functions left alone
// DONE: 1 regions transformed
// SKIPPED: 1 functions left alone
// SKIPPED: 0 regions transformed

double A[512][512], B[512][512];

void transposed_sum(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      A[i][j] += B[j][i];
}
