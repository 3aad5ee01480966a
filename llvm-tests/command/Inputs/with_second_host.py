"""Runs a command on a host that sends what it compiles to another one, by icecc.

  with_second_host.py COMMAND..

Both hosts are network namespaces of this machine with a cable between them: on the first one the scheduler, and a daemon that takes no work
from others; on the second one a daemon that does. It must not mind what else this machine does: it is shown a processor that is idle. What it
compiled is printed behind the command. Needs to be root.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

MOST_SECONDS = 60
COMMAND_SECONDS = 300
ADDRESSES = ("10.213.7.1", "10.213.7.2")
# Runs a program that takes a file for what the kernel says of the processors.
WITH_STATISTICS = 'mount --bind "$1" /proc/stat && shift && exec "$@"'


def run(words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def idle(file, ended):
    """Writes statistics of a processor that has nothing to do."""
    ticks = 0
    while not ended.wait(0.2):
        ticks += 20
        with open(file, "r+", encoding="ascii") as statistics:
            statistics.write(f"cpu  1 0 1 {ticks:09} 0 0 0 0 0 0\n")


def connect(hosts):
    """Makes the hosts, with a cable between them."""
    ends = [f"pr{os.getpid()}{end}" for end in "ab"]
    for host in hosts:
        run(["ip", "netns", "add", host])
    run(["ip", "link", "add", ends[0], "netns", hosts[0], "type", "veth", "peer", "name", ends[1], "netns", hosts[1]])
    for host, end, address in zip(hosts, ends, ADDRESSES):
        run(["ip", "-n", host, "addr", "add", f"{address}/24", "dev", end])
        for up in (end, "lo"):
            run(["ip", "-n", host, "link", "set", up, "up"])


class Servers:
    """Scheduler and daemons, each with a log in the folder."""

    def __init__(self, folder):
        self.folder, self.running = folder, []

    def start(self, host, name, words):
        (self.folder / name).mkdir()
        shutil.chown(self.folder / name, "icecc", "icecc")
        own = {"PATH": os.environ["PATH"], "ICECC_TESTS": "1", "ICECC_ENV_COMPRESSION": "zstd", "ICECC_TEST_SOCKET": str(self.folder / f"{name}.socket")}
        words = ["ip", "netns", "exec", host, *words, "-n", "polyrs", "-vvv", "-l", str(self.folder / f"{name}.log")]
        self.running.append(subprocess.Popen(words, env=own, stdin=subprocess.DEVNULL))

    def log(self, name):
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""

    def wait_for(self, name, text):
        end = time.monotonic() + MOST_SECONDS
        while text not in self.log(name):
            if time.monotonic() > end:
                sys.exit(f"{name} never says '{text}':\n{self.log(name)}")
            time.sleep(0.1)

    def stop(self):
        for server in self.running:
            server.terminate()
        for server in self.running:
            server.wait(MOST_SECONDS)


def main():
    hosts = [f"polyrs-{os.getpid()}-{which}" for which in ("first", "second")]
    ended = threading.Event()
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = pathlib.Path(name)
        # The daemons give up being root.
        folder.chmod(0o777)
        servers = Servers(folder)
        statistics = folder / "statistics"
        statistics.write_text("cpu  1 0 1 000000000 0 0 0 0 0 0\n", encoding="ascii")
        threading.Thread(target=idle, args=(statistics, ended), daemon=True).start()
        try:
            connect(hosts)
            servers.start(hosts[0], "scheduler", ["icecc-scheduler"])
            servers.wait_for("scheduler", "scheduler ready")
            daemon = ["iceccd", "-s", ADDRESSES[0], "-u", "icecc"]
            servers.start(hosts[0], "first", [*daemon, "-N", "first", "-b", str(folder / "first"), "--no-remote"])
            with_statistics = ["sh", "-c", WITH_STATISTICS, "sh", str(statistics)]
            servers.start(hosts[1], "second", [*with_statistics, *daemon, "-N", "second", "-b", str(folder / "second"), "-m", "2"])
            servers.wait_for("scheduler", "login first")
            servers.wait_for("scheduler", "login second")
            own = os.environ | {"ICECC_TEST_SOCKET": str(folder / "first.socket"), "ICECC_PREFERRED_HOST": "second"}
            command = ["timeout", str(COMMAND_SECONDS), "ip", "netns", "exec", hosts[0], *sys.argv[1:]]
            status = subprocess.run(command, env=own, check=False, stdin=subprocess.DEVNULL).returncode
            print(f"the second host compiled {servers.log('second').count('exit code 0')} files", flush=True)
            return status
        finally:
            ended.set()
            servers.stop()
            for host in hosts:
                subprocess.run(["ip", "netns", "del", host], check=False)


if __name__ == "__main__":
    sys.exit(main())
