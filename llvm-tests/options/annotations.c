// Options for one function, in its source: those of the run hold for the others. What says nothing is a warning.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -gline-tables-only -S -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes='polyrs<only-func=copy>,verify' %t.ll -S 2>/dev/null | FileCheck %s --check-prefix=IR

// RUN: %polyrs explain %s 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN

// CHECK-DAG: warning: polyrs: {{.*}}annotations.c:[[#@LINE+36]]: annotation of function 'misspelt': 'polyrs:paralel' says nothing: did you mean 'parallel'? There are off, on, parallel, gpu, report, tile, and options by their names
// CHECK-DAG: warning: polyrs: {{.*}}: annotation of function 'misspelt': '-polyrs-print-after' is an option for a whole run, not for a function
// CHECK-DAG: annotations.c:[[#@LINE+8]]:3: remark: loops reordered: {{.*}}tiled 16x8{{.*}} [polyrs:report]
// CHECK-DAG: annotations.c:[[#@LINE+7]]:3: remark: estimated: {{.*}} [polyrs:report]
#define N 600
double A[N][N], B[N][N], C[N][N];

// IR-LABEL: @tiled(
__attribute__((annotate("polyrs:on"), annotate("polyrs:tile=16,8;pattern-matching-based-opts=false;report"))) void tiled(void) {
  // IR: polyrs.loop
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// IR-LABEL: @threads(
__attribute__((annotate("polyrs:parallel;on;parallel-force"))) void threads(void) {
  // IR: call void {{.*}}@__kmpc_fork_call
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        C[i][j] += A[i][k] * B[k][j];
}

// IR-LABEL: @others(
// IR-NOT: polyrs
void others(void) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}

// IR-LABEL: @misspelt(
// IR-NOT: polyrs
__attribute__((annotate("polyrs:paralel; off"), annotate("polyrs:print-after=ast"))) void misspelt(void) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
// IR: ret void

// What looks like ours and is not.
// CHECK-DAG: warning: polyrs: {{.*}}annotations.c:[[#@LINE+4]]: annotation of function 'alike': 'Polyrs:off' says nothing: write 'polyrs:off'; there are off, on,
// CHECK-DAG: : annotation of function 'alike': ' polyrs:report' says nothing: write 'polyrs:report', without blanks around it;
// CHECK-DAG: : annotation of function 'alike': 'polyrs-off' says nothing: write 'polyrs:off';
// CHECK-DAG: : annotation of function 'alike': 'polyrs:tile = 32, 64': no blanks inside: write 'polyrs:tile=32,64'
__attribute__((annotate("Polyrs:off"), annotate(" polyrs:report"), annotate("polyrs-off"), annotate("polyrs:tile = 32, 64"), annotate("polly"))) void alike(void) {
  for (int i = 0; i < N; i++)
    A[0][i] = 0;
}
// EXPLAIN: warning: polyrs: {{.*}}annotations.c:{{[0-9]+}}: annotation of function 'misspelt'
// EXPLAIN: annotation of function 'alike': 'Polyrs:off' says nothing

// At a variable nobody looks for it.
// CHECK-DAG: warning: polyrs: {{.*}}annotations.c:[[#@LINE+2]]: annotation of variable 'Away': 'polyrs:off' says nothing there: annotations of polyrs stand before a function
// CHECK-DAG: warning: polyrs: {{.*}}annotations.c:[[#@LINE+3]]: annotation of a variable in function 'local': 'polyrs:paralel' says nothing there:
__attribute__((annotate("polyrs:off"))) double Away[N];
void local(void) {
  __attribute__((annotate("polyrs:paralel"))) int i;
  for (i = 0; i < N; i++)
    Away[i] = 0;
}
// EXPLAIN: annotation of a variable in function 'local': 'polyrs:paralel' says nothing there
