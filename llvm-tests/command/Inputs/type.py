r"""Types at the prompt of a command, at a terminal of its own, and prints what that shows.

  type.py COMMAND.. < KEYS

Each line of KEYS is typed once the prompt is back: \n is the Enter key, ^C, ^D and ^R are keys with Ctrl, <up> is an arrow key.
"""
import os
import pty
import re
import select
import subprocess
import sys
import time

MOST_SECONDS, QUIET_SECONDS = 30, 0.4
PROMPTS = ("> ", ". ")
KEYS = {"<up>": "\x1b[A", "<left>": "\x1b[D", "\\n": "\r", **{f"^{c}": chr(ord(c) - 64) for c in "ACDR"}}
# What terminals are told besides text: colours, places of the cursor, modes.
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r")


def read_until_prompt(ours, process):
    """What is shown until a prompt has been the last of it for a while, or the command has ended."""
    shown, end = b"", time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        if select.select([ours], [], [], QUIET_SECONDS)[0]:
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break
        elif process.poll() is not None or CONTROL.sub("", shown.decode(errors="replace")).endswith(PROMPTS):
            break
    return shown


def main():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True)
    os.close(theirs)
    shown = read_until_prompt(ours, process)
    for line in sys.stdin.read().splitlines():
        for name, key in KEYS.items():
            line = line.replace(name, key)
        os.write(ours, line.encode())
        shown += read_until_prompt(ours, process)
    try:
        status = process.wait(MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "it did not end"
    print(CONTROL.sub("", shown.decode(errors="replace")))
    print(f"status {status}")


if __name__ == "__main__":
    main()
