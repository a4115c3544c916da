"""haproxy and nginx with the configurations that are shipped."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import time

import attacker
import harness
from ports import held_address

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
LISTENS, SERVER = "127.0.0.1:7420", "127.0.0.1:7421"
START_SECONDS = 20.0

# With what the server behind each is started.
FLAGS = {"haproxy": ("--proxies", "127.0.0.1"),
         # As in docs/server.md, of fewer descriptors.
         "nginx": ("--max-connections", 440,
                   "--max-connections-per-peer", 440)}
KINDS = tuple(FLAGS)


def share_of_failures(kind, flood):
    """Of the small calls of others. Behind nginx all clients are one peer:
    where resets pass it, what is done to one is done to all."""
    return 0.5 if kind == "nginx" and flood.startswith("resets") else 0


def replaced(text, old, new):
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)


class Proxy:
    """One proxy before a server, until its end."""

    def __init__(self, kind, directory, server_address):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.address = held_address()
        shipped, = (DEPLOY / kind).glob("torqued.c*f*")
        text = replaced(shipped.read_text(), LISTENS, self.address)
        text = replaced(text, SERVER, server_address)
        if kind == "nginx":
            text = replaced(text, "/run/torqued-nginx.pid",
                            str(directory / "pid"))
        configuration = directory / shipped.name
        configuration.write_text(text)
        program = shutil.which(kind, path=os.environ["PATH"] + ":/usr/sbin")
        command = {
            "haproxy": [program, "-db", "-f", str(configuration)],
            "nginx": [program, "-p", str(directory), "-e", "stderr", "-g",
                      "daemon off;", "-c", str(configuration)],
        }[kind]
        self.log_file = directory / "proxy.log"
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._wait_until_listening()

    def _wait_until_listening(self):
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            assert self.process.poll() is None, self.log_file.read_text()
            with contextlib.suppress(OSError):
                attacker.connect(self.address).close()
                return
            time.sleep(0.02)
        raise TimeoutError(self.log_file.read_text())

    def _processes(self):
        """The folders in /proc of it and its children."""
        pid = self.process.pid
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [pathlib.Path(f"/proc/{one}") for one in [
            pid, *children.split()]]

    def forget_peak(self):
        """Without the right to that, the peak is the one since the start."""
        for process in self._processes():
            with contextlib.suppress(OSError):
                (process / "clear_refs").write_text("5")

    def peak(self):
        """Most bytes in use of the process and its children."""
        return sum(
            1024 * int(line.split()[1]) for process in self._processes()
            for line in (process / "status").read_text().splitlines()
            if line.startswith("VmHWM:"))

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(harness.STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.stop()
