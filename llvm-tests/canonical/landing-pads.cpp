// Calls with landing pads, as they stand where a local object would have to be destroyed, are inlined like others: the
// operators of a class. One that throws on its own is none.

// RUN: %clang -x c++ -O1 -Xclang -disable-llvm-passes -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<polyrs-scops>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %clang -x c++ -O3 -fpass-plugin=%plugin -Rpass=polyrs -mllvm -polyrs-fatal-bugs -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REMARK %s

struct Matrix {
  double *data;
  long columns;
  Matrix(long rows, long columns);
  ~Matrix();
  double &operator()(long i, long j) { return data[i * columns + j]; }
};
void use(Matrix &m);
double fallible(double x);

// CHECK: scop _Z7productR6MatrixS0_l:0
// REMARK: :[[#@LINE+3]]:{{[0-9]+}}: remark: loops reordered
void product(Matrix &a, Matrix &b, long n) {
  Matrix c(n, n);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c(i, j) += a(i, k) * b(k, j);
  use(c);
}

// CHECK-NOT: scop _Z6throws
void throws(Matrix &a, long n) {
  Matrix c(n, n);
  for (long i = 0; i < n; i++)
    c(i, 0) += fallible(a(i, 0));
  use(c);
}
