// A stencil with two grids that change places: on servers on whose meshes lines from the last cache take long the new
// order pays on smaller grids than on the quickest cores. Which core it is has to be said by name.

// RUN: %clang -O3 -march=sapphirerapids -fpass-plugin=%plugin -Rpass=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=MESHED
// RUN: %clang -O3 -march=x86-64-v4 -fpass-plugin=%plugin -Rpass=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ANY

// MESHED: loops reordered: vectorizable, tiled in diamonds {{[0-9x]+}}, if sizes are at least 1414,
// ANY: loops reordered: vectorizable, tiled in diamonds {{[0-9x]+}}, if sizes are at least 2828,
double *now, *next;
int n;
void run(int steps) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        next[i * n + j] = 0.25 * (now[(i - 1) * n + j] + now[(i + 1) * n + j] + now[i * n + j - 1] + now[i * n + j + 1]);
    double *last = now;
    now = next;
    next = last;
  }
}
