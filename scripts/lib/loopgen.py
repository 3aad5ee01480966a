"""Random programs of affine loop nests in C, a function of a seed alone, and smaller versions of them.

A program is a tree of `Loop`, `If`, `Break`, `Assign` and `Local` nodes. Loop bounds, conditions and subscripts are affine forms
`{name: coefficient, 1: constant}` over loop counters and the parameters n and m, or, in some programs, elements of an array
that nothing writes. `Program.layout` walks the tree with intervals and gives every array dimension the extent and the offset
that keep all its subscripts inside.
"""
import copy
import random

PARAMETERS = ("n", "m")
SHAPES = ("global", "param", "linear")
INDICES = "X0"  # the array that nothing writes
ZEROS = "Z0"  # as that: of its elements, few are zero
HALVING = 0  # as a step: the loop goes from its last value on by halves
GREATEST_INDEX = 13  # of what loopprint's `fill` leaves in any array, as an int


class Affine:
    """An integer affine form."""

    def __init__(self, terms=None, constant=0):
        self.terms, self.constant = {k: v for k, v in (terms or {}).items() if v}, constant

    def shifted(self, by):
        """The form plus a constant."""
        return Affine(self.terms, self.constant + by)

    def interval(self, ranges):
        """(least, greatest) value while each name stays in its range."""
        low = high = self.constant
        for name, c in self.terms.items():
            a, b = ranges[name]
            low, high = low + min(c * a, c * b), high + max(c * a, c * b)
        return low, high

    def c_text(self):
        """As a C expression, in parentheses where it has an operator."""
        parts = []
        for name, c in sorted(self.terms.items()):
            parts.append(f"{'-' if c < 0 else '+'} {name if abs(c) == 1 else f'{abs(c)} * {name}'}")
        if self.constant or not parts:
            parts.append(f"{'-' if self.constant < 0 else '+'} {abs(self.constant)}")
        text = " ".join(parts)
        text = text[2:] if text.startswith("+ ") else "-" + text[2:]
        return f"({text})" if " " in text or text.startswith("-") else text


class Indexed:
    """An element of `INDICES` as an int, plus a constant: where an `Affine` may stand as a subscript or an upper bound."""

    def __init__(self, element, constant):
        self.element, self.constant = element, constant

    def shifted(self, by):
        """The form plus a constant."""
        return Indexed(self.element, self.constant + by)

    def interval(self, _):
        """(least, greatest) value."""
        return self.constant, GREATEST_INDEX + self.constant


class Remainder:
    """`(name + ahead) % by`, as a subscript."""

    def __init__(self, name, ahead, by, constant=0):
        self.name, self.ahead, self.by, self.constant = name, ahead, by, constant

    def shifted(self, by):
        """The form plus a constant."""
        return Remainder(self.name, self.ahead, self.by, self.constant + by)

    def interval(self, _):
        """(least, greatest) value."""
        return self.constant, self.by - 1 + self.constant

    def c_text(self):
        """As a C expression."""
        text = f"({self.name} + {self.ahead}) % {self.by}" if self.ahead else f"{self.name} % {self.by}"
        return f"({text} + {self.constant})" if self.constant else f"({text})"


