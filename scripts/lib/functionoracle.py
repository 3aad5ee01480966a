"""What isl says about functions and unions: the checks of setoracle for these kinds of cases."""
import islpy as isl
from islchecks import DIM, SKIP, is_bool, is_set, operand, read_answer, unless_unbounded


def complementary(text):
    """True if a second piece begins with the negation of the first one's only constraint, as in a generated case."""
    first, _, second = text.partition("; ")
    test = first.partition(" : ")[2]
    return bool(test) and "; " not in second and f" : not ({test})" in second


def unambiguous(kind):
    """Reads a function. Where pieces overlap the two libraries choose differently: not a case."""
    def read(text):
        if not complementary(text) and text.count("->") > 2 and not isl.Map(text).is_single_valued():
            raise isl.Error("overlapping pieces")
        return kind(text)
    return read


class Functions:
    def __init__(self, fields):
        scalar, multi = unambiguous(isl.PwAff), unambiguous(isl.PwMultiAff)
        types = [scalar, scalar, multi, multi, isl.Set]
        self.read = dict(zip(["f", "g", "p", "q", "dom"], zip(types, fields)))
        self.number, self.divisor = isl.Val(fields[5]), isl.Val(fields[6])

    def __getattr__(self, name):
        return operand(self, name)


class Unions:
    def __init__(self, fields):
        types = [isl.UnionSet, isl.UnionSet, isl.UnionMap, isl.UnionMap,
                 isl.UnionPwAff, isl.UnionPwAff, isl.UnionPwMultiAff, isl.UnionPwMultiAff]
        self.read = dict(zip(["a", "b", "m", "n", "f", "g", "p", "q"], zip(types, fields)))
        self.number, self.divisor = isl.Val(fields[8]), isl.Val(fields[9])

    def __getattr__(self, name):
        return operand(self, name)


def is_function(want):
    """Checks that the answer is the function that `want` computes: the same graph."""
    def check(c, text):
        expected = want(c)
        if text.endswith("{  }"):
            return expected.domain().is_empty()
        got = read_answer(c, type(expected), text)
        return (got if isinstance(got, isl.Map) else got.as_map()).is_equal(expected.as_map())
    check.want = lambda c: want(c).as_map().to_str()
    return check


def of_parameters(c, text, extreme):
    """The function of the parameters whose value is the optimum of dim 0."""
    one = c.dom.project_out(DIM, 1, c.dom.dim(DIM) - 1).reset_tuple_id()
    want, verdict = unless_unbounded(getattr(one, extreme), text)
    return verdict if want is None else as_set(c, text, want)


def as_set(c, text, want):
    if text.endswith("{  }"):
        return want.is_empty()
    got = read_answer(c, isl.PwMultiAff, text)
    # The graph of a function of the parameters alone is a map from the tuple without a name and dims.
    return (got.range() if isinstance(got, isl.Map) else got.as_set()).is_equal(want)


def point(extreme):
    def check(c, text):
        want, verdict = unless_unbounded(getattr(c.dom, extreme), text)
        return verdict if want is None else as_set(c, text, want)
    return check


def or_else(c):
    return c.f.union_add(c.g.subtract_domain(c.f.domain()))


def compared(name):
    return is_set(lambda c: getattr(c.f, name)(c.g))


def lexicographic(or_equal):
    """The arguments whose two values are in order, by way of the graphs."""
    def want(c):
        p, q = c.p.as_map(), c.q.as_map()
        less = isl.Map.lex_lt(p.get_space().range()) if not or_equal else isl.Map.lex_le(p.get_space().range())
        return p.range_product(q).intersect_range(less.wrap()).domain()
    return is_set(want)


