"""What isl says about a case: for each operation of the set library a check of its answer.

A check takes a Sets, Maps, ... object (isl's view of the case) and the library's answer, and says whether it is right; SKIP when isl has
no answer of its own. Results are compared as sets of points, never as text.
"""
import functools

import functionoracle
import islpy as isl
from islchecks import DIM, IN, OUT, PARAM, SKIP, is_bool, is_set, lexopt, operand, read_answer


class Sets:
    def __init__(self, fields):
        self.graph, self.dim = fields[2], int(fields[3])
        self.params = [int(v) for v in fields[4].split()]
        self.read = {"a": (isl.Set, fields[0]), "b": (isl.Set, fields[1])}

    def __getattr__(self, name):
        return operand(self, name)

    @functools.cached_property
    def at_params(self):
        s = self.a
        for k, v in enumerate(self.params):
            s = s.fix_val(PARAM, k, v)
        return s

    @functools.cached_property
    def count(self):
        return count_of(self.at_params)

    @functools.cached_property
    def other_count(self):
        s = self.b
        for k, v in enumerate(self.params):
            s = s.fix_val(PARAM, k, v)
        return count_of(s)


class Maps:
    def __init__(self, fields):
        self.params = [int(v) for v in fields[5].split()]
        self.input = [int(v) for v in fields[6].split()]
        types = [isl.Map, isl.Map, isl.Map, isl.Set, isl.Set]
        self.read = dict(zip(["a", "b", "next", "dom", "ran"], zip(types, fields)))

    def __getattr__(self, name):
        return operand(self, name)

    @functools.cached_property
    def square(self):
        return self.a.get_space().domain().is_equal(self.a.get_space().range())

    @functools.cached_property
    def output(self):
        return image(self)

    @functools.cached_property
    def count(self):
        return count_of(self.output)


def image(c):
    """The outputs at the case's parameters and input."""
    m = c.a
    for k, v in enumerate(c.params):
        m = m.fix_val(PARAM, k, v)
    for k, v in enumerate(c.input):
        m = m.fix_val(IN, k, v)
    return m.range()


def optimum(c, text, largest):
    # A piece without integer points counts as 0 with isl.
    pieces = [piece for piece in c.a.get_basic_sets() if not piece.is_empty()]
    if not pieces:
        return text == "empty"
    of = functools.reduce(isl.Set.union, map(isl.Set.from_basic_set, pieces))
    value = (of.max_val if largest else of.min_val)(aff_of(c.graph))
    if value.is_nan():
        return text == "empty"
    if value.is_infty() or value.is_neginfty():
        return text == "unbounded"
    return text == value.to_str()


def aff_of(graph):
    """The one function of a piece without constraints."""
    return isl.PwAff(graph).get_pieces()[0][1]


def sample(c, text):
    if text == "none":
        return c.a.is_empty()
    point = read_answer(c, isl.Set, text)
    return point.is_subset(c.a) and not point.is_empty()


def listed(c, text):
    return read_answer(c, isl.Set, text).is_equal(c.at_params)


def hull(want):
    """A hull contains the set and lies inside isl's."""
    def check(c, text):
        got = read_answer(c, isl.Set, text)
        return c.a.is_subset(got) and got.is_subset(want(c))
    return check


def contains(c, text):
    return c.a.is_subset(read_answer(c, isl.Set, text))


def gist(c, text):
    return read_answer(c, type(c.a), text).intersect(c.b).is_equal(c.a.intersect(c.b))


def card(c, text):
    count = c.count
    if count is None:
        return SKIP if text == "infinite" else False
    # Infinite for other parameter values is an answer for all of them.
    return text == "infinite" or text == str(count)


def card_text(c, text, count):
    """The text, read and evaluated by isl at the case's parameters, is the number of points there."""
    if count is None:
        return SKIP if text == "infinite" else False
    if text == "infinite":
        return SKIP
    function = read_answer(c, isl.PwQPolynomial, text)
    at = function.domain()
    at = isl.Set.universe(at.get_space())
    for k, v in enumerate(c.params):
        at = at.fix_val(PARAM, k, v)
    for k, v in enumerate(getattr(c, "input", [])):
        at = at.fix_val(DIM, k, v)
    return function.eval(at.sample_point()).to_str() == str(count)


def joined_cards(join):
    """The text's value is what `join` makes of the two numbers of points."""
    def check(c, text):
        counts = c.count, c.other_count
        return card_text(c, text, None if None in counts else join(*counts))
    return check


def times(count, factor):
    return None if count is None else factor * count


