"""Runs the command lines of the README's table of compilers and linkers in this folder.

  run_readme.py README ROOT    ROOT stands for target/release

Each line in backquotes that names one of the files a.c, a.f90, a.rs, a.ll or a.o, which have to be there.
"""
import re
import subprocess
import sys
from pathlib import Path


def main():
    text, root = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    lines = [line for row in rows for line in re.findall(r"`([^`]+)`", row) if re.search(r"\ba\.(c|f90|rs|ll|o)\b", line)]
    failures = 0
    for line in lines:
        command = re.sub(r"^polyrs ", f"{root}/polyrs ", line.replace("target/release", root))
        run = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        failures += run.returncode != 0
        print(f"{'ok' if run.returncode == 0 else 'failed'}: {line}")
        if run.returncode:
            print(run.stdout)
    print(f"{len(lines)} lines, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
