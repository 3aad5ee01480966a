// The run-time library alone, with a kernel written by hand: it runs on the device, or nothing of the host's memory has
// changed and the host is asked to run the region, whatever fails.

// RUN: %clang -O1 -I%rt_h %s -o %t -L%rt -lpolyrs_rt
// RUN: %clang -O1 -I%rt_h %s -o %t.static %rt/libpolyrs_rt.a

// RUN: %emulator POLYRS_GPU_LOG=1 %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 %t.static 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_ORDER=random=5 %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %emulator POLYRS_GPU_LOG=1 PTX_EMULATOR_FAULT=pinned %t 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE-NOT: ptx-emulator
// DEVICE-DAG: polyrs: second: device (PTX emulator): 2 launches, 816 bytes in, 800 bytes out
// DEVICE-DAG: 1: device 299, between 7
// DEVICE-DAG: 2: device 497, between 7
// DEVICE-DAG: child: host 299, between 7

// Nobody is told of a GPU that is not there, unless it was asked for.
// RUN: %no_driver %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="there is no driver (libcuda.so.1)"
// RUN: %no_driver POLYRS_GPU=auto %t 2>&1 | FileCheck %s --check-prefixes=HOST,SILENT
// RUN: %emulator POLYRS_GPU=never %t 2>&1 | FileCheck %s --check-prefixes=HOST,SILENT
// RUN: %emulator PTX_EMULATOR_FAULT=init %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuInit fails"
// RUN: %emulator PTX_EMULATOR_FAULT=version %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="the driver is for CUDA 9.0"
// RUN: %emulator PTX_EMULATOR_FAULT=no-device %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="the driver knows no device"
// RUN: %emulator PTX_EMULATOR_FAULT=context %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuDevicePrimaryCtxRetain fails"
// RUN: %emulator PTX_EMULATOR_FAULT=module %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuModuleLoadDataEx fails"
// RUN: %emulator PTX_EMULATOR_FAULT=stream %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuStreamCreate fails"
// RUN: %emulator PTX_EMULATOR_FAULT=alloc %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuMemAlloc_v2 fails: CUDA_ERROR_OUT_OF_MEMORY"
// RUN: %emulator PTX_EMULATOR_FAULT=to-device %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuMemcpyHtoDAsync_v2 fails"
// RUN: %emulator PTX_EMULATOR_FAULT=to-host %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuMemcpyDtoHAsync_v2 fails"
// RUN: %emulator PTX_EMULATOR_FAULT=launch %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuLaunchKernel fails"
// RUN: %emulator PTX_EMULATOR_FAULT=lost %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuLaunchKernel fails"
// RUN: %emulator PTX_EMULATOR_FAULT=wait %t 2>&1 | FileCheck %s --check-prefixes=HOST,ASKED -DWHY="cuStreamSynchronize fails"
// ASKED: polyrs: no GPU is used: [[WHY]]
// HOST-DAG: 1: host 299, between 7
// HOST-DAG: 2: host 497, between 7
// HOST-DAG: child: host 299, between 7
// SILENT-NOT: polyrs

// The second of two regions loses the device; the second allocation of the first region fails, and the second region
// has the device.
// RUN: %emulator PTX_EMULATOR_FAULT=lost=4 %t 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %emulator PTX_EMULATOR_FAULT=alloc=2 %t 2>&1 | FileCheck %s --check-prefix=EARLY
// LATE-DAG: 1: device 299, between 7
// LATE-DAG: 2: host 497, between 7
// EARLY-DAG: 1: host 299, between 7
// EARLY-DAG: 2: device 497, between 7

// A word that a variable does not know is named once, with those that it knows and what is assumed; a right one, or
// none, is not.
// RUN: %emulator POLYRS_GPU=alway POLYRS_GPU_LOG=yes POLYRS_GPU_CHUNK=4M %t 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: %emulator POLYRS_GPU= POLYRS_GPU_LOG=0 POLYRS_GPU_CHUNK= %t 2>&1 | FileCheck %s --check-prefixes=HOST,SILENT
// WORDS-DAG: polyrs: POLYRS_GPU=alway is none of auto, never, always: auto is assumed
// WORDS-DAG: polyrs: POLYRS_GPU_LOG=yes is none of 0, 1, times: 1 is assumed
// WORDS-DAG: polyrs: POLYRS_GPU_CHUNK=4M is no number of bytes: 4194304 is assumed
// WORDS-DAG: polyrs: second:
// WORDS-NOT: assumed

