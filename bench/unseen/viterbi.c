/* viterbi: most likely path through a hidden Markov model, scores only. */
#include "unseen.h"

#ifndef T
#define T SIZE(10, 30, 100, 400)
#endif
#ifndef S
#define S SIZE(12, 40, 100, 200)
#endif

static double score[T][S] ALIGNED, move[S][S] ALIGNED, seen[T][S] ALIGNED;

TIMED kernel(int steps, int states, double score[steps][states], double move[states][states], double seen[steps][states])
{
    for (int t = 1; t < steps; t++)
        for (int s = 0; s < states; s++) {
            double best = score[t - 1][0] + move[0][s];
            for (int p = 1; p < states; p++) {
                double v = score[t - 1][p] + move[p][s];
                best = v > best ? v : best;
            }
            score[t][s] = best + seen[t][s];
        }
}

static void init(void) { FILL(score, 1); FILL(move, 2); FILL(seen, 3); }
static void call(void) { kernel(T, S, score, move, seen); }
static void dump(void) { RESULT(score); }

PROGRAM
