// A loop that counts from another number in each run of the loop around is no skewed one: sums over channels and
// neighbours are products. Where all of the short loops inside become straight code, the original runs in vectors along
// a row, and stays.

// RUN: %clang -O1 -march=x86-64-v4 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: %opt -passes=polyrs -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s

double weight[24][16][4], in[16][2048], out[24][2040];
double point[5][5], image[600][600], blurred[600][600];

// CHECK: remark: {{.*}}loops reordered: packed for
void layer(void)
{
    for (int k = 0; k < 24; k++)
        for (int x = 0; x < 2040; x++)
            for (int c = 0; c < 16; c++)
                for (int r = 0; r < 4; r++)
                    out[k][x] += weight[k][c][r] * in[c][x + r];
}

// CHECK: remark: {{.*}}order of the loops kept
void filter(void)
{
    for (int y = 0; y < 596; y++)
        for (int x = 0; x < 596; x++)
            for (int r = 0; r < 5; r++)
                for (int s = 0; s < 5; s++)
                    blurred[y][x] += point[r][s] * image[y + r][x + s];
}
