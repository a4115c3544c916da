"""Batches of any size: through streams, on through failures, and given up."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import grpc
import numpy as np
import pytest
import torqued
from conftest import MODELS, same_bits
from processes import running
from servers import Restarting, details, refusing
from torqued.batch import Batch
from torqued.retry import Deadline, Schedule
from torqued.v1 import array_pb2, dynamics_pb2

INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
GONE = grpc.StatusCode.UNAVAILABLE


def test_stream_and_single_call_agree_in_every_bit(panda, states):
    s = states(2345)
    names = ["inverse_dynamics", "mass_matrix", "operational_space",
             "frame_pose", "energy"]
    with torqued.connect(panda.client.address, chunk_rows=100) as chunked:
        unary, stream = (robot.compute(names, s.q, s.v, s.a, sigma_min=True)
                         for robot in (panda, chunked.model("panda")))
    assert unary.names
    for name in unary.names:
        assert same_bits(getattr(unary, name), getattr(stream, name)), name
    part = panda.compute(names, s.q[1000:1007], s.v[1000:1007],
                         s.a[1000:1007], sigma_min=True)
    assert same_bits(part.tau, unary.tau[1000:1007])


def test_a_large_batch_streams_by_itself_and_tells_its_progress(panda):
    q = np.linspace(-1, 1, 7 * 30_000).reshape(-1, 7)
    told = []
    M = panda.mass_matrix(q, progress=lambda *step: told.append(step))
    assert M.shape == (30_000, 7, 7)
    assert same_bits(M[[0, 12_345]], panda.mass_matrix(q[[0, 12_345]]))
    done = [step[0] for step in told]
    assert len(done) > 10 and done == sorted(done) and done[-1] == 30_000
    assert {step[1] for step in told} == {30_000}


def test_without_a_limit_of_messages_a_batch_is_not_cut_up(client):
    told = []
    with torqued.connect(client.address, max_message_bytes=-1) as unlimited:
        unlimited.model("panda").mass_matrix(
            np.zeros((100, 7)), progress=lambda *step: told.append(step))
    assert told == [(100, 100)]


class Bar:
    """What of a tqdm bar is used."""

    def __init__(self):
        self.total, self.n = None, 0

    def update(self, n):
        assert n > 0
        self.n += n


def test_progress_of_a_bar(panda):
    bar = Bar()
    panda.compute(["mass_matrix"], np.zeros((25000, 7)), progress=bar)
    assert bar.n == bar.total == 25000


def fail(done, total):
    raise RuntimeError("enough")


def test_a_failing_progress_ends_the_call_at_once(client):
    with refusing(client.address) as (address, handler):
        with torqued.connect(address) as through:
            robot = through.model("panda")
            # The failure, which is kept, keeps the call.
            with pytest.raises(RuntimeError, match="enough") as caught:
                robot.mass_matrix(np.zeros((100_000, 7)), progress=fail)
            assert handler.stream_ended.wait(10)
            assert caught.traceback
            assert robot.mass_matrix(np.zeros(7)).shape == (7, 7)


def test_without_blocking_it_does_too(client):
    async def compute(address, handler):
        async with torqued.aio.connect(address) as through:
            robot = await through.model("panda")
            with pytest.raises(RuntimeError, match="enough") as caught:
                await robot.mass_matrix(np.zeros((100_000, 7)), progress=fail)
            assert await asyncio.to_thread(handler.stream_ended.wait, 10)
            assert caught.traceback

    with refusing(client.address) as through:
        asyncio.run(compute(*through))


# --- On through failures -----------------------------------------------------


def test_a_batch_goes_on_where_a_killed_server_was(tmp_path, states):
    server = Restarting(tmp_path, MODELS)
    # More than the buffers of a connection hold.
    s = states(200_000)
    kills, retried = [], []

    def kill(done, total):
        if done >= 2000 and not kills:
            kills.append(done)
            server.kill()
            server.start()

    try:
        with torqued.connect(
                server.address,
                on_retry=lambda *told: retried.append(told)) as client:
            robot = client.model("panda")
            evaluation = robot.compute(
                ["inverse_dynamics"], s.q, s.v, s.a, progress=kill)
            assert same_bits(evaluation.tau,
                             robot.inverse_dynamics(s.q, s.v, s.a))
    finally:
        server.stop()
    assert kills and retried
    assert isinstance(retried[0][0], torqued.Unavailable)
    assert evaluation.ok.all() and not evaluation.handovers


def test_bad_rows_behind_an_interruption_keep_their_numbers(client):
    q = np.zeros((70, 7))
    q[[5, 35, 69], 0] = np.nan
    with refusing(client.address, (GONE, None, 2), (GONE, None, 1)) as (
            address, handler):
        with torqued.connect(address, chunk_rows=10) as through:
            evaluation = through.model("panda").compute(
                ["mass_matrix"], q, bad_rows="nan")
    assert handler.calls.count("Evaluate") == 3
    assert [s.row for s in evaluation.row_status] == [5, 35, 69]
    assert np.isnan(evaluation.mass_matrix[:, 0, 0]).nonzero()[
        0].tolist() == [5, 35, 69]


def test_rows_of_errors_count_from_the_start_of_the_batch(client):
    failed = details(INVALID, "ROW_FAILED", row="3", next_row="0", chunk="0")
    with refusing(client.address, (GONE, None, 2), (INVALID, failed, 0)) as (
            address, _):
        with torqued.connect(address, chunk_rows=10) as through:
            robot = through.model("panda")
            with pytest.raises(torqued.InvalidArgument) as caught:
                robot.compute(["mass_matrix"], np.zeros((70, 7)))
    assert caught.value.row == 23
    assert caught.value.metadata == {
        "row": "23", "next_row": "20", "chunk": "2"}


def test_details_of_another_code_are_void(client):
    other = details(EXHAUSTED, "OVERLOADED", 0.1)
    with refusing(client.address, (INVALID, other)) as (address, _):
        with torqued.connect(address) as through:
            robot = through.model("panda")
            with pytest.raises(torqued.InvalidArgument) as caught:
                robot.mass_matrix(np.zeros(7))
    assert caught.value.reason is None
    assert caught.value.retry_delay is None


@pytest.mark.parametrize("first_row, rows", [(1, 10), (0, 9)])
def test_replies_that_are_not_those_of_the_chunks(panda, first_row, rows):
    plan = panda._plan(["mass_matrix"], {"q": np.zeros((20, 7))})
    batch = Batch(plan, 1 << 24, 10, Schedule(Deadline(1), True),
                  lambda done, total: None)
    next(batch.stream_messages())
    numbers = array_pb2.Array(columns=49, f64=bytes(rows * 49 * 8))
    with pytest.raises(torqued.InternalError, match="were its turn"):
        batch.take(dynamics_pb2.EvaluateReply(
            first_row=first_row, rows=rows,
            results=dynamics_pb2.Results(mass_matrix=numbers)))


@pytest.mark.parametrize("columns, size", [(48, 490 * 8), (49, 489 * 8)])
def test_replies_of_another_size(panda, columns, size):
    plan = panda._plan(["mass_matrix"], {"q": np.zeros((10, 7))})
    batch = Batch(plan, 1 << 24, 10, Schedule(Deadline(1), True),
                  lambda done, total: None)
    with pytest.raises(torqued.InternalError, match="columns"):
        batch.take_whole(dynamics_pb2.ComputeReply(
            rows=10, results=dynamics_pb2.Results(
                mass_matrix=array_pb2.Array(columns=columns, f64=bytes(size)))))


def test_overload_is_waited_for(client):
    refusal = (EXHAUSTED, details(EXHAUSTED, "OVERLOADED", 0.12))
    waits = []
    with refusing(client.address, refusal, refusal) as (address, _):
        with torqued.connect(address, on_retry=lambda error, seconds:
                             waits.append((type(error), seconds))) as through:
            robot = through.model("panda")
            start = time.monotonic()
            robot.mass_matrix(np.zeros(7))
            assert time.monotonic() - start > 0.24
    assert waits == [(torqued.Overloaded, 0.12)] * 2


def test_overload_is_told_where_nothing_is_tried_again(client):
    refusal = (EXHAUSTED, details(EXHAUSTED, "OVERLOADED", 0.5))
    with refusing(client.address, refusal) as (address, handler):
        with torqued.connect(address, retry=False) as through:
            robot = through.model("panda")
            with pytest.raises(torqued.Overloaded) as caught:
                robot.mass_matrix(np.zeros(7))
        assert caught.value.retry_delay == 0.5
        assert caught.value.reason is torqued.Reason.OVERLOADED
        assert handler.calls.count("/torqued.v1.Dynamics/Compute") == 1


def test_no_try_outlasts_the_deadline(client):
    refusal = (EXHAUSTED, details(EXHAUSTED, "OVERLOADED", 5))
    waits = []
    with refusing(client.address, refusal) as (address, handler):
        with torqued.connect(
                address, on_retry=lambda *wait: waits.append(wait)) as through:
            robot = through.model("panda")
            with pytest.raises(torqued.Overloaded):
                robot.mass_matrix(np.zeros(7), deadline=2)
    assert not waits
    assert handler.calls.count("/torqued.v1.Dynamics/Compute") == 1


def test_a_registration_is_not_repeated(client):
    with refusing(client.address) as (address, handler):
        with torqued.connect(address) as through:
            with pytest.raises(torqued.TorquedError):
                through.register("bad name", MODELS / "panda.urdf")
    assert handler.calls == ["/torqued.v1.ModelRegistry/RegisterModel"]


def test_smaller_chunks_after_a_refusal():
    with torqued.local([MODELS / "panda.urdf"],
                       arguments=["--max-rows", "100"]) as small:
        robot = small.model("panda")
        q = np.linspace(-1, 1, 7 * 950).reshape(-1, 7)
        M = robot.mass_matrix(q)
        assert M.shape == (950, 7, 7)
        assert same_bits(M[949], robot.mass_matrix(q[949]))


def test_a_message_that_cannot_be_cut_is_too_large(client):
    with torqued.connect(client.address, max_message_bytes=2600) as tight:
        robot = tight.model("panda")
        with pytest.raises(torqued.RequestTooLarge):
            robot.christoffel_symbols(np.zeros((4, 7)))


# --- Given up ----------------------------------------------------------------

LONG = np.zeros((400_000, 7))


def test_deadlines(panda):
    for rows in (1000, 40_000):
        with pytest.raises(torqued.DeadlineExceeded) as caught:
            panda.compute(["christoffel_symbols"], LONG[:rows], deadline=0.001)
        assert isinstance(caught.value, TimeoutError)
        assert caught.value.code == "DEADLINE_EXCEEDED"


def test_closing_a_client_cancels_its_calls(client):
    other = torqued.connect(client.address)
    robot = other.model("panda")
    begun, failures = threading.Event(), []

    def compute():
        try:
            robot.compute(["christoffel_symbols"], LONG,
                          progress=lambda done, total: begun.set())
        except torqued.TorquedError as error:
            failures.append(error)

    thread = threading.Thread(target=compute)
    thread.start()
    assert begun.wait(20)
    other.close()
    thread.join(20)
    assert not thread.is_alive()
    assert isinstance(failures[0], torqued.Cancelled)


@pytest.mark.parametrize("rows", [400_000, 4000])
def test_an_interrupt_ends_a_call_at_once(client, rows):
    # A process of its own, as a person would interrupt it.
    program = textwrap.dedent(f"""
        import signal, time
        import numpy as np, torqued
        signal.alarm(30)
        client = torqued.connect({client.address!r}, max_message_bytes=1 << 28)
        robot = client.model("panda")
        print("begun", flush=True)
        try:
            for _ in range(100000):
                robot.compute(["christoffel_symbols"], np.zeros(({rows}, 7)),
                              deadline=100)
        except KeyboardInterrupt:
            begun = time.monotonic()
            client.close()
            print("interrupted", flush=True)
        """)
    with running(sys.executable, "-c", program, stdout=subprocess.PIPE,
                 text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(20) == 0


def test_many_threads_share_a_client(panda, states):
    s = states(400)
    expected = panda.inverse_dynamics(s.q, s.v, s.a)
    failures = []

    def compute(rows):
        try:
            for _ in range(20):
                assert same_bits(panda.inverse_dynamics(
                    s.q[rows], s.v[rows], s.a[rows]), expected[rows])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=compute, args=(slice(k, None, 8),))
               for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
