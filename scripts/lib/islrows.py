"""Answers in rows: the library's matrices as isl's objects, without isl's parser in between (crates/presburger/examples/lines/form.rs)."""
import functools

import islpy as isl

COLUMNS = [isl.dim_type.param, isl.dim_type.in_, isl.dim_type.out, isl.dim_type.div, isl.dim_type.cst]
SET_COLUMNS = [c for c in COLUMNS if c != isl.dim_type.in_]
PREFIX = "rows "


def is_map(space_text):
    """Whether a universe's text has two tuples: an arrow outside of brackets."""
    body = space_text[space_text.index("{"):]
    depth, arrow = 0, False
    for k, c in enumerate(body):
        depth += (c == "[") - (c == "]")
        arrow |= depth == 0 and body.startswith("->", k)
    return arrow


@functools.lru_cache(4096)
def space_of(text):
    """(isl's space, its type of piece, its columns) of a universe's text."""
    if is_map(text):
        return isl.Map(text).get_space(), isl.BasicMap, COLUMNS
    return isl.Set(text).get_space(), isl.BasicSet, SET_COLUMNS


@functools.lru_cache(4096)
def number(text):
    return isl.Val(text)


def matrix(text, columns):
    """The matrix of rows `1 0 -2;0 1 3`."""
    rows = text.split(";") if text else []
    m = isl.Mat.alloc(isl.DEFAULT_CONTEXT, len(rows), columns)
    for r, row in enumerate(rows):
        for c, value in enumerate(row.split()):
            m = m.set_element_val(r, c, number(value))
    return m


def part(text):
    """The set or map of one space."""
    universe, *pieces = text.split("|")
    space, kind, columns = space_of(universe)
    visible = sum(space.dim(c) for c in columns[:-2])
    whole = None
    for piece in pieces:
        exists, equalities, inequalities = piece.split(":")
        width = visible + int(exists) + 1
        one = kind.from_constraint_matrices(space, matrix(equalities, width), matrix(inequalities, width), *columns)
        one = one.to_set() if kind is isl.BasicSet else one.to_map()
        whole = one if whole is None else whole.union(one)
    return (isl.Set if kind is isl.BasicSet else isl.Map).empty(space) if whole is None else whole


def read_rows(text, union):
    """The set, map, or, where `union`, the union of several spaces."""
    parts = [part(p) for p in text[len(PREFIX):].split("&")]
    if not union:
        return parts[0]
    whole = None
    for p in parts:
        p = p.to_union_set() if isinstance(p, isl.Set) else p.to_union_map()
        whole = p if whole is None else whole.union(p)
    return whole
