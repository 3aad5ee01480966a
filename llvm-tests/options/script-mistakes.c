// A script that cannot be used is told without any -R option: what cannot be read ends the compiler, and what it names
// that there is not, or an order that is not taken, is a warning.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=nowhere.txt -c product.c -o product.o 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: not ls product.o
// RUN: not %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=broken.txt -c product.c -o product.o 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: %clang -O3 -Werror -fpass-plugin=%plugin -mllvm -polyrs-transform=function.txt -c product.c -o product.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FUNCTION
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=region.txt -c product.c -o product.o 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: %clang -O3 -gline-tables-only -fpass-plugin=%plugin -mllvm -polyrs-transform=loop.txt -c product.c -o product.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=illegal.txt -c product.c -o product.o 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-import-jscop -mllvm -polyrs-import-jscop-dir=%t/nowhere -c product.c -o product.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=IMPORT
// Threads may run the loops in their own order then: that is told all the same.
// RUN: %clang -O3 -gline-tables-only -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-transform=loop.txt -c product.c -o product.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-transform=illegal.txt -c product.c -o product.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-import-jscop -mllvm -polyrs-import-jscop-dir=%t/nowhere \
// RUN:   -c product.c -o product.o 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: %clang -O3 -Werror -fpass-plugin=%plugin -mllvm -polyrs-parallel -mllvm -polyrs-transform=good.txt -c product.c -o product.o 2>&1 | count 0
// RUN: %polyrs explain product.c -polyrs-transform=function.txt 2>&1 >/dev/null | FileCheck %s --check-prefix=FUNCTION
// RUN: %clang -O3 -Werror -fpass-plugin=%plugin -mllvm -polyrs-transform=good.txt -c product.c -o product.o 2>&1 | count 0

// NOWHERE: error: polyrs: script nowhere.txt cannot be read: No such file or directory{{$}}
// BROKEN: error: polyrs: script broken.txt:1:1: a statement in front of the first `region FUNCTION`
// FUNCTION: warning: polyrs: script function.txt:1:8: there is no function 'prodct' in {{.*}}product.c; did you mean `product`?
// FUNCTION-NEXT: warning: polyrs: script function.txt:3:8: function 'plain' has no loop
// FUNCTION-NOT: {{.}}
// REGION: warning: polyrs: script region.txt:1:8: function 'product' has no region product:3, only product:0
// LOOP: warning: polyrs: product.c:4:3: function 'product': the order asked for is not taken: script loop.txt:2:13: there is no loop `x`
// ILLEGAL: warning: polyrs: function 'sweep': the order asked for is not taken: the order of script illegal.txt is illegal
// IMPORT: warning: polyrs: function 'product': the order asked for is not taken: the schedule in {{.*}}nowhere{{.*}} cannot be read: No such

//--- product.c
#define N 500
double A[N][N], B[N][N], C[N][N];
void product(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
void sweep(void) {
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N - 1; j++)
      A[i][j] += A[i - 1][j + 1];
}
int plain(int x) { return x + 1; }
//--- broken.txt
interchange i j
//--- function.txt
region prodct
interchange i j
region plain
interchange i j
//--- region.txt
region product:3
interchange i j
//--- loop.txt
region product
interchange x j
//--- illegal.txt
region sweep
interchange i j
//--- good.txt
region product
interchange j k
