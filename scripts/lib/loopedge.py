"""What lies at the boundary of what may be moved, drawn into programs of loopgen: counters and subscripts that wrap around, sizes that
are truncated, arrays that start between two elements or overlap by part of one, checks that fail in the middle of a nest."""
import random

from loopgen import (INDICES, PARAMETERS, Access, Affine, Around, Assign, Expr, Fail, HALVING, Idiom, If, Loop, Pixel, Turns, Walk, Wrapped,
                     accesses, bodies, with_indices)

NARROW = ["uint8_t", "int8_t", "uint16_t", "int16_t"]
WIDE = ["unsigned", "size_t"]  # their subtractions wrap: only where nothing else is compared with the counter
# In a language's own words; `{j}` is a counter of an outer loop. The first array is written.
IDIOMS = {
    "rust": [
        "for (x, y) in {0}.iter_mut().zip({1}.iter()) {{ *x = *x {op} *y; }}",
        "for (i, w) in {1}.windows(3).enumerate() {{ {0}[i] = w[0] {op} w[1] {op} w[2]; }}",
        "for (x, w) in {0}.iter_mut().zip({1}.windows({k})) {{ *x = w[0] {op} w[{k} - 1]; }}",
        "for (row, y) in {0}.chunks_exact_mut({k}).zip({1}.iter()) {{ for x in row.iter_mut() {{ *x = *x {op} *y; }} }}",
        "for (c, d) in {0}.chunks_exact_mut({k}).zip({1}.chunks_exact({k})) {{ for i in 0..{k} {{ c[i] = c[i] {op} d[{k} - 1 - i]; }} }}",
        "for (c, d) in {0}.chunks_mut({k}).zip({1}.chunks({k})) {{ c[0] = c[0] {op} d[d.len() - 1]; }}",
        "for c in {0}.chunks_exact_mut({k}) {{ c[{k} - 1] = c[0] {op} {1}[{j} as usize]; }}",
        "{0}[{j} as usize] = {1}.iter().zip({1}.iter().rev()).map(|(x, y)| *x {op} *y).fold({0}[{j} as usize], |s, x| s + x);",
        "{0}[{j} as usize] = {1}.iter().skip({k}).step_by(2).fold({0}[0], |s, x| s {op} *x);",
        "{{ let l = {0}.len().min({1}.len()); {0}[..l].copy_from_slice(&{1}[..l]); }}",
        "for (i, x) in {0}.iter_mut().enumerate().skip({k}) {{ *x = {1}[i - {k}] {op} *x; }}",
        "{{ let h = {0}.len() / 2; let (a, b) = {0}.split_at_mut(h); for i in 0..h {{ a[i] = b[i] {op} {1}[i]; }} }}",
        "for x in {0}[{k}..].iter_mut() {{ *x = *x {op} {1}[{j} as usize]; }}",
        "for i in 0..={1}.len() {{ {0}[i] = {0}[i] {op} {1}[i]; }}",
    ],
    "c++": [
        "for (auto &x : {0}) x = (T)(W(x) {op} W({1}.at({j})));",
        "std::transform({1}.begin(), {1}.begin() + std::min({0}.size(), {1}.size()), {0}.begin(), {0}.begin(), "
        "[](T x, T y) {{ return (T)(W(x) {op} W(y)); }});",
        "{0}.at({j}) = std::accumulate({1}.begin(), {1}.end(), {0}.at({j}), [](T s, T x) {{ return (T)(W(s) {op} W(x)); }});",
        "std::copy({1}.begin(), {1}.begin() + std::min({0}.size(), {1}.size()), {0}.begin());",
        "for (std::size_t i = 0; i < {1}.size(); i++) {0}.at(i) = (T)(W({0}.at(i)) {op} W({1}.at(i)));",
        "for (std::size_t i = {k}; i-- > 0;) {0}.at(i) = (T)(W({1}.at(i)) {op} W({0}.front()));",
        "std::for_each({0}.begin(), {0}.end(), [&](T &x) {{ x = (T)(W(x) {op} W({1}.at({j}))); }});",
    ],
}


