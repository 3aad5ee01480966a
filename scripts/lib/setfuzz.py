"""The fuzzing run: feeds chunks of cases to the library, checks the answers with isl, makes failures smaller, keeps the tally."""
import json
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import setcases
import setoracle
import toolchain
from oracleworker import Oracle

KINDS = list(setcases.MAKERS)
CHUNK = 100
# Seconds of computing after which a chunk, and a single case, count as hanging: the clock of a loaded machine says
# nothing.
CHUNK_SECONDS, CASE_SECONDS = 120, 30
MEMORY_BYTES = 4 << 30
# After so many different failures a run is not worth going on.
MOST_FAILURES = 25


class Library:
    """The library behind its line-by-line example program."""

    def __init__(self, root):
        subprocess.run(["cargo", "build", "-q", "--release", "-p", "presburger", "--example", "lines"], cwd=root, check=True)
        # A copy: a build beside a long run must not change what is tested.
        self.folder = tempfile.TemporaryDirectory()
        built = toolchain.target_dir() / "release" / "examples" / "lines"
        self.command = [shutil.copy2(built, self.folder.name)]

    def once(self, lines, seconds):
        """Answers to the first of the lines, up to one that hangs or kills the process; and whether it hung."""
        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

        p = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True, preexec_fn=bound)
        out = whole_lines(p.communicate("\n".join(lines) + "\n")[0])
        return out, p.returncode in (-signal.SIGXCPU, -signal.SIGKILL)

    def answers(self, lines):
        """One answer per line; `process=hang` or `process=crash` for those without."""
        out = []
        while len(out) < len(lines):
            got, hung = self.once(lines[len(out):], CHUNK_SECONDS if len(lines) > 1 else CASE_SECONDS)
            out += got
            if len(out) < len(lines):
                out.append("process=hang" if hung else "process=crash")
        return out


def whole_lines(text):
    """The lines that were ended: a killed process may leave half of one."""
    return text.split("\n")[:-1]


def results(answer):
    return [part.split("=", 1) for part in answer.split("\t")]


