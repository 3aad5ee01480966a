"""Nests of the kinds that real programs have, for every fifth program of loopgen: branches on data around and beside nests, early
returns, pointers that take turns, in registers and in memory, or walk, planes by remainder, filters of images whose pixels have
several channels, enlarged images, calls that only read."""
from loopgen import Access, Affine, Assign, Expr, If, Leave, Local, Loop, Pixel, Quotient, Remainder, Turns, Walk

WIDTH = 43  # elements of a row of the arrays that take turns: more than any loop has iterations


class RealKinds:
    """What `loopgen.Generator` draws beside its own nests; a part of it."""

    def real_nest(self):
        """One or two nodes for the top level."""
        r, kind = self.rng, self.rng.random()
        if kind < 0.2:
            return [If(None, None, self.access([]), [self.loop([], r.choice([2, 3]))])]
        if kind < 0.35:
            beside = If(None, None, self.access([]), [self.assign([], [])])
            return [beside, self.loop([], r.choice([2, 3]))] if r.random() < 0.5 else [self.loop([], 2), beside]
        if kind < 0.5:
            return [self.leaving()]
        if kind < 0.68:
            return [self.turns()]
        if kind < 0.78:
            return [self.planes()]
        if kind < 0.84:
            return [self.walk()]
        if kind < 0.92:
            return self.pixels()
        if kind < 0.96:
            return [self.enlarged()]
        return [self.reading()]

    def leaving(self):
        """A nest that the function is left from somewhere, by data or by counters."""
        r, nest = self.rng, self.loop([], self.rng.choice([2, 3]))
        body, counters = nest.body, [nest.var]
        while r.random() < 0.6 and (inner := [n for n in body if isinstance(n, Loop) and not isinstance(n, (Turns, Walk))]):
            body, counters = inner[0].body, [*counters, inner[0].var]
        form = Affine({r.choice(counters): 1, r.choice(["n", "m"]): -1}, r.choice([1, 2, 0, -3]))
        guard = If(form, r.choice(["> 0", "== 0"]), None, []) if r.random() < 0.5 else If(None, None, self.access(counters), [])
        guard.body.append(Leave())
        body.insert(r.randint(0, len(body)), guard)
        return nest

    def turns(self):
        """A stencil whose arrays take turns."""
        r, count = self.rng, self.rng.choice([2, 2, 3])
        names = [f"T{len(self.program.ranks) + k}" for k in range(count)]
        for name in names:
            self.program.ranks[name] = 1
        time = self.loop([], 0)
        time.low, time.high, time.step, time.down = Affine({}, 0), [Affine({r.choice(["n", "m"]): 1}, r.choice([0, 1, -1]))], 1, False
        rows, inner = self.loop([], 0), self.loop([], 0)
        for loop in (rows, inner):
            loop.low, loop.step, loop.down, loop.high = Affine({}, 1), 1, False, [Affine({r.choice(["n", "m"]): 1})]
        at = lambda name, by: Access(name, [Affine({rows.var: WIDTH, inner.var: 1}, by)])
        value = at(names[0], 0)
        for by in r.sample([-1, 1, WIDTH, -WIDTH], r.randint(1, 3)):
            value = Expr(r.choice("+-"), [value, at(names[r.randrange(count)] if count == 3 else names[0], by)])
        inner.body[:] = [Assign(at(names[-1], 0), r.choice(["", "", "+"]), Expr("*", ["(T)0.5", value]))]
        if r.random() < 0.3:
            inner.body.append(self.assign([time.var, inner.var], []))
        rows.body[:] = [inner]
        body = [rows] if r.random() < 0.8 else [rows, self.assign([time.var], [])]
        return Turns(time, names, body)

    def planes(self):
        """A stencil between planes of one array, chosen by the remainder of the step."""
        r, name, by = self.rng, f"P{len(self.program.ranks)}", self.rng.choice([2, 2, 3])
        self.program.ranks[name] = 2
        time, inner = self.loop([], 0), self.loop([], 1)
        time.low, time.step, time.down = Affine({}, 0), 1, False
        at = lambda ahead, shift: Access(name, [Remainder(time.var, ahead, by), Affine({inner.var: 1}, shift)])
        value = Expr("+", [at(0, -1), Expr(r.choice("+-"), [at(0, 0), at(0, 1)])])
        inner.body[:] = [Assign(at(1, 0), "", Expr("*", ["(T)0.25", value]))]
        time.body[:] = [inner]
        return time

    def walk(self):
        """A nest that fills or updates an array through a pointer that walks."""
        r, name, nest = self.rng, f"Q{len(self.program.ranks)}", []
        self.program.ranks[name] = 1
        for _ in range(r.choice([2, 2, 3])):
            loop = self.loop([], 0)
            loop.low, loop.step, loop.down = Affine({}, 0), 1, False
            loop.high = [r.choice([Affine({"n": 1}), Affine({"m": 1}), Affine({}, 5)])]
            nest.append(loop)
        counters = [loop.var for loop in nest]
        extent = 1
        for loop in nest:
            extent *= loop.high[0].interval({p: (v, v) for p, v in self.program.values.items()})[1]
        walk = Walk(nest[0], name, extent, r.choice([1, 1, 2]))
        body = [Assign(walk.pointer, r.choice(["", "+"]), self.expr(counters, [], 2)), walk.move]
        if r.random() < 0.4:
            local, self.locals = f"s{self.locals}", self.locals + 1
            inner = self.loop(counters, 0)
            inner.body[:] = [Assign(local, "+", self.expr([*counters, inner.var], [], 2))]
            body = [Local(local, "(T)0"), inner, Assign(walk.pointer, "", local), walk.move]
        for loop in reversed(nest):
            loop.body[:] = body
            body = [loop]
        walk.body = nest[0].body
        return walk

    def enlarged(self):
        """A nest over an image that is larger than another one by a factor, with weights that are made in front of a branch."""
        r, name, by = self.rng, f"A{len(self.program.ranks)}", self.rng.choice([2, 3, 4, 4, 8])
        self.program.ranks[name] = 2
        rows, columns = self.loop([], 0), self.loop([], 0)
        rows.low, columns.low = Affine({}, r.choice([0, 0, 2])), Affine({}, r.choice([0, 0, 1]))
        ahead = r.choice([0, 0, 0, 1, 3])
        at = lambda down, along: Access(name, [Quotient(rows.var, ahead, by, down), Quotient(columns.var, ahead, by, along)])
        weight, self.locals = f"s{self.locals}", self.locals + 1
        target = Access(name, [Affine({rows.var: 1}, self.constant()), Affine({columns.var: 1}, self.constant())])
        target = target if r.random() < 0.2 else self.access([rows.var, columns.var])
        between = Expr("+", [Expr("*", [at(0, 0), weight]), Expr("*", [at(0, 1), Expr("-", ["(T)1.25", weight])])])
        arms = [If(Affine({columns.var: 1, "n": -1}, r.choice([1, 4])), r.choice(["> 0", "== 0"]), None, [])]
        if r.random() < 0.7:
            arms.append(If(Affine({columns.var: -1, "n": 1}, r.choice([-1, 0, 4])), "> 0", None, []))
        for arm in arms:
            arm.body[:] = [Assign(target, r.choice(["", "", "+"]), r.choice([between, Expr("+", [between, at(1, 0)]), at(1, 0)]))]
        made = Local(weight, Expr(r.choice("*-"), [f"(T){columns.var}", "(T)0.5"]))
        columns.body[:] = [made, *arms] if r.random() < 0.6 else [made, Assign(target, "", between)]
        rows.body[:] = [columns]
        return rows

    def reading(self):
        """A nest with a call that only reads."""
        nest = self.loop([], 2)
        body, counters = nest.body, [nest.var]
        if inner := [n for n in body if isinstance(n, Loop) and not isinstance(n, (Turns, Walk))]:
            body, counters = inner[0].body, [*counters, inner[0].var]
        element = self.access(self.rng.sample(counters, self.rng.randint(0, len(counters))))
        body.append(Assign(self.access(counters), self.rng.choice(["", "+"]), Expr("look", [element])))
        return nest

    def pixels(self):
        """One or two nests over images whose pixels have several channels, side by side: filters, and what works on single elements."""
        r, known = self.rng, len(self.program.ranks)
        names = [f"I{known + k}" for k in range(r.choice([1, 2, 2]))]
        for name in names:
            self.program.ranks[name] = 1
        size = lambda numbers: Affine({r.choice(["n", "m"]): 1}) if r.random() < 0.6 else Affine({}, r.choice(numbers))
        width, channels = size([5, 9, 16]), size([2, 3, 4])
        return [self.filter(names, width, channels) for _ in range(r.choice([1, 1, 2]))]

    def filter(self, names, width, channels):
        """One nest over all channels of some pixels of rows; sometimes not over all, or for more than their places."""
        r, loops = self.rng, [self.loop([], 0) for _ in range(4)]
        for loop in loops:
            loop.low, loop.step, loop.down, loop.body[:] = Affine({}, 0), 1, r.random() < 0.05, []
        rows, columns, each, window = loops
        rows.high, columns.low = [r.choice([Affine({"n": 1}), Affine({"m": 1}), Affine({}, 4)])], Affine({}, r.choice([0, 0, 0, 1, 2]))
        columns.high, each.high = [width.shifted(r.choice([0, 0, -1, -2]))], [channels.shifted(r.choice([0] * 6 + [-1, 1]))]
        window.high = [r.choice([Affine({}, 3), Affine({}, 2), Affine({"m": 1})])]
        across, is_one_row = r.random() < 0.5, r.random() < 0.25
        around = [columns, each] if is_one_row else [rows, columns, each]

        def element(name, *by):
            place = [Affine({loop.var: 1}) if loop in around else Affine({}, 1) for loop in (rows, columns, each)]
            for k, form in by:
                place[k] = Affine({**place[k].terms, **form.terms}, place[k].constant + form.constant)
            return Access(name, [Pixel(place, width, channels)])

        def near():
            by = (r.choice([0, 1, 1]), Affine({}, r.choice([0, 0, 0, 1, -1])))
            return element(r.choice(names), by)
        counters, used = [loop.var for loop in around[:-1]], [loop.var for loop in around]
        target = element(names[-1])
        if r.random() < 0.5:
            local, self.locals = f"s{self.locals}", self.locals + 1
            tap = element(names[0], (0 if across else 1, Affine({window.var: 1})))
            factor = self.access([window.var]) if r.random() < 0.7 else "(T)0.5"
            window.body[:] = [Assign(local, "+", Expr("*", [tap, factor]))]
            each.body[:] = [Local(local, r.choice(["(T)0", near()])), window, Assign(target, r.choice(["", "+"]), local)]
        else:
            value = Expr(r.choice("+-*"), [near(), near() if r.random() < 0.6 else "(T)1.25"])
            if r.random() < 0.12:
                value = Expr("+", [value, f"(T){r.choice(used)}"])
            if r.random() < 0.12:
                value = Expr("+", [value, self.access([r.choice(used)])])
            each.body[:] = [Assign(target, r.choice(["", "+"]), value)]
        columns.body[:] = [each]
        if r.random() < 0.1:
            columns.body.append(self.assign(counters, []))
        rows.body[:] = [columns]
        return columns if is_one_row else rows
