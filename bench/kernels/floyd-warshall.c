/* floyd-warshall: lengths of the shortest paths between all pairs of nodes. */
#define ELEMENT int
#include "harness.h"

#ifndef N
#define N SIZE(60, 180, 500, 2800)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(int, path, n, n)
#define path(i, j) AT2(path, i, j, n)

STORE2(int, path, N, N)

/* About one pair in nine has no edge: its length stands for infinity. */
FUNCTION(init)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            path(i, j) = (i * 7 + j * 5) % 9 == 0 ? 9999 : (i * j) % 37 + 1 + (i + 2 * j) % 11;
}

KERNEL()
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                path(i, j) = path(i, j) < path(i, k) + path(k, j) ? path(i, j) : path(i, k) + path(k, j);
}

FUNCTION(dump) { OUTPUT(path, n * n); }

MAIN((N), (path), ())
