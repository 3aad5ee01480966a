"""The emulator as a driver, call by call: each fault strikes the call it is named after and no other one, and what nothing orders is found."""
import ctypes
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import gpu

# Each thread hands its number on through shared memory: a[t] = t + 1 becomes a[t] = 32 - t for 32 threads.
PTX = b"""
.version 5.0
.target sm_60
.address_size 64
.visible .entry turned(
.param .u64 turned_param_0
)
{
.shared .align 4 .b8 s[128];
.reg .b32 %r<6>;
.reg .b64 %rd<9>;
ld.param.b64 %rd1, [turned_param_0];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.b32 %r2, [%rd3];
mov.b64 %rd4, s;
add.s64 %rd5, %rd4, %rd2;
st.shared.b32 [%rd5], %r2;
bar.sync 0;
xor.b32 %r3, %r1, 31;
mul.wide.u32 %rd6, %r3, 4;
add.s64 %rd7, %rd4, %rd6;
ld.shared.b32 %r4, [%rd7];
st.global.b32 [%rd3], %r4;
ret;
}
"""
BYTES = 128
INVALID_VALUE, OUT_OF_MEMORY, NO_DEVICE, INVALID_CONTEXT, INVALID_PTX, LOST = 1, 2, 100, 201, 218, 719

# What fails first where a fault strikes its first or second call, and what an allocation answers then.
STRIKES = {
    "init": ("cuInit", 999, 0),
    "version": ("version", 9000, 0),
    "no-device": ("count", 0, 0),
    "context": ("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, 0),
    "module": ("cuModuleLoadDataEx", INVALID_PTX, 0),
    "alloc": ("cuMemAlloc_v2", OUT_OF_MEMORY, 0),
    "pinned": ("cuMemHostAlloc", OUT_OF_MEMORY, 0),
    "to-device": ("cuMemcpyHtoDAsync_v2", LOST, LOST),
    "to-host": ("cuMemcpyDtoHAsync_v2", LOST, LOST),
    "on-device": ("cuMemcpyDtoDAsync_v2", LOST, LOST),
    "launch": ("cuLaunchKernel", 701, 0),
    "stream": ("cuStreamCreate", OUT_OF_MEMORY, 0),
    "event": ("cuEventCreate", OUT_OF_MEMORY, 0),
    "record": ("cuEventRecord", LOST, LOST),
    "behind": ("cuStreamWaitEvent", LOST, LOST),
    "wait": ("cuStreamSynchronize", LOST, LOST),
}


class Failed(Exception):
    """A call has failed, which was told."""


class Driver:
    """The driver's functions, each with how often it was called; the first failure is told and ends the program."""

    def __init__(self):
        self.library, self.calls = ctypes.CDLL("libcuda.so.1"), {}

    def tell(self, name, code):
        number = self.calls.get(name, 1)
        address = ctypes.c_uint64()
        then = self.library.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(8))
        print(f"{name} {number}: {code}, then {then}")
        raise Failed

    def __call__(self, name, *args):
        self.calls[name] = self.calls.get(name, 0) + 1
        code = getattr(self.library, name)(*args)
        if code:
            self.tell(name, code)

    def made(self, name, *args, kind=ctypes.c_uint64):
        value = kind()
        self(name, ctypes.byref(value), *args)
        return value

    def answer(self, what, name, right, *args):
        self.calls[what] = self.calls.get(what, 0) + 1
        value = self.made(name, *args, kind=ctypes.c_int).value
        if value != right:
            self.tell(what, value)

    def twice(self, name, *args, **how):
        return [self.made(name, *args, **how) for _ in range(2)]

    def launch(self, function, at, stream, grid=(1, 1, 1), block=(32, 1, 1)):
        params = (ctypes.c_void_p * 1)(ctypes.addressof(at))
        self("cuLaunchKernel", function, *grid, *block, 0, stream, params, None)


def start():
    """The driver with a context, a kernel, two streams, two events and two pieces of memory."""
    call, none = Driver(), ctypes.c_void_p()
    # The context is current from the begin, for what is asked after a failure.
    call.library.cuCtxPushCurrent_v2(ctypes.c_void_p(0x1000))
    for _ in range(2):
        call("cuInit", 0)
    for _ in range(2):
        call.answer("version", "cuDriverGetVersion", 12040)
        call.answer("count", "cuDeviceGetCount", 1)
    context = call.twice("cuDevicePrimaryCtxRetain", 0)[1]
    call("cuCtxPushCurrent_v2", context)
    module = call.twice("cuModuleLoadDataEx", PTX, 0, none, none)[1]
    function = call.made("cuModuleGetFunction", module, b"turned")
    streams, events = call.twice("cuStreamCreate", 1), call.twice("cuEventCreate", 2)
    return call, function, streams, events, call.twice("cuMemAlloc_v2", ctypes.c_size_t(BYTES))


