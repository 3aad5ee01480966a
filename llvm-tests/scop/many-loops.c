// Of loops that are too many for one region several regions are made; a nest too large by itself says what is too many.

// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%plugin -DSIZE=n -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --implicit-check-not='{{too large|order of the loops kept}}'
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%plugin -DSIZE=400 -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=THREE --implicit-check-not='remark: loops' --implicit-check-not='order of the loops kept'
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%plugin -DSIZE=n -DONE_NEST -Rpass=polyrs -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEST
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%plugin -DSIZE=400 -mllvm -polyrs-max-stmts=8 -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATEMENTS
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%plugin -DSIZE=400 -mllvm -polyrs-max-instructions=90 -Rpass-missed=polyrs -Rpass-analysis=polyrs -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUNCTION

double A[400][400];

#define NEST for (int i = 0; i < SIZE; i++) for (int j = 0; j < SIZE; j++) A[j][i] = A[j][i] * 0.5 + 1;
#define FOUR NEST NEST NEST NEST
#define FORTY FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR

// Where each nest is skipped without iterations, the way around it leads to the end of the function, and nests share a
// region with all that follow them only.
// CHECK-COUNT-49: many-loops.c:[[#@LINE+13]]:{{[0-9]+}}: remark: loops reordered: interchanged
// THREE-COUNT-3: many-loops.c:[[#@LINE+12]]:{{[0-9]+}}: remark: loops reordered: interchanged
// NEST: many-loops.c:[[#@LINE+9]]:3: remark: loops not optimized: the region is too large to be analysed in the time allowed (more than 64 loops)
// NEST: many-loops.c:[[#@LINE+8]]:3: remark: what helps: split the nest: several that follow each other may be as large each
// NEST-COUNT-49: many-loops.c:[[#@LINE+9]]:{{[0-9]+}}: remark: loops reordered: interchanged
// STATEMENTS: many-loops.c:[[#@LINE+8]]:{{[0-9]+}}: remark: loops not optimized: the region is too large to be analysed in the time allowed (more than 8 statements)
// STATEMENTS: many-loops.c:[[#@LINE+7]]:{{[0-9]+}}: remark: what helps: split the nest, or raise -polyrs-max-stmts
// FUNCTION: many-loops.c:[[#@LINE+6]]:{{[0-9]+}}: remark: loops not optimized: the region is too large to be analysed in the time allowed ({{[0-9]+}} instructions in the function)
// FUNCTION: many-loops.c:[[#@LINE+5]]:{{[0-9]+}}: remark: what helps: split the function, or raise -polyrs-max-instructions
void sweeps(int n, int times) {
#ifdef ONE_NEST
  for (int t = 0; t < times; t++)
#endif
  { FORTY FORTY }
}
