"""The dumps in docs/ are what the plugin prints, and the table of constants is what the source says."""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Documents(unittest.TestCase):
    def test_nothing_is_out_of_date(self):
        p = subprocess.run([sys.executable, str(ROOT / "scripts" / "update_docs"), "--check"], capture_output=True, text=True, timeout=120)
        self.assertEqual(p.returncode, 0, p.stdout + p.stderr)


if __name__ == "__main__":
    unittest.main()
