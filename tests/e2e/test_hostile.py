"""What a stranger may send. Every refusal has a code, a reason and a place,
costs the server less than a second of computing and little memory, and leaves
it serving."""

import contextlib
import pathlib
import socket

import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb
from torqued.v1 import trajectory_pb2

import harness
import robots
from calls import ask, compute, compute_request, register
from harness import failure_of

INVALID = grpc.StatusCode.INVALID_ARGUMENT
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
MEGABYTE = 1_000_000
MESSAGE_BYTES = 64 * MEGABYTE
CPU_SECONDS = 1.0
# Beyond a few copies of what was sent.
MEMORY_BYTES = 64 * MEGABYTE
COPIES = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with harness.Server(
            tmp_path_factory.mktemp("hostile"), "--threads", 2,
            "--max-message-bytes", MESSAGE_BYTES,
            models=harness.example_models()) as process:
        yield process
        assert process.process.poll() is None, "the server died"
        assert process.stop() == 0


@pytest.fixture(scope="module")
def client(server):
    with harness.Client(server.address) as connection:
        yield connection


Q = np.full((1, 2), 0.3)


@pytest.fixture(autouse=True)
def still_serving(client):
    """The same call has the same answer after whatever a test did."""
    before = compute(client, "planar_2r", [ask.MASS_MATRIX], q=Q).results
    yield
    after = compute(client, "planar_2r", [ask.MASS_MATRIX], q=Q).results
    assert after == before