def restricted_card(c, text):
    """The number of points where the second set has one for these parameters, else zero."""
    count = c.count
    return card_text(c, text, 0 if count is not None and c.other_count == 0 else count)


def count_of(s):
    """Number of points of a set with fixed parameters; None when it is infinite."""
    if s.is_empty():
        return 0
    if not s.is_bounded():
        return None
    text = s.project_out(PARAM, 0, s.dim(PARAM)).count_val().to_str()
    if text is None:
        raise isl.Error("maximal number of operations")
    return int(text)


def disjoint_pieces(c, text):
    got = read_answer(c, type(c.a), text)
    if not got.is_equal(c.a):
        return False
    list_ = got.get_basic_sets() if isinstance(got, isl.Set) else got.get_basic_maps()
    return all(list_[i].is_disjoint(list_[j]) for i in range(len(list_)) for j in range(i))


def no_tuple(want):
    """Projections drop the tuple in isl and keep its name here."""
    def check(c, text):
        expected = want(c)
        got = read_answer(c, type(expected), text)
        if isinstance(got, isl.Set):
            return got.reset_tuple_id().is_equal(expected.reset_tuple_id())
        reset = lambda m: m.reset_tuple_id(IN).reset_tuple_id(OUT)
        return reset(got).is_equal(reset(expected))
    return check


def square(check):
    return lambda c, text: check(c, text) if c.square else text == "none"


def one_piece(test):
    """The operation is one on a single piece: `none` for a set that has more."""
    return lambda c, text: SKIP if text == "none" else test(c, text)


def lattice(c, text):
    """A lattice around the set, inside isl's affine hull, which has strides too."""
    return around(c, read_answer(c, isl.Set, text), c.a.affine_hull())


def around(c, got, hull):
    """Whether `got` holds the set and, where isl's hull is a lattice, is no larger: `4*floor(x/4) >= x - 1` says more than any lattice."""
    if not c.a.is_subset(got):
        return False
    if got.is_subset(hull):
        return True
    return False if all(row.is_equality() for row in hull.get_constraints()) else SKIP


def subspace(hull):
    """isl's affine hull without its strides, and without the bounds that it keeps of floors of floors."""
    basic = hull.remove_divs().affine_hull()
    return basic.to_map() if isinstance(hull, isl.Map) else basic.to_set()


def map_affine_hull(c):
    return isl.Map.from_basic_map(c.a.affine_hull())


def map_lattice_hull(c, text):
    """As `lattice`, of a map."""
    return around(c, read_answer(c, isl.Map, text), c.a.affine_hull())


def stride(c, text):
    """Every value of the dim fits the stride, which is isl's or a multiple of it."""
    if text == "empty":
        return c.a.is_empty()
    step, offset = text.split(" @ ")
    n, d = int(step), c.dim
    if not c.a.is_subset(offset_map(c.a, isl.PwAff(offset), d, n)):
        return False
    known = c.a.project_out(DIM, d + 1, c.a.dim(DIM) - d - 1).get_stride_info(d)
    step = int(known.get_stride().to_str())
    if n == 0 or step == 0 or n % step == 0:
        return True
    # An offset with a floor may be no lattice's: the library has the largest step of one lattice.
    return SKIP if known.get_offset().dim(isl.dim_type.div) else False


def offset_map(s, offset, d, step):
    """The points whose dim `d` is `offset` up to a multiple of `step`."""
    dim = isl.PwAff.var_on_domain(isl.LocalSpace.from_space(s.get_space()), DIM, d)
    rest = dim.sub(offset)
    return rest.mod_val(isl.Val(step)).zero_set() if step else rest.zero_set()


def loop_nest(c, text):
    """The loops visit every point, and no other where there are no existentials."""
    exists, got = text.split(" @ ")
    got = read_answer(c, isl.Set, got)
    return c.a.is_subset(got) and (exists != "0" or got.is_equal(c.a))


def dual(c, text):
    """All forms that isl finds non-negative on the rational points of the piece are in the cone, and none that is negative at an
    integer point."""
    rows, piece = text.split(" @ ")
    piece = isl.BasicSet(piece.replace("{ ", "{ rat: ", 1))
    if piece.is_empty():
        return SKIP
    names = [f"c{k}" for k in range(c.a.dim(PARAM) + c.a.dim(DIM) + 1)]
    order = ", ".join(names[-1:] + names[:-1])
    form = lambda row: " + ".join(f"{v}*{x}" for v, x in zip(row, names))
    cone = lambda atoms: isl.Set(f"{{ [{order}]{' : ' + ' and '.join(atoms) if atoms else ''} }}")
    atoms = [(row.split()[0], row.split()[1:]) for row in rows.split(";") if row]
    got = cone([f"{form(r)} {op} 0" for op, r in atoms])
    flat = isl.Set.from_basic_set(piece.coefficients()).flatten().reset_tuple_id()
    # A cone with integer rows is inside another iff its integer points are.
    inside = isl.Set(flat.to_str().replace("rat: ", "")).is_subset(got)
    return inside and got.is_subset(cone([f"{form(x)} >= 0" for x in some_points(c.a)]))


