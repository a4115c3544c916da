"""Signals that do not stop the server."""

import signal
import time

import pytest

import harness
from calls import all_models, laborious_for, register_long
from harness import begin


def wait_until(condition):
    give_up = time.monotonic() + harness.CALL_SECONDS
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.005)


@pytest.mark.parametrize("name", ["SIGHUP", "SIGUSR1", "SIGUSR2"])
def test_a_signal_that_means_nothing_is_logged_and_ignored(start, name):
    server = start()
    with harness.Client(server.address) as client:
        server.process.send_signal(signal.Signals[name])
        wait_until(lambda: name in server.log())
        assert all_models(client) == {}
        line, = (line for line in server.log().splitlines() if name in line)
        assert "signal ignored" in line
    assert server.stop() == 0


def test_a_signal_that_means_nothing_does_not_hurry_a_server_that_stops(start):
    """As a second SIGTERM would."""
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        request = laborious_for(client, 2.0, server.cpu_seconds)
        batch = begin(client.dynamics.Compute, request)
        server.wait_until_computing()
        server.terminate()
        wait_until(lambda: "draining" in server.log())
        server.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "SIGHUP" in server.log())
        assert batch.result().rows_not_ok == 0
    assert server.wait() == 0


def test_a_broken_pipe_is_no_end(start):
    server = start()
    with harness.Client(server.address) as client:
        server.process.send_signal(signal.SIGPIPE)
        assert all_models(client) == {}
    assert server.stop() == 0
