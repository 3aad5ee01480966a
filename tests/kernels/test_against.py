"""scripts/bench --against: other compilers, and sources that another tool has transformed."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def bench(*args):
    """What scripts/bench prints for one small kernel, and its exit status."""
    command = [sys.executable, str(ROOT / "scripts/bench"), "--kernels", "trisolv", "--dataset", "MINI", "--runs", "1",
               "--configs", "o3", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr, done.returncode


class Against(unittest.TestCase):
    def test_compilers_and_folders_have_columns(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / "bench/kernels/trisolv.c", folder)
            text, status = bench("--against", f"polly,gcc,mine={folder} -O1")
        self.assertEqual(status, 0, text)
        head = next(line for line in text.splitlines() if line.startswith("kernel"))
        self.assertEqual(head.split()[3:], ["polly", "gcc", "mine"], text)
        row = next(line for line in text.splitlines() if line.startswith("trisolv  "))
        self.assertEqual(len(row.split()), 6, text)
        self.assertNotIn("FAIL", text)

    def test_other_results_are_shown_and_are_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            kernel = (ROOT / "bench/kernels/trisolv.c").read_text()
            self.assertIn("x(i) = b(i);", kernel)
            (Path(folder) / "trisolv.c").write_text(kernel.replace("x(i) = b(i);", "x(i) = b(i) + 1;"))
            text, status = bench("--against", f"other={folder}")
        self.assertEqual(status, 0, text)
        self.assertIn("!", next(line for line in text.splitlines() if line.startswith("trisolv  ")))

    def test_what_is_no_rival_is_told(self):
        text, status = bench("--against", "nobody-has-this")
        self.assertNotEqual(status, 0)
        self.assertIn("no compiler and no folder 'nobody-has-this'", text)

    def test_a_kernel_that_the_folder_lacks_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            text, status = bench("--against", f"empty={folder}")
        self.assertEqual(status, 1, text)
        self.assertIn("FAIL", text)


if __name__ == "__main__":
    unittest.main()