def some_points(s, most=6):
    """Some points `params, dims, 1` of a set."""
    flat = s.move_dims(DIM, 0, PARAM, 0, s.dim(PARAM)).reset_tuple_id()
    n, points = flat.dim(DIM), []
    while len(points) < most and not flat.is_empty():
        p = flat.sample_point()
        points.append([p.get_coordinate_val(DIM, d).to_str() for d in range(n)] + ["1"])
        flat = flat.subtract(isl.Set.from_point(p))
    return points


def named(s, name):
    return s.set_tuple_name(name)


SET_CHECKS = {
    "same": is_set(lambda c: c.a),
    "coalesce": is_set(lambda c: c.a),
    "complement": is_set(lambda c: c.a.complement()),
    "lexmin": lexopt("lexmin"),
    "lexmax": lexopt("lexmax"),
    "project": no_tuple(lambda c: c.a.project_out(DIM, c.dim, 1)),
    "params": is_set(lambda c: c.a.params()),
    "compute_divs": is_set(lambda c: c.a),
    "divs_of_disjoint": disjoint_pieces,
    "make_disjoint": disjoint_pieces,
    "empty": is_bool(lambda c: c.a.is_empty()),
    "bounded": is_bool(lambda c: c.a.is_bounded()),
    "sample": sample,
    "points": listed,
    "min": lambda c, t: optimum(c, t, False),
    "max": lambda c, t: optimum(c, t, True),
    "card": card,
    "card_text": lambda c, t: card_text(c, t, c.count),
    "card_add": joined_cards(lambda x, y: x + y),
    "card_sub": joined_cards(lambda x, y: x - y),
    "card_mul": joined_cards(lambda x, y: x * y),
    "card_scale": lambda c, t: card_text(c, t, times(c.count, -3)),
    "card_restrict": restricted_card,
    "intersect_params": is_set(lambda c: c.a.intersect_params(c.b.params())),
    "identity": is_set(lambda c: c.a.identity()),
    "rename": is_set(lambda c: named(c.a, "Q")),
    "fix": is_set(lambda c: c.a.fix_val(DIM, c.dim, 2)),
    # isl keeps strides in its affine hull; the library's is the affine subspace.
    "affine_hull": lambda c, t: subspace(isl.Set.from_basic_set(c.a.affine_hull())).is_equal(read_answer(c, isl.Set, t)),
    "simple_hull": contains,
    "convex_hull": contains,
    "rows_shadow": contains,
    "rows_empty": lambda c, t: t == "false" or c.a.is_empty(),
    "rows_subtract": one_piece(is_set(lambda c: c.a.subtract(c.b))),
    "simplify": one_piece(is_set(lambda c: c.a)),
    "bounds": one_piece(contains),
    "lattice_hull": lattice,
    "stride": stride,
    "loop_nest": one_piece(loop_nest),
    "dual": one_piece(dual),
    "intersect": is_set(lambda c: c.a.intersect(c.b)),
    "union": is_set(lambda c: c.a.union(c.b)),
    "subtract": is_set(lambda c: c.a.subtract(c.b)),
    "gist": gist,
    "subset": is_bool(lambda c: c.a.is_subset(c.b)),
    "strict_subset": is_bool(lambda c: c.a.is_strict_subset(c.b)),
    "equal": is_bool(lambda c: c.a.is_equal(c.b)),
    "disjoint": is_bool(lambda c: c.a.is_disjoint(c.b)),
    "product": is_set(lambda c: c.a.product(c.b)),
    "flat_product": is_set(lambda c: c.a.flat_product(c.b)),
    "unwrap": is_set(lambda c: c.a.product(c.b).unwrap()),
    "flatten": is_set(lambda c: c.a.product(c.b).flatten()),
    "lex_lt": is_set(lambda c: c.a.lex_lt_set(c.b)),
    "lex_le": is_set(lambda c: c.a.lex_le_set(c.b)),
    "apply": is_set(lambda c: c.a.lex_lt_set(c.b).range()),
    "union_subtract": is_set(lambda c: isl.UnionMap.from_map(c.a.subtract(c.b).identity())),
}

