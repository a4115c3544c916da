"""What the server may hold follows from the memory that there is."""

import contextlib
import json
import struct
import subprocess
import threading
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import server_info_pb2 as info_pb

import cgroups
import harness
import http2
from calls import ask, compute, compute_request, register
from harness import failure_of

pytestmark = pytest.mark.skipif(
    harness.SANITIZED, reason="sanitizers take memory of their own")

MEMORY = 600 * 1000 * 1000 // 4096 * 4096
CLIENTS = 6
SECONDS = 6
# Bytes of a state of the panda in the request and in the reply.
INPUT, OUTPUT = 7 * 8, 49 * 8
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.fixture
def cgroup():
    with cgroups.limited(MEMORY) as limited:
        yield limited


@pytest.fixture
def limited_start(cgroup, start):
    def started(*flags, **options):
        return start(*flags, under=cgroup.command,
                     models=harness.example_models(), **options)

    yield started
    # Before their cgroup goes.
    for server in start.servers:
        server.__exit__()


def info_of(client):
    return client.info.GetServerInfo(info_pb.GetServerInfoRequest())


def largest(info):
    """The request with the largest reply."""
    return compute_request(
        "panda", [ask.MASS_MATRIX],
        q=np.zeros((info.max_message_bytes // OUTPUT - 10, 7)))


class Bulk(threading.Thread):
    """A client that asks for as much as it may, without a pause."""

    def __init__(self, address, request, until):
        super().__init__()
        self.address, self.request, self.until = address, request, until
        self.answered, self.refused, self.failures = 0, 0, []

    def run(self):
        with harness.Client(self.address) as client:
            while time.monotonic() < self.until:
                try:
                    client.dynamics.Compute(self.request)
                    self.answered += 1
                except grpc.RpcError as error:
                    failure = harness.Failure.of(error)
                    if (failure.code, failure.reason) == (
                            EXHAUSTED, "OVERLOADED"):
                        self.refused += 1
                        time.sleep(failure.retry_delay)
                    else:
                        self.failures.append(failure)
                        time.sleep(0.1)


def run_bulk(server, request):
    until = time.monotonic() + SECONDS
    clients = [Bulk(server.address, request, until) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return clients


def test_limits_are_shares_of_the_cgroups_memory(limited_start):
    with harness.Client(limited_start().address) as client:
        info = info_of(client)
    assert info.memory_bytes == MEMORY
    assert info.max_message_bytes == MEMORY // 32
    assert info.max_inflight_bytes == MEMORY // 8
    # The formula of docs/server.md.
    arriving = (MEMORY // 8 + 4 * (MEMORY // 32) + min(64 << 20, MEMORY // 8))
    assert info.max_arriving_bytes == arriving
    assert info.max_held_bytes == pytest.approx(
        (48 << 20) + 4 * (MEMORY // 64) + MEMORY // 16 + arriving
        + (2 + 1 / 4 + 1 / 8) * (MEMORY // 8), abs=100)
    assert info.max_held_bytes <= MEMORY


def test_the_settings_that_are_printed_are_those_in_force(cgroup):
    printed = subprocess.run(
        [*map(str, cgroup.command), str(harness.server_binary()),
         "--print-config", "--store", "s"],
        capture_output=True, text=True, check=True,
        timeout=harness.START_SECONDS, env=harness.clean_environment()).stdout
    assert f"max-message-bytes={MEMORY // 32}\n" in printed
    assert f"max-inflight-bytes={MEMORY // 8}\n" in printed
    assert f"# Memory that the server may use (cgroup): {MEMORY} " in printed


def memory_line(server):
    line, = (line for line in map(json.loads, server.log().splitlines())
             if "memory_bytes" in line)
    return line


def test_settings_win_over_shares_and_too_large_ones_are_warned_of(
        limited_start):
    server = limited_start("--log-format", "json")
    assert memory_line(server)["level"] == "info"
    assert server.stop() == 0
    server = limited_start("--log-format", "json",
                           "--max-inflight-bytes", 1 << 30)
    line = memory_line(server)
    assert line["level"] == "warn"
    assert "max-inflight-bytes" in line["message"]
    assert line["memory_source"] == "cgroup"
    assert line["max_held_bytes"] > line["memory_bytes"] == MEMORY
    with harness.Client(server.address) as client:
        info = info_of(client)
        assert info.max_inflight_bytes == 1 << 30
        assert info.max_held_bytes == line["max_held_bytes"]


def test_of_bulk_clients_some_are_refused_and_the_server_lives(
        limited_start, cgroup):
    server = limited_start()
    with harness.Client(server.address) as client:
        info = info_of(client)
        clients = run_bulk(server, largest(info))
        assert server.process.poll() is None, "killed"
        failures = [failure for bulk in clients for failure in bulk.failures]
        assert failures == []
        assert sum(bulk.answered for bulk in clients) > CLIENTS
        assert sum(bulk.refused for bulk in clients) > 0
        assert server.memory("VmHWM") <= info.max_held_bytes
        compute(client, "panda", [ask.MASS_MATRIX], q=np.zeros((1, 7)))
    assert server.stop() == 0


def frame(request):
    payload = request.SerializeToString()
    return struct.pack(">BI", 0, len(payload)) + payload


def fill_models(client):
    """More than the cache of models holds, each some 60 kB of source."""
    joints = 200
    for number in range(100):
        links = "".join(
            f'<link name="l{k}"><inertial><mass value="1.{number}"/>'
            '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
            "</inertial></link>" for k in range(1, joints + 1))
        chain = "".join(
            f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><axis xyz="0 0 1"/><limit effort="1" '
            'velocity="1" lower="-1" upper="1"/></joint>'
            for k in range(1, joints + 1))
        register(client, f"chain{number}",
                 f'<robot name="r"><link name="l0"/>{links}{chain}</robot>')


def test_everything_at_once_stays_within_the_formula(limited_start, cgroup):
    """The cache of models, messages that do not end, streams that nobody
    reads, and bulk clients."""
    server = limited_start()
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(harness.Client(server.address))
        info = info_of(client)
        fill_models(client)

        # Streams that send on and do not read.
        rows = 2000
        begin = pb.EvaluateRequest(start=pb.EvaluateStart(
            model="panda", quantities=[ask.MASS_MATRIX]))
        chunk = pb.EvaluateRequest(chunk=pb.EvaluateChunk(
            q=harness.array(np.zeros((rows, 7)))))
        data = frame(begin) + 40 * frame(chunk)
        for _ in range(20):
            stream = stack.enter_context(
                http2.Connection(server.address, reply_window=0))
            stream.call("/torqued.v1.Dynamics/Evaluate")
            rest, before = data, None
            while len(rest) != before and not stream.ended:
                before = len(rest)
                rest = stream.send_now(rest)
                stream.catch_up()

        # Messages without their end, more than may arrive.
        request = largest(info)
        message = frame(compute_request(
            "panda", [ask.BIAS_FORCES],
            q=np.zeros((info.max_message_bytes // INPUT - 10, 7))))
        for _ in range(info.max_arriving_bytes // len(message) + 4):
            upload = stack.enter_context(http2.Connection(server.address))
            upload.call("/torqued.v1.Dynamics/Compute")
            rest = message[:-1]
            while (rest := upload.send_now(rest)) and not upload.ended:
                upload.answer_pings()
                upload.read_frame()

        clients = run_bulk(server, request)
        assert server.process.poll() is None, "killed"
        assert sum(bulk.refused + len(bulk.failures) for bulk in clients) > 0
        for bulk in clients:
            for failure in bulk.failures:
                # Of gRPC's own choice where too much arrives, or of a
                # connection that it closed.
                assert failure.reason in ("", "REQUEST_TOO_LARGE")
        assert server.memory("VmHWM") <= info.max_held_bytes
    with harness.Client(server.address) as client:
        compute(client, "panda", [ask.MASS_MATRIX], q=np.zeros((1, 7)))
    assert server.stop() == 0


def test_what_never_fits_is_refused_with_the_limit(limited_start):
    server = limited_start("--max-message-bytes", 60 << 20)
    with harness.Client(server.address) as client:
        failure = failure_of(client.dynamics.Compute, compute_request(
            "panda", [ask.MASS_MATRIX], q=np.zeros((100_000, 7))))
    assert (failure.code, failure.reason) == (EXHAUSTED, "REQUEST_TOO_LARGE")
    assert failure.metadata["limit"] == str(MEMORY // 8)
