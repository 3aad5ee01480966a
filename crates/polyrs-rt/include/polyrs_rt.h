/* Runs regions of a program on a GPU. The compiler writes the calls; the program is linked with -lpolyrs_rt.

   A region asks polyrs_gpu_begin for a device. Null: the host's code runs. Otherwise the region's loops launch kernels, which work on
   copies of the ranges of memory, and polyrs_gpu_end brings back what they have written. Where it answers 0, something failed on the
   way and the memory of the host is as it was at the beginning: the host's code runs then.

   All functions may be called by several threads at a time. None ends the program, and none throws. */
#ifndef POLYRS_RT_H
#define POLYRS_RT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels of a program, as PTX. It stays where it is until the library that it is in is unloaded. Of several texts, each with all kernels,
   the one for the newest architecture is taken that the device can run. */
typedef struct polyrs_gpu_code {
  const char *const *ptx;   /* texts, zero-terminated each */
  const char *const *names; /* of the kernels, zero-terminated each */
  uint32_t kernels;         /* how many kernels */
  uint32_t version;         /* POLYRS_GPU_VERSION */
  uint32_t texts;           /* how many texts */
} polyrs_gpu_code;

#define POLYRS_GPU_VERSION 2u

/* Kernels write in the range. */
#define POLYRS_GPU_WRITTEN 1ull
/* They write every byte of it: what it held before is not copied back. */
#define POLYRS_GPU_WHOLE 2ull
/* Besides, they read nothing of it that they have not written before: it is not copied to the device. */
#define POLYRS_GPU_FRESH 4ull
/* POLYRS_GPU_WHOLE | POLYRS_GPU_FRESH alone: room for kernels. Nothing of it is copied to or from the device. */

/* Memory of the host that kernels use. Ranges may overlap: they do so on the device, too. */
typedef struct polyrs_gpu_range {
  void *first;     /* first byte */
  uint64_t bytes;  /* 0: nothing */
  uint64_t flags;  /* POLYRS_GPU_WRITTEN, POLYRS_GPU_WHOLE, POLYRS_GPU_FRESH */
  uint64_t offset; /* set by polyrs_gpu_begin: the device's address of a byte minus the host's, modulo 2^64 */
} polyrs_gpu_range;

/* A region that runs. */
typedef struct polyrs_gpu_region polyrs_gpu_region;

/* Asks for a device. Ranges are copied there when kernels need them: the host leaves them alone until the region ends. `instructions`:
   what the host would have to do, roughly; `launches`: of kernels, roughly; both decide with POLYRS_GPU=auto. `name` is for the log.
   Null: the host is to run the region. */
polyrs_gpu_region *polyrs_gpu_begin(const polyrs_gpu_code *code, polyrs_gpu_range *ranges, uint32_t count, double instructions,
                                    double launches, const char *name);

/* Starts kernel number `kernel` behind what the region started before. `sizes`: blocks in x, y, z, then threads of a block in x, y, z.
   More blocks than the device can number are cut down: kernels go on with the rest by themselves. No block: nothing is started.
   `params`: one 8-byte slot per parameter, its value in the first bytes. */
void polyrs_gpu_launch(polyrs_gpu_region *region, uint32_t kernel, const int64_t sizes[6], const uint64_t *params, uint32_t count);

/* The same for a kernel that touches memory of some ranges only: a bit for each in turn, the last bit for all from number 63 on. It does
   not wait until others are copied. */
void polyrs_gpu_launch_on(polyrs_gpu_region *region, uint32_t kernel, const int64_t sizes[6], const uint64_t *params, uint32_t count,
                          uint64_t uses);

/* No kernel that is started from here on writes in these ranges: they are copied back while others run. */
void polyrs_gpu_final(polyrs_gpu_region *region, uint64_t ranges);

/* Waits for the kernels and copies back what they have written. 1: done. 0: the host is to run the region; nothing was copied back.
   The region is gone in both cases. */
int32_t polyrs_gpu_end(polyrs_gpu_region *region);

/* Tells the user, where regions are logged, that no device is asked for a region, and why. Nothing else happens. */
#define POLYRS_GPU_STAYS_SIZES 0u   /* sizes or strides are not such as its kernels are for */
#define POLYRS_GPU_STAYS_OVERLAP 1u /* its arrays may overlap */
#define POLYRS_GPU_STAYS_LARGE 2u   /* its sizes are too large for its kernels' addresses */
#define POLYRS_GPU_STAYS_LITTLE 3u  /* it has less to do than the user asks for */

void polyrs_gpu_stays(const char *name, uint32_t why);

/* Regions in sequence between which the host does not write memory form a session: results stay on the device, and regions find there what
   earlier ones have copied or written. A session begins as 0; the program keeps it. What lies between begin and end is the same.

   Before the host reads or writes memory, the program calls polyrs_gpu_host, also where it is to run a region because one of the first
   two functions says so. 1: results are in the host's memory, and it may go on. 0: they are lost, and the memory of the host is as it was
   when the session began: the program goes back to there with the session as it is, and the host runs everything. Where it only reads,
   polyrs_gpu_show does: what is on the device stays there, and further results come back as soon as a region ends. */
typedef uintptr_t polyrs_gpu_session;

polyrs_gpu_region *polyrs_gpu_begin_in(polyrs_gpu_session *session, const polyrs_gpu_code *code, polyrs_gpu_range *ranges, uint32_t count,
                                       double instructions, double launches, const char *name);

int32_t polyrs_gpu_end_in(polyrs_gpu_session *session, polyrs_gpu_region *region);

int32_t polyrs_gpu_show(polyrs_gpu_session *session);

int32_t polyrs_gpu_host(polyrs_gpu_session *session);

#ifdef __cplusplus
}
#endif
#endif
