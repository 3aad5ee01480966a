"""Building, running and comparing the kernels of bench/kernels."""
import os
import re
import resource
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

import toolchain

FOLDER = toolchain.ROOT / "bench" / "kernels"
UNSEEN = toolchain.ROOT / "bench" / "unseen"
# The thirty names that the field measures with; matmul-ijk is ours and comes on request.
FIELD = """2mm 3mm adi atax bicg cholesky correlation covariance deriche doitgen durbin fdtd-2d floyd-warshall gemm
gemver gesummv gramschmidt heat-3d jacobi-1d jacobi-2d lu ludcmp mvt nussinov seidel-2d symm syr2k syrk trisolv
trmm""".split()
SHAPES = ["global", "param", "linear"]
DATASETS = ["MINI", "SMALL", "MEDIUM", "LARGE", "EXTRALARGE"]


class Failed(Exception):
    """A compiler or a program ended badly; the message is its first error line."""


def all_names(source=FOLDER):
    """Every kernel in the folder."""
    return sorted(p.stem for p in source.glob("*.c") if p.stem != "harness")


def size_names(kernel):
    """The size macros of a kernel, in the order of its file."""
    return re.findall(r"^#define (\w+) SIZE\(", (FOLDER / f"{kernel}.c").read_text(), re.M)


def kernel_lines(kernel):
    """The lines of a kernel's timed function: (first, last), 1-based."""
    lines = (FOLDER / f"{kernel}.c").read_text().splitlines()
    first = next(i for i, l in enumerate(lines) if l.startswith("KERNEL("))
    last = next(i for i in range(first, len(lines)) if lines[i] == "}")
    return first + 1, last + 1


def remarks(kernel, printed):
    """[(line, "transformed" or "kept", message)] that polyrs gave for a kernel's timed function, in source order."""
    first, last = kernel_lines(kernel)
    found = re.findall(rf"{re.escape(kernel)}\.c:(\d+):\d+: remark: (.*) \[-Rpass(-missed)?=polyrs\]", printed)
    rows = {(int(line), "kept" if missed else "transformed", text) for line, text, missed in found}
    return sorted(r for r in rows if first <= r[0] <= last)


def sized(kernel, values):
    """Flags that set a kernel's sizes to `values`, repeated as needed."""
    return [f"-D{name}={values[i % len(values)]}" for i, name in enumerate(size_names(kernel))]


class Config:
    """A way to compile: flags for clang after the common ones, and the same for opt; and in how many threads to run.
    A rival's has a compiler of its own, or a folder of its own sources."""

    def __init__(self, name, clang, opt, threads=1, compiler=None, source=None):
        self.name, self.clang, self.opt, self.threads = name, clang, opt, threads
        self.compiler, self.source = compiler, source

    def is_foreign(self):
        """Whether its programs may have other bits: another compiler may contract, and others reorder sums."""
        return bool(self.compiler or self.source)

    def program(self):
        """What distinguishes its programs from those of other configurations."""
        return self.name.partition("@")[0]


def configuration(text, plugin_path):
    """Reads `o3`, `polly`, `polyrs`, `polyrs-parallel` or `NAME=BASE FLAGS...`, where FLAGS are -mllvm options without the -mllvm,
    or flags for clang alone if they do not start with -polly or -polyrs. A NAME that ends in @N runs in N threads."""
    name, _, rest = text.partition("=")
    plain, _, threads = name.partition("@")
    words = shlex.split(rest) if rest else [plain]
    base, extra = words[0], words[1:]
    if base == "o3":
        clang, opt = [], []
    elif base == "polly":
        clang, opt = ["-mllvm", "-polly"], ["-polly"]
    elif base in ("polyrs", "polyrs-parallel"):
        lib = toolchain.plugin(plugin_path)
        clang, opt = [f"-fpass-plugin={lib}"], [f"-load-pass-plugin={lib}"]
        if base == "polyrs-parallel":
            gnu = "-polyrs-omp-backend=GNU" in extra
            extra = ["-polyrs-parallel", *extra, toolchain.gomp() if gnu else "-lomp"]
    else:
        raise toolchain.ToolMissing(f"unknown configuration {text!r}: o3, polly, polyrs, polyrs-parallel or NAME=BASE FLAGS")
    for flag in extra:
        if flag.startswith(("-polly", "-polyrs")):
            clang, opt = clang + ["-mllvm", flag], opt + [flag]
        else:
            clang = clang + [flag]
    return Config(name, clang, opt, int(threads or 1))


