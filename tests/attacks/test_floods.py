"""Floods from one client: the server keeps its memory, gives it back and goes
on answering others. Small ones; `attacks.py` has all of them at full size."""

import contextlib
import dataclasses
import re
import resource
import struct
import threading
import time

import pytest
from torqued.v1 import array_pb2, dynamics_pb2

import arena
import harness
import http2
from attacker import attack, connect, is_served
from floods import COMPUTE, CROWD, CROWDS, FLOODS
from full_speed import CHECK_HEALTH, GET_SERVER_INFO, FullSpeed

SECONDS = 1.5
# Of waiting for a connection to be ended.
END_SECONDS = 20.0
BYTES = 16 << 20
# What each leaves behind on a server without any defence is more than the bound.
OVER_TCP = [
    ("open_calls", 1), ("open_calls", 16), ("open_unacknowledged", 1),
    ("streams_with_body", 1), ("continuation_by_index", 1),
    ("trailers", 1), ("large_by_index", 1), ("endless_fields", 1),
    ("many_fields", 16)]
OVER_UNIX = [("open_streams", 1), ("continuation_by_index", 1)]
AT_ONCE = 200


@pytest.fixture(params=["tcp", "unix"])
def server(request, start, tmp_path):
    listen = ("127.0.0.1:0" if request.param == "tcp"
              else f"unix:{tmp_path}/socket")
    return start(listen=listen, models=harness.example_models())


def survives(server, name, connections):
    outcome = arena.run(server, FLOODS[name], SECONDS, connections=connections,
                        most_bytes=BYTES, kept_bound=arena.KEPT)
    assert outcome.alive, "the server died"
    assert not outcome.failures, outcome.failures[0]
    if not harness.SANITIZED:
        assert outcome.is_bounded(), outcome


def reasons(server):
    """For which connections were ended, of which there is one."""
    server.lines_when_there("ended a connection")
    return set(re.findall(
        r"ended a connection reason=([a-z-]+) peer=(?:127\.0\.0\.2:|\"unix:)",
        server.log()))


def ends(server, name):
    """Ends a connection, for these reasons."""
    outcome = arena.run(server, FLOODS[name], END_SECONDS, most_ended=1,
                        kept_bound=arena.KEPT)
    assert outcome.alive and not outcome.failures
    assert outcome.sent.ended > 0
    if not harness.SANITIZED:
        assert outcome.is_bounded(), outcome
    return reasons(server)


@pytest.mark.parametrize("name, connections", OVER_TCP)
@pytest.mark.parametrize("server", ["tcp"], indirect=True)
def test_floods_over_tcp_take_bounded_memory(server, name, connections):
    survives(server, name, connections)


@pytest.mark.parametrize("name, connections", OVER_UNIX)
@pytest.mark.parametrize("server", ["unix"], indirect=True)
def test_floods_over_unix_sockets_take_bounded_memory(
        server, name, connections):
    survives(server, name, connections)


@pytest.mark.parametrize("flood", ["resets", "resets_of_unknown"])
def test_calls_that_are_left_again_and_again_end_their_connection(
        server, flood):
    # On a busy machine their streams may be cleared away late.
    found = ends(server, flood)
    assert found and found <= {"unanswered-calls", "open-streams"}
    # Nor does it begin anew at once.
    for _ in range(3):
        with connect(server.address):
            pass
    server.lines_when_there("cause=flood")


def test_settings_need_not_be_acknowledged_to_be_in_force(server):
    assert ends(server, "open_slowly") == {"open-streams"}


# Each is noticed here, and not left to gRPC.
@pytest.mark.parametrize("name", [
    "continuation_by_index", "trailers", "endless_fields", "long_value"])
def test_what_no_call_shows_is_noticed(server, name):
    assert ends(server, name) == {"endless-headers"}
    # It took nothing, and others may have the same address.
    assert all(is_served(server.address) for _ in range(3))


@pytest.mark.parametrize("name", CROWDS)
@pytest.mark.parametrize("server", ["tcp"], indirect=True)
def test_many_connections_that_each_hold_little_take_bounded_memory(
        server, name):
    # Both ends of each are here.
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit[1] < 2048:
        pytest.skip("2048 descriptors are more than this process may have")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2048, limit[1]))
    try:
        outcome = arena.run(
            server, CROWDS[name], SECONDS, connections=CROWD,
            kept_bound=arena.KEPT)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert outcome.sent.connections >= CROWD or outcome.sent.ended > 0
    assert outcome.alive and not outcome.failures
    if not harness.SANITIZED:
        assert outcome.is_bounded(), outcome


@pytest.mark.parametrize("method", [GET_SERVER_INFO, CHECK_HEALTH])
def test_calls_at_full_speed_are_no_flood(server, method):
    with FullSpeed(server.address, AT_ONCE, method) as client:
        calls, answers = client.run(SECONDS)
    assert answers == calls > AT_ONCE
    assert "ended a connection" not in server.log()


@contextlib.contextmanager
def attacked(server, flood, seconds, connections=1):
    thread = threading.Thread(target=lambda: attack(
        server.address, flood, seconds, connections=connections))
    thread.start()
    try:
        yield
    finally:
        thread.join()


@pytest.mark.parametrize("server", ["tcp"], indirect=True)
def test_many_calls_at_a_time_are_answered_beside_resets_below_the_rate(server):
    # Of all connections together too many.
    flood = dataclasses.replace(FLOODS["resets"], rate=1900)
    with (FullSpeed(server.address, AT_ONCE) as client,
          attacked(server, flood, 3 * SECONDS, connections=4)):
        calls, answers = client.run(3 * SECONDS)
    assert answers == calls > AT_ONCE
    assert "peer=127.0.0.1" not in server.log()


@pytest.mark.parametrize("name", ["trailers", "continuation_by_index",
                                  "many_fields", "open_unacknowledged"])
@pytest.mark.parametrize("server", ["tcp"], indirect=True)
def test_a_slow_message_of_another_client_is_answered(server, name):
    size, seconds = 8 << 20, SECONDS
    message = dynamics_pb2.ComputeRequest(
        model="nobody", q=array_pb2.Array(columns=1, f64=bytes(size)))
    data = message.SerializeToString()
    data = struct.pack(">BI", 0, len(data)) + data
    with http2.Connection(server.address) as connection:
        connection.call(COMPUTE)
        with attacked(server, FLOODS[name], seconds):
            begin = time.monotonic()
            while data:
                part = data[:size // 200]
                while part := connection.send_now(part):
                    assert connection.read_frame() is not None, server.log()
                data = data[size // 200:]
                while time.monotonic() - begin < seconds * (
                        1 - len(data) / size):
                    time.sleep(0.005)
        connection.close()
        while not connection.ended:
            connection.read_frame()
        assert not connection.closed, server.log()
    assert "peer=127.0.0.1" not in server.log()