class Quotient:
    """`(name + ahead) / by`, plus a constant, as a subscript; what is divided is not negative."""

    def __init__(self, name, ahead, by, constant=0):
        self.name, self.ahead, self.by, self.constant = name, ahead, by, constant

    def shifted(self, by):
        """The form plus a constant."""
        return Quotient(self.name, self.ahead, self.by, self.constant + by)

    def interval(self, ranges):
        """(least, greatest) value."""
        return tuple((end + self.ahead) // self.by + self.constant for end in ranges[self.name])

    def c_text(self):
        """As a C expression."""
        return f"(({self.name} + {self.ahead}) / {self.by} + ({self.constant}))"


class Pixel:
    """`((row) * width + column) * channels + channel`, plus a constant: the number of an element of an image. Width and channels are
    names of parameters, or numbers."""

    def __init__(self, place, width, channels, constant=0):
        self.place, self.width, self.channels, self.constant = place, width, channels, constant

    @property
    def terms(self):
        """The names in it."""
        return {name: 1 for form in (*self.place, self.width, self.channels) for name in form.terms}

    def shifted(self, by):
        """The form plus a constant."""
        return Pixel(self.place, self.width, self.channels, self.constant + by)

    def interval(self, ranges):
        """(least, greatest) value; width and channels are not negative."""
        ends = zip(*(form.interval(ranges) for form in self.place))
        width, channels = (form.interval(ranges)[0] for form in (self.width, self.channels))
        return tuple((row * width + column) * channels + channel + self.constant for row, column, channel in ends)

    def text(self, affine):
        """As an expression, where `affine` prints its forms."""
        row, column, channel = map(affine, self.place)
        return f"((({row} * {affine(self.width)}) + {column}) * {affine(self.channels)} + {channel} + ({self.constant}))"

    def c_text(self):
        """As a C expression."""
        return self.text(Affine.c_text)


class Wrapped:
    """What a type of so many bits holds of an affine form, plus a constant: as a subscript or an upper bound."""

    def __init__(self, form, bits, signed, constant=0):
        self.form, self.bits, self.signed, self.constant = form, bits, signed, constant

    def shifted(self, by):
        """The form plus a constant."""
        return Wrapped(self.form, self.bits, self.signed, self.constant + by)

    def interval(self, ranges):
        """(least, greatest) value."""
        size, low = 1 << self.bits, -(1 << self.bits - 1) if self.signed else 0
        least, greatest = self.form.interval(ranges)
        least, greatest, rounds = least - low, greatest - low, (least - low) // size
        inside = (least % size, greatest % size) if greatest // size == rounds else (0, size - 1)
        return inside[0] + low + self.constant, inside[1] + low + self.constant

    def c_text(self):
        """As a C expression."""
        text = f"({'' if self.signed else 'u'}int{self.bits}_t){self.form.c_text()}"
        return f"({text} {'-' if self.constant < 0 else '+'} {abs(self.constant)})"


class Loop:
    """`for (kind var = low; var < high; var += step)`, or the same range from its far end if `down` or by halves."""

    def __init__(self, var, low, high, step, down, kind, body):
        self.var, self.low, self.high, self.step, self.down, self.kind, self.body = var, low, high, step, down, kind, body


class If:
    """`if (form RELATION 0)`, or a condition on data if `data` is an access: that `relation` holds of it, if there is one."""

    def __init__(self, form, relation, data, body):
        self.form, self.relation, self.data, self.body = form, relation, data, body


class Break:
    """`if (access on data) break;`"""

    def __init__(self, data):
        self.data = data


class Leave:
    """`return;`"""


class Turns(Loop):
    """A loop through pointers to one-dimensional arrays that change places at the end of each iteration."""

    def __init__(self, time, names, body):
        super().__init__(time.var, time.low, time.high, 1, False, time.kind, body)
        self.names = names


class Walk(Loop):
    """The outermost loop of a nest that writes through a pointer, `pointer`, which moves by `step_` elements, `move`."""

    def __init__(self, outer, name, extent, stride):
        super().__init__(outer.var, outer.low, outer.high, 1, False, outer.kind, outer.body)
        self.name, self.stride = name, stride
        self.whole = Access(name, [Affine({}, 0)]), Access(name, [Affine({}, extent * stride)])
        self.pointer, self.move = f"*w{name}", Move(f"w{name} += {stride};")


class Move:
    """A statement as text."""

    def __init__(self, text):
        self.text = text


class Around(Loop):
    """A loop whose counter, of 8 bits without a sign, starts near its greatest value and passes zero on the way to `high`."""

    def __init__(self, var, start, high, body):
        super().__init__(var, Affine({}, start), [high], 1, False, "uint8_t", body)


class Fail:
    """The way out of a kernel that finds an error: an exception, a panic, or what the language has for these."""

    def __init__(self, code):
        self.code = code


class Idiom:
    """A loop over whole arrays in a language's own words: `{0}`, `{1}` and so on in the text stand for the arrays."""

    def __init__(self, arrays, text):
        self.arrays, self.text = arrays, text


class Assign:
    """`target op= value`; the target is an `Access` or the name of a local."""

    def __init__(self, target, op, value):
        self.target, self.op, self.value = target, op, value


class Local:
    """`type name = value;`"""

    def __init__(self, name, value):
        self.name, self.value = name, value


class Access:
    """`array[subscripts]`"""

    def __init__(self, array, subscripts):
        self.array, self.subscripts = array, subscripts


class Expr:
    """An operator over `Expr`, `Access`, or text (constants, locals, counters cast to the element type)."""

    def __init__(self, op, args):
        self.op, self.args = op, args


class Program:
    """The whole: parameters' values, array shape, element type, arrays' ranks, nests, and whether two arrays overlap."""

    def __init__(self, seed):
        self.seed = seed
        self.values = {}
        self.ranks = {}
        self.body = []
        self.shape, self.element, self.overlap, self.in_struct = "global", "double", None, False
        # Elements that each array begins before the end of the one before it, all in one piece of memory; `None`:
        # each has its own.
        self.workspace = None
        # What loopedge draws: bytes that pointers are off, {array: elements that it lacks} of those whose subscripts
        # are checked.
        self.shift, self.apart, self.checked, self.language = 0, 0, {}, "c"

    def nodes(self, body=None):
        """Every node, each with the list that holds it: [(list, index)], outer first."""
        body = self.body if body is None else body
        found = []
        for i, node in enumerate(body):
            found.append((body, i))
            if isinstance(node, (Loop, If)):
                found += self.nodes(node.body)
        return found

    def layout(self):
        """{array: ([extent], [offset])}: subscript + offset lies in 0..extent-1 for every access."""
        spans = {}
        self.collect(self.body, {p: (v, v) for p, v in self.values.items()}, spans)
        return {a: ([high - low + 1 for low, high in dims], [-low for low, _ in dims]) for a, dims in spans.items()}

    def collect(self, body, ranges, spans):
        """Widens `spans` by every access below `body`."""
        for node in body:
            for access in with_indices(accesses(node) + ([f for f in node.high if isinstance(f, Indexed)] if isinstance(node, Loop) else [])):
                dims = [s.interval(ranges) for s in access.subscripts]
                old = spans.get(access.array, dims)
                spans[access.array] = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(old, dims)]
            if isinstance(node, Turns):
                ranges = {**ranges, node.var: (0, max(0, max(f.interval(ranges)[1] for f in node.high) - 1))}
                self.collect(node.body, ranges, spans)
                all_spans = [spans[a] for a in node.names if a in spans] or [[(0, 0)]]
                spans |= {a: [(min(s[0][0] for s in all_spans), max(s[0][1] for s in all_spans))] for a in node.names}
                continue
            if isinstance(node, Around):
                self.collect(node.body, {**ranges, node.var: (0, 255)}, spans)
            elif isinstance(node, Loop):
                low = node.low.interval(ranges)[0]
                high = max(f.interval(ranges)[1] for f in node.high) - 1
                self.collect(node.body, {**ranges, node.var: (low, max(low, high))}, spans)
            elif isinstance(node, If):
                self.collect(node.body, ranges, spans)

    def c_text(self):
        """The C file."""
        import loopprint
        return loopprint.file([self])

    def written(self):
        """The arrays that some node writes."""
        found = {i.target.array for i in (b[k] for b, k in self.nodes()) if isinstance(i, Assign) and isinstance(i.target, Access)}
        for body, k in self.nodes():
            if isinstance(body[k], Walk):
                found.add(body[k].name)
            elif isinstance(body[k], Turns):
                found |= set(body[k].names)
            elif isinstance(body[k], Idiom):
                found.add(body[k].arrays[0])
        return found


