// The windows of convolutions are short in both dimensions, whatever their size is taken for: no packed copies, which
// would ask for long ones, but rows of results in vectors. Taps along one dimension may be many.

// RUN: %clang -O1 -march=x86-64-v3 -ffp-contract=off -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt '-passes=polyrs' -disable-output -polyrs-only-func=filters -pass-remarks=polyrs -pass-remarks-analysis=polyrs %t.ll 2>&1 \
// RUN:   | FileCheck --check-prefix=FILTERS %s
// RUN: %opt '-passes=polyrs' -disable-output -polyrs-only-func=taps -pass-remarks=polyrs %t.ll 2>&1 | FileCheck --check-prefix=TAPS %s
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off %s -DRUN -o %t.old
// RUN: %clang -O3 -march=x86-64-v3 -ffp-contract=off -fpass-plugin=%plugin -mllvm -polyrs-fatal-bugs %s -DRUN -o %t.new
// RUN: %t.old > %t.old.txt
// RUN: %t.new > %t.new.txt
// RUN: diff %t.old.txt %t.new.txt

#include <stdio.h>

#define KERNEL __attribute__((noinline))

// FILTERS-NOT: packed
// FILTERS: loops reordered: {{.*}}vectorizable
// FILTERS-NOT: packed
KERNEL void filters(int filters, int channels, int h, int w, int p, const float *restrict in, const float *restrict by,
                    float *restrict out) {
  int rows = h - p + 1, columns = w - p + 1;
  for (int f = 0; f < filters; f++)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++) {
        float sum = 0.5f;
        for (int c = 0; c < channels; c++)
          for (int i = 0; i < p; i++)
            for (int j = 0; j < p; j++)
              sum += by[((f * channels + c) * p + i) * p + j] * in[(c * h + y + i) * w + x + j];
        out[(f * rows + y) * columns + x] = sum;
      }
}

// TAPS: loops reordered: {{.*}}packed
KERNEL void taps(int filters, int w, int q, const float in[restrict w + q], const float by[restrict filters][q],
                 float out[restrict filters][w]) {
  for (int f = 0; f < filters; f++)
    for (int x = 0; x < w; x++)
      for (int j = 0; j < q; j++)
        out[f][x] += by[f][j] * in[x + j];
}

#ifdef RUN
#define F 13
#define C 26
#define H 36
#define W 47
static float in[C * H * W], by[F * C * 25], out[F * (H + 1) * (W + 1)];

static void show(const char *name) {
  double sum = 0.0;
  for (int i = 0; i < F * (H + 1) * (W + 1); i++)
    sum = sum * 0.75 + out[i];
  printf("%s %a\n", name, sum);
}

int main(void) {
  for (int i = 0; i < C * H * W; i++)
    in[i] = (i * 7919 % 1000) / 8.0f;
  for (int i = 0; i < F * C * 25; i++)
    by[i] = (i * 31 % 100) / 64.0f;
  for (int p = 0; p <= 5; p++)
    filters(F, C, H, W, p, in, by, out), show("filters");
  filters(F, C, 5, W, 3, in, by, out), show("filters");
  for (int q = 0; q < 200; q += 67)
    taps(F, 1000, q, in, (void *)by, (void *)out), show("taps");
  return 0;
}
#endif
