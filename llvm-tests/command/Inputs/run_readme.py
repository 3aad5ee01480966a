"""Runs the README's command lines for compilers and linkers in this folder.

  run_readme.py README ROOT    ROOT stands for target/release

Each line of code that names one of the files a.c, a.f90, a.rs, a.ll or a.o, which have to be there. Each has to tell of the loops, since the
lines ask for a report.
"""
import re
import subprocess
import sys
from pathlib import Path


def main():
    text, root = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
    code = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    lines = [line for line in code if re.search(r"\ba\.(c|f90|rs|ll|o)\b", line)]
    failures = 0
    for line in lines:
        command = re.sub(r"^polyrs ", f"{root}/polyrs ", line.replace("target/release", root))
        run = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        is_fine = run.returncode == 0 and re.search("functions with a loop|rewritten|kept", run.stdout)
        failures += not is_fine
        print(f"{'ok' if is_fine else 'failed'}: {line}")
        if not is_fine:
            print(run.stdout)
    print(f"{len(lines)} lines, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
