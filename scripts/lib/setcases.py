"""Random cases for the set library: what they are made of, their text, and smaller variants of a failing one.

A case is a kind and a list of fields. A field is a plain string or a Union: a parameter list and pieces, each a tuple part and a list of
constraints. Only `text` turns fields into isl's notation, so that a case can be made smaller piece by piece.
"""
import random
import re
import time

PARAMS = ["N", "M", "K"]
DIMS = ["i", "j", "k", "l"]


class Union:
    """Pieces `(head, constraints)` over some parameters."""

    def __init__(self, params, pieces):
        self.params, self.pieces = params, pieces

    def __str__(self):
        prefix = f"[{', '.join(self.params)}] -> " if self.params else ""
        texts = [f"{head} : {' and '.join(atoms)}" if atoms else head for head, atoms in self.pieces]
        return f"{prefix}{{ {'; '.join(texts)} }}"


class Case:
    """A kind and its fields; `line` is what the library is given."""

    def __init__(self, kind, fields):
        self.kind, self.fields = kind, fields

    def line(self):
        return "\t".join([self.kind] + [str(f) for f in self.fields])


class Generator:
    """Random constraints; the seed decides everything."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        roll = self.rng.random()
        # Half of the cases have tiny coefficients, a few enormous ones.
        self.size = self.rng.choice([1, 1, 2, 4])
        self.huge = roll < 0.04
        # Most cases are small: isl checks several of them in the time of a large one.
        self.small = self.rng.random() < 0.75

    def constant(self):
        r = self.rng
        if self.huge and r.random() < 0.3:
            return r.choice([-1, 1]) * r.choice([2**31, 2**40, 2**62, 2**63 - 1, 2**63, 2**70]) + r.randint(-2, 2)
        return r.randint(-12, 12)

    def coefficient(self, size):
        r = self.rng
        if self.huge and r.random() < 0.1:
            return r.choice([-1, 1]) * r.choice([2**20, 2**31 - 1, 2**33])
        return r.randint(-size, size)

    def linear(self, names, size):
        terms = [f"{self.coefficient(size)}*{n}" for n in names if self.rng.random() < 0.6]
        return " + ".join(terms + [str(self.constant())])

    def nested_floors(self, names):
        """A sum of floors modulo a number, or in a floor again."""
        r = self.rng
        floors = [f"{r.choice([-1, 1, 2, 3])}*floor(({self.linear(names, self.size)})/{r.randint(2, 6)})" for _ in range(2)]
        total, d = " + ".join(floors + [str(r.randint(-2, 2))]), r.randint(2, 7)
        if r.random() < 0.5:
            return f"({total}) mod {d} = {r.choice(names)}"
        return f"floor(({total})/{d}) {r.choice(['>=', '<=', '='])} {self.linear(names, 1)}"

    def atom(self, names, depth):
        r = self.rng
        roll = r.random()
        if roll < 0.03:
            return self.nested_floors(names)
        if roll < 0.1:
            d = r.randint(2, 5)
            return f"({self.linear(names, self.size)}) mod {d} = {r.randint(0, d - 1)}"
        if roll < 0.17:
            op = r.choice([">=", "<=", "="])
            return f"floor(({self.linear(names, self.size)})/{r.randint(2, 6)}) {op} {self.linear(names, 2)}"
        if roll < 0.25 and depth > 0:
            e = f"e{depth}"
            body = [self.atom(names + [e], depth - 1) for _ in range(r.randint(1, 2))]
            return f"(exists {e}: {r.randint(-6, 0)} <= {e} <= {r.randint(0, 9)} and {' and '.join(body)})"
        op = r.choice([">=", ">=", "<=", "<=", "="]) if roll < 0.97 else "!="
        return f"{self.linear(names, self.size)} {op} {r.choice(names)}"

    def constraints(self, params, dims, bounded=0.85):
        r = self.rng
        atoms = []
        for d in dims:
            if r.random() < bounded:
                hi = r.choice(params) if params and r.random() < 0.5 else str(r.randint(0, 9))
                atoms.append(f"{r.randint(-6, 4)} <= {d} <= {hi}")
        if params + dims:
            atoms += [self.atom(params + dims, 1) for _ in range(r.choice([0, 1, 1, 2] if self.small else [0, 1, 1, 2, 2, 3]))]
        return atoms

    def pieces(self, params, dims, head):
        counts = [1, 1, 1, 2] if self.small else [1, 1, 1, 1, 2, 2, 2, 3]
        return [(head, self.constraints(params, dims)) for _ in range(self.rng.choice(counts))]

    def shape(self, most_dims):
        r = self.rng
        params = PARAMS[: r.choice([0, 0, 1, 1, 2] if self.small else [0, 0, 0, 1, 1, 1, 2, 2, 3])]
        sizes = (1, 1, 2, 2, 3) if self.small else (1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4)
        return params, r.choice([n for n in sizes if n <= most_dims])

    def values(self, count):
        return " ".join(str(self.rng.randint(-2, 9)) for _ in range(count))

    def set_case(self):
        params, n = self.shape(4)
        dims = DIMS[:n]
        head = f"S[{', '.join(dims)}]"
        make = lambda: Union(params, self.pieces(params, dims, head))
        f = " + ".join(f"{r}*{n}" for n, r in zip(params + dims, self.values(9).split())) + f" + {self.rng.randint(-9, 9)}"
        if self.rng.random() < 0.2:
            f = f"floor(({f})/{self.rng.randint(2, 4)})"
        graph = Union(params, [(f"{head} -> [{f}]", [])])
        return Case("set", [make(), make(), graph, self.rng.randrange(n), self.values(len(params))])

    def map_case(self):
        r = self.rng
        params, n = self.shape(2)
        square = r.random() < 0.6
        m = n if square else r.randint(1, 2)
        a, b = ["i", "j"][:n], ["k", "l"][:m]
        s, t = "S", "S" if square else "T"
        head = lambda x, v, y, w: f"{x}[{', '.join(v)}] -> {y}[{', '.join(w)}]"
        union = lambda v, h: Union(params, self.pieces(params, v, h))
        return Case("map", [
            union(a + b, head(s, a, t, b)),
            union(a + b, head(s, a, t, b)),
            union(b + ["x"], head(t, b, "U", ["x"])),
            union(a, f"{s}[{', '.join(a)}]"),
            union(b, f"{t}[{', '.join(b)}]"),
            self.values(len(params)),
            self.values(n),
        ])


    def value(self, names):
        """A quasi-affine term."""
        r = self.rng
        text = " + ".join(f"{r.randint(-3, 3)}*{n}" for n in names if r.random() < 0.7) or "0"
        text = f"{text} + {r.randint(-9, 9)}"
        roll = r.random()
        if roll < 0.15:
            return f"floor(({text})/{r.randint(2, 5)})"
        if roll < 0.25:
            return f"({text}) mod {r.randint(2, 5)}"
        if roll < 0.32:
            return f"{r.choice(['min', 'max'])}({text}, {self.value(names)})"
        return text

    def function(self, params, dims, count, tuple_name):
        """One or two pieces with disjoint domains; sometimes undefined somewhere."""
        names = params + dims
        head = lambda: f"S[{', '.join(dims)}] -> {tuple_name}[{', '.join(f'({self.value(names)})' for _ in range(count))}]"
        roll = self.rng.random()
        if roll < 0.3:
            return Union(params, [(head(), [])])
        if roll < 0.5:
            return Union(params, [(head(), self.constraints(params, dims, 0.4))])
        test = self.atom(names, 0)
        rest = self.constraints(params, dims, 0.2) if self.rng.random() < 0.4 else []
        return Union(params, [(head(), [test]), (head(), [f"not ({test})"] + rest)])

    def function_case(self):
        r = self.rng
        self.huge = False
        params = PARAMS[: r.choice([0, 0, 1, 2])]
        dims = DIMS[: r.choice([1, 1, 2])]
        make = lambda count, name: self.function(params, dims, count, name)
        n = len(dims)
        dom = Union(params, self.pieces(params, dims, f"S[{', '.join(dims)}]"))
        return Case("function", [make(1, ""), make(1, ""), make(n, "S"), make(n, "S"), dom, r.randint(-4, 4), r.randint(2, 5)])

    def union_case(self):
        r = self.rng
        params = PARAMS[: r.choice([0, 0, 1, 2])]
        spaces = [("S", 1), ("T", 2), ("", 1), ("S", 2)]

        def members(kinds):
            pieces = []
            for _ in range(r.choice([1, 2, 2, 3])):
                names, head = iter(DIMS), []
                for name, n in r.choice(kinds):
                    head.append((name, [next(names) for _ in range(n)]))
                dims = [d for _, v in head for d in v]
                text = " -> ".join(f"{name}[{', '.join(v)}]" for name, v in head)
                pieces += self.pieces(params, dims, text)[:2]
            return Union(params, pieces)

        sets = [(s,) for s in spaces]
        maps = [(s, t) for s in spaces for t in spaces]
        functions = [self.union_function(params, spaces, kinds) for kinds in ([("", 1)], [("", 1)], spaces, spaces)]
        rest = [r.randint(-4, 4), r.randint(2, 5)]
        return Case("union", [members(sets), members(sets), members(maps), members(maps), *functions, *rest])

    def union_function(self, params, spaces, targets):
        """A function with one piece on each of some spaces."""
        r, pieces = self.rng, []
        for name, n in r.sample(spaces, r.choice([1, 2, 2, 3])):
            dims, (target, m) = DIMS[:n], r.choice(targets)
            values = ", ".join(f"({self.value(params + dims)})" for _ in range(m))
            atoms = self.constraints(params, dims, 0.4) if r.random() < 0.6 else []
            pieces.append((f"{name}[{', '.join(dims)}] -> {target}[{values}]", atoms))
        return Union(params, pieces)


MAKERS = {
    "set": Generator.set_case,
    "map": Generator.map_case,
    "function": Generator.function_case,
    "union": Generator.union_case,
}


def make(kind, seed):
    """The case of this kind and seed."""
    return MAKERS[kind](Generator(f"{kind} {seed}"))


def without(items, k):
    return items[:k] + items[k + 1:]


def smaller_atoms(atom):
    """A constraint with one number replaced by a smaller one."""
    for m in re.finditer(r"\d+", atom):
        v = int(m.group())
        for w in sorted({0, 1, v // 2, v - 1}):
            # A divisor stays positive.
            if 0 <= w < v and not (w < 2 and re.search(r"(mod |/)$", atom[: m.start()])):
                yield atom[: m.start()] + str(w) + atom[m.end():]


def smaller_unions(u):
    for k in range(len(u.pieces)):
        if len(u.pieces) > 1:
            yield Union(u.params, without(u.pieces, k))
    for k, (head, atoms) in enumerate(u.pieces):
        for j in range(len(atoms)):
            yield Union(u.params, u.pieces[:k] + [(head, without(atoms, j))] + u.pieces[k + 1:])
    for k, (head, atoms) in enumerate(u.pieces):
        for j, atom in enumerate(atoms):
            for a in smaller_atoms(atom):
                changed = (head, atoms[:j] + [a] + atoms[j + 1:])
                yield Union(u.params, u.pieces[:k] + [changed] + u.pieces[k + 1:])


def smaller(case):
    """Variants of a case with a piece, a constraint or a part of a number less."""
    for k, f in enumerate(case.fields):
        if isinstance(f, Union):
            for u in smaller_unions(f):
                yield Case(case.kind, case.fields[:k] + [u] + case.fields[k + 1:])


def minimise(case, fails, tries=400, seconds=90):
    """The smallest variant found that still fails."""
    end = time.time() + seconds
    while tries > 0:
        for c in smaller(case):
            tries -= 1
            if fails(c):
                case = c
                break
            if tries <= 0 or time.time() > end:
                return case
        else:
            return case
    return case
