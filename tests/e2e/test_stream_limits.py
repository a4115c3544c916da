"""Limits of the server on the streams of Evaluate."""


import grpc
import numpy as np

import harness
import streams
from calls import States, ask, everything_request
from streams import GOOD, Q, Stream, chunk, evaluate, failed, torques

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_message_over_the_limit_is_not_taken_for_the_end(start):
    server = start("--max-message-bytes", 100_000, "--log-level", "debug",
                   models=harness.example_models())
    with harness.Client(server.address) as client:
        for _ in range(20):
            replies, failure = failed(
                client, torques(), chunk(q=Q), chunk(q=np.zeros((3000, 7))))
            assert failure.code == EXHAUSTED
        assert "outcome=OK" not in server.log()
        # A reply over the limit is refused with the number that fits.
        replies, failure = failed(
            client, streams.start("panda", [ask.MASS_MATRIX]),
            chunk(q=Q), chunk(q=np.zeros((1000, 7))))
        assert (failure.code, failure.reason) == (
            EXHAUSTED, "REQUEST_TOO_LARGE")
        assert failure.metadata["chunk"] == "1"
        fit = int(failure.metadata["rows_that_fit"])
        assert evaluate(
            client, streams.start("panda", [ask.MASS_MATRIX]),
            chunk(q=Q), chunk(q=np.zeros((fit, 7))))[1].rows == fit


def test_a_chunk_is_held_to_the_limits_of_a_call(start):
    server = start("--max-rows", 100, models=harness.example_models())
    with harness.Client(server.address) as client:
        _, failure = failed(
            client, torques(), chunk(q=Q), chunk(q=np.zeros((101, 7))))
        assert (failure.code, failure.reason) == (
            EXHAUSTED, "REQUEST_TOO_LARGE")
        assert failure.metadata["next_row"] == "2"


def test_more_streams_than_allowed_are_refused_until_one_ends(start):
    server = start("--max-inflight-streams", 4,
                   models=harness.example_models())
    with harness.Client(server.address) as client:
        opened = [Stream(client, *GOOD) for _ in range(2)]
        for stream in opened:
            stream.receive()
        # One client has half; other calls go on.
        with harness.Client(server.address) as other:
            assert len(evaluate(other, *GOOD)) == 2
            _, failure = failed(client, *GOOD)
            assert (failure.code, failure.reason) == (EXHAUSTED, "OVERLOADED")
            assert failure.metadata["setting"] == "max-inflight-streams"
            assert failure.retry_delay > 0
            assert client.dynamics.Compute(
                everything_request("panda", States(7, 2))).rows == 2
        opened.pop().__exit__()
        assert len(harness.once_there_is_room(
            lambda: evaluate(client, *GOOD))) == 2
        for stream in opened:
            stream.__exit__()
