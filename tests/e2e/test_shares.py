"""Nobody holds what all need: shares of the work under way, and replies that
nobody takes."""

import contextlib
import threading

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
import streams
from calls import ask, compute_request, register
from harness import failure_of
from streams import Stream, chunk
from trajectories import Motion, check
from trajectories import start as start_of_check

MEBIBYTE = 1 << 20
INFLIGHT_BYTES = 64 * MEBIBYTE
MESSAGE_BYTES = 32 * MEBIBYTE
SECONDS = 20


def masses(rows):
    return compute_request("panda", [ask.MASS_MATRIX], q=np.zeros((rows, 7)))


def serve(start, *flags):
    return start("--max-inflight-bytes", INFLIGHT_BYTES,
                 "--max-message-bytes", MESSAGE_BYTES, *flags,
                 models=harness.example_models())


def check_soon(server):
    """A check of another client, which may come before the room is free."""
    with harness.Client(server.address) as other:
        verdict = check(other, Motion.swinging(7, 2000)).verdict
        assert verdict.samples == 2000


def test_a_check_that_sends_no_more_leaves_checks_room(start):
    server = serve(start)
    numbers = 22 * 16  # of a sample: bytes for time, q, v and a
    long = Motion.swinging(7, INFLIGHT_BYTES // numbers)
    with harness.Client(server.address) as slow:
        failure = failure_of(lambda: list(slow.trajectories.CheckTrajectory(
            iter([start_of_check(), *long.messages(5000)]))))
        assert failure.reason == "REQUEST_TOO_LARGE"
        # The results of a step are kept beside the samples.
        most = (int(failure.metadata["limit"]) - 3_000_000) // numbers
        sent, release = threading.Event(), threading.Event()

        def messages():
            yield start_of_check()
            for message in long.messages(1000):
                if message.samples.time.f64 and yielded[0] + 1000 > most:
                    break
                yielded[0] += 1000
                yield message
            sent.set()
            release.wait(SECONDS)

        yielded = [0]
        call = slow.trajectories.CheckTrajectory(messages())
        assert sent.wait(SECONDS)
        check_soon(server)
        assert not call.done()
        release.set()
        assert list(call)[-1].verdict.samples == yielded[0]


def test_a_client_that_reads_no_stream_is_the_one_that_is_refused(start):
    server = serve(start)
    # Otherwise a slow client takes in all replies ahead.
    with harness.Client(server.address, ("grpc.http2.bdp_probe", 0)) as greedy, \
            contextlib.ExitStack() as stack:
        states = chunk(q=np.zeros((5000, 7)))  # 4 MB of what is under way
        opened = []
        refused = False
        while not refused and len(opened) < 96:
            stream = stack.enter_context(Stream(
                greedy, streams.start("panda", [ask.MASS_MATRIX]),
                *8 * [states]))
            # Its first reply, and no more; or its end.
            try:
                stream.receive()
            except grpc.RpcError as error:
                failure = harness.Failure.of(error)
                assert failure.reason == "OVERLOADED"
                assert "This client" in failure.message
                refused = True
            opened.append(stream)
        assert refused
        # Half is left to others.
        with harness.Client(server.address) as other:
            for _ in range(12):
                assert other.dynamics.Compute(masses(4000)).rows == 4000


def compute_old(client):
    client.dynamics.Compute(compute_request(
        "arm@old", [ask.MASS_MATRIX], q=np.zeros((1, 7))))


def get_old(client):
    client.registry.GetModel(
        registry_pb.GetModelRequest(model="arm@old", include_source=True))


@pytest.mark.parametrize(
    "call", [compute_old, get_old])
def test_a_model_that_takes_nearly_all_there_is_is_loaded_for_a_lone_call(
        start, call):
    size = 3_000_000
    source = robots.chain(7)
    source += " " * (size - len(source))
    with start() as server:
        with harness.Client(server.address) as client:
            register(client, "arm", source, label="old")
            register(client, "arm", robots.pendulum(1.0, 2))
        assert server.stop() == 0
    # A client has half. Parsing takes 15 bytes for each of the source.
    room = 2 * (15 * size + (size // 10 if call is not get_old else size * 11 // 10))
    again = start("--max-inflight-bytes", room,
                  "--max-message-bytes", size + 100_000, store=server.store)
    with harness.Client(again.address) as client:
        call(client)
