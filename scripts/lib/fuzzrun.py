"""Compiles a random program with and without polyrs, compares what it prints, and shrinks a program that fails."""
import os
import tempfile
from pathlib import Path

import gpu
import kernels
import loopgen
import toolchain

MAX_TRIALS = 400  # compilations while a failing program is made smaller

# One of these beside the variants that every program gets; all with -polyrs-process-unprofitable.
DRAWN = [
    "-polyrs-tile-sizes=3,5,2",
    "-polyrs-default-tile-size=4",
    "-polyrs-fusion=max",
    "-polyrs-fusion=max -polyrs-tile-sizes=4,4,4",
    "-polyrs-fusion=none",
    "-polyrs-optimizer=none",
    "-polyrs-tiling=false",
    "-polyrs-diamond-tiling=false -polyrs-default-tile-size=3",
    "-polyrs-position=before-vectorizer",
    "-polyrs-parallel -polyrs-parallel-force",
    "-polyrs-parallel -polyrs-parallel-force -polyrs-tile-sizes=2,3,4",
    "-polyrs-parallel -polyrs-parallel-force -polyrs-scheduling=dynamic -polyrs-fusion=max",
]
THREADS = "3"
# For kernels: how many threads a block has, drawn by the seed.
SIZES = ["", "-polyrs-gpu-sizes=7,3", "-polyrs-gpu-sizes=1", "-polyrs-gpu-sizes=64,2,2"]


class Runner:
    """`variants`: one string of -polyrs options per polyrs compilation; None for the usual two and one drawn by the seed."""

    def __init__(self, plugin, variants):
        self.plugin, self.variants = plugin, variants
        self.clang = toolchain.program("clang")
        self.linker = ["-fuse-ld=lld"] if (toolchain.llvm_bindir() / "ld.lld").exists() else []

    def options_of(self, seed):
        """The -polyrs options of each compilation of a seed's program."""
        forced = "-polyrs-process-unprofitable"
        return self.variants or ["", forced, f"{DRAWN[seed % len(DRAWN)]} {forced}"]

    def compile_and_run(self, source, exe, flags):
        """(what the program printed, what the compiler printed)"""
        _, err = kernels.call([self.clang, "-O3", "-march=native", "-w", "-ffp-contract=off", *self.linker, *flags,
                               str(source), "-o", str(exe)], 120)
        out, _ = kernels.call([str(exe)], 60, env={**os.environ, "OMP_NUM_THREADS": THREADS})
        return out, err

    def try_program(self, program):
        """(message or None, True if polyrs transformed something)."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.c"
            source.write_text(program.c_text())
            want, _ = self.compile_and_run(source, Path(folder) / "base", [])
            transformed = False
            for options in self.options_of(program.seed):
                words = [w for o in options.split() for w in ("-mllvm", o)] + ["-lomp"] * ("-polyrs-parallel" in options)
                try:
                    got, err = self.compile_and_run(source, Path(folder) / "polyrs",
                                                    [f"-fpass-plugin={self.plugin}", "-Rpass=polyrs", "-mllvm", "-polyrs-fatal-bugs", *words])
                except kernels.Failed as failure:
                    return f"{options or 'default'}: {failure}", transformed
                transformed |= "[-Rpass=polyrs]" in err
                if got != want:
                    return f"{options or 'default'}: different bits", transformed
        return None, transformed

    def try_seed(self, seed):
        """`try_program` of a seed's program."""
        try:
            return self.try_program(loopgen.generate(seed))
        except kernels.Failed as failure:
            return f"the reference failed: {failure}", False

    def keep_smallest(self, seed, folder):
        """Writes the smallest failing version of a seed's program; its path."""
        program, trials = loopgen.generate(seed), 0
        shrinking = True
        while shrinking and trials < MAX_TRIALS:
            shrinking = False
            for candidate in loopgen.smaller(program):
                trials += 1
                if trials >= MAX_TRIALS:
                    break
                try:
                    message, _ = self.try_program(candidate)
                except kernels.Failed:
                    continue
                if message:
                    program, shrinking = candidate, True
                    break
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"seed-{seed}.c"
        path.write_text(program.c_text())
        return path


class GpuRunner(Runner):
    """Programs with kernels, in the emulator: with the threads in one order and in another, and with a call of the driver that fails."""

    def options_of(self, seed):
        """The -polyrs options of each compilation of a seed's program."""
        usual = f"-polyrs-process-unprofitable {SIZES[seed % len(SIZES)]}"
        return [f"-polyrs-target=gpu {o}".strip() for o in self.variants or [usual]]

    def runs_of(self, seed):
        """The (order, fault) of each run."""
        fault = gpu.FAULTS[seed % len(gpu.FAULTS)]
        late = f"{fault}={1 + seed // len(gpu.FAULTS) % 4}"
        return [("forward", None), (gpu.ORDERS[1 + seed % 3], None), ("forward", fault if seed % 2 else late)]

    def try_program(self, program):
        """(message or None, True if something ran as kernels)."""
        fused = ["-march=x86-64-v3", "-ffp-contract=on"] if program.seed % 2 else ["-march=x86-64-v3", "-ffp-contract=off"]
        ran = False
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.c"
            source.write_text(program.c_text())
            build = [self.clang, "-O3", "-w", *fused, *self.linker, str(source)]
            kernels.call([*build, "-o", f"{folder}/host"], 120)
            want, _ = kernels.call([f"{folder}/host"], 60)
            for options in self.options_of(program.seed):
                words = [w for o in options.split() for w in ("-mllvm", o)]
                try:
                    kernels.call([*build, f"-fpass-plugin={self.plugin}", *words, *gpu.link_flags(), "-o", f"{folder}/gpu"], 120)
                except kernels.Failed as failure:
                    return f"{options}: {failure}", ran
                for order, fault in self.runs_of(program.seed):
                    what = f"{options}, order {order}, fault {fault}"
                    try:
                        got, err = kernels.call([f"{folder}/gpu"], 120, env=gpu.environment(order, fault))
                    except kernels.Failed as failure:
                        return f"{what}: {failure}", ran
                    ran |= any(where == "device" for _, where, _ in gpu.regions(err))
                    if found := gpu.findings(err):
                        return f"{what}: {found[0]}", ran
                    if got != want:
                        return f"{what}: different bits", ran
        return None, ran
