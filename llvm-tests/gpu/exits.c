// A program ends as it would without a device, however it ends: from the main thread or another one, while regions run
// in a third, at once or with functions that are called at the end and run kernels themselves, after a fork, and where
// the context was lost.

// RUN: %clang -O3 -pthread %s -o %t.host
// RUN: %clang -O3 -pthread -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.gpu -L%rt -lpolyrs_rt
// RUN: %python %root/llvm-tests/gpu/Inputs/ends.py %t.host return,exit,thread,quick,at-exit,busy,fork %emulator %t.gpu > %t.out
// RUN: FileCheck %s --input-file=%t.out
// CHECK: return device: status 2
// CHECK: polyrs: sum:{{.*}}: device (PTX emulator)
// CHECK: return lost: status 2
// CHECK: exit device: status 3
// CHECK: thread device: status 4
// CHECK: quick device: status 5
// CHECK: at-exit device: status 2
// CHECK: busy device: status 6
// CHECK: fork device: status 2
// CHECK: fork lost: status 2

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int a[64][64], b[64][64], c[64][64];
static pthread_mutex_t started = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void sum(int n, int (*restrict a)[64], int (*restrict b)[64]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += 3 * b[j][i] + i - j;
}

static void told(const char *when) {
  sum(64, a, b);
  printf("%s %d %d\n", when, a[3][5], a[63][1]);
  fflush(stdout);
}

static void at_end(void) { told("end"); }

static void *leaves(void *unused) {
  told("thread");
  exit(4);
}

static void *works(void *unused) {
  for (;;) {
    sum(64, c, b);
    pthread_mutex_unlock(&started);
  }
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  pthread_t thread;
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      b[i][j] = i ^ j;
  told("main");
  if (!strcmp(how, "exit"))
    exit(3);
  if (!strcmp(how, "quick"))
    quick_exit(5);
  if (!strcmp(how, "at-exit"))
    atexit(at_end);
  if (!strcmp(how, "thread")) {
    pthread_create(&thread, NULL, leaves, NULL);
    pthread_join(thread, NULL);
  }
  if (!strcmp(how, "busy")) {
    pthread_mutex_lock(&started);
    pthread_create(&thread, NULL, works, NULL);
    pthread_mutex_lock(&started);
    return 6;
  }
  if (!strcmp(how, "fork")) {
    pid_t child = fork();
    if (child == 0) {
      atexit(at_end);
      told("child");
      exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
  }
  return 2;
}