def with_indices(found):
    """Accesses, and those that their subscripts are; bounds that are elements count as these."""
    out = []
    for access in found:
        if isinstance(access, Indexed):
            out.append(access.element)
            continue
        out += [access, *(s.element for s in access.subscripts if isinstance(s, Indexed))]
    return out


def accesses(node):
    """Every access of one node, not of nodes below it."""
    if isinstance(node, Assign):
        own = [node.target] if isinstance(node.target, Access) else []
        return own + in_expr(node.value)
    if isinstance(node, Local):
        return in_expr(node.value)
    if isinstance(node, Walk):
        return list(node.whole)
    if isinstance(node, (If, Break)) and node.data:
        return [node.data]
    if isinstance(node, Idiom):
        return [Access(a, [Affine({}, 0)]) for a in node.arrays]
    return []


def in_expr(value):
    """Every access of an expression."""
    if isinstance(value, Access):
        return [value]
    if isinstance(value, Expr):
        return [a for arg in value.args for a in in_expr(arg)]
    return []


def bodies(node, counters):
    """(body, counters around it) of a loop or condition and of all inside."""
    inside = [*counters, node.var] if isinstance(node, Loop) else counters
    yield node.body, inside
    for child in node.body:
        if isinstance(child, (Loop, If)):
            yield from bodies(child, inside)


