// POLYRS_LOG tells what each stage decided, in the plugin and in the command; without it nothing is told. What is not
// understood is said.

// RUN: env POLYRS_LOG=polyrs=info %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=INFO --implicit-check-not=debug
// RUN: env POLYRS_LOG=polyrs::schedule=debug %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=STAGE --implicit-check-not=polyrs::deps
// RUN: env POLYRS_LOG=debug %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: env POLYRS_LOG=polyrs=debug %clang -O2 -fpass-plugin=%plugin -mllvm -polyrs-parallel -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | count 0
// RUN: env POLYRS_LOG=polyrs=loud %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG --implicit-check-not=info
// RUN: env POLYRS_LOG=polyrs::shedule %clang -O2 -fpass-plugin=%plugin -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NEAR --implicit-check-not=debug

// RUN: echo 'schedule { S[i] : 0 <= i < 10 } respecting { S[i] -> S[i + 1] : 0 <= i < 9 };' > %t.calc
// RUN: env POLYRS_LOG=polyrs::proof=debug %polyrs calc %t.calc 2>&1 | FileCheck %s --check-prefix=CALC
// RUN: env POLYRS_LOG=polyrs::schedule=debug,polyrs::cost=info %polyrs explain %s 2>%t.log >%t.told && FileCheck %s --check-prefix=EXPLAIN --input-file=%t.log && FileCheck %s --check-prefix=TOLD --input-file=%t.told --implicit-check-not='polyrs::'

// EXPLAIN-DAG: debug polyrs::schedule: product
// EXPLAIN-DAG: info polyrs::cost: product
// TOLD: product

// INFO: info polyrs::pipeline: product{{.*}}: loops reordered: {{.*}}tiled
// INFO: info polyrs::pipeline: chase: loops not optimized: {{.*}}
// STAGE: debug polyrs::schedule: product{{.*}} integer programs solved in {{.*}} nodes: {{.*}}tiled
// ALL-DAG: debug polyrs::canonical: product: cloned, 3 loops
// ALL-DAG: debug polyrs::scop: product: region bb{{[0-9]+}} => bb{{[0-9]+}}: {{[0-9]+}} blocks, 3 loops
// ALL-DAG: debug polyrs::scop: chase: no region at {{.*}}: NonAffine
// ALL-DAG: debug polyrs::model::build: product{{.*}}: 1 statements, 3 arrays
// ALL-DAG: debug polyrs::deps: product{{.*}}: {{[0-9]+}} dependences
// ALL-DAG: debug polyrs::proof: product{{.*}}: the order is proved legal
// ALL-DAG: info polyrs::cost: product:0: original {{[0-9]+ \([a-zL0-9]+ [0-9]+\)}} new {{[0-9]+ \(.*\)}} gain {{[0-9]+}} steps {{.*}}tiled
// ALL-DAG: debug polyrs::ast: product
// ALL-DAG: debug polyrs::codegen: product{{.*}} copies of statements, 0 loops in threads, no run-time check
// THREADS: debug polyrs::parallel::roles: product{{.*}}loops may run in threads
// WRONG: warning: polyrs: POLYRS_LOG: 'loud' is no level (off, error, warn, info, debug, trace)
// NEAR: warning: polyrs: POLYRS_LOG: there is no stage 'polyrs::shedule': did you mean 'polyrs::schedule'?
// CALC: debug polyrs::proof: {{.*}}proved legal

double A[512][512], B[512][512], C[512][512];

void product(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      for (int k = 0; k < 512; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void chase(void) {
  for (int i = 0; i < 512; i++)
    for (int j = 0; j < 512; j++)
      C[0][i * j] = 0;
}
