"""Compares how two programs end, in each of several ways: output, status, and that they end at all.

Usage: ends.py HOST WAY,... COMMAND...

COMMAND gets the way as its last argument, and runs once as it is and once with a context that is lost.
"""

import os
import subprocess
import sys

SECONDS = 60


def ended(command, **more):
    """(status, output) of a program."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **more})
    return (done.returncode, done.stdout), done.stderr


def main(host, ways, *command):
    for way in ways.split(","):
        expected, _ = ended([host, way])
        for fault in ("", "lost"):
            got, told = ended([*command, way], PTX_EMULATOR_FAULT=fault, POLYRS_GPU_LOG="1")
            if got != expected:
                sys.exit(f"{way} {fault}: {got} instead of {expected}\n{told}")
            print(f"{way} {fault or 'device'}: status {got[0]}")
            print(told)


main(*sys.argv[1:])
