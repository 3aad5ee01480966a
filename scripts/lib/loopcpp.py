"""Programs of loopgen as a C++ file: each array in a container of the library or a class of matrices, and exceptions."""
import math
import random

import loopgen
import loopprint

HEAD = """
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <valarray>
#include <vector>

template <class E> struct Matrix {
    int rows_, cols_;
    std::vector<E> data_;
    E &operator()(int i, int j) { return data_[i * cols_ + j]; }
    const E &operator()(int i, int j) const { return data_[i * cols_ + j]; }
    E &at(int i, int j)
    {
        if (i < 0 || i >= rows_ || j < 0 || j >= cols_)
            throw std::out_of_range("Matrix");
        return data_[i * cols_ + j];
    }
    const E &at(int i, int j) const { return const_cast<Matrix *>(this)->at(i, j); }
};

template <class E, int R, int C> struct Fixed {
    E data_[R][C];
    E *operator[](int i) { return data_[i]; }
    const E *operator[](int i) const { return data_[i]; }
};

static volatile int destroyed;
struct Counted {
    ~Counted() { destroyed = destroyed + 1; }
};
"""
LINEAR = ["vector", "vector", "span", "valarray", "unique", "array", "pointer"]
CHECKED = {1: ["vector-at"], 2: ["vector-at", "rows-at", "matrix-at"], 3: ["vector-at"]}
# (type of the parameter, what makes it in the caller, its first element's address)
KINDS = {
    "vector": ("std::vector<T> &", "std::vector<T> {a}({n});", "{a}.data()"),
    "vector-at": ("std::vector<T> &", "std::vector<T> {a}({n});", "{a}.data()"),
    "span": ("std::span<T> ", "std::span<T> {a}({s}.data() + {f}, {n});", "{a}.data()"),
    "pointer": ("T *", "T *{a} = {s}.data() + {f};", "{a}"),
    "valarray": ("std::valarray<T> &", "std::valarray<T> {a}({n});", "&{a}[0]"),
    "unique": ("std::unique_ptr<T[]> &", "auto {a} = std::make_unique<T[]>({n});", "{a}.get()"),
    "array": ("std::array<T, {n}> &", "static std::array<T, {n}> {a};", "{a}.data()"),
    "matrix": ("Matrix<T> &", "Matrix<T> {a}{{{r}, {c}, std::vector<T>({n})}};", "{a}.data_.data()"),
    "matrix-at": ("Matrix<T> &", "Matrix<T> {a}{{{r}, {c}, std::vector<T>({n})}};", "{a}.data_.data()"),
    "fixed": ("Fixed<T, {r}, {c}> &", "static Fixed<T, {r}, {c}> {a};", "{a}[0]"),
    "rows": ("std::vector<std::vector<T>> &", "std::vector<std::vector<T>> {a}({r}, std::vector<T>({c}));", None),
    "rows-at": ("std::vector<std::vector<T>> &", "std::vector<std::vector<T>> {a}({r}, std::vector<T>({c}));", None),
}


