"""Compiles a random program with and without polyrs, compares what it prints, and shrinks a program that fails."""
import os
import tempfile
from pathlib import Path

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
                                                    [f"-fpass-plugin={self.plugin}", "-Rpass=polyrs", *words])
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
