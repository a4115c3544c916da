"""What takes long shows how far it is, on a terminal."""

import os
import pty
import subprocess
import threading

import numpy as np
import pytest

from calls import OK, PANDA, TORQUECTL

# One thread and no wide instructions: long enough to be seen.
SLOW = {"TORQUED_THREADS": "1", "TORQUED_ISA": "baseline"}


def run_on_a_terminal(*arguments):
    """Exit code and what stderr, a terminal, shows."""
    terminal, stderr = pty.openpty()
    shown = []

    def read():
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:  # nobody writes any more
                return
            shown.append(part)

    environment = {k: v for k, v in os.environ.items()
                   if k != "TORQUED_SERVER_ADDRESS"}
    reader = threading.Thread(target=read)
    with subprocess.Popen([TORQUECTL, *map(str, arguments)], stderr=stderr,
                          stdout=subprocess.DEVNULL,
                          env=environment | SLOW) as process:
        os.close(stderr)
        reader.start()
        code = process.wait(120)
    reader.join()
    os.close(terminal)
    return code, b"".join(shown).decode()


@pytest.mark.parametrize("command, inputs, rows", [
    (("id",), ("q", "v", "a"), 400_000),
    (("fd",), ("q", "v", "tau"), 400_000),
    (("mass-matrix",), ("q",), 200_000),
    (("opspace", "--axes", "lx,ly,lz"), ("q", "v"), 200_000)])
def test_many_states_show_a_bar_that_goes_away(command, inputs, rows, tmp_path):
    np.save(tmp_path / "x.npy",
            np.random.default_rng(3).uniform(-1, 1, (rows, 7)))
    arguments = [*command, "-m", PANDA, "--output", "csv"]
    for name in inputs:
        arguments += ["--" + name, f"@{tmp_path}/x.npy"]
    code, shown = run_on_a_terminal(*arguments)
    assert code == OK
    assert "[" in shown and f"of {rows // 1000} k states" in shown
    assert shown.endswith("\r\x1b[K")


def test_many_pings_show_a_bar_unless_quiet():
    arguments = ("ping", "--count", "10000")
    code, shown = run_on_a_terminal(*arguments)
    assert code == OK
    assert "of 10.0 k calls" in shown
    assert shown.endswith("\r\x1b[K")
    assert run_on_a_terminal(*arguments, "--quiet") == (OK, "")
