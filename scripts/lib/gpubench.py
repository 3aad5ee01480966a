"""The tables of scripts/bench --gpu: kernels on the host, in one thread and in all, and on the device, with and without transfers, bits
compared; matrix products against cuBLAS; loops that move memory against the memory's rate."""
import ctypes
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import cublas
import gpu
import kernels
import toolchain

SOURCES = toolchain.ROOT / "bench" / "gpu"
ROW = "{:<16}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}  {:<10} {}"
PRODUCT = "{:<8}{:>8}{:>14}{:>14}{:>12}{:>10}  {}"
STREAM = "{:<8}{:>14}{:>14}{:>10}  {}"
# What kernels are compiled as, the host's first; and the types of matrix products.
GPU = "polyrs-gpu"
CONFIGS = ["o3", "polyrs-parallel", GPU]
TYPES = {"f64": "double", "f32": "float"}
# Arrays that each loop of stream.c reads and writes.
MOVED = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
# What is asked of a device: parts of the memory's rate and of cuBLAS, and how much slower a program may be than on the
# host.
OF_MEMORY, OF_CUBLAS, SLOWER = 0.8, 0.5, 1.03
# Of CUdevice_attribute: kHz of the memory's clock, bits of its bus. It moves twice a cycle.
CLOCK, BUS = 36, 37


def wall(times):
    """Median wall time."""
    return statistics.median(t[0] for t in times)


def kernel_times(err, region):
    """Seconds that the kernels of a region took, in each of its runs: those in a word of the library's log."""
    found = re.findall(rf"^polyrs: {re.escape(region)}:\S*: device\b.* kernels (\d+) us$", err, re.M)
    return [int(micros) / 1e6 for micros in found]


def published(path):
    """{kernel: figure} of a file with a line for each: what somebody else has published."""
    lines = Path(path).read_text().splitlines() if path else []
    pairs = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return {name: figure for name, figure in pairs}


