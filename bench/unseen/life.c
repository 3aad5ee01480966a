/* life: the game of life, planes by generation. */
#include "unseen.h"

#ifndef N
#define N SIZE(24, 60, 200, 700)
#endif
#ifndef STEPS
#define STEPS SIZE(4, 6, 10, 20)
#endif

static int cell[2][N][N] ALIGNED;

TIMED kernel(int steps, int n, int cell[2][n][n])
{
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++) {
                int s = cell[t % 2][i - 1][j - 1] + cell[t % 2][i - 1][j] + cell[t % 2][i - 1][j + 1] + cell[t % 2][i][j - 1]
                      + cell[t % 2][i][j + 1] + cell[t % 2][i + 1][j - 1] + cell[t % 2][i + 1][j] + cell[t % 2][i + 1][j + 1];
                cell[(t + 1) % 2][i][j] = s == 3 || (s == 2 && cell[t % 2][i][j]);
            }
}

static void init(void) { FILL_INT(cell, 1, 2); }
static void call(void) { kernel(STEPS, N, cell); }
static void dump(void) { RESULT(cell); }

PROGRAM
