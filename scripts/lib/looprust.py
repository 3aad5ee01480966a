"""Programs of loopgen as a Rust file: slices, vectors, arrays and a matrix behind `Index`, and panics, which are caught and told."""
import math
import random

import loopgen
import loopprint

TYPES = {"double": "f64", "float": "f32", "unsigned": "u32", "int": "i32", "unsigned long": "u64", "unsigned short": "u16",
         "short": "i16", "unsigned char": "u8", "signed char": "i8"}
COUNTERS = {"int": "i32", "long": "i64", "uint8_t": "u8", "int8_t": "i8", "uint16_t": "u16", "int16_t": "i16", "unsigned": "u32",
            "size_t": "usize"}
HEAD = """// Random loop nests, {seeds}; made by scripts/fuzz.
#![allow(warnings)]
use std::ops::{{Index, IndexMut}};
use std::panic::{{catch_unwind, set_hook, AssertUnwindSafe}};

pub struct Matrix<E> {{ pub columns: usize, pub data: Vec<E> }}
impl<E> Index<(usize, usize)> for Matrix<E> {{
    type Output = E;
    fn index(&self, (i, j): (usize, usize)) -> &E {{ &self.data[i * self.columns + j] }}
}}
impl<E> IndexMut<(usize, usize)> for Matrix<E> {{
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut E {{
        assert!(j < self.columns);
        &mut self.data[i * self.columns + j]
    }}
}}

fn hash(name: &str, bits: impl Iterator<Item = u64>) {{
    let step = |h: u64, b: u64| (h ^ b).wrapping_mul(0x100000001b3);
    println!("hash {{name}} {{:016x}}", bits.fold(0xcbf29ce484222325, step));
}}
"""
DATA = """
#[inline(never)]
fn fill_{t}(a: &mut [{t}], salt: i64) {{
    for (i, x) in a.iter_mut().enumerate() {{
        let i = i as i64;
        *x = (((i * 37 + salt * 53 + 11) % 101) as {t}) / (8 as {t}) + (((i * 7 + salt) % 10) as {t}) / (10 as {t});
    }}
}}
// Every NaN counts as the same value: which of two NaNs an operation returns is nobody's promise.
fn hash_{t}(name: &str, a: &[{t}]) {{
    hash(name, a.iter().map(|x| if x == x {{ {bits} }} else {{ 0x7f7f }}));
}}
"""
MAIN = """
fn main() {{
    set_hook(Box::new(|info| println!("{{info}}")));
{calls}}}
"""
KINDS = {1: ["slice", "slice", "vec", "array"], 2: ["slice", "vec", "rows", "rows", "arrays", "arrays", "matrix", "slices"], 3: ["slice", "vec"]}


