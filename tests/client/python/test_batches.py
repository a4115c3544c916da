"""Batches of any size: in parts, on through failures, and given up."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import numpy as np
import pytest
import torqued
from conftest import MODELS, connected_to, same_bits
from processes import running
from servers import Restarting, refusing

GONE = grpc.StatusCode.UNAVAILABLE
COMPUTE = "/torqued.v1.Dynamics/Compute"


def test_a_large_batch_is_cut_by_itself_and_tells_its_progress(panda):
    q = np.linspace(-1, 1, 7 * 30_000).reshape(-1, 7)
    told = []
    M = panda.mass_matrix(q, progress=lambda *step: told.append(step))
    assert M.shape == (30_000, 7, 7)
    assert same_bits(M[[0, 12_345]], panda.mass_matrix(q[[0, 12_345]]))
    done = [step[0] for step in told]
    assert len(done) > 10 and done == sorted(done) and done[-1] == 30_000
    assert {step[1] for step in told} == {30_000}


def fail(done, total):
    raise RuntimeError("enough")


def test_a_failing_progress_ends_the_call_at_once(client):
    with refusing(client.address) as (address, handler):
        with connected_to(address, 10) as through:
            robot = through.model("panda")
            with pytest.raises(RuntimeError, match="enough"):
                robot.mass_matrix(np.zeros((10_000, 7)), progress=fail)
            assert handler.calls.count(COMPUTE) < 20
            assert robot.mass_matrix(np.zeros(7)).shape == (7, 7)


def test_a_batch_goes_on_where_a_killed_server_was(tmp_path, states):
    server = Restarting(tmp_path, MODELS)
    s = states(200_000)
    kills, retried = [], []

    def kill(done, total):
        if done >= 2000 and not kills:
            kills.append(done)
            server.kill()
            server.start()

    try:
        with torqued.connect(
                server.address, on_retry=lambda *told: retried.append(told)) as client:
            robot = client.model("panda")
            evaluation = robot.compute(["inverse_dynamics"], s.q, s.v, s.a, progress=kill)
            assert same_bits(evaluation.tau, robot.inverse_dynamics(s.q, s.v, s.a))
    finally:
        server.stop()
    assert kills and retried
    assert isinstance(retried[0][0], torqued.Unavailable)
    assert evaluation.ok.all()


def test_parts_are_asked_again_alone_and_keep_their_places(client):
    q = np.linspace(-1, 1, 7 * 70).reshape(-1, 7)
    q[[5, 35, 69], 0] = np.nan
    with refusing(client.address, (GONE, None), (GONE, None)) as (address, handler):
        with connected_to(address, 10) as through:
            evaluation = through.model("panda").compute(
                ["mass_matrix"], q, bad_rows="nan")
    assert handler.calls.count(COMPUTE) == 9
    assert [s.row for s in evaluation.row_status] == [5, 35, 69]
    assert same_bits(evaluation.mass_matrix, client.model("panda").mass_matrix(
        q, bad_rows="nan"))


def test_every_bad_row_of_a_part_is_known_however_many(panda):
    q = np.zeros((5000, 7))
    bad = np.arange(0, 5000, 2)
    q[bad, 4] = np.inf
    evaluation = panda.compute(["gravity_forces"], q, bad_rows="nan")
    assert [s.row for s in evaluation.row_status] == bad.tolist()
    assert np.array_equal(np.isnan(evaluation.gravity[:, 0]), ~evaluation.ok)


def test_errors_name_the_row_of_the_batch(client):
    q = np.zeros((3000, 7))
    q[2345, 0] = np.nan
    with connected_to(client.address, 1000) as cut:
        with pytest.raises(torqued.InvalidArgument) as caught:
            cut.model("panda").compute(["mass_matrix"], q, fail_fast=True)
    assert caught.value.row == 2345
    assert str(caught.value).startswith("Row 2345 failed: ")


def test_a_server_that_takes_less_is_sent_less():
    with torqued.local([MODELS / "panda.urdf"], arguments=["--max-rows", "100"]) as small:
        robot = small.model("panda")
        q = np.linspace(-1, 1, 7 * 950).reshape(-1, 7)
        M = robot.mass_matrix(q)
        assert M.shape == (950, 7, 7)
        assert same_bits(M[949], robot.mass_matrix(q[949]))


def test_a_message_that_cannot_be_cut_is_too_large():
    arguments = ["--max-message-bytes", "20000"]
    with torqued.local([MODELS / "panda.urdf"], arguments=arguments) as tight:
        robot = tight.model("panda")
        assert robot.christoffel_symbols(np.zeros((40, 7))).shape == (40, 7, 7, 7)
        with pytest.raises(torqued.RequestTooLarge):
            robot.jacobian(np.zeros(7), tip_frame="x" * 30_000)


LONG = np.zeros((400_000, 7))


def test_deadlines(panda):
    for rows in (1000, 40_000):
        with pytest.raises(torqued.DeadlineExceeded) as caught:
            panda.compute(["christoffel_symbols"], LONG[:rows], deadline=0.001)
        assert isinstance(caught.value, TimeoutError)
        assert caught.value.code == "DEADLINE_EXCEEDED"


def test_a_deadline_is_until_another_part_is_answered(client):
    with connected_to(client.address, 10) as cut:
        begin = time.monotonic()
        cut.model("panda").mass_matrix(
            np.zeros((100, 7)), deadline=0.5,
            progress=lambda done, total: time.sleep(0.1))
    assert time.monotonic() - begin > 0.9


def test_closing_a_client_cancels_its_calls(client):
    other, begun = torqued.connect(client.address), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(
            other.model("panda").compute, ["christoffel_symbols"], LONG,
            progress=lambda done, total: begun.set())
        assert begun.wait(20)
        other.close()
        with pytest.raises(torqued.Cancelled):
            call.result(20)


@pytest.mark.parametrize("rows", [400_000, 400])
def test_an_interrupt_ends_a_call_at_once(client, rows):
    # A process of its own, as a person would interrupt it.
    program = textwrap.dedent(f"""
        import signal, time
        import numpy as np, torqued
        signal.alarm(30)
        client = torqued.connect({client.address!r})
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

    def compute(first):
        rows = slice(first, None, 8)
        for _ in range(20):
            assert same_bits(panda.inverse_dynamics(
                s.q[rows], s.v[rows], s.a[rows]), expected[rows])

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(compute, range(8)))
