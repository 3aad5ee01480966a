// The text of kernels is the same whenever and wherever a file is compiled: byte for byte, in another environment and
// folder, with other addresses, under clang and under opt, with debug information and without.

// RUN: rm -rf %t && mkdir -p %t/here %t/elsewhere/deeper
// RUN: cp %root/bench/kernels/3mm.c %t/here/file.c && cp %t/here/file.c %t/elsewhere/deeper/file.c
// RUN: cp %root/bench/kernels/*.h %t/here && cp %root/bench/kernels/*.h %t/elsewhere/deeper

// The whole object file, twice.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_60,sm_90 -c %t/here/file.c -o %t/1.o
// RUN: env -i A=1 ZZZ=longer %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-gpu-arch=sm_60,sm_90 -c %t/here/file.c -o %t/2.o
// RUN: cmp %t/1.o %t/2.o

// Options in another order, another folder, no random addresses.
// RUN: %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %t/here/file.c -o %t/1.ll
// RUN: cd %t/elsewhere/deeper && env -i LANG=C HOME=/nowhere %clang -mllvm -polyrs-process-unprofitable -mllvm -polyrs-target=gpu -fpass-plugin=%plugin -O3 -S -emit-llvm file.c -o 2.ll
// RUN: setarch -R %clang -O3 -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %t/here/file.c -o %t/3.ll
// RUN: grep "^@polyrs.gpu" %t/1.ll > %t/1.texts
// RUN: grep "^@polyrs.gpu" %t/elsewhere/deeper/2.ll | diff %t/1.texts -
// RUN: grep "^@polyrs.gpu" %t/3.ll | diff %t/1.texts -
// RUN: grep "\.ptx = private constant" %t/1.texts | count 1

// Options by way of the environment, and the same pipeline under opt; debug information.
// RUN: env POLYRS_OPTIONS="-polyrs-target=gpu -polyrs-process-unprofitable" %clang -O3 -fpass-plugin=%plugin -S -emit-llvm %t/here/file.c -o - | grep "^@polyrs.gpu" | diff %t/1.texts -
// RUN: %clang -O3 -Xclang -disable-llvm-passes -S -emit-llvm %t/here/file.c -o %t/plain.ll
// RUN: %opt -passes="default<O3>" -polyrs-target=gpu -polyrs-process-unprofitable %t/plain.ll -S -o - | grep "^@polyrs.gpu" | diff %t/1.texts -
// RUN: %clang -O3 -g -fpass-plugin=%plugin -mllvm -polyrs-target=gpu -mllvm -polyrs-process-unprofitable -S -emit-llvm %t/here/file.c -o - | grep "^@polyrs.gpu" | diff %t/1.texts -
