// A comparison with the address of a function has two operands like any other: the nest beside it becomes new code.

// RUN: %clang -O3 -march=x86-64-v3 -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable \
// RUN:   -Rpass=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

// CHECK: loops reordered

extern double first(double *, int), other(double *, int);
double (*chosen[])(double *, int) = {first};
static double M[200][200];

double sums(void) {
  double sum = 0;
  for (int s = 0; s < 5; s++) {
    for (int i = 0; i < 200; i++)
      for (int j = 0; j < 200; j++)
        M[j][i] += (i + j) % 101;
    if (chosen[0] == other)
      continue;
    sum += chosen[0](&M[0][0], s);
  }
  return sum;
}
