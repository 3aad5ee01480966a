"""cuBLAS, timed through its C interface: `cublas.py LIBRARY f32|f64 N RUNS` prints the seconds of each run, kernels alone.

PyPI's wheels `nvidia-cublas-cu12` and `nvidia-cublas` (CUDA 13) bring the library; nothing else is needed but the driver.
"""
import ctypes
import glob
import os
import sys
import time

NAMES = ["libcublas.so.12", "libcublas.so.13"]
# CUBLAS_OP_N, CUBLAS_PEDANTIC_MATH, CUDA_SUCCESS: of cublas_api.h and cuda.h.
NO_TRANSPOSITION, PEDANTIC, NON_BLOCKING = 0, 2, 1


def library(asked=None):
    """Path of the library: what the user points at (the file, or a folder above it), else where pip puts it; None: there is none."""
    folders = [asked] if asked else [p for p in sys.path if p] + ["target/cublas"]
    if asked and os.path.isfile(asked):
        return asked
    for folder in folders:
        for below in ("", "lib", "nvidia/cublas/lib", "nvidia/cu13/lib"):
            for name in NAMES:
                if found := glob.glob(os.path.join(folder, below, name)):
                    return found[0]
    return None


def checked(status, what):
    """Ends the program where a call has failed."""
    if status:
        sys.exit(f"error: {what} fails ({status})")


def times(path, kind, n, runs):
    """Seconds of each run of a product of n by n matrices."""
    cuda = ctypes.CDLL("libcuda.so.1")
    blas = ctypes.CDLL(path)
    device, context, stream, handle = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    checked(cuda.cuInit(0), "cuInit")
    checked(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    checked(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    checked(cuda.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent")
    checked(cuda.cuStreamCreate(ctypes.byref(stream), NON_BLOCKING), "cuStreamCreate")
    checked(blas.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    checked(blas.cublasSetStream_v2(handle, stream), "cublasSetStream")
    checked(blas.cublasSetMathMode(handle, PEDANTIC), "cublasSetMathMode")
    number, name = (ctypes.c_double, "cublasDgemm_v2") if kind == "f64" else (ctypes.c_float, "cublasSgemm_v2")
    bytes_ = ctypes.sizeof(number) * n * n
    # Like the product's own: zeros can be faster than numbers.
    some = bytes((number * 4096)(*(((i * 37 + 11) % 101 / 50.5 - 1) for i in range(4096))))
    numbers = (some * (bytes_ // len(some) + 1))[:bytes_]
    places = []
    for _ in range(3):
        place = ctypes.c_uint64()
        checked(cuda.cuMemAlloc_v2(ctypes.byref(place), ctypes.c_size_t(bytes_)), "cuMemAlloc")
        checked(cuda.cuMemcpyHtoDAsync_v2(place, numbers, ctypes.c_size_t(bytes_), stream), "cuMemcpyHtoD")
        places.append(place)
    checked(cuda.cuStreamSynchronize(stream), "cuStreamSynchronize")
    one, a, b, c = number(1), *places
    found = []
    # The first one loads kernels.
    for _ in range(runs + 1):
        begin = time.perf_counter()
        side = ctypes.c_int(n)
        checked(getattr(blas, name)(handle, NO_TRANSPOSITION, NO_TRANSPOSITION, side, side, side, ctypes.byref(one), a, side, b, side,
                                    ctypes.byref(one), c, side), name)
        checked(cuda.cuStreamSynchronize(stream), "cuStreamSynchronize")
        found.append(time.perf_counter() - begin)
    return found[1:]


if __name__ == "__main__":
    for seconds in times(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])):
        print(seconds)
