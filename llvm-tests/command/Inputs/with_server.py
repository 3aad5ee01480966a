"""Runs a command while a server that it needs is there, on a free port of this host alone.

  with_server.py sccache|distcc COMMAND..

The server knows nothing of the environment that the command sets for the plugin.
"""
import os
import socket
import subprocess
import sys
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


def main():
    kind, command, port = sys.argv[1], sys.argv[2:], free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("POLYRS_", "SCCACHE_", "DISTCC_"))}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if kind == "sccache":
        environment |= {"SCCACHE_SERVER_PORT": str(port), "SCCACHE_IDLE_TIMEOUT": "600"}
        server = None
    else:
        options = ["--daemon", "--no-detach", "--listen", "127.0.0.1", "--allow", "127.0.0.1", "--port", str(port), "--enable-tcp-insecure"]
        # A server that gives up being root cannot enter this user's folder of temporary files.
        theirs = {name: value for name, value in environment.items() if name not in ("TMPDIR", "TMP", "TEMP", "TEMPDIR")}
        server = subprocess.Popen(["distccd", *options], env=theirs, **quiet)
        wait_for(port)
        environment |= {"DISTCC_HOSTS": f"127.0.0.1:{port}", "DISTCC_FALLBACK": "0"}
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        if server:
            server.terminate()
            server.wait(MOST_SECONDS)
        else:
            subprocess.run(["sccache", "--stop-server"], env=environment, check=False, **quiet)


if __name__ == "__main__":
    sys.exit(main())
