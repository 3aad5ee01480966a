"""Runs the commands of a Markdown text in this folder and compares what they print.

  run_tour.py FILE ROOT    ROOT stands for the folder that the text starts in

Lines of four blanks are commands (`$ `, with the lines of a here-document) and what these print, in that order: `...` stands for any
text, on a line of its own for any lines. Output that is not shown is not compared. All commands run in one shell.
"""
import re
import subprocess
import sys
from pathlib import Path

END = "=== end of a command"


def steps(text):
    """Pairs of a command and the lines that it is said to print."""
    found, document = [], None
    for line in text.splitlines():
        if not line.startswith("    "):
            continue
        line = line[4:]
        if document:
            found[-1][0].append(line)
            document = None if line == document else document
        elif line.startswith("$ "):
            found.append(([line[2:]], []))
            here = re.search(r"<<'(\w+)'", line)
            document = here and here.group(1)
        else:
            found[-1][1].append(line)
    return [("\n".join(command), lines) for command, lines in found]


def shown(lines, printed):
    """Whether the lines stand in what was printed, one after the other."""
    pattern = "".join(r"(?:.*\n)*?" + (r"(?:.*\n)*?" if line == "..." else part(line) + r"\n") for line in lines)
    return re.search(r"^" + pattern, printed, re.M)


def part(line):
    return r"[^\n]*".join(re.escape(piece) for piece in line.split("..."))


def main():
    text, root = Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[2]
    todo = [(command.replace("$PWD/target/release", root), lines) for command, lines in steps(text)]
    script = "".join(f"{command}\n[ $? = 0 ] || echo it failed\necho '{END}'\n" for command, _ in todo)
    run = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    outputs = run.stdout.split(END + "\n")
    failures = 0
    for (command, lines), printed in zip(todo, outputs):
        if printed.endswith("it failed\n") or not shown(lines, printed):
            failures += 1
            print(f"$ {command}\n--- is said to print\n" + "\n".join(lines) + f"\n--- prints\n{printed}")
    if len(outputs) != len(todo) + 1:
        failures += 1
        print(f"{len(todo)} commands, {len(outputs) - 1} ended")
    print(f"{len(todo)} commands, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
