// Two threads and more write one variable: what a tool that looks for data races must find.
#include <stdio.h>

void __kmpc_fork_call(void *place, int count, void (*run)(int *, int *, void *), ...);

static int shared;

static void run(int *thread, int *of_team, void *data) { ++*(int *)data; }

int main(void) {
  __kmpc_fork_call(0, 1, run, &shared);
  printf("%d\n", shared);
}