import loopedge  # noqa: E402, they take the nodes above
import loopkinds  # noqa: E402


class Generator(loopkinds.RealKinds):
    """Draws a program; `rng` is seeded by the program's seed."""

    def __init__(self, seed, language="c"):
        self.rng = random.Random(seed if language == "c" else f"{language} {seed}")
        self.program = Program(seed)
        self.program.language = language
        self.counters = 0
        self.locals = 0
        # Half of the programs look like kernels: short expressions, one counter per subscript, few offsets.
        self.plain = self.rng.random() < 0.5
        # Some have subscripts, bounds and many conditions that are data.
        self.data = seed % 3 == 0
        # Some have nests of the kinds that real programs have, and of these some their sizes and arrays in a struct.
        self.real = seed % 5 == 2
        # Some skip loops where an element is zero.
        self.skips = seed % 5 == 3

    def draw(self):
        """The program."""
        r, p = self.rng, self.program
        p.values = {q: r.choice([3, 7, 13, 17, 34, 41]) for q in PARAMETERS}
        p.shape = r.choice(SHAPES)
        if p.shape != "global" and p.seed % 4 == 1:
            p.shape = "rows"
        p.element = r.choice(["double", "double", "double", "float", "unsigned", "unsigned short", "unsigned long"])
        for i in range(r.randint(1, 4)):
            p.ranks[f"A{i}"] = r.choice([1, 2, 2, 2, 3])
        if self.data:
            p.ranks[INDICES] = 1
        if self.skips:
            p.ranks[ZEROS] = 1 + p.seed // 5 % 2
        for _ in range(r.choice([1, 1, 2, 3])):
            depth = r.randint(1, 3 if max(p.values.values()) > 20 else 4)
            local = r.random()
            if self.real and local < 0.8:
                p.body += self.real_nest()
            elif local < 0.1:
                p.body.append(self.sums())
            elif local < 0.3:
                local -= 0.1
                p.body.append((self.carried if local < 0.12 else self.reduction)([], depth, p.body))
            else:
                p.body.append(self.loop([], depth))
        p.in_struct = self.real and p.shape == "linear" and p.seed // 5 % 2 == 0
        shared = [a for a in sorted(p.ranks) if a != INDICES and a[0] not in "TPQ"]
        if p.shape != "global" and len(shared) > 1 and r.random() < 0.25:
            p.overlap = (*r.sample(shared, 2), r.choice([0, 1, 5, 64]))
        if p.shape == "linear" and not p.overlap and not p.in_struct and r.random() < 0.6:
            p.workspace = 0 if INDICES in p.ranks else r.choice([0, 0, 0, 1, 7])
        return p

    def constant(self):
        """A small offset, mostly zero."""
        if self.plain and self.rng.random() < 0.7:
            return 0
        return self.rng.choice([0, 0, 0, 0, 1, 1, 2, -1, -2, 3])

    def loop(self, outer, depth):
        """A loop with `depth - 1` more levels inside at most."""
        r = self.rng
        var, self.counters = f"i{self.counters}", self.counters + 1
        low = Affine({}, max(0, self.constant()))
        high = [Affine({r.choice(PARAMETERS): 1}, self.constant())]
        if outer and r.random() < 0.35:
            shape = r.choice(["low", "high", "min"])
            if shape == "low":
                low = Affine({r.choice(outer): 1}, self.constant())
            elif shape == "high":
                high = [Affine({r.choice(outer): 1}, self.constant())]
            else:
                high.append(Affine({r.choice(outer): 1}, r.randint(1, 5)))
        if r.random() < 0.1:
            high = [Affine({}, r.choice([1, 4, 9]))]
        if self.data and r.random() < 0.15:
            high = [self.indexed(outer)]
        step = r.choice([1] * 9 + [2, 3])
        if self.data and outer and r.random() < 0.12:
            step, low = HALVING, Affine({}, 0)
        loop = Loop(var, low, high, step, step == 1 and r.random() < 0.12, r.choice(["int"] * 5 + ["long"]), [])
        self.fill(loop.body, outer + [var], depth - 1)
        return loop

    def fill(self, body, counters, depth):
        """One to three nodes into a body."""
        r, locals_here = self.rng, []
        for _ in range(r.choice([1, 1, 2, 3])):
            if self.data and counters and r.random() < 0.07:
                body.append(Break(self.access(counters)))
            kind = r.random()
            if depth > 0 and kind < 0.65:
                form = r.random()
                if form < 0.12:
                    body.append(self.reduction(counters, depth, body))
                elif form < 0.2:
                    body.append(self.carried(counters, depth, body))
                elif form < 0.3:
                    body.append(self.scratch(counters, body))
                elif form < 0.45:
                    body.append(self.gathered(counters))
                else:
                    body.append(self.skipped(counters, self.loop(counters, depth)))
            elif 0.65 <= kind < 0.75:
                node = self.condition(counters)
                self.fill(node.body, counters, max(0, depth - 1))
                body.append(node)
            elif 0.75 <= kind < 0.82:
                name, self.locals = f"s{self.locals}", self.locals + 1
                body.append(Local(name, self.expr(counters, locals_here, 2)))
                locals_here.append(name)
            else:
                body.append(self.assign(counters, locals_here))
        if locals_here or not body:
            body.append(self.assign(counters, locals_here))

    def reduction(self, counters, depth, body):
        """A local set before a loop and added to inside; the use follows through an assignment."""
        name, self.locals = f"s{self.locals}", self.locals + 1
        body.append(Local(name, "(T)0"))
        loop = self.loop(counters, depth)
        loop.body.append(Assign(name, "+", self.expr(counters + [loop.var], [], 2)))
        body.append(loop)
        return Assign(self.access(counters), self.rng.choice(["", "+"]), Expr("+", [name, self.access(counters)]))

    def carried(self, counters, depth, body):
        """A local set before a loop and changed somewhere inside, now and then under a condition; the use follows."""
        r, name = self.rng, f"s{self.locals}"
        self.locals += 1
        body.append(Local(name, "(T)1"))
        loop = self.loop(counters, depth)
        body.append(loop)
        place, inside = r.choice(list(bodies(loop, counters)))
        value = self.expr(inside, [name], 2)
        change = r.choice([Assign(name, "+", value), Assign(name, "", value), Assign(name, "", Expr("max", [name, value]))])
        if r.random() < 0.4:
            node = self.condition(inside)
            node.body.append(change)
            change = node
        place.insert(r.randint(0, len(place)), change)
        return Assign(self.access(counters), r.choice(["", "+"]), Expr("+", [name, self.access(counters)]))

    def sums(self):
        """A nest around one to three locals that inner loops add to, with what the array's element held, guards and other stores."""
        r = self.rng
        outer = self.loop([], 0)
        inner = self.loop([outer.var], 0)
        counters = [outer.var, inner.var]
        target, names, body = self.access(counters), [], []
        if r.random() < 0.2:
            body.append(self.assign(counters, []))
        for _ in range(r.choice([1, 1, 2, 3])):
            name, self.locals = f"s{self.locals}", self.locals + 1
            body.append(Local(name, r.choice(["(T)0", "(T)1", self.access(counters), target])))
            names.append(name)
        for _ in range(r.choice([1, 1, 2])):
            loop = self.loop(counters, 0)
            inside = [*counters, loop.var]
            loop.body[:] = []
            for name in r.sample(names, r.randint(1, len(names))):
                product = Expr("*", [self.access(inside), self.access(inside)])
                change = Assign(name, r.choice("++-"), product if r.random() < 0.7 else self.expr(inside, names, 2))
                if r.random() < 0.2:
                    guard = self.condition(inside)
                    guard.body.append(change)
                    change = guard
                loop.body.append(change)
            if r.random() < 0.15:
                loop.body.append(self.assign(inside, names))
            body.append(loop)
        value = names[0]
        for name in names[1:]:
            value = Expr(r.choice("+*-"), [value, name])
        if r.random() < 0.5:
            value = Expr("+", [Expr("*", ["(T)1.25", value]), Expr("*", ["(T)0.5", target])])
        store = Assign(target, r.choice(["", "", "+"]), value)
        if r.random() < 0.2:
            guard = self.condition(counters)
            guard.body.append(store)
            store = guard
        body.append(store)
        if r.random() < 0.3:
            body.append(Assign(self.access(counters), "", Expr("+", [r.choice(names), self.access(counters)])))
        inner.body[:] = body
        outer.body[:] = [inner] if r.random() < 0.8 else [self.assign([outer.var], []), inner]
        return outer

    def scratch(self, counters, body):
        """A loop that fills a row of its own array; the one that uses the row follows, mostly with the same bounds."""
        r, rows = self.rng, f"W{len(self.program.ranks)}"
        fill = self.loop(counters, 0)
        if r.random() < 0.5:
            fill.high = [Affine({}, r.choice([4, 9, 30]))]
        fill.body[:] = [Assign(Access(rows, [Affine({fill.var: 1})]), "", self.expr([*counters, fill.var], [], 2))]
        use = copy.deepcopy(fill)
        use.var, self.counters = f"i{self.counters}", self.counters + 1
        row = Access(rows, [Affine({use.var: 1}, self.constant())])
        # Halves of 0 are never less than 0.
        if r.random() < 0.2 and use.step != HALVING:
            use.low = use.low.shifted(r.choice([1, -1]))
        inside = [*counters, use.var]
        use.body[:] = [Assign(self.access(inside), r.choice(["", "+"]), Expr(r.choice("+*"), [row, self.access(inside)]))]
        body.append(fill)
        self.program.ranks[rows] = 1
        return use

    def skipped(self, counters, loop):
        """The loop, or the loop where an element is not zero."""
        if not self.skips or not counters or self.rng.random() < 0.5:
            return loop
        rank = min(self.program.ranks[ZEROS], len(counters))
        subscripts = [Affine({c: 1}, self.constant()) for c in self.rng.sample(counters, rank)]
        subscripts += [Affine({}, 0)] * (self.program.ranks[ZEROS] - rank)
        return If(None, "!= (T)0", Access(ZEROS, subscripts), [loop])

    def gathered(self, counters):
        """Two loops that update elements of an array of their own, mostly again and again the same ones."""
        r, rows = self.rng, f"V{len(self.program.ranks)}"
        outer = self.loop(counters, 0)
        inner = self.loop([*counters, outer.var], 0)
        inside = [*counters, outer.var, inner.var]
        subscript = Affine({inner.var: r.choice([1, 1, 1, -1, 2])}, self.constant())
        if r.random() < 0.25:
            subscript.terms[outer.var] = 1
        update = Assign(Access(rows, [subscript]), r.choice("++-*"), self.expr(inside, [], 2))
        inner.body[:] = [update] if r.random() < 0.7 else [update, self.assign(inside, [])]
        outer.body[:] = [inner] if r.random() < 0.7 else [self.assign([*counters, outer.var], []), inner]
        self.program.ranks[rows] = 1
        return outer

    def condition(self, counters):
        """A condition on counters and parameters, on a remainder, or on data."""
        r, kind = self.rng, self.rng.random()
        if kind < (0.5 if self.data else 0.15):
            return If(None, None, self.access(counters), [])
        form = Affine({r.choice(counters): 1}, self.constant() - r.choice([0, 0, 2]))
        if kind < 0.35:
            return If(form, r.choice(["% 2 == 0", "% 3 == 1"]), None, [])
        form.terms[r.choice([*counters, *PARAMETERS])] = -1
        return If(form, r.choice(["< 0", "<= 0", "> 0", "== 0", "!= 0", ">= 0"]), None, [])

    def indexed(self, counters):
        """An element of the array of indices."""
        terms = {self.rng.choice(counters): 1} if counters else {}
        return Indexed(Access(INDICES, [Affine(terms, self.constant())]), self.constant())

    def subscript(self, counters):
        """Mostly one counter plus a constant, sometimes a constant alone, now and then an element."""
        r, kind = self.rng, self.rng.random()
        if self.data and r.random() < 0.15:
            return self.indexed(counters)
        if kind < 0.7:
            return Affine({r.choice(counters): 1}, self.constant())
        if kind < 0.75:
            return Affine({}, r.choice([0, 1, 2]))
        if kind < 0.85:
            a, b = r.choice(counters), r.choice(counters)
            return Affine({a: 1, b: r.choice([1, -1])} if a != b else {a: 2}, self.constant())
        if kind < 0.93:
            return Affine({r.choice(counters): -1, r.choice(PARAMETERS): 1}, self.constant())
        return Affine({r.choice(counters): 2}, r.choice([0, 1]))

    def access(self, counters):
        """A random array with random subscripts; now and then one element, the same in all iterations."""
        known = [a for a in sorted(self.program.ranks) if a != INDICES and a[0] not in "TPQZ"]
        arrays = [a for a in known if a[0] != "V"]
        array = self.rng.choice(arrays if self.rng.random() < 0.95 else known)
        rank = self.program.ranks[array]
        if not counters or self.rng.random() < 0.1:
            return Access(array, [Affine({}, self.rng.choice([0, 1, 2])) for _ in range(rank)])
        if self.plain and rank <= len(counters) and self.rng.random() < 0.9:
            subscripts = [Affine({c: 1}, self.constant()) for c in self.rng.sample(counters, rank)]
            if self.data and self.rng.random() < 0.2:
                subscripts[self.rng.randrange(rank)] = self.indexed(counters)
            return Access(array, subscripts)
        return Access(array, [self.subscript(counters) for _ in range(rank)])

    def assign(self, counters, names):
        """An assignment to an array element."""
        return Assign(self.access(counters), self.rng.choice(["", "", "+", "+", "-", "*"]),
                      self.expr(counters, names, 1 if self.plain else 3))

    def expr(self, counters, names, depth):
        """An expression over accesses, locals, counters and constants."""
        r, kind = self.rng, self.rng.random()
        if depth == 0 or kind < 0.35:
            if names and r.random() < 0.5:
                return r.choice(names)
            leaf = r.random()
            if leaf < 0.75:
                return self.access(counters)
            return f"(T){r.choice(counters)}" if leaf < 0.85 and counters else f"(T){r.choice(['0.5', '3', '1.25', '7'])}"
        op = r.choice(["+", "+", "-", "*", "*", "max", "?"])
        return Expr(op, [self.expr(counters, names, depth - 1) for _ in range(2 if op != "?" else 4)])


