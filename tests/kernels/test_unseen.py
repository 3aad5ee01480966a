"""What must hold for every program of bench/unseen: it compiles, and its results are the same bits with polyrs, asked to transform or not."""
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import kernels

LEAST = 40  # programs in the folder
CONFIGS = ["o3", "default=polyrs", "forced=polyrs -polyrs-process-unprofitable"]


class Unseen(unittest.TestCase):
    def test_same_bits_at_small_sizes(self):
        names = kernels.all_names(kernels.UNSEEN)
        self.assertGreaterEqual(len(names), LEAST)
        configs = [kernels.configuration(c, None) for c in CONFIGS]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            builder = kernels.Builder(folder, ["-O3"], kernels.UNSEEN)

            def hashes(name):
                programs = [builder.build(name, c, None, ["-DDATASET=MINI"])[0] for c in configs]
                return [kernels.run(exe, 60)[1] for exe in programs]
            for name, results in zip(names, pool.map(hashes, names)):
                self.assertTrue(results[0], f"{name} prints no result")
                for config, result in zip(configs, results):
                    self.assertEqual(result, results[0], f"{name} {config.name}")


if __name__ == "__main__":
    unittest.main()
