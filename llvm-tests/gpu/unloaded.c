// Libraries with kernels that come and go: what lies where another library's kernels were is another program.

// RUN: %clang -O3 -fPIC -shared -DLIBRARY="a[i] * 5 + 1" %s -o %t.1.so
// RUN: %clang -O3 -fPIC -shared -DLIBRARY="a[i] * 3 + 1" %s -o %t.2.so
// RUN: %clang -O3 %s -o %t
// RUN: %t %t.1.so %t.2.so > %t.expected
// RUN: %clang -O3 -fPIC -shared -DLIBRARY="a[i] * 5 + 1" -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.1.so -L%rt -lpolyrs_rt
// RUN: %clang -O3 -fPIC -shared -DLIBRARY="a[i] * 3 + 1" -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable %s -o %t.2.so -L%rt -lpolyrs_rt
// The run-time library stays, with what it has loaded.
// RUN: %clang -O3 %s -o %t -L%rt -Wl,--no-as-needed -lpolyrs_rt
// RUN: %emulator POLYRS_GPU_LOG=1 %t %t.1.so %t.2.so > %t.out 2> %t.log
// RUN: diff %t.expected %t.out
// RUN: FileCheck %s < %t.log
// RUN: %no_driver %t %t.1.so %t.2.so > %t.out
// RUN: diff %t.expected %t.out
// CHECK-COUNT-4: polyrs: change:0: device (PTX emulator)
// CHECK-NOT: ptx-emulator:

#ifdef LIBRARY
void change(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = LIBRARY;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **libraries) {
  static double a[500];
  void *before = 0;
  for (int k = 0; k < 4; k++) {
    void *library = dlopen(libraries[1 + k % (count - 1)], RTLD_NOW);
    if (!library)
      return puts(dlerror()), 1;
    void (*change)(int, double *) = (void (*)(int, double *))dlsym(library, "change");
    change(500, a);
    printf("%g\n", a[499]);
    // It is a test of what it is meant to be where the libraries take each other's place, as they do.
    if (before && before != (void *)change)
      fprintf(stderr, "not in the same place\n");
    before = (void *)change;
    dlclose(library);
  }
  return 0;
}
#endif
