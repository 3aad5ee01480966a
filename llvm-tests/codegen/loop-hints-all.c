// Each hint of docs/options.md on a nest that would be interchanged: those that ask LLVM for something keep the nest
// and stay on the loop, those that forbid something hold for the new loops. On a loop that is kept anyway, hints stay.

// RUN: %clang -O3 -march=x86-64-v3 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -S %t.ll -o %t.out.ll 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR --input-file=%t.out.ll
// RUN: %clang -O3 -march=x86-64-v3 -g -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs -c %s -o %t.o 2>&1 | FileCheck %s

#define NEST(NAME, HINT)                                                                                                                   \
  void NAME(int n, int m, double a[restrict n][m], double s[restrict m]) {                                                                  \
    for (int j = 0; j < m; j++)                                                                                                             \
      _Pragma(HINT) for (int i = 0; i < n; i++) s[j] += a[i][j];                                                                            \
  }

// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops reordered: interchanged
NEST(no_vectors, "clang loop vectorize(disable)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops reordered: interchanged
NEST(no_interleaving, "clang loop interleave(disable)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops reordered: interchanged
NEST(no_unrolling, "nounroll")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops reordered: interchanged
NEST(no_distribution, "clang loop distribute(disable)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (vectorize{{.*}})
NEST(vectors, "clang loop vectorize(enable)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (vectorize_width)
NEST(width, "clang loop vectorize_width(4)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (interleave_count)
NEST(interleaved, "clang loop interleave_count(2)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (unroll_count)
NEST(unrolled, "clang loop unroll_count(3)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (unroll{{.*}})
NEST(some_unrolling, "clang loop unroll(enable)")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (unroll{{.*}})
NEST(whole, "unroll")
// CHECK: :[[@LINE+1]]:1: {{(remark: )?}}loops not optimized: a hint in the source {{.*}} (distribute{{.*}})
NEST(distributed, "clang loop distribute(enable)")

// CHECK: :[[@LINE+5]]:3: {{(remark: )?}}order of the loops kept:
// IR-LABEL: define {{.*}}@running
// IR: br {{.*}}, !llvm.loop [[RUNNING:![0-9]+]]
void running(int n, double *a) {
#pragma clang loop vectorize(disable) unroll(disable)
  for (int i = 1; i < n; i++)
    a[i] = 0.5 * a[i - 1] + a[i];
}

// IR-DAG: [[RUNNING]] = distinct !{[[RUNNING]], {{.*}}[[UNROLL:![0-9]+]], [[WIDTH:![0-9]+]]}
// IR-DAG: [[WIDTH]] = !{!"llvm.loop.vectorize.width", i32 1}
// IR-DAG: [[UNROLL]] = !{!"llvm.loop.unroll.disable"}
