"""Requests that are hostile by their size: the server refuses them quickly, in
little memory, and goes on serving."""

import time

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import ask, compute_request, register
from harness import failure_of

MEGABYTE = 1_000_000
# A refusal costs less than a second; the bound leaves room for a busy machine
# and for sending the bytes.
SECONDS = 5
# What the server may hold on to once the call is over.
MEMORY = 300 * MEGABYTE


def resident_bytes(server):
    with open(f"/proc/{server.pid}/status", encoding="ascii") as status:
        line = next(line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


@pytest.fixture(autouse=True)
def cheap_and_still_serving(module_server, client):
    register(client, "good", robots.pendulum())
    before, begin = resident_bytes(module_server), time.monotonic()
    yield
    assert time.monotonic() - begin < SECONDS
    assert resident_bytes(module_server) - before < MEMORY
    reply = client.dynamics.Compute(
        compute_request("good", [ask.MASS_MATRIX], q=np.ones((1, 1))))
    assert reply.rows_not_ok == 0


def chain(count):
    return "<robot name='chain'><link name='l0'/>" + "".join(
        f"<link name='l{k}'/><joint name='j{k}' type='fixed'>"
        f"<parent link='l{k - 1}'/><child link='l{k}'/></joint>"
        for k in range(1, count + 1)) + "</robot>"


BOMB = "<!DOCTYPE r [<!ENTITY l0 'lol'>" + "".join(
    f"<!ENTITY l{k} '{f'&l{k - 1};' * 10}'>" for k in range(1, 20)
) + "]><robot name='&l19;'/>"


@pytest.mark.parametrize("source, reason", [
    pytest.param(robots.pendulum() + " " * (50 * MEGABYTE),
                 "REQUEST_TOO_LARGE", id="50-megabytes"),
    pytest.param(chain(250_000), "REQUEST_TOO_LARGE", id="chain-of-250000"),
    pytest.param(chain(75_000), "INVALID_MODEL", id="chain-that-fits"),
    pytest.param("<robot name='r'>" + "<a>" * 200_000, "INVALID_MODEL",
                 id="200000-deep"),
    pytest.param(BOMB, "INVALID_MODEL", id="entity-bomb"),
    pytest.param("\0" * (8 * MEGABYTE), "INVALID_MODEL", id="nul-bytes"),
    pytest.param(f"<robot name='{'x' * MEGABYTE}'><link name='a'/></robot>",
                 "INVALID_MODEL", id="name-of-a-megabyte"),
])
def test_sources(client, source, reason):
    failure = failure_of(register, client, "hostile", source)
    assert failure.reason == reason
    if reason == "INVALID_MODEL":
        assert failure.fields[0].startswith("source")
    else:
        assert int(failure.metadata["limit"]) > 0


def test_a_message_over_the_limit_is_refused_by_grpc(client):
    failure = failure_of(
        register, client, "hostile", robots.pendulum() + " " * (77 * MEGABYTE))
    assert failure.code == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_a_million_rows_of_zero_columns(client):
    request = compute_request("good", [ask.MASS_MATRIX], q=np.ones((1, 1)))
    request.q.f64 = bytes(8 * MEGABYTE)
    request.q.columns = 0
    failure = failure_of(client.dynamics.Compute, request)
    assert (failure.reason, failure.fields) == ("MALFORMED_ARRAY", ["q"])


def test_columns_that_overflow(client):
    request = compute_request("good", [ask.MASS_MATRIX], q=np.ones((1, 1)))
    request.q.columns = 2**32 - 1
    failure = failure_of(client.dynamics.Compute, request)
    assert (failure.reason, failure.fields) == ("MALFORMED_ARRAY", ["q"])


def test_names_of_megabytes(client):
    huge = "x" * (10 * MEGABYTE)
    failure = failure_of(
        client.registry.GetModel, registry_pb.GetModelRequest(model=huge))
    assert (failure.reason, failure.fields) == (
        "INVALID_MODEL_REFERENCE", ["model"])
    assert failure_of(client.dynamics.Compute, compute_request(
        huge, [ask.MASS_MATRIX], q=np.ones((1, 1)))).fields == ["model"]
    assert failure_of(register, client, huge, robots.pendulum()).fields == [
        "name"]
