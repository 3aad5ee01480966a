// Options of a function in a script, as in an annotation of its source; a section with nothing else leaves the order to
// the scheduler, and functions of which the script says nothing have the options of the run.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O1 -march=x86-64-v3 -Xclang -disable-llvm-passes -emit-llvm -S two.c -o two.ll
// RUN: %opt -passes=polyrs -disable-output -polyrs-transform=tiles.txt -pass-remarks=polyrs two.ll 2>&1 | FileCheck %s --check-prefix=TILES
// RUN: %opt -passes=polyrs -disable-output -polyrs-transform=off.txt -pass-remarks=polyrs -pass-remarks-missed=polyrs two.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: %opt -passes=polyrs -disable-output -polyrs-transform=both.txt -pass-remarks=polyrs two.ll 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not %opt -passes=polyrs -disable-output -polyrs-transform=wrong.txt two.ll 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not %opt -passes=polyrs -disable-output -polyrs-transform=number.txt two.ll 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER

// TILES: remark: {{.*}}loops reordered: {{.*}}tiled 16x8x4
// TILES: remark: {{.*}}loops reordered: packed
// OFF: remark: {{.*}}the function is left alone (polyrs:off)
// OFF: remark: {{.*}}loops reordered: packed
// BOTH: remark: {{.*}}loops reordered: by script
// BOTH: remark: {{.*}}loops reordered: packed
// WRONG: error: polyrs: script wrong.txt:2:8: 'tile-size=8' says nothing: did you mean 'tile-sizes'?
// NUMBER: error: polyrs: script number.txt:2:1: options are for whole functions, not for region first:0

//--- tiles.txt
region first
option tile-sizes=16,8,4      # outermost first
option pattern-matching-based-opts=false

//--- off.txt
region first
option off

//--- both.txt
region first
option pattern-matching-based-opts=false
region first:0
interchange j k

//--- wrong.txt
region first
option tile-size=8

//--- number.txt
region first:0
option tiling=false

//--- two.c
double A[600][600], B[600][600], C[600][600];

void first(void) {
  for (int i = 0; i < 600; i++)
    for (int j = 0; j < 600; j++)
      for (int k = 0; k < 600; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void second(void) {
  for (int i = 0; i < 600; i++)
    for (int j = 0; j < 600; j++)
      for (int k = 0; k < 600; k++)
        C[i][j] += A[i][k] * B[k][j];
}
