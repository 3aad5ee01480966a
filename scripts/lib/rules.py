"""The rules of scripts/check. Each takes the `Tree` and yields violations as text; `ALL` lists them."""
import posixpath
import re
import shutil
import subprocess
import tomllib

import docs
import toolchain

MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_COMMENT_COLUMNS = 800, 80, 120
LEAVES = {"error", "ids", "logging", "options", "outcome", "report", "phase", "remedies"}
# Who may import whom, in pipeline order; every layer may import the leaves and itself.
MAY_IMPORT = {
    "facts": set(),
    "bridge": {"facts"},
    "canonical": {"facts", "bridge"},
    "scop": {"facts"},
    "model": {"scop", "facts"},
    "deps": {"model"},
    "storage": {"deps", "model", "facts"},
    "cost": {"storage", "model", "facts"},
    "transform": {"deps", "model"},
    "schedule": {"cost", "transform", "deps", "model"},
    "parallel": {"schedule", "storage", "cost", "transform", "deps", "model", "facts"},
    "proof": {"deps", "model"},
    "ast": {"parallel", "schedule", "storage", "deps", "model", "facts"},
    "codegen": {"ast", "parallel", "schedule", "storage", "cost", "deps", "model", "scop", "facts", "bridge"},
    "pipeline": {
        "codegen", "ast", "proof", "parallel", "schedule", "storage", "cost", "transform", "deps", "model", "scop", "facts",
        "canonical", "bridge", "explain",
    },
    "plugin": {"pipeline", "bridge"},
    "calc": {"ast", "proof", "schedule", "cost", "deps", "model"},
    "explain": {"ast", "proof", "deps", "model"},
    "bin": {"calc", "explain"},
}
# Crates of the workspace that each of them is made of.
MAY_DEPEND = {"polyrs": {"presburger"}, "polyrs-plugin": {"polyrs"}, "presburger": set(), "polyrs-rt": set(), "ptx-emulator": set()}
# Rooms with C++, and whose headers it may include.
MAY_INCLUDE = {"bridge": {"bridge"}, "canonical": {"canonical", "bridge"}}
# Crates that programs or the driver of a GPU meet through C.
C_INTERFACES = ("crates/polyrs-rt/src/", "crates/ptx-emulator/src/driver.rs")
CPP = (".cpp", ".h", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".inc", ".def", ".c")
SOURCE = (".rs", ".cpp", ".h", ".c", ".py", ".sh")


class Tree:
    """The files that git knows or would add, with their text."""

    def __init__(self, root=toolchain.ROOT):
        self.root = root
        self.texts = {}
        for name in sorted(listing(root)):
            path = root / name
            if path.is_file() and name not in ("Cargo.lock", "LICENSE"):
                try:
                    self.texts[name] = path.read_text()
                except UnicodeDecodeError:
                    # A picture: that it is there is all that a rule may ask.
                    self.texts[name] = ""

    def sources(self):
        """(name, text) of every program file, scripts without an extension too."""
        for name, text in self.texts.items():
            if name.endswith(SOURCE) or text.startswith("#!"):
                yield name, text

    def commented(self):
        """(name, text) of every file with comments: programs and tests."""
        yield from self.sources()
        known = {name for name, _ in self.sources()}
        for name, text in self.texts.items():
            if name not in known and name.startswith("llvm-tests/") and name.endswith((".c", ".cpp", ".test", ".f90")):
                yield name, text

    def rust(self, folder=""):
        """(name, text) of Rust files under a folder."""
        return [(n, t) for n, t in self.texts.items() if n.endswith(".rs") and n.startswith(folder)]


def listing(root):
    """Names of the files that belong to the project; without git, all but build outputs."""
    if shutil.which("git"):
        git = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True)
        if git.returncode == 0:
            return git.stdout.splitlines()
    names = [p.relative_to(root) for p in root.rglob("*")]
    return [str(n) for n in names if n.parts[0] not in ("target", "build", ".git") and "__pycache__" not in n.parts]


