// A tiled matrix product: full tiles have loops of constant length, the others minima of bounds. Where loops are
// jammed, a tile is full if it is full in those; the loop around which nothing is jammed keeps its minimum.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=print<polyrs-ast>' -polyrs-process-unprofitable -polyrs-tile-sizes=32 -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK: for ([[I:c[0-9]+]] = 0; [[I]] <= floord(p0 - 1, 32); [[I]]++) {
// CHECK-NEXT: for ([[K:c[0-9]+]] = 0; [[K]] <= floord(p0 - 1, 32); [[K]]++) {
// CHECK-NEXT: for ([[J:c[0-9]+]] = 0; [[J]] <= floord(p0 - 1, 32); [[J]]++) {
// CHECK-NEXT: if (p0 >= 32 * [[I]] + 32 && p0 >= 32 * [[K]] + 32) {
// CHECK-NEXT: for ([[V:c[0-9]+]] = 32 * [[I]]; [[V]] <= 32 * [[I]] + 31; [[V]] += {{[0-9]+}}) {
// CHECK-NEXT: for ([[W:c[0-9]+]] = 32 * [[K]]; [[W]] <= 32 * [[K]] + 31; [[W]] += {{[0-9]+}}) {
// CHECK: for ([[X:c[0-9]+]] = 32 * [[J]]; [[X]] <= min(p0 - 1, 32 * [[J]] + 31); [[X]]++) {
// CHECK-NEXT: Stmt0({{c[0-9]+}}, [[X]], {{c[0-9]+}});
// CHECK-NEXT: Stmt0({{.*}} + 1{{.*}});
// CHECK: Stmt0({{.*}} + 1, [[X]], {{.*}} + 1);
// CHECK: } else {
// CHECK: for ([[V:c[0-9]+]] = 32 * [[I]]; [[V]] <= min(p0 - 1, 32 * [[I]] + 31); [[V]]++)
// CHECK: for ([[X:c[0-9]+]] = 32 * [[J]]; [[X]] <= min(p0 - 1, 32 * [[J]] + 31); [[X]]++)

void product(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
