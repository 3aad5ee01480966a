// Pictures for Graphviz: the blocks of a function with its regions, and the dependences of each region.

// RUN: rm -rf %t && mkdir %t
// RUN: %clang -O1 -gline-tables-only -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t/a.ll
// RUN: %opt -passes=polyrs -polyrs-dot=%t -disable-output %t/a.ll
// RUN: FileCheck %s --check-prefix=REGIONS --input-file=%t/regions.smooth.dot
// RUN: FileCheck %s --check-prefix=DEPENDENCES --input-file=%t/dependences.smooth_0.dot
// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t/b.ll
// RUN: mkdir %t/named && %opt -passes=polyrs -polyrs-dot=%t/named -disable-output %t/b.ll
// RUN: FileCheck %s --check-prefix=NAMED --input-file=%t/named/dependences.smooth_0.dot
// RUN: FileCheck %s --check-prefix=REFUSED --input-file=%t/regions.calls.dot
// RUN: not ls %t/dependences.calls_0.dot
// RUN: not %opt -passes=polyrs -polyrs-dot=%t/none -disable-output %t/a.ll 2>&1 | FileCheck %s --check-prefix=MISSING

// REGIONS: digraph "regions of smooth" {
// REGIONS: subgraph cluster_0 {
// REGIONS-NEXT: label="region smooth:0"; style=filled
// REGIONS-NEXT: bb1;
// REGIONS-NEXT: [[HEADER:bb[0-9]+]];
// REGIONS: [[HEADER]] [label="[[HEADER]]\nloop, line [[#@LINE+13]]"];
// REGIONS: [[HEADER]] -> bb
// REGIONS: {{^}}}

// DEPENDENCES: digraph "dependences of smooth:0" {
// DEPENDENCES: Stmt0 [label="Stmt0, line [[#@LINE+9]]\n{{.*}}Stmt0[{{.*}}
// DEPENDENCES: Stmt0 -> Stmt0 [style=solid, label="RAW Arr0 (1)"];
// NAMED: Stmt0 -> Stmt0 [style=solid, label="RAW a (1)"];
// REFUSED-NOT: cluster
// REFUSED: why0 [shape=note, color=red, label="line [[#@LINE+10]]: this call may read or write memory{{.*}}"];
// MISSING: error: polyrs: -polyrs-dot={{.*}}none: there is no such folder: mkdir {{.*}}none

void smooth(double a[1000]) {
  for (int i = 1; i < 1000; i++)
    a[i] = a[i - 1] * 0.5 + 1;
}
double unknown(double x);
void calls(double a[1000]) {
  for (int i = 0; i < 1000; i++)
    a[i] = unknown(a[i]);
}