def work():
    """Everything twice: to the device, turned, to another place, to the host; a stream for kernels, one for copies."""
    call, function, (copies, kernels), (there, done), (a, b) = start()
    source, target = call.twice("cuMemHostAlloc", ctypes.c_size_t(BYTES), 0)
    numbers = (ctypes.c_uint32 * 32)(*range(1, 33))
    for _ in range(2):
        ctypes.memmove(source.value, numbers, BYTES)
        call("cuMemcpyHtoDAsync_v2", a, source, ctypes.c_size_t(BYTES), copies)
        call("cuEventRecord", there, copies)
        call("cuStreamWaitEvent", kernels, there, 0)
        call.launch(function, a, kernels)
        call("cuEventRecord", done, kernels)
        call("cuStreamWaitEvent", copies, done, 0)
        call("cuMemcpyDtoDAsync_v2", b, a, ctypes.c_size_t(BYTES), copies)
        call("cuMemcpyDtoHAsync_v2", target, b, ctypes.c_size_t(BYTES), copies)
        call("cuStreamSynchronize", copies)
        print((ctypes.c_uint32 * 32).from_address(target.value)[0])


def refused():
    """What no driver does, each a line: its name and what the call answers."""
    call, function, (stream, _), _, (a, _) = start()
    at = ctypes.byref(ctypes.c_uint64())
    big, host = ctypes.c_size_t(BYTES + 1), (ctypes.c_uint8 * (BYTES + 1))()
    params = (ctypes.c_void_p * 1)(ctypes.addressof(a))
    lib = call.library
    print("nothing", lib.cuMemAlloc_v2(at, ctypes.c_size_t(0)))
    print("too much", lib.cuMemAlloc_v2(at, ctypes.c_size_t(1 << 40)))
    print("behind the end", lib.cuMemcpyHtoDAsync_v2(a, host, big, stream), lib.cuMemcpyDtoHAsync_v2(host, a, big, stream))
    print("no memory", lib.cuMemFree_v2(ctypes.c_uint64(77)))
    for name, sizes in {"no block": (0, 1, 1, 1, 1, 1), "y": (1, 65536, 1, 1, 1, 1), "z": (1, 1, 65536, 1, 1, 1), "threads": (1, 1, 1, 32, 33, 1)}.items():
        print(name, lib.cuLaunchKernel(function, *sizes, 0, stream, params, None))
    print("stream", lib.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, ctypes.c_void_p(99), params, None))
    value = ctypes.c_int()
    print("blocks", [lib.cuDeviceGetAttribute(ctypes.byref(value), which, 0) or value.value for which in (5, 6, 7)])
    print("newer", lib.cuModuleLoadDataEx(at, PTX.replace(b"sm_60", b"sm_70"), 0, None, None))
    print("text", lib.cuModuleLoadDataEx(at, PTX.replace(b"xor.b32", b"xor.ftz.b32"), 0, None, None))
    lib.cuCtxPopCurrent_v2(at), lib.cuCtxPopCurrent_v2(at)
    print("no context", lib.cuMemAlloc_v2(at, ctypes.c_size_t(8)))


def unordered(which):
    """Two pieces of work of two streams that touch the same memory, without an event; or `which` other carelessness."""
    call, function, (first, second), _, (a, b) = start()
    host = (ctypes.c_uint32 * 32)(*range(32))
    size = ctypes.c_size_t(BYTES)
    if which == "unwritten":
        call("cuMemcpyDtoHAsync_v2", host, a, size, first)
        call("cuStreamSynchronize", first)
        return
    for piece in (a, b):
        call("cuMemcpyHtoDAsync_v2", piece, host, size, first)
    if which == "changed":
        host[3] = 77
    if which != "copied":
        call("cuStreamSynchronize", first)
    if which == "written":
        call.launch(function, a, first)
    if which in ("copied", "written", "ordered"):
        call.launch(function, a, second)
    if which == "to-host":
        call.launch(function, a, first)
        call("cuMemcpyDtoHAsync_v2", host, a, size, second)
    if which == "on-device":
        call("cuMemcpyDtoDAsync_v2", a, b, size, first)
        call("cuMemcpyDtoDAsync_v2", b, a, size, second)
    for stream in (first, second):
        call("cuStreamSynchronize", stream)


def wrong():
    """A kernel that leaves its memory."""
    call, function, (stream, _), _, (a, _) = start()
    numbers = (ctypes.c_uint32 * 32)(*range(32))
    call("cuMemcpyHtoDAsync_v2", a, numbers, ctypes.c_size_t(BYTES), stream)
    call("cuStreamSynchronize", stream)
    call.launch(function, ctypes.c_uint64(a.value + 4), stream)
    call("cuStreamSynchronize", stream)


