"""What the server may hold follows from the memory that there is."""

import collections
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
from torqued.v1 import model_registry_pb2 as registry_pb
from torqued.v1 import server_info_pb2 as info_pb

import cgroups
import harness
import http2
import robots
from calls import ask, compute, compute_request, register
from harness import failure_of

pytestmark = pytest.mark.skipif(
    harness.SANITIZED, reason="sanitizers take memory of their own")

MEMORY = 600 * 1000 * 1000 // 4096 * 4096
CLIENTS = 10
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


def repeat(server, call, clients=CLIENTS, **least):
    """Clients make a call again and again, for a while and until at least so many
    have ended in each way; the ends, counted."""
    ends, over = [], threading.Event()

    def run():
        with harness.Client(server.address) as client:
            while not over.is_set():
                try:
                    call(client)
                    ends.append("OK")
                except grpc.RpcError as error:
                    ends.append(harness.Failure.of(error).reason)
                    time.sleep(0.02)

    threads = [threading.Thread(target=run) for _ in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    give_up = time.monotonic() + harness.CALL_SECONDS
    least = collections.Counter(least)
    while not least <= collections.Counter(ends) and time.monotonic() < give_up:
        time.sleep(0.1)
    over.set()
    for thread in threads:
        thread.join()
    assert server.process.poll() is None, "killed"
    counted = collections.Counter(ends)
    assert least <= counted, counted
    return counted


def test_limits_are_shares_of_the_cgroups_memory(limited_start):
    with harness.Client(limited_start().address) as client:
        info = info_of(client)
    assert info.memory_bytes == MEMORY
    assert info.max_message_bytes == MEMORY // 64
    assert info.max_inflight_bytes == MEMORY // 4
    # The formula of docs/operations.md.
    arriving = (MEMORY // 4 + 4 * (MEMORY // 64) + min(64 << 20, MEMORY // 8))
    assert info.max_arriving_bytes == arriving


def test_the_settings_that_are_printed_are_those_in_force(cgroup):
    printed = subprocess.run(
        [*map(str, cgroup.command), str(harness.server_binary()),
         "--print-config", "--store", "s"],
        capture_output=True, text=True, check=True,
        timeout=harness.START_SECONDS, env=harness.clean_environment()).stdout
    assert f"max-message-bytes = {MEMORY // 64}\n" in printed
    assert f"max-inflight-bytes = {MEMORY // 4}\n" in printed
    assert f"# Memory that the server may use (cgroup): {MEMORY} " in printed


def memory_line(server):
    """Once it is written, which a thread of its own does."""
    harness.until(lambda: "memory_bytes" in server.log())
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
    assert line["memory_bytes"] == MEMORY
    with harness.Client(server.address) as client:
        info = info_of(client)
        assert info.max_inflight_bytes == 1 << 30


@pytest.mark.slow
def test_of_bulk_clients_some_are_refused_and_the_server_lives(
        limited_start, cgroup):
    server = limited_start()
    with harness.Client(server.address) as client:
        info = info_of(client)
        request = largest(info)
        ends = repeat(server, lambda c: c.dynamics.Compute(request),
                      OK=CLIENTS + 1, OVERLOADED=1)
        assert ends.keys() == {"OK", "OVERLOADED"}, ends
        assert server.memory("VmHWM") <= MEMORY
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


@pytest.mark.slow
def test_everything_at_once_stays_within_the_memory(limited_start, cgroup):
    """The cache of models, messages that do not end, streams that nobody
    reads, and bulk clients."""
    server = limited_start()
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(harness.Client(server.address))
        info = info_of(client)
        fill_models(client)

        # Streams that send on and do not read: each has a chunk under way and
        # others that wait, or was refused for want of room.
        rows = 2000
        begin = pb.EvaluateRequest(start=pb.EvaluateStart(
            model="panda", quantities=[ask.MASS_MATRIX]))
        chunk = pb.EvaluateRequest(chunk=pb.EvaluateChunk(
            q=harness.array(np.zeros((rows, 7)))))
        data = frame(begin) + 40 * frame(chunk)
        streams = [stack.enter_context(
            http2.Connection(server.address, reply_window=0))
            for _ in range(20)]
        taken = []
        for stream in streams:
            stream.call("/torqued.v1.Dynamics/Evaluate")
            give_up = time.monotonic() + harness.CALL_SECONDS
            rest = data
            while (len(data) - len(rest) < len(frame(begin) + 2 * frame(chunk))
                   and not stream.ended):
                assert time.monotonic() < give_up, "nothing is read"
                rest = stream.send_now(rest)
                stream.catch_up()
            taken.append(len(data) - len(rest))
        held = sum(not stream.ended for stream in streams)
        assert held >= 8, f"{held} streams hold anything: {taken}"

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

        ends = repeat(server, lambda c: c.dynamics.Compute(request),
                      OK=1, OVERLOADED=1)
        # The others are gRPC's own, if too much arrives, or of a connection
        # that it closed.
        assert ends.keys() <= {"OK", "OVERLOADED", "", "REQUEST_TOO_LARGE"}
        assert server.memory("VmHWM") <= MEMORY
    with harness.Client(server.address) as client:
        compute(client, "panda", [ask.MASS_MATRIX], q=np.zeros((1, 7)))
    assert server.stop() == 0


def hostile_source(size):
    """What takes the most to parse."""
    element = "<joint/>"
    return f'<robot name="r">{element * (size // len(element))}</robot>'


def ordinary_source(joints, size):
    """A robot whose source is mostly meshes."""
    visual = ('<visual><origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963"/>'
              '<geometry><mesh filename="package://robot/meshes/part.stl" '
              'scale="0.001 0.001 0.001"/></geometry></visual>')
    chain = robots.chain(joints).rstrip()
    links = size // (len(visual) + 40)
    welded = "".join(
        f'<link name="v{k}">{visual}</link><joint name="w{k}" type="fixed">'
        f'<parent link="link0"/><child link="v{k}"/></joint>'
        for k in range(min(links, 8000)))
    source = chain.removesuffix("</robot>") + welded
    more = (size - len(source)) // len(visual)
    if more > 0:
        source += f'<link name="big">{visual * more}</link>' \
            '<joint name="wb" type="fixed"><parent link="link0"/>' \
            '<child link="big"/></joint>'
    return source + "</robot>"


@pytest.mark.slow
def test_what_parses_at_a_time_stays_within_the_memory(limited_start):
    server = limited_start()
    with harness.Client(server.address) as client:
        request = registry_pb.ValidateModelRequest(
            source=hostile_source(1_600_000).encode())
        ends = repeat(server, lambda c: c.registry.ValidateModel(request), OK=1)
        # Refused where they overlap, which the machine decides.
        assert ends.keys() <= {"OK", "OVERLOADED"}, ends
        assert server.memory("VmHWM") <= MEMORY
        too_large = failure_of(
            client.registry.ValidateModel, registry_pb.ValidateModelRequest(
                source=hostile_source((8 << 20) - 100).encode()))
        assert too_large.reason == "REQUEST_TOO_LARGE"
        # An ordinary source may have more.
        register(client, "large", ordinary_source(100, 3_000_000))
        compute(client, "large", [ask.BIAS_FORCES], q=np.zeros((1, 100)))
        assert server.memory("VmHWM") <= MEMORY


@pytest.mark.slow
def test_what_threads_compute_large_robots_in_is_admitted(limited_start):
    server = limited_start("--threads", 8)
    joints, rows = 256, 64
    with harness.Client(server.address) as client:
        register(client, "long", robots.chain(joints))
        # Little to send and to return, much to compute in: rows of all calls
        # take turns, so that each call would have its own for each thread.
        request = compute_request(
            "long", [ask.OPERATIONAL_SPACE], q=np.zeros((rows, joints)),
            v=np.zeros((rows, joints)))
        ends = repeat(server, lambda c: c.dynamics.Compute(request), 8, OK=1)
        assert ends.keys() <= {"OK", "OVERLOADED"}, ends
        idle = server.memory("VmRSS")
        # Nothing of it is kept.
        assert idle < 250 << 20
        assert server.memory("VmHWM") <= MEMORY


def test_what_never_fits_is_refused_with_the_limit(limited_start):
    server = limited_start("--max-message-bytes", 60 << 20)
    with harness.Client(server.address) as client:
        failure = failure_of(client.dynamics.Compute, compute_request(
            "panda", [ask.MASS_MATRIX], q=np.zeros((100_000, 7))))
    assert (failure.code, failure.reason) == (EXHAUSTED, "REQUEST_TOO_LARGE")
    assert failure.metadata["limit"] == str(MEMORY // 8)  # half
