"""Connections: how many there may be, how long they are kept, and that the
server takes new ones whatever was done to it."""

import contextlib
import os
import resource
import signal
import socket
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import http2
import robots
from calls import all_models, ask, compute_request, register
from standard_services import NOT_SERVING, SERVING, health_of, watch_health

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
PATIENCE = harness.CALL_SECONDS
GOAWAY = 7
DESCRIPTORS = 128


def connect(address):
    """A connection that says nothing."""
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), PATIENCE)
    connection.settimeout(PATIENCE)
    return connection


def is_accepted(connection):
    """Whether the server says something before it closes the connection."""
    try:
        return bool(connection.recv(1))
    except ConnectionResetError:
        return False


def is_served(address):
    """Whether a connection of its own is taken."""
    with harness.Client(address) as client:
        try:
            return all_models(client) == {}
        except grpc.RpcError as error:
            assert error.code() == UNAVAILABLE
            return False


# --- How many ----------------------------------------------------------------


def test_connections_beyond_the_descriptors_are_closed_and_others_go_on(start):
    server = start(under=harness.with_descriptors(DESCRIPTORS, DESCRIPTORS))
    with harness.Client(server.address) as client:
        assert all_models(client) == {}
        with contextlib.ExitStack() as stack:
            connections = [stack.enter_context(connect(server.address))
                           for _ in range(200)]
            accepted = [is_accepted(one) for one in connections]
            assert accepted[0] and not accepted[-1]
            assert 10 < sum(accepted) < DESCRIPTORS - 64
            assert not is_served(server.address)
            # The store needs descriptors as well.
            register(client, "arm", robots.pendulum())
            client.registry.DeleteModel(
                registry_pb.DeleteModelRequest(name="arm"))
        harness.until(lambda: is_served(server.address))
        assert all_models(client) == {}
    refused = accepted.count(False)
    lines = server.lines_when_there("connections refused")
    assert len(lines) < refused / 2
    assert server.stop() == 0


@pytest.mark.slow
def test_the_watchdog_does_not_end_a_server_with_all_its_connections(start):
    server = start(under=harness.with_descriptors(DESCRIPTORS, DESCRIPTORS))
    with contextlib.ExitStack() as stack, harness.Client(server.address) as client:
        assert health_of(client) == SERVING
        for _ in range(DESCRIPTORS):
            with contextlib.suppress(ConnectionError):
                stack.enter_context(http2.Connection(server.address))
        time.sleep(18)  # three checks, and more
        assert not is_served(server.address)
        # A check may pass its timeout on a loaded machine, but not three.
        harness.until(lambda: health_of(client) == SERVING)


def test_the_limit_of_descriptors_is_raised(start):
    server = start(under=harness.with_descriptors(256, 4096))
    assert resource.prlimit(
        server.pid, resource.RLIMIT_NOFILE) == (4096, 4096)


@pytest.mark.skipif(
    harness.SANITIZED, reason="sanitizers take descriptors of their own")
def test_a_full_descriptor_table_is_survived(start):
    server = start()
    before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    with harness.Client(server.address) as client:
        assert all_models(client) == {}
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            with connect(server.address):
                assert server.lines_when_there("connections refused")
                assert all_models(client) == {}
        finally:
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
    harness.until(lambda: is_served(server.address))


# --- Pauses ------------------------------------------------------------------


def test_calls_that_end_during_a_pause_cost_their_client_nothing(start):
    server = start()
    with harness.Client(server.address) as client:
        assert all_models(client) == {}
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.pid,  # until all threads are stopped
                  os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        try:
            for _ in range(6):  # as many as a connection may have at a time
                calls = [client.registry.ListModels.func.future(
                    registry_pb.ListModelsRequest(), timeout=0.1)
                         for _ in range(250)]
                assert {call.code() for call in calls} == {
                    grpc.StatusCode.DEADLINE_EXCEEDED}
        finally:
            server.process.send_signal(signal.SIGCONT)
        assert all_models(client) == {}
        assert is_served(server.address)


@pytest.mark.slow
def test_a_server_that_does_not_answer_leaves_for_its_supervisor(
        start, tmp_path):
    file, elsewhere = tmp_path / "socket", tmp_path / "elsewhere"
    server = start("--listen", f"unix:{file}")
    with harness.Client(server.address.splitlines()[0]) as client:
        assert health_of(client) == SERVING
        file.rename(elsewhere)
        harness.until(lambda: health_of(client) == NOT_SERVING)
        elsewhere.rename(file)
        harness.until(lambda: health_of(client) == SERVING)
        file.rename(elsewhere)
        harness.until(lambda: health_of(client) == NOT_SERVING)
    assert server.wait() == 70


# --- How long ----------------------------------------------------------------


def test_a_reply_arrives_that_is_on_its_way_when_the_server_leaves(start):
    server = start()
    with harness.Client(server.address) as client:
        register(client, "long", robots.chain(1024))
    request = compute_request(
        "long", [ask.MASS_MATRIX], q=np.zeros((1, 1024))).SerializeToString()
    size = 8 * 1024 * 1024  # of the matrix
    with http2.Connection(server.address) as connection:
        connection.take_slowly()
        connection.ask("/torqued.v1.Dynamics/Compute", request, http2.STREAM)
        while not connection.data:
            assert connection.read_frame() is not None
        server.terminate()
        while not connection.ended:
            # What is sent meanwhile drops nothing.
            connection.send_unknown()
            connection.read_frame()
            time.sleep(0.002)
        assert connection.data > size
        assert connection.streams_ended == 1
    assert server.wait() == 0


@pytest.mark.slow
def test_a_client_that_does_not_answer_pings_is_hung_up_on(start):
    server = start("--keepalive", 1)
    with http2.Connection(server.address) as silent:
        while silent.read_frame() is not None:
            assert silent.pings <= 1
        assert silent.pings == 1
    with http2.Connection(server.address) as answering:
        while answering.pings < 4:
            assert answering.read_frame() is not None
            answering.answer_pings()


def test_a_client_that_pings_all_the_time_is_hung_up_on(start):
    with http2.Connection(start().address) as connection:
        connection.catch_up()
        for _ in range(4):  # at most three within 10 s
            connection.send_ping()
        assert GOAWAY in read_to_the_end(connection)


def test_a_connection_has_at_most_256_calls_at_a_time(start):
    with http2.Connection(start().address) as connection:
        for stream in range(1, 513, 2):
            connection.call("/torqued.v1.Dynamics/Evaluate", stream)
        connection.catch_up()
        assert not connection.closed
        connection.call("/torqued.v1.Dynamics/Evaluate", 513)
        read_to_the_end(connection)


def read_to_the_end(connection):
    """The frames of a connection that the server ends."""
    kinds = []
    while (kind := connection.read_frame()) is not None:
        kinds.append(kind)
        connection.answer_pings()
    return kinds


def test_an_old_connection_finishes_its_calls(start):
    server = start("--max-connection-age", 0.5)
    with harness.Client(server.address) as client:
        watch = watch_health(client)
        assert next(watch) == SERVING
        with http2.Connection(server.address) as connection:
            assert GOAWAY in read_to_the_end(connection)
        for _ in range(10):
            assert all_models(client) == {}
            time.sleep(0.1)
        assert not watch.done()
        watch.cancel()