FUNCTION_CHECKS = {
    "same": is_function(lambda c: c.f),
    "neg": is_function(lambda c: c.f.neg()),
    "scale": is_function(lambda c: c.f.scale_val(c.number)),
    "add_constant": is_function(lambda c: c.f.add_constant_val(c.number)),
    "floor_div": is_function(lambda c: c.f.scale_down_val(c.divisor).floor()),
    "ceil_div": is_function(lambda c: c.f.scale_down_val(c.divisor).ceil()),
    "modulo": is_function(lambda c: c.f.mod_val(c.divisor)),
    "add": is_function(lambda c: c.f.add(c.g)),
    "sub": is_function(lambda c: c.f.sub(c.g)),
    "smaller": is_function(lambda c: c.f.min(c.g)),
    "larger": is_function(lambda c: c.f.max(c.g)),
    "or_else": is_function(or_else),
    "union_add": is_function(lambda c: c.f.union_add(c.g)),
    "union_min": is_function(lambda c: c.f.union_min(c.g)),
    "union_max": is_function(lambda c: c.f.union_max(c.g)),
    "coalesce": is_function(lambda c: c.f),
    "restrict": is_function(lambda c: c.f.intersect_domain(c.dom)),
    "defined": is_set(lambda c: c.f.domain()),
    "graph": is_set(lambda c: c.f.as_map()),
    "from_graph": is_function(lambda c: c.f),
    "pullback": is_function(lambda c: c.f.pullback_pw_multi_aff(c.p)),
    "dim_min": lambda c, t: of_parameters(c, t, "lexmin"),
    "dim_max": lambda c, t: of_parameters(c, t, "lexmax"),
    "least_point": point("lexmin"),
    "greatest_point": point("lexmax"),
    "eq_set": compared("eq_set"),
    "ne_set": compared("ne_set"),
    "lt_set": compared("lt_set"),
    "le_set": compared("le_set"),
    "gt_set": compared("gt_set"),
    "ge_set": compared("ge_set"),
    "multi_eq_set": is_set(lambda c: c.p.as_map().intersect(c.q.as_map()).domain()),
    "multi_lex_lt": lexicographic(False),
    "multi_lex_le": lexicographic(True),
    "multi_same": is_function(lambda c: c.p),
    "multi_scale": is_function(lambda c: c.p.scale_val(c.number)),
    "multi_component": is_function(lambda c: c.p.get_pw_aff(0)),
    "multi_add": is_function(lambda c: c.p.add(c.q)),
    "multi_sub": is_function(lambda c: c.p.sub(c.q)),
    "multi_union_add": is_function(lambda c: c.p.union_add(c.q)),
    "multi_range_product": is_function(lambda c: c.p.range_product(c.q)),
    "multi_flat_range_product": is_function(lambda c: c.p.flat_range_product(c.q)),
    "multi_pullback": is_function(lambda c: c.p.pullback_pw_multi_aff(c.q)),
    "multi_coalesce": is_function(lambda c: c.p),
    "multi_preimage": is_set(lambda c: c.p.as_map().intersect_range(c.dom).domain()),
    "multi_graph": is_set(lambda c: c.p.as_map()),
    "multi_from_graph": is_function(lambda c: c.p),
}


def union_optimum(find):
    def check(c, text):
        want, verdict = unless_unbounded(lambda: find(c), text)
        if want is None:
            return verdict
        return read_answer(c, type(want), text).is_equal(want)
    return check


def union_gist(c, text):
    """Members outside the context become empty here and stay in isl."""
    got = read_answer(c, isl.UnionSet, text)
    return got.intersect(c.b).is_equal(c.a.intersect(c.b))


def union_graph(f):
    """The graph of a union of functions."""
    return isl.UnionMap.from_union_pw_aff(f) if isinstance(f, isl.UnionPwAff) else isl.UnionMap.from_union_pw_multi_aff(f)


def is_union_function(want):
    """Checks that the answer is the union of functions that `want` computes: the same graph."""
    def check(c, text):
        expected = want(c)
        got = read_answer(c, type(expected), text)
        return (got if isinstance(got, isl.UnionMap) else union_graph(got)).is_equal(union_graph(expected))
    check.want = lambda c: union_graph(want(c)).to_str()
    return check