def code_only(text):
    """Rust text with comments, strings and characters blanked, lines kept."""
    pattern = r'//[^\n]*|/\*.*?\*/|r#*".*?"#*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\''
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def layer_of(name):
    """The layer of a file under src, or None: src/deps/flow.rs and src/deps.rs are `deps`."""
    parts = name.split("/")
    return parts[1].removesuffix(".rs") if parts[0] == "src" and len(parts) > 1 else None


def line_of(text, position):
    """1-based line of a position."""
    return text.count("\n", 0, position) + 1


def layers(tree):
    """Each layer imports only the layers below it; LLVM handles, all in `bridge`, have no place between `facts` and `ast`."""
    for name, text in tree.rust("src/"):
        layer = layer_of(name)
        code = re.sub(r"\s*::\s*", "::", code_only(text))
        if layer not in MAY_IMPORT.keys() | LEAVES | {"lib"}:
            yield f"{name}: {layer} is no known layer: say in scripts/lib/rules.py what it may import"
        for m in re.finditer(r"\b(?:crate|polyrs)::\*|\buse\s+(?:crate|polyrs)\s+as\b", code):
            yield f"{name}:{line_of(code, m.start())}: {m.group()}: say what of it"
        for m in re.finditer(r"\bextern\s+crate\s+self\b|#\[path\b|\binclude!", code):
            yield f"{name}:{line_of(code, m.start())}: {m.group()}: hides who is imported"
        for position, path in roots(name, code):
            yield f"{name}:{line_of(code, position)}: {path}: say what of the library"
        for position, target in [*imports(layer, code), *climbing(name, code)]:
            at = f"{name}:{line_of(code, position)}"
            if layer in LEAVES and target not in LEAVES:
                yield f"{at}: {layer} is a leaf and may not import {target}"
            elif layer in MAY_IMPORT and target not in MAY_IMPORT[layer] | LEAVES | {layer} | asked_by_tests(name):
                if not (layer == "bridge" and target in ("plugin", "pipeline")):
                    yield f"{at}: {layer} may not import {target}"


def asked_by_tests(name):
    """Tests of a layer below may ask the proof whether what they made is legal."""
    return {"proof"} if re.search(r"/tests(/|\.rs$)", name) else set()


def imports(layer, code):
    """(position, layer) of everything that a file uses of the library; for the commands that is the crate `polyrs`."""
    root = "polyrs" if layer == "bin" else "crate"
    for m in re.finditer(rf"\b{root}::(?:(\w+)|\{{([^;]*?)\}};)", code):
        yield from ((m.start(), word) for word in re.findall(r"(?:^|,)\s*(\w+)", m.group(1) or outermost(m.group(2))))


def modules_of(name):
    """The modules that a file is, outermost first."""
    return [part for part in name.removesuffix(".rs").split("/")[1:] if part != "mod"]


def climbing(name, code):
    """(position, layer) of what a file reaches by `super::super::..` up to the root of the library."""
    modules = modules_of(name)
    written = [(m.start(), m.group()) for m in re.finditer(r"\b(?:super::)+\w+", code)]
    for position, path in written + list(used_paths(code)):
        above, words = climbed(path)
        if above >= len(modules) and words and words[0] in MAY_IMPORT.keys() - {modules[0]}:
            yield position, words[0]


def roots(name, code):
    """(position, path) of all that names the root of the library by `super::..` without saying what of it."""
    modules = modules_of(name)
    for position, path in used_paths(code):
        above, words = climbed(path)
        if above and above >= len(modules) + inline_modules(code, position) and words[:1] in ([], ["*"], ["self"]):
            yield position, path


def climbed(path):
    """How often a path says `super`, and the words behind; the name that it is given does not count."""
    words = path.split(" as ")[0].strip().split("::")
    words = words[1:] if words[0] == "self" else words
    above = next((k for k, word in enumerate(words) if word != "super"), len(words))
    return above, words[above:]


def used_paths(code):
    """(position, path) of everything that `use` names, braces multiplied out."""
    for m in re.finditer(r"\buse\s+([^;]+);", code):
        yield from ((m.start(), path) for path in multiplied("", " ".join(m.group(1).split())))


