"""What a stranger may send. Every refusal has a code, a reason and a place,
costs the server less than a second of computing and little memory, and leaves
it serving."""

import contextlib
import pathlib

import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import ask, compute, compute_request
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


@contextlib.contextmanager
def cheap(server, sent=0, copies=COPIES):
    """What happens inside costs the server little."""
    pathlib.Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    memory, cpu = server.memory("VmHWM"), server.cpu_seconds()
    yield
    if harness.SANITIZED:
        return
    assert server.cpu_seconds() - cpu < CPU_SECONDS
    assert server.memory("VmHWM") - memory < MEMORY_BYTES + copies * sent


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


# Others: tests/core/formats/urdf_hostile_test.cc.
SOURCES = {
    "nested-200000-deep": lambda: "<robot name='r'>" + "<link>" * 200_000,
    "chain-of-as-many-links-as-fit": lambda: long_chain(70_000),
    "15-megabytes": lambda: robots.pendulum() + " " * 15 * MEGABYTE,
    "entity-bomb": entity_bomb,
    "random-bytes": lambda: np.random.default_rng(1).bytes(MEGABYTE),
    "half-a-million-attributes": lambda: "<robot " + " ".join(
        f'a{i}=""' for i in range(500_000)) + "/>",
    "two-million-elements": lambda: (
        '<robot name="r">' + "<a/>" * 1_900_000 + "</robot>"),
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


# --- Other fields ------------------------------------------------------------


def calculation(**fields):
    fields.setdefault("q", Q)
    return compute_request("planar_2r", [ask.INVERSE_DYNAMICS], **fields)


REQUESTS = {
    "columns-whose-product-overflows": (
        lambda: calculation(q=array_pb2.Array(
            columns=2**32 - 1, f64=bytes(8 * MEGABYTE))), "MALFORMED_ARRAY"),
    "three-payloads-of-megabytes": (
        lambda: calculation(q=array_pb2.Array(
            columns=2, values=[0.0] * MEGABYTE, f64=bytes(8 * MEGABYTE),
            f32=bytes(4 * MEGABYTE))), "MALFORMED_ARRAY"),
    "rows-over-the-limit": (
        lambda: calculation(q=array_pb2.Array(
            columns=2, f32=bytes(8 * (MEGABYTE + 1)))), "REQUEST_TOO_LARGE"),
    "a-model-name-of-a-megabyte": (
        lambda: compute_request("m" * MEGABYTE, [ask.MASS_MATRIX], q=Q),
        "INVALID_MODEL_REFERENCE"),
    "a-million-quantities": (
        lambda: compute_request(
            "planar_2r", [ask.MASS_MATRIX] * MEGABYTE, q=Q), "INVALID_FIELD"),
    "half-a-million-joint-names": (
        lambda: calculation(options=pb.Options(
            joint_names=["joint1"] * 500_000)), "WRONG_JOINT_NAMES"),
    "a-million-columns-of-wrenches": (
        lambda: calculation(
            options=pb.Options(external_wrenches=[pb.WrenchPlace()] * 256),
            external_wrenches_on_robot=array_pb2.Array(
                columns=6 * MEGABYTE, f64=bytes(48 * MEGABYTE))),
        "WRONG_COLUMN_COUNT"),
    "a-frame-name-of-a-megabyte": (
        lambda: calculation(options=pb.Options(tip_frame="f" * MEGABYTE)),
        "UNKNOWN_FRAME"),
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


def test_headers_have_a_limit(server):
    # gRPC may end the connection of a call whose headers are too long.
    with harness.Client(server.address) as client:
        def call(length):
            return client.registry.ListModels(
                registry_pb.ListModelsRequest(),
                metadata=(("x-note", "n" * length),))

        call(7000)
        assert failure_of(call, 9000).code is EXHAUSTED


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