def where_difference(relation):
    """The points at which `f - g` has a value as `relation` says, such as `>= 0`."""
    values = isl.UnionSet(f"{{ [x] : x {relation} }}")
    return is_set(lambda c: union_graph(c.f.sub(c.g)).intersect_range(values).domain())


def extreme(name):
    """`f` or `g` where it alone is defined, the smaller or larger of them where both are."""
    def want(c):
        f, g = union_graph(c.f), union_graph(c.g)
        both = f.domain().intersect(g.domain())
        values = f.union(g)
        best = values.lexmin() if name == "min" else values.lexmax()
        return best.intersect_domain(both).union(values.subtract_domain(both))
    return is_set(want)


UNION_FUNCTION_CHECKS = {
    "union_f_same": is_union_function(lambda c: c.f),
    "union_f_add": is_union_function(lambda c: c.f.add(c.g)),
    "union_f_sub": is_union_function(lambda c: c.f.sub(c.g)),
    "union_f_scale": is_union_function(lambda c: c.f.scale_val(c.number)),
    "union_f_union_add": is_union_function(lambda c: c.f.union_add(c.g)),
    "union_f_union_min": extreme("min"),
    "union_f_union_max": extreme("max"),
    "union_f_or_else": is_union_function(lambda c: c.f.union_add(c.g.subtract_domain(c.f.domain()))),
    "union_f_floor_div": is_union_function(lambda c: c.f.scale_down_val(c.divisor).floor()),
    "union_f_modulo": is_union_function(lambda c: c.f.mod_val(c.divisor)),
    "union_f_domain": is_set(lambda c: c.f.domain()),
    "union_f_restrict": is_union_function(lambda c: c.f.intersect_domain(c.a)),
    "union_f_pullback": is_union_function(lambda c: c.f.pullback_union_pw_multi_aff(c.p)),
    "union_f_coalesce": is_union_function(lambda c: c.f),
    "union_f_from_map": is_union_function(lambda c: c.f),
    "union_f_eq_set": where_difference("= 0"),
    "union_f_ge_set": where_difference(">= 0"),
    "union_f_lt_set": where_difference("< 0"),
    "union_p_same": is_union_function(lambda c: c.p),
    "union_p_add": is_union_function(lambda c: c.p.add(c.q)),
    "union_p_sub": is_union_function(lambda c: c.p.sub(c.q)),
    "union_p_scale": is_union_function(lambda c: c.p.scale_val(c.number)),
    "union_p_union_add": is_union_function(lambda c: c.p.union_add(c.q)),
    "union_p_domain": is_set(lambda c: c.p.domain()),
    "union_p_restrict": is_union_function(lambda c: c.p.intersect_domain(c.a)),
    "union_p_pullback": is_union_function(lambda c: c.p.pullback_union_pw_multi_aff(c.q)),
    "union_p_coalesce": is_union_function(lambda c: c.p),
    "union_p_from_map": is_union_function(lambda c: c.p),
    "union_p_identity": is_union_function(lambda c: c.a.identity_union_pw_multi_aff()),
}


