"""The thirty kernels, end to end in the emulator at small sizes: the host's bits, no finding, and most of them as kernels."""
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import gpu
import kernels

SMALL = [13, 9, 11]


class Emulated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.builder = kernels.Builder(cls.folder.name, ["-O3", "-march=x86-64-v3"])
        cls.host = kernels.configuration("o3", None)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ran(self, kernel, shape, defines, config, tag, **how):
        """Whether the timed function ran as kernels; its bits are the host's, and nothing is found."""
        host, _ = self.builder.build(kernel, self.host, shape, defines, tag)
        own, _ = self.builder.build(kernel, config, shape, defines, tag)
        _, want = kernels.run(host, 60)
        _, got, err = gpu.run(own, 300, **how)
        self.assertEqual(gpu.findings(err), [], kernel)
        self.assertEqual(got, want, f"{kernel} {shape} {how}")
        return any(where == "device" for name, where, _ in gpu.regions(err) if name.startswith("kernel:"))

    def each(self, work):
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(kernels.FIELD, pool.map(work, kernels.FIELD)))

    def test_arrays_of_fixed_size(self):
        config = gpu.configuration()
        ran = self.each(lambda k: self.ran(k, "global", ["-DDATASET=MINI"], config, "-mini"))
        self.assertEqual({k for k, done in ran.items() if not done}, set())

    def test_square_roots_that_set_no_errno(self):
        config = gpu.configuration()
        builder = kernels.Builder(self.folder.name, ["-O3", "-march=x86-64-v3", "-fno-math-errno"])
        self.builder, usual = builder, self.builder
        for kernel in ("cholesky", "correlation", "gramschmidt"):
            self.assertTrue(self.ran(kernel, "global", ["-DDATASET=MINI"], config, "-errno"), kernel)
        self.builder = usual

    def test_sums_that_may_change_places_are_the_same_for_every_grid(self):
        config = gpu.configuration()
        builder = kernels.Builder(self.folder.name, ["-O3", "-march=x86-64-v3", "-ffast-math"])

        def work(kernel):
            exe, _ = builder.build(kernel, config, "global", ["-DDATASET=MINI"], "-fast")
            runs = [gpu.run(exe, 300, **how) for how in ({}, {"order": "random=3"}, {"grid": 2})]
            for _, hashes, err in runs:
                self.assertEqual(gpu.findings(err), [], kernel)
                self.assertEqual(hashes, runs[0][1], kernel)
            return any(where == "device" for name, where, _ in gpu.regions(runs[0][2]) if name.startswith("kernel:"))

        self.assertEqual({k for k, done in self.each(work).items() if not done}, set())

    def test_every_kernel_survives_faults(self):
        config, first = gpu.configuration(), dict(zip(kernels.FIELD, range(len(kernels.FIELD))))

        def work(kernel):
            exe, _ = self.builder.build(kernel, config, "global", ["-DDATASET=MINI"], "-mini")
            host, _ = self.builder.build(kernel, self.host, "global", ["-DDATASET=MINI"], "-mini")
            _, want = kernels.run(host, 60)
            # Every second fault for each kernel, all for two of them; the call that fails differs, too.
            for fault in gpu.FAULTS[first[kernel] % 2::2]:
                _, got, err = gpu.run(exe, 300, fault=f"{fault}={1 + first[kernel] // 2 % 3}")
                self.assertEqual(gpu.findings(err), [], f"{kernel} {fault}")
                self.assertEqual(got, want, f"{kernel} {fault}")

        self.each(work)

    def test_arrays_as_parameters_and_odd_sizes(self):
        config = gpu.configuration(extra=["-polyrs-gpu-sizes=7,3"])
        self.each(lambda k: self.ran(k, "param", kernels.sized(k, SMALL), config, "-odd", order="random=3"))


if __name__ == "__main__":
    unittest.main()
