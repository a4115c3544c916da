"""Evaluate: any number of states through one stream."""

import json
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb

import harness
import robots
import streams
from calls import (
    ALL_QUANTITIES, LONG_JOINTS, RESULT_ARRAYS, States, ask, compute_request,
    everything_request, laborious_for, options, register, register_long)
from harness import F32, failure_of, table
from streams import (
    GOOD, Q, Stream, chunk, chunk_of, cut, evaluate, everything_chunk, failed,
    joined, torques)

INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE


# --- Answers -----------------------------------------------------------------


@pytest.mark.parametrize("sizes", [[7], [1, 300, 2, 64, 1], [1024]])
def test_any_chunking_gives_the_bits_of_compute(client, sizes):
    states = States(7, 700)
    whole = client.dynamics.Compute(everything_request("panda", states))
    replies = evaluate(
        client, streams.start(
            "panda", ALL_QUANTITIES,
            operational_space=pb.OperationalSpaceOptions(sigma_min=True)),
        *map(everything_chunk, cut(states, sizes)))
    assert len(replies) == len(cut(states, sizes))
    numbers = joined(replies)
    assert len(numbers) == len(RESULT_ARRAYS) + 3  # rank, sigma_min, rule
    for name, rows in numbers.items():
        wanted = getattr(whole.results, name)
        if name in ("rank", "sigma_min", "rule"):
            assert np.array_equal(rows, wanted), name
        else:
            assert harness.same_bits(rows, table(wanted)), name


def test_a_wrench_may_come_and_go(client):
    states = States(7, 4)
    plain = chunk(q=states.q)
    pushed = chunk(q=states.q, tip_wrench_on_environment=states.wrench)
    start = torques(
        tip_wrench_reference_frame=pb.REFERENCE_FRAME_WORLD)
    replies = evaluate(client, start, plain, pushed, plain)
    assert replies[0].results == replies[2].results
    request = everything_request("panda", states)
    request.ClearField("v")
    request.ClearField("a")
    request.tip_wrench_on_environment.reference_frame = (
        pb.REFERENCE_FRAME_WORLD)
    whole = client.dynamics.Compute(request)
    assert replies[1].results.tau == whole.results.tau
    # The echo names the frame although the first chunk does not use it.
    assert replies[0].echo.tip_frame == whole.echo.tip_frame != ""


def test_the_echo_comes_once(client):
    states = States(7, 2)
    replies = evaluate(
        client, torques(), *(chunk_of(states) for _ in range(20)))
    assert [reply.HasField("echo") for reply in replies] == [True] + 19 * [
        False]
    echo = replies[0].echo
    whole = client.dynamics.Compute(everything_request("panda", states)).echo
    assert not echo.HasField("timing")
    for part in (echo, whole):
        part.ClearField("timing")
        part.ClearField("operational_space")
    assert echo == whole
    assert all(reply.HasField("timing") for reply in replies)


def test_bad_rows_are_numbered_from_the_start_of_the_stream(client):
    states = States(7, 5000)
    states.q[4321, 3] = np.nan
    states.v[17, 0] = np.inf
    replies = evaluate(
        client, torques(), *map(chunk_of, cut(states, [1, 999, 300])))
    listed = [(s.row, s.field, s.joint) for r in replies for s in r.row_status]
    assert listed == [(17, "v", "panda_joint1"), (4321, "q", "panda_joint4")]
    assert sum(reply.rows_not_ok for reply in replies) == 2
    tau = joined(replies)["tau"]
    assert np.isnan(tau[[17, 4321]]).all()
    assert np.isfinite(np.delete(tau, [17, 4321], axis=0)).all()


def test_a_stream_keeps_the_revision_it_started_with(client):
    register(client, "moving", robots.pendulum(1, 0.5))
    push = chunk(q=np.full((1, 1), 0.3))
    start = streams.start("moving", [ask.INVERSE_DYNAMICS])
    with Stream(client, start, push) as stream:
        before = stream.receive()
        register(client, "moving", robots.pendulum(2, 0.5))
        stream.send(push)
        assert stream.receive().results == before.results
        after, = evaluate(client, start, push)
        assert after.results != before.results


# --- Size and flow -----------------------------------------------------------


