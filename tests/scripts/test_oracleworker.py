"""The process that asks isl: it is replaced when it does not answer, and the questions that follow are answered."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

import oracleworker

# A worker whose isl computes for ever on one operation, inside a call that no Python code interrupts.
WORKER = f"""
import collections, itertools, sys, types
sys.path.insert(0, {str(ROOT / "scripts" / "lib")!r})
import oracleworker

def verdict(view, op, text):
    if op == "hang":
        collections.deque(itertools.repeat(0), maxlen=0)
    if op == "crash":
        sys.exit(1)
    return "ok" if text == view else "wrong"

class Isl:
    class Error(Exception):
        pass

def view_of(line):
    if line == "garbage":
        raise Isl.Error("syntax")
    return line

oracle = types.SimpleNamespace(isl=Isl, view_of=view_of, verdict=verdict, expected=lambda line, op: verdict(line, op, "") and "text")
oracleworker.work(oracle, sys.stdin, 1)
"""


class Worker(unittest.TestCase):
    def setUp(self):
        self.oracle = oracleworker.Oracle((sys.executable, "-c", WORKER))
        self.addCleanup(self.oracle.close)

    def test_verdicts(self):
        self.assertEqual(list(self.oracle.verdicts("a", [("x", "a"), ("y", "b")])), ["ok", "wrong"])
        self.assertEqual(self.oracle.expected("a", "x"), "text")

    def test_a_hang_is_left_open(self):
        for op in ("hang", "crash"):
            asked = [("x", "a"), (op, "a"), ("y", "b")]
            self.assertEqual(list(self.oracle.verdicts("a", asked)), ["ok", "skip", "skip"])
        self.assertEqual(self.oracle.expected("a", "hang"), "any")
        self.assertEqual(list(self.oracle.verdicts("a", [("x", "a")])), ["ok"])

    def test_an_unreadable_case(self):
        self.assertEqual(list(self.oracle.verdicts("garbage", [("x", "a")])), ["unreadable: syntax"])


if __name__ == "__main__":
    unittest.main()
