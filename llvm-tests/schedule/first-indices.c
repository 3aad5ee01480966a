// What is tested before new code runs are sizes that loops run the longer for, not where an array's indices begin: in
// Fortran that is 1.

// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -Rpass=polyrs -Rpass-analysis=polyrs %s 2>&1 | FileCheck %s

// CHECK: loops reordered
// CHECK: it pays where argument 2 >= {{[0-9]+}} and argument 1 >= {{[0-9]+}} (docs
void heat(long n, long steps, long firstu, long firstv, double u[][n], double v[][n]) {
  for (long t = 0; t < steps; t++) {
    for (long j = 2; j < n - 1; j++)
      for (long i = 2; i < n - 1; i++)
        v[j - firstv][i] = 0.25 * (u[j - firstu][i - 1] + u[j - firstu][i + 1] + u[j - 1 - firstu][i] + u[j + 1 - firstu][i]);
    for (long j = 2; j < n - 1; j++)
      for (long i = 2; i < n - 1; i++)
        u[j - firstu][i] = v[j - firstv][i];
  }
}
