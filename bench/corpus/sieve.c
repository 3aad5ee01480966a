// expect: kept. A sieve: an inner loop with a step and a start that are data, under a condition that is data.
#include "corpus.h"
#define N 5000
unsigned char composite[N];
KERNEL void kernel(int n, int root) {
  for (int i = 2; i <= root; i++)
    if (!composite[i])
      for (int j = i * i; j < n; j += i)
        composite[j] = 1;
}
int main(void) {
  kernel(N, 70);
  show(composite, sizeof composite);
}
