"""What takes long shows how far it is, on a terminal."""

import contextlib
import os
import pty
import subprocess
import threading
import time

import numpy as np
import pytest

from calls import OK, PANDA, TORQUECTL, run, running, serving
from relay import Relay

ROWS = 40_000


class Slow(Relay):
    """Whatever is asked through it takes so long that it is seen."""

    def goes_on(self, passed):
        time.sleep(0.02)
        return True


@pytest.fixture(scope="module", name="server")
def fixture_server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    with serving(directory, "127.0.0.1:0") as address:
        assert run("models", "add", PANDA, "--server", address).returncode == OK
        with contextlib.closing(Slow(address)) as relay:
            yield relay.address


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
    with running(TORQUECTL, *arguments, stderr=stderr,
                 stdout=subprocess.DEVNULL, env=environment) as process:
        os.close(stderr)
        reader.start()
        code = process.wait(120)
    reader.join()
    os.close(terminal)
    return code, b"".join(shown).decode()


@pytest.mark.slow
@pytest.mark.parametrize("command, inputs", [
    (("id",), ("q", "v", "a")),
    (("fd",), ("q", "v", "tau")),
    (("mass-matrix",), ("q",)),
    (("opspace", "--axes", "linear_x,linear_y,linear_z"), ("q", "v"))])
def test_many_states_show_a_bar_that_goes_away(
        command, inputs, server, tmp_path):
    np.save(tmp_path / "x.npy",
            np.random.default_rng(3).uniform(-1, 1, (ROWS, 7)))
    arguments = [*command, "-m", "panda", "--output", "csv",
                 "--server", server]
    for name in inputs:
        arguments += ["--" + name, f"@{tmp_path}/x.npy"]
    code, shown = run_on_a_terminal(*arguments)
    assert code == OK
    assert f"of {ROWS / 1000} k states" in shown
    assert shown.endswith("\r\x1b[K")


def test_many_pings_show_a_bar_unless_quiet(server):
    arguments = ("ping", "--count", "100", "--server", server)
    code, shown = run_on_a_terminal(*arguments)
    assert code == OK
    assert "of 100 calls" in shown
    assert shown.endswith("\r\x1b[K")
    assert run_on_a_terminal(*arguments, "--quiet") == (OK, "")
