"""Prints what zsh completes a line to when Tab is pressed behind it.

  complete_zsh.py FOLDER LINE    FOLDER has the function _polyrs
"""
import os
import pty
import re
import select
import subprocess
import sys
import time

MOST_SECONDS = 60


def main():
    folder, line = os.path.abspath(sys.argv[1]), sys.argv[2]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "ZDOTDIR": folder, "PS1": "ready> "}
    shell = subprocess.Popen(["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True)
    os.close(theirs)
    os.write(ours, f"fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; echo compl'eted'\n".encode())
    # The prompt behind the echoed word says that the shell is ready; what it completes to comes some time after the
    # key.
    ready, wanted = rb"completed\r\n.*ready> ", re.escape(line.encode()) + rb"\S"
    shown, typed, end = b"", False, time.monotonic() + MOST_SECONDS
    while time.monotonic() < end and not (typed and re.search(wanted, shown)):
        if select.select([ours], [], [], 1)[0]:
            shown += os.read(ours, 4096)
        if not typed and re.search(ready, shown, re.S):
            os.write(ours, f"{line}\t".encode())
            typed = True
    end = time.monotonic() + 1
    while time.monotonic() < end and select.select([ours], [], [], 1)[0]:
        shown += os.read(ours, 4096)
    shell.kill()
    shell.wait()
    print(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown.decode(errors="replace")).replace("\b", ""))


if __name__ == "__main__":
    main()
