// What the cost model expects is logged if asked for, and decides by a bound that the user can move.

// RUN: %clang -O1 -Xclang -disable-llvm-passes -emit-llvm -S %s -o %t.ll
// RUN: env POLYRS_LOG=polyrs::cost=info %opt -passes=polyrs -polyrs-min-gain=0 -pass-remarks=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: %opt -passes=polyrs -polyrs-min-gain=100000000 -pass-remarks=polyrs -pass-remarks-missed=polyrs -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %opt -passes=polyrs -polyrs-min-gain=0 -disable-output %t.ll 2>&1 | count 0

double A[500][500], B[500][500], C[500][500];

// ANY: product:0: original {{[0-9]+ \([a-zL0-9]+ [0-9]+\)}} new {{[0-9]+ \(.*\)}} gain {{[0-9]+}} steps {{.*}}interchanged
// ANY: remark: {{.*}}loops reordered: {{.*}}interchanged
// NONE-NOT: reordered
// NONE: order of the loops kept: the best new order is not estimated to be enough faster than the original one
// NONE-NOT: reordered
void product(void)
{
    for (int i = 0; i < 500; i++)
        for (int j = 0; j < 500; j++)
            for (int k = 0; k < 500; k++)
                C[i][j] += A[i][k] * B[k][j];
}
