"""`scripts/bench --check`: every kernel, shape, size and floating-point mode gives the same bits with polyrs as without."""
import contextlib
import shlex
import tempfile
from concurrent.futures import ThreadPoolExecutor

import kernels
import toolchain

# Small sizes that are no multiple of a tile or vector, sizes below a vector, and sizes that hold several tiles.
SIZES = {
    "odd": [17, 13, 19, 23, 11],
    "tiny": [2, 3],
    "tiles": [67, 71, 97, 83, 79],
}
# The sizes of a quick check, with their shapes. Tiny global arrays have elements with constant addresses.
QUICK = {"odd": kernels.SHAPES, "tiles": kernels.SHAPES, "tiny": ["global"]}
CONTRACT = ["off", "default"]
FORCED = ["-polyrs-parallel-force", "-polyrs-process-unprofitable"]
# Name: how it is compiled, and in how many threads it runs; where in several, one floating-point mode is enough, and
# one shape for a quick check.
VARIANTS = {
    "default": ("polyrs", [], [1]),
    "unprofitable": ("polyrs", ["-polyrs-process-unprofitable"], [1]),
    "parallel": ("polyrs-parallel", ["-polyrs-parallel-force"], [1, 2, 3]),
    "parallel-dealt": ("polyrs-parallel", [*FORCED, "-polyrs-scheduling=dynamic"], [2, 5]),
    "parallel-gnu": ("polyrs-parallel", [*FORCED, "-polyrs-omp-backend=GNU"], [1, 3]),
}


class Case:
    """One kernel in one shape at one size and floating-point mode."""

    def __init__(self, kernel, shape, size, contract, threads):
        self.kernel, self.shape, self.size, self.contract, self.threads = kernel, shape, size, contract, threads
        self.tag = f"-{size}-{contract}"

    def defines(self):
        """Size flags; a time loop of a stencil stays short."""
        return kernels.sized(self.kernel, SIZES[self.size])

    def flags(self):
        """Floating-point flags."""
        return [] if self.contract == "default" else [f"-ffp-contract={self.contract}"]

    def __str__(self):
        return f"{self.kernel} {self.shape} {self.size} -ffp-contract={self.contract}"


def runs_alike(exe, threads, want, reference, folder):
    """What is wrong with a program's results in some number of threads, or None."""
    for count in threads:
        _, got = kernels.run(exe, 120, threads=count)
        if got != want:
            return f"different bits in {count} threads: " + difference(reference, exe, folder, count)
    return None


def examine(case, builder, variants, folder):
    """[(variant, message or None, transformed)] of one case."""
    base = kernels.Config("o3", case.flags(), [])
    reference, _ = builder.build(case.kernel, base, case.shape, case.defines(), case.tag)
    _, want = kernels.run(reference, 120)
    results = []
    for name, config in variants.items():
        if len(VARIANTS[name][2]) > 1 and not case.threads:
            continue
        config = kernels.Config(config.name, config.clang + case.flags() + ["-Rpass=polyrs"], config.opt)
        try:
            exe, remarks = builder.build(case.kernel, config, case.shape, case.defines(), case.tag)
            message = runs_alike(exe, VARIANTS[name][2], want, reference, folder)
            results.append((name, message, changed(case.kernel, remarks)))
        except kernels.Failed as failure:
            results.append((name, str(failure), False))
    return results


def changed(kernel, printed):
    """True if polyrs says that it transformed something in the timed function."""
    return any(kind == "transformed" for _, kind, _ in kernels.remarks(kernel, printed))


def difference(reference, exe, folder, threads):
    """Where two programs differ; the folder is shared by threads, so that each pair gets its own."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return kernels.first_difference(reference, exe, own, threads=threads)


def cases(opt, names):
    """Every case that the options ask for."""
    shapes = QUICK if opt.quick else dict.fromkeys(SIZES, kernels.SHAPES)

    def in_threads(shape, contract):
        return contract == CONTRACT[-1] and (shape == "param" or not opt.quick)
    return [Case(k, shape, size, contract, in_threads(shape, contract))
            for k in names for size in shapes for shape in shapes[size] for contract in CONTRACT]


def check(opt, names):
    """Runs all cases; prints each failure and a closing line; True if there was one."""
    todo = cases(opt, names)
    lib = toolchain.plugin(opt.plugin)
    variants = {}
    for name, (base, flags, _) in VARIANTS.items():
        variants[name] = kernels.configuration(f"{name}={base} {' '.join(flags)}", lib)
    progress = toolchain.Progress(len(todo))
    compared, failures, transformed = 0, [], {name: set() for name in VARIANTS}
    with contextlib.ExitStack() as stack:
        folder = opt.keep or stack.enter_context(tempfile.TemporaryDirectory())
        builder = kernels.Builder(folder, shlex.split(opt.cflags) + shlex.split(opt.flags))
        pool = stack.enter_context(ThreadPoolExecutor(opt.jobs))
        for case, results in zip(todo, pool.map(lambda c: guarded(c, builder, variants, folder), todo)):
            progress.step(str(case))
            compared += len(results)
            for name, message, was_changed in results:
                if message:
                    failures.append(f"{case} {name}")
                    progress.note(f"FAIL {case} {name}: {message}")
                if was_changed:
                    transformed[name].add(case.kernel)
    progress.close()
    for name, kernel_names in transformed.items():
        print(f"transformed, {name}: {len(kernel_names)} of {len(names)}: {' '.join(sorted(kernel_names))}")
    print(f"{compared - len(failures)} of {compared} comparisons identical")
    return bool(failures) or not compared


def guarded(case, builder, variants, folder):
    """`examine`, with a failure of the reference itself as a result."""
    try:
        return examine(case, builder, variants, folder)
    except kernels.Failed as failure:
        return [("o3", str(failure), False)]
