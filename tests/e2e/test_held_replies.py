"""What the server holds for clients that do not read is admitted before it is
made, and what several of them ask for is held once."""

import time

import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import http2
import robots
from calls import ask, compute_request, register

MEBIBYTE = 1 << 20
INFLIGHT_BYTES = 512 * MEBIBYTE
GET_MODEL = "/torqued.v1.ModelRegistry/GetModel"
COMPUTE = "/torqued.v1.Dynamics/Compute"


@pytest.fixture
def server(start):
    return start("--max-inflight-bytes", INFLIGHT_BYTES,
                 models=harness.example_models())


def grown(server, before):
    """Bytes of memory more than before, once that no longer changes."""
    give_up = time.monotonic() + harness.CALL_SECONDS
    last, since = server.memory("VmRSS"), time.monotonic()
    while time.monotonic() - since < harness.IDLE_SECONDS:
        assert time.monotonic() < give_up, "it goes on growing"
        time.sleep(0.02)
        now = server.memory("VmRSS")
        if abs(now - last) > MEBIBYTE:
            last, since = now, time.monotonic()
    return last - before


def test_sources_that_nobody_reads_are_held_once_and_admitted(server):
    size = 8 * MEBIBYTE - 4096
    source = robots.pendulum() + "<!--" + " " * (size - 1024) + "-->"
    calls = 400
    request = registry_pb.GetModelRequest(model="big", include_source=True)
    with harness.Client(server.address) as client:
        register(client, "big", source)
        whole = client.registry.GetModel(request)
        assert whole.source == source.encode()
        before = server.memory("VmRSS")
        message = request.SerializeToString()
        with http2.Connection(server.address, reply_window=0) as deaf:
            for k in range(calls):
                deaf.ask(GET_MODEL, message, 2 * k + 1)
            # The rest is refused, which needs no window.
            # Half is left to others.
            fit = INFLIGHT_BYTES // 2 // len(source)
            while deaf.streams_ended < calls - fit:
                assert deaf.read_frame() is not None
            deaf.catch_up()
            assert calls - fit <= deaf.streams_ended <= calls - fit + 2
            if not harness.SANITIZED:
                # Hardly any of the sources more.
                assert grown(server, before) < 48 * MEBIBYTE
        assert harness.once_there_is_room(
            lambda: client.registry.GetModel(request)) == whole


def test_calls_themselves_are_admitted(start):
    calls, limit, each = 200, MEBIBYTE // 2, 4096
    server = start("--max-inflight-bytes", limit,
                   models=harness.example_models())
    message = compute_request(
        "panda", [ask.BIAS_FORCES], q=np.zeros((1, 7))).SerializeToString()
    with http2.Connection(server.address, reply_window=0) as deaf:
        for k in range(calls):
            deaf.ask(COMPUTE, message, 2 * k + 1)
        most = limit // 2 // each
        harness.until(
            lambda: deaf.catch_up() or deaf.streams_ended >= calls - most)
        assert deaf.streams_ended < calls - most // 2
