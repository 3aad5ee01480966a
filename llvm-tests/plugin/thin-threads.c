// REQUIRES: lld
// The linker runs the plugin on several modules at once, in threads: each is transformed, and the result is that of one
// thread.

// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=1 -c %s -o %t.1.o
// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=2 -c %s -o %t.2.o
// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=3 -c %s -o %t.3.o
// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=4 -c %s -o %t.4.o
// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=5 -c %s -o %t.5.o
// RUN: %clang -O2 -fPIC -fcommon -flto=thin -DKEY=6 -c %s -o %t.6.o
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable -polyrs-fatal-bugs" %clang -flto=thin -fuse-ld=lld -nostdlib -shared -Wl,--thinlto-jobs=1 -Wl,--load-pass-plugin=%plugin %t.1.o %t.2.o %t.3.o %t.4.o %t.5.o %t.6.o -o %t.one.so 2> %t.one
// RUN: env POLYRS_OPTIONS="-polyrs-report -polyrs-process-unprofitable -polyrs-fatal-bugs" %clang -flto=thin -fuse-ld=lld -nostdlib -shared -Wl,--thinlto-jobs=4 -Wl,--load-pass-plugin=%plugin %t.1.o %t.2.o %t.3.o %t.4.o %t.5.o %t.6.o -o %t.four.so 2> %t.four
// RUN: grep -c "1 regions transformed" %t.one | FileCheck %s
// RUN: grep -c "1 regions transformed" %t.four | FileCheck %s
// RUN: cmp %t.one.so %t.four.so

// CHECK: 6

double A[300][300], B[300][300];

#define CAT(a, b) a##b
#define NAME(key) CAT(transposed_sum, key)

void NAME(KEY)(void) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      A[i][j] += B[j][i] + KEY;
}
