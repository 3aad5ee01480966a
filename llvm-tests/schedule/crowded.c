// Where rows are a power of two apart, columns crowd into few sets of the caches: tiles pay for arrays that would fit
// them.

// RUN: %clang -O3 -march=x86-64-v3 -Rpass=polyrs -Rpass-missed=polyrs -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s

double A[256][256], B[256][256];

void crowded(void) {
  // CHECK: crowded.c:[[#@LINE+1]]:{{[0-9]+}}: remark: loops reordered: {{.*}}tiled
  for (int i = 0; i < 256; i++)
    for (int j = 0; j < 256; j++)
      B[j][i] = A[i][j];
}

// Of two bytes each: no lanes of vectors.
short C[260][260], D[260][260];

void usual(void) {
  // CHECK: crowded.c:[[#@LINE+1]]:{{[0-9]+}}: remark: order of the loops kept
  for (int i = 0; i < 260; i++)
    for (int j = 0; j < 260; j++)
      D[j][i] = C[i][j];
}