class Bench:
    """One session: options, the folder of the programs, and how they are run."""

    def __init__(self, opt, folder, emulated):
        self.opt, self.folder, self.emulated = opt, Path(folder), emulated
        self.common = shlex.split(opt.cflags) + shlex.split(opt.flags)
        self.builder = None
        self.threads = os.cpu_count() or 1
        self.wrong = False

    def configuration(self, name):
        """A configuration that kernels are compiled in."""
        return gpu.configuration(self.opt.plugin) if name == GPU else kernels.configuration(name, self.opt.plugin)

    def program(self, kernel, config, dataset):
        """A kernel's program: the one in the folder, where there is one, so that a machine with a device needs no compiler."""
        tag = f"-{dataset}"
        exe = kernels.program_path(self.folder, kernel, config, self.opt.shape, tag)
        if not exe.exists():
            self.builder = self.builder or kernels.Builder(self.folder, self.common)
            self.builder.build(kernel, self.configuration(config), self.opt.shape, [f"-DDATASET={dataset}"], tag)
        return str(exe)

    def datasets(self):
        """The data sets that are asked for."""
        return [self.opt.dataset] if self.opt.dataset else ["LARGE", "EXTRALARGE"]

    def build(self, names):
        """Builds every program that the tables need."""
        wanted = [(self.program, name, config, dataset) for dataset in self.datasets() for name in names for config in CONFIGS]
        wanted += [*((self.product, kind) for kind in TYPES), (self.stream,)]
        progress = toolchain.Progress(len(wanted))
        for make, *what in wanted:
            text = " ".join([make.__name__, *what])
            progress.step(text)
            try:
                make(*what)
            except kernels.Failed as failure:
                progress.note(f"{text}: {failure}")
                self.wrong = True
        progress.close()

    def time_on_device(self, exe, **how):
        """([(wall, cpu)], {array: hash}, the log) of a kernel's program."""
        return gpu.run(exe, 600, self.opt.runs, emulated=self.emulated, **how)

    def rows_of(self, name, dataset):
        """The cells of one kernel."""
        programs = {config: self.program(name, config, dataset) for config in CONFIGS}
        times, want = [], None
        for program, count in (("o3", 1), ("polyrs-parallel", self.threads)):
            found, hashes = kernels.run(programs[program], 600, self.opt.runs, threads=count)
            want = want or hashes
            times.append(wall(found))
        ran, same = [], True
        for use, log in (("always", True), ("auto", True), ("always", "times")):
            found, hashes, err = self.time_on_device(programs[GPU], use=use, log=log)
            same &= hashes == want
            if log == "times":
                alone = kernel_times(err, "kernel")
                times.insert(3, sum(alone) / self.opt.runs if alone else None)
            else:
                times.append(wall(found))
                ran += [where for region, where, _ in gpu.regions(err) if region.startswith("kernel:")]
        text = f"{ran.count('device')} of {len(ran)} regions on the device"
        if times[4] > SLOWER * min(times[:2]):
            text += ", auto is slower than the host"
        return [f"{t:.4g}" if t is not None else "-" for t in times], "yes" if same else "NO", text

    def table(self, names):
        """All kernels at all data sets that are asked for."""
        others = published(self.opt.published)
        for dataset in self.datasets():
            print(f"\nkernels, data set {dataset}: wall time in s; host in 1 and in {self.threads} threads; the device with and without copies")
            print(ROW.format("kernel", "o3", "threads", "always", "no copies", "auto", "published", "same bits", ""))
            for name in names:
                try:
                    times, same, text = self.rows_of(name, dataset)
                except kernels.Failed as failure:
                    times, same, text = ["-"] * 5, "FAILED", str(failure)
                self.wrong |= same != "yes"
                print(ROW.format(name, *times, others.get(name, "-"), same, text), flush=True)

    def compiled(self, source, flags, name):
        """A program of bench/gpu with kernels: the one in the folder, where there is one."""
        exe = self.folder / name
        if not exe.exists():
            config = self.configuration(GPU)
            kernels.call([toolchain.program("clang"), *self.common, *flags, *config.clang[:1], str(SOURCES / source), "-o", str(exe),
                          *config.clang[1:], "-lm"], 120)
        return str(exe)

    def product(self, kind):
        """The program of a matrix product."""
        return self.compiled("product.c", [f"-DTYPE={TYPES[kind]}"], f"product-{kind}")

    def stream(self):
        """The program of the loops that move memory."""
        return self.compiled("stream.c", [], "stream")

    def ran(self, exe, *arguments):
        """The library's log of a program of bench/gpu, which has checked its results."""
        out, err = kernels.call([exe, *map(str, arguments)], 900, gpu.environment(emulated=self.emulated, log="times"))
        if "check ok" not in out or gpu.findings(err):
            raise kernels.Failed(f"{out.strip()} {' '.join(gpu.findings(err)[:1])}")
        return err

    def cublas_seconds(self, path, kind, n):
        """Seconds of the fastest run of cuBLAS; None: there is none."""
        if not path:
            return None
        env = gpu.environment(emulated=self.emulated)
        asked = [sys.executable, str(Path(cublas.__file__)), path, kind, str(n), str(self.opt.runs)]
        out, _ = kernels.call(asked, 900, env)
        return min(float(line) for line in out.split())

    def products(self):
        """Matrix products against cuBLAS."""
        path = cublas.library(self.opt.cublas)
        print(f"\nmatrix products, GFLOP/s of kernels alone; {'cuBLAS: ' + path if path else 'no cuBLAS'}")
        print(PRODUCT.format("type", "size", "polyrs", "cuBLAS", "ratio", "goal", ""))
        for kind, type_ in TYPES.items():
            exe = self.product(kind)
            for n in self.opt.products:
                try:
                    own = kernel_times(self.ran(exe, n, self.opt.runs), "product")
                    best = min(own) if own else None
                    theirs, text = self.cublas_seconds(path, kind, n), "" if own else "the host has run it"
                except kernels.Failed as failure:
                    best, theirs, text, self.wrong = None, None, f"FAILED: {failure}", True
                rate = [f"{2 * n ** 3 / max(t, 1e-9) / 1e9:.4g}" if t is not None else "-" for t in (best, theirs)]
                ratio = theirs / max(best, 1e-9) if best is not None and theirs is not None else None
                goal = "-" if ratio is None or kind == "f32" else "reached" if ratio >= OF_CUBLAS else "missed"
                print(PRODUCT.format(type_, n, *rate, "-" if ratio is None else f"{ratio:.3g}", goal, text), flush=True)

    def memory_rate(self):
        """Bytes per second that the device's memory can move; None: the driver does not say."""
        asked = subprocess.run([sys.executable, "-c", f"import gpubench; print(gpubench.attributes([{CLOCK}, {BUS}]))"], capture_output=True,
                               text=True, cwd=Path(__file__).parent, env=gpu.environment(emulated=self.emulated))
        values = [int(v) for v in re.findall(r"\d+", asked.stdout)]
        return 2 * values[0] * 1e3 * values[1] / 8 if len(values) == 2 else None

    def streams(self):
        """Loops that move memory."""
        peak = self.memory_rate()
        print(f"\nloops that move memory, GB/s of kernels alone; the memory's rate: {f'{peak / 1e9:.4g}' if peak else 'unknown'}")
        print(STREAM.format("loop", "polyrs", "of the rate", "goal", ""))
        try:
            log = self.ran(self.stream(), self.opt.stream_elements, self.opt.runs)
        except kernels.Failed as failure:
            self.wrong = True
            print(f"FAILED: {failure}")
            return
        for name, arrays in MOVED.items():
            times = kernel_times(log, name)
            rate = arrays * 8 * self.opt.stream_elements / max(min(times), 1e-9) if times else None
            part = rate / peak if rate and peak else None
            goal = "-" if part is None else "reached" if part >= OF_MEMORY else "missed"
            cells = [f"{rate / 1e9:.4g}" if rate else "-", f"{100 * part:.3g} %" if part else "-", goal]
            print(STREAM.format(name, *cells, "" if times else "the host has run it"), flush=True)


def attributes(which):
    """Values of attributes of the driver's first device; one that fails is left out."""
    cuda, value, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(), ctypes.c_int()
    cuda.cuInit(0)
    cuda.cuDeviceGet(ctypes.byref(device), 0)
    return [value.value for a in which if cuda.cuDeviceGetAttribute(ctypes.byref(value), a, device) == 0]


def main(opt, names):
    """Prints the tables; True if a result differs or something fails."""
    if opt.build and not opt.programs:
        raise toolchain.ToolMissing("--build needs --programs FOLDER: where the programs are kept")
    about, is_there = gpu.device()
    if not is_there and not opt.emulated and not opt.build:
        print(f"no device: {about}")
        return False
    with tempfile.TemporaryDirectory() as folder:
        if opt.programs:
            Path(opt.programs).mkdir(parents=True, exist_ok=True)
        bench = Bench(opt, opt.programs or folder, opt.emulated)
        if opt.build:
            bench.build(names)
            return bench.wrong
        print("the emulator: times mean nothing" if opt.emulated else about)
        for table in opt.tables or TABLES:
            TABLES[table](bench, names)
    return bench.wrong


TABLES = {"products": lambda bench, _: bench.products(), "streams": lambda bench, _: bench.streams(), "kernels": Bench.table}
