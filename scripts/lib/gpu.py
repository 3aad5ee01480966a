"""Running programs with kernels: the emulator as the driver, and what a run says."""
import os
import re
import subprocess

import kernels
import toolchain

# What the emulator can be told to let fail, and the orders in which it runs blocks and threads.
FAULTS = ["init", "no-device", "context", "module", "alloc", "pinned", "to-device", "to-host", "on-device", "launch", "lost", "stream", "event",
          "record", "behind", "wait"]
ORDERS = ["forward", "backward", "random=1", "random=2"]


def libraries():
    """The folder of the run-time library and the emulator."""
    folder = toolchain.target_dir() / "release"
    for name in ("libpolyrs_rt.so", "libptx_emulator.so"):
        if not (folder / name).exists():
            raise toolchain.ToolMissing(f"{folder / name} is missing: run cargo build --release --workspace")
    return folder


def driver():
    """A folder in which the emulator is called as the driver is."""
    folder = toolchain.target_dir() / "emulator"
    folder.mkdir(parents=True, exist_ok=True)
    link, emulator = folder / "libcuda.so.1", libraries() / "libptx_emulator.so"
    if not link.is_symlink() or link.readlink() != emulator:
        new = folder / f"new.{os.getpid()}"
        new.symlink_to(emulator)
        new.replace(link)
    return folder


def environment(order=None, fault=None, emulated=True, use="always", log=True, grid=None):
    """The environment of a program that runs its regions in the emulator (without: where the real driver is), with so many blocks at most."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("POLYRS_GPU", "PTX_EMULATOR"))}
    folders = ([str(driver())] if emulated else []) + [str(libraries())]
    folders += [f for f in [os.environ.get("LD_LIBRARY_PATH")] if f]
    env = {**keep, "LD_LIBRARY_PATH": os.pathsep.join(folders), "POLYRS_GPU": use}
    if emulated:
        env["POLYRS_GPU_CACHE"] = ""
        env["POLYRS_GPU_CHUNK"] = "1000"
    if log:
        env["POLYRS_GPU_LOG"] = "1" if log is True else log
    if order:
        env["PTX_EMULATOR_ORDER"] = order
    if fault:
        env["PTX_EMULATOR_FAULT"] = fault
    if grid:
        env["PTX_EMULATOR_GRID"] = str(grid)
    return env


def findings(err):
    """What the emulator found wrong with kernels."""
    return [line for line in err.splitlines() if line.startswith("ptx-emulator:")]


def regions(err):
    """[(region, "device" or "host", the rest)] in the order of the log."""
    return re.findall(r"^polyrs: (\S+): (device|host)\b(.*)$", err, re.M)


def link_flags():
    """What a program with kernels is linked with."""
    return [f"-L{libraries()}", "-lpolyrs_rt"]


def device():
    """(what is known of the device, True) or (why there is none, False)."""
    program = toolchain.target_dir() / "release" / "polyrs-gpu"
    if not program.exists():
        return f"{program} is missing: run cargo build --release --workspace", False
    asked = subprocess.run([str(program)], capture_output=True, text=True)
    return asked.stdout.strip(), asked.returncode == 0


def configuration(plugin_path=None, extra=()):
    """The configuration of programs with kernels, wherever they are expected to pay or not."""
    lib = toolchain.plugin(plugin_path)
    options = ["-polyrs-target=gpu", "-polyrs-process-unprofitable", *extra]
    clang = [f"-fpass-plugin={lib}", *(w for o in options for w in ("-mllvm", o)), *link_flags()]
    return kernels.Config("polyrs-gpu", clang, [f"-load-pass-plugin={lib}", *options])


def run(exe, timeout, runs=1, **how):
    """Runs a kernel's program: ([(wall, cpu) seconds], {array: hash}, what it says on the error stream)."""
    out, err = kernels.call([exe, str(runs)], timeout, environment(**how))
    times, hashes = kernels.results(out)
    return times, hashes, err
