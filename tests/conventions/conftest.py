"""A server with the robot on which conventions differ."""

import numpy as np
import pytest
import torqued

from setting import URDF


@pytest.fixture(scope="session")
def client():
    with torqued.local() as connection:
        yield connection


@pytest.fixture(scope="session")
def robot(client):
    return client.register("tree", str(URDF), tip_frame="tool")


@pytest.fixture(scope="session", autouse=True)
def exact_numbers():
    np.seterr(all="raise", under="ignore")
