// A function that tests rows at run time stays what it was for the code generator: vectors of a length that its machine
// prefers, and what is promised of its numbers. So does who takes it in.

// RUN: %clang -O3 -march=x86-64-v4 -ffast-math -fpass-plugin=%plugin -Rpass=polyrs -emit-llvm -S %s -o %t.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=CODE < %t.ll

// CODE: define {{.*}}@product({{.*}} #[[PRODUCT:[0-9]+]]
// CODE: define {{.*}}@caller({{.*}} #[[CALLER:[0-9]+]]
// CODE-DAG: attributes #[[PRODUCT]] = { {{.*}}"min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true"
// CODE-DAG: attributes #[[CALLER]] = { {{.*}}"min-legal-vector-width"="0" "no-infs-fp-math"="true" "no-nans-fp-math"="true" "no-signed-zeros-fp-math"="true"

// CHECK: rows-inlined.c:[[#@LINE+2]]:3: remark: loops reordered: {{.*}}if a run-time check allows it
void product(int rows, int cols, float **a, float **b, float **c) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      float sum = 0;
      for (int k = 0; k < cols; k++)
        sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
}

void caller(float **a, float **b, float **c) {
  for (int t = 0; t < 100; t++) {
    product(30, 30, a, b, c);
    product(30, 30, c, b, a);
  }
}
