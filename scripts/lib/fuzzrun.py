"""Compiles random programs, many in one file, with and without polyrs, compares what they print, and shrinks a program that fails."""
import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import gpu
import kernels
import loopcpp
import loopgen
import loopprint
import looprust
import toolchain

MAX_TRIALS = 400  # compilations while a failing program is made smaller
BATCH = 40  # programs in one file: its seeds begin with a multiple of this

# One of these for some batches; all with -polyrs-process-unprofitable.
DRAWN = [
    "-polyrs-tile-sizes=3,5,2",
    "-polyrs-default-tile-size=4",
    "-polyrs-fusion=max",
    "-polyrs-fusion=max -polyrs-tile-sizes=4,4,4",
    "-polyrs-fusion=none",
    "-polyrs-optimizer=none",
    "-polyrs-tiling=false",
    "-polyrs-diamond-tiling=false -polyrs-default-tile-size=3",
    "-polyrs-position=before-vectorizer",
    "-polyrs-parallel -polyrs-parallel-force",
    "-polyrs-parallel -polyrs-parallel-force -polyrs-tile-sizes=2,3,4",
    "-polyrs-parallel -polyrs-parallel-force -polyrs-scheduling=dynamic -polyrs-fusion=max",
]
THREADS = "3"
# How the code is compiled around polyrs, one for each batch: LLVM's costly passes behind it run in every third one,
# sanitizers in others.
PLAIN = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"]
ADDRESSES = [*PLAIN, "-fsanitize=address", "-fno-omit-frame-pointer"]
TRAPS = [*PLAIN, "-fsanitize=signed-integer-overflow,array-bounds,shift", "-fsanitize-trap=all"]
AROUND = [[], PLAIN, PLAIN, [], PLAIN, PLAIN, [], ADDRESSES, TRAPS, [], PLAIN, PLAIN]
# For kernels: how many threads a block has, drawn by the seed.
SIZES = ["", "-polyrs-gpu-sizes=7,3", "-polyrs-gpu-sizes=1", "-polyrs-gpu-sizes=64,2,2",
         "-polyrs-gpu-sizes=grid=2,1:tile=40,6:1.block=5,2"]

# What a compilation may take for each program in the file and for the compiler itself; what takes more fails.
SECONDS_EACH, SECONDS_MORE = 10, 20
MEGABYTES_EACH, MEGABYTES_MORE, MEGABYTES_RUST = 60, 600, 6000
RUN_SECONDS = 60
REFERENCE = "the reference failed"


def limited(args, seconds, megabytes=None, variables=None):
    """Runs a command in so many seconds of computing and so much memory: (status, stdout, stderr)."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if megabytes:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    try:
        p = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", preexec_fn=limit,
                           timeout=4 * seconds, env={**os.environ, "OMP_NUM_THREADS": THREADS, **(variables or {})})
    except subprocess.TimeoutExpired:
        return "no end", "", ""
    return p.returncode, p.stdout, p.stderr


def told(status, err):
    """A message about a command that failed."""
    lines = [l for l in err.splitlines() if ("error" in l.lower() or "panic" in l) and " 0 internal errors" not in l] or err.splitlines()
    return f"exit {status}: {lines[0][:200] if lines else 'no message'}"


# Where the reference's own sanitizer looks at a program too: what it makes of undefined behaviour is a fault of the
# generator.
UNDEFINED = ["-fsanitize=undefined", "-fno-sanitize=vptr,function", "-fsanitize-trap=undefined"]
LANGUAGES = ("c", "c++", "rust")
# The languages of batches one after the other where none is asked for.
MIX = ["c", "c", "c", "c++", "c", "c", "rust", "c", "c", "c"]


class Language:
    """How programs of a language are printed and compiled."""

    def __init__(self, name):
        self.name = name
        self.suffix, self.printer = {"c": (".c", loopprint), "c++": (".cpp", loopcpp), "rust": (".rs", looprust)}[name]

    def generate(self, seed):
        """The program of a seed."""
        return loopgen.generate(seed, self.name)

    def command(self, source, exe, plugin, way, checked):
        """(compiler and arguments, variables): as it stands if `way` is None, and then, if `checked`, with a sanitizer."""
        if self.name == "rust":
            words = ["rustc", "--edition", "2024", "--cap-lints", "allow", "-C", "codegen-units=1", "-C", "debug-assertions=off", str(source), "-o", str(exe)]
            if not way:
                return [*words, "-C", "opt-level=0"], {}
            words += ["-C", "opt-level=3", "-C", "target-cpu=native", "-Z", f"llvm-plugins={plugin}"]
            if "-fno-vectorize" in way.around:
                words += ["-C", "no-vectorize-loops", "-C", "no-vectorize-slp"]
            if "-polyrs-parallel" in way.options:
                words += ["-C", f"link-arg=-L{toolchain.llvm_bindir().parent}/lib", "-C", "link-arg=-lomp",
                          "-C", f"link-arg=-Wl,-rpath,{toolchain.llvm_bindir().parent}/lib"]
            options = f"-polyrs-fatal-bugs -polyrs-report {way.options}"
            return words, {"RUSTC_BOOTSTRAP": "1", "POLYRS_OPTIONS": options}
        how = ["-O0", *(UNDEFINED if checked else [])]
        if way:
            # The reference is what the source says, not what LLVM makes of it.
            how = ["-O3", "-march=native", f"-fpass-plugin={plugin}", "-mllvm", "-polyrs-fatal-bugs", "-mllvm", "-polyrs-report", *way.flags()]
        if self.name == "c++":
            how.append("-std=c++20")
        compiler = toolchain.program("clang++" if self.name == "c++" else "clang")
        linker = ["-fuse-ld=lld"] if (toolchain.llvm_bindir() / "ld.lld").exists() else []
        return [compiler, "-w", "-ffp-contract=off", *linker, *how, str(source), "-o", str(exe)], {}


class Way:
    """How a batch is compiled: options of polyrs, and other flags."""

    def __init__(self, options, around):
        self.options, self.around = options, around

    def flags(self):
        """The compiler's flags."""
        words = [w for o in self.options.split() for w in ("-mllvm", o)]
        return [*self.around, *words, *(["-lomp"] if "-polyrs-parallel" in self.options else [])]

    def __str__(self):
        return " ".join([self.options or "default", *self.around])