UNION_CHECKS = {
    **UNION_FUNCTION_CHECKS,
    "set_strict_subset": is_bool(lambda c: c.a.is_strict_subset(c.b)),
    "set_intersect_params": is_set(lambda c: c.a.intersect_params(c.b.params())),
    "map_strict_subset": is_bool(lambda c: c.m.is_strict_subset(c.n)),
    "map_intersect_params": is_set(lambda c: c.m.intersect_params(c.b.params())),
    "map_lexmax": union_optimum(lambda c: c.m.lexmax()),
    "map_gist": lambda c, t: read_answer(c, isl.UnionMap, t).intersect(c.n).is_equal(c.m.intersect(c.n)),
    "set_product": is_set(lambda c: c.a.product(c.b)),
    "set_unwrap": is_set(lambda c: c.a.product(c.b).unwrap()),
    "set_lex_lt": is_set(lambda c: c.a.lex_lt_union_set(c.b)),
    "set_lex_le": is_set(lambda c: c.a.lex_le_union_set(c.b)),
    "map_deltas_map": is_set(lambda c: c.m.deltas_map()),
    "map_fixed_power": is_set(lambda c: c.m.fixed_power_val(isl.Val(2))),
    "map_wrap": is_set(lambda c: c.m.wrap()),
    "map_product": is_set(lambda c: c.m.product(c.n)),
    "map_range_product": is_set(lambda c: c.m.range_product(c.n)),
    "map_zip": is_set(lambda c: c.m.product(c.n).zip()),
    "map_curry": is_set(lambda c: c.m.product(c.n).curry()),
    "map_uncurry": is_set(lambda c: c.m.range_product(c.n).uncurry()),
    "map_domain_map": is_set(lambda c: c.m.domain_map()),
    "map_range_map": is_set(lambda c: c.m.range_map()),
    "map_lex_lt": is_set(lambda c: c.m.lex_lt_union_map(c.n)),
    "map_lex_le": is_set(lambda c: c.m.lex_le_union_map(c.n)),
    "map_single_valued": is_bool(lambda c: c.m.is_single_valued()),
    "map_injective": is_bool(lambda c: c.m.is_injective()),
    "map_bijective": is_bool(lambda c: c.m.is_bijective()),
    "map_deltas": is_set(lambda c: c.m.deltas()),
    "set_same": is_set(lambda c: c.a),
    "set_union": is_set(lambda c: c.a.union(c.b)),
    "set_intersect": is_set(lambda c: c.a.intersect(c.b)),
    "set_subtract": is_set(lambda c: c.a.subtract(c.b)),
    "set_subset": is_bool(lambda c: c.a.is_subset(c.b)),
    "set_equal": is_bool(lambda c: c.a.is_equal(c.b)),
    "set_disjoint": is_bool(lambda c: c.a.is_disjoint(c.b)),
    "set_empty": is_bool(lambda c: c.a.is_empty()),
    "set_lexmin": union_optimum(lambda c: c.a.lexmin()),
    "set_lexmax": union_optimum(lambda c: c.a.lexmax()),
    "set_coalesce": is_set(lambda c: c.a),
    "set_gist": union_gist,
    "set_apply": is_set(lambda c: c.a.apply(c.m)),
    "set_params": is_set(lambda c: c.a.params()),
    "set_identity": is_set(lambda c: c.a.identity()),
    "set_pairs": is_set(lambda c: isl.UnionMap.from_domain_and_range(c.a, c.b)),
    "map_same": is_set(lambda c: c.m),
    "map_union": is_set(lambda c: c.m.union(c.n)),
    "map_intersect": is_set(lambda c: c.m.intersect(c.n)),
    "map_subtract": is_set(lambda c: c.m.subtract(c.n)),
    "map_subset": is_bool(lambda c: c.m.is_subset(c.n)),
    "map_equal": is_bool(lambda c: c.m.is_equal(c.n)),
    "map_disjoint": is_bool(lambda c: c.m.is_disjoint(c.n)),
    "map_reverse": is_set(lambda c: c.m.reverse()),
    "map_domain": is_set(lambda c: c.m.domain()),
    "map_range": is_set(lambda c: c.m.range()),
    "map_apply_range": is_set(lambda c: c.m.apply_range(c.n)),
    "map_apply_domain": is_set(lambda c: c.m.apply_domain(c.n)),
    "map_intersect_domain": is_set(lambda c: c.m.intersect_domain(c.a)),
    "map_intersect_range": is_set(lambda c: c.m.intersect_range(c.a)),
    "map_lexmin": union_optimum(lambda c: c.m.lexmin()),
    "map_coalesce": is_set(lambda c: c.m),
    # The text of a union of functions is read as its graph.
    "map_function": union_optimum(lambda c: c.m.lexmin()),
}
