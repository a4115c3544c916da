"""What the server holds for clients that do not read is admitted before it is
made, and what several of them ask for is held once."""

import contextlib
import struct
import time

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb
from torqued.v1 import trajectory_pb2

import harness
import http2
import robots
from calls import ask, compute_request, options, register
from harness import F32

MEBIBYTE = 1 << 20
INFLIGHT_BYTES = 512 * MEBIBYTE
GET_MODEL = "/torqued.v1.ModelRegistry/GetModel"
CHECK = "/torqued.v1.Trajectories/CheckTrajectory"
COMPUTE = "/torqued.v1.Dynamics/Compute"
PAYLOAD = pb.Payload(mass=1.0)
# What connections, calls and the allocator take beside.
BESIDE = 96 * MEBIBYTE
# What the allocator keeps in one of its heaps.
KEPT_FREE = 128 * MEBIBYTE


@pytest.fixture
def server(start):
    return start("--max-inflight-bytes", INFLIGHT_BYTES,
                 models=harness.example_models())


def grown(server, before):
    """Bytes of memory more than before, once that no longer changes."""
    give_up = time.monotonic() + harness.CALL_SECONDS
    last, since = server.memory("VmRSS"), time.monotonic()
    while time.monotonic() - since < harness.IDLE_SECONDS:
        assert time.monotonic() < give_up, "it goes on growing"
        time.sleep(0.02)
        now = server.memory("VmRSS")
        if abs(now - last) > MEBIBYTE:
            last, since = now, time.monotonic()
    return last - before


def get_when_there_is_room(client, request):
    give_up = time.monotonic() + harness.CALL_SECONDS
    while True:
        try:
            return client.registry.GetModel(request)
        except harness.grpc.RpcError as error:
            assert harness.Failure.of(error).reason == "OVERLOADED"
            assert time.monotonic() < give_up, "the room is not given back"
            time.sleep(0.02)


def test_sources_that_nobody_reads_are_held_once_and_admitted(server):
    size = 8 * MEBIBYTE - 4096
    source = robots.pendulum() + "<!--" + " " * (size - 1024) + "-->"
    calls = 400
    request = registry_pb.GetModelRequest(model="big", include_source=True)
    with harness.Client(server.address) as client:
        register(client, "big", source)
        whole = client.registry.GetModel(request)
        assert whole.source == source.encode()
        before = server.memory("VmRSS")
        message = request.SerializeToString()
        with http2.Connection(server.address, reply_window=0) as deaf:
            for k in range(calls):
                deaf.ask(GET_MODEL, message, 2 * k + 1)
            # The rest is refused, which needs no window.
            # Half is left to others.
            fit = INFLIGHT_BYTES // 2 // len(source)
            while deaf.streams_ended < calls - fit:
                assert deaf.read_frame() is not None
            deaf.catch_up()
            assert calls - fit <= deaf.streams_ended <= calls - fit + 2
            if not harness.SANITIZED:
                # Hardly any of the sources more.
                assert grown(server, before) < 48 * MEBIBYTE
        assert get_when_there_is_room(client, request) == whole


def test_plans_go_with_the_work_that_they_are_for(server):
    """A plan with a payload has a model of its own: much beside a reply."""
    joints, calls, connections = 300, 200, 4
    message = compute_request(
        "long", [ask.GRAVITY_FORCES], q=np.zeros((1, joints)), payload=F32,
        options=options(payload=PAYLOAD)).SerializeToString()
    with harness.Client(server.address) as client, \
            contextlib.ExitStack() as stack:
        register(client, "long", robots.chain(joints))
        # What threads and connections keep is there.
        asked = pb.ComputeRequest.FromString(message)
        assert client.dynamics.Compute(asked).rows == 1
        before = server.memory("VmRSS")
        for _ in range(connections):
            deaf = stack.enter_context(
                http2.Connection(server.address, reply_window=0))
            for k in range(calls):
                deaf.ask(COMPUTE, message, 2 * k + 1)
                if k % 20 == 19:  # as much as the window takes
                    deaf.catch_up()
            assert deaf.streams_ended == 0
        if not harness.SANITIZED:
            # With what the allocator keeps of plans that were given back.
            assert grown(server, before) < BESIDE + KEPT_FREE


def test_calls_themselves_are_admitted(start):
    calls, limit, each = 200, MEBIBYTE // 2, 4096
    server = start("--max-inflight-bytes", limit,
                   models=harness.example_models())
    message = compute_request(
        "panda", [ask.BIAS_FORCES], q=np.zeros((1, 7))).SerializeToString()
    with http2.Connection(server.address, reply_window=0) as deaf:
        for k in range(calls):
            deaf.ask(COMPUTE, message, 2 * k + 1)
        most = limit // 2 // each
        give_up = time.monotonic() + harness.CALL_SECONDS
        while deaf.streams_ended < calls - most:
            assert time.monotonic() < give_up
            deaf.catch_up()
        assert deaf.streams_ended < calls - most // 2


def curves(joints, corners):
    """The start of a check with a torque curve for every joint."""
    return trajectory_pb2.CheckTrajectoryRequest(
        start=trajectory_pb2.CheckTrajectoryStart(
            model="long", bounds=[
                trajectory_pb2.JointBounds(
                    joint=f"joint{j + 1:03}", speeds=range(corners),
                    torques=[100.0] * corners)
                for j in range(joints)])).SerializeToString()


def test_starts_of_checks_are_admitted_where_the_model_is_at_hand(server):
    joints, streams = 300, 60
    # One is kept in several forms, of 16 bytes a corner and more.
    most_held = INFLIGHT_BYTES // 2 // (4 * joints * 1024 * 16)
    message = curves(joints, 1024)
    assert len(message) > 4 * MEBIBYTE
    framed = struct.pack(">BI", 0, len(message)) + message
    with harness.Client(server.address) as client:
        register(client, "long", robots.chain(joints))
        before = server.memory("VmRSS")
        with contextlib.ExitStack() as stack:
            connections = []
            for _ in range(streams):
                connection = stack.enter_context(
                    http2.Connection(server.address))
                connections.append(connection)
                connection.call(CHECK)
                rest = framed
                while (rest := connection.send_now(rest)):
                    connection.answer_pings()
                    if connection.ended or connection.read_frame() is None:
                        break
            # Some are held, within half of what may be under way.
            give_up = time.monotonic() + harness.CALL_SECONDS
            while (held := sum(not c.ended for c in connections)) > most_held:
                assert time.monotonic() < give_up, f"{held} are held"
                for connection in connections:
                    if not connection.ended:
                        connection.catch_up()
            assert held > 0
            if not harness.SANITIZED:
                assert grown(server, before) < INFLIGHT_BYTES / 2 + BESIDE
        register(client, "other", robots.pendulum())
