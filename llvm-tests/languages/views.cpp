// C++ as programs write it: loops in lambdas and templates over views of memory, with subscripts through operators,
// reference parameters and iterators. What the front end makes of them is inlined, and the loops are reordered; those
// around a virtual call stay.

// RUN: %clang -O3 -fno-rtti %s -o %t.old
// RUN: %clang -O3 -fno-rtti -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs -gline-tables-only -Rpass=polyrs -Rpass-missed=polyrs %s -o %t.new 2> %t.remarks
// RUN: FileCheck %s < %t.remarks
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

extern "C" int printf(const char *, ...);

namespace {

template <typename T> class View {
  T *Data;
  long Rows, Columns;

public:
  View(T *Data, long Rows, long Columns) : Data(Data), Rows(Rows), Columns(Columns) {}
  T &operator()(long I, long J) const { return Data[I * Columns + J]; }
  long rows() const { return Rows; }
  long columns() const { return Columns; }
};

// CHECK-DAG: views.cpp:[[#@LINE+2]]:{{.*}} loops reordered: {{.*}}interchanged
template <typename F> inline void forEach(long N, F Body) {
  for (long I = 0; I != N; ++I)
    Body(I);
}

struct Scale {
  virtual double of(double) const = 0;
};
struct Twice final : Scale {
  double of(double X) const override { return 2 * X; }
};

} // namespace

template <typename T>
inline void product(View<T> C, View<const T> A, View<const T> B) {
  forEach(C.rows(), [&](long I) {
    forEach(C.columns(), [&](long J) {
      forEach(A.columns(), [&](long K) { C(I, J) += A(I, K) * B(K, J); });
    });
  });
}

// CHECK-DAG: views.cpp:[[#@LINE+2]]:{{.*}} loops reordered: {{.*}}interchanged
__attribute__((noinline)) void columns(double *__restrict Sums, const double (&A)[300][300]) {
  for (int J = 0; J < 300; ++J)
    for (const auto &Row : A)
      Sums[J] += Row[J];
}

// CHECK-DAG: views.cpp:[[#@LINE+3]]:{{.*}} loops not optimized: this call may read or write memory
__attribute__((noinline)) void scaled(double *A, long N, const Scale &By) {
  for (long I = 0; I < N; ++I)
    A[I] = By.of(A[I]);
}

static double A[300][300], B[300][300], C[300][300], Sums[300];

int main() {
  for (int I = 0; I < 300; ++I)
    for (int J = 0; J < 300; ++J)
      A[I][J] = (I * 7 + J * 3) % 11 - 5, B[I][J] = (I + 2 * J) % 13 * 0.25;
  product<double>({*C, 300, 300}, {*A, 300, 300}, {*B, 300, 300});
  columns(Sums, C);
  scaled(Sums, 300, Twice());
  for (double Sum : Sums)
    printf("%a\n", Sum);
}
