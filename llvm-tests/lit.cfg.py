"""lit configuration: what the tests' RUN lines may use.

  %opt       opt of LLVM 22 with the plugin loaded
  %clang     clang of LLVM 22, without the plugin
  %polyrs    the command
  %plugin    path of the plugin, for -fpass-plugin and -load-pass-plugin
  %root      folder of the repository
  %kernels   folder of the C kernels
  %python    this Python
  %optviewer LLVM's viewer of optimization records
  %gomp      path of libgomp
  %rt        folder of the run-time library
  %rt_h      folder of its header
  %emulator  runs a program with the PTX emulator as the GPU's driver
  %no_driver runs a program without a driver
Features for REQUIRES: lld, rustc, flang, ccache, sccache, distcc, icecc, netns, autoconf, automake, libtool, cmake, meson, dpkg-deb, groff, fish, zsh,
opt-viewer, libomp, libgomp, root.
FileCheck, not, count, split-file and the other programs of LLVM 22 are on the PATH.
POLYRS_PLUGIN in lit's environment replaces the release build.
"""
import importlib.util
import os
import shutil
import subprocess
import sys

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "scripts", "lib"))
import toolchain

config.name = "polyrs"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(str(toolchain.target_dir()), "lit")

bindir = str(toolchain.llvm_bindir())
plugin = toolchain.plugin(os.environ.get("POLYRS_PLUGIN"))
config.environment["PATH"] = bindir + os.pathsep + config.environment["PATH"]
config.environment.pop("POLYRS_OPTIONS", None)
config.environment.pop("POLYRS_LOG", None)
# Programs that make a feature of their name, or of the word behind them.
tools = {"ld.lld": "lld", "rustc": "", "flang": "", "ccache": "", "sccache": "", "distccd": "distcc", "icecc": "", "autoconf": "", "automake": "",
         "libtoolize": "libtool", "cmake": "", "meson": "", "dpkg-deb": "", "groff": "", "fish": "", "zsh": ""}
for tool, feature in tools.items():
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(feature or tool)
opt_viewer = toolchain.llvm_bindir().parent / "share" / "opt-viewer" / "opt-viewer.py"
if opt_viewer.exists() and all(importlib.util.find_spec(module) for module in ("yaml", "pygments")):
    config.available_features.add("opt-viewer")
if (toolchain.llvm_bindir().parent / "lib" / "libomp.so").exists():
    config.available_features.add("libomp")
if os.geteuid() == 0:
    config.available_features.add("root")
# A network of its own, with a file of the kernel's replaced there.
in_namespace = ["unshare", "-n", "-m", "sh", "-c", "mount --bind /dev/null /proc/stat && ip link add x type veth"]
if shutil.which("ip") and subprocess.run(in_namespace, capture_output=True, check=False).returncode == 0:
    config.available_features.add("netns")
if gomp := toolchain.gomp():
    config.available_features.add("libgomp")
libraries = os.path.dirname(plugin)
# The emulator is a driver by its name alone.
driver = os.path.join(config.test_exec_root, "driver")
nothing = os.path.join(config.test_exec_root, "nothing")
for folder in (driver, nothing):
    os.makedirs(folder, exist_ok=True)
link = os.path.join(driver, "libcuda.so.1")
if not os.path.islink(link) or os.readlink(link) != os.path.join(libraries, "libptx_emulator.so"):
    if os.path.lexists(link):
        os.remove(link)
    os.symlink(os.path.join(libraries, "libptx_emulator.so"), link)
for variable in ("POLYRS_GPU", "POLYRS_GPU_LOG", "PTX_EMULATOR_FAULT", "PTX_EMULATOR_GRID", "PTX_EMULATOR_ORDER", "PTX_EMULATOR_STATS", "PTX_EMULATOR_CAPABILITY",
                 "PTX_EMULATOR_TRACE", "POLYRS_GPU_CHUNK"):
    config.environment.pop(variable, None)
# Nothing is kept between tests.
config.environment["POLYRS_GPU_CACHE"] = ""
config.substitutions += [
    ("%rt_h", os.path.join(root, "crates", "polyrs-rt", "include")),
    ("%rt", libraries),
    ("%emulator", f"env LD_LIBRARY_PATH={driver}{os.pathsep}{libraries} POLYRS_GPU=always"),
    ("%no_driver", f"env LD_LIBRARY_PATH={nothing}{os.pathsep}{libraries} POLYRS_GPU=always"),
    ("%optviewer", str(opt_viewer)),
    ("%opt", f"{bindir}/opt -load-pass-plugin={plugin}"),
    ("%clang", f"{bindir}/clang"),
    ("%polyrs", os.path.join(os.path.dirname(plugin), "polyrs")),
    ("%plugin", plugin),
    ("%python", sys.executable),
    ("%gomp", gomp or "libgomp-is-missing"),
    ("%root", root),
    ("%kernels", os.path.join(root, "bench", "kernels")),
]