class Runner:
    """`variants`: one string of -polyrs options per polyrs compilation; None for one that the number of the batch tells.
    `language`: of the programs; None for one that the number of the batch tells."""

    def __init__(self, plugin, variants, language="c"):
        self.plugin, self.variants = plugin, variants
        self.languages = {name: Language(name) for name in ([language] if language else LANGUAGES)}
        # How many regions have new code, or programs kernels that ran.
        self.changed = 0
        self.clang = toolchain.program("clang")
        self.linker = ["-fuse-ld=lld"] if (toolchain.llvm_bindir() / "ld.lld").exists() else []

    def language_of(self, seed):
        """The language of a seed's program."""
        if len(self.languages) == 1:
            return next(iter(self.languages.values()))
        return self.languages[MIX[seed // BATCH % len(MIX)]]

    def ways_of(self, seed):
        """How the batch of a seed is compiled with polyrs."""
        number, forced = seed // BATCH, "-polyrs-process-unprofitable"
        around = AROUND[number % len(AROUND)]
        drawn = DRAWN[(number // 7 + number // 84) % len(DRAWN)]
        return [Way(o, around) for o in self.variants or [["", forced, f"{drawn} {forced}"][number % 7 % 3]]]

    def text(self, programs, way):
        """The file of some programs, for the reference if `way` is None."""
        return self.language_of(programs[0].seed).printer.file(programs)

    def text_of(self, seed):
        """The file of one seed's program."""
        return self.text([self.language_of(seed).generate(seed)], None)

    def compile(self, programs, folder, way):
        """(path of the program, None) or (None, message)."""
        seed = programs[0].seed
        language = self.language_of(seed)
        source, exe = Path(folder) / f"program{language.suffix}", Path(folder) / ("polyrs" if way else "reference")
        source.write_text(self.text(programs, way))
        args, variables = language.command(source, exe, self.plugin, way, seed // BATCH % 4 == 1)
        memory = MEGABYTES_MORE + MEGABYTES_EACH * len(programs) if language.name != "rust" else MEGABYTES_RUST
        if way and way.around is ADDRESSES:
            memory = None
        status, _, err = limited(args, SECONDS_MORE + SECONDS_EACH * len(programs), memory, variables)
        if new := re.search(r"(\d+) regions transformed", err):
            self.changed += int(new[1])
        return (exe, None) if status == 0 else (None, told(status, err))

    def hashes(self, exe):
        """({seed: lines} of all programs that came to their end, message or None)."""
        status, out, err = limited([str(exe)], RUN_SECONDS)
        parts = re.split(rf"^{loopprint.BEGINS} (\d+)\n", out, flags=re.M)
        found = dict(zip(map(int, parts[1::2]), parts[2::2]))
        if status == 0:
            return found, None
        found.pop(int(parts[-2]) if len(parts) > 2 else None, None)
        return found, told(status, err)

    def differ(self, programs, want, way, folder):
        """{seed: message} of the programs that print something else when compiled that way, or fail."""
        exe, message = self.compile(programs, folder, way)
        got = {}
        if exe:
            got, message = self.hashes(exe)
        if exe and not message:
            return {p.seed: f"{way}: different bits" for p in programs if got.get(p.seed) != want[p.seed]}
        if len(programs) == 1:
            return {programs[0].seed: f"{way}: {message}"}
        middle = len(programs) // 2
        parts = [self.differ(part, want, way, folder) for part in (programs[:middle], programs[middle:])]
        # What no half shows is a failure of all together: it stays with the first program.
        return parts[0] | parts[1] or {programs[0].seed: f"{way}: {len(programs)} programs from this one: {message}"}

    def try_programs(self, programs, ways):
        """{seed: message} of the programs that fail."""
        with tempfile.TemporaryDirectory() as folder:
            exe, message = self.compile(programs, folder, None)
            want, message = self.hashes(exe) if exe else ({}, message)
            failed = {p.seed: f"{REFERENCE}: {message}" for p in programs if p.seed not in want}
            for way in ways:
                left = [p for p in programs if p.seed not in failed]
                failed |= self.differ(left, want, way, folder) if left else {}
        return failed

    def try_batch(self, seeds):
        """{seed: message} of the programs of some seeds of one batch that fail."""
        return self.try_programs([self.language_of(s).generate(s) for s in seeds], self.ways_of(seeds[0]))

    def keep_smallest(self, seed, folder):
        """Writes the smallest failing version of a seed's program; its path."""
        program, trials, ways = self.language_of(seed).generate(seed), 0, self.ways_of(seed)
        shrinking = not self.try_programs([program], ways).get(seed, "").startswith(REFERENCE)
        while shrinking and trials < MAX_TRIALS:
            shrinking = False
            for candidate in loopgen.smaller(program):
                trials += 1
                if trials >= MAX_TRIALS:
                    break
                message = self.try_programs([candidate], ways).get(seed, REFERENCE)
                if not message.startswith(REFERENCE):
                    program, shrinking = candidate, True
                    break
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"seed-{seed}{self.language_of(seed).suffix}"
        path.write_text(self.text([program], ways[0]))
        return path


class GpuRunner(Runner):
    """Programs with kernels, in the emulator: with the threads in one order and in another, and with a call of the driver that fails."""

    def options_of(self, seed):
        """The -polyrs options of each compilation of a seed's program."""
        usual = f"-polyrs-process-unprofitable {SIZES[seed % len(SIZES)]}"
        return [f"-polyrs-target=gpu {o}".strip() for o in self.variants or [usual]]

    def runs_of(self, seed):
        """The (order, fault) of each run."""
        fault = gpu.FAULTS[seed % len(gpu.FAULTS)]
        late = f"{fault}={1 + seed // len(gpu.FAULTS) % 4}"
        return [("forward", None), (gpu.ORDERS[1 + seed % 3], None), ("forward", fault if seed % 2 else late)]

    def try_programs(self, programs, ways):
        """{seed: message} of the programs that fail."""
        tried = {p.seed: self.try_program(p) for p in programs}
        self.changed += sum(ran for _, ran in tried.values())
        return {seed: message for seed, (message, _) in tried.items() if message}

    def try_program(self, program):
        """(message or None, True if something ran as kernels)."""
        fused = ["-march=x86-64-v3", "-ffp-contract=on"] if program.seed % 2 else ["-march=x86-64-v3", "-ffp-contract=off"]
        ran = False
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "program.c"
            source.write_text(program.c_text())
            build = [self.clang, "-O3", "-w", *fused, *self.linker, str(source)]
            kernels.call([*build, "-o", f"{folder}/host"], 120)
            want, _ = kernels.call([f"{folder}/host"], 60)
            for options in self.options_of(program.seed):
                words = [w for o in options.split() for w in ("-mllvm", o)]
                try:
                    kernels.call([*build, f"-fpass-plugin={self.plugin}", *words, *gpu.link_flags(), "-o", f"{folder}/gpu"], 120)
                except kernels.Failed as failure:
                    return f"{options}: {failure}", ran
                for order, fault in self.runs_of(program.seed):
                    what = f"{options}, order {order}, fault {fault}"
                    try:
                        got, err = kernels.call([f"{folder}/gpu"], 120, env=gpu.environment(order, fault))
                    except kernels.Failed as failure:
                        return f"{what}: {failure}", ran
                    ran |= any(where == "device" for _, where, _ in gpu.regions(err))
                    if found := gpu.findings(err):
                        return f"{what}: {found[0]}", ran
                    if got != want:
                        return f"{what}: different bits", ran
        return None, ran
