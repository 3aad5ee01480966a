// A loop that carries a dependence from a statement to a later one runs in vectors as it is: nothing is gained by loops
// of their own. Where the dependence leads back to a statement before, these are what makes vectors possible.

// RUN: %clang -O3 -march=x86-64-v3 -Rpass=polyrs -Rpass-missed=polyrs -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s

float a[32000], b[32000], c[32000], d[32000], e[32000];

// Written twice, in this iteration and before in the one before.
void output(void) {
  // CHECK: forward.c:[[#@LINE+1]]:{{[0-9]+}}: remark: order of the loops kept
  for (int i = 0; i < 31999; i++) {
    a[i + 1] = b[i] + e[i];
    a[i] = b[i] + c[i];
  }
}

// Read in the next iteration, from a register.
void flow(void) {
  // CHECK: forward.c:[[#@LINE+1]]:{{[0-9]+}}: remark: order of the loops kept
  for (int i = 0; i < 31999; i++) {
    a[i + 1] = b[i] + c[i];
    b[i] = c[i] * e[i];
    d[i] = a[i] * e[i];
  }
}

// Read before it is written in the next iteration, by the statement above.
void back(void) {
  // CHECK: forward.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: distributed, vectorizable
  for (int i = 1; i < 31999; i++) {
    a[i] = b[i - 1] + c[i];
    b[i] = a[i + 1] * d[i];
  }
}

// A statement that reads what it writes in the next iteration runs in vectors in a loop of its own; what it writes is
// read by the other in the next iteration.
void anti(void) {
  // CHECK: forward.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: distributed, vectorizable
  for (int i = 1; i < 31999; i++) {
    a[i] = b[i - 1] + c[i] * d[i];
    b[i] = b[i + 1] - e[i] * d[i];
  }
}
