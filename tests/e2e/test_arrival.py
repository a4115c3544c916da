"""What arrives is bounded before anything of it can be admitted."""

import contextlib
import struct

import numpy as np
import pytest

import harness
import http2
from calls import ask, compute, compute_request

MEBIBYTE = 1 << 20
MESSAGE_BYTES = 16 * MEBIBYTE
INFLIGHT_BYTES = 16 * MEBIBYTE
# As docs/server.md says.
LIMIT = INFLIGHT_BYTES + 4 * MESSAGE_BYTES + 64 * MEBIBYTE
# What the allocator keeps of what was given back.
KEPT = 128 * MEBIBYTE
ROWS = 900_000


@pytest.fixture(scope="module")
def message():
    """One of 14 MB, as it is framed in the data of a call."""
    payload = compute_request(
        "planar_2r", [ask.BIAS_FORCES], q=np.zeros((ROWS, 2))
    ).SerializeToString()
    assert len(payload) < MESSAGE_BYTES
    return struct.pack(">BI", 0, len(payload)) + payload


def serve(start, *flags):
    return start("--max-message-bytes", MESSAGE_BYTES,
                 "--max-inflight-bytes", INFLIGHT_BYTES, *flags,
                 models=harness.example_models())


@pytest.fixture
def server(start):
    return serve(start)


def upload(connection, method, message):
    """Everything but the last byte."""
    connection.call(f"/torqued.v1.Dynamics/{method}")
    rest = message[:-1]
    while (rest := connection.send_now(rest)) and not connection.ended:
        connection.answer_pings()
        connection.read_frame()


@pytest.mark.parametrize("method", ["Compute", "Evaluate"])
def test_messages_that_do_not_end_take_bounded_memory(
        server, message, method):
    uploads = 4 * LIMIT // len(message)
    before = server.memory("VmHWM")
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(uploads):
            connections.append(stack.enter_context(
                http2.Connection(server.address)))
            upload(connections[-1], method, message)
        for connection in connections:
            connection.catch_up()
        codes = {connection.reset for connection in connections}
        # One that was idle yet may have been closed before its call.
        assert codes == {None, http2.ENHANCE_YOUR_CALM}
        held = sum(not connection.ended for connection in connections)
        # The last may be about to be ended.
        assert 0 < (held - 1) * len(message) <= LIMIT
        if not harness.SANITIZED:
            assert server.memory("VmHWM") - before < LIMIT + KEPT
        # Nor does anybody else wait for them.
        with harness.Client(server.address) as client:
            compute(client, "planar_2r", [ask.MASS_MATRIX],
                    q=np.zeros((1, 2)))


def test_as_many_messages_as_fit_all_get_through(server, message):
    with contextlib.ExitStack() as stack:
        connections = [
            stack.enter_context(http2.Connection(server.address))
            for _ in range((INFLIGHT_BYTES + 4 * MESSAGE_BYTES)
                           // len(message))]
        for connection in connections:
            upload(connection, "Compute", message)
        for connection in connections:
            connection.send_now(message[-1:])
            connection.close()
            while not connection.ended:
                connection.read_frame()
            assert connection.reset is None and not connection.closed


def test_windows_shrink_if_much_arrives(start, message):
    server = serve(start)
    with contextlib.ExitStack() as stack:
        windows = []
        for _ in range(LIMIT // len(message)):
            connection = stack.enter_context(
                http2.Connection(server.address))
            connection.catch_up()
            windows.append(connection.initial_windows[-1])
            upload(connection, "Compute", message)
            assert not connection.ended
        assert windows[0] > 2 * MEBIBYTE
        assert windows[-1] < windows[0] // 8
