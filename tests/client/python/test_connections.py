"""Addresses, deadlines, and servers that come and go."""

import math
import time

import pytest
import torqued

from conftest import MODELS
from servers import Restarting, free_address


@pytest.mark.parametrize("address, why", [
    ("", "no host"), (":7421", "no host"), ("[::1", "no IPv6"),
    ("[localhost]", "no IPv6"), ("host/path:80", "no host"),
    ("2001:db8::1:80", "brackets"),
    ("127.0.0.1:99999", "from 1 to 65535"), ("127.0.0.1:-1", "from 1"),
    ("127.0.0.1:0", "from 1"), ("127.0.0.1:7421/x", "from 1"),
    ("localhost:", "from 1"), ("localhost:http", "from 1"),
    ("http://localhost:7421", "no scheme"), ("::1:7421", "brackets"),
    ("unix:", "no socket"), (None, "NoneType"), (7421, "int"),
    (b"localhost:7421", "bytes")])
def test_what_is_no_address_is_refused(address, why):
    with pytest.raises(torqued.InvalidArgument, match=why) as caught:
        torqued.connect(address)
    assert caught.value.reason == torqued.Reason.INVALID_OPTION
    assert caught.value.field == "address"


@pytest.mark.parametrize("given, meant", [
    ("localhost", "localhost:7421"), ("192.0.2.7", "192.0.2.7:7421"),
    ("[::1]", "[::1]:7421"), ("::1", "[::1]:7421"), ("::", "[::]:7421"),
    ("2001:db8::192.0.2.7", "[2001:db8::192.0.2.7]:7421"),
    ("2001:db8::1", "[2001:db8::1]:7421"),
    ("fe80::1%eth0", "[fe80::1%eth0]:7421"),
    ("1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:7421"),
    *((same, same) for same in (
        "localhost:80", "[::1]:80", "unix:socket", "unix:/run/socket",
        "unix:///run/socket", "dns:///host", "dns://resolver/host:80",
        "ipv4:127.0.0.1:80", "dns:localhost:80", "unix:a:b",
        "unix-abstract:a:b"))])
def test_a_host_without_a_port_gets_the_default_one(given, meant):
    assert torqued.Settings(given).address == meant


def test_an_address_without_a_port_means_the_default_port():
    # Whether or not somebody serves there.
    try:
        with torqued.connect("127.0.0.55") as client:
            assert client.address == "127.0.0.55:7421"
    except torqued.Unavailable as error:
        assert "127.0.0.55:7421" in error.message


@pytest.mark.parametrize("deadline", [math.inf, 1e12, 1e300])
def test_a_deadline_may_be_as_far_as_one_likes(client, deadline):
    with torqued.connect(client.address, deadline=deadline) as far:
        robot = far.model("panda")
        assert robot.mass_matrix([0] * 7).shape == (7, 7)
        assert robot.mass_matrix([0] * 7, deadline=deadline).shape == (7, 7)
        assert far.health() == torqued.Health.SERVING


@pytest.mark.parametrize("deadline", [math.nan, -1, "5"])
def test_what_is_no_deadline_is_refused(client, deadline):
    for call in (lambda: torqued.connect(client.address, deadline=deadline),
                 lambda: client.model("panda").mass_matrix(
                     [0] * 7, deadline=deadline)):
        with pytest.raises(torqued.InvalidArgument, match="deadline") as caught:
            call()
        assert caught.value.reason == torqued.Reason.INVALID_OPTION


def test_a_server_that_comes_back_is_found_within_the_deadline(tmp_path):
    server = Restarting(tmp_path, MODELS, address=free_address())
    try:
        with torqued.connect(server.address) as client:
            server.kill()
            # Long enough for the connection to wait between its tries.
            end = time.monotonic() + 3
            while time.monotonic() < end:
                with pytest.raises((torqued.Unavailable,
                                    torqued.DeadlineExceeded)):
                    client.health()
                time.sleep(0.1)
            server.start()
            # A client of its own does not inherit what another one lost.
            with torqued.connect(server.address):
                pass
            begin = time.monotonic()
            client.models()
            assert time.monotonic() - begin < 5
    finally:
        server.stop()
