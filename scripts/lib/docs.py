"""What docs/ takes from the code and from the programs: dumps of each stage, and the table of constants."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

import toolchain

ARCHITECTURE, CONSTANTS, EXAMPLE = "docs/ARCHITECTURE.md", "docs/constants.md", "docs/columns.c"
DUMP = re.compile(r"(<!-- dump: (.*?) -->\n```\w*\n)(.*?)(```\n<!-- /dump -->)", re.S)
WORD = r"(?:[iuf](?:8|16|32|64|128|size)|(?:\w+::)*c_u?(?:int|long)|(?:\w+::)*Duration)"
NUMBER = rf"(?:{WORD}|&?\[{WORD}(?:; ?\w+)?\]|\({WORD}(?:, {WORD})+\))"
CONSTANT = re.compile(
    rf"^((?:[ \t]*///[^\n]*\n)*)(?:[ \t]*#\[[^\n]*\n)*[ \t]*(?:pub(?:\([a-z: ]+\))? )?"
    # One number or several, or a value with fields of which one at least is given as a number.
    rf"const ([A-Z][A-Z0-9_]*): (?:{NUMBER}\s*=\s*([^;{{]+)|\w+\s*=\s*(\w+ \{{[^;]*: \[?[0-9][^;]*\}}));",
    re.M)
CPP_NUMBER = r"(?:unsigned|int|long|float|double|size_t|u?int\d+_t)"
# `const` alone is also what is never written again: a number only if the value is written in numbers.
CPP_CONSTANT = re.compile(
    rf"\s*(?:(?:static |inline )*constexpr {CPP_NUMBER} (\w+ = [^;{{]+)|(?:static )?const {CPP_NUMBER} (\w+ = [^;{{a-zA-Z]+(?:, \w+ = [^;{{a-zA-Z]+)*));")
CPP_ENUM = re.compile(r"\s*enum (?:class |struct )?(\w*)[^;{]*\{(.*)")
ENUMERATOR = re.compile(r"(\w+) = ([^,}]+)")
# What the passes, the set library and the run-time library of GPUs are made of.
FOLDERS = ("src/", "crates/presburger/src/", "crates/polyrs-rt/src/")
ROW = re.compile(r"^\| `([\w:]+)` \| `(.*?)` \| (.*?) \| (.*?) \|$", re.M)
NOT_MEASURED = "not measured"
TABLE_HEAD = "| constant | value | what it is | measured |\n|---|---|---|---|\n"


def constants(sources):
    """{(name, value): meaning} of every numeric constant in (file name, text) pairs, tests left out. Where several files
    have one of the same name and value, it goes by `file::NAME`."""
    places = {}
    for name, text in sources:
        if not name.startswith(FOLDERS) or "/tests" in name or name.endswith("tests.rs"):
            continue
        stem = Path(name).stem if Path(name).stem != "mod" else Path(name).parent.name
        for constant, value, meaning in of_rust(text) if name.endswith(".rs") else of_cpp(text):
            places.setdefault((constant, value), []).append((stem, meaning.replace("|", "\\|") or "see its file"))
    found = {}
    for (constant, value), all_of in places.items():
        for stem, meaning in all_of:
            found[constant if len(all_of) == 1 else f"{stem}::{constant}", value] = meaning
    return found


def of_rust(text):
    """(name, value, meaning) of each numeric constant of a Rust file."""
    for doc, constant, number, fields in CONSTANT.findall(text.split("#[cfg(test)]\nmod tests")[0]):
        lines = (line.strip().removeprefix("///").strip() for line in doc.strip().splitlines())
        yield constant, " ".join((number or fields).split()).replace(", }", " }"), re.sub(r"\[`(.*?)`\]", r"`\1`", " ".join(lines))


def of_cpp(text):
    """The same of a C++ file, with the enumerators that are given a number (`Enum::Name`). Constants on lines right below
    each other share the comment above them."""
    meaning, above, enum = "", [], None
    for line in text.splitlines():
        if line.lstrip().startswith("//"):
            above.append(line.strip().removeprefix("//").strip())
            continue
        opened = CPP_ENUM.match(line)
        if opened:
            meaning, (enum, line) = "", opened.groups()
        pattern = CPP_CONSTANT if enum is None else re.compile("(.*)()")
        declared = pattern.match(line)
        meaning = " ".join(above) if above else meaning if declared else ""
        above = []
        prefix = f"{enum}::" if enum else ""
        for constant, value in ENUMERATOR.findall(declared.group(1) or declared.group(2) or "") if declared else ():
            yield prefix + constant, " ".join(value.split()), meaning
        enum = None if "}" in line else enum


def rows(text):
    """{(name, value): measured} of the table."""
    return {(name, value): measured for name, value, _, measured in ROW.findall(text)}


def with_table(text, found):
    """The document with a row for each constant; what is said of measurements stays, new rows say that there is none."""
    head, rest = text.split("<!-- constants -->\n", 1)
    tail = rest.split("<!-- /constants -->", 1)[1]
    measured = rows(text)
    lines = [f"| `{name}` | `{value}` | {meaning} | {measured.get((name, value), NOT_MEASURED)} |"
             for (name, value), meaning in sorted(found.items())]
    return f"{head}<!-- constants -->\n{TABLE_HEAD}" + "\n".join(lines) + f"\n<!-- /constants -->{tail}"


def dumped(text, plugin):
    """The document with every dump made anew. Commands run in a shell: %opt, %ir (the example as unoptimized IR), %source."""
    bindir = toolchain.llvm_bindir()
    source = toolchain.ROOT / EXAMPLE
    with tempfile.TemporaryDirectory() as folder:
        ir = Path(folder) / "columns.ll"
        flags = ["-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"]
        subprocess.run([f"{bindir}/clang", *flags, str(source), "-o", str(ir)], check=True)
        names = {"%opt": f"{bindir}/opt -load-pass-plugin={plugin}", "%ir": str(ir), "%source": str(source)}

        def made(match):
            command = match.group(2)
            for name, value in names.items():
                command = command.replace(name, value)
            path = f"{bindir}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, cwd=folder,
                                  env=dict(os.environ, PATH=path))
            if done.returncode:
                raise toolchain.ToolMissing(f"this dump fails:\n  {match.group(2)}\n{done.stderr[:500]}")
            return match.group(1) + without_places(done.stdout).rstrip("\n") + "\n" + match.group(4)

        return DUMP.sub(made, text)


def without_places(text):
    """A dump without what differs from machine to machine."""
    kept = (line.rstrip() for line in text.splitlines() if not line.startswith(("; ModuleID", "source_filename")))
    return "\n".join(kept)
