// New code that waits comes back into each function that a pass has made of the one it belongs to: where LLVM has
// specialized that function for its arguments, source positions are those of the original, inlined at the call.

// RUN: %clang -O3 -g -fpass-plugin=%plugin -S -emit-llvm %s -o %t.ll
// RUN: opt -passes=verify -disable-output %t.ll 2>&1 | count 0
// RUN: FileCheck %s --input-file=%t.ll

static int add(int x) { return x + 1; }
static int twice(int x) { return 2 * x; }
double a[1000][1000], s[1000];
int last[8];

// CHECK-DAG: define {{.*}}@apply.specialized.1({{.*}} !dbg ![[SPECIALIZED:[0-9]+]]
// CHECK-DAG: ![[SPECIALIZED]] = distinct !DISubprogram(name: "apply"
// CHECK-DAG: !DILocation(line: [[@LINE+4]], {{.*}}inlinedAt:
__attribute__((noinline)) static void apply(int (*f)(int), int n) {
  for (int j = 0; j < 1000; j++)
    for (int i = 0; i < 1000; i++)
      s[j] += a[i][j];
  for (int i = 0; i < 8; i++)
    last[i] = f(last[i]) + f(last[7 - i]) * f(i) + f(f(i));
#define STEP                                                                                                           \
  last[n & 7] += f(last[(n + 1) & 7]);                                                                                 \
  last[(n * 3) & 7] ^= f(n);                                                                                           \
  n = f(n) ^ last[n & 3];
#define STEPS STEP STEP STEP STEP STEP STEP STEP STEP
  STEPS STEPS STEPS STEPS
}

int main(int argc, char **argv) {
  apply(add, argc * 100);
  apply(twice, argc * 90);
  apply(add, argc * 90);
  apply(twice, argc * 10);
  return last[3];
}
