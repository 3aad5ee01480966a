"""The verdicts on the set library's answers when isl gave up in the middle of an operation: needs islpy."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
try:
    import setoracle
except ImportError:
    setoracle = None


@unittest.skipUnless(setoracle, "islpy is not installed")
class SetOracle(unittest.TestCase):
    def test_an_operand_that_isl_left_half_changed_is_read_anew(self):
        view = setoracle.view_of("set\t{ S[i] : 0 <= i <= 5 }\t{ S[i] }\t{ S[i] -> [i] }\t0\t")
        view.a = view.a.intersect(setoracle.isl.Set("{ S[i] : i > 3 }"))
        self.assertEqual(setoracle.verdict(view, "sample", "{ S[2] }"), "ok")
        self.assertEqual(setoracle.verdict(view, "sample", "{ S[6] }"), "wrong")


if __name__ == "__main__":
    unittest.main()
