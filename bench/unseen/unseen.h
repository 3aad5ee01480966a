/* What every program of this folder shares: sizes and clocks of bench/kernels, deterministic input, a main.
 *
 * These programs are never tuned on: no threshold, constant or rewrite may be chosen by what it does to them. Each is written the way its
 * field writes it (arrays, pointers, variable-length arrays, parameters), and states
 *
 *     #define N SIZE(40, 120, 400, 2000)     sizes, each may be set alone (-DN=17)
 *     TIMED kernel(...) { ... }              the loops that are timed
 *     static void init(void) { ... }         input
 *     static void call(void) { kernel(...); }
 *     static void dump(void) { RESULT(a); }  what is hashed: every array that the kernel writes
 *     PROGRAM
 */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "../kernels/harness.h"

#include <math.h>

/* Weak: no analysis may carry its caller's constants into it. */
#ifndef TIMED
#define TIMED __attribute__((noinline, weak)) void
#endif
#define RESULT(a) harness_output(#a, (const void *)(a), sizeof(a))

__attribute__((noinline, unused)) static void fill(double *a, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        a[i] = input((int)(i % 9973), seed + (int)(i / 9973));
}
/* In (0, 1]. */
__attribute__((noinline, unused)) static void fill_positive(double *a, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        a[i] = positive((int)(i % 9973), seed + (int)(i / 9973));
}
__attribute__((noinline, unused)) static void fill_float(float *a, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        a[i] = (float)input((int)(i % 9973), seed + (int)(i / 9973));
}
/* In 0..below. */
__attribute__((noinline, unused)) static void fill_int(int *a, size_t n, int seed, int below)
{
    unsigned state = (unsigned)seed * 2654435761u + 1u;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (int)(state >> 8) % below;
    }
}
#define FILL(a, seed) fill((double *)(a), sizeof(a) / sizeof(double), seed)
#define FILL_POSITIVE(a, seed) fill_positive((double *)(a), sizeof(a) / sizeof(double), seed)
#define FILL_FLOAT(a, seed) fill_float((float *)(a), sizeof(a) / sizeof(float), seed)
#define FILL_INT(a, seed, below) fill_int((int *)(a), sizeof(a) / sizeof(int), seed, below)

#define PROGRAM                                    \
    int main(int argc, char **argv)                \
    {                                              \
        int runs = harness_begin(argc, argv);      \
        for (int run = 0; run < runs; run++) {     \
            init();                                \
            harness_start();                       \
            call();                                \
            harness_stop();                        \
        }                                          \
        dump();                                    \
        return harness_end();                      \
    }

#endif
