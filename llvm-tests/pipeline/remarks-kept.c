// What binds an order that stays, in the analysis and in the record: by the user's names where debug information has
// them.

// RUN: %clang -O2 -fpass-plugin=%plugin -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,NUMBERS
// RUN: %clang -O2 -g -fpass-plugin=%plugin -Rpass-analysis=polyrs -c %s -o %t.o 2>&1 | FileCheck %s --check-prefixes=CHECK,NAMES
// RUN: %clang -O2 -g -fpass-plugin=%plugin -fsave-optimization-record=yaml -foptimization-record-file=%t.yaml -c %s -o %t.o
// RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml

// NUMBERS: kept.c:[[@LINE+3]]:3: remark: estimated: {{.*}}; what binds the order: array accessed in line {{[0-9]+}}: RAW, distances (1) (docs/reasons.md#kept)
// NAMES: kept.c:[[@LINE+2]]:3: remark: estimated: {{.*}}; what binds the order: array a: RAW, distances (1) (docs/reasons.md#kept)
void smooth(double *a, int n) {
  for (int i = 1; i < n; i++)
    a[i] = 0.5 * a[i - 1] + a[i];
}

// Where nothing binds it, that is said.
// CHECK: kept.c:[[@LINE+2]]:3: remark: estimated: {{.*}}; what binds the order: nothing: no iteration needs another one's result (docs/reasons.md#kept)
void fill(double *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = 0;
}

// YAML: - Binding: {{ *}}'array a: RAW, distances (1)'
// YAML: - More: {{ *}}'docs/reasons.md#kept'
