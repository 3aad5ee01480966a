"""Kernels of the tests, assembled for the lowest, the current and the newest architecture: registers are enough, nothing is spilled."""
import math
import re
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels
import ptx
import toolchain

# Registers of a multiprocessor that one block may have, on every architecture, and threads of a block where the kernel
# does not say.
REGISTERS_OF_BLOCK = 65536
THREADS = 256
# What one thread may have: tiles of syr2k take 254 for sm_60, and 168 for sm_90.
MOST_REGISTERS = 255
LEAST_KERNELS = 60


@unittest.skipUnless(ptx.assembler(), "no ptxas in target/ptxas: PyPI's wheel could not be had")
class Assembled(unittest.TestCase):
    def assembled(self, modules, archs=None):
        """{(module, kernel, architecture): (registers, bytes of stack, bytes spilled, threads of a block)}"""
        found, tool = {}, ptx.assembler()
        jobs = [(name, text, arch) for name, text in modules for arch in archs or ptx.architectures(tool)]
        with ThreadPoolExecutor(2) as pool:
            for (name, text, arch), rows in zip(jobs, pool.map(lambda job: ptx.assemble(tool, *job[1:]), jobs)):
                threads = {k: math.prod(map(int, re.findall(r"\d+", n)))
                           for k, n in re.findall(r"\.entry (\w+)\([^)]*\)\s*\.maxntid ([\d, ]+)", text)}
                found |= {(name, k, arch): (*row, threads.get(k, THREADS)) for k, row in rows.items()}
        return found

    def check(self, found, most=MOST_REGISTERS):
        for what, (registers, stack, spilled, threads) in found.items():
            self.assertLessEqual(registers, most, what)
            self.assertLessEqual(registers * threads, REGISTERS_OF_BLOCK, what)
            self.assertEqual((stack, spilled), (0, 0), what)

    def test_kernels_of_the_field(self):
        modules = []
        for kernel in kernels.FIELD:
            for shape in ("global", "param"):
                texts = ptx.of_program(kernels.FOLDER / f"{kernel}.c", [f"-DSHAPE_{shape.upper()}", "-DDATASET=LARGE"])
                modules += [(f"{kernel} {shape}", text) for text in texts]
        found = self.assembled(modules)
        self.assertGreaterEqual(len({(name, k) for name, k, _ in found}), LEAST_KERNELS)
        self.check(found)

    def test_kernels_of_the_lit_tests(self):
        for path in sorted((toolchain.ROOT / "llvm-tests" / "gpu").glob("*.c")):
            flags = [f"-I{toolchain.ROOT / 'crates' / 'polyrs-rt' / 'include'}"]
            self.check(self.assembled([(path.stem, text) for text in ptx.of_program(path, flags)]))

    def test_registers_do_for_the_largest_blocks(self):
        for kernel in ("2mm", "adi", "heat-3d"):
            flags = ["-DSHAPE_GLOBAL", "-mllvm", "-polyrs-gpu-sizes=1024"]
            modules = [(kernel, text) for text in ptx.of_program(kernels.FOLDER / f"{kernel}.c", flags)]
            for what, (registers, _, _, threads) in self.assembled(modules, [ptx.LOWEST]).items():
                self.assertEqual(threads, 1024, what)
                self.assertLessEqual(registers * threads, REGISTERS_OF_BLOCK, what)


if __name__ == "__main__":
    unittest.main()
