"""A large batch that begins at one server and ends at another."""

import contextlib

import numpy as np
import pytest

from calls import OK, PANDA, run, serving
from relay import Relay

ROWS = 40_000
# Of the replies' 2.2 MB.
BYTES_OF_THE_FIRST_SERVER = 500_000


class HandingOver(Relay):
    """Passes connections on to the first server until that has answered so
    many bytes, then ends them and passes new ones on to the second."""

    def __init__(self, first, second):
        self._second = second
        super().__init__(first)

    @property
    def handed_over(self):
        return self.server == self._second

    def goes_on(self, passed):
        if self.handed_over or passed <= BYTES_OF_THE_FIRST_SERVER:
            return True
        self.server = self._second
        return False


@pytest.fixture(scope="module", name="states")
def fixture_states(tmp_path_factory):
    path = tmp_path_factory.mktemp("states") / "in.npy"
    np.save(path, np.random.default_rng(5).uniform(-2, 2, (ROWS, 21)))
    return path


def torques(states, server):
    done = run("id", "--states", states, "-m", "panda", "--joint-names", "canonical",
               "--output", "csv", "--server", server)
    assert done.returncode == OK, done.stderr
    return np.array([line.split(",")[:7] for line in
                     done.stdout.splitlines()[1:]])


def test_a_batch_that_another_server_ends_has_the_same_bits(states, tmp_path):
    with contextlib.ExitStack() as stack:
        addresses = [stack.enter_context(
            serving(tmp_path / name, "127.0.0.1:0"))
            for name in ("first", "second") if not (tmp_path / name).mkdir()]
        for address in addresses:
            assert run("models", "add", PANDA, "--server",
                       address).returncode == OK
        with contextlib.closing(HandingOver(*addresses)) as relay:
            tau = torques(states, relay.address)
            assert relay.handed_over
        assert np.array_equal(tau, torques(states, addresses[0]))
