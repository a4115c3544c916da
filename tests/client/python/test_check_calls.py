"""Checks by both kinds of client, however they are sent, and failures."""

import asyncio
import pickle
import threading

import grpc
import pytest
import torqued
import torqued.aio
from conftest import MODELS
from motions import MOTION, same, swinging
from servers import details, refusing, Restarting


def test_without_blocking_it_is_the_same(client, panda, tmp_path):
    MOTION.write(tmp_path / "move.npz")
    words = {"task": True, "tables": ["tau", "condition"], "derating": 0.3}

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            told = []
            with pytest.raises(FileNotFoundError):
                await robot.check_trajectory(tmp_path / "move.txt")
            return told, await asyncio.gather(
                robot.check_trajectory(
                    MOTION, progress=lambda *step: told.append(step), **words),
                robot.check_trajectory(tmp_path / "move.npz", **words))

    told, verdicts = asyncio.run(compute())
    expected = panda.check_trajectory(MOTION, **words)
    assert all(same(verdict, expected) for verdict in verdicts)
    assert told[-1] == (2500, 2500)


def test_however_the_samples_are_cut_it_is_the_same(client, panda):
    motion = swinging(20_000, seed=3)
    words = {"derating": 0.3, "tables": ["tau", "path_b"]}
    expected = panda.check_trajectory(motion, **words)
    assert not expected.passes
    with refusing(client.address) as (address, handler):
        with torqued.connect(address) as narrow:
            narrow.connection.payload = 1 << 17
            assert same(narrow.model("panda").check_trajectory(motion, **words), expected)
    # None was too large.
    assert handler.calls.count("CheckTrajectory") == 1


def test_pickled_it_is_the_same(panda):
    verdict = panda.check_trajectory(MOTION, derating=0.3, tables=["tau"])
    again = pickle.loads(pickle.dumps(verdict))
    assert same(again, verdict) and again.violations == verdict.violations


class Bar:
    def __init__(self):
        self.total, self.n = None, 0

    def update(self, n):
        assert n > 0
        self.n += n


def test_progress_reaches_the_end(panda):
    bar, told = Bar(), []
    motion = swinging(100_000)
    panda.check_trajectory(motion, progress=bar)
    assert bar.n == bar.total == 100_000
    panda.check_trajectory(motion, progress=lambda *step: told.append(step))
    done = [step[0] for step in told]
    assert done == sorted(set(done))
    assert {step[1] for step in told} == {100_000} and done[-1] == 100_000


def test_a_server_that_is_killed_is_asked_again(tmp_path):
    server = Restarting(tmp_path, MODELS)
    # More than what the transport has at a time.
    motion, tables = swinging(300_000), ["tau", "path_a"]
    kills, retried, told = [], [], []

    def kill(done, total):
        told.append(done)
        if not kills:
            kills.append(done)
            server.kill()
            server.start()

    try:
        with torqued.connect(server.address, on_retry=lambda *what:
                             retried.append(what)) as client:
            robot = client.model("panda")
            verdict = robot.check_trajectory(motion, tables=tables, progress=kill)
            assert same(robot.check_trajectory(motion, tables=tables), verdict)
    finally:
        server.stop()
    assert kills and isinstance(retried[0][0], torqued.Unavailable)
    # Told from the start again, but nothing twice.
    assert told == sorted(set(told)) and told[-1] == 300_000


OVERLOADED = details(grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", retry_seconds=0.2)


def test_what_passes_is_waited_for(client, panda):
    with refusing(client.address,
                  (grpc.StatusCode.RESOURCE_EXHAUSTED, OVERLOADED, 0),
                  (grpc.StatusCode.UNAVAILABLE, None, 0)) as (address, handler):
        told = []
        with torqued.connect(
                address, on_retry=lambda *what: told.append(what)) as through:
            verdict = through.model("panda").check_trajectory(MOTION)
    assert same(verdict, panda.check_trajectory(MOTION))
    assert handler.calls.count("CheckTrajectory") == 3
    assert isinstance(told[0][0], torqued.Overloaded) and told[0][1] >= 0.2
    assert isinstance(told[1][0], torqued.Unavailable)


def test_a_deadline_ends_the_check(panda):
    with pytest.raises(torqued.DeadlineExceeded):
        panda.check_trajectory(swinging(200_000), task=True, deadline=0.05)


def test_a_cancelled_task_ends_its_check(client):
    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot, begun = await waiting.model("panda"), threading.Event()
            task = asyncio.create_task(robot.check_trajectory(
                swinging(200_000), task=True, progress=lambda done, total: begun.set()))
            while not begun.is_set():
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await robot.check_trajectory(MOTION)).samples == 2500

    asyncio.run(asyncio.wait_for(compute(), 60))
