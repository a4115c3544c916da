"""A real server for each file of tests, and random states."""

import contextlib
import os
import pathlib
import sys

import numpy as np
import pytest
import torqued

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
MODELS = SOURCE / "examples" / "robots"
sys.path.append(str(SOURCE / "tests" / "support"))


@pytest.fixture(scope="module")
def client():
    """Of a server with the example models."""
    with torqued.local(models=[MODELS]) as connected:
        yield connected


@pytest.fixture(scope="module")
def panda(client):
    return client.model("panda")


@pytest.fixture(scope="module")
def ur5e(client):
    return client.model("ur5e")


@contextlib.contextmanager
def connected_to(server, most, **settings):
    """A client that knows of a server that it takes so many rows in a message."""
    with torqued.connect(server, **settings) as client:
        client.connection.server.max_rows = most
        yield client


class States:
    """Random states of seven joints, always the same ones."""

    def __init__(self, rows, joints=7):
        random = np.random.default_rng(11)
        self.q, self.v, self.a, self.tau = random.uniform(-1.5, 1.5, (4, rows, joints))


@pytest.fixture
def states():
    return States


def same_bits(a, b):
    """Whether two arrays agree in every bit, NaNs too."""
    return (a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes())


@contextlib.contextmanager
def refused(kind=torqued.InvalidArgument, match=None, **wanted):
    """Expects an error with these attributes, of its reason the name."""
    with pytest.raises(kind, match=match) as caught:
        yield caught
    told = {name: getattr(caught.value, name) for name in wanted}
    if "reason" in told:
        told["reason"] = told["reason"].name
    assert told == wanted
