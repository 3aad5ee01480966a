/* What every kernel file here shares: sizes, array shapes, deterministic input, timing, and a dump of the results.
 *
 * A kernel file states its sizes, its arrays and three functions over them:
 *
 *     #define SIZES  int n, int m
 *     #define ARRAYS MAT(double, A, n, m), VEC(double, x, m)
 *     #define A(i, j) AT2(A, i, j, m)
 *     #define x(j) AT1(x, j)
 *
 *     STORE2(double, A, N, M)
 *     STORE1(double, x, M)
 *     FUNCTION(init)   { ... A(i, j) = input(i, j); ... }
 *     KERNEL()         { ... the loops that are timed ... }
 *     FUNCTION(dump)   { OUTPUT(A, n * m); }
 *     MAIN((N, M), (A, x), ())
 *
 * The same text compiles to three shapes of array:
 *     -DSHAPE_GLOBAL  static arrays of constant size (default): A[i][j]
 *     -DSHAPE_PARAM   parameters `double A[n][m]`, sizes are run-time ints: A[i][j]
 *     -DSHAPE_LINEAR  parameters `double *A`, sizes are run-time ints: A[i * m + j]
 * The data set is -DDATASET=MINI, SMALL, MEDIUM, LARGE (default) or EXTRALARGE, twice as much of each; a size can be set alone (-DN=17).
 *
 * The program takes two optional arguments: how often to run the kernel, and a file for the raw bytes of the results.
 * It prints one line `time WALL CPU` (seconds, kernel only) per run, and one line `hash NAME HEX` per result array.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>

#define MINI 0
#define SMALL 1
#define MEDIUM 2
#define LARGE 3
#define EXTRALARGE 4
#ifndef DATASET
#define DATASET LARGE
#endif

#if DATASET == MINI
#define SIZE(mini, small, medium, large) mini
#elif DATASET == SMALL
#define SIZE(mini, small, medium, large) small
#elif DATASET == MEDIUM
#define SIZE(mini, small, medium, large) medium
#elif DATASET == LARGE
#define SIZE(mini, small, medium, large) large
#elif DATASET == EXTRALARGE
#define SIZE(mini, small, medium, large) (2 * (large))
#else
#error "DATASET is one of MINI, SMALL, MEDIUM, LARGE, EXTRALARGE"
#endif

#define UNWRAP(...) __VA_ARGS__
#define ALIGNED __attribute__((aligned(64)))

#if defined(SHAPE_PARAM) || defined(SHAPE_LINEAR)
/* Sizes, arrays and scalars are parameters. The kernel is weak: no analysis may carry its caller's constants into it. */
#define FUNCTION(name) static __attribute__((noinline)) void name(SIZES, ARRAYS)
#define KERNEL(...) __attribute__((noinline, weak)) void kernel(SIZES, ARRAYS __VA_OPT__(, ) __VA_ARGS__)
#define CALL(name, sizes, arrays) name(UNWRAP sizes, UNWRAP arrays)
#define CALL_WITH(name, sizes, arrays, scalars) name(UNWRAP sizes, UNWRAP arrays EXTRA scalars)
#define EXTRA(...) __VA_OPT__(, ) __VA_ARGS__
#define CONSTANTS(...)
#else
#ifndef SHAPE_GLOBAL
#define SHAPE_GLOBAL
#endif
#define FUNCTION(name) static __attribute__((noinline)) void name(void)
#define KERNEL(...) __attribute__((noinline, weak)) void kernel(__VA_ARGS__)
#define CALL(name, sizes, arrays) name()
#define CALL_WITH(name, sizes, arrays, scalars) name scalars
/* The lower-case sizes are constants of the same names as the parameters of the other shapes. */
#define CONSTANTS(...) enum { __VA_ARGS__ };
#endif

#if defined(SHAPE_LINEAR)
#define VEC(type, a, n) type *a
#define MAT(type, a, n, m) type *a
#define CUBE(type, a, n, m, p) type *a
#define AT1(a, i) a[i]
#define AT2(a, i, j, m) a[(i) * (m) + (j)]
#define AT3(a, i, j, k, m, p) a[((i) * (m) + (j)) * (p) + (k)]
#define STORE1(type, a, N) static type a[N] ALIGNED;
#define STORE2(type, a, N, M) static type a[(N) * (M)] ALIGNED;
#define STORE3(type, a, N, M, P) static type a[(N) * (M) * (P)] ALIGNED;
#else
#define VEC(type, a, n) type a[n]
#define MAT(type, a, n, m) type a[n][m]
#define CUBE(type, a, n, m, p) type a[n][m][p]
#define AT1(a, i) a[i]
#define AT2(a, i, j, m) a[i][j]
#define AT3(a, i, j, k, m, p) a[i][j][k]
#define STORE1(type, a, N) static type a[N] ALIGNED;
#define STORE2(type, a, N, M) static type a[N][M] ALIGNED;
#define STORE3(type, a, N, M, P) static type a[N][M][P] ALIGNED;
#endif

/* A value in [-1, 1) that no two neighbouring indices share and that most sums of cannot represent exactly,
 * so that a wrong order of additions changes bits. */
static inline double input(int i, int j) { return (double)((i * 37 + j * 53 + 11) % 101) / 50.5 - 1.0; }
/* The same in (0, 1]. */
static inline double positive(int i, int j) { return (double)((i * 37 + j * 53 + 11) % 101 + 1) / 101.0; }

int harness_begin(int argc, char **argv);
void harness_start(void);
void harness_stop(void);
void harness_output(const char *name, const void *data, size_t bytes);
int harness_end(void);

#define OUTPUT(a, elems) harness_output(#a, (const void *)(a), (size_t)(elems) * sizeof(ELEMENT))
#ifndef ELEMENT
#define ELEMENT double
#endif

/* sizes, arrays and scalars are parenthesized argument lists in the order of SIZES, ARRAYS and KERNEL's parameters. */
#define MAIN(sizes, arrays, scalars)               \
    int main(int argc, char **argv)                \
    {                                              \
        int runs = harness_begin(argc, argv);      \
        for (int run = 0; run < runs; run++) {     \
            CALL(init, sizes, arrays);             \
            harness_start();                       \
            CALL_WITH(kernel, sizes, arrays, scalars); \
            harness_stop();                        \
        }                                          \
        CALL(dump, sizes, arrays);                 \
        return harness_end();                      \
    }

#endif
