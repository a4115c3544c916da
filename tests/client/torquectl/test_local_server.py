"""The server that torquectl starts for itself."""

import os
import pathlib
import signal
import subprocess
import time

import pytest

from calls import PLANAR, TORQUECTL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGKILL])
def test_the_local_server_ends_with_torquectl(tmp_path, number):
    # It waits for the trajectory when its server runs already.
    fifo = tmp_path / "trajectory.csv"
    os.mkfifo(fifo)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, TMPDIR=str(temporary))
    with subprocess.Popen([TORQUECTL, "trajectory", fifo, "-m", PLANAR],
                          env=environment, stderr=subprocess.DEVNULL
                          ) as process:
        wait_for(lambda: list(temporary.glob("torqued-*/address")))
        server = wait_for(lambda: child_of(process.pid))
        process.send_signal(number)
        assert process.wait(30) == -number
    wait_for(lambda: not is_running(server))
    if number != signal.SIGKILL:
        assert not list(temporary.iterdir())


def test_an_interrupt_ends_a_local_server_that_still_starts(tmp_path):
    never_serves = tmp_path / "torqued"
    never_serves.write_text("#!/bin/sh\nexec sleep 1000\n")
    never_serves.chmod(0o755)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    environment = dict(os.environ, TMPDIR=str(temporary),
                       TORQUED_SERVER=str(never_serves))
    with subprocess.Popen([TORQUECTL, "ping"], env=environment) as process:
        server = wait_for(lambda: child_of(process.pid))
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == -signal.SIGINT
    wait_for(lambda: not is_running(server))
    assert not list(temporary.iterdir())


def child_of(parent):
    """The id of a child process of `parent`, or None."""
    for task in pathlib.Path(f"/proc/{parent}/task").iterdir():
        for child in (task / "children").read_text().split():
            return int(child)
    return None


def is_running(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.01)
    raise AssertionError("waited in vain")
