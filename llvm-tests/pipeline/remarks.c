// What was done, what was not and why, at the source line of the loops: as clang's remarks and in the optimization
// record.

// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=PASSED
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -fsave-optimization-record=yaml -foptimization-record-file=%t.yaml -c %s -o %t.o
// RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: %clang -O2 -g -fpass-plugin=%plugin -mllvm -polyrs-process-unprofitable -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LINES
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-schedule-budget=1 -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=BUDGET

void unknown(void);
double A[512][512], B[512][512], C[512][512];

void product(void) {
  // CHECK-DAG: remarks.c:[[@LINE+4]]:3: remark: loops reordered: {{.*}}tiled {{.*}} (docs/reasons.md#reordered) [-Rpass=polyrs]
  // ANALYSIS-DAG: remarks.c:[[@LINE+3]]:3: remark: estimated: {{[0-9]+}} cycles in the best new order, {{[0-9]+}} in the original one: {{[0-9.]+}} times as fast{{.*}} (docs/reasons.md#reordered) [-Rpass-analysis=polyrs]
  // PASSED: remarks.c:[[@LINE+2]]:3: remark: loops reordered
  // BUDGET-DAG: remarks.c:[[@LINE+1]]:3: remark: loops not optimized: the budget of the schedule stage is spent (docs/reasons.md#budgetspent) [-Rpass-missed=polyrs]
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      for (int k = 0; k < 512; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void calls(double *a, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    // ANALYSIS-DAG: remarks.c:[[@LINE+2]]:5: remark: what helps: let `unknown()` be inlined
    // CHECK-DAG: remarks.c:[[@LINE+1]]:5: remark: loops not optimized: this call may read or write memory (docs/reasons.md#call) [-Rpass-missed=polyrs]
    unknown();
  }
}

void apart(double *a, double *b, int n) {
  // LINES-DAG: remarks.c:[[@LINE+4]]:3: remark: estimated: {{.*}}; assumed: {{.*}} and {{.*}} do not overlap; tested before the loops
  // CHECK-DAG: remarks.c:[[@LINE+3]]:3: remark: loops reordered
  // PASSED: remarks.c:[[@LINE+2]]:3: remark: loops reordered
  // ANALYSIS-DAG: remarks.c:[[@LINE+1]]:3: remark: estimated: {{.*}}; assumed: two arrays accessed in line 42 do not overlap; tested before the loops
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j * n + i] = b[j * n + i];
}

// PASSED-NOT: remark
// YAML-DAG: Pass: {{ *}}polyrs{{$}}
// YAML-DAG: Name: {{ *}}Reordered{{$}}
// YAML-DAG: Name: {{ *}}Call{{$}}
// YAML-DAG: - Gain: {{ *}}'{{[0-9.]+}}'
// YAML-DAG: - Tests: {{ *}}two arrays accessed in line 42 do not overlap
// YAML-DAG: - Remedy: {{ *}}'let `unknown()` be inlined
// YAML-DAG: - More: {{ *}}'docs/reasons.md#call'
// YAML-DAG: Function: {{ *}}product{{$}}
// YAML-DAG: Function: {{ *}}calls{{$}}
