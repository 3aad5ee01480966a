// A module in which nothing is transformed prints byte for byte as before, whatever the passes on the clone do outside
// of it: new intrinsics, inferred attributes of library functions, raised alignments, debug information.

// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: opt -S %t.ll -o %t.before
// RUN: %opt -passes='polyrs<stop-after=ast>' -S %t.ll -o %t.after
// RUN: diff %t.before %t.after
// RUN: %opt -passes='print<polyrs-scops>,print<polyrs-ast>' -S %t.ll -o %t.after
// RUN: diff %t.before %t.after

int printf(const char *, ...);
double pow(double, double);
char bytes[4096], other[4096];

void longs(int n) {
  for (int i = 0; i < n; i++)
    ((long *)bytes)[i] += ((long *)other)[i];
}

void clamp(int *a, int n) {
  for (int i = 0; i < n; i++)
    a[i] = a[i] > 255 ? 255 : a[i] < 0 ? 0 : a[i];
}

void show(double *a, int n) {
  for (int i = 0; i < n; i++) {
    a[i] = pow(a[i], 2.0) + pow(2.0, a[i]);
    printf("value\n");
  }
}

void dispatch(int n) {
  static void *const table[] = {&&first, &&second};
  for (int i = 0; i < n; i++) {
    goto *table[i & 1];
  first:
    bytes[i]++;
    continue;
  second:
    bytes[i]--;
  }
}
