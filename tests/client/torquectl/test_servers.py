"""Which server is called, and what it says of itself."""

import csv
import io

from calls import ERROR, OK, USAGE, run, run_json
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
    assert answer["max_rows"] == 1_000_000

    text = run("--server", server, "info").stdout
    assert f"server version      {version}\n" in text
    assert f"target in use       {names[0]}\n" in text
    assert f"bytes per message   {answer['max_message_bytes']}\n" in text
    table = run("--server", server, "info", "--output", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["target"] for row in rows] == names
    assert [row["in_use"] for row in rows] == ["yes"] + ["no"] * (
        len(names) - 1)


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
