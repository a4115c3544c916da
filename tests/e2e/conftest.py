"""Fixtures: servers that are stopped whatever happens to the test, and robots
on them."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
# So that what their assertions compared is shown.
pytest.register_assert_rewrite("ways")

import harness
import surroundings
import ways


@pytest.fixture(scope="module")
def module_server(tmp_path_factory):
    """A server with the example models, shared by the tests of one file."""
    with harness.Server(tmp_path_factory.mktemp("server"),
                        models=harness.example_models()) as server:
        yield server
        assert server.process.poll() is None, "the server died"
        assert server.stop() == 0


@pytest.fixture(scope="module")
def client(module_server):
    with harness.Client(module_server.address) as connection:
        yield connection


@pytest.fixture(scope="module")
def panda(client):
    """Three states of the example arm."""
    return ways.Robot.of(client, "panda", 3)


@pytest.fixture(scope="module", params=ways.TIPS)
def arm(request, client):
    """Twelve states of a robot."""
    return ways.Robot.example(client, request.param, 12)


@pytest.fixture(scope="module", params=ways.TIPS)
def rusty(request, client):
    """A robot with friction that is asked in all ways."""
    return surroundings.rusty_arm(client, request.param)


class Starter:
    """starter(*flags, **options) -> Server."""

    def __init__(self, directory):
        self.directory = directory
        self.servers = []

    def __call__(self, *flags, **options):
        """As Server, in a new directory; all share one store by default."""
        options.setdefault("store", self.directory / "models.db")
        server = harness.Server(
            self.directory / f"run{len(self.servers)}", *flags, **options)
        self.servers.append(server)
        return server


@pytest.fixture
def start(tmp_path):
    """Starts servers, which end with the test."""
    starter = Starter(tmp_path)
    yield starter
    for server in starter.servers:
        server.__exit__()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows the end of the servers' logs beside a failure."""
    report = (yield).get_result()
    if not report.failed:
        return
    for value in getattr(item, "funcargs", {}).values():
        if isinstance(value, Starter):
            servers = value.servers
        else:
            servers = [value] if isinstance(value, harness.Server) else []
        for server in servers:
            tail = server.log().splitlines()[-40:]
            report.sections.append(
                (f"log of server {server.pid}", "\n".join(tail)))