def generate(seed, language="c"):
    """The program of a seed."""
    program = Generator(seed, language).draw()
    return loopedge.drawn(program) if language != "c" or seed % 2 else program


def smaller(program):
    """Programs with one node less, one loop simpler, or one expression shorter; largest cuts first."""
    for index in range(len(program.nodes())):
        cut = copy.deepcopy(program)
        body, i = cut.nodes()[index]
        del body[i]
        if valid(cut):
            yield cut
    for index, (body, i) in enumerate(program.nodes()):
        for change in simplifications(body[i]):
            cut = copy.deepcopy(program)
            body_, i_ = cut.nodes()[index]
            change(body_[i_])
            yield cut
    if program.workspace is not None and program.language == "c":
        cut = copy.deepcopy(program)
        cut.workspace = None
        yield cut
    for name in ("overlap", "shift", "apart", "checked", "in_struct"):
        if getattr(program, name):
            cut = copy.deepcopy(program)
            setattr(cut, name, type(getattr(Program(0), name))())
            yield cut


def simplifications(node):
    """Functions that make a copy of `node` simpler."""
    if isinstance(node, Loop):
        if node.step != 1:
            yield lambda n: setattr(n, "step", 1)
        if node.down:
            yield lambda n: setattr(n, "down", False)
        for extra in range(len(node.high) - 1):
            yield lambda n, e=extra: n.high.pop(e)
    elif isinstance(node, (Assign, Local)) and isinstance(node.value, Expr):
        for k in range(len(node.value.args)):
            yield lambda n, k=k: setattr(n, "value", n.value.args[k])
    if isinstance(node, Assign) and node.op and isinstance(node.target, Access):
        yield lambda n: setattr(n, "op", "")


def valid(program):
    """True if every local that is used is declared before, in the same body or around it; and something is left."""
    def walk(body, known):
        known = set(known)
        for node in body:
            if isinstance(node, (Loop, If)):
                if not walk(node.body, known):
                    return False
            elif not isinstance(node, (Break, Leave, Move, Fail, Idiom)):
                if isinstance(node, Assign) and isinstance(node.target, str) and node.target[0] != "*" and node.target not in known:
                    return False
                if not names_in(node.value) <= known:
                    return False
                if isinstance(node, Local):
                    known.add(node.name)
        return True
    return bool(program.body) and bool(program.layout()) and walk(program.body, set())


def names_in(value):
    """The locals that an expression reads."""
    if isinstance(value, str):
        return {value} if value.startswith("s") else set()
    if isinstance(value, Expr):
        return set().union(*(names_in(a) for a in value.args))
    return set()
