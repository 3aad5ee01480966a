// A user's own transformation, given as a script: what it does, an illegal one with its two instances, one that names
// what is not there.
//
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: echo 'region product   # all of its regions' > %t.tile
// RUN: echo 'interchange j k' >> %t.tile
// RUN: echo 'tile i k 16 8' >> %t.tile
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=product -polyrs-transform=%t.tile %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=TILED %s
// RUN: echo 'region stencil' > %t.back
// RUN: echo 'interchange i j' >> %t.back
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=stencil -polyrs-transform=%t.back %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=ILLEGAL %s
// RUN: echo 'region stencil' > %t.threads
// RUN: echo 'parallel i' >> %t.threads
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=stencil -polyrs-transform=%t.threads %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=CARRIED %s
// RUN: echo 'region stencil' > %t.word
// RUN: echo 'interchnage i j' >> %t.word
// RUN: not %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=stencil -polyrs-transform=%t.word %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=WORD %s

// TILED: by script
// TILED: [(floor((i0)/16))]{{.*}}[(floor((i{{[12]}})/8))]

// ILLEGAL: order kept: the order of script {{.*}}.back is illegal: Stmt0[{{.*}}] must run after Stmt0[

// CARRIED: order kept: the order of script {{.*}}.threads is illegal: a loop marked parallel carries the RAW dependence from Stmt0[

// WORD: error: polyrs: script {{.*}}.word:2:1: `interchnage` is no statement; did you mean `interchange`?

double A[100][100], B[100][100], C[100][100];

void product(void) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      for (int k = 0; k < 100; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void stencil(void) {
  for (int i = 1; i < 100; i++)
    for (int j = 0; j < 99; j++)
      A[i][j] = A[i - 1][j + 1];
}
