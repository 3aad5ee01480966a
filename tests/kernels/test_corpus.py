"""bench/corpus: programs of the kinds people write, each with what becomes of its loops. Compiled with and without the plugin they print
the same; the funnel is printed, and what gets elsewhere than its first line says fails the test, and so does a program whose new code is
never run, as it says itself where it is compiled with -polyrs-trace, or whose best estimate is below the gain that stands in its line: an
order that was lost does not show in an outcome. The target is a fixed one: costs, and so what is kept, differ between
processors."""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import toolchain

EXPECTED = re.compile(r"// expect: (rewritten|kept|refused \w+)(?:, ([\d.]+) times)?\. \S")
SUFFIXES = (".c", ".cpp", ".rs") if shutil.which("rustc") else (".c", ".cpp")
OUTCOMES = {"Reordered": "rewritten", "Kept": "kept"}


def run_both(*words, **variables):
    environment = os.environ | variables
    p = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=120, env=environment)
    if p.returncode:
        raise AssertionError(f"{' '.join(map(str, words))}: {p.stderr[-2000:]}")
    return p.stdout, p.stderr


def run(*words, **variables):
    return run_both(*words, **variables)[0]


def outcome(record):
    """The best that became of a region of `kernel`, by the remarks in an optimization record."""
    names = [re.search(r"^Name: +(\w+)", remark, re.M)[1] for remark in record.split("--- !")[1:]
             if re.search(r"^Function: +\w*kernel", remark, re.M)]
    told = [OUTCOMES.get(name, f"refused {name}") for name in names]
    return next((o for o in ("rewritten", "kept") if o in told), told[0] if told else "refused silently")


def gain(record):
    """The largest estimated gain of a region of `kernel`, by the remarks in an optimization record; 1 if there is none."""
    told = [re.search(r"^ +- Gain: +'([\d.]+)'", remark, re.M) for remark in record.split("--- !")[1:]
            if re.search(r"^Function: +\w*kernel", remark, re.M)]
    return max((float(g[1]) for g in told if g), default=1)


def executed(said):
    """Of the regions of `kernel`, "new" if new code was run, "original" if only original code was, or "none"."""
    codes = set(re.findall(r"^polyrs: \w*kernel\S*: (new|original) code$", said, re.M))
    return next((code for code in ("new", "original") if code in codes), "none")


def compile_rust(program, old, new, traced, record):
    """The program without and with the plugin, which writes its remarks to the record, and one that says which code it runs."""
    words = ["rustc", "--edition", "2024", "-O", "-C", "target-cpu=x86-64-v3", "-C", "codegen-units=1", program, "-o"]
    remarks = record.with_suffix(".remarks")
    remarks.mkdir()
    run(*words, old)
    run(*words, new, "-Z", f"llvm-plugins={toolchain.plugin()}", "-C", "passes=polyrs", "-C", "remark=polyrs",
        "-Z", f"remark-dir={remarks}", RUSTC_BOOTSTRAP="1", POLYRS_OPTIONS="-polyrs-fatal-bugs")
    run(*words, traced, "-Z", f"llvm-plugins={toolchain.plugin()}", "-C", "passes=polyrs", RUSTC_BOOTSTRAP="1", POLYRS_OPTIONS="-polyrs-trace")
    record.write_text("".join(p.read_text() for p in sorted(remarks.glob("*.yaml"))))


def compile_clang(program, old, new, traced, record):
    """As compile_rust, for C and C++."""
    is_cpp = program.suffix == ".cpp"
    compiler = toolchain.llvm_bindir() / ("clang++" if is_cpp else "clang")
    words = [compiler, *(["-std=c++20"] if is_cpp else []), "-O3", "-march=x86-64-v3", program, "-lm", "-o"]
    run(*words, old)
    run(*words, new, f"-fpass-plugin={toolchain.plugin()}", "-mllvm", "-polyrs-fatal-bugs", "-fsave-optimization-record=yaml",
        "-foptimization-record-passes=polyrs", f"-foptimization-record-file={record}")
    run(*words, traced, f"-fpass-plugin={toolchain.plugin()}", "-mllvm", "-polyrs-trace")


def measure(program, folder):
    """What was expected of a program, with the least gain, what became of it and the gain, whether it prints the same, and which code it
    runs."""
    old, new, traced, record = (folder / f"{program.name}.{end}" for end in ("old", "new", "traced", "yaml"))
    (compile_rust if program.suffix == ".rs" else compile_clang)(program, old, new, traced, record)
    printed = run(old)
    output, said = run_both(traced)
    same = printed != "" and printed == run(new) and printed == output
    text = record.read_text() if record.exists() else ""
    expected, least = EXPECTED.match(program.read_text()).groups()
    return program.name, (expected, float(least or 0)), (outcome(text), gain(text)), same, executed(said)


class Corpus(unittest.TestCase):
    def test_each_program_gets_as_far_as_it_says(self):
        programs = sorted(p for p in (ROOT / "bench" / "corpus").iterdir() if p.suffix in SUFFIXES)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda p: measure(p, Path(folder)), programs))
        funnel = collections.Counter(became for _, _, (became, _), _, _ in results)
        modelled = funnel["rewritten"] + funnel["kept"]
        print(f"\n{len(results)} programs, {modelled} modelled: " + ", ".join(f"{n} {what}" for what, n in funnel.most_common()))
        print(f"{sum(code == 'new' for *_, code in results)} run new code")
        for name, (expected, least), (became, times), same, code in results:
            with self.subTest(program=name):
                self.assertTrue(same, "prints something else")
                self.assertEqual(became, expected)
                self.assertGreaterEqual(times, least, "an order that gains more was found before")
                if expected == "rewritten":
                    self.assertEqual(code, "new", "the run-time test never holds")


if __name__ == "__main__":
    unittest.main()
