// A nest that stays as it is says which local variable binds it: by its name in the debug information, else in the IR,
// else by the line that computes it. One that no variable binds names none.

// RUN: %clang -O3 -g -fpass-plugin=%plugin -Rpass-missed=polyrs -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefixes=CHECK,NAMED
// RUN: %clang -O3 -fpass-plugin=%plugin -Rpass-missed=polyrs -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefixes=CHECK,LINE
// RUN: %clang -O3 -fno-discard-value-names -fpass-plugin=%plugin -Rpass-missed=polyrs -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefixes=CHECK,IR
// RUN: %polyrs explain %s | FileCheck %s --check-prefix=EXPLAIN

// NAMED: bound-by.c:[[#@LINE+5]]:{{.*}}order of the loops kept: {{.*}}; bound by local variable carry (docs/reasons.md#kept) [-R
// LINE: bound-by.c:[[#@LINE+4]]:{{.*}}order of the loops kept: {{.*}}; bound by the value computed in line [[#@LINE+6]] (docs/reasons.md#kept) [-R
// IR: bound-by.c:[[#@LINE+3]]:{{.*}}order of the loops kept: {{.*}}; bound by value carry (docs/reasons.md#kept) [-R
void scan(int n, double a[restrict n][n], double *restrict out) {
  double carry = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      carry = carry * 0.5 + a[j][i];
      a[j][i] = carry;
    }
}

// CHECK: bound-by.c:[[#@LINE+2]]:{{.*}}order of the loops kept: the best new order is not estimated to be enough faster than the original one (docs/reasons.md#kept) [-R
void copy(double a[1000][1000], double b[restrict 1000][1000]) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      b[i][j] += a[i][j];
}

// EXPLAIN: scan: kept: {{.*}}; bound by local variable carry
// EXPLAIN: what binds the order: local variable carry