def multiplied(before, names):
    """`a::b` and `a::c` of `a::{b, c}`."""
    depth, start = 0, 0
    for k, c in enumerate(names + ","):
        depth += {"{": 1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            head, brace, inner = names[start:k].strip().partition("{")
            start = k + 1
            if brace:
                yield from multiplied(before + head, inner.rstrip()[:-1])
            elif head:
                yield before + head


def inline_modules(code, position):
    """How many `mod name { .. }` of a file are around a position."""
    around = 0
    for m in re.finditer(r"\bmod\s+\w+\s*\{", code[:position]):
        inside = code[m.end():position]
        around += min((inside[:k].count("{") - inside[:k].count("}") for k in range(len(inside) + 1)), default=0) >= 0
    return around


def outermost(names):
    """`a, b::{c, d}` as `a, b::`."""
    while "{" in names:
        shorter = re.sub(r"\{[^{}]*\}", "", names)
        if shorter == names:
            break
        names = shorter
    return names


def cpp_layers(tree):
    """C++ stands only in rooms that may have it, includes only headers of rooms below, and is compiled."""
    build = tree.texts.get("build.rs", "")
    for name, text in tree.texts.items():
        if not name.startswith("src/") or not name.endswith(CPP):
            continue
        room = layer_of(name)
        if room not in MAY_INCLUDE:
            yield f"{name}: {room} has no C++"
        if f'"{name}"' not in build:
            yield f"{name}: build.rs does not name it"
        text = text.replace("\\\n", "")
        for m in re.finditer(r'^[ \t]*#[ \t]*(?:include|include_next|import)\b[ \t]*(?=[^"<\s])(.*)', text, re.M):
            yield f"{name}:{line_of(text, m.start())}: {room} may not include by a macro: {m.group(1)}"
        for m in re.finditer(r'^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*(?:"([^"]*)"|<(?=[^>]*/)([^>]*)>)', text, re.M):
            of, slash, _ = posixpath.normpath(m.group(1) or m.group(2)).partition("/")
            if of not in ("llvm", "llvm-c", "sys") and (not slash or of not in MAY_INCLUDE.get(room, set())):
                yield f"{name}:{line_of(text, m.start())}: {room} may not include {m.group(1) or m.group(2)}"


def crates(tree):
    """Each crate of the workspace is made only of those below it: the set library of none."""
    texts = {n: t for n, t in tree.texts.items() if re.fullmatch(r"(?:crates/[\w-]+/)?Cargo\.toml", n)}
    packages = {n: p for n, p in ((n, tomllib.loads(t)) for n, t in texts.items()) if "package" in p}
    names = {n: p["package"]["name"] for n, p in packages.items()}
    for file, name in names.items():
        if name not in MAY_DEPEND:
            yield f"{file}: {name} is no known crate: say in scripts/lib/rules.py what it may be made of"
        for table in [packages[file], *packages[file].get("target", {}).values()]:
            for section in ("dependencies", "dev-dependencies", "build-dependencies"):
                for key, value in table.get(section, {}).items():
                    of = value.get("package", key) if isinstance(value, dict) else key
                    if of in names.values() and of not in MAY_DEPEND.get(name, set()):
                        yield f"{file}: {name} may not have {of} among its {section}"


def type_names(tree):
    """No two public types of one folder of the library have one name."""
    seen = {}
    for name, text in tree.rust("src/"):
        if asked_by_tests(name):
            continue
        for m in re.finditer(r"^pub(?:\([a-z]+\))? (?:struct|enum|trait|type) (\w+)", code_only(text), re.M):
            other = seen.setdefault((name.rsplit("/", 1)[0], m.group(1)), name)
            if other != name:
                yield f"{name}:{line_of(text, m.start())}: {other} has a {m.group(1)} too"


def one_upward_call(tree):
    """At most one file of the bridge calls upward (the pass callback)."""
    def calls(name, text):
        code = re.sub(r"\s*::\s*", "::", code_only(text))
        return any(target in ("plugin", "pipeline") for _, target in [*imports("bridge", code), *climbing(name, code)])
    files = [n for n, t in tree.rust("src/bridge/") if calls(n, t)]
    if len(files) > 1:
        yield f"several files call upward: {', '.join(files)}"


def foreign_crates(tree):
    """good_lp and microlp appear only in schedule/ilp.rs; inkwell and llvm_sys only under src/bridge; unsafe there and in C interfaces."""
    for name, text in tree.rust():
        code = code_only(text)
        for m in re.finditer(r"\b(good_lp|microlp|inkwell|llvm_sys|unsafe)\b(?!_)", code):
            word = m.group(1)
            inside = name == "src/schedule/ilp.rs" if word in ("good_lp", "microlp") else name.startswith("src/bridge/")
            inside |= word == "unsafe" and name.startswith(C_INTERFACES)
            if not inside and "forbid(unsafe_code)" not in code[m.start() - 20:m.end() + 20]:
                yield f"{name}:{line_of(code, m.start())}: {word} does not belong here"


def file_length(tree):
    """No source file has more than 800 lines."""
    for name, text in tree.sources():
        lines = text.count("\n")
        if lines > MAX_FILE_LINES:
            yield f"{name}: {lines} lines"


def comment_width(tree):
    """No comment is wider than 120 columns; rows of tables are, addresses, and what lit and FileCheck read."""
    read = re.compile(r"[A-Z][A-Z0-9_-]*(\{LITERAL\})?:|\||http")
    for name, text in tree.commented():
        start = "#" if text.startswith("#!") or name.endswith((".py", ".sh", ".test")) else "//[/!]?"
        for number, line in enumerate(text.splitlines(), 1):
            comment = re.match(rf"\s*(?:{start})\s*(.*)", line)
            if comment and len(line) > MAX_COMMENT_COLUMNS and not read.match(comment[1]):
                yield f"{name}:{number}: a comment of {len(line)} columns"


def rust_functions(text):
    """(name, first line, lines) of every function with a body."""
    code = code_only(text)
    for m in re.finditer(r"\bfn\s+(\w+)", code):
        end = re.search(r"[;{]", code[m.end():])
        if not end or end.group() == ";" and "[" not in code[m.end():m.end() + end.start()]:
            continue
        start = code.find("{", m.end())
        depth, i = 0, start
        while 0 <= i < len(code):
            depth += {"{": 1, "}": -1}.get(code[i], 0)
            if depth == 0:
                break
            i += 1
        yield m.group(1), line_of(code, m.start()), code.count("\n", m.start(), i) + 1


def python_functions(text):
    """(name, first line, lines) of every Python function."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        m = re.match(r"( *)def (\w+)", line)
        if m:
            indent = len(m.group(1))
            end = next((k for k in range(i + 1, len(lines))
                        if lines[k].strip() and len(lines[k]) - len(lines[k].lstrip()) <= indent
                        and not lines[k].lstrip().startswith(")")), len(lines))
            while not lines[end - 1].strip():
                end -= 1
            yield m.group(2), i + 1, end - i


def function_length(tree):
    """No function has more than 80 lines."""
    for name, text in tree.sources():
        if name.endswith(".rs"):
            found = rust_functions(text)
        elif name.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
            found = python_functions(text)
        else:
            continue
        for function, line, lines in found:
            if lines > MAX_FUNCTION_LINES:
                yield f"{name}:{line}: {function} has {lines} lines"


def unfinished(tree):
    """Nothing is left undone: no todo!, unimplemented!, TODO, or ignored test."""
    pattern = r"\btodo!|\bunimplemented!|#\[ignore|#\[cfg_attr\([^\]]*\bignore\b|\bT" + r"ODO\b|\bX" + r"XX\b"
    for name, text in tree.sources():
        if name == "scripts/lib/rules.py":
            continue
        for m in re.finditer(pattern, text):
            yield f"{name}:{line_of(text, m.start())}: {m.group()}"


def machine_paths(tree):
    """No path of one machine stands in a file."""
    pattern = r"(?<![\w.])/(?:w[o]rk|r[o]ot|h[o]me|U[s]ers|t[m]p)/\w"
    for name, text in tree.texts.items():
        for m in re.finditer(pattern, text):
            yield f"{name}:{line_of(text, m.start())}: {text[m.start():m.start() + 30].splitlines()[0]}"


def named_paths(tree):
    """Every path of this repository that a comment or document names exists."""
    tops = {n.split("/")[0] for n in tree.texts if "/" in n}
    folders = {n.rsplit("/", k)[0] for n in tree.texts for k in range(1, n.count("/") + 1)}
    pattern = rf"(?<![\w/.-])((?:{'|'.join(map(re.escape, sorted(tops)))})/[\w./-]*\w)"
    for name, text in tree.texts.items():
        if name in ("scripts/lib/rules.py", "tests/scripts/test_rules.py") or not (name.endswith((".md", ".rs", ".py", ".h", ".cpp")) or text.startswith("#!")):
            continue
        for m in re.finditer(pattern, text):
            path = m.group(1)
            if path not in tree.texts and path not in folders and not path.startswith("target/"):
                yield f"{name}:{line_of(text, m.start())}: {path} does not exist"


def reject_tests(tree):
    """Every RejectKind is named by a test: a lit test by its remark, or a unit test."""
    text = tree.texts.get("src/error.rs", "")
    kinds = re.findall(r'Self::(\w+) => "\w+"', text)
    tests = [t for n, t in tree.texts.items() if n.startswith(("llvm-tests/", "tests/"))]
    units = [t[t.find("#[cfg(test)]"):] for n, t in tree.rust("src/") if "#[cfg(test)]" in t]
    units += [t for n, t in tree.rust("src/") if n.endswith("tests.rs") or "/tests/" in n]
    messages = dict(re.findall(r'Self::(\w+) => \{?\s*"([^"]+ [^"]+)"', text))
    for kind in sorted(set(kinds)):
        words = [kind, unique_start(messages.get(kind, kind), messages.values())]
        if not any(re.search(rf"(?<!\w){re.escape(w)}(?!\w)", t) for t in tests + units for w in words):
            yield f"no test names {kind}"


def unique_start(message, messages):
    """The first words of a message, three at least, that no other message starts with."""
    words = message.split()
    for n in range(3, len(words)):
        start = " ".join(words[:n]).rstrip(",")
        if not any(m.startswith(start) for m in messages if m != message):
            return start
    return message


def options_table(tree):
    """The options table of docs/options.md is the one that `polyrs options --markdown` prints."""
    text = tree.texts.get("docs/options.md", "")
    m = re.search(r"<!-- options -->\n(.*?)<!-- /options -->", text, re.S)
    if not m:
        yield "docs/options.md has no options table"
        return
    command = toolchain.target_dir() / "release" / "polyrs"
    options = tree.root / "src" / "options.rs"
    if not command.exists() or command.stat().st_mtime < options.stat().st_mtime:
        return
    table = subprocess.run([str(command), "options", "--markdown"], capture_output=True, text=True).stdout
    if table.strip() != m.group(1).strip():
        yield "docs/options.md: the options table is out of date: run scripts/update_options"


def constants_table(tree):
    """docs/constants.md has a row for each named number of the source, and no other row."""
    table = docs.rows(tree.texts.get(docs.CONSTANTS, ""))
    found = docs.constants(tree.sources())
    for name, value in sorted(found.keys() - table.keys()):
        yield f"{docs.CONSTANTS} has no row for {name} = {value}: run scripts/update_docs, then say what was measured"
    for name, value in sorted(table.keys() - found.keys()):
        yield f"{docs.CONSTANTS}: there is no {name} = {value} any more: run scripts/update_docs"


ALL = [layers, cpp_layers, crates, type_names, one_upward_call, foreign_crates, file_length, comment_width, function_length, unfinished,
       machine_paths, named_paths, reject_tests, constants_table, options_table]
