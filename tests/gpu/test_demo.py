"""The GPU's row of `scripts/demo`: on the device, or in the emulator and said so, with the host's bits."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import demotable
import gpu
import kernels


class Row(unittest.TestCase):
    def test_a_product_has_the_bits_of_the_host(self):
        about, is_there = gpu.device()
        with tempfile.TemporaryDirectory() as folder:
            name, host, there, _, same, done = demotable.on_gpu(kernels.Builder(folder, ["-O3", "-march=native"]), "MINI")
        self.assertEqual((name, same), ("gemm, GPU", "yes"))
        self.assertIn(about, done)
        self.assertIn("device (", done)
        self.assertEqual("emulator" in done.split("(")[0], not is_there)
        self.assertEqual((host, there) == ("-", "-"), not is_there)


if __name__ == "__main__":
    unittest.main()
