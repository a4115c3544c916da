"""A server that is restarted again and again while a client works.

Restarts the server at the same address under the load of each language, in order,
and after each fourth time by SIGKILL as well. Fails where a call failed or was
answered with other bits than before; of gRPC's own stubs where it failed otherwise
than with UNAVAILABLE, or where a stream that had replies was not told its next row
by a server that left in order. Exit code 77: a language was skipped.
"""

import argparse
import collections
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
sys.path.append(str(HERE.parent / "support"))

from ports import held_address

# Far above what anything here takes: what waits this long hangs.
PATIENCE = 60.0


class Skipped(Exception):
    pass


def python_load(name, build):
    return ["env", f"PYTHONPATH={build}/python", sys.executable, "-B",
            HERE / f"{name}_load.py"]


def node_load(name, build):
    package = build / "tests/client/node/package"
    installed = subprocess.run(
        [SOURCE / "tests/client/node/install.sh", package], check=False)
    if installed.returncode == 77:
        raise Skipped
    installed.check_returncode()
    # Where its imports are found.
    for file in HERE.glob("*.mjs"):
        (package / "tests" / file.name).write_bytes(file.read_bytes())
    return ["node", package / "tests" / f"{name}_load.mjs"]


LOADS = {
    "cpp": lambda build: [build / "bin/torqued_cpp_load"],
    "python": lambda build: python_load("python", build),
    "node": lambda build: node_load("node", build),
    "torquectl": lambda build: [
        *python_load("torquectl", build), build / "bin/torquectl"],
    # gRPC's own stubs, without a line of ours.
    "raw_cpp": lambda build: [build / "bin/torqued_raw_cpp_load"],
    "raw_node": lambda build: node_load("raw_node", build),
    "raw_cpp_unix": lambda build: [build / "bin/torqued_raw_cpp_load"],
}
KILLED_AFTER = 4


def unexpected(language, times, saw):
    """What the run is to have met, or it shows nothing, and what it is not."""
    if not language.startswith("raw_"):
        return []
    wanted = ["UNAVAILABLE"]
    # A restart may fall between two streams.
    wanted += ["next_row"] if times >= 10 else []
    problems = [f"no {what} in {times} restarts"
                for what in wanted if not saw[what]]
    # One stream at a time: each kill may cut one.
    if saw["cut"] > times // KILLED_AFTER:
        problems.append(f"{saw['cut']} streams were cut by "
                        f"{times // KILLED_AFTER} kills")
    return problems


def dies_with_us(*command):
    return ["setpriv", "--pdeathsig", "KILL", *map(str, command)]


def until(what, done):
    """Returns once `done` is true."""
    give_up = time.monotonic() + PATIENCE
    while not done():
        if time.monotonic() > give_up:
            raise TimeoutError(f"{what}: not within {PATIENCE} s")
        time.sleep(0.005)


class Server:
    """At one port or Unix socket, with one store."""

    def __init__(self, binary, directory, is_unix):
        self._binary = binary
        self.address = (f"unix:{directory}/socket" if is_unix
                        else held_address())
        self._directory = directory
        self._address_file = directory / "address"
        self._log = (directory / "server.log").open("ab")
        self.process = None

    def start(self):
        self._address_file.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            dies_with_us(
                self._binary, "--listen", self.address,
                "--address-file", self._address_file,
                "--store", self._directory / "models.db",
                "--models", SOURCE / "examples/robots"),
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            env={name: value for name, value in os.environ.items()
                 if not name.startswith("TORQUED_")})
        until("the start of the server", self._serves)

    def _serves(self):
        if self.process.poll() is not None:
            raise RuntimeError("the server did not start:\n" + self.log())
        return self._address_file.exists()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        if number == signal.SIGTERM and code != 0:
            raise RuntimeError(f"the server ended with {code}:\n" + self.log())

    def log(self):
        return (self._directory / "server.log").read_text(errors="replace")


class Load:
    """A program that calls, and tells how often it was answered."""

    def __init__(self, command, address):
        self.process = subprocess.Popen(
            dies_with_us(*command, address),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._read = b""
        self.problems = []
        self.saw = collections.Counter()

    def wait_until_ready(self):
        self._line("ready")

    def _line(self, what):
        """The next line that tells of no failure."""
        while True:
            line = self._next_line(what)
            if line.startswith(("FAILED", "WRONG")):
                print(line, flush=True)
                self.problems.append(line)
            elif line.startswith("SAW "):
                self.saw[line.removeprefix("SAW ")] += 1
            elif line:
                return line
            else:
                raise RuntimeError(f"the load ended before it said {what}")

    def _next_line(self, what):
        """Empty at the end."""
        give_up = time.monotonic() + PATIENCE
        while b"\n" not in self._read:
            wait = max(0, give_up - time.monotonic())
            if not select.select([self.process.stdout], [], [], wait)[0]:
                raise TimeoutError(f"{what}: not within {PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                break
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode().strip()

    def counts(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return {kind: int(count) for kind, count in (
            word.split("=") for word in self._line("its counts").split())}

    def wait_for_each_kind(self):
        """Until each kind of call has been answered once more, and begun
        anew."""
        before = self.counts()
        until("an answer to each kind of call", lambda: all(
            count > before[kind] for kind, count in self.counts().items()))

    def end(self):
        """The summary."""
        self.process.stdin.close()
        summary = self._line("how it went")
        self.process.wait(PATIENCE)
        return summary


def restart(server, load, times):
    for k in range(times):
        load.wait_for_each_kind()
        server.stop()
        server.start()
        if k % KILLED_AFTER == KILLED_AFTER - 1:
            load.wait_for_each_kind()
            server.stop(signal.SIGKILL)
            server.start()
    load.wait_for_each_kind()


def run(language, build, times):
    """What went wrong."""
    command = LOADS[language](build)
    with tempfile.TemporaryDirectory(prefix="torqued-restarts-") as name:
        server = Server(build / "bin/torqued", pathlib.Path(name),
                        is_unix=language.endswith("_unix"))
        load = None
        try:
            server.start()
            load = Load(command, server.address)
            load.wait_until_ready()
            began = time.monotonic()
            restart(server, load, times)
            seconds = time.monotonic() - began
            summary = load.end()
            load.problems += unexpected(language, times, load.saw)
            server.stop()
        finally:
            for program in (load, server):
                if program and program.process and program.process.poll() is None:
                    program.process.kill()
                    program.process.wait()
    seen = "".join(f" {what}={count}" for what, count in load.saw.items())
    print(f"{language}: {times} restarts in {seconds:.0f} s: {summary}{seen}",
          flush=True)
    return load.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True,
                        help="build directory")
    parser.add_argument("--times", type=int, default=4,
                        help="restarts in order under each language")
    parser.add_argument("languages", nargs="*", default=list(LOADS))
    asked = parser.parse_args()
    problems = []
    skipped = []
    for language in asked.languages:
        try:
            problems += run(language, asked.build.resolve(), asked.times)
        except Skipped:
            skipped.append(language)
    done = [name for name in asked.languages if name not in skipped]
    print(f"Restarts: {asked.times} under {', '.join(done) or 'nothing'}; "
          f"{len(problems)} calls failed or had other bits"
          + (f"; skipped: {', '.join(skipped)}" if skipped else ""))
    return 1 if problems else 77 if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
