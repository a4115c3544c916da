"""Calls of others during rows that take many milliseconds each, counted. waits.py
has bounds in milliseconds, for an idle machine."""

import concurrent.futures

import pytest
from torqued.v1 import dynamics_pb2 as pb

import harness
import robots
import trajectories
from calls import F32, States, ask, compute_request, register
from trajectories import Motion

# A block of rows takes many milliseconds.
JOINTS, ROWS = 256, 100 if harness.SANITIZED else 400
ATTACKERS, CALLS = 20, 40


def chain(joints):
    """A serial arm whose links are hard to turn: its mass matrix is regular,
    however many there are."""
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    elements = [robots.link("link0")]
    for i in range(1, joints + 1):
        elements += [
            robots.joint(f"joint{i}", f"link{i - 1}", f"link{i}",
                         xyz=(0.1, 0, 0.02), axis=axes[i % 3]),
            robots.link(f"link{i}", 1.0, com=(0.05, 0.01, 0),
                        inertia=(900, 0, 0, 1000, 0, 1100))]
    return robots.robot("chain", *elements)


def row(model, joints, quantity=ask.FORWARD_DYNAMICS_DERIVATIVES, rows=1):
    states = States(joints, rows)
    return compute_request(model, [quantity], F32, q=states.q, v=states.v,
                           tau=states.tau)


HUGE = row("huge", JOINTS, ask.OPERATIONAL_SPACE, ROWS)


class Attack:
    """Rows of a huge robot under way, again and again, on a connection each."""

    def __init__(self, server):
        self._clients = [harness.Client(server.address)
                         for _ in range(ATTACKERS)]
        self._calls = [None] * ATTACKERS
        self.ended = 0
        self.go_on()

    def go_on(self):
        for k, client in enumerate(self._clients):
            if self._calls[k] is None or self._calls[k].done():
                self.ended += self._calls[k] is not None
                self._calls[k] = harness.begin(client.dynamics.Compute, HUGE)

    def cancel(self):
        for call in self._calls:
            call.cancel()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.cancel()
        for client in self._clients:
            client.close()


@pytest.fixture(name="server", scope="module")
def server_of_robots(tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("server"), "--threads", 2,
                        models=harness.example_models()) as server, \
            harness.Client(server.address) as client:
        register(client, "huge", chain(JOINTS))
        register(client, "humanoid", chain(50))
        yield server
        assert server.process.poll() is None, "the server died"


def calls_that_end_during(server, attack, call):
    """How many calls for huge rows end while another client makes its calls."""
    with harness.Client(server.address) as client:
        call(client)
        attack.go_on()
        before = attack.ended
        for _ in range(CALLS):
            call(client)
            attack.go_on()
    return attack.ended - before


def single_state(client):
    client.dynamics.Compute(row("panda", 7, ask.FORWARD_DYNAMICS))


def bulk(client):
    client.dynamics.Compute(row("panda", 7, ask.OPERATIONAL_SPACE, 2000))


def row_of_a_humanoid(client):
    client.dynamics.Compute(row("humanoid", 50))


@pytest.mark.parametrize("call", [single_state, bulk, row_of_a_humanoid])
def test_calls_of_others_wait_for_no_row(server, call):
    with Attack(server) as attack:
        # Two threads end two of them during each call that waits for one.
        assert calls_that_end_during(server, attack, call) < CALLS / 4


def test_registrations_wait_for_no_row(server):
    mass = iter(range(1, 10 * CALLS))

    def registration(client):
        register(client, "new", robots.pendulum(mass=next(mass)))

    with Attack(server) as attack:
        assert calls_that_end_during(server, attack, registration) < CALLS / 2


def test_cancelled_rows_are_left(server):
    with harness.Client(server.address) as client:
        before = server.cpu_seconds_when_idle()
        client.dynamics.Compute(HUGE)
        of_a_call = server.cpu_seconds_when_idle() - before
        with Attack(server) as attack:
            # All of them are there, and two of them under way.
            calls_that_end_during(server, attack, single_state)
            before = server.cpu_seconds()
            attack.cancel()
            assert server.cpu_seconds_when_idle() - before < of_a_call / 2


def check(server, samples):
    """Of a trajectory of the huge robot, with what moves its tip."""
    with harness.Client(server.address) as client:
        return trajectories.check(
            client, Motion.swinging(JOINTS, samples), size=20, model="huge",
            operational_space=pb.OperationalSpaceOptions())


def test_calls_of_others_wait_for_no_check(server):
    with concurrent.futures.ThreadPoolExecutor(4) as pool, \
            harness.Client(server.address) as client:
        single_state(client)
        checks = [pool.submit(check, server, 20) for _ in range(4)]
        answered = 0
        while not all(one.done() for one in checks):
            bulk(client)
            answered += 1
    assert answered > 20, answered