class Printer(loopprint.Printer):
    """Prints one program. Integers are i64, or i32 in some programs; counters of other types are cast."""

    def __init__(self, program):
        super().__init__(program)
        self.t = TYPES[program.element]
        self.integer = "i32" if program.seed % 3 == 1 else "i64"
        self.written = program.written()
        self.kinds = {a: random.Random(f"{program.seed} {a}").choice(["vec"] if a[0] in "TQ" else KINDS[len(e)])
                      for a, (e, _) in sorted(self.layout.items())}

    def affine(self, form):
        """A form of integers."""
        if isinstance(form, loopgen.Indexed):
            return f"({self.access(form.element)} as {self.integer} + ({form.constant}))"
        if isinstance(form, loopgen.Wrapped):
            narrow = f"{'i' if form.signed else 'u'}{form.bits}"
            return f"({self.affine(form.form)} as {self.integer} as {narrow} as {self.integer} + ({form.constant}))"
        if isinstance(form, loopgen.Pixel):
            return form.text(self.affine)
        if isinstance(form, loopgen.Remainder):
            return f"((({form.name} as {self.integer}) + {form.ahead}) % {form.by} + {form.constant})"
        if isinstance(form, loopgen.Quotient):
            return f"((({form.name} as {self.integer}) + {form.ahead}) / {form.by} + ({form.constant}))"
        parts = [f"{'-' if c < 0 else '+'} {abs(c)} * ({n} as {self.integer})".replace(" 1 * ", " ") for n, c in sorted(form.terms.items())]
        if form.constant or not parts:
            parts.append(f"{'-' if form.constant < 0 else '+'} {abs(form.constant)}")
        return f"({' '.join(parts)})".replace("(+ ", "(")

    def access(self, access):
        """An element, as what holds the array has it."""
        array, offsets = access.array, self.layout[access.array][1]
        kind, subscripts = self.kinds[array], [f"{self.affine(s.shifted(o))} as usize" for s, o in zip(access.subscripts, offsets)]
        if kind == "matrix":
            return f"{array}[({', '.join(subscripts)})]"
        if kind in ("slice", "vec", "array"):
            text = subscripts[0]
            for d, s in enumerate(subscripts[1:], 1):
                text = f"({text}) * {array}_{d} + ({s})"
            subscripts = [text]
        return array + "".join(f"[{s}]" for s in subscripts)

    def expr(self, value):
        """An expression."""
        if isinstance(value, str):
            if value.startswith("(T)"):
                number = value[3:]
                if number[0] == "-":
                    return f"({number}{'f64' if '.' in number else 'i64'} as {self.t})"
                return f"({number}{'f64' if '.' in number else ''} as {self.t})" if number[0].isdigit() else f"({number} as {self.t})"
            return f"{value[2:]}[{value[1:]}_at]" if value.startswith("*w") else value
        if isinstance(value, loopgen.Access):
            return self.access(value)
        args = [self.expr(a) for a in value.args]
        if value.op == "look":
            return f"look_{self.t}(&{args[0]})" if isinstance(value.args[0], loopgen.Access) else args[0]
        if value.op == "max":
            return f"{{ let (x, y) = ({args[0]}, {args[1]}); if x > y {{ x }} else {{ y }} }}".join("()")
        if value.op == "?":
            return f"(if {args[0]} < {args[1]} {{ {args[2]} }} else {{ {args[3]} }})"
        return f"({args[0]} {value.op} {args[1]})"

    def nodes(self, body, depth):
        """The lines of a body."""
        pad, out = "    " * depth, []
        for node in body:
            if isinstance(node, loopgen.Local):
                out.append(f"{pad}let mut {node.name}: {self.t} = {self.expr(node.value)};")
            elif isinstance(node, loopgen.Assign):
                target = self.expr(node.target)
                out.append(f"{pad}{target} {node.op}= {self.expr(node.value)};")
            elif isinstance(node, loopgen.Leave):
                out.append(f"{pad}return;")
            elif isinstance(node, loopgen.Fail):
                out.append(f'{pad}panic!("{node.code}");')
            elif isinstance(node, loopgen.Idiom):
                out.append(pad + node.text.format(*node.arrays))
            elif isinstance(node, loopgen.Move):
                name, step = node.text[1:-1].split(" += ")
                out.append(f"{pad}w{name}_at += {step};")
            elif isinstance(node, loopgen.Break):
                out.append(f"{pad}if {self.expr(node.data)} > (9 as {self.t}) {{ break; }}")
            elif isinstance(node, loopgen.Loop):
                out += self.loop_lines(node, depth)
            else:
                out += [f"{pad}if {self.condition(node)} {{", *self.nodes(node.body, depth + 1), f"{pad}}}"]
        return out

    def loop_lines(self, node, depth):
        """A loop."""
        pad, var, i, kind = "    " * depth, node.var, self.integer, COUNTERS[node.kind]
        body, low, high = self.nodes(node.body, depth + 1), self.affine(node.low), self.affine(node.high[0])
        for f in node.high[1:]:
            high = f"{high}.min({self.affine(f)})"
        before = [f"{pad}let mut w{node.name}_at = 0usize;"] if isinstance(node, loopgen.Walk) else []
        if isinstance(node, loopgen.Turns):
            body += [f"{pad}    std::mem::swap({a}, {b});" for a, b in zip(node.names, node.names[1:])]
        if isinstance(node, loopgen.Around):
            return [f"{pad}let mut {var}: u8 = {low} as u8;", f"{pad}while {var} as {i} != {high} {{", *body,
                    f"{pad}    {var} = {var}.wrapping_add(1);", f"{pad}}}"]
        if node.step == loopgen.HALVING:
            return [f"{pad}let mut {var}: {i} = {high} - 1;", f"{pad}while {var} > {low} {{", *body, f"{pad}    {var} /= 2;", f"{pad}}}"]
        # Ranges of narrow types hold their bounds only where these fit; others are the integers' own.
        if kind not in ("i32", "i64", "usize", "u32") or not node.down and (self.p.seed + len(var)) % 4 == 0:
            first, test, step = (f"{high} - 1", ">=", f"-= {node.step}") if node.down else (low, "<", f"+= {node.step}")
            last = low if node.down else high
            return [*before, f"{pad}let mut {var}: {i} = {first};", f"{pad}while {var} {test} {last} {{", *body,
                    f"{pad}    {var} {step};", f"{pad}}}"]
        ends = f"({low} as {kind}..{high} as {kind})" if kind == "usize" or node.kind == "unsigned" else f"({low}..{high})"
        how = ".rev()" if node.down else f".step_by({node.step})" if node.step > 1 else ""
        return [*before, f"{pad}for {var} in {ends}{how} {{", *body, f"{pad}}}"]

    def condition(self, node):
        """What stands in an if."""
        if node.data:
            relation, number = (node.relation or "> (T)5").split(" ")
            return f"{self.expr(node.data)} {relation} {self.expr(number)}"
        return f"{self.affine(node.form)} {node.relation}"

    def parameter(self, array):
        """(type, what makes it in the caller, what is handed over, all rows as an expression) of an array."""
        ext, lacks, t, kind = self.layout[array][0], self.p.checked.get(array, 0), self.t, self.kinds[array]
        flat, (rows, columns) = max(1, math.prod(ext) - lacks), (ext if len(ext) == 2 else (ext[0], 1))
        ref, rows = "&mut " if array in self.written else "&", max(1, rows - lacks // 2)
        all_rows, vectors = f"{array}.iter_mut()", f"let mut {array} = vec![vec![0 as {t}; {columns}]; {rows}];"
        if lacks % 2 and columns > 1:
            vectors += f" {array}[{rows // 2}].truncate({columns - 1});"
        made = f"let mut {array} = vec![0 as {t}; {flat}];"
        return {
            "slice": (f"{ref}[{t}]", made, f"{ref}{array}[..]", f"[&mut {array}[..]].iter_mut()"),
            "vec": (f"{ref}Vec<{t}>", made, f"{ref}{array}", f"[&mut {array}].iter_mut()"),
            "array": (f"{ref}[{t}; {flat}]", f"let mut {array} = [0 as {t}; {flat}];", f"{ref}{array}", f"[&mut {array}].iter_mut()"),
            "rows": (f"{ref}Vec<Vec<{t}>>", vectors, f"{ref}{array}", all_rows),
            "arrays": (f"{ref}[[{t}; {columns}]]", f"let mut {array} = vec![[0 as {t}; {columns}]; {rows}];", f"{ref}{array}[..]", all_rows),
            "slices": (f"{ref}[{'&mut ' if array in self.written else '&'}[{t}]]", vectors,
                       f"{ref}{array}.iter_mut().map(|r| {'&mut r[..]' if array in self.written else '&r[..]'}).collect::<Vec<_>>()[..]", all_rows),
            "matrix": (f"{ref}Matrix<{t}>", f"let mut {array} = Matrix {{ columns: {columns}, data: vec![0 as {t}; {flat}] }};",
                       f"{ref}{array}", f"[&mut {array}.data].iter_mut()"),
        }[kind]

    def text(self):
        """The program: its kernel, and a function that calls that and prints hashes."""
        seed, i, t = self.p.seed, self.integer, self.t
        arrays = {a: self.parameter(a) for a in sorted(self.layout)}
        numbers = {p: (i, self.p.values[p]) for p in loopgen.PARAMETERS}
        numbers |= {f"{a}_{d}": ("usize", e) for a, (ext, _) in sorted(self.layout.items()) for d, e in enumerate(ext) if d}
        params = [*(f"{n}: {k}" for n, (k, _) in numbers.items()), *(f"{a}: {p[0]}" for a, p in arrays.items())]
        out = [f"\n// Seed {seed}", "#[inline(never)]", f"pub fn kernel_{seed}({', '.join(params)}) {{"]
        if self.p.in_struct:
            out[1:1] = [f"struct Arguments_{seed}<'a> {{ " + ", ".join(p.replace(": &", ": &'a ").replace("[&", "[&'a ") for p in params) + " }"]
            out[-1] = f"fn kernel_{seed}(all: &mut Arguments_{seed}) {{"
            # The numbers stay behind the struct; the arrays are borrowed through it.
            out += [f"    let {n} = all.{n};" for n in numbers]
            out += [f"    let {a} = {'&mut *' if a in self.written else ''}all.{a};" for a in arrays]
        out += [*self.nodes(self.p.body, 1), "}", f"fn run_{seed}() {{", f'    println!("{loopprint.BEGINS} {seed}");']
        for k, (a, (_, made, _, rows)) in enumerate(arrays.items()):
            out += [f"    {made}", f"    for (k, row) in {rows}.enumerate() {{ fill_{t}(&mut row[..], {k} + k as i64); }}"]
        args = [*(str(v) for _, v in numbers.values()), *(p[2] for p in arrays.values())]
        call = f"kernel_{seed}({', '.join(args)})"
        if self.p.in_struct:
            fields = ", ".join(f"{n}: {v}" for n, v in zip([*numbers, *arrays], args))
            call = f"kernel_{seed}(&mut Arguments_{seed} {{ {fields} }})"
        out.append(f'    let ended = catch_unwind(AssertUnwindSafe(|| {call}));\n    println!("{{}}", ended.is_ok());')
        out += [f'    for row in {p[3]} {{ hash_{t}("{a}", &row[..]); }}' for a, p in arrays.items()]
        return "\n".join([*out, "}", ""])


def file(programs):
    """One Rust file of several programs, which run one after the other."""
    seeds, types = [p.seed for p in programs], sorted({TYPES[p.element] for p in programs})
    data = [DATA.format(t=t, bits="x.to_bits() as u64" if t[0] == "f" else "*x as u64")
            + f"#[inline(never)]\nfn look_{t}(p: &{t}) -> {t} {{ *p + (1 as {t}) }}\n" for t in types]
    head = HEAD.format(seeds=f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}")
    calls = "".join(f"    run_{seed}();\n" for seed in seeds)
    return "".join([head, *data, *(Printer(p).text() for p in programs), MAIN.format(calls=calls)])
