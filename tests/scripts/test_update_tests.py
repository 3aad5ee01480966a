"""scripts/update_tests.py pins the whole output of RUN lines, and only that."""
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
spec = importlib.util.spec_from_file_location("update_tests", ROOT / "scripts" / "update_tests.py")
update_tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(update_tests)


class Rewriting(unittest.TestCase):
    def rewritten(self, text, name="x.ll"):
        """What the script makes of a test of this text; the plugin is never loaded."""
        with tempfile.TemporaryDirectory() as folder:
            test = Path(folder) / name
            test.write_text(text)
            once = update_tests.rewritten(test, "no-plugin")
            test.write_text(once)
            self.assertEqual(update_tests.rewritten(test, "no-plugin"), once, "a second time changes nothing")
            return once

    def test_lines_are_pinned_in_order_and_paragraphs_apart(self):
        text = self.rewritten("; topic\n; RUN: printf 'a\\nb\\n\\nc [[x\\n' | FileCheck %s\n; CHECK: old\ncode\n")
        self.assertEqual(text.splitlines()[-4:], [f"; {update_tests.NOTE}", "; CHECK: a", "; CHECK-NEXT: b", "; CHECK: c {{\\[\\[}}x"])
        self.assertNotIn("old", text)
        self.assertIn("\ncode\n", text)

    def test_each_prefix_has_its_block_and_others_stay(self):
        text = self.rewritten("// RUN: echo 1 | FileCheck %s\n// RUN: echo 2 | FileCheck %s --check-prefix=TWO\n// OTHER: kept\n", "x.c")
        self.assertTrue(text.endswith("// CHECK: 1\n\n// TWO: 2\n"))
        self.assertIn("// OTHER: kept\n", text)

    def test_run_lines_share_their_files(self):
        text = self.rewritten("; RUN: echo from-file > %t.out\n; RUN: cat %t.out | FileCheck %s\n")
        self.assertIn("; CHECK: from-file\n", text)

    def test_failing_commands_and_tests_without_checks_are_refused(self):
        for text in ("; RUN: false | FileCheck %s\n", "; RUN: true\n"):
            with self.assertRaises(update_tests.toolchain.ToolMissing):
                self.rewritten(text)

    def test_the_script_is_used(self):
        written = [t for t in update_tests.TESTS.rglob("*.c") if update_tests.NOTE in t.read_text()]
        self.assertTrue(written)


if __name__ == "__main__":
    unittest.main()