def ran(*args, **how):
    """What a part of this file prints, with the emulator as the driver."""
    done = subprocess.run([sys.executable, __file__, *args], capture_output=True, text=True, env=gpu.environment(log=False, **how), check=True)
    return done.stdout, done.stderr


class Faults(unittest.TestCase):
    def test_each_one_is_known_here(self):
        names = set(re.findall(r'\("([a-z-]+)", Fault::', (ROOT / "crates/ptx-emulator/src/faults.rs").read_text()))
        silent = {"barrier", "not-behind", "no-wait"}
        self.assertEqual(names, set(STRIKES) | silent | {"lost"})
        self.assertEqual(set(gpu.FAULTS), names - silent - {"version"})

    def test_without_one_nothing_fails(self):
        for order in gpu.ORDERS:
            self.assertEqual(ran("work", order=order), ("32\n32\n", ""), order)

    def test_a_call_fails_and_loses_the_context_or_not(self):
        for fault, (call, code, then) in STRIKES.items():
            for number in (1, 2):
                out, err = ran("work", fault=f"{fault}={number}")
                told = out.splitlines()[-1:]
                # Before the driver is there, nothing can be allocated.
                after = 3 if (fault, number) == ("init", 1) else then
                self.assertEqual((told, err), ([f"{call} {number}: {code}, then {after}"], ""), f"{fault}={number}")
            out, _ = ran("work", fault=fault)
            first = f"{call} 1: {code}, "
            self.assertTrue(out.startswith(first), f"{fault}: {out}")

    def test_a_kernel_loses_the_context(self):
        # Found at the next call, or where the host waits.
        self.assertEqual(ran("work", fault="lost=1")[0], f"cuEventRecord 2: {LOST}, then {LOST}\n")
        self.assertEqual(ran("work", fault="lost=2", order="backward")[0], f"32\ncuStreamSynchronize 2: {LOST}, then {LOST}\n")

    def test_a_barrier_that_is_not_there(self):
        # The second one belongs to the module that is loaded second, whose kernel is run.
        _, err = ran("work", fault="barrier=2")
        self.assertTrue(any("race within a block" in line for line in gpu.findings(err)), err)
        self.assertEqual(ran("work", fault="barrier=1"), ("32\n32\n", ""))

    def test_a_wait_that_is_not_there(self):
        for order in gpu.ORDERS:
            for number in (1, 2):
                _, err = ran("work", fault=f"not-behind={number}", order=order)
                self.assertTrue(any("nothing orders" in line for line in gpu.findings(err)), f"{order} {number}: {err}")
        out, _ = ran("work", fault="no-wait=1", order="backward")
        self.assertEqual(out.splitlines()[0], str(0xA5A5A5A5))


class Calls(unittest.TestCase):
    def test_what_no_driver_does_is_refused(self):
        out, _ = ran("refused")
        self.assertEqual(out.splitlines(), [
            f"nothing {INVALID_VALUE}", f"too much {OUT_OF_MEMORY}", f"behind the end {INVALID_VALUE} {INVALID_VALUE}",
            f"no memory {INVALID_VALUE}", f"no block {INVALID_VALUE}", f"y {INVALID_VALUE}", f"z {INVALID_VALUE}", f"threads {INVALID_VALUE}",
            f"stream {INVALID_VALUE}", "blocks [2147483647, 65535, 65535]", f"newer {INVALID_PTX}", f"text {INVALID_PTX}", f"no context {INVALID_CONTEXT}"])

    def test_what_nothing_orders_is_found_in_every_order(self):
        finds = {"ordered": None, "copied": "nothing orders", "written": "nothing orders", "to-host": "nothing orders", "on-device": "nothing orders",
                 "unwritten": "bytes are copied to the host that nobody has written"}
        for order in gpu.ORDERS:
            for which, text in finds.items():
                _, err = ran("unordered", which, order=order)
                found = gpu.findings(err)
                self.assertTrue(any(text in line for line in found) if text else not found, f"{which} {order}: {err}")

    def test_a_kernel_that_leaves_its_memory_loses_the_context(self):
        for order in gpu.ORDERS:
            out, err = ran("wrong", order=order)
            self.assertEqual(out, "cuStreamSynchronize 2: 700, then 700\n", order)
            self.assertTrue(any("access out of bounds" in line for line in gpu.findings(err)), err)

    def test_memory_of_the_host_that_changes_is_found_where_copies_wait(self):
        _, err = ran("unordered", "changed", order="backward")
        self.assertIn("the host changes memory that is still to be copied to the device", err)
        self.assertEqual(ran("unordered", "changed", order="forward")[1], "")


if __name__ == "__main__":
    parts = {"work": work, "refused": refused, "unordered": unordered, "wrong": wrong}
    if sys.argv[1:2] and sys.argv[1] in parts:
        try:
            parts[sys.argv[1]](*sys.argv[2:])
        except Failed:
            pass
    else:
        unittest.main()