class Run:
    """A run over some kinds of cases, with its counts."""

    def __init__(self, root, kinds, only, seed, tally):
        self.root, self.kinds, self.only, self.tally = root, kinds, only, tally
        self.library = Library(root)
        self.next = {k: seed for k in KINDS}
        self.counts, self.failures, self.chunks, self.started = {}, [], 0, time.time()
        if tally and tally.exists():
            saved = json.loads(tally.read_text())
            self.next.update(saved["next"])
            self.counts = saved["counts"]
        self.oracle = Oracle()

    def until(self, minutes, cases):
        """Runs for so long or so many cases of each kind; the exit status."""
        first, done, shown = dict(self.next), 0, time.time()
        with ThreadPoolExecutor(1) as pool:
            pending = None
            while True:
                chunk = self.chunk(done, first, minutes, cases)
                job = chunk and (chunk, pool.submit(self.library.answers, self.lines(*chunk)))
                if pending:
                    self.check(pending[0], pending[1].result())
                    done += len(pending[0][1])
                pending = job
                if not pending or len(self.failures) >= MOST_FAILURES:
                    break
                if time.time() - shown > 30:
                    shown = time.time()
                    self.progress(done)
                    self.save()
        self.oracle.close()
        self.save()
        self.table()
        return 1 if self.failures else 0

    def chunk(self, done, first, minutes, cases):
        """The next kind and cases, or None at the end: the kind that is furthest behind comes first."""
        if minutes is not None and time.time() - self.started >= minutes * 60:
            return None
        # Some kind always has an operation of the class that is furthest behind.
        kinds = [k for k in self.kinds if self.only or self.behind(k)]
        kind = min(kinds, key=lambda k: self.next[k] - (0 if self.tally else first[k]))
        count = CHUNK if cases is None else min(CHUNK, first[kind] + cases - self.next[kind])
        if count <= 0:
            return None
        start = self.next[kind]
        self.next[kind] += count
        return kind, [setcases.make(kind, s) for s in range(start, start + count)]

    def lines(self, kind, cases):
        """The cases with the operations to run: those of the classes that are not ahead of the others.

        One chunk in sixteen is answered in text, which isl's parser reads slowly; the others in rows."""
        ops = [self.only] if self.only else self.behind(kind)
        self.chunks += 1
        form = "" if self.chunks % 16 == 0 else "rows:"
        return [f"{form}{','.join(ops)}\t{c.line()}" for c in cases]

    def behind(self, kind):
        """Operations of a kind whose class has not been confirmed much more often than the one that is furthest behind."""
        right = {setoracle.CLASS_OF.get(op, op): 0 for k in self.kinds for op in setoracle.CHECKS[k]}
        for key, e in self.counts.items():
            op = key.split(" ", 1)[1]
            name = setoracle.CLASS_OF.get(op, op)
            right[name] = right.get(name, 0) + e["right"]
        least = min(right[setoracle.CLASS_OF.get(op, op)] for k in self.kinds for op in setoracle.CHECKS[k])
        own = {op: setoracle.CLASS_OF.get(op, op) for op in setoracle.CHECKS[kind]}
        return [op for op, name in own.items() if right.get(name, 0) <= 1.1 * least + 2000]

    def check(self, chunk, answers):
        kind, cases = chunk
        for case, answer in zip(cases, answers):
            asked = []
            for op, text in results(answer):
                if op in ("process", "read"):
                    self.failed(case, op, text)
                else:
                    asked.append((op, text))
            # All first: a failure asks the same worker again.
            verdicts = list(self.oracle.verdicts(case.line(), asked))
            for (op, _), verdict in zip(asked, verdicts):
                entry = self.counts.setdefault(f"{kind} {op}", {"right": 0, "limit": 0, "open": 0})
                if verdict in ("ok", "limit", "skip"):
                    entry[{"ok": "right", "limit": "limit", "skip": "open"}[verdict]] += 1
                else:
                    self.failed(case, op, verdict)

    def verdict_on(self, case, op):
        answer = self.library.answers([f"{op}\t{case.line()}"])[0]
        for name, text in results(answer):
            if name == "process":
                return text
            if name == op and name != "read":
                return next(self.oracle.verdicts(case.line(), [(op, text)]))
        return "gone" if op != "read" else text

    def fails_like(self, verdict, op):
        """A test whether a case has this verdict for this operation."""
        return lambda case: self.verdict_on(case, op).split(":")[0] == verdict.split(":")[0]

    def failed(self, case, op, verdict):
        """Makes the case smaller, prints it, and keeps it as a test."""
        if op == "process":
            # The operation that brings the process down.
            op = next((o for o in setoracle.CHECKS[case.kind] if self.fails_like(verdict, o)(case)), None)
            if not op:
                print(f"{verdict} of a whole chunk, not seen again with {case.line()!r}", flush=True)
                return
        # A hang takes long to see again.
        small = setcases.minimise(case, self.fails_like(verdict, op), 12 if verdict == "hang" else 400)
        line = f"{op}\t{small.line()}"
        if line in self.failures:
            return
        self.failures.append(line)
        print(f"{verdict}: {op}\n  " + small.line().replace("\t", "\n  "), flush=True)
        print(f"  answer: {self.library.answers([line])[0]}", flush=True)
        expected = self.oracle.expected(small.line(), op) if op in setoracle.CHECKS[small.kind] else "any"
        with open(self.root / "crates" / "presburger" / "tests" / "regressions.txt", "a", encoding="utf-8") as f:
            f.write(f"{expected}\t{line}\n")

    def progress(self, done):
        right = sum(e["right"] for e in self.counts.values())
        minutes = (time.time() - self.started) / 60
        print(f"{minutes:.1f} min: {done} cases, {right} answers confirmed in all, {len(self.failures)} failures", flush=True)

    def save(self):
        if self.tally:
            self.tally.write_text(json.dumps({"next": self.next, "counts": self.counts}, indent=1, sort_keys=True) + "\n")

    def table(self):
        """Confirmed answers by class of operations, the least-tested operation of each first."""
        print(f"{'operation':<28}{'confirmed':>11}{'limit':>9}{'open':>9}")
        for name, ops in setoracle.classes(self.counts):
            total = {k: sum(self.counts[o][k] for o in ops) for k in ("right", "limit", "open")}
            print(f"{name:<28}{total['right']:>11}{total['limit']:>9}{total['open']:>9}")
            for o in ops:
                e = self.counts[o]
                print(f"  {o:<26}{e['right']:>11}{e['limit']:>9}{e['open']:>9}")
        seconds = time.time() - self.started
        print(f"{len(self.failures)} failures, {seconds:.0f} s")
