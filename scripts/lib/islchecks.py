"""Checks of one answer that several kinds of cases share."""
import islpy as isl
import islrows

SKIP = "skip"
DIM, PARAM, IN, OUT = isl.dim_type.set, isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out


def read(kind, text):
    """An object from its text, whatever is left of isl's operations: under a spent limit reading fails like a syntax error."""
    ctx = isl.DEFAULT_CONTEXT
    limit = ctx.get_max_operations()
    ctx.set_max_operations(0)
    try:
        return kind(text)
    finally:
        ctx.set_max_operations(limit)


def operand(view, name):
    """An operand of a case, read when a check first asks for it: `view.read` has its type and text."""
    if name in ("read", "answers") or name not in view.read:
        raise AttributeError(name)
    value = read(*view.read[name])
    setattr(view, name, value)
    return value


def read_answer(view, kind, text):
    """An answer of the library, read once: operations of one case often have the same answer."""
    known = view.__dict__.setdefault("answers", {})
    if (kind, text) not in known:
        known[kind, text] = read(of_rows(kind) if text.startswith(islrows.PREFIX) else kind, text)
    return known[kind, text]


def of_rows(kind):
    """A reader of rows: a function's are those of its graph."""
    return lambda text: islrows.read_rows(text, kind in (isl.UnionSet, isl.UnionMap, isl.UnionPwAff, isl.UnionPwMultiAff))


def is_set(want):
    """Checks that the answer is the set (or map) that `want` computes."""
    def check(c, text):
        expected = want(c)
        if isinstance(expected, (isl.BasicSet, isl.BasicMap)):
            expected = expected.to_set() if isinstance(expected, isl.BasicSet) else expected.to_map()
        return read_answer(c, type(expected), text).is_equal(expected)
    check.want = lambda c: want(c).to_str()
    return check


def is_bool(want):
    """Checks that the answer is the truth value that `want` computes."""
    check = lambda c, text: text == check.want(c)
    check.want = lambda c: "true" if want(c) else "false"
    return check


def unless_unbounded(find, text):
    """isl's optimum, or the verdict on an answer where isl has none: that must say so, too."""
    try:
        return find(), None
    except isl.Error as e:
        return None, text == "unbounded" if "unbounded" in str(e) else SKIP


def lexopt(name):
    def check(c, text):
        want, verdict = unless_unbounded(getattr(c.a, name), text)
        if want is None:
            return verdict
        got = read_answer(c, type(want), text)
        return got.is_equal(want) if type(got) is type(want) else got.is_equal(want.as_map())
    return check
