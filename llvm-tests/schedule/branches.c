// What a statement stores is decided by data: LLVM makes straight code of the original's branches, and those that are
// left in new code are guessed wrong. More than usual is asked for.

// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -Rpass=polyrs -Rpass-missed=polyrs %s 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=x86-64-v3 -c -o /dev/null -fpass-plugin=%plugin -mllvm -polyrs-min-gain=30 -Rpass=polyrs %s 2>&1 | FileCheck %s --check-prefix=ASKED

static int length[4001][4001];

// CHECK-NOT: loops reordered
// CHECK: order of the loops kept
// ASKED: loops reordered
void lcs(int n, int m, const char *a, const char *b) {
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0)
        length[i][j] = 0;
      else if (a[i - 1] == b[j - 1])
        length[i][j] = length[i - 1][j - 1] + 1;
      else
        length[i][j] = length[i - 1][j] > length[i][j - 1] ? length[i - 1][j] : length[i][j - 1];
    }
}

int last(int n, int m) { return length[n][m]; }
