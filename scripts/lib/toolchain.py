"""Where the tools are: LLVM 22's programs, the plugin, the repository; and a progress line."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LLVM_MAJOR = "22"


class ToolMissing(Exception):
    """A program or file that is needed is not there; the message says what to do."""


def llvm_bindir():
    """The folder of LLVM 22's programs, as llvm-config tells it."""
    for name in (f"llvm-config-{LLVM_MAJOR}", "llvm-config"):
        path = shutil.which(name)
        if not path:
            continue
        ask = lambda flag: subprocess.run([path, flag], capture_output=True, text=True).stdout.strip()
        if ask("--version").startswith(LLVM_MAJOR + "."):
            return Path(ask("--bindir"))
    default = Path(f"/usr/lib/llvm-{LLVM_MAJOR}/bin")
    if default.is_dir():
        return default
    raise ToolMissing(f"LLVM {LLVM_MAJOR} is not installed: run scripts/test or scripts/demo, which install it")


def program(name):
    """The path of one of LLVM 22's programs (clang, opt, lit, ...)."""
    path = llvm_bindir() / name
    if not path.exists():
        raise ToolMissing(f"{name} of LLVM {LLVM_MAJOR} is not installed: run scripts/test, which installs it")
    return str(path)


def target_dir():
    """Cargo's output folder."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def plugin(path=None):
    """The plugin's shared library: `path`, or the release build."""
    path = Path(path) if path else target_dir() / "release" / "libpolyrs.so"
    if not path.exists():
        raise ToolMissing(f"{path} is missing: run cargo build --release")
    return str(path)


def gomp():
    """The path of libgomp as GCC installs it (LLVM has a library of the same name), or None."""
    if not shutil.which("gcc"):
        return None
    answer = subprocess.run(["gcc", "-print-file-name=libgomp.so"], capture_output=True, text=True).stdout.strip()
    return answer if os.path.isabs(answer) else None


class Progress:
    """One line on a terminal that is overwritten; plain lines, one per `note`, elsewhere."""

    def __init__(self, total):
        self.total, self.done, self.tty = total, 0, sys.stderr.isatty()

    def step(self, text):
        """Shows what is going on now, and counts it."""
        self.done += 1
        if self.tty:
            print(f"\r\033[K[{self.done}/{self.total}] {text}"[:110], end="", file=sys.stderr, flush=True)

    def note(self, text):
        """A line that stays."""
        clear = "\r\033[K" if self.tty else ""
        print(f"{clear}{text}", file=sys.stderr, flush=True)

    def close(self):
        """Removes the line."""
        if self.tty:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