def bulk(count, rows=1024):
    """So many states, in messages made one after the other."""
    message = chunk_of(States(7, rows))
    yield torques()
    for _ in range(count // rows):
        yield message


def count_rows(replies, pause):
    """Of all replies; waits so many seconds before every 20th."""
    rows = 0
    for number, reply in enumerate(replies):
        if pause and number % 20 == 0:
            time.sleep(pause)
        rows += reply.rows
    return rows


@pytest.mark.parametrize("pause", [0, 0.04], ids=["as-it-comes", "slow-reader"])
def test_a_million_states_take_no_more_memory_than_a_tenth(start, pause):
    server = start(models=harness.example_models())
    with harness.Client(server.address) as client:
        peaks = []
        for count in (100_000, 1_000_000):
            rows = count_rows(client.dynamics.Evaluate(bulk(count)), pause)
            assert rows == count // 1024 * 1024
            peaks.append(server.memory("VmHWM"))
        # A window that fills up later than in the first stream takes some; the
        # states and results are 328 MB.
        if not harness.SANITIZED:
            assert peaks[1] - peaks[0] < 48_000_000


# --- Errors ------------------------------------------------------------------


@pytest.mark.parametrize("message, reason, field", [
    (torques(), "INVALID_FIELD", "start"),
    (pb.EvaluateRequest(), "INVALID_FIELD", "chunk"),
    (pb.EvaluateRequest(start=GOOD[0].start, chunk=GOOD[1].chunk),
     "INVALID_FIELD", "start"),
    (chunk(), "MISSING_INPUT", "chunk.q"),
    (chunk(q=Q, a=array_pb2.Array(columns=7, f64=b"123")), "MALFORMED_ARRAY",
     "chunk.a"),
    (chunk(q=Q, tip_wrench_on_environment=np.zeros((2, 5))),
     "WRONG_COLUMN_COUNT", "chunk.tip_wrench_on_environment"),
])
def test_a_malformed_chunk_ends_the_stream_and_is_named(
        client, message, reason, field):
    replies, failure = failed(client, *GOOD, message, chunk(q=Q))
    assert [reply.first_row for reply in replies] == [0, 2]
    assert (failure.code, failure.reason) == (INVALID, reason)
    assert failure.fields == [field]
    assert failure.metadata["chunk"] == "2"
    assert failure.metadata["next_row"] == "4"
    assert failure.metadata["model"] == "panda"


@pytest.mark.parametrize("messages, code, reason, fields", [
    ([], INVALID, "INVALID_FIELD", ["start"]),
    ([chunk(q=Q)], INVALID, "INVALID_FIELD", ["start"]),
    ([pb.EvaluateRequest()], INVALID, "INVALID_FIELD", ["start"]),
    ([pb.EvaluateRequest(start=GOOD[0].start, chunk=GOOD[1].chunk)],
     INVALID, "INVALID_FIELD", ["chunk"]),
    ([streams.start("nobody", [ask.MASS_MATRIX])],
     grpc.StatusCode.NOT_FOUND, "MODEL_NOT_FOUND", []),
    ([torques(tip_wrench_reference_frame=9)], INVALID, "INVALID_FIELD",
     ["start.tip_wrench_reference_frame"]),
    ([torques(operational_space=pb.OperationalSpaceOptions(damping=1))],
     INVALID, "INVALID_OPTION", ["start.operational_space.damping"]),
])
def test_a_start_that_is_refused_is_named(
        client, messages, code, reason, fields):
    replies, failure = failed(client, *messages)
    assert replies == []
    assert (failure.code, failure.reason) == (code, reason)
    assert failure.fields == fields
    assert "next_row" not in failure.metadata


def test_the_first_bad_row_ends_a_stream_that_fails_fast(client):
    states = States(7, 4000)
    states.q[[2500, 2600, 3999], 2] = np.nan
    replies, failure = failed(
        client, torques(options=pb.Options(fail_fast=True)),
        *map(chunk_of, cut(states, [1, 1000])))
    assert [reply.rows for reply in replies] == [1, 1000, 1000]
    assert (failure.code, failure.reason) == (INVALID, "ROW_FAILED")
    assert failure.metadata["row"] == "2500"
    assert failure.metadata["chunk"] == "3"
    assert failure.metadata["next_row"] == "2001"
    assert "Row 2500" in failure.message
    # Twin: without it all rows come.
    assert len(evaluate(
        client, torques(), *map(chunk_of, cut(states, [1000])))) == 4


def test_bytes_that_are_no_request_are_not_taken_for_the_end(client):
    call = client.channel.stream_stream("/torqued.v1.Dynamics/Evaluate")(
        iter([*(message.SerializeToString() for message in GOOD), b"\x12\x7f"]),
        timeout=harness.CALL_SECONDS)
    failure = failure_of(list, call)
    assert (failure.code, failure.reason) == (INVALID, "INVALID_FIELD")
    assert failure.metadata["next_row"] == "4"


# --- Giving up and shutting down ---------------------------------------------


def long_start():
    return streams.start(
        "long", [ask.OPERATIONAL_SPACE],
        operational_space=pb.OperationalSpaceOptions(
            axes=[pb.TASK_AXIS_LINEAR_Z], sigma_min=True))


def long_chunk(client, seconds, clock=time.monotonic):
    """A chunk that takes about so long to compute."""
    rows = len(table(laborious_for(client, seconds, clock).q))
    return chunk(F32, q=States(LONG_JOINTS, rows).q)


def test_a_drain_finishes_the_chunks_it_has_and_says_where_to_resume(start):
    server = start("--threads", 1)
    with harness.Client(server.address) as client:
        register_long(client)
        work = long_chunk(client, 0.1)
        rows = len(table(work.chunk.q))
        count = 40
        wanted = evaluate(client, long_start(), work)[0].results
        stream = Stream(client, long_start(), *count * [work])
        replies = [stream.receive() for _ in range(3)]
        server.terminate()
        failure = failure_of(lambda: replies.extend(stream.call))
        assert (failure.code, failure.reason) == (UNAVAILABLE, "DRAINING")
        assert [r.first_row for r in replies] == [
            k * rows for k in range(len(replies))]
        assert failure.metadata["next_row"] == str(len(replies) * rows)
        assert "chunk" not in failure.metadata
        # What it had read, and not more.
        assert len(replies) < count
        assert all(reply.results == wanted for reply in replies)
        stream.close()
    assert server.wait() == 0
    # Another server carries on.
    with start() as other, harness.Client(other.address) as client:
        left = count - len(replies)
        rest = evaluate(client, long_start(), *left * [work])
        assert len(replies) + len(rest) == count
        assert all(reply.results == wanted for reply in rest)


@pytest.mark.parametrize("messages, next_row", [
    ([], None), (GOOD[:1], "0"), (GOOD, "4")])
def test_an_idle_stream_does_not_hold_up_a_drain(start, messages, next_row):
    server = start("--drain-grace", 600, models=harness.example_models())
    with harness.Client(server.address) as client:
        with Stream(client, *messages) as stream:
            for _ in messages[1:]:
                stream.receive()
            # Answered after the stream has begun, on the same connection.
            client.dynamics.Compute(compute_request(
                "panda", [ask.MASS_MATRIX], q=np.zeros((1, 7))))
            server.cpu_seconds_when_idle()  # its start is read
            server.terminate()
            failure = failure_of(stream.receive)
            assert (failure.code, failure.reason) == (UNAVAILABLE, "DRAINING")
            assert failure.metadata.get("next_row") == next_row
            assert server.wait() == 0


def test_the_log_counts_chunks_and_rows(start):
    server = start("--log-format", "json", "--log-level", "debug",
                   models=harness.example_models())
    with harness.Client(server.address) as client:
        call = client.dynamics.Evaluate(
            iter(GOOD), metadata=[
                ("x-request-id", "stream-1"),
                ("traceparent", f"00-{'a1' * 16}-{'b2' * 8}-01")])
        assert len(list(call)) == 2
        assert ("x-request-id", "stream-1") in call.trailing_metadata()
    assert server.stop() == 0
    line, = (entry for entry in map(json.loads, server.log().splitlines())
             if entry.get("method") == "Evaluate")
    assert line["outcome"] == "OK"
    assert (line["chunks"], line["rows"]) == (2, 4)
    assert line["request_id"] == "stream-1"
    assert (line["trace_id"], line["parent_id"]) == ("a1" * 16, "b2" * 8)
    assert line["model"] == "panda"
