"""One attack on one server: what it takes of memory, and how long the small
calls of another client last meanwhile."""

import contextlib
import dataclasses
import json
import pathlib
import subprocess
import sys
import threading
import time

import harness
from attacker import attack

MEBIBYTE = 1 << 20
AFTER_SECONDS = 10.0

# Of memory above that of the idle server: at any time, and AFTER_SECONDS after
# the end.
PEAK = 512 * MEBIBYTE
KEPT = 150 * MEBIBYTE
# Of 99 in 100 small calls of another client meanwhile.
P99_SECONDS = 0.05


@dataclasses.dataclass
class Outcome:
    flood: str
    connections: int
    sent: object
    alive: bool
    peak: int  # bytes above the idle server
    kept: int  # bytes above it a while after the end
    p99: float  # seconds of a small call of another client
    longest: float
    calls: int
    failures: list

    def is_bounded(self, share_of_failures=0):
        return (self.alive and self.peak < PEAK and self.kept < KEPT
                and len(self.failures) <= share_of_failures * self.calls)

    def is_in_time(self):
        # Several connections may take all cores, and nobody bounds that.
        return self.connections > 1 or self.p99 <= P99_SECONDS

    def row(self):
        return (
            f"| {self.flood} | {self.connections} "
            f"| {self.sent.bytes / MEBIBYTE:.1f} "
            f"| {self.sent.connections} / {self.sent.ended} "
            f"| {self.peak // MEBIBYTE if self.alive else 'dead'} "
            f"| {self.kept // MEBIBYTE if self.alive else 'dead'} "
            f"| {self.p99 * 1e3:.0f} / {self.longest * 1e3:.0f} "
            f"| {len(self.failures)} of {self.calls} |")


HEAD = """\
| flood | connections | MB sent | opened / ended | peak MB | kept MB \
| p99 / longest ms | failed |
|---|---|---|---|---|---|---|---|---|"""


class SmallCalls:
    """Small calls from a process of its own."""

    def __init__(self, address):
        script = pathlib.Path(__file__).with_name("small_calls.py")
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", sys.executable, "-B",
             str(script), address],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ready = self._process.stdout.readline()
        assert ready == "ready\n", "the small calls do not get through"

    def end(self):
        out, _ = self._process.communicate(timeout=2 * harness.CALL_SECONDS)
        report = json.loads(out)
        return sorted(report["durations"]), report["failures"]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()


class _Peak:
    """The most memory that the process has in use while this runs."""

    def __init__(self, server):
        self._server = server
        # The kernel's own record starts anew; without the right to that it
        # still is right unless the server once had more.
        with contextlib.suppress(OSError):
            pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5")

    def bytes(self):
        return self._server.memory("VmHWM")


def _until_less(server, bound, seconds):
    """The memory in use once it is below the bound, or after so long."""
    give_up = time.monotonic() + seconds
    while ((used := server.memory("VmRSS")) > bound
           and time.monotonic() < give_up):
        time.sleep(0.05)
    return used


def run(server, flood, seconds, *, through=None, small_calls=None,
        kept_bound=0, **limits):
    """Attacks at `through`, a proxy's address, where that is given; the small
    calls go to `small_calls`, else the same way. limits: of the attack."""
    address = through or server.address
    with SmallCalls(small_calls or address) as others:
        idle = server.memory("VmRSS")
        peak = _Peak(server)
        sent = []
        thread = threading.Thread(target=lambda: sent.append(attack(
            address, flood, seconds, **limits)))
        thread.start()
        thread.join()
        try:
            durations, failures = others.end()
        except (json.JSONDecodeError, subprocess.TimeoutExpired):
            durations, failures = [float("inf")], ["no answer"]
    alive = True
    highest = kept = 0
    try:
        kept = _until_less(server, idle + kept_bound, AFTER_SECONDS)
        highest = peak.bytes()
    except (FileNotFoundError, ValueError):  # the process has no memory
        alive = False
    return Outcome(
        flood.name, limits.get("connections", 1), sent[0], alive, highest - idle, kept - idle,
        durations[min(len(durations) - 1, len(durations) * 99 // 100)],
        durations[-1], len(durations), failures)
