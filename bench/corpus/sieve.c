// expect: kept. A sieve: an inner loop with a step and a start that are data, under a condition that is data.
#include "corpus.h"
#define N 5000
unsigned char composite[N];
KERNEL void kernel(int n) {
  for (int i = 2; i * i < n; i++)
    if (!composite[i])
      for (int j = i * i; j < n; j += i)
        composite[j] = 1;
}
int main(void) {
  kernel(N);
  show(composite, sizeof composite);
}
