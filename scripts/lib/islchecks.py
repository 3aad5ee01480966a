"""Checks of one answer that several kinds of cases share."""
import islpy as isl

SKIP = "skip"
DIM, PARAM, IN, OUT = isl.dim_type.set, isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


def operand(view, name):
    """An operand of a case, read when a check first asks for it: `view.read` has its type and text."""
    if name == "read" or name not in view.read:
        raise AttributeError(name)
    kind, text = view.read[name]
    ctx = isl.DEFAULT_CONTEXT
    limit = ctx.get_max_operations()
    ctx.set_max_operations(0)
    value = kind(text)
    ctx.set_max_operations(limit)
    setattr(view, name, value)
    return value


def is_set(want):
    """Checks that the answer is the set (or map) that `want` computes."""
    def check(c, text):
        expected = want(c)
        if isinstance(expected, (isl.BasicSet, isl.BasicMap)):
            expected = expected.to_set() if isinstance(expected, isl.BasicSet) else expected.to_map()
        return type(expected)(text).is_equal(expected)
    check.want = lambda c: want(c).to_str()
    return check


def is_bool(want):
    """Checks that the answer is the truth value that `want` computes."""
    check = lambda c, text: text == check.want(c)
    check.want = lambda c: "true" if want(c) else "false"
    return check


def lexopt(name):
    def check(c, text):
        try:
            want = getattr(c.a, name)()
        except isl.Error:
            return SKIP
        return type(want)(text).is_equal(want)
    return check