MAP_CHECKS = {
    "same": is_set(lambda c: c.a),
    "reverse": is_set(lambda c: c.a.reverse()),
    "rows": is_set(lambda c: c.a),
    "domain": is_set(lambda c: c.a.domain()),
    # isl keeps strides in its affine hull; the library's is the affine subspace, its lattice hull has all strides.
    "affine_hull": lambda c, t: subspace(map_affine_hull(c)).is_equal(read_answer(c, isl.Map, t)),
    "lattice_hull": map_lattice_hull,
    "intersect_params": is_set(lambda c: c.a.intersect_params(c.dom.params())),
    "range": is_set(lambda c: c.a.range()),
    "lexmin": lexopt("lexmin"),
    "lexmax": lexopt("lexmax"),
    "coalesce": is_set(lambda c: c.a),
    "compute_divs": is_set(lambda c: c.a),
    "divs_of_disjoint": disjoint_pieces,
    "make_disjoint": disjoint_pieces,
    "empty": is_bool(lambda c: c.a.is_empty()),
    "single_valued": is_bool(lambda c: c.a.is_single_valued()),
    "injective": is_bool(lambda c: c.a.is_injective()),
    "bijective": is_bool(lambda c: c.a.is_bijective()),
    "function": lexopt("lexmin"),
    "project_in": no_tuple(lambda c: c.a.project_out(IN, 0, 1)),
    "project_out": no_tuple(lambda c: c.a.project_out(OUT, 0, 1)),
    "card": card,
    "card_text": lambda c, t: card_text(c, t, c.count),
    "deltas": square(is_set(lambda c: c.a.deltas())),
    "deltas_map": square(is_set(lambda c: c.a.deltas_map())),
    "square": square(is_set(lambda c: c.a.apply_range(c.a))),
    "power_minus_2": square(is_set(lambda c: c.a.reverse().apply_range(c.a.reverse()))),
    "intersect": is_set(lambda c: c.a.intersect(c.b)),
    "union": is_set(lambda c: c.a.union(c.b)),
    "subtract": is_set(lambda c: c.a.subtract(c.b)),
    "gist": gist,
    "subset": is_bool(lambda c: c.a.is_subset(c.b)),
    "strict_subset": is_bool(lambda c: c.a.is_strict_subset(c.b)),
    "equal": is_bool(lambda c: c.a.is_equal(c.b)),
    "disjoint": is_bool(lambda c: c.a.is_disjoint(c.b)),
    "apply_range": is_set(lambda c: c.a.apply_range(c.next)),
    "apply_domain": is_set(lambda c: c.a.apply_domain(c.b)),
    "intersect_domain": is_set(lambda c: c.a.intersect_domain(c.dom)),
    "intersect_range": is_set(lambda c: c.a.intersect_range(c.ran)),
    "apply": is_set(lambda c: c.dom.apply(c.a)),
    "wrap": is_set(lambda c: c.a.wrap()),
    "rename": is_set(lambda c: c.a.set_tuple_name(IN, "P").set_tuple_name(OUT, "Q")),
    "product": is_set(lambda c: c.a.product(c.next)),
    "flat_product": is_set(lambda c: c.a.flat_product(c.next)),
    "range_product": is_set(lambda c: c.a.range_product(c.b)),
    "flat_range_product": is_set(lambda c: c.a.flat_range_product(c.b)),
    "domain_product": is_set(lambda c: c.a.domain_product(c.b)),
    "flatten": is_set(lambda c: c.a.product(c.next).flatten()),
    "zip": is_set(lambda c: c.a.product(c.next).zip()),
    "curry": is_set(lambda c: c.a.domain_product(c.b).curry()),
    "uncurry": is_set(lambda c: c.a.range_product(c.b).uncurry()),
    "domain_map": is_set(lambda c: c.a.domain_map()),
    "range_map": is_set(lambda c: c.a.range_map()),
}

VIEWS = {"set": Sets, "map": Maps, "function": functionoracle.Functions, "union": functionoracle.Unions}
CHECKS = {
    "set": SET_CHECKS,
    "map": MAP_CHECKS,
    "function": functionoracle.FUNCTION_CHECKS,
    "union": functionoracle.UNION_CHECKS,
}
# isl's own effort per operation; beyond it the case has no answer to compare with.
OPERATIONS = 25_000


# What isl says where it has no answer of its own: functions of one union must have disjoint domains.
NO_ANSWER = ["maximal number of operations", "invalid arg", "overlapping domain with other part"]


