/* Timing of the kernel function alone, and the dump of its results; see harness.h. Compiled once, never by polyrs. */
#include "harness.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FLUSH_BYTES = 32 << 20 };

static struct timespec wall_start, cpu_start;
static FILE *raw;
static unsigned char *flush;
static volatile unsigned sink;

static double since(const struct timespec *start, clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* Reads the command line; returns how often the kernel is to run. */
int harness_begin(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    if (runs < 1) {
        fprintf(stderr, "usage: %s [RUNS [FILE]]: RUNS >= 1; FILE gets the raw bytes of the results\n", argv[0]);
        exit(2);
    }
    if (argc > 2 && !(raw = fopen(argv[2], "wb"))) {
        perror(argv[2]);
        exit(2);
    }
    return runs;
}

/* Evicts the arrays from the caches and starts the clocks. HARNESS_NO_FLUSH in the environment keeps the caches warm. */
void harness_start(void)
{
    if (!getenv("HARNESS_NO_FLUSH")) {
        if (!flush && !(flush = calloc(FLUSH_BYTES, 1)))
            exit(2);
        unsigned sum = 0;
        for (size_t i = 0; i < FLUSH_BYTES; i += 64)
            sum += flush[i]++;
        sink = sum;
    }
    clock_gettime(CLOCK_MONOTONIC, &wall_start);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu_start);
}

/* Stops the clocks and prints them. */
void harness_stop(void)
{
    double cpu = since(&cpu_start, CLOCK_THREAD_CPUTIME_ID);
    double wall = since(&wall_start, CLOCK_MONOTONIC);
    printf("time %.9f %.9f\n", wall, cpu);
}

/* Prints the FNV-1a hash of an array's bytes, and writes them to the raw file if there is one. */
void harness_output(const char *name, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    printf("hash %s %016llx\n", name, (unsigned long long)hash);
    if (raw && fwrite(data, 1, bytes, raw) != bytes) {
        perror("raw output");
        exit(2);
    }
}

/* Closes the raw file; returns the exit status of the program. */
int harness_end(void)
{
    free(flush);
    return raw && fclose(raw) ? 2 : 0;
}