def peak_memory(pid):
    """Largest resident size since it was last reset, in bytes."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")


@contextlib.contextmanager
def cheap(server, sent=0, copies=COPIES):
    """What happens inside costs the server little."""
    pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    memory, cpu = peak_memory(server.pid), server.cpu_seconds()
    yield
    if harness.SANITIZED:
        return
    assert server.cpu_seconds() - cpu < CPU_SECONDS
    assert peak_memory(server.pid) - memory < MEMORY_BYTES + copies * sent


# --- Descriptions of robots --------------------------------------------------


def long_chain(links):
    parts = ['<robot name="chain"><link name="l0"/>']
    for i in range(1, links + 1):
        parts.append(
            f'<link name="l{i}"/><joint name="j{i}" type="continuous">'
            f'<parent link="l{i - 1}"/><child link="l{i}"/></joint>')
    return "\n".join(parts + ["</robot>"])


def entity_bomb():
    entities = ['<!ENTITY e0 "boom">'] + [
        f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12)]
    return ("<!DOCTYPE robot [" + "".join(entities)
            + ']>\n<robot name="&e11;"><link name="base"/></robot>')


def edited(old, new):
    """The usual robot with something else in one place."""
    text = robots.pendulum()
    assert old in text
    return text.replace(old, new, 1)


def many_mates(count):
    """A link that so many joints claim: diamonds."""
    return robots.robot(
        "diamond", robots.link("base"), robots.link("end", 1.0),
        *(robots.link(f"l{i}", 1.0) for i in range(count)),
        *(robots.joint(f"a{i}", "base", f"l{i}") for i in range(count)),
        *(robots.joint(f"b{i}", f"l{i}", "end") for i in range(count)))


def ring(count):
    return robots.robot(
        "ring", *(robots.link(f"l{i}", 1.0) for i in range(count)),
        *(robots.joint(f"j{i}", f"l{i}", f"l{(i + 1) % count}")
          for i in range(count)))


SOURCES = {
    "nested-200000-deep": lambda: "<robot name='r'>" + "<link>" * 200_000,
    "nested-200000-deep-and-closed": lambda: (
        "<robot name='r'>" + "<a>" * 200_000 + "</a>" * 200_000 + "</robot>"),
    "chain-of-250000-links": lambda: long_chain(250_000),
    "chain-of-9000-joints": lambda: long_chain(9_000),
    "chain-of-as-many-links-as-fit": lambda: long_chain(70_000),
    "15-megabytes": lambda: robots.pendulum() + " " * 15 * MEGABYTE,
    "entity-bomb": entity_bomb,
    "nul-bytes": lambda: robots.pendulum().replace(" ", "\0"),
    "utf-16": lambda: robots.pendulum().encode("utf-16"),
    "utf-32": lambda: robots.pendulum().encode("utf-32"),
    "latin-1": lambda: edited("swing", "Gelenk-ä").encode("latin-1"),
    "random-bytes": lambda: np.random.default_rng(1).bytes(MEGABYTE),
    "mass-beyond-binary64": lambda: edited('value="2.0"', 'value="1e999"'),
    "mass-that-overflows-products": lambda: edited(
        'value="2.0"', 'value="1e308"').replace(
            'xyz="0.5', 'xyz="1e200'),
    "mass-of-nan": lambda: edited('value="2.0"', 'value="nan"'),
    "mass-of-a-million-digits": lambda: edited(
        'value="2.0"', f'value="{"9" * MEGABYTE}"'),
    "ring-of-5000-links": lambda: ring(5_000),
    "link-of-3000-parents": lambda: many_mates(3_000),
    "names-of-a-megabyte": lambda: edited("swing", "s" * MEGABYTE),
    "links-that-are-all-roots": lambda: robots.robot(
        "r", *(robots.link(f"{'x' * 200}{i}", 1.0) for i in range(10_000))),
    "mimics-in-a-circle": lambda: robots.robot(
        "r", robots.link("base"), *(
            f'<link name="{i}"/><joint name="{i}" type="continuous">'
            f'<parent link="base"/><child link="{i}"/>'
            f'<mimic joint="{(i + 1) % 9_999}"/></joint>'
            for i in range(9_999))),
    "attributes-that-are-nearly-known": lambda: robots.robot("r", *(
        "<joint " + " ".join(f'mechanical_reduction_mass_ine{i}=""'
                             for i in range(60)) + "/>"
        for _ in range(3_500))),
    "half-a-million-transmissions": lambda: robots.robot(
        "r", *["<transmission/>"] * 499_000),
    "quadratic-entities": lambda: (
        f'<!DOCTYPE r [<!ENTITY a "{"x" * MEGABYTE}">]><robot name="'
        + "&a;" * 100_000 + '"/>'),
    "half-a-million-attributes": lambda: "<robot " + " ".join(
        f'a{i}=""' for i in range(500_000)) + "/>",
    "two-million-elements": lambda: (
        '<robot name="r">' + "<a/>" * 1_900_000 + "</robot>"),
    "unclosed-quote-of-megabytes": lambda: (
        '<robot name="' + "r" * 7 * MEGABYTE),
    "unclosed-comment-of-megabytes": lambda: (
        '<robot name="r"><!--' + "-" * 7 * MEGABYTE),
    "ten-thousand-faulty-links": lambda: robots.robot(
        "r", *('<link name=""><inertial><mass value="-1"/></inertial></link>'
               for _ in range(9_999))),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_descriptions(server, client, source):
    text = source()
    text = text.encode() if isinstance(text, str) else text
    with cheap(server, sent=len(text)):
        failure = failure_of(
            client.registry.RegisterModel,
            registry_pb.RegisterModelRequest(name="hostile", source=text))
    if failure.code == EXHAUSTED:
        assert failure.reason == "REQUEST_TOO_LARGE"
        assert len(text) > int(failure.metadata["limit"]) >= 8 * MEGABYTE
    else:
        assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL")
    assert failure.message
    assert failure.fields, "no place"
    for field, sentence in failure.violations:
        assert field.startswith("source")
        assert 5 < len(sentence) < 2500


def test_a_message_over_the_limit_is_refused(server, client):
    request = registry_pb.RegisterModelRequest(
        name="hostile", source=b" " * (MESSAGE_BYTES + MEGABYTE))
    with cheap(server, sent=MESSAGE_BYTES, copies=1):
        failure = failure_of(client.registry.RegisterModel, request)
    assert failure.code == EXHAUSTED


# --- Other fields ------------------------------------------------------------


def calculation(**fields):
    fields.setdefault("q", Q)
    return compute_request("planar_2r", [ask.INVERSE_DYNAMICS], **fields)


def with_options(**fields):
    return calculation(options=pb.Options(**fields))


def array_of(**fields):
    return calculation(q=array_pb2.Array(**fields))


REQUESTS = {
    "columns-that-do-not-divide": (
        lambda: array_of(columns=2, f64=bytes(8 * 2_000_001)),
        "MALFORMED_ARRAY"),
    "bytes-that-are-no-numbers": (
        lambda: array_of(columns=2, f64=bytes(16 * MEGABYTE + 3)),
        "MALFORMED_ARRAY"),
    "a-million-rows-of-zero-columns": (
        lambda: array_of(columns=0, f64=bytes(8 * MEGABYTE)),
        "MALFORMED_ARRAY"),
    "zero-columns-and-nothing": (
        lambda: array_of(columns=0), "MISSING_INPUT"),
    "columns-whose-product-overflows": (
        lambda: array_of(columns=2**32 - 1, f64=bytes(8 * MEGABYTE)),
        "MALFORMED_ARRAY"),
    "columns-of-another-robot": (
        lambda: array_of(columns=2**31, values=[0.0] * 2), "MALFORMED_ARRAY"),
    "a-million-values-in-one-row": (
        lambda: array_of(columns=MEGABYTE, values=[0.0] * MEGABYTE),
        "WRONG_COLUMN_COUNT"),
    "three-payloads-of-megabytes": (
        lambda: array_of(columns=2, values=[0.0] * MEGABYTE,
                         f64=bytes(8 * MEGABYTE), f32=bytes(4 * MEGABYTE)),
        "MALFORMED_ARRAY"),
    "rows-over-the-limit": (
        lambda: array_of(columns=2, f32=bytes(8 * (MEGABYTE + 1))),
        "REQUEST_TOO_LARGE"),
    "a-model-name-of-a-megabyte": (
        lambda: compute_request("m" * MEGABYTE, [ask.MASS_MATRIX], q=Q),
        "INVALID_MODEL_REFERENCE"),
    "a-million-quantities": (
        lambda: compute_request(
            "planar_2r", [ask.MASS_MATRIX] * MEGABYTE, q=Q),
        "INVALID_FIELD"),
    "a-million-task-axes": (
        lambda: calculation(operational_space=pb.OperationalSpaceOptions(
            axes=[1] * MEGABYTE)), "INVALID_OPTION"),
    "gravity-of-a-million-dimensions": (
        lambda: with_options(terms=pb.Terms(gravity=[1.0] * MEGABYTE)),
        "INVALID_OPTION"),
    "a-joint-name-of-a-megabyte": (
        lambda: with_options(joint_names=["joint1", "j" * MEGABYTE]),
        "WRONG_JOINT_NAMES"),
    "half-a-million-joint-names": (
        lambda: with_options(joint_names=["joint1"] * 500_000),
        "WRONG_JOINT_NAMES"),
    "half-a-million-places-of-wrenches": (
        lambda: with_options(
            external_wrenches=[pb.WrenchPlace(frame="link2")] * 500_000),
        "INVALID_OPTION"),
    "a-place-name-of-a-megabyte": (
        lambda: with_options(
            external_wrenches=[pb.WrenchPlace(frame="f" * MEGABYTE)]),
        "UNKNOWN_FRAME"),
    "a-million-columns-of-wrenches": (
        lambda: calculation(
            options=pb.Options(external_wrenches=[pb.WrenchPlace()] * 256),
            external_wrenches_on_robot=array_pb2.Array(
                columns=6 * MEGABYTE, f64=bytes(48 * MEGABYTE))),
        "WRONG_COLUMN_COUNT"),
    "a-frame-name-of-a-megabyte": (
        lambda: compute_request(
            "planar_2r", [ask.FRAME_POSE], q=Q,
            options=pb.Options(tip_frame="f" * MEGABYTE)), "UNKNOWN_FRAME"),
}


@pytest.mark.parametrize("request_of, reason", REQUESTS.values(), ids=REQUESTS)
def test_requests(server, client, request_of, reason):
    request = request_of()
    with cheap(server, sent=request.ByteSize()):
        failure = failure_of(client.dynamics.Compute, request)
    assert failure.code in (INVALID, EXHAUSTED)
    assert failure.reason == reason
    assert failure.message and len(failure.message) < 4096
    assert failure.fields or failure.metadata, "no place"


def test_a_torque_curve_has_a_limit(server, client):
    curve = trajectory_pb2.JointBounds(
        joint="joint1", speeds=range(1025), torques=[1.0] * 1025)
    request = trajectory_pb2.CheckTrajectoryRequest(
        start=trajectory_pb2.CheckTrajectoryStart(
            model="planar_2r", bounds=[curve]))

    def check():
        return list(client.trajectories.CheckTrajectory(iter([request])))

    failure = failure_of(check)
    assert (failure.code, failure.reason) == (INVALID, "INVALID_OPTION")
    assert failure.fields == ["start.bounds[0].speeds"]


def test_references_of_megabytes(server, client):
    reference = "m" * 10 * MEGABYTE
    with cheap(server, sent=len(reference)):
        failure = failure_of(
            client.registry.GetModel,
            registry_pb.GetModelRequest(model=reference))
    assert (failure.code, failure.reason, failure.fields) == (
        INVALID, "INVALID_MODEL_REFERENCE", ["model"])


def test_headers_have_a_limit(server):
    # gRPC may end the connection of a call whose headers are too long.
    with harness.Client(server.address) as client:
        def call(length):
            return client.registry.ListModels(
                registry_pb.ListModelsRequest(),
                metadata=(("x-note", "n" * length),))

        call(7000)
        assert failure_of(call, 9000).code is EXHAUSTED


def test_groups_without_end(client):
    raw = client.raw_unary("/torqued.v1.Dynamics/Compute")
    failure = failure_of(raw, b"\x0b" * MEGABYTE)
    assert failure.code is not grpc.StatusCode.OK


def test_request_ids_of_any_length_and_kind(client):
    for request_id in ("i" * 4000, "", "a b", "~", "%00"):
        client.dynamics.Compute(
            calculation(), metadata=(("x-request-id", request_id),))


def test_names_and_labels_of_a_megabyte(server, client):
    for fields, reason in (
            ({"name": "n" * MEGABYTE}, "INVALID_MODEL_NAME"),
            ({"name": "n", "label": "l" * MEGABYTE}, "INVALID_FIELD")):
        request = registry_pb.RegisterModelRequest(
            source=robots.pendulum().encode(), **fields)
        with cheap(server, sent=MEGABYTE):
            failure = failure_of(client.registry.RegisterModel, request)
        assert (failure.code, failure.reason) == (INVALID, reason)
        assert failure.fields == [list(fields)[-1]]


# --- Connections -------------------------------------------------------------


def connection(server):
    host, port = server.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=5)


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
GREETINGS = {
    "silence": b"",
    "http-1": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "half-a-preface": PREFACE[:10],
    "frame-of-16-megabytes": PREFACE + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500),
    "random": np.random.default_rng(3).bytes(100_000),
}


@pytest.mark.parametrize("greeting", GREETINGS.values(), ids=GREETINGS)
def test_connections_that_are_no_calls(server, client, greeting):
    with cheap(server), contextlib.ExitStack() as stack:
        for _ in range(20):
            peer = stack.enter_context(connection(server))
            with contextlib.suppress(OSError):  # it may hang up on us
                peer.sendall(greeting)
        compute(client, "planar_2r", [ask.MASS_MATRIX], q=Q)


def test_two_hundred_broken_registrations_leave_no_memory_behind(
        server, client):
    source = robots.chain(300).replace("</robot>", "")

    def refuse():
        failure = failure_of(register, client, "hostile", source)
        assert failure.reason == "INVALID_MODEL"

    for _ in range(20):
        refuse()
    pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    before = peak_memory(server.pid)
    for _ in range(200):
        refuse()
    if not harness.SANITIZED:
        assert peak_memory(server.pid) - before < 8 * MEGABYTE