// So is a folder where the machine's rates cannot be kept, if the user has named it.
// RUN: rm -rf %t.cache && mkdir %t.cache && touch %t.cache/file
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_CACHE=%t.cache/file %t 2>&1 | FileCheck %s --check-prefix=CACHE
// RUN: %emulator POLYRS_GPU=auto POLYRS_GPU_CACHE=%t.cache/folder %t 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: env HOME=%t.cache/file XDG_CACHE_HOME= LD_LIBRARY_PATH=%rt %emulator POLYRS_GPU=auto %t 2>&1 | FileCheck %s --check-prefix=SILENT
// CACHE: polyrs: rates of this machine cannot be kept in POLYRS_GPU_CACHE={{.*}}/file: {{.+}}
// CACHE-NOT: polyrs:

// The emulator ends a program that asks it for what it does not know: a test would be one of something else.
// RUN: not --crash %emulator PTX_EMULATOR_FAULT=nonsense %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not --crash %emulator PTX_EMULATOR_ORDER=nonsense %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not --crash %emulator PTX_EMULATOR_GRID=0 %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: not --crash %emulator PTX_EMULATOR_CAPABILITY=new %t 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: ptx-emulator: {{nonsense is no (fault|order)|PTX_EMULATOR_GRID=0 is no number above 0|PTX_EMULATOR_CAPABILITY=new is no number above 0}}

#include <polyrs_rt.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// b[2 i] += a[i] for i below n.
static const char ptx[] = ".version 5.0\n.target sm_60\n.address_size 64\n"
                          ".visible .entry add(\n.param .u64 add_param_0,\n.param .u64 add_param_1,\n.param .u32 add_param_2\n)\n{\n"
                          ".reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<9>;\n"
                          "ld.param.b32 %r1, [add_param_2];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                          "mad.lo.s32 %r5, %r2, %r3, %r4;\nsetp.ge.s32 %p1, %r5, %r1;\n@%p1 bra $L;\n"
                          "ld.param.b64 %rd1, [add_param_0];\nld.param.b64 %rd2, [add_param_1];\nmul.wide.s32 %rd3, %r5, 4;\n"
                          "add.s64 %rd4, %rd1, %rd3;\nld.global.b32 %r1, [%rd4];\nadd.s64 %rd5, %rd2, %rd3;\nadd.s64 %rd5, %rd5, %rd3;\n"
                          "ld.global.b32 %r2, [%rd5];\nadd.s32 %r2, %r2, %r1;\nst.global.b32 [%rd5], %r2;\n$L:\nret;\n}\n";
static const char *const names[] = {"add"};
static const char *const texts[] = {ptx};
static const polyrs_gpu_code code = {texts, names, 1, POLYRS_GPU_VERSION, 1};

static int a[100], b[204];

// Adds twice.
static void twice(const char *name, const char *who) {
  polyrs_gpu_range ranges[] = {{a, sizeof a, 0, 0}, {b + 1, 4, 0, 0}, {b, 200 * 4, POLYRS_GPU_WRITTEN, 0}, {b + 200, 16, 0, 0}};
  polyrs_gpu_region *region = polyrs_gpu_begin(&code, ranges + (name[0] == 's' ? 1 : 0), name[0] == 's' ? 3 : 4, 1e12, 2, name);
  // The second region takes a from b, so that ranges overlap.
  int done = 0;
  if (region) {
    uint64_t first = name[0] == 's' ? (uint64_t)b + ranges[2].offset + 400 : (uint64_t)a + ranges[0].offset;
    uint64_t params[] = {first, (uint64_t)b + ranges[2].offset, 50};
    const int64_t sizes[] = {2, 1, 1, 32, 1, 1}, none[] = {0, 1, 1, 32, 1, 1};
    polyrs_gpu_launch(region, 0, sizes, params, 3);
    polyrs_gpu_launch(region, 0, none, params, 3);
    polyrs_gpu_launch(region, 0, sizes, params, 3);
    done = polyrs_gpu_end(region);
  }
  const int *from = name[0] == 's' ? b + 100 : a;
  for (int t = 0; t < 2 && !done; t++)
    for (int i = 0; i < 50; i++)
      b[2 * i] += from[i];
  printf("%s: %s %d, between %d\n", who, done ? "device" : "host", b[98], b[99]);
  fflush(stdout);
}

int main() {
  for (int i = 0; i < 100; i++)
    a[i] = i + 100;
  for (int i = 0; i < 200; i++)
    b[i] = i % 2 ? 7 : 1;
  b[149] = 99;
  twice("first", "1");
  twice("second", "2");
  if (fork() == 0) {
    b[98] = 1;
    twice("first", "child");
    _exit(0);
  }
  wait(0);
}
