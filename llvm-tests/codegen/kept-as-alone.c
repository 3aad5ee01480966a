// The original code that stays beside new code is optimized as if it stood alone: no pass jumps from one of our tests
// behind one of its own. Where rows had at least 3 elements they still have, and no vectors are made for rows of one.
// A caller that knows the sizes does not ask for them; small ones leave the original only.

// RUN: %clang -O3 -march=x86-64-v3 -fno-discard-value-names -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s

// CHECK-LABEL: define {{.*}}@columns(
// CHECK: br i1 %{{.*}}, label %polyrs.apart, label %polyrs.region
// CHECK-NOT: x double>
// CHECK: call {{.*}}@columns.polyrs.0(
// CHECK-NOT: x double>
// CHECK: {{^}$}}
void columns(int n, int m, const double *a, double *b) {
  for (int j = 1; j < m - 1; j++)
    for (int i = 0; i < n; i++)
      b[i * m + j] = (a[i * m + j - 1] + a[i * m + j] + a[i * m + j + 1]) / 3;
}

double from[4000 * 4000], to[4000 * 4000];

// CHECK-LABEL: define {{.*}}@large(
// CHECK-NOT: br i1
// CHECK: call {{.*}}@columns.polyrs.test.0(
void large(void) { columns(4000, 4000, from, to); }

// CHECK-LABEL: define {{.*}}@small(
// CHECK-NOT: @columns.polyrs
// CHECK: {{^}$}}
void small(void) { columns(4000, 5, from, to); }
