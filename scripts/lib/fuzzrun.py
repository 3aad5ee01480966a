"""Compiles a random program with and without polyrs, compares what it prints, and shrinks a program that fails."""
import tempfile
from pathlib import Path

import kernels
import loopgen
import toolchain

MAX_TRIALS = 400  # compilations while a failing program is made smaller


class Runner:
    """`variants`: one string of -polyrs options per polyrs compilation."""

    def __init__(self, plugin, variants):
        self.plugin, self.variants = plugin, variants
        self.clang = toolchain.program("clang")
        self.linker = ["-fuse-ld=lld"] if (toolchain.llvm_bindir() / "ld.lld").exists() else []

    def compile_and_run(self, source, exe, flags):
        """(what the program printed, what the compiler printed)"""
        _, err = kernels.call([self.clang, "-O3", "-march=native", "-w", "-ffp-contract=off", *self.linker, *flags,
                               str(source), "-o", str(exe)], 120)
        out, _ = kernels.call([str(exe)], 60)
        return out, err

    def try_program(self, program):
        """(message or None, True if polyrs transformed something)."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.c"
            source.write_text(program.c_text())
            want, _ = self.compile_and_run(source, Path(folder) / "base", [])
            transformed = False
            for options in self.variants:
                words = [w for o in options.split() for w in ("-mllvm", o)]
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
