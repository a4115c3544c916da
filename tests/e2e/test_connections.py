"""Connections: how many there may be, how long they are kept, and that the
server takes new ones whatever was done to it."""

import contextlib
import re
import resource
import socket
import struct
import time

import grpc
import health_pb2
import health_pb2_grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2, dynamics_pb2

import harness
import http2
import robots
from calls import all_models, ask, compute_request, register
from harness import failure_of

UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
PATIENCE = harness.CALL_SECONDS
GOAWAY = 7


@pytest.fixture
def many_descriptors():
    """The attacker needs some as well."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 4096:
        pytest.skip("4096 descriptors are more than this process may have")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def connect(address, source="127.0.0.1"):
    """A connection that says nothing."""
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection(
        (host, int(port)), PATIENCE, source_address=(source, 0))
    connection.settimeout(PATIENCE)
    return connection


def is_hung_up(connection):
    """Whether the server hangs up, whatever it says before."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def until(done, seconds=PATIENCE):
    give_up = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < give_up, "it does not happen"
        time.sleep(0.01)


# --- How many ----------------------------------------------------------------


def test_more_connections_than_descriptors_do_not_deafen_the_server(
        start, tmp_path, many_descriptors):
    file = f"unix:{tmp_path}/socket"
    server = start("--listen", file, under=harness.with_descriptors(1024, 1024))
    port = server.address.splitlines()[0]
    with contextlib.ExitStack() as stack:
        for _ in range(1100):
            stack.enter_context(connect(port))
        # Another peer does not notice.
        with harness.Client(file) as client:
            assert all_models(client) == {}
    # As soon as the server has heard of the end of them.
    until(lambda: is_served(port))
    told = [line for line in server.log().splitlines()
            if "connections turned away" in line]
    assert 1 <= len(told) < 30
    assert "cause=max-connections-per-peer" in told[0]
    assert server.stop() == 0


def test_connections_of_all_peers_are_bounded(start):
    server = start("--max-connections", 3, "--max-connections-per-peer", 3)
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(connect(server.address))
                 for _ in range(3)]
        # Each has heard the server's settings.
        assert all(connection.recv(1) for connection in taken)
        # Nor is one of a peer that has none taken.
        assert is_hung_up(stack.enter_context(
            connect(server.address, source="127.0.0.2")))
        until(lambda: "cause=max-connections " in server.log())
    until(lambda: is_served(server.address))


def is_served(address):
    """Whether a connection of its own is taken."""
    with harness.Client(address) as client:
        try:
            return all_models(client) == {}
        except grpc.RpcError as error:
            assert error.code() == UNAVAILABLE
            return False


def test_more_connections_than_there_are_descriptors_for_are_refused(tmp_path):
    command = harness.with_descriptors(1024, 1024)
    result = harness.run_to_exit(
        "--listen", "127.0.0.1:0", "--store", tmp_path / "models.db",
        "--max-connections", 1000, command=command)
    assert result.returncode == 1
    assert ("--max-connections: 1000 need 2128 descriptors, and this process "
            "may have 1024") in result.stdout


def test_the_limit_of_descriptors_is_raised(start):
    server = start(under=harness.with_descriptors(256, 4096))
    assert resource.prlimit(
        server.pid, resource.RLIMIT_NOFILE) == (4096, 4096)


@pytest.mark.skipif(
    harness.SANITIZED, reason="sanitizers take descriptors of their own")
