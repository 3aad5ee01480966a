/* A matrix product as the definition has it. Build:
 *   clang-22 -O3 -march=native -fpass-plugin=target/release/libpolyrs.so examples/matmul.c -o matmul */
#include <stdio.h>
#include <time.h>

enum { N = 1024 };
static double A[N][N], B[N][N], C[N][N];

__attribute__((noinline)) static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                C[i][j] += A[i][k] * B[k][j];
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            A[i][j] = (i + 2 * j) % 7;
            B[i][j] = (3 * i + j) % 5;
        }
    clock_t start = clock();
    multiply();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("C[17][42] = %g, %.3f s, %.1f GFLOP/s\n", C[17][42], seconds, 2e-9 * N * N * N / seconds);
    return 0;
}