def drawn(program):
    """The program, changed here and there."""
    r = random.Random(f"edge {program.language} {program.seed}")
    loops = [body[i] for body, i in program.nodes() if isinstance(body[i], Loop)]
    if r.random() < 0.5:
        counters(program, loops, r)
    if r.random() < 0.3:
        subscripts(program, r)
    if r.random() < 0.25:
        bounds(loops, r)
    if r.random() < 0.25 and max(program.ranks.values()) < 3:
        around(program, r)
    if r.random() < 0.35:
        failure(program, r)
    if r.random() < 0.2:
        program.element = r.choice(["unsigned char", "int", "short", "signed char", "float"])
    places(program, r)
    for _ in range(r.choice([0, 0, 1, 1, 2]) if program.language in IDIOMS else 0):
        idiom(program, r)
    checks(program, r)
    return program


def counters(program, loops, r):
    """Narrow counters, and counters without a sign."""
    used = {name for loop in loops for form in [loop.low, *loop.high] for name in names_of(form)}
    used |= {name for b, i in program.nodes() if isinstance(b[i], If) and b[i].form for name in names_of(b[i].form)}
    ranges = {p: (v, v) for p, v in program.values.items()}
    for loop in loops:
        if loop.step == HALVING or r.random() < 0.4:
            continue
        known = all(n in ranges for f in [loop.low, *loop.high] for n in names_of(f))
        safe = known and loop.low.interval(ranges)[0] >= 0 and all(f.interval(ranges)[0] >= 0 for f in loop.high)
        if safe and not loop.down and loop.var not in used and not isinstance(loop, (Turns, Walk)) and r.random() < 0.3:
            loop.kind = r.choice(WIDE)
        else:
            loop.kind = r.choice(["int8_t", "int16_t"] if loop.down else NARROW)
    meet_no_wider(program)


def meet_no_wider(program):
    """Counters that wrap around at 32 bits have 64 where a subscript has others of 64: it would keep what is wrapped."""
    kinds = {b[i].var: b[i] for b, i in program.nodes() if isinstance(b[i], Loop)}
    forms = [names_of(s) for b, i in program.nodes() for a in with_indices(accesses(b[i])) for s in a.subscripts]
    changed = True
    while changed:
        changed = False
        for names in forms:
            met = [kinds[n] for n in names if n in kinds]
            if any(loop.kind in ("long", "size_t") for loop in met):
                for loop in met:
                    changed |= loop.kind == "unsigned"
                    loop.kind = "size_t" if loop.kind == "unsigned" else loop.kind


def names_of(form):
    """The names in a form."""
    if isinstance(form, (Affine, Pixel)):
        return set(form.terms)
    if isinstance(form, Wrapped):
        return set(form.form.terms)
    return {form.name} if hasattr(form, "name") else {n for s in form.element.subscripts for n in names_of(s)}


def subscripts(program, r):
    """One or two subscripts through a narrow type."""
    found = [a for b, i in program.nodes() if not isinstance(b[i], (Turns, Walk, Idiom)) for a in accesses(b[i])]
    found = [a for a in found if a.array[0] == "A" and len(a.subscripts) < 3]
    for access in r.sample(found, min(len(found), r.choice([1, 1, 2]))):
        k = r.randrange(len(access.subscripts))
        if isinstance(access.subscripts[k], Affine):
            form, signed = access.subscripts[k], r.random() < 0.5
            access.subscripts[k] = Wrapped(form.shifted(r.choice([0, 0, 100, 128, 250, 256, -3])), 8, signed)


