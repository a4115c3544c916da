"""What haproxy and nginx, as they are shipped, let through, and what they keep
from the server."""

import shutil

import numpy as np
import pytest

import arena
import harness
from calls import States, ask, compute_request
from floods import FLOODS
from harness import same_bits, table
from proxies import FLAGS, KINDS, Proxy, share_of_failures
from streams import Stream, chunk, cut, chunk_of, evaluate, joined, torques

STATES = States(7, 70_000)


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    if shutil.which(request.param, path="/usr/sbin:/usr/bin") is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.fixture(scope="module")
def server(kind, tmp_path_factory):
    with harness.Server(tmp_path_factory.mktemp("server"), *FLAGS[kind],
                        models=harness.example_models()) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(kind, server, tmp_path_factory):
    with Proxy(kind, tmp_path_factory.mktemp(kind), server.address) as running:
        yield running


@pytest.fixture(scope="module")
def direct(tmp_path_factory):
    """A client of a server without a proxy."""
    with (harness.Server(tmp_path_factory.mktemp("direct"),
                         models=harness.example_models()) as running,
          harness.Client(running.address) as connection):
        yield connection


@pytest.fixture(scope="module")
def client(proxy):
    with harness.Client(proxy.address) as connection:
        yield connection


def test_large_messages_pass_bit_by_bit(client, direct):
    request = compute_request(
        "panda", [ask.INVERSE_DYNAMICS], q=STATES.q, v=STATES.v, a=STATES.a)
    assert request.ByteSize() > 10 * arena.MEBIBYTE
    assert same_bits(table(client.dynamics.Compute(request).results.tau),
                     table(direct.dynamics.Compute(request).results.tau))


def test_streams_pass_bit_by_bit(client, direct):
    parts = [chunk_of(part) for part in cut(STATES, [1, 4000])]
    expected = joined(evaluate(direct, torques(), *parts))
    replies = joined(evaluate(client, torques(), *parts))
    assert replies.keys() == expected.keys()
    assert all(same_bits(replies[name], expected[name]) for name in replies)


def test_replies_of_a_stream_come_before_its_next_message(client):
    with Stream(client, torques()) as stream:
        for _ in range(20):
            stream.send(chunk(q=np.zeros((1, 7))))
            assert stream.receive().rows == 1


def test_errors_keep_their_details(client, direct):
    request = compute_request("nobody", [ask.MASS_MATRIX], q=np.zeros((1, 7)))
    failure = harness.failure_of(client.dynamics.Compute, request)
    assert failure.reason == "MODEL_NOT_FOUND"
    expected = harness.failure_of(direct.dynamics.Compute, request)
    for metadata in (failure.metadata, expected.metadata):
        metadata.pop("request_id", None)
    assert failure == expected


def test_errors_of_a_stream_keep_their_details_where_the_proxy_lets_them(
        client, kind):
    call = client.dynamics.Evaluate(iter(
        [torques(), chunk(q=np.zeros((3, 7))), chunk(q=np.zeros((1, 6)))]))
    replies = []
    failure = harness.failure_of(lambda: replies.extend(call))
    assert sum(reply.rows for reply in replies) == 3
    if kind == "haproxy" and failure.code.name == "CANCELLED":
        return  # as docs/server.md tells it
    assert failure.metadata["next_row"] == "3"
    assert failure.fields


# The server is wary for a while after resets that pass nginx: they are last.
@pytest.mark.parametrize("flood", [
    "open_unacknowledged", "continuation_by_index", "trailers",
    "large_by_index", "resets_with_body"])
def test_floods_end_at_the_proxy(proxy, server, flood, kind):
    proxy.forget_peak()
    before = proxy.peak()
    outcome = arena.run(server, FLOODS[flood], seconds=1.5,
                        most_bytes=8 * arena.MEBIBYTE, through=proxy.address)
    assert outcome.alive
    assert outcome.is_bounded(share_of_failures(kind, flood)), outcome
    assert outcome.peak < 128 * arena.MEBIBYTE
    assert proxy.peak() - before < 128 * arena.MEBIBYTE