class Printer(loopprint.Printer):
    """Prints one program."""

    SHARES_WORKSPACE = False

    def __init__(self, program):
        super().__init__(program)
        program.shift, program.apart = 0, 0
        self.kinds = {a: self.kind(a, len(e)) for a, (e, _) in sorted(self.layout.items())}
        self.read_only = set(self.layout) - program.written()

    def kind(self, array, rank):
        """What holds an array."""
        r = random.Random(f"{self.p.seed} {array}")
        if array[0] == "Y":
            return r.choice(["vector", "vector", "array"] if array not in self.p.checked else ["vector-at"])
        if self.p.overlap and array in self.p.overlap[:2]:
            return r.choice(["span", "pointer"])
        if array in self.p.checked and array[0] not in "TQ":
            return r.choice(CHECKED[rank])
        return r.choice(LINEAR if rank != 2 or array[0] in "TQ" else [*LINEAR[1:], "matrix", "matrix", "fixed", "rows", "rows"])

    def access(self, access):
        """An element, as its container has it."""
        array, offsets = access.array, self.layout[access.array][1]
        kind, subscripts = self.kinds[array], [self.form(s.shifted(o)) for s, o in zip(access.subscripts, offsets)]
        if kind in ("matrix", "matrix-at"):
            return f"{array}{'.at' if kind == 'matrix-at' else ''}({', '.join(subscripts)})"
        if kind not in ("rows", "rows-at", "fixed"):
            subscripts = [self.linear(array, subscripts)]
        return array + "".join(f".at({s})" if kind.endswith("-at") else f"[{s}]" for s in subscripts)

    def fail(self, node):
        """The way out."""
        return f"throw {node.code};" if node.code % 2 else f'throw std::runtime_error("{node.code}");'

    def pointer(self, array):
        """An array's first element's address."""
        return KINDS[self.kinds[array]][2].format(a=array)

    def numbers(self):
        """Names and values of the integers that the kernel takes."""
        found = {p: self.p.values[p] for p in loopgen.PARAMETERS}
        return found | {f"{a}_{d}": e for a, (ext, _) in sorted(self.layout.items()) for d, e in enumerate(ext) if d}

    def sizes(self, array):
        """{letter: text} for what stands in KINDS."""
        ext, lacks = self.layout[array][0], self.p.checked.get(array, 0)
        rows, columns = (max(1, ext[0] - lacks), ext[1]) if len(ext) == 2 else (1, 1)
        flat = max(1, math.prod(ext) - (lacks if self.kinds[array] == "vector-at" else 0))
        return {"a": array, "r": rows, "c": columns, "n": rows * columns if self.kinds[array] == "matrix-at" else flat}

    def parameters(self):
        """The kernel's parameter list."""
        out = [f"{('int ', 'const int &')[self.p.seed // 4 % 2]}{name}" for name in self.numbers()]
        for a in sorted(self.layout):
            text = KINDS[self.kinds[a]][0].format(**self.sizes(a))
            constant = a in self.read_only and text.endswith("&")
            out.append(f"{'const ' if constant else ''}{text}{a}")
        return out

    def members(self):
        """(name, type) of the kernel's parameters as members of a struct."""
        return [(text.split()[-1].lstrip("*&"), text[:-len(text.split()[-1].lstrip('*&'))]) for text in self.parameters()]

    def declarations(self, storage):
        """What stands in front of the kernel."""
        wide = "unsigned" if self.p.element in loopprint.NARROW else self.p.element
        return [f"#define W(x) (({wide})(x))\n"]

    def nodes(self, body, depth):
        """The lines of a body."""
        lines = super().nodes(body, depth)
        if depth == 1 and self.p.seed % 3 == 0:
            lines.insert(0, "    Counted counted;")
        if depth == 1 and self.p.seed % 7 == 0:
            lines = ["    try {", *lines, "    } catch (const std::out_of_range &) {", "        destroyed = destroyed + 100;", "    }"]
        return lines

    def call(self, place, storage):
        """The function that fills the arrays, calls the kernel, and prints hashes."""
        out = [f'printf("{loopprint.BEGINS} {self.p.seed}\\n");', "fflush(stdout);", "destroyed = 0;"]
        out += [f"static int {name} = {value};" for name, value in self.numbers().items()]
        hashes = ['printf("destroyed %d\\n", destroyed);']
        stores = {place[a][0] for a, kind in self.kinds.items() if kind in ("span", "pointer")}
        for k, s in enumerate(sorted(stores)):
            out += [f"std::vector<T> {s}_({storage[s]});", f"fill({s}_.data(), {storage[s]}, {k});"]
            hashes.append(f'hash("{s}", {s}_.data(), {storage[s]});')
        for k, (a, kind) in enumerate(self.kinds.items()):
            sizes = self.sizes(a) | {"s": f"{place[a][0]}_", "f": place[a][1]}
            out.append(KINDS[kind][1].format(**sizes))
            if kind in ("rows", "rows-at"):
                if self.p.checked.get(a, 0) % 2 and sizes["c"] > 1:
                    out.append(f"{a}[{sizes['r'] // 2}].resize({sizes['c'] - 1});")
                out.append(f"for (std::size_t i = 0; i < {a}.size(); i++) fill({a}[i].data(), {a}[i].size(), {k} + i);")
                hashes.append(f'for (auto &row : {a}) hash("{a}", row.data(), row.size());')
            elif kind not in ("span", "pointer"):
                count = sizes["n"] if kind != "fixed" else sizes["r"] * sizes["c"]
                out.append(f"fill({self.pointer(a)}, {count}, {k});")
                hashes.append(f'hash("{a}", {self.pointer(a)}, {count});')
        args = ", ".join([*self.numbers(), *self.kinds])
        if self.p.in_struct:
            out.append(f"struct arguments all = {{{args}}};")
            args = "&all"
        out += ["try {", f"    kernel({args});", "} catch (int code) {", '    printf("threw %d\\n", code);', "} catch (const std::out_of_range &) {",
                '    printf("out of range\\n");', "} catch (const std::runtime_error &e) {", '    printf("error %s\\n", e.what());', "}"]
        return "\nstatic void run(void)\n{\n    " + "\n    ".join([*out, *hashes]) + "\n}\n#undef W\n"


def file(programs):
    """One C++ file of several programs, which run one after the other."""
    return loopprint.joined(programs, [Printer(p) for p in programs], HEAD)
