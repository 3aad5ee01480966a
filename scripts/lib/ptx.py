"""PTX that the compiler writes into programs, and the assembler of PyPI's wheels: what it makes of each kernel."""
import re
import subprocess
import tempfile
from pathlib import Path

import kernels
import toolchain

# What the kernels are for by default, what is in use now; the newest is what the assembler knows last.
LOWEST, CURRENT = "sm_60", "sm_90"


def assembler():
    """The path of ptxas as `install_ptxas` of setup.sh puts it, or None."""
    return next(iter(sorted((toolchain.target_dir() / "ptxas").glob("**/bin/ptxas"))), None)


def architectures(ptxas):
    """The lowest, the current and the newest architecture, of those that the assembler knows."""
    text, _ = kernels.call([str(ptxas), "--help"], 60)
    known = sorted({int(n) for n in re.findall(r"'sm_(\d+)'", text)})
    wanted = {int(LOWEST[3:]), int(CURRENT[3:]), known[-1]}
    return [f"sm_{n}" for n in known if n in wanted or n == next(k for k in known if k >= int(LOWEST[3:]))]


def of_ir(text):
    """The PTX modules in a program's IR."""
    found = re.findall(r'^@"?polyrs\.gpu\.[^ ]*ptx"? = private[^\n]*? c"(.*)"', text, re.M)
    plain = lambda m: chr(int(m.group(1), 16))
    return [re.sub(r"\\([0-9A-F]{2})", plain, ptx).rstrip("\0") for ptx in found]


def of_program(source, flags):
    """The PTX modules of a C file."""
    args = [toolchain.program("clang"), "-O3", "-march=x86-64-v3", "-w", "-S", "-emit-llvm", f"-fpass-plugin={toolchain.plugin()}",
            "-mllvm", "-polyrs-target=gpu", "-mllvm", "-polyrs-process-unprofitable", *flags, str(source), "-o", "-"]
    return of_ir(kernels.call(args, 120)[0])


def assemble(ptxas, ptx, arch):
    """{kernel: (registers, bytes of stack, bytes spilled)} for one architecture; raises Failed where it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.ptx"
        source.write_text(ptx)
        p = subprocess.run([str(ptxas), f"-arch={arch}", "-v", str(source), "-o", str(Path(folder) / "out")],
                           capture_output=True, text=True, timeout=300)
        if p.returncode:
            raise kernels.Failed((p.stderr or p.stdout).strip().splitlines()[0])
    found, name = {}, None
    for line in (p.stderr + p.stdout).splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name, stack, spilled = m.group(1), 0, 0
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, spilled = int(m.group(1)), int(m.group(2)) + int(m.group(3))
        elif m := re.search(r"Used (\d+) registers", line):
            found[name] = int(m.group(1)), stack, spilled
    return found