def right(view, op, answer):
    """True, False or SKIP within isl's present limit of operations."""
    isl.DEFAULT_CONTEXT.reset_operations()
    try:
        return CHECKS[view.kind][op](view, answer)
    except isl.Error as e:
        if any(reason in str(e) for reason in NO_ANSWER):
            return SKIP
        raise


def verdict(view, op, answer):
    """`ok`, `skip` (isl gave up or has no answer), `limit`, `panic`, or `wrong`."""
    if answer in ("limit", "panic"):
        return answer
    ctx = isl.DEFAULT_CONTEXT
    try:
        good = right(view, op, answer)
    except isl.Error:
        good = False
    if not good:
        # Under a spent limit some of isl's functions answer something else than an error, and change their operand:
        # only what stays of operands read anew counts.
        ctx.reset_operations()
        ctx.set_max_operations(50 * OPERATIONS)
        try:
            good = right(view_of(view.line), op, answer)
        except isl.Error as e:
            return f"wrong: {e}"
        finally:
            ctx.set_max_operations(OPERATIONS)
    return "skip" if good == SKIP else "ok" if good else "wrong"


def expected(line, op):
    """isl's answer as text, or `any` where a property is checked and not a value."""
    try:
        view = view_of(line)
        want = getattr(CHECKS[view.kind][op], "want", None)
        return want(view) if want else "any"
    except isl.Error:
        return "any"


def view_of(line):
    """isl's view of a case's line."""
    kind, *fields = line.split("\t")
    # The last case may have spent isl's operations.
    isl.DEFAULT_CONTEXT.reset_operations()
    v = VIEWS[kind](fields)
    v.kind, v.line = kind, line
    return v


# Operations by class, as the table shows them. An operation that is not listed is a class of its own.
CLASSES = {
    "text": ["same"],
    "boolean algebra": ["intersect_params", "union", "intersect", "subtract", "complement", "union_subtract"],
    "comparison": ["subset", "strict_subset", "equal", "disjoint"],
    "emptiness, points": ["empty", "sample", "points", "bounded"],
    "projection": ["project", "params", "domain", "range", "project_in", "project_out"],
    "composition": ["apply", "apply_range", "apply_domain", "intersect_domain", "intersect_range", "square", "power_minus_2", "reverse"],
    "tuples": ["product", "flat_product", "range_product", "flat_range_product", "domain_product", "unwrap", "wrap", "flatten", "zip",
               "curry", "uncurry", "rename", "identity", "fix", "domain_map", "range_map"],
    "differences, order": ["deltas", "deltas_map", "lex_lt", "lex_le"],
    "lexicographic optima": ["lexmin", "lexmax", "function"],
    "optima": ["min", "max"],
    "simplification": ["gist", "coalesce", "simplify", "compute_divs", "divs_of_disjoint", "make_disjoint"],
    "functions": ["neg", "scale", "add_constant", "floor_div", "ceil_div", "modulo", "add", "sub", "smaller", "larger", "or_else",
                  "union_add", "union_min", "union_max", "restrict", "defined", "multi_same", "multi_scale", "multi_component",
                  "multi_add", "multi_sub", "multi_union_add", "multi_range_product", "multi_flat_range_product", "multi_coalesce"],
    "functions: composition": ["pullback", "multi_pullback", "multi_preimage"],
    "functions: comparison": ["eq_set", "ne_set", "lt_set", "le_set", "gt_set", "ge_set", "multi_eq_set", "multi_lex_lt", "multi_lex_le"],
    "functions and maps": ["graph", "from_graph", "multi_graph", "multi_from_graph", "dim_min", "dim_max", "least_point",
                           "greatest_point", "map_function"],
    "unions of spaces": [op for op in functionoracle.UNION_CHECKS if op != "map_function"],
    "strides": ["lattice_hull", "stride"],
    "rows": ["rows", "rows_shadow", "rows_empty", "rows_subtract"],
    "loop bounds": ["bounds", "loop_nest"],
    "hulls, dual": ["affine_hull", "simple_hull", "convex_hull", "dual"],
    "map properties": ["single_valued", "injective", "bijective"],
    "cardinality": ["card", "card_text", "card_add", "card_sub", "card_mul", "card_scale", "card_restrict"],
}


CLASS_OF = {op: name for name, ops in CLASSES.items() for op in ops}


def classes(counts):
    """(class, its keys `kind operation` in `counts`), in the order of CLASSES."""
    out = {name: [] for name in CLASSES}
    for key in sorted(counts):
        op = key.split(" ", 1)[1]
        out.setdefault(CLASS_OF.get(op, op), []).append(key)
    return [(name, keys) for name, keys in out.items() if keys]
