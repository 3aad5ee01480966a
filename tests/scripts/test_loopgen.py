"""The random programs follow from their seed, stay inside their arrays, and shrink to valid programs."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import loopedge
import loopgen


def executed(program, index):
    """Runs a program's loops and yields (access, subscripts) for all that are reached, conditions taken as true, elements of the
    array of indices as `index`."""
    def walk(body, env):
        for node in body:
            bounds = node.high if isinstance(node, loopgen.Loop) else []
            reached = loopgen.accesses(node) + [f for f in bounds if isinstance(f, loopgen.Indexed)]
            for access in loopgen.with_indices(reached):
                yield access, [value(s, env, index) for s in access.subscripts]
            if isinstance(node, loopgen.Loop):
                high = min(value(f, env, index) for f in node.high)
                low = value(node.low, env, index)
                passed = [*range(low, 256), *range(high)] if isinstance(node, loopgen.Around) else range(low, high)
                for i in list(passed[::max(1, node.step)])[:3] + list(passed)[-2:]:
                    yield from walk(node.body, {**env, node.var: i})
            elif isinstance(node, loopgen.If):
                yield from walk(node.body, env)
    return walk(program.body, dict(program.values))


def value(form, env, index):
    """An affine form at a point, or an element of the array of indices plus a constant."""
    if isinstance(form, loopgen.Indexed):
        return index + form.constant
    if isinstance(form, loopgen.Remainder):
        return (env[form.name] + form.ahead) % form.by + form.constant
    if isinstance(form, loopgen.Quotient):
        return (env[form.name] + form.ahead) // form.by + form.constant
    if isinstance(form, loopgen.Pixel):
        row, column, channel, width, channels = (value(f, env, index) for f in (*form.place, form.width, form.channels))
        return (row * width + column) * channels + channel + form.constant
    if isinstance(form, loopgen.Wrapped):
        size, low = 1 << form.bits, -(1 << form.bits - 1) if form.signed else 0
        return (value(form.form, env, index) - low) % size + low + form.constant
    return form.constant + sum(c * env[name] for name, c in form.terms.items())


class LoopGen(unittest.TestCase):
    def test_same_seed_same_program(self):
        for seed in range(20):
            self.assertEqual(loopgen.generate(seed).c_text(), loopgen.generate(seed).c_text())

    def test_subscripts_stay_inside(self):
        for seed in range(60):
            program = loopgen.generate(seed)
            layout = program.layout()
            for index in (0, loopgen.GREATEST_INDEX):
                for access, point in executed(program, index):
                    extents, offsets = layout[access.array]
                    for s, e, o in zip(point, extents, offsets):
                        self.assertTrue(0 <= s + o < e, f"seed {seed}: {access.array} {point}")

    def test_counters_that_wrap_at_32_bits_meet_no_wider_ones(self):
        wide = {"long", "size_t"}
        for seed in [*range(400), 7700047, 7700055]:
            program = loopgen.generate(seed)
            kinds = {b[i].var: b[i].kind for b, i in program.nodes() if isinstance(b[i], loopgen.Loop)}
            for access in loopgen.with_indices(a for b, i in program.nodes() for a in loopgen.accesses(b[i])):
                for names in map(loopedge.names_of, access.subscripts):
                    met = {kinds[n] for n in names if n in kinds}
                    self.assertFalse("unsigned" in met and met & wide, f"seed {seed}: {access.subscripts}")

    def test_loops_by_halves_end(self):
        for seed in range(3000):
            for body, i in loopgen.generate(seed).nodes():
                if isinstance(body[i], loopgen.Loop) and body[i].step == loopgen.HALVING:
                    self.assertGreaterEqual(body[i].low.interval({})[0], 0, f"seed {seed}")

    def test_smaller_programs_are_smaller_and_valid(self):
        for seed in range(10):
            program = loopgen.generate(seed)
            for candidate in list(loopgen.smaller(program))[:20]:
                self.assertTrue(loopgen.valid(candidate))
                self.assertNotEqual(candidate.c_text(), program.c_text())


if __name__ == "__main__":
    unittest.main()
