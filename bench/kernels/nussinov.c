/* nussinov: the largest number of base pairs in a folding of an RNA sequence, for each of its intervals. */
#define ELEMENT int
#include "harness.h"

#ifndef N
#define N SIZE(60, 180, 500, 2500)
#endif
CONSTANTS(n = N)
#define SIZES int n
#define ARRAYS MAT(int, table, n, n), VEC(int, base, n)
#define table(i, j) AT2(table, i, j, n)
#define base(i) AT1(base, i)
#define LARGER(a, b) ((a) >= (b) ? (a) : (b))
/* Bases are 0 to 3; those that add up to 3 pair. */
#define PAIR(a, b) ((a) + (b) == 3 ? 1 : 0)

STORE2(int, table, N, N)
STORE1(int, base, N)

FUNCTION(init)
{
    for (int i = 0; i < n; i++) {
        base(i) = (i * i + 3 * i + i / 5) % 4;
        for (int j = 0; j < n; j++)
            table(i, j) = 0;
    }
}

KERNEL()
{
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) {
            if (j - 1 >= 0)
                table(i, j) = LARGER(table(i, j), table(i, j - 1));
            if (i + 1 < n)
                table(i, j) = LARGER(table(i, j), table(i + 1, j));
            if (j - 1 >= 0 && i + 1 < n) {
                if (i < j - 1)
                    table(i, j) = LARGER(table(i, j), table(i + 1, j - 1) + PAIR(base(i), base(j)));
                else
                    table(i, j) = LARGER(table(i, j), table(i + 1, j - 1));
            }
            for (int k = i + 1; k < j; k++)
                table(i, j) = LARGER(table(i, j), table(i, k) + table(k + 1, j));
        }
}

FUNCTION(dump) { OUTPUT(table, n * n); }

MAIN((N), (table, base), ())