def bounds(loops, r):
    """An upper bound through a narrow type, with the same value as before."""
    if plain := [l for l in loops if len(l.high) == 1 and isinstance(l.high[0], Affine) and set(l.high[0].terms) <= set(PARAMETERS)]:
        loop, bits = r.choice(plain), r.choice([8, 16])
        signed = r.random() < 0.4
        high = loop.high[0]
        high = high if signed or high.constant >= -2 else high.shifted(-high.constant)
        loop.high = [Wrapped(high.shifted(r.choice([0, 1 << bits, 3 << bits])), bits, signed)]


def around(program, r):
    """A loop through zero, in place of nothing: around or beside what there is."""
    var = f"i{sum(isinstance(b[i], Loop) for b, i in program.nodes()) + 50}"
    known = [a for a in sorted(program.ranks) if a[0] == "A"]
    element = lambda: (lambda a: Access(a, [Affine({var: 1} if d == 0 else {}, r.choice([0, 1])) for d in range(program.ranks[a])]))(r.choice(known))
    body = [Assign(element(), r.choice(["", "+"]), Expr(r.choice("+*-"), [element(), element()]))]
    program.body.insert(r.randint(0, len(program.body)), Around(var, r.choice([200, 250, 255]), Affine({r.choice(PARAMETERS): 1}), body))


def failure(program, r):
    """A way out of some loop, by data or by counters."""
    places_ = [(body, inside) for node in program.body if isinstance(node, Loop) and not isinstance(node, (Turns, Walk, Around))
               for body, inside in bodies(node, []) if inside]
    if not places_:
        return
    body, inside = r.choice(places_)
    known = [a for a in sorted(program.ranks) if a[0] == "A"]
    name = r.choice(known)
    data = Access(name, [Affine({r.choice(inside): 1}, 0) for _ in range(program.ranks[name])])
    form = Affine({r.choice(inside): 1, r.choice(PARAMETERS): -1}, r.choice([1, 2, 3, 0, -2]))
    guard = If(form, r.choice(["> 0", "== 0", ">= 0"]), None, []) if r.random() < 0.6 else If(None, r.choice(["> (T)13", "> (T)200"]), data, [])
    guard.body.append(Fail(r.randint(2, 99)))
    body.insert(r.randint(0, len(body)), guard)


def places(program, r):
    """Where arrays start: between two elements, and, where every byte will do, one by part of an element behind another."""
    if program.shape == "global" or r.random() < 0.6:
        return
    program.shift = r.choice([1, 2, 4, 4, 4])
    whole = program.element not in ("double", "float")
    if program.overlap and whole and r.random() < 0.7:
        program.apart = r.choice([1, 2, 3])


def idiom(program, r):
    """A loop in the language's own words over two arrays of one dimension, alone or in a loop."""
    names = [f"Y{k}" for k in range(3)]
    program.ranks |= {a: 1 for a in names}
    text, var = r.choice(IDIOMS[program.language]), f"i{90 + len(program.body)}"
    text = text.replace("{op}", r.choice("+-*")).replace("{k}", str(r.choice([1, 2, 3, 5])))
    arrays = r.sample(names, 2)
    loop = Loop(var, Affine({}, 0), [Affine({r.choice(PARAMETERS): 1})], 1, False, "int", [])
    loop.body.append(Idiom(arrays, text.replace("{j}", var)))
    element = lambda a: Access(a, [Affine({var: 1}, 0)])
    # These give the arrays their lengths too.
    loop.body.append(Assign(element(arrays[0]), r.choice(["", "+"]), Expr(r.choice("+-"), [element(arrays[1]), element(names[2])])))
    program.body.insert(r.randint(0, len(program.body)), loop)


def checks(program, r):
    """Arrays whose subscripts are checked; some are too short, so that a check fails."""
    known = [a for a in sorted(program.ranks) if a[0] in "AVWYX" and a in program.layout()]
    if program.language != "rust" and r.random() < 0.6 or not known:
        return
    lacking = r.random() < 0.5
    for name in known:
        if r.random() < 0.6:
            program.checked[name] = r.choice([0, 1, 1, 2, 5]) if lacking and name != INDICES else 0
