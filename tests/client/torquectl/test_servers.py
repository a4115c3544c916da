"""Which server is called, and what it says of itself."""

import csv
import io
import json
import socket
import subprocess

import grpc
import pytest

from calls import (ERROR, OK, TORQUECTL, USAGE, answering, run, run_json,
                   running, serving)
from ports import held_address


def test_ping_tells_health_and_address(server):
    answer = run_json("--server", server, "ping", "--count", "5")
    assert answer["health"] == "SERVING"
    assert answer["address"] == server
    assert 0 < answer["round_trip_us_min"] <= answer["round_trip_us_median"]
    assert run("health").returncode == OK


def test_info_tells_versions_targets_and_limits(server):
    answer = run_json("--server", server, "info")
    version = run("--version").stdout.split()[1]
    assert answer["client_version"] == answer["server_version"] == version
    assert answer["address"] == server
    names = [target["name"] for target in answer["targets"]]
    assert answer["target"] == names[0]  # the widest
    assert names[-1] == "baseline"
    for target in answer["targets"]:
        assert target["lanes_single"] >= target["lanes_double"] >= 1
    assert answer["threads"] >= 1
    assert answer["max_rows"] == 1_000_000
    memory = answer["memory_bytes"]
    assert answer["max_message_bytes"] == min(16 << 20, memory // 64)
    assert answer["max_inflight_bytes"] == min(1 << 30, memory // 4)
    assert answer["max_arriving_bytes"] > answer["max_inflight_bytes"]
    assert answer["max_inflight_streams"] == 1000
    assert answer["revision_layout"] == "2"

    text = run("--server", server, "info").stdout
    assert f"server version      {version}\n" in text
    assert f"target in use       {names[0]}\n" in text
    assert f"bytes per message   {answer['max_message_bytes']}\n" in text
    assert f"memory, bytes       {memory}\n" in text
    assert f"bytes arriving      {answer['max_arriving_bytes']}\n" in text
    assert "streams at a time   1000\n" in text
    table = run("--server", server, "info", "--output", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["target"] for row in rows] == names
    assert [row["in_use"] for row in rows] == ["yes"] + ["no"] * (
        len(names) - 1)


def test_what_an_older_server_does_not_say_of_itself_is_left_open():
    with answering({"/torqued.v1.ServerInfo/GetServerInfo":
                    lambda request, context: b""}) as address:
        answer = run_json("--server", address, "info")
        text = run("--server", address, "info").stdout
    assert answer["max_inflight_streams"] is None
    assert answer["memory_bytes"] is None
    assert answer["max_arriving_bytes"] is None
    assert "streams at a time   -\n" in text


def message_field(number, content):
    """A field of at most 127 bytes, as protobuf writes it."""
    return bytes([number << 3 | 2, len(content)]) + content


def overloaded():
    """google.rpc.Status with ErrorInfo OVERLOADED and RetryInfo 100 ns."""
    details = ((b"type.googleapis.com/google.rpc.ErrorInfo",
                message_field(1, b"OVERLOADED")),
               (b"type.googleapis.com/google.rpc.RetryInfo",
                message_field(1, b"\x10\x64")))
    return b"\x08\x08" + b"".join(
        message_field(3, message_field(1, name) + message_field(2, value))
        for name, value in details)


def test_that_it_waits_for_a_full_server_is_told_once():
    tries = []

    def info(request, context):
        tries.append(request)
        if len(tries) % 3 != 0:
            context.set_trailing_metadata(
                (("grpc-status-details-bin", overloaded()),))
            context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "It is full.")
        return b""

    with answering({"/torqued.v1.ServerInfo/GetServerInfo": info}) as address:
        told = run("--server", address, "info")
        quiet = run("--server", address, "info", "--quiet")
    assert len(tries) == 6
    assert told.returncode == quiet.returncode == OK
    assert told.stderr == ("torquectl: waiting to try again, within the "
                           "timeout of 1 min 00 s: OVERLOADED: It is full.\n")
    assert quiet.stderr == ""


def test_an_address_without_a_port_means_the_default_port():
    host = "255.255.255.255"  # where no server can listen
    for done in (run("--server", host, "ping"),
                 run("ping", env={"TORQUED_SERVER_ADDRESS": host})):
        assert f"{host}:7421" in done.stderr


def test_the_address_comes_from_the_environment_unless_told_otherwise(server):
    env = {"TORQUED_SERVER_ADDRESS": server}
    done = run("ping", env=env)
    assert server in done.stdout
    spawned = run("ping", "--spawn", env=env)
    assert spawned.returncode == OK
    assert server not in spawned.stdout


def test_an_address_that_may_have_a_port_needs_brackets():
    done = run("--server", "::1:7421", "ping")
    assert done.returncode == USAGE
    assert "needs brackets" in done.stderr


def test_no_connection_is_an_error_in_one_line():
    address = held_address()
    done = run("--server", address, "ping")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: UNAVAILABLE: ")
    assert address in done.stderr
    assert done.stderr.count("\n") == 1


class Refusing:
    """A socket that ends the first connection and is gone then."""

    def __init__(self, path):
        self._path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.settimeout(60)

    def wait(self):
        connection, _ = self._listener.accept()
        connection.close()
        self._listener.close()
        self._path.unlink()


@pytest.mark.slow
def test_a_call_waits_for_a_server_that_starts_later(tmp_path):
    address = f"unix:{tmp_path}/socket"
    refusing = Refusing(tmp_path / "socket")
    with running(
            TORQUECTL, "ping", "--server", address, "--wait-for-server", "60",
            "--output", "json", text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as process:
        refusing.wait()  # the call has begun, and has failed once
        with serving(tmp_path, address):
            out, err = process.communicate(timeout=90)
    assert process.returncode == OK, err
    assert json.loads(out)["health"] == "SERVING"


def test_a_call_that_need_not_wait_does_not(tmp_path):
    address = f"unix:{tmp_path}/socket"
    for flags in ((), ("--wait-for-server", "0"),
                  ("--wait-for-server", "0.2"),
                  # Not longer than the call may take in all.
                  ("--wait-for-server", "100000", "--timeout", "0.2")):
        done = run("ping", "--server", address, *flags)
        assert done.returncode == ERROR
        assert done.stderr.startswith("torquectl: UNAVAILABLE: ") or \
            done.stderr.startswith("torquectl: DEADLINE_EXCEEDED: ")


def test_a_program_that_is_no_server_is_named():
    done = run("info", env={"TORQUED_SERVER": "/bin/true"})
    assert done.returncode == ERROR
    assert done.stderr == ("torquectl: LOCAL_SERVER: the local server "
                           "/bin/true exited with code 0\n")


def test_a_missing_server_binary_is_an_error():
    done = run("ping", env={"TORQUED_SERVER": "/no/such/binary"})
    assert done.returncode == ERROR
    assert "/no/such/binary" in done.stderr
