// What ends before orders of loops are looked for has nothing to say of a script for them.

// RUN: echo 'region product' > %t.script
// RUN: echo '  interchange j k' >> %t.script
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=%t.script -mllvm -polyrs-stop-after=dependences -c %s -o %t.o 2>&1 | count 0
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=%t.script -mllvm -polyrs-stop-after=canonicalize -c %s -o %t.o 2>&1 | count 0
// RUN: echo '  interchange j x' >> %t.script
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=%t.script -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: function 'product': the order asked for is not taken: {{.*}}there is no loop `x`

double A[512][512], B[512][512], C[512][512];

void product(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      for (int k = 0; k < 512; k++)
        C[i][j] += A[i][k] * B[k][j];
}
