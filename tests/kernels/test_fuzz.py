"""scripts/fuzz finds the one program among many that goes wrong, whatever goes wrong, and makes it smaller."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import fuzzrun
import toolchain

FORCED = "-polyrs-process-unprofitable"


class Planted(fuzzrun.Runner):
    """A runner whose polyrs gets something wrong in one program: `fault` stands at the end of its kernel."""

    def __init__(self, seed, fault):
        super().__init__(toolchain.plugin(), [FORCED])
        self.seed, self.fault = seed, fault

    def ways_of(self, seed):
        return [fuzzrun.Way(FORCED, fuzzrun.PLAIN)]

    def text(self, programs, way):
        text = super().text(programs, way)
        if way and any(p.seed == self.seed for p in programs):
            at = text.index("\n}\n", text.index(f"#define kernel kernel_{self.seed}\n"))
            text = text[:at] + self.fault + text[at:]
        return text


class Fuzz(unittest.TestCase):
    SEEDS = list(range(0, fuzzrun.BATCH))

    def failing(self, runner, seed, says):
        found = runner.try_batch(self.SEEDS)
        self.assertEqual(list(found), [seed], found)
        self.assertIn(says, found[seed])

    def test_nothing_fails(self):
        runner = fuzzrun.Runner(toolchain.plugin(), [FORCED])
        self.assertEqual(runner.try_batch(self.SEEDS), {})
        self.assertGreater(runner.changed, 10)

    def test_one_wrong_bit(self):
        for seed in (0, 23, 39):
            name = sorted(loop_storage(seed))[0]
            runner = Planted(seed, f"\n((unsigned char *){name})[0] ^= 1;")
            self.failing(runner, seed, "different bits")

    def test_the_smallest_program_is_kept(self):
        name = sorted(loop_storage(23))[0]
        with tempfile.TemporaryDirectory() as folder:
            runner = Planted(23, f"\n((unsigned char *){name})[0] ^= 1;")
            kept = runner.keep_smallest(23, Path(folder)).read_text()
        whole = runner.text([fuzzrun.loopgen.generate(23)], True)
        self.assertIn("^= 1", kept)
        self.assertLess(len(kept), len(whole))

    def test_a_program_that_ends_early(self):
        # Of the odd ones, some leave their kernel by an error before its end.
        self.failing(Planted(16, "\n__builtin_trap();"), 16, "exit -")

    def test_a_program_that_does_not_end(self):
        fuzzrun.RUN_SECONDS = 2
        self.addCleanup(setattr, fuzzrun, "RUN_SECONDS", 60)
        self.failing(Planted(31, "\nfor (volatile int i = 0;;) i = 0;"), 31, "exit -")

    def test_a_compiler_that_fails(self):
        options = f"{FORCED} -polyrs-inject-panic=codegen -polyrs-only-func=^kernel_12$"
        found = fuzzrun.Runner(toolchain.plugin(), [options]).try_batch(self.SEEDS)
        self.assertEqual(list(found), [12], found)

    def test_other_options_for_other_batches(self):
        runner = fuzzrun.Runner(toolchain.plugin(), None)
        ways = {str(runner.ways_of(fuzzrun.BATCH * k)[0]) for k in range(500)}
        for word in ("default", *fuzzrun.DRAWN, "-fsanitize=address", "-fsanitize-trap=all", "-fno-vectorize"):
            self.assertTrue(any(word in w for w in ways), word)
        self.assertGreater(len(ways), 40)


def loop_storage(seed):
    """The names of what holds a program's arrays."""
    return fuzzrun.loopprint.Printer(fuzzrun.loopgen.generate(seed)).storage()[1]


if __name__ == "__main__":
    unittest.main()
