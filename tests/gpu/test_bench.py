"""`scripts/bench --gpu`: says "no device" where there is none, and runs everything in the emulator at small sizes."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import cublas
import gpu
import gpubench
import toolchain

BENCH = str(toolchain.ROOT / "scripts" / "bench")
SMALL = ["--gpu", "--emulated", "--dataset", "MINI", "--products", "20", "--stream-elements", "2000", "--runs", "1"]
# A library with cuBLAS's functions, which compute nothing.
NO_CUBLAS = """
int cublasCreate_v2(void **h) { *h = h; return 0; }
int cublasSetStream_v2(void *h, void *s) { return !h || !s; }
int cublasSetMathMode(void *h, int m) { return 0; }
int cublasDgemm_v2(void *h, int a, int b, int m, int n, int k) { return FAILS || m != 20 || n != 20 || k != 20; }
int cublasSgemm_v2(void *h, int a, int b, int m, int n, int k) { return m != 20 || n != 20 || k != 20; }
"""


def bench(*arguments, **environment):
    """Status and what it prints."""
    ran = subprocess.run([BENCH, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=600)
    return ran.returncode, ran.stdout + ran.stderr


class OnGpu(unittest.TestCase):
    def cublas(self, folder, fails=0):
        """The folder of a library that is called cuBLAS."""
        source, at = Path(folder) / "cublas.c", Path(folder) / "nvidia" / "cublas" / "lib"
        source.write_text(NO_CUBLAS)
        at.mkdir(parents=True, exist_ok=True)
        clang = [toolchain.program("clang"), "-shared", "-fPIC", f"-DFAILS={fails}", str(source), "-o", str(at / cublas.NAMES[0])]
        subprocess.run(clang, check=True)
        return str(folder)

    @unittest.skipIf(gpu.device()[1], "there is a device")
    def test_no_device(self):
        status, said = bench("--gpu")
        self.assertEqual((status, said.count("\n")), (0, 1))
        self.assertTrue(said.startswith("no device: "), said)

    def test_everything_runs_in_the_emulator(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "published"
            other.write_text("# somebody's\ngemm 12.5\n")
            status, said = bench(*SMALL, "--kernels", "gemm,jacobi-1d", "--cublas", self.cublas(folder), "--published", str(other))
        self.assertEqual(status, 0, said)
        number = r"[\d.e+-]+"
        self.assertRegex(said, rf"(?m)^gemm +{number} +{number} +{number} +{number} +{number} +12.5 +yes ")
        self.assertRegex(said, rf"(?m)^jacobi-1d +{number} +{number} +{number} +{number} +{number} +- +yes ")
        self.assertRegex(said, rf"(?m)^double +20 +{number} +{number} +{number} +(reached|missed)")
        self.assertRegex(said, rf"(?m)^float +20 +{number} +{number} +{number} +-")
        for loop in gpubench.MOVED:
            self.assertRegex(said, rf"(?m)^{loop} +{number} +{number} % +missed")
        self.assertIn("the memory's rate: 64", said)

    def test_no_cublas_and_one_that_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = str(Path(folder) / "empty")
            Path(empty).mkdir()
            status, said = bench(*SMALL, "--kernels", "trisolv", "--cublas", empty)
            self.assertEqual(status, 0, said)
            self.assertIn("no cuBLAS", said)
            self.assertRegex(said, r"(?m)^double +20 +[\d.e+-]+ +- +- +-")
            status, said = bench(*SMALL, "--kernels", "trisolv", "--cublas", self.cublas(folder, fails=1))
            self.assertEqual(status, 1, said)
            self.assertTrue(re.search(r"(?m)^double .*FAILED: .*cublasDgemm", said), said)

    def test_programs_are_built_once_for_another_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            small = [*SMALL, "--kernels", "gemm", "--programs", folder]
            status, said = bench(*small, "--build")
            self.assertEqual(status, 0, said)
            built = {p.name: p.stat().st_mtime_ns for p in Path(folder).iterdir()}
            self.assertLessEqual({"gemm-o3-global-MINI", "gemm-polyrs-gpu-global-MINI", "product-f64", "stream"}, set(built))
            status, said = bench(*small, "--tables", "kernels,streams", "--plugin", str(Path(folder) / "there-is-none"))
            self.assertEqual(status, 0, said)
            self.assertRegex(said, r"(?m)^gemm .*yes ")
            self.assertNotIn("matrix products", said)
            self.assertEqual(built, {p.name: p.stat().st_mtime_ns for p in Path(folder).iterdir()})
            self.assertEqual(bench(*SMALL, "--tables", "streems"), (1, "error: no such table: streems; there are products, streams, kernels\n"))
            self.assertEqual(bench(*SMALL, "--build"), (1, "error: --build needs --programs FOLDER: where the programs are kept\n"))

    def test_where_cublas_is_looked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(cublas.library(folder))
            library = cublas.library(self.cublas(folder))
            self.assertTrue(library.endswith(f"nvidia/cublas/lib/{cublas.NAMES[0]}"))
            self.assertEqual(cublas.library(library), library)


if __name__ == "__main__":
    unittest.main()