def test_without_descriptors_health_says_so_until_there_are_some(start):
    server = start()
    before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    with harness.Client(server.address) as client:
        watch = health_pb2_grpc.HealthStub(client.channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert next(watch).status == SERVING
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            assert next(watch).status == NOT_SERVING
            # What is there works on.
            assert all_models(client) == {}
        finally:
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
        assert next(watch).status == SERVING
        watch.cancel()
    until(lambda: "connections are taken again" in server.log())
    until(lambda: f"no connections are taken address={server.address}"
          in server.log())
    with harness.Client(server.address) as client:
        assert all_models(client) == {}


def test_the_log_tells_of_all_that_are_turned_away(start):
    server = start("--max-connections", 1, "--max-connections-per-peer", 1)
    with connect(server.address) as taken:
        assert taken.recv(1)
        for _ in range(5):
            with connect(server.address) as one:
                assert is_hung_up(one)
        until(lambda: sum(map(int, re.findall(
            r"turned away cause=max-connections.* count=(\d+)",
            server.log()))) == 5)


def test_large_messages_of_one_connection_arrive_together(start):
    server = start()
    # More rows than are taken: told once the message is there.
    message = dynamics_pb2.ComputeRequest(
        model="nobody", q=array_pb2.Array(columns=1, f64=bytes(60 << 20)))
    request = message.SerializeToString()
    with harness.Client(server.address) as client:
        compute = client.channel.unary_unary("/torqued.v1.Dynamics/Compute")
        calls = [compute.future(request, timeout=PATIENCE) for _ in range(4)]
        codes = [call.code() for call in calls]
    assert UNAVAILABLE not in codes
    assert "ended a connection" not in server.log()


# --- How long ----------------------------------------------------------------


def test_a_reply_arrives_that_is_on_its_way_when_the_server_leaves(start):
    server = start("--min-ping-interval", 0)
    with harness.Client(server.address) as client:
        register(client, "long", robots.chain(1024))
    request = compute_request(
        "long", [ask.MASS_MATRIX], q=np.zeros((1, 1024))).SerializeToString()
    size = 8 * 1024 * 1024  # of the matrix
    with http2.Connection(server.address) as connection:
        connection.take_slowly()
        connection.ask("/torqued.v1.Dynamics/Compute", request, http2.STREAM)
        while not connection.data:
            connection.read_frame()
        server.terminate()
        while not connection.ended:
            # What is sent meanwhile drops nothing.
            connection.send_ping()
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
            pass
        assert silent.pings == 1
    with http2.Connection(server.address) as answering:
        while answering.pings < 4:
            assert answering.read_frame() is not None
            answering.answer_pings()


def read_to_the_end(connection):
    """The frames of a connection that the server ends."""
    kinds = []
    while (kind := connection.read_frame()) is not None:
        kinds.append(kind)
        connection.answer_pings()
    return kinds


def test_a_client_that_pings_too_often_is_sent_away(start):
    server = start()
    with http2.Connection(server.address) as connection:
        for _ in range(5):
            connection.send_ping()
        assert GOAWAY in read_to_the_end(connection)
    assert server.stop() == 0
    server = start("--min-ping-interval", 0)
    with http2.Connection(server.address) as connection:
        for _ in range(50):
            connection.send_ping()
        for _ in range(50):
            connection.catch_up()
        assert not connection.closed


def test_a_connection_without_a_call_is_closed_and_opened_unseen(start):
    server = start("--max-connection-idle", 0.3)
    with harness.Client(server.address) as client:
        with http2.Connection(server.address) as connection:
            assert GOAWAY in read_to_the_end(connection)
        for _ in range(3):
            assert all_models(client) == {}
            time.sleep(0.5)
        assert all_models(client) == {}


@pytest.mark.slow
def test_a_connection_that_says_nothing_is_hung_up_on(start):
    with connect(start().address) as silent:
        silent.settimeout(2 * PATIENCE)
        assert is_hung_up(silent)


def test_an_old_connection_finishes_its_calls(start):
    server = start("--max-connection-age", 0.5)
    with harness.Client(server.address) as client:
        watch = health_pb2_grpc.HealthStub(client.channel).Watch(
            health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        assert next(watch).status == SERVING
        with http2.Connection(server.address) as connection:
            assert GOAWAY in read_to_the_end(connection)
        for _ in range(10):
            assert all_models(client) == {}
            time.sleep(0.1)
        assert not watch.done()
        watch.cancel()


# --- Proxies -----------------------------------------------------------------


def proxy_header(host, port):
    """Of version 2, for a client of IPv4."""
    return (b"\r\n\r\n\0\r\nQUIT\n\x21\x11" + struct.pack(">H", 12)
            + socket.inet_aton(host) + socket.inet_aton("127.0.0.1")
            + struct.pack(">HH", port, 7421))


def test_each_client_of_a_proxy_has_a_bound_of_its_own(start):
    server = start("--proxies", "127.0.0.0/8", "--max-connections", 9,
                   "--max-connections-per-peer", 2)
    with contextlib.ExitStack() as stack:
        def through_the_proxy(host):
            connection = stack.enter_context(connect(server.address))
            connection.sendall(proxy_header(host, 5000))
            return connection

        for host in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
            for _ in range(2):
                assert through_the_proxy(host).recv(1)
            assert is_hung_up(through_the_proxy(host))
    with harness.Client(server.address) as client:
        failure = failure_of(all_models, client)
        assert failure.code == UNAVAILABLE
    until(lambda: "cause=proxy-header" in server.log())
    assert "no signature" in server.log()


# --- Health ------------------------------------------------------------------


def test_watches_of_health_are_bounded_and_refused_in_words(start):
    server = start("--max-inflight-streams", 4)
    with contextlib.ExitStack() as stack:
        def watch():
            client = stack.enter_context(harness.Client(server.address))
            return [health_pb2_grpc.HealthStub(client.channel).Watch(
                health_pb2.HealthCheckRequest(), timeout=PATIENCE)
                    for _ in range(6)]

        def statuses(watches):
            told = []
            for one in watches:
                try:
                    told.append(next(one).status)
                except grpc.RpcError as error:
                    told.append(error.code())
            return told

        first = statuses(watch())
        assert first.count(SERVING) == 4
        assert first.count(grpc.StatusCode.RESOURCE_EXHAUSTED) == 2
        # Each connection has one of its own.
        assert SERVING in statuses(watch())
    with harness.Client(server.address) as client:
        until(lambda: SERVING in statuses(
            [health_pb2_grpc.HealthStub(client.channel).Watch(
                health_pb2.HealthCheckRequest(), timeout=PATIENCE)]))
