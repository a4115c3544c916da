"""A reader of the log that does not read holds up nothing."""

import contextlib
import fcntl
import json
import os
import re
import subprocess
import time

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import harness
from calls import ask, compute, compute_request
from harness import failure_of

PIPE_BYTES = 4096
# As server/observability has them.
QUEUED_LINES = 2048


class Pipe:
    """What a server logs to."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, PIPE_BYTES)

    def fill(self):
        """So that the next line finds no room."""
        # The same pipe, opened apart: the server's end goes on blocking.
        end = os.open(f"/proc/self/fd/{self.writer}",
                      os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(end, b"x" * PIPE_BYTES)
        os.close(end)

    def read_until(self, *words):
        """What comes until all of the words have come."""
        text = b""
        give_up = time.monotonic() + harness.CALL_SECONDS
        os.set_blocking(self.reader, False)
        while not all(word in text for word in words):
            assert time.monotonic() < give_up, text[-2000:]
            with contextlib.suppress(BlockingIOError):
                text += os.read(self.reader, 1 << 16)
        return text.decode(errors="replace")

    def close(self):
        os.close(self.reader)
        os.close(self.writer)


@pytest.fixture
def pipe():
    with contextlib.closing(Pipe()) as opened:
        yield opened


def nothing_of_that_name():
    return compute_request("nobody", [ask.BIAS_FORCES], q=np.zeros((1, 2)))


def refuse(client, times):
    for _ in range(times):
        failure = failure_of(
            client.dynamics.Compute, nothing_of_that_name())
        assert failure.reason == "MODEL_NOT_FOUND"


def serve_calls(client):
    compute(client, "planar_2r", [ask.MASS_MATRIX], q=np.zeros((1, 2)))
    compute(client, "panda", [ask.MASS_MATRIX], q=np.zeros((20_000, 7)))
    refuse(client, 200)


@pytest.mark.parametrize("level", ["info", "debug"])
def test_calls_go_on_and_sigterm_ends_a_server_whose_log_nobody_reads(
        start, pipe, level):
    server = start("--log-level", level, models=harness.example_models(),
                   log=pipe.writer)
    pipe.fill()
    with harness.Client(server.address) as client:
        serve_calls(client)
        stream = client.dynamics.Evaluate(iter([
            pb.EvaluateRequest(start=pb.EvaluateStart(
                model="panda", quantities=[ask.MASS_MATRIX])),
            pb.EvaluateRequest(chunk=pb.EvaluateChunk(
                q=harness.array(np.zeros((5, 7)))))]))
        assert [reply.rows for reply in stream] == [5]
        server.terminate()
        assert server.wait() == 0
        assert not server.address_file.exists()


def test_once_the_log_is_read_a_line_tells_what_is_missing(start, pipe):
    server = start("--log-level", "debug", "--log-format", "json",
                   models=harness.example_models(), log=pipe.writer)
    pipe.read_until(b'"serving"')
    pipe.fill()
    request = compute_request(
        "planar_2r", [ask.BIAS_FORCES], q=np.zeros((1, 2)))
    calls = 2 * QUEUED_LINES
    with harness.Client(server.address) as client:
        pending = []
        for _ in range(calls):
            pending.append(harness.begin(client.dynamics.Compute, request))
            if len(pending) == 100:
                for call in pending:
                    assert call.result().rows == 1
                pending = []
        text = pipe.read_until(b"log lines dropped")
        server.terminate()
        text += pipe.read_until(b'"stopped"')
        assert server.wait() == 0
    lines = [json.loads(line.lstrip("x"))
             for line in text.splitlines() if "{" in line]
    dropped = sum(line["count"] for line in lines
                  if line["message"] == "log lines dropped")
    assert dropped > 0
    done = sum(line["message"] == "call done" for line in lines)
    # Others of debug are dropped, too.
    assert done < calls - (calls % 100) <= done + dropped


def start_with_a_file_for_a_store(tmp_path, stderr):
    file = tmp_path / "models.db"
    file.write_text("This is no store, and it is longer than its header." * 40)
    return subprocess.run(
        [str(harness.server_binary()), "--listen", "127.0.0.1:0", "--store",
         str(file)],
        stdin=subprocess.DEVNULL, stderr=stderr, check=False,
        timeout=harness.START_SECONDS, env=harness.clean_environment())


def test_a_start_that_fails_says_why(tmp_path, pipe):
    assert start_with_a_file_for_a_store(tmp_path, pipe.writer).returncode == 1
    assert re.search("error cannot start detail=.*models.db",
                     pipe.read_until(b"cannot start", b"\n"))


def test_a_start_that_fails_ends_though_nobody_reads_why(tmp_path, pipe):
    pipe.fill()
    assert start_with_a_file_for_a_store(tmp_path, pipe.writer).returncode == 1
