"""Addresses, deadlines, and servers that come and go."""

import asyncio
import concurrent.futures
import contextlib
import math
import threading

import grpc
import pytest
import torqued
import torqued.aio
from torqued.settings import HEALTH_METHOD

from conftest import refused
from ports import held_address
from servers import details


@pytest.mark.parametrize("address", [
    "", ":7421", "tls:", None, 7421, b"localhost:7421"])
def test_what_is_no_address_is_refused(address):
    with refused(match="host:port", reason="INVALID_OPTION", field="address") as caught:
        torqued.connect(address)
    assert repr(address) in str(caught.value)


@pytest.mark.parametrize("address", [
    "[::1", "127.0.0.1:99999", "127.0.0.1:7421/x", "http://localhost:7421"])
def test_no_server_is_at_what_gRPC_cannot_resolve(address):
    with pytest.raises(torqued.Unavailable) as caught:
        torqued.connect(address)
    assert f"no connection to {address}" in str(caught.value)


@pytest.mark.parametrize("given, meant", [
    ("localhost", "localhost:7421"), ("192.0.2.7", "192.0.2.7:7421"),
    ("[::1]", "[::1]:7421"), ("::1", "[::1]:7421"), ("::", "[::]:7421"),
    ("tls:::1", "tls:[::1]:7421"), ("tls:host", "tls:host:7421"),
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


@contextlib.contextmanager
def another_server(answer, method=None):
    """Speaks gRPC, and answers each call, or this one alone, with a function of request
    and context."""
    class Handler(grpc.GenericRpcHandler):
        def service(self, call):
            if method in (None, call.method):
                return grpc.unary_unary_rpc_method_handler(answer)

    server = grpc.server(concurrent.futures.ThreadPoolExecutor(2), handlers=[Handler()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait(10)


@pytest.mark.parametrize("method", ["/none/None", HEALTH_METHOD])
def test_a_server_that_is_no_torqued_is_told_at_once(method):
    async def opened(address):
        async with torqued.aio.connect(address, wait_for_server=20):
            pass

    with another_server(lambda request, context: b"\x08\x01", method) as address:
        for connected in (
                lambda: torqued.connect(address, wait_for_server=20),
                lambda: asyncio.run(opened(address))):
            with pytest.raises(torqued.Unimplemented) as caught:
                connected()
            assert caught.value.message == (
                f"no torqued server answers at {address}: Method not found!")


@pytest.mark.parametrize("code, message", [
    (grpc.StatusCode.UNIMPLEMENTED, "Received http2 header with status: 404"),
    (grpc.StatusCode.INTERNAL, "Received http2 header with status: 400"),
    (grpc.StatusCode.UNKNOWN, "Received http2 header with status: 405")])
def test_what_speaks_http_is_no_torqued(code, message):
    with another_server(lambda request, context: context.abort(code, message)) as address:
        with pytest.raises(torqued.TorquedError) as caught:
            torqued.connect(address)
    assert caught.value.code == code.name
    assert caught.value.message == (f"no torqued server answers at {address}: {message}")


def test_a_server_that_refuses_for_now_is_there():
    code = grpc.StatusCode.UNAVAILABLE

    def refuse(request, context):
        context.set_trailing_metadata(
            [("grpc-status-details-bin", details(code, "DRAINING"))])
        context.abort(code, "no")

    with another_server(refuse) as address:
        with torqued.connect(address) as found:
            assert found.address == address


def test_a_server_is_reached_without_the_proxy_of_the_environment(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy.invalid")
    address = held_address()
    with torqued.LocalServer(arguments=["--listen", address]):
        with torqued.connect(address) as client:
            assert client.models() == []


@pytest.mark.parametrize("deadline", [math.nan, -1, "5"])
def test_what_is_no_deadline_is_refused(client, deadline):
    for call in (lambda: torqued.connect(client.address, deadline=deadline),
                 lambda: client.health(deadline=deadline),
                 lambda: client.register("x", "<robot/>", deadline=deadline),
                 lambda: client.model("panda").mass_matrix(
                     [0] * 7, deadline=deadline)):
        with refused(match="deadline", reason="INVALID_OPTION"):
            call()


@contextlib.contextmanager
def silent_server():
    """Answers who connects, and nothing after that."""
    first, over = threading.Semaphore(1), threading.Event()

    def answer(request, context):
        if not first.acquire(blocking=False):
            over.wait(20)
        return b""

    with another_server(answer) as address:
        try:
            yield address
        finally:
            over.set()


CALLS = {name for name in dir(torqued.Client) if name[0] != "_"} - {
    "address", "close", "connected", "with_server"}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_call_takes_a_deadline_of_its_own(name):
    given = {"register": ["late", "<robot/>"], "validate": ["<robot/>"], "models": [],
             "server_info": [], "health": []}.get(name, ["panda"])

    async def asked(address):
        async with torqued.aio.connect(address, deadline=math.inf) as connected:
            await getattr(connected, name)(*given, deadline=0.1)

    with silent_server() as address:
        with torqued.connect(address, deadline=math.inf) as connected:
            with pytest.raises(torqued.DeadlineExceeded):
                getattr(connected, name)(*given, deadline=0.1)
    with silent_server() as address:
        with pytest.raises(torqued.DeadlineExceeded):
            asyncio.run(asked(address))
