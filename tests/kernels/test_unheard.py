"""Functions in which nothing can gain are told early where nobody reads remarks. The code must not hang on whether anybody does: every
program of the benchmarks and the corpus in C and C++ becomes the same IR with remarks and without."""
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import kernels
import toolchain

LEAST = 150  # programs in the three folders


def run(*words):
    p = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300)
    if p.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: {p.stderr[-2000:]}")
    return p.stdout


class Unheard(unittest.TestCase):
    def test_same_code_with_and_without_remarks(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            modules = list(pool.map(lambda program: self.unoptimized(program, Path(folder)), self.programs()))
            self.assertGreaterEqual(len(modules), LEAST)
            differ = [module.name for module in pool.map(self.with_other_code, modules) if module]
        self.assertEqual(differ, [])

    def programs(self):
        """Sources with the flags that they are compiled with."""
        for source in (kernels.FOLDER, kernels.UNSEEN):
            for name in kernels.all_names(source):
                yield Path(source) / f"{name}.c", ["-DSHAPE_PARAM"] if source == kernels.FOLDER else []
        for program in sorted((ROOT / "bench" / "corpus").glob("*.c*")):
            yield program, ["-std=c++20"] if program.suffix == ".cpp" else []

    def unoptimized(self, given, folder):
        program, flags = given
        module = folder / f"{program.parent.name}-{program.name}.ll"
        clang = toolchain.llvm_bindir() / ("clang++" if program.suffix == ".cpp" else "clang")
        run(clang, "-O3", "-march=x86-64-v3", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", *flags, program, "-o", module)
        return module

    def with_other_code(self, module):
        """The module, if its code hangs on whether anybody reads remarks."""
        words = [toolchain.llvm_bindir() / "opt", f"-load-pass-plugin={toolchain.plugin()}", "-passes=polyrs", "-S", module]
        unheard = run(*words)
        heard = run(*words, "-pass-remarks-missed=polyrs")
        return module if unheard != heard else None


if __name__ == "__main__":
    unittest.main()
