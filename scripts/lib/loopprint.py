"""Programs of loopgen as a C file: kernels, deterministic input, and a hash of every array."""
import math
import re

import loopgen

HEAD = """/* Random loop nests, {seeds}; made by scripts/fuzz. */
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
"""
LOOK = """
static __attribute__((noinline)) T look(const T *p) {{ return {value} + (T)1; }}
"""
# How a kernel is left that finds an error, and what finds it.
FAIL = """
static jmp_buf place;
static int failed;
__attribute__((noreturn, noinline, cold, optnone)) static void fail(int code)
{
    failed = code;
    longjmp(place, 1);
}

static inline __attribute__((always_inline)) long checked(long index, long size)
{
    if (index < 0 || index >= size)
        fail(1);
    return index;
}
#define CHECKED(index, size) ((index) < (size) && (index) >= 0 ? (index) : (fail(1), 0))
"""

# For each type of elements: what the arrays hold before the kernel, and what they hold behind it.
DATA = """
__attribute__((optnone, noinline)) static void fill_{name}(void *a, long count, int salt)
{{
    for (long i = 0; i < count; i++) {{
        {element} x = ({element})((i * 37 + salt * 53 + 11) % 101) / ({element})8 + ({element})((i * 7 + salt) % 10) / ({element})10;
        memcpy((char *)a + i * sizeof x, &x, sizeof x);
    }}
}}

/* Every NaN counts as the same value: which of two NaNs an operation returns is nobody's promise. */
__attribute__((optnone, noinline)) static void hash_{name}(const char *name, const void *a, long count)
{{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (long i = 0; i < count; i++) {{
        unsigned char bytes[sizeof({element})];
        {element} x;
        memcpy(&x, (const char *)a + i * sizeof x, sizeof x);
        memset(bytes, 0x7f, sizeof bytes);
        if (x == x)
            memcpy(bytes, &x, sizeof bytes);
        for (unsigned k = 0; k < sizeof bytes; k++)
            h = (h ^ bytes[k]) * UINT64_C(0x100000001b3);
    }}
    printf("hash %s %016llx\\n", name, (unsigned long long)h);
}}
"""
# Lines that a program prints before the next one's hashes, at once: where a run ends early, the last one was at work.
BEGINS = "seed"
MAIN = """
int main(void)
{{
{calls}    return 0;
}}
"""


# Bytes of an element.
SIZES = {"double": 8, "float": 4, "unsigned": 4, "int": 4, "unsigned long": 8, "unsigned short": 2, "short": 2, "unsigned char": 1,
         "signed char": 1}
# Types whose elements are promoted or may not overflow: computed in `unsigned`.
NARROW = ("unsigned short", "unsigned char", "short", "signed char", "int")


# How the rows behind an array of pointers lie in its storage: row `i` of `n` is this one. Some lie in no order, some
# twice.
ROW_ORDERS = ["i", "i", "n - 1 - i", "(i + n / 3) % n", "(i ^ 1) < n ? i ^ 1 : i", "i / 2"]


