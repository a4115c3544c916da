"""Which server is called, and what it says of itself."""

import csv
import io
import re

from calls import ERROR, OK, run, run_json
from ports import held_address


def test_ping_tells_health_and_address(server):
    answer = run_json("--server", server, "ping")
    assert answer["health"] == "SERVING"
    assert answer["address"] == server
    assert answer["round_trip_us"] > 0
    assert run("health", "--server", server).returncode == OK


def test_info_tells_versions_targets_and_limits(server):
    answer = run_json("--server", server, "info")
    version = run("--version").stdout.split()[1]
    assert answer["client_version"] == answer["server_version"] == version
    assert answer["address"] == server
    names = [target["name"] for target in answer["targets"]]
    assert answer["target"] == names[0]  # the widest
    assert answer["max_rows"] == 1_000_000

    text = run("--server", server, "info").stdout
    for name in ("server_version", "target", "max_message_bytes"):
        assert re.search(f"^{name} +{answer[name]}$", text, re.MULTILINE)
    table = run("--server", server, "info", "--output", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["name"] for row in rows] == names


def test_an_address_without_a_port_means_the_default_port():
    host = "255.255.255.255"  # where no server can listen
    for done in (run("--server", host, "ping"),
                 run("ping", env={"TORQUED_SERVER_ADDRESS": host})):
        assert f"{host}:7421" in done.stderr


def test_the_address_comes_from_the_environment_unless_told_otherwise(server):
    for flags, told in (((), True), (("--spawn",), False)):
        done = run("ping", *flags, env={"TORQUED_SERVER_ADDRESS": server})
        assert done.returncode == OK
        assert (server in done.stdout) == told


def test_no_connection_is_an_error_in_one_line():
    address = held_address()
    done = run("--server", address, "ping")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: UNAVAILABLE: ")
    assert address in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_program_that_is_no_server_is_named():
    done = run("info", "--spawn", env={"TORQUED_BINARY": "/bin/true"})
    assert done.returncode == ERROR
    assert done.stderr == ("torquectl: the local server "
                           "/bin/true exited with code 0 (the environment variable "
                           "TORQUED_BINARY names another one)\n")
