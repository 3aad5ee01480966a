"""The sets and maps of the thirty kernels as isl text: bench/presburger/*.txt, written by `dump`, read by `read`.

One file per kind. A line `# KERNEL` starts a kernel, every other line is a set or map. Arrays are parameters of run-time size
(SHAPE_PARAM), so sizes are symbolic. Lines that repeat within a kernel are left out.
"""
import re
import subprocess
import tempfile
from pathlib import Path

import kernels
import toolchain

FOLDER = toolchain.ROOT / "bench" / "presburger"
KINDS = ["domains", "accesses", "dependences", "schedules"]


def printed(ll, phase, plugin):
    """What polyrs prints of a phase for the timed function of a file."""
    passes = f"print<polyrs-{phase}<only-func=kernel;process-unprofitable>>"
    command = [toolchain.program("opt"), f"-load-pass-plugin={plugin}", f"-passes={passes}", "-disable-output", str(ll)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise kernels.Failed(done.stderr.splitlines()[0])
    return done.stdout + done.stderr


def compiled(kernel, folder):
    """The kernel's IR as clang emits it."""
    ll = folder / f"{kernel}.ll"
    source = kernels.FOLDER / f"{kernel}.c"
    flags = ["-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", "-DSHAPE_PARAM"]
    subprocess.run([toolchain.program("clang"), *flags, "-o", str(ll), str(source)], check=True)
    return ll


def quoted_list(text):
    """The prefix and the braced parts of `[params] -> [{ .. }, { .. }]`."""
    prefix = re.match(r"(\[[^\]]*\] -> )?\[", text)
    return prefix.group(1) or "", re.findall(r"\{([^{}]*)\}", text)


def flat_schedules(tree):
    """`{ Stmt[..] -> T[..] : domain }` of each statement of a printed schedule tree: band members and sequence positions, outermost
    first, padded with zeros to one length."""
    found, path, domains, params = {}, [], {}, ""
    for line in tree.splitlines():
        entry = re.match(r'( *)(- )?(\w+): ?(?:"(.*)")?', line)
        if not entry:
            continue
        depth, key, text = len(entry.group(1)) + bool(entry.group(2)), entry.group(3), entry.group(4)
        path = [step for step in path if step[0] < depth]
        if key == "domain":
            params = re.match(r"(\[[^\]]*\] -> )?", text).group()
            for part in text[len(params):].strip("{ }").split(";"):
                domains.setdefault(re.match(r"\s*(\w+)", part).group(1), []).append(part.strip())
        elif key == "schedule":
            members = [dict(re.findall(r"(\w+)\[[^\]]*\] -> \[\((.*?)\)\](?=;|\s*$)", part)) for part in quoted_list(text)[1]]
            path.append((depth, "band", members))
        elif key == "sequence":
            path.append((depth, "sequence", [-1]))
        elif key == "filter":
            last = [step for step in path if step[1] == "sequence"][-1]
            last[2][0] += 1
            for stmt in re.findall(r"(\w+)\[", text[len(params):]):
                found.setdefault(stmt, [])
        for stmt in domains if key in ("schedule", "filter") else ():
            collect(found, stmt, key, path, text[len(params):])
    length = max((len(v) for v in found.values()), default=0)
    lines = []
    for stmt, values in sorted(found.items()):
        out = ", ".join(values + ["0"] * (length - len(values)))
        pieces = [re.sub(r"^(\w+\[.*?\])", rf"\1 -> T[{out}]", part) for part in domains[stmt]]
        lines.append(f"{params}{{ {'; '.join(pieces)} }}")
    return lines


def collect(found, stmt, key, path, text):
    """Appends what the newest step of the path adds to a statement's time."""
    if key == "filter" and re.search(rf"\b{stmt}\[", text):
        found[stmt].append(str([step for step in path if step[1] == "sequence"][-1][2][0]))
    if key == "schedule":
        for member in path[-1][2]:
            if stmt in member:
                found.setdefault(stmt, []).append(member[stmt])


def objects(kernel, folder, plugin):
    """Per kind the lines of one kernel."""
    ll = compiled(kernel, folder)
    scops = printed(ll, "scops", plugin)
    accesses = re.findall(r"^  (?:read|must_write|may_write): (.*)", scops, re.M)
    dependences = re.findall(r"^(?:RAW|WAR|WAW) [^:]*: (.*)", printed(ll, "dependences", plugin), re.M)
    trees = re.split(r"^(?=domain: )", printed(ll, "schedule", plugin), flags=re.M)
    schedules = [line for tree in trees if tree.startswith("domain: ") for line in flat_schedules(tree)]
    return {"domains": re.findall(r"^  domain: (.*)", scops, re.M), "accesses": accesses, "dependences": dependences,
            "schedules": schedules}


def dump(plugin):
    """Writes the files anew."""
    texts = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        for kernel in kernels.FIELD:
            for kind, lines in objects(kernel, Path(folder), plugin).items():
                texts[kind] += [f"# {kernel}", *dict.fromkeys(lines)]
    for kind, lines in texts.items():
        (FOLDER / f"{kind}.txt").write_text("\n".join(lines) + "\n")


def read():
    """{kernel: {kind: [text]}} of the files."""
    found = {}
    for kind in KINDS:
        kernel = None
        for line in (FOLDER / f"{kind}.txt").read_text().splitlines():
            if line.startswith("# "):
                kernel = line[2:]
            else:
                found.setdefault(kernel, {k: [] for k in KINDS})[kind].append(line)
    return found
