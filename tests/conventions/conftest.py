"""A server with the robot on which conventions differ."""

import pathlib

import numpy as np
import pytest
import torqued

from states import URDF


@pytest.fixture(scope="session")
def client():
    with torqued.local() as connection:
        yield connection


@pytest.fixture(scope="session")
def robot(client):
    return client.register("tree", URDF, tip_frame="tool")


@pytest.fixture(scope="session", autouse=True)
def exact_numbers():
    np.seterr(all="raise", under="ignore")


@pytest.fixture(scope="session")
def models():
    """Where the shipped models are."""
    return pathlib.Path(URDF).parents[2] / "deploy" / "models"
