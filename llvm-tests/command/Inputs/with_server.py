"""Runs a command while servers that it needs are there, on free ports of this host alone: one of sccache, two of distcc.

  with_server.py sccache|distcc COMMAND..

The servers know nothing of the environment that the command sets for the plugin.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 60


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("the server does not answer")


def distccd(environment, quiet):
    """A host that compiles, and its port."""
    port = free_port()
    options = ["--daemon", "--no-detach", "--listen", "127.0.0.1", "--allow", "127.0.0.1", "--port", str(port), "--enable-tcp-insecure"]
    # A server that gives up being root cannot enter this user's folder of temporary files.
    theirs = {name: value for name, value in environment.items() if name not in ("TMPDIR", "TMP", "TEMP", "TEMPDIR")}
    server = subprocess.Popen(["distccd", *options], env=theirs, **quiet)
    wait_for(port)
    return server, port


def main():
    kind, command, servers = sys.argv[1], sys.argv[2:], []
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("POLYRS_", "SCCACHE_", "DISTCC_"))}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if kind == "sccache":
        port = free_port()
        environment |= {"SCCACHE_SERVER_PORT": str(port), "SCCACHE_IDLE_TIMEOUT": "600", "SCCACHE_DIR": tempfile.mkdtemp()}
        # A client that starts it waits ten seconds, which a busy machine may need more of.
        subprocess.run(["sccache", "--start-server"], env=environment, check=False, **quiet)
        wait_for(port)
    else:
        servers = [distccd(environment, quiet) for _ in range(2)]
        hosts = " ".join(f"127.0.0.1:{port}/1" for _, port in servers)
        environment |= {"DISTCC_HOSTS": hosts, "DISTCC_FALLBACK": "0"}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        for server, _ in servers:
            server.terminate()
            server.wait(MOST_SECONDS)
        if kind == "sccache":
            subprocess.run(["sccache", "--stop-server"], env=environment, check=False, **quiet)
            shutil.rmtree(environment["SCCACHE_DIR"], ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
