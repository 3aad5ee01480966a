"""isl in a process of its own, which can end: some of isl's functions count no operations and do not come back.

Run as a program it is the worker: requests on standard input, answers on standard output, each a line of JSON.
"""
import json
import signal
import subprocess
import sys

# Seconds of computing that isl may take for one verdict: on a loaded machine the clock says nothing.
VERDICT_SECONDS = 5


class Oracle:
    """A worker and the requests to it; one that ended (isl did not come back, or crashed) is replaced."""

    def __init__(self, command=(sys.executable, __file__)):
        self.command, self.worker = command, None

    def verdicts(self, line, results):
        """Yields the verdict on each `(operation, answer)` of a case (`setoracle.verdict`): `skip` from where isl ended on."""
        self.send({"line": line, "results": results})
        for op, _ in results:
            verdict = self.receive() if self.worker else "skip"
            if verdict is None:
                print(f"isl has no answer within {VERDICT_SECONDS} s: {op}\t{line}", flush=True)
            yield verdict or "skip"

    def expected(self, line, op):
        """isl's answer as text (`setoracle.expected`), or `any`."""
        self.send({"line": line, "expected": op})
        return self.receive() or "any"

    def send(self, request):
        if not self.worker:
            self.worker = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.worker.stdin.write(json.dumps(request) + "\n")
        self.worker.stdin.flush()

    def receive(self):
        """The next answer, or None if the worker ended."""
        line = self.worker.stdout.readline()
        if line.endswith("\n"):
            return json.loads(line)
        self.close()
        return None

    def close(self):
        """Ends the worker; the next request starts another."""
        if self.worker:
            self.worker.kill()
            self.worker.communicate()
            self.worker = None


def work(oracle, requests, seconds=VERDICT_SECONDS):
    """Answers requests; a signal ends the process where one takes too long, inside isl as well."""
    def answer(value):
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps(value), flush=True)

    for text in requests:
        request = json.loads(text)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        if "expected" in request:
            answer(oracle.expected(request["line"], request["expected"]))
            continue
        try:
            view = oracle.view_of(request["line"])
        except oracle.isl.Error as e:
            view = None
            unread = f"unreadable: {e}"
        for op, text in request["results"]:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            answer(oracle.verdict(view, op, text) if view else unread)


def main():
    # Only the worker has isl.
    import setoracle

    setoracle.isl.DEFAULT_CONTEXT.set_max_operations(setoracle.OPERATIONS)
    work(setoracle, sys.stdin)


if __name__ == "__main__":
    main()
