"""Families of sets that grow, for scripts/bench-presburger: each a name, sizes, and two sets per size, the same on every machine.

`boxes`: unions of boxes that overlap here and there. `strips`: boxes side by side, one set as a whole. `rows`: polytopes of random
rows around the origin. `divs`: floors and remainders of two and three dims. `dims`: simplices and shifted ones. `tiled`: skewed
loops in two levels of tiles.
"""
import random

# Seconds after which a case counts as too long.
PATIENCE = 4
OPERATIONS = """is_empty sample coalesce complement intersect union subtract gist is_equal is_subset is_disjoint lexmin lexmax
affine_hull simple_hull compute_divs params project_first project_last""".split()
# A complement of many pieces is large in both libraries.
LARGE = {"complement": 20, "compute_divs": 50}


def boxes(n, rng):
    def box():
        x, y, w, h = rng.randint(0, 80), rng.randint(0, 80), rng.randint(4, 20), rng.randint(4, 20)
        return f"[i, j] : {x} <= i <= {x + w} and {y} <= j <= {y + h}"
    return "{ " + "; ".join(box() for _ in range(n)) + " }"


def strips(n, rng):
    height = rng.randint(40, 60)
    return "{ " + "; ".join(f"[i, j] : {10 * k} <= i < {10 * k + 10} and 0 <= j <= {height}" for k in range(n)) + " }"


def polytope(n, dims, rng):
    names = [f"x{k}" for k in range(dims)]
    rows = [f"-50 <= {x} <= 50" for x in names]
    for _ in range(n):
        sum_ = " + ".join(f"{rng.randint(-9, 9)}{x}" for x in names)
        rows.append(f"{sum_} <= {rng.randint(20, 200)}")
    return f"{{ [{', '.join(names)}] : {' and '.join(rows)} }}"


def divs(n, rng):
    form = lambda: rng.choice(["i", "j", "k", "i + j", "2i - j", "j + 3k"])
    rows = ["0 <= i < N", "0 <= j < M", "0 <= k < N + M"]
    for _ in range(n):
        d = rng.choice([2, 3, 4, 5, 6, 8])
        rows.append(f"({form()}) mod {d} <= {rng.randint(0, d - 1)}")
    return f"[N, M] -> {{ [i, j, k] : {' and '.join(rows)} }}"


def simplex(n, rng):
    names = [f"x{k}" for k in range(n)]
    return f"[N] -> {{ [{', '.join(names)}] : {' and '.join(f'{x} >= 0' for x in names)} and {' + '.join(names)} <= N + {rng.randint(0, 3)} }}"


def tiled(n, rng):
    loops = [f"x{k}" for k in range(n)]
    tiles = [f"{level}{k}" for level in "ab" for k in range(n)]
    rows = ["0 <= x0 < T"] + [f"0 < {x} < N" for x in loops[1:]]
    outer, inner = rng.choice([(32, 8), (64, 16), (48, 4)])
    for k in range(n):
        value = loops[0] if k == 0 else f"x0 + {loops[k]}"
        rows += [f"{size}{level}{k} <= {value} < {size}{level}{k} + {size}" for level, size in (("a", outer), ("b", inner))]
    return f"[T, N] -> {{ [{', '.join(tiles + loops)}] : {' and '.join(rows)} }}"


FAMILIES = {
    "boxes": ([1, 10, 50, 200], boxes),
    "strips": ([1, 10, 50, 200], strips),
    "rows3": ([10, 50, 100, 200], lambda n, rng: polytope(n, 3, rng)),
    "rows5": ([10, 20, 50], lambda n, rng: polytope(n, 5, rng)),
    "divs": ([2, 4, 8, 12], divs),
    "dims": ([1, 4, 8, 12], simplex),
    "tiled": ([1, 2, 3], tiled),
}


def cases():
    """(family, size, operation, first, second or None)."""
    for family, (sizes, make) in FAMILIES.items():
        for size in sizes:
            rng = random.Random(f"{family}{size}")
            first, second = make(size, rng), make(size, rng)
            for op in OPERATIONS:
                if size <= LARGE.get(op, size):
                    yield family, size, op, first, second if op in BINARY else None


BINARY = "intersect union subtract gist is_equal is_subset is_disjoint".split()