def rival(text):
    """Reads `polly`, `COMMAND` (another compiler), `NAME=COMMAND FLAGS...` or `NAME=FOLDER FLAGS...`: a folder of sources that
    another tool made of the kernels, under the kernels' names. A NAME that ends in @N runs in N threads."""
    name, _, rest = text.partition("=")
    plain, _, threads = name.partition("@")
    words = shlex.split(rest) if rest else [plain]
    if words == ["polly"]:
        return configuration(text, None)
    flags, threads = words[1:], int(threads or 1)
    if Path(words[0]).is_dir():
        return Config(name, flags, None, threads, source=Path(words[0]))
    if compiler := shutil.which(words[0]):
        return Config(name, flags, None, threads, compiler=compiler)
    raise toolchain.ToolMissing(f"no compiler and no folder {words[0]!r}: polly, COMMAND, NAME=COMMAND FLAGS, or NAME=FOLDER FLAGS "
                                "where the folder has the kernels as another tool has transformed them")


def call(args, timeout, env=None):
    """Runs a command; its stdout and stderr. Raises Failed with the first error line."""
    try:
        p = subprocess.run(args, capture_output=True, text=True, timeout=timeout, env=env, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failed(f"no end after {timeout:.0f} s") from None
    if p.returncode:
        lines = [l for l in p.stderr.splitlines() if "error" in l.lower() or "panic" in l] or p.stderr.splitlines()
        raise Failed(f"exit {p.returncode}: {lines[0][:200] if lines else 'no message'}")
    return p.stdout, p.stderr


def program_path(folder, kernel, config, shape, tag=""):
    """Where the program of a kernel is, compiled as a configuration of this name."""
    return Path(folder) / f"{kernel}-{config}-{shape}{tag}"


class Builder:
    """Compiles kernels of the folder `source` into a folder; `common` are the flags that all configurations share."""

    def __init__(self, folder, common, source=FOLDER):
        self.folder, self.common, self.source = Path(folder), common, source
        self.clang = toolchain.program("clang")
        self.harness = self.folder / "harness.o"
        self.lock = threading.Lock()
        call([self.clang, "-O2", "-c", str(FOLDER / "harness.c"), "-o", str(self.harness)], 60)

    def flags(self, shape, defines):
        """What selects the array shape and the sizes; programs of bench/unseen have one shape each."""
        return ([f"-DSHAPE_{shape.upper()}"] if shape else []) + [*defines]

    def build(self, kernel, config, shape, defines, tag=""):
        """Compiles and links one kernel; (path of the program, what the compiler printed)."""
        exe = program_path(self.folder, kernel, config.program(), shape, tag)
        source = config.source or self.source
        args = [config.compiler or self.clang, *self.common, f"-I{FOLDER}", *self.flags(shape, defines),
                str(source / f"{kernel}.c"), str(self.harness), "-o", str(exe), "-lm", *config.clang]
        if not config.compiler and Path(toolchain.llvm_bindir() / "ld.lld").exists():
            args.append("-fuse-ld=lld")
        _, err = call(args, 300)
        return str(exe), err

    def ir(self, kernel, shape, defines):
        """The kernel's IR as clang hands it to the optimizer."""
        out = self.folder / f"{kernel}-{shape}.ll"
        call([self.clang, *self.common, "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm",
              *self.flags(shape, defines), str(self.source / f"{kernel}.c"), "-o", str(out)], 60)
        return str(out)


def run(exe, timeout, runs=1, raw=None, threads=1):
    """Runs a program; ([(wall, cpu) seconds of the kernel], {array: hash})."""
    args = [exe, str(runs)] + ([raw] if raw else [])
    out, _ = call(args, timeout, dict(os.environ, OMP_NUM_THREADS=str(threads)))
    return results(out)


def results(out):
    """What a program printed, as `run` returns it."""
    rows = [line.split() for line in out.splitlines()]
    times = [(float(r[1]), float(r[2])) for r in rows if r[0] == "time"]
    return times, {r[1]: r[2] for r in rows if r[0] == "hash"}


def first_difference(exe, other, folder, element_bytes=8, threads=1):
    """Where the results of two programs begin to differ, for a message."""
    files = [str(Path(folder) / f"raw{i}") for i in (0, 1)]
    for program, file in zip((exe, other), files):
        run(program, 600, 1, file, threads)
    a, b = (Path(f).read_bytes() for f in files)
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} bytes"
    wrong = [i for i in range(0, len(a), element_bytes) if a[i:i + element_bytes] != b[i:i + element_bytes]]
    if not wrong:
        return "differs from run to run"
    return f"{len(wrong)} of {len(a) // element_bytes} elements differ, first element {wrong[0] // element_bytes}"


def cpu_seconds(args, timeout=300):
    """User and system time of a command."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    start = used()
    call(args, timeout)
    return used() - start
