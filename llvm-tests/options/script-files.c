// A script for one file of a program is given to all of them: a function that is not in one is in another.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O3 -Werror -fpass-plugin=%plugin -mllvm -polyrs-transform=mm.polyrs -c main.c -o main.o 2>&1 | count 0
// RUN: %clang -O3 -Werror -fpass-plugin=%plugin -mllvm -polyrs-transform=by-hand.txt -c main.c -o main.o 2>&1 | count 0

// In the file that it was made for the function is missed, and a misspelt one where nothing says which file it is for.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=mm.polyrs -c mm.c -o mm.o 2>&1 | FileCheck %s
// RUN: sed 's/region mm/region strat/' by-hand.txt > misspelt.txt
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-transform=misspelt.txt -c main.c -o main.o 2>&1 | FileCheck %s --check-prefix=NEAR
// CHECK: warning: polyrs: script mm.polyrs:2:8: there is no function 'mm' in mm.c{{$}}
// NEAR: warning: polyrs: script misspelt.txt:1:8: there is no function 'strat' in main.c; did you mean `start`?

//--- mm.polyrs
# lib/mm.c as polyrs tune left it
region mm
interchange i j

//--- by-hand.txt
region mm
interchange i j

//--- main.c
void start(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = i;
}

//--- mm.c
void product(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] *= i;
}
