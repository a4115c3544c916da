"""Calls through haproxy and nginx, configured as deploy/ ships them."""

import contextlib
import pathlib
import shutil

import grpc
import numpy as np
import pytest

import harness
from calls import ask, compute_request
from ports import held_address
from processes import running
from streams import Stream, chunk, torques

pytestmark = pytest.mark.slow

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
COMMANDS = {
    "haproxy": ("-db", "-f"),
    "nginx": ("-e", "stderr", "-g", "daemon off; master_process off;", "-c")}


@contextlib.contextmanager
def proxied(kind, directory, server):
    """A client of the server behind a proxy."""
    program = shutil.which(kind, path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip(f"{kind} is not installed")
    address = held_address()
    shipped, = (DEPLOY / kind).glob("torqued.*")
    text = shipped.read_text()
    for old, new in (("127.0.0.1:7420", address),
                     ("127.0.0.1:7421", server.address)):
        assert text.count(old) == 1
        text = text.replace(old, new)
    configuration = directory / shipped.name
    configuration.write_text(text.replace("/run/", f"{directory}/"))
    with running(program, *COMMANDS[kind], configuration), \
            harness.Client(address) as client:
        grpc.channel_ready_future(client.channel).result(harness.CALL_SECONDS)
        yield client


@pytest.mark.parametrize("kind", COMMANDS)
def test_calls_pass_unchanged(kind, start, tmp_path):
    # gRPC logs the headers that it receives.
    server = start("--log-level", "debug", models=harness.example_models(),
                   environment={"GRPC_VERBOSITY": "debug",
                                "GRPC_TRACE": "chttp2_hpack_parser"})
    sent = (("authorization", "Bearer x"), ("x-request-id", "of-this-test"))
    with proxied(kind, tmp_path, server) as client:
        failure = harness.failure_of(
            client.dynamics.Compute,
            compute_request("nobody", [ask.MASS_MATRIX], q=np.zeros((1, 7))),
            metadata=sent)
        assert failure.reason == "MODEL_NOT_FOUND"
        assert failure.metadata["model"] == "nobody"
        assert server.lines_when_there("request_id=of-this-test")
        assert server.lines_when_there("authorization: Bearer x")

        # Larger than a proxy accepts by default.
        request = compute_request(
            "panda", [ask.INVERSE_DYNAMICS], q=np.full((50_000, 7), 0.3))
        with harness.Client(server.address) as direct:
            assert (client.dynamics.Compute(request).results
                    == direct.dynamics.Compute(request).results)

        with Stream(client, torques()) as stream:
            for rows in (1, 4000, 1):  # each reply before the next message
                stream.send(chunk(q=np.zeros((rows, 7))))
                assert stream.receive().rows == rows
