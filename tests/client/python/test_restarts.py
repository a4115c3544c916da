"""Servers that are restarted under load: no call fails, no bit is another."""

import contextlib
import os
import threading

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS, same_bits
from ports import held_address
from servers import Restarting, nobody_but_one_try

# More of them by hand: TEST_RESTARTS=50.
RESTARTS = int(os.environ.get("TEST_RESTARTS", "6"))
# For whatever the restarts wait for.
PATIENCE = 60


class Calls:
    """What is asked, again and again, and what it has to come to."""

    def __init__(self, panda, states):
        s = states(12_000)
        self.one = {"q": s.q[0], "v": s.v[0], "a": s.a[0]}
        self.many = {"q": s.q, "v": s.v, "a": s.a}
        time = np.linspace(0, 3, 3001)
        angle = 0.3 * np.sin(time)[:, np.newaxis] * np.ones(7)
        self.motion = torqued.Trajectory(
            time, angle, 0.3 * np.cos(time)[:, np.newaxis] * np.ones(7), -angle)
        self.kinds = {
            "unary": lambda robot: robot.inverse_dynamics(**self.one),
            "batch": lambda robot: robot.inverse_dynamics(**self.many),
            "check": lambda robot: robot.check_trajectory(
                self.motion, tables=["tau"])}
        self.expected = {
            kind: self.numbers(call(panda))
            for kind, call in self.kinds.items()}

    @staticmethod
    def numbers(answer):
        if isinstance(answer, torqued.TrajectoryVerdict):
            return answer.tables["tau"]
        return answer

    def check(self, kind, answer):
        assert same_bits(self.numbers(answer), self.expected[kind]), kind


class Done:
    """Calls that have succeeded, by their kind, and the first that failed."""

    def __init__(self, kinds):
        self.counts = dict.fromkeys(kinds, 0)
        self.failure = None
        self.over = threading.Event()
        self._changed = threading.Condition()

    def one(self, kind):
        with self._changed:
            self.counts[kind] += 1
            self._changed.notify_all()

    def failed(self, error):
        with self._changed:
            self.failure = self.failure or error
            self._changed.notify_all()

    def wait_for_one_more_of_each(self):
        with self._changed:
            before = dict(self.counts)
            assert self._changed.wait_for(
                lambda: self.failure or all(
                    self.counts[kind] > before[kind] for kind in before),
                PATIENCE), self.counts
        if self.failure:
            raise self.failure


def restart_under_load(server, done):
    for turn in range(RESTARTS):
        done.wait_for_one_more_of_each()
        # Some end in order, some at once.
        server.kill() if turn % 3 == 2 else server.stop()
        server.start()
    done.wait_for_one_more_of_each()


@pytest.fixture
def restarting(tmp_path):
    server = Restarting(tmp_path, MODELS, address=held_address())
    yield server
    server.stop()


def test_no_call_fails_while_its_server_is_restarted(restarting, panda, states):
    calls = Calls(panda, states)
    done = Done(calls.kinds)
    retried = []

    def work(robot, kind):
        try:
            while not done.over.is_set():
                calls.check(kind, calls.kinds[kind](robot))
                done.one(kind)
        except BaseException as error:
            done.failed(error)

    with torqued.connect(restarting.address, deadline=30, on_retry=(
            lambda error, _: retried.append(error.code))) as client:
        robot = client.model("panda")
        workers = [threading.Thread(target=work, args=(robot, kind))
                   for kind in calls.kinds for _ in range(2)]
        for worker in workers:
            worker.start()
        try:
            restart_under_load(restarting, done)
        finally:
            done.over.set()
            for worker in workers:
                worker.join(PATIENCE)
    if done.failure:
        raise done.failure
    assert retried


class Drained:
    """Of a server that drains and refuses; told of the refusal, it ends. It
    comes again once somebody has tried to connect in vain."""

    def __init__(self, server):
        self.refusals = []
        self._server = server
        self._draining = contextlib.ExitStack()
        self._again = threading.Thread(target=self._start)

    def __enter__(self):
        self._draining.enter_context(self._server.draining())

    def refused(self, error, _):
        self.refusals.append(error.reason)
        if len(self.refusals) == 1:
            self._draining.close()
            self._server.stop()
            self._again.start()

    def _start(self):
        nobody_but_one_try(self._server.address)
        self._server.start()

    def __exit__(self, *_):
        self._draining.close()
        if self.refusals:
            self._again.join(PATIENCE)


# None of this name is there before: what was done twice would be refused.
ONCE = {"name": "new", "urdf": MODELS / "panda.urdf", "expected_current": ""}


def test_a_registration_that_was_refused_waits_for_the_next_server(restarting):
    drained = Drained(restarting)
    with torqued.connect(restarting.address, on_retry=drained.refused) as client:
        with drained:
            robot = client.register(**ONCE)
        assert client.describe("new").revision == robot.revision
    assert drained.refusals[0] is torqued.Reason.DRAINING
