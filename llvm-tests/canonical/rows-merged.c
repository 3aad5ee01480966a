// Two loads of row pointers that move under one condition are one where they load the same; what stands for the second
// is used behind the condition, where the first load is not known, and what stands for the first takes its place.

// RUN: %clang -O3 -w -fsanitize=address -fno-vectorize -fno-slp-vectorize -Rpass=polyrs -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -mllvm -polyrs-process-unprofitable -S -o /dev/null %s 2>&1 | FileCheck %s

// CHECK: :[[#@LINE+4]]:{{.*}}remark: loops reordered
void rows(int n, int m, unsigned **rows, const unsigned *skipped) {
  for (int i = 1; i < 4; i += 3)
    if (skipped[i - 1] != 0)
      for (int j = 0; j < m; j++)
        for (int k = 0; k < n - 2; k++)
          rows[0][2] *= rows[i - 1][k];
}
