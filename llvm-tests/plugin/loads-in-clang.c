// The plugin loads into clang at every level, takes -mllvm options, runs at -O1 and above, and not at -O0.

// RUN: %clang -O0 -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %clang -O1 -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-report -mllvm -polyrs-position=before-vectorizer -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -Os -fpass-plugin=%plugin -mllvm -polyrs-report -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-report -mllvm -polyrs=false -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-tile-sizes=x -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK: 1 functions with a loop over memory
// CHECK-NOT: functions with a loop over memory
// NONE-NOT: functions with a loop over memory
// BAD: for the --polyrs-tile-sizes option: 'x' is not a whole number

void copy(double *a, double *b, int n) {
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
