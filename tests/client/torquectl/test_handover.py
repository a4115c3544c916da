"""A large batch that begins at one server and ends at another."""

import contextlib
import re

import numpy as np
import pytest

from calls import OK, PANDA, run, run_json, serving
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


@pytest.fixture(scope="module", name="servers")
def fixture_servers(tmp_path_factory):
    """Addresses by target: of the widest and of the narrowest."""
    def start(name, *flags):
        return stack.enter_context(serving(
            tmp_path_factory.mktemp(name), "127.0.0.1:0", *flags))

    with contextlib.ExitStack() as stack:
        addresses = [start("widest"), start("baseline", "--isa", "baseline")]
        for address in addresses:
            added = run("models", "add", PANDA, "--server", address)
            assert added.returncode == OK, added.stderr
        targets = [run_json("info", "--server", address)["target"]
                   for address in addresses]
        if targets[0] == targets[1]:
            pytest.skip("this machine has one target only")
        yield dict(zip(targets, addresses))


@pytest.fixture(scope="module", name="states")
def fixture_states(tmp_path_factory):
    path = tmp_path_factory.mktemp("states") / "in.npy"
    np.save(path, np.random.default_rng(5).uniform(-2, 2, (ROWS, 21)))
    return path


def torques(states, server):
    """What a server computes, and what torquectl remarks."""
    done = run("id", "--states", states, "-m", "panda", "--joints", "canonical",
               "--output", "csv", "--server", server)
    assert done.returncode == OK, done.stderr
    return np.array([line.split(",")[:7] for line in
                     done.stdout.splitlines()[1:]]), done.stderr


def test_a_batch_that_another_target_ends_is_remarked_on(servers, states):
    (first, second) = servers
    alone = {}
    for target, address in servers.items():
        alone[target], remarks = torques(states, address)
        assert "another server" not in remarks
    assert not np.array_equal(alone[first], alone[second])

    with contextlib.closing(
            HandingOver(servers[first], servers[second])) as relay:
        tau, remarks = torques(states, relay.address)
        assert relay.handed_over
    version = run("--version").stdout.split()[1]
    told = re.findall(r"from row (\d+) on another server computed: target "
                      rf"{second}, version {re.escape(version)};", remarks)
    assert len(told) == 1, remarks
    row = int(told[0])
    assert 0 < row < ROWS
    assert np.array_equal(tau[:row], alone[first][:row])
    assert np.array_equal(tau[row:], alone[second][row:])


def test_a_batch_that_the_same_target_ends_is_not(servers, states, tmp_path):
    (target, address), *_ = servers.items()
    with serving(tmp_path, "127.0.0.1:0", "--isa", target) as twin:
        assert run("models", "add", PANDA, "--server", twin).returncode == OK
        with contextlib.closing(HandingOver(address, twin)) as relay:
            tau, remarks = torques(states, relay.address)
            assert relay.handed_over
    assert "another server" not in remarks
    assert np.array_equal(tau, torques(states, address)[0])
