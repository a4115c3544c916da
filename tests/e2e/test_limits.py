"""What the server refuses for its size, and what it lets wait."""


import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
from calls import (
    ask, States, compute_request, everything_request, laborious, laborious_for,
    register_long)
from harness import F32, begin, failure_of

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
MESSAGE_BYTES = 200_000
MAX_ROWS = 3000
INFLIGHT_BYTES = 10_000_000


@pytest.fixture(scope="module")
def narrow(tmp_path_factory):
    """Connection to a server with small limits."""
    flags = {
        "--max-message-bytes": MESSAGE_BYTES, "--max-rows": MAX_ROWS,
        "--max-inflight-bytes": INFLIGHT_BYTES, "--threads": 1}
    with harness.Server(
            tmp_path_factory.mktemp("narrow"),
            *(word for pair in flags.items() for word in pair),
            models=harness.example_models()) as server:
        with harness.Client(server.address) as connection:
            register_long(connection)
            yield connection


def masses(rows, encoding=harness.F64):
    """States whose reply is seven times as large as their request."""
    return compute_request(
        "panda", [ask.MASS_MATRIX], q=np.zeros((rows, 7)),
        options=pb.Options(encoding=encoding))


def test_a_reply_over_the_message_limit_is_refused(narrow):
    # 49 numbers of 8 bytes a state.
    rows = MESSAGE_BYTES // (49 * 8)
    failure = failure_of(narrow.dynamics.Compute, masses(rows + 1))
    assert (failure.code, failure.reason) == (EXHAUSTED, "REQUEST_TOO_LARGE")
    assert str(MESSAGE_BYTES) in failure.metadata["limit"]
    assert failure.retry_delay is None
    # A bit below it, and more rows in a narrower encoding, get through.
    reply = narrow.dynamics.Compute(masses(rows - 5))
    assert reply.rows == rows - 5
    assert len(reply.SerializeToString()) <= MESSAGE_BYTES
    assert narrow.dynamics.Compute(
        masses(rows + 1, encoding=F32)).rows == rows + 1


def test_a_request_over_the_message_limit_is_refused(narrow):
    # 56 bytes a state; the reply would be small.
    rows = MESSAGE_BYTES // 56 + 1
    failure = failure_of(
        narrow.dynamics.Compute, compute_request(
            "panda", [ask.BIAS_FORCES], q=np.zeros((rows, 7))))
    assert failure.code == EXHAUSTED


def test_more_rows_than_allowed_are_refused(narrow):
    def bias(rows):
        return compute_request(
            "planar_2r", [ask.BIAS_FORCES], q=np.zeros((rows, 2)))

    failure = failure_of(narrow.dynamics.Compute, bias(MAX_ROWS + 1))
    assert (failure.code, failure.reason) == (EXHAUSTED, "REQUEST_TOO_LARGE")
    assert str(MAX_ROWS) in failure.metadata["limit"]
    assert narrow.dynamics.Compute(bias(MAX_ROWS)).rows == MAX_ROWS


def test_too_much_work_under_way_is_refused_at_once_and_welcome_later(narrow):
    request = laborious(530)  # a few of them are half of the bytes
    calls = [begin(narrow.dynamics.Compute, request) for _ in range(12)]
    refused = [harness.Failure.of(call) for call in calls if call.exception()]
    assert 0 < len(refused) < len(calls)
    for failure in refused:
        assert (failure.code, failure.reason) == (EXHAUSTED, "OVERLOADED")
        assert failure.retry_delay > 0
    answers = {call.result().results.SerializeToString(deterministic=True)
               for call in calls if not call.exception()}
    assert len(answers) == 1
    assert narrow.dynamics.Compute(request).rows == 530


MANY = 500_000


@pytest.mark.parametrize("reason, fields", [
    ("INVALID_FIELD", {"quantities": [ask.MASS_MATRIX] * MANY}),
    ("INVALID_MODEL_REFERENCE", {"model": "m" * MANY}),
    ("WRONG_JOINT_NAMES", {"options": pb.Options(joint_names=["x"] * MANY)}),
    ("MALFORMED_ARRAY", {"q": array_pb2.Array(
        columns=2**32 - 1, f64=bytes(8 * MANY))})])
def test_refusing_a_request_costs_less_than_a_second(start, reason, fields):
    server = start(models=harness.example_models())
    request = pb.ComputeRequest(**{
        "model": "planar_2r", "quantities": [ask.MASS_MATRIX],
        "q": harness.array(np.zeros((1, 2))), **fields})
    with harness.Client(server.address) as client:
        before = server.cpu_seconds()
        assert failure_of(client.dynamics.Compute, request).reason == reason
        assert harness.SANITIZED or server.cpu_seconds() - before < 1.0


def test_headers_have_a_limit(start):
    # gRPC may end the connection of a call whose headers are too long.
    with harness.Client(start().address) as client:
        def call(length):
            return client.registry.ListModels(
                registry_pb.ListModelsRequest(),
                metadata=(("x-note", "n" * length),))

        call(7000)
        assert failure_of(call, 9000).code is EXHAUSTED


@pytest.mark.parametrize("rows", [1, 300])
def test_small_calls_do_not_wait_for_a_large_one(start, rows):
    """Neither one that is computed where it arrives nor one that takes its
    turn with the large one on the only thread."""
    server = start("--threads", 1, models=harness.example_models())
    with harness.Client(server.address) as client:
        register_long(client)
        large = laborious_for(client, 2)
        small = everything_request("panda", States(7, rows))
        slow = begin(client.dynamics.Compute, large)
        server.wait_until_computing()
        answered = 0
        while not slow.done():
            client.dynamics.Compute(small)
            answered += 1
        assert slow.result().rows_not_ok == 0
        # The first would have waited until the end.
        assert answered > 2
