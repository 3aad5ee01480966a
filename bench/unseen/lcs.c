/* lcs: longest common subsequence of two strings. */
#include "unseen.h"

#ifndef N
#define N SIZE(40, 120, 500, 3000)
#endif

static int a[N], b[N], best[N + 1][N + 1] ALIGNED;

TIMED kernel(int n, const int *a, const int *b, int best[n + 1][n + 1])
{
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++) {
            int longer = best[i - 1][j] > best[i][j - 1] ? best[i - 1][j] : best[i][j - 1];
            int matched = best[i - 1][j - 1] + 1;
            best[i][j] = a[i - 1] == b[j - 1] ? matched : longer;
        }
}

static void init(void) { FILL_INT(a, 1, 4); FILL_INT(b, 2, 4); }
static void call(void) { kernel(N, a, b, best); }
static void dump(void) { RESULT(best); }

PROGRAM
