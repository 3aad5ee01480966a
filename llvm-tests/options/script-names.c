// Loops in scripts are called as in the source, by debug information, or by their depth: letters where the source has
// none of these, numbers always. A mistake is told with the source's names.
//
// RUN: %clang -O1 -g -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: printf 'region columns\ninterchange row column\ntile row column 16 8\n' > %t.named
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=columns -polyrs-transform=%t.named %t.ll 2>&1 | FileCheck %s
// RUN: printf 'region columns\ninterchange i j\ntile j i 16 8\n' > %t.letters
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=columns -polyrs-transform=%t.letters %t.ll 2>&1 | FileCheck %s
// RUN: printf 'region turned\ninterchange i j\ntile i j 16 8\n' > %t.turned
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=turned -polyrs-transform=%t.turned %t.ll 2>&1 | FileCheck %s
// RUN: printf 'region turned\ninterchange i0 i1\ntile i1 i0 16 8\n' > %t.depths
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=turned -polyrs-transform=%t.depths %t.ll 2>&1 | FileCheck %s
// Without debug information letters are depths.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.plain.ll
// RUN: printf 'region turned\ninterchange i j\ntile j i 16 8\n' > %t.letters2
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=turned -polyrs-transform=%t.letters2 %t.plain.ll 2>&1 | FileCheck %s
// RUN: printf 'region columns\njam rows 4\n' > %t.wrong
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=columns -polyrs-transform=%t.wrong %t.ll 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: by script
// CHECK: [(floor((i1)/16))]{{.*}}[(floor((i0)/8))]
// WRONG: there is no loop `rows`; did you mean `row`? (loops: column, row)

double a[100][100];
void columns(void) {
  for (int column = 0; column < 100; column++)
    for (int row = 0; row < 100; row++)
      a[row][column] += 1;
}
void turned(void) {
  for (int j = 0; j < 100; j++)
    for (int i = 0; i < 100; i++)
      a[i][j] += 1;
}

// An inner loop that starts at the outer one's counter has a name of its own.
// RUN: printf 'region triangle\ninterchange i j\n' > %t.triangle
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=triangle -polyrs-transform=%t.triangle %t.ll 2>&1 | FileCheck %s --check-prefix=TRIANGLE
// RUN: printf 'region pyramid\nskew k j 1\ninterchange j k\n' > %t.pyramid
// RUN: %opt '-passes=print<polyrs-schedule>' -disable-output -polyrs-only-func=pyramid -polyrs-transform=%t.pyramid %t.ll 2>&1 | FileCheck %s --check-prefix=PYRAMID
// TRIANGLE: by script
// PYRAMID: by script
void triangle(int n) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      a[j][i] += 1;
}
double c[50][50][50];
void pyramid(int n) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = j; k < n; k++)
        c[k][j][i] += 1;
}
