"""lit configuration: what the tests' RUN lines may use.

  %opt       opt of LLVM 22 with the plugin loaded
  %clang     clang of LLVM 22, without the plugin
  %polyrs    the command
  %plugin    path of the plugin, for -fpass-plugin and -load-pass-plugin
  %kernels   folder of the C kernels
  %python    this Python
  %gomp      path of libgomp
Features for REQUIRES: lld, rustc, flang, ccache, cmake, meson, libomp, libgomp.
FileCheck, not, count, split-file and the other programs of LLVM 22 are on the PATH.
POLYRS_PLUGIN in lit's environment replaces the release build.
"""
import os
import shutil
import sys

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(root, "scripts", "lib"))
import toolchain

config.name = "polyrs"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(str(toolchain.target_dir()), "lit")

bindir = str(toolchain.llvm_bindir())
plugin = toolchain.plugin(os.environ.get("POLYRS_PLUGIN"))
config.environment["PATH"] = bindir + os.pathsep + config.environment["PATH"]
config.environment.pop("POLYRS_OPTIONS", None)
config.environment.pop("POLYRS_LOG", None)
for tool in ("ld.lld", "rustc", "flang", "ccache", "cmake", "meson"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool.removeprefix("ld."))
if (toolchain.llvm_bindir().parent / "lib" / "libomp.so").exists():
    config.available_features.add("libomp")
if gomp := toolchain.gomp():
    config.available_features.add("libgomp")
config.substitutions += [
    ("%opt", f"{bindir}/opt -load-pass-plugin={plugin}"),
    ("%clang", f"{bindir}/clang"),
    ("%polyrs", os.path.join(os.path.dirname(plugin), "polyrs")),
    ("%plugin", plugin),
    ("%python", sys.executable),
    ("%gomp", gomp or "libgomp-is-missing"),
    ("%kernels", os.path.join(root, "bench", "kernels")),
]
