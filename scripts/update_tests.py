#!/usr/bin/env python3
"""Rewrite the CHECK lines of lit tests from what the programs print now. Read the diff before you commit it.

  scripts/update_tests.py TEST ...      the tests named
  scripts/update_tests.py --all         every test that this script wrote before
  scripts/update_tests.py --check --all only say which would change; exit status 1 if any

RUN lines run in their order. A test is rewritten for each that ends in `| FileCheck %s`, with or without --check-prefix. Its old CHECK
lines go, the new ones stand at the end of the file: CHECK for the first line of a paragraph, CHECK-NEXT for the others, so
that every line of the output is pinned. Hand-written tests say what matters; use this for prints that must stay as they are.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
import toolchain

NOTE = "checks below are written by scripts/update_tests.py"
TESTS = toolchain.ROOT / "llvm-tests"


def run_lines(text):
    """RUN lines, continuations joined."""
    joined = re.sub(r"\\\n[;/]+ *RUN: *", " ", text)
    return re.findall(r"^[;/]+ *RUN: *(.*)$", joined, re.M)


def substituted(command, test, plugin, folder):
    """A command with lit's substitutions replaced; see llvm-tests/lit.cfg.py. `folder` is for what it writes."""
    bindir = toolchain.llvm_bindir()
    pairs = [("%opt", f"{bindir}/opt -load-pass-plugin={plugin}"), ("%clang", f"{bindir}/clang"), ("%plugin", plugin),
             ("%kernels", str(toolchain.ROOT / "bench" / "kernels")), ("%t", f"{folder}/{test.name}.tmp"),
             ("%S", str(test.parent)), ("%s", str(test))]
    for name, value in pairs:
        command = command.replace(name, value)
    return command


def output_of(command):
    """What a shell command prints, with LLVM's programs first on the PATH."""
    path = f"{toolchain.llvm_bindir()}{os.pathsep}{os.environ['PATH']}"
    p = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True,
                       env=dict(os.environ, PATH=path), timeout=60)
    if p.returncode:
        raise toolchain.ToolMissing(f"this RUN line fails:\n  {command}\n{p.stderr[:500]}")
    return p.stdout


def check_lines(prefix, comment, output):
    """The CHECK lines that pin an output."""
    lines, after_blank = [], True
    for line in output.splitlines():
        if not line.strip():
            after_blank = True
            continue
        text = re.sub(r"\[\[|\{\{", lambda m: "{{" + "".join("\\" + c for c in m.group()) + "}}", line)
        lines.append(f"{comment} {prefix}{'' if after_blank else '-NEXT'}: {text.strip()}")
        after_blank = False
    return lines


def rewritten(test, plugin):
    """The new text of a test."""
    text = test.read_text()
    comment = "//" if test.suffix == ".c" else ";"
    blocks, prefixes = [], []
    with tempfile.TemporaryDirectory() as folder:
        for command in run_lines(text):
            m = re.fullmatch(r"(.*)\|\s*FileCheck\s+%s(?:\s+-?-check-prefix[= ](\S+))?\s*", command)
            output = output_of(substituted(m.group(1) if m else command, test, plugin, folder))
            if m:
                prefixes.append(m.group(2) or "CHECK")
                blocks.append(check_lines(prefixes[-1], comment, output))
    if not blocks:
        raise toolchain.ToolMissing(f"{test}: no RUN line that ends in `| FileCheck %s`")
    names = "|".join(map(re.escape, prefixes))
    old = re.compile(rf"^[;/]+ *(?:(?:{names})(?:-NEXT|-SAME|-NOT|-LABEL|-DAG|-EMPTY)?:.*|{re.escape(NOTE)})\n", re.M)
    body = old.sub("", text).rstrip() + "\n"
    return body + f"\n{comment} {NOTE}\n" + "\n\n".join("\n".join(b) for b in blocks) + "\n"


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("tests", nargs="*", type=Path)
    a.add_argument("--all", action="store_true", help="every test that this script wrote before")
    a.add_argument("--check", action="store_true", help="change nothing")
    a.add_argument("--plugin", help="path of libpolyrs.so (default: target/release)")
    opt = a.parse_args()
    tests = [t.resolve() for t in opt.tests]
    if opt.all:
        tests += [t for t in sorted(TESTS.rglob("*")) if t.suffix in (".ll", ".c") and NOTE in t.read_text()]
    elif not tests:
        a.error("name a test, or --all")
    changed = []
    for test in tests:
        new = rewritten(test, toolchain.plugin(opt.plugin))
        if new != test.read_text():
            changed.append(test)
            if not opt.check:
                test.write_text(new)
            print(f"{'out of date' if opt.check else 'rewritten'}: {test}")
    print(f"{len(changed)} of {len(tests)} tests {'would change' if opt.check else 'changed'}")
    return bool(opt.check and changed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except toolchain.ToolMissing as missing:
        sys.exit(f"error: {missing}")
