"""Floods from one client: the server keeps its memory, gives it back and goes
on answering others. Small ones; `attacks.py` has all of them at full size."""

import pytest

import arena
import harness
from floods import FLOODS
from full_speed import FullSpeed

SECONDS = 1.5
BYTES = 16 << 20
# What each leaves behind on a server without any defence is more than the bound.
OVER_TCP = [
    ("open_calls", 1), ("open_calls", 16), ("open_unacknowledged", 1),
    ("streams_with_body", 1), ("continuation_by_index", 1),
    ("trailers", 1), ("large_by_index", 1)]
OVER_UNIX = [("open_streams", 1), ("continuation_by_index", 1)]
AT_ONCE = 200


@pytest.fixture(params=["tcp", "unix"])
def server(request, start, tmp_path):
    listen = ("127.0.0.1:0" if request.param == "tcp"
              else f"unix:{tmp_path}/socket")
    return start(listen=listen, models=harness.example_models())


def survives(server, name, connections, seconds=SECONDS):
    outcome = arena.run(server, FLOODS[name], seconds, connections=connections,
                        most_bytes=BYTES, kept_bound=arena.KEPT)
    assert outcome.alive, "the server died"
    assert not outcome.failures, outcome.failures[0]
    if not harness.SANITIZED:
        assert outcome.peak < arena.PEAK
        assert outcome.kept < arena.KEPT
    return outcome


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
    outcome = survives(server, flood, 1, 3 * SECONDS)
    assert outcome.sent.ended > 0
    assert "reason=unanswered-calls" in server.log()
    # Nor does it begin anew at once.
    assert outcome.sent.refused > 0 and "cause=flood" in server.log()


def test_settings_need_not_be_acknowledged_to_be_in_force(server):
    flood = FLOODS["open_slowly"]
    outcome = arena.run(server, flood, 3 * SECONDS, kept_bound=arena.KEPT)
    assert outcome.sent.ended > 0
    assert "reason=open-streams" in server.log()


def test_calls_at_full_speed_are_no_flood(server):
    with FullSpeed(server.address, AT_ONCE) as client:
        calls, answers = client.run(SECONDS)
    assert answers == calls > AT_ONCE
    assert "ended a connection" not in server.log()
