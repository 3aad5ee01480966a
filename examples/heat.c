/* Heat in a plate: in each step every inner point becomes the mean of its neighbours. Build:
 *   clang-22 -O3 -march=native -fpass-plugin=target/release/libpolyrs.so examples/heat.c -o heat */
#include <stdio.h>

static void diffuse(int steps, int n, double now[n][n], double next[n][n])
{
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                now[i][j] = next[i][j];
    }
}

enum { N = 500 };
static double plate[N][N], scratch[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        plate[i][0] = 100.0;
    diffuse(200, N, plate, scratch);
    for (int j = 0; j <= 20; j += 4)
        printf("%8.4f", plate[N / 2][j]);
    printf("\n");
    return 0;
}
