"""counts.py BEFORE AFTER "KERNEL WHAT TIMES"...: kernels whose name matches have so many times fewer requests or instructions in the log
AFTER of the emulator than in BEFORE. counts.py --sectors LOG "KERNEL MOST"...: their requests touch at most so many sectors each."""
import re
import sys
from pathlib import Path


def counts(log, kernel):
    """{what: sum over the launches of kernels of that name}"""
    sums = {"instructions": 0, "requests": 0, "sectors": 0}
    line = rf"ptx-emulator: {kernel}: .* (\d+) instructions, (\d+) global requests, (\d+) sectors,"
    for found in re.findall(line, Path(log).read_text()):
        sums = {what: sums[what] + int(n) for what, n in zip(sums, found)}
    if not sums["instructions"]:
        sys.exit(f"{kernel} is not in {log}")
    return sums


def fewer(before, after, claims):
    for kernel, what, times in map(str.split, claims):
        old, new = counts(before, kernel)[what], counts(after, kernel)[what]
        print(f"{kernel}: {old} {what} before, {new} after")
        if old < float(times) * new:
            sys.exit(f"less than {times} times fewer")


def coalesced(log, claims):
    for kernel, most in map(str.split, claims):
        found = counts(log, kernel)
        each = found["sectors"] / found["requests"]
        print(f"{kernel}: {each:.2f} sectors per request")
        if each > float(most):
            sys.exit(f"more than {most}")


if sys.argv[1] == "--sectors":
    coalesced(sys.argv[2], sys.argv[3:])
else:
    fewer(sys.argv[1], sys.argv[2], sys.argv[3:])
