/* Loops that polyrs leaves alone, and the reason it gives. Try:
 *   clang-22 -O3 -fpass-plugin=target/release/libpolyrs.so -Rpass-missed=polyrs -c examples/kept.c */
#include <stdio.h>

/* The subscript is read from memory. */
void gather(int n, double *out, const double *in, const int *index)
{
    for (int i = 0; i < n; i++)
        out[i] = in[index[i]];
}

/* The call may do anything. */
void trace(int n, const double *values)
{
    for (int i = 0; i < n; i++)
        printf("%g\n", values[i]);
}

/* How often it runs depends on the data. */
int digits(char *text, unsigned value)
{
    int n = 0;
    while (value) {
        text[n++] = (char)('0' + value % 10);
        value /= 10;
    }
    return n;
}

/* Opted out. */
__attribute__((annotate("polyrs:off"))) void copy(int n, double *to, const double *from)
{
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}