class Printer:
    """Prints one program."""

    SHARES_WORKSPACE = True

    def __init__(self, program):
        self.p, self.layout = program, program.layout()

    def access(self, access):
        """`A[i][j]`, or `A[i * A_1 + j]` for linear arrays."""
        array, offsets = access.array, self.layout[access.array][1]
        subscripts = [self.form(s.shifted(o)) for s, o in zip(access.subscripts, offsets)]
        if self.p.shape == "linear":
            subscripts = [self.linear(array, subscripts)]
        if array in self.p.checked:
            check = "CHECKED" if self.p.seed // 2 % 2 else "checked"
            subscripts[0] = f"{check}({subscripts[0]}, {self.size(array)})"
        return array + "".join(f"[{s}]" for s in subscripts)

    def linear(self, array, subscripts):
        """One subscript for several."""
        text = subscripts[0]
        for d, s in enumerate(subscripts[1:], 1):
            text = f"({text}) * {array}_{d} + {s}"
        return text

    def size(self, array):
        """What the first subscript of a checked array has to be less than."""
        extents = self.layout[array][0]
        return max(1, (math.prod(extents) if self.p.shape == "linear" else extents[0]) - self.p.checked[array])

    def form(self, form):
        """An affine form, or an element of the array of indices, plus a constant."""
        if isinstance(form, loopgen.Indexed):
            return f"((int){self.access(form.element)} + {form.constant})".replace("+ -", "- ")
        return form.c_text()

    def expr(self, value):
        """An expression."""
        if isinstance(value, str):
            return self.widen(value)
        if isinstance(value, loopgen.Access):
            return self.widen(self.access(value))
        args = [self.expr(a) for a in value.args]
        if value.op == "look":
            return f"look(&{self.access(value.args[0])})" if isinstance(value.args[0], loopgen.Access) else args[0]
        if value.op == "max":
            return f"MAX({args[0]}, {args[1]})"
        if value.op == "?":
            return f"({args[0]} < {args[1]} ? {args[2]} : {args[3]})"
        return f"({args[0]} {value.op} {args[1]})"

    def widen(self, text):
        """A leaf; narrow unsigned types are promoted to int, whose product may overflow: compute in unsigned."""
        return f"(unsigned){text}" if self.p.element in NARROW else text

    def assign(self, node):
        """An assignment."""
        target = node.target if isinstance(node.target, str) else self.access(node.target)
        value = self.expr(node.value)
        if node.op and self.p.element in NARROW:
            return f"{target} = {self.widen(target)} {node.op} {value};"
        return f"{target} {node.op}= {value};"

    def nodes(self, body, depth):
        """The lines of a body."""
        pad = "    " * depth
        out = []
        for node in body:
            if isinstance(node, loopgen.Local):
                out.append(f"{pad}T {node.name} = {self.expr(node.value)};")
            elif isinstance(node, loopgen.Assign):
                out.append(pad + self.assign(node))
            elif isinstance(node, loopgen.Leave):
                out.append(f"{pad}return;")
            elif isinstance(node, loopgen.Fail):
                out.append(pad + self.fail(node))
            elif isinstance(node, loopgen.Idiom):
                out.append(pad + node.text.format(*node.arrays))
            elif isinstance(node, loopgen.Move):
                out.append(pad + node.text)
            elif isinstance(node, loopgen.Turns):
                out += self.turns(node, depth)
            elif isinstance(node, loopgen.Break):
                out.append(f"{pad}if ({self.expr(node.data)} > (T)9) break;")
            else:
                if isinstance(node, loopgen.Walk):
                    out.append(f"{pad}T *w{node.name} = {self.pointer(node.name)};")
                head = self.loop(node) if isinstance(node, loopgen.Loop) else f"if ({self.condition(node)})"
                out += [f"{pad}{head} {{", *self.nodes(node.body, depth + 1), f"{pad}}}"]
        return out

    def fail(self, node):
        """The way out."""
        return f"fail({node.code});"

    def pointer(self, array):
        """An array's first element's address."""
        return f"(T *){array}"

    def turns(self, node, depth):
        """A loop with pointers that change places."""
        pad, names = "    " * depth, node.names
        # Pointers in registers, in one object, or each in an object of its own: what leads to these the compiler does
        # not see.
        held, first = self.p.seed // 5 % 3, names[0]
        pointers = {a: (f"p{a}", f"h{first}[{k}]", f"(*h{a})")[held] for k, a in enumerate(names)}
        values = ", ".join(map(self.pointer, names))
        lines = [
            ["T " + ", ".join(f"*p{a} = {self.pointer(a)}" for a in names) + ";"],
            [f"T *o{first}[] = {{{values}}}, **h{first} = o{first};", f'__asm__ volatile("" : "+r"(h{first}) : : "memory");'],
            [line for a in names for line in (f"T *o{a} = {self.pointer(a)}, **h{a} = &o{a};", f'__asm__ volatile("" : "+r"(h{a}) : : "memory");')],
        ][held]
        body = [re.sub(rf"\b({'|'.join(names)})\[", lambda m: pointers[m[1]] + "[", line) for line in self.nodes(node.body, depth + 1)]
        rotate = " ".join(f"{pointers[a]} = {pointers[b]};" for a, b in zip(names, names[1:]))
        body.append(f"{pad}    {{ T *last = {pointers[first]}; {rotate} {pointers[names[-1]]} = last; }}")
        return [*(pad + line for line in lines), f"{pad}{self.loop(node)} {{", *body, f"{pad}}}"]

    def loop(self, node):
        """A for line."""
        var, low = node.var, node.low.c_text()
        high = self.form(node.high[0])
        for f in node.high[1:]:
            high = f"MIN({high}, {f.c_text()})"
        if isinstance(node, loopgen.Around):
            return f"for ({node.kind} {var} = {low}; {var} != {high}; {var}++)"
        if node.step == loopgen.HALVING:
            return f"for ({node.kind} {var} = {high} - 1; {var} > {low}; {var} /= 2)"
        if node.down:
            return f"for ({node.kind} {var} = {high} - 1; {var} >= {low}; {var}--)"
        step = f"{var}++" if node.step == 1 else f"{var} += {node.step}"
        return f"for ({node.kind} {var} = {low}; {var} < {high}; {step})"

    def condition(self, node):
        """What stands in an if."""
        if node.data:
            return f"{self.expr(node.data)} {node.relation or '> (T)5'}"
        return f"{node.form.c_text()} {node.relation}"

    def parameters(self):
        """The kernel's parameter list."""
        out = [f"int {p}" for p in loopgen.PARAMETERS]
        if self.p.shape == "global":
            return out
        if self.has_workspace():
            out += [f"int {name}_{d}" for name, (ext, _) in sorted(self.layout.items()) for d in range(len(ext))]
            return [*out, "T *work"]
        for name, (extents, _) in sorted(self.layout.items()):
            out += [f"int {name}_{d}" for d in range(1, len(extents))]
            if self.is_rows(extents):
                out.append(f"T **{name}")
            elif self.p.shape == "linear":
                out.append(f"T *{name}")
            else:
                out.append(f"T {name}[]" + "".join(f"[{name}_{d}]" for d in range(1, len(extents))))
        return out

    def has_workspace(self):
        """Whether all arrays lie in one piece of memory, where only the kernel knows."""
        return self.SHARES_WORKSPACE and self.p.workspace is not None

    def cut_up(self):
        """Statements that find the arrays in their memory."""
        at, out = "work", []
        for name, (extents, _) in sorted(self.layout.items()):
            out.append(f"    T *{name} = {at};\n")
            size = " * ".join(f"{name}_{d}" for d in range(len(extents)))
            back = min(self.p.workspace, math.prod(extents))
            at = f"{name} + {size} - {back}" if back else f"{name} + {size}"
        return "".join(out)

    def members(self):
        """(name, type) of the kernel's parameters as members of a struct."""
        return [(text.split()[-1].lstrip("*"), re.sub(r"\w+$", "", text)) for text in self.parameters()]

    def calls_look(self):
        """Whether some expression calls the function that reads."""
        def within(value):
            return isinstance(value, loopgen.Expr) and (value.op == "look" or any(map(within, value.args)))
        return any(within(getattr(body[i], "value", None)) for body, i in self.p.nodes())

    def is_rows(self, extents):
        """Whether an array is one of pointers to rows."""
        return self.p.shape == "rows" and len(extents) == 2

    def rows(self, place):
        """Statements that make the arrays of pointers to rows."""
        out = []
        for k, (a, (ext, _)) in enumerate(sorted(self.layout.items())):
            if self.is_rows(ext):
                order = ROW_ORDERS[(self.p.seed // 4 + k) % len(ROW_ORDERS)].replace("n", str(ext[0]))
                out.append(f"    static T *{a}_rows[{ext[0]}];\n    for (int i = 0; i < {ext[0]}; i++)\n"
                           f"        {a}_rows[i] = {self.address(place, a)} + ({order}) * {ext[1]};\n")
        return out

    def storage(self):
        """{array: (name of its storage, first element)}, {storage: elements}."""
        sizes = {a: math.prod(e) for a, (e, _) in self.layout.items()}
        place, storage = {}, {}
        if self.has_workspace():
            at = 0
            for a in sorted(sizes):
                place[a] = ("work", at)
                storage["work"] = max(storage.get("work", 0), at + sizes[a])
                at += sizes[a] - min(self.p.workspace, sizes[a])
        if self.p.overlap and all(a in sizes for a in self.p.overlap[:2]):
            a, b, offset = self.p.overlap
            place = {a: ("shared", 0), b: ("shared", offset)}
            storage["shared"] = max(sizes[a], offset + sizes[b])
        for a in sorted(sizes):
            if a not in place:
                place[a] = (a if self.p.shape == "global" else f"{a}_store", 0)
                storage[place[a][0]] = sizes[a]
        return place, storage

    def address(self, place, array):
        """Where an array begins."""
        bytes_ = self.p.shift + (self.p.apart if self.p.overlap and array == self.p.overlap[1] else 0)
        store, first = place[array]
        return f"(T *)((char *){store} + {bytes_}) + {first}" if bytes_ else f"{store} + {first}"

    def fails(self):
        """Whether something may leave the kernel by an error."""
        return bool(self.p.checked) or any(isinstance(b[i], loopgen.Fail) for b, i in self.p.nodes())

    def text(self):
        """The program: its arrays, its kernel, and a function that calls that and prints hashes. Names of its own get its seed by macros."""
        place, storage = self.storage()
        seed, element = self.p.seed, self.p.element
        names = {name: f"{name}_{seed}" for name in ("kernel", "run", *sorted(storage))}
        names |= {"T": element} | {f: f"{f}_{element.replace(' ', '_')}" for f in ("fill", "hash")}
        looks = LOOK.format(value=self.widen("p[0]")) if self.calls_look() else ""
        names |= {name: f"{name}_{seed}" for name, used in
                  [("look", looks), ("arguments", self.p.in_struct), ("T", self.p.shift)] if used}
        out = [f"\n/* Seed {seed} */\n", *(f"#define {name} {new}\n" for name, new in names.items())]
        if self.p.shift:
            out.append(f"typedef {element} T __attribute__((aligned({1 if self.p.apart else min(self.p.shift, SIZES[element])})));\n")
        out.append(looks)
        out += self.declarations(storage)
        lines = "\n".join(self.nodes(self.p.body, 1))
        cut_up = self.cut_up() if self.has_workspace() else ""
        head, parameters, members = "", self.parameters(), self.members() if self.p.in_struct else []
        if self.p.in_struct:
            head = "struct arguments {\n" + "".join(f"    {kind}{name}_;\n" for name, kind in members) + "};\n"
            head += "".join(f"#define {name} (all->{name}_)\n" for name, _ in members)
            parameters = ["const struct arguments *all" if seed // 10 % 2 else "struct arguments *all"]
        out += [head, f"\n__attribute__((noinline, weak)) void kernel({', '.join(parameters)})\n{{\n", cut_up, lines, "\n}\n",
                *(f"#undef {name}\n" for name, _ in members), self.call(place, storage), *(f"#undef {name}\n" for name in names)]
        return "".join(out)

    def declarations(self, storage):
        """The arrays."""
        if self.p.shape == "global":
            return [f"static T {a}" + "".join(f"[{e}]" for e in ext) + ";\n" for a, (ext, _) in sorted(self.layout.items())]
        more = 8 if self.p.shift else 0
        return [f"static {self.p.element if more else 'T'} {s}[{n + more}];\n" for s, n in sorted(storage.items())]

    def call(self, place, storage):
        """The function that fills the arrays, calls the kernel, and prints hashes."""
        out = [f"\nstatic void run(void)\n{{\n    printf(\"{BEGINS} {self.p.seed}\\n\");\n    fflush(stdout);\n"]
        whole = [(f"(char *){s} + {self.p.shift}" if self.p.shift else f"(T *){s}", s, n) for s, n in sorted(storage.items())]
        out += [f"    fill({at}, {n}, {i});\n" for i, (at, _, n) in enumerate(whole)]
        out += self.rows(place)
        args = [str(self.p.values[p]) for p in loopgen.PARAMETERS]
        if self.has_workspace():
            args += [str(e) for _, (ext, _) in sorted(self.layout.items()) for e in ext]
            args.append(f"(void *)({self.address(place, min(self.layout))})")
        elif self.p.shape != "global":
            for a, (ext, _) in sorted(self.layout.items()):
                args += [str(e) for e in ext[1:]]
                args.append(f"{a}_rows" if self.is_rows(ext) else f"(void *)({self.address(place, a)})")
        if self.p.in_struct:
            out.append(f"    struct arguments all = {{{', '.join(args)}}};\n")
            args = ["&all"]
        call = f"kernel({', '.join(args)});"
        if self.fails():
            call = f"failed = 0;\n    if (!setjmp(place))\n        {call}\n    printf(\"failed %d\\n\", failed);"
        out.append(f"    {call}\n")
        out += [f"    hash(\"{s}\", {at}, {n});\n" for at, s, n in whole]
        return "".join(out) + "}\n"


def file(programs):
    """One C file of several programs, which run one after the other."""
    printers = [Printer(p) for p in programs]
    return joined(programs, printers, FAIL if any(p.fails() for p in printers) else "")


def joined(programs, printers, more):
    """One file of several programs."""
    seeds = [p.seed for p in programs]
    elements = sorted({p.element for p in programs})
    data = [DATA.format(name=e.replace(" ", "_"), element=e) for e in elements]
    head = HEAD.format(seeds=f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}")
    calls = "".join(f"    run_{seed}();\n" for seed in seeds)
    return "".join([head, more, *data, *(p.text() for p in printers), MAIN.format(calls=calls)])
