"""Runs a command at a terminal of its own and stops it as Ctrl-C does, once a file holds a text; prints what it said.

  stop_tune.py FILE TEXT COMMAND..
"""
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time

MOST_SECONDS = 120


def main():
    wanted, text, command = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]

    def is_there():
        return wanted.exists() and text in wanted.read_text()

    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True)
    os.close(theirs)
    end = time.monotonic() + MOST_SECONDS
    while not is_there() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    found = is_there()
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=MOST_SECONDS)[0].decode()
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:
        pass
    print(printed)
    print(f"status {process.returncode}, {wanted} {'was' if found else 'was not'} there")
    print(shown.decode().replace("\r", "\n").replace("\x1b[K", ""))


if __name__ == "__main__":
    main()
