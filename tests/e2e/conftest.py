"""Servers that are stopped whatever happens to the test."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import harness


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
