"""A server for the files of tests that need one, and trajectories."""

import pytest

from calls import serving
from trajectory_directories import fixture_samples
from trajectory_files import fixture_move

__all__ = ["fixture_move", "fixture_samples"]


@pytest.fixture(scope="session", name="server")
def fixture_server(tmp_path_factory):
    """Address of a server that outlives the calls."""
    with serving(tmp_path_factory.mktemp("server"), "127.0.0.1:0") as address:
        yield address
