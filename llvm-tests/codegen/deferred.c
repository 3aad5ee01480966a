// New code waits in a function of its own while LLVM simplifies, which skips it, and comes back before loops are
// vectorized, in every pipeline; with -Os it stays in place. Where the pass runs by its name nothing would bring it
// back. Code that has the original beside it stays apart, but where the caller knows the sizes.

// RUN: %clang -O3 -g -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t.bc
// RUN: %opt -passes='default<O3>' -debug-pass-manager -disable-output %t.bc 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: %opt -passes='default<O1>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %opt -passes='default<O2>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %opt -passes='default<O3>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefixes=BACK,LINES
// RUN: %opt -passes='thinlto-pre-link<O3>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %opt -passes='thinlto<O3>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %opt -passes='lto-pre-link<O3>' -verify-each -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %clang -O2 -g -ffat-lto-objects -flto=thin -fpass-plugin=%plugin -S -emit-llvm %s -o - | FileCheck %s --check-prefix=BACK
// RUN: %opt -passes=polyrs -S %t.bc -o - | FileCheck %s --check-prefix=BACK
// RUN: %clang -O3 -fpass-plugin=%plugin -S %s -o - | FileCheck %s --check-prefix=FRAMELESS
// RUN: %clang -Os -Xclang -disable-llvm-passes -emit-llvm -c %s -o %t.small.bc
// RUN: %opt -passes='default<Os>' -debug-pass-manager -disable-output %t.small.bc 2>&1 | FileCheck %s --check-prefix=SMALL

// RUNS: Running pass: PolyrsPass on [module]
// RUNS-NOT: Running pass: {{(InstCombine|GVN|IndVarSimplify|SimplifyCFG)[A-Za-z]* on .*product.polyrs.0}}
// RUNS: Running pass: PolyrsResumePass on [module]
// RUNS: Running pass: InstCombinePass on product.polyrs.0

// BACK-NOT: optnone
// BACK-NOT: @square.polyrs.0
// BACK-NOT: "polyrs-deferred"

// The code comes back into a function that the one it was made for was inlined into.
// LINES-LABEL: define {{.*}}void @caller(
// LINES-NOT: call {{.*}}@product.polyrs.0
// LINES: polyrs.loop
// LINES: fmul {{.*}}!dbg ![[AT:[0-9]+]]
// LINES: define internal {{.*}}void @product.polyrs.0({{.*}} !dbg ![[APART:[0-9]+]]
// LINES: polyrs.loop
// LINES: fmul {{.*}}!dbg ![[WAITED:[0-9]+]]
// LINES-DAG: ![[AT]] = !DILocation(line: [[#LINE:]], {{.*}}inlinedAt:
// LINES-DAG: ![[APART]] = distinct !DISubprogram({{.*}}name: "product.polyrs.0", {{.*}}flags: DIFlagArtificial
// LINES-DAG: ![[WAITED]] = !DILocation(line: [[#LINE]], {{.*}}inlinedAt: ![[WITHIN:[0-9]+]]
// LINES-DAG: ![[WITHIN]] = {{(distinct )?}}!DILocation({{.*}}scope: ![[APART]])

// What small data runs has no frame for the new code.
// FRAMELESS-LABEL: product:
// FRAMELESS-NOT: push
// FRAMELESS: cmp
// FRAMELESS-NOT: push
// FRAMELESS: jmp{{.*}}product.polyrs.0

// SMALL-NOT: product.polyrs.0

double A[300][300], B[300][300], C[300][300];

void square(void) {
  for (int j = 0; j < 300; j++)
    for (int k = 0; k < 300; k++)
      for (int i = 0; i < 300; i++)
        C[i][j] += A[i][k] * A[k][j];
}

__attribute__((always_inline)) void product(int n, double by) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < 300; k++)
      for (int i = 0; i < n; i++)
        C[i][j] += A[i][k] * B[k][j] * by;
}

void caller(void) { product(300, 2.0); }
