"""What the registry refuses: descriptions of robots that cannot be, and names,
labels and tokens that are none. The server lives through all of it."""

import grpc
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
from calls import register
from harness import failure_of

INVALID = grpc.StatusCode.INVALID_ARGUMENT


@pytest.fixture(autouse=True)
def still_serving(client):
    """A good registration is answered after whatever the test did."""
    yield
    register(client, "good", robots.pendulum())
    client.registry.DeleteModel(registry_pb.DeleteModelRequest(name="good"))


BASE = robots.link("base")
TURN = robots.joint("turn", "base", "arm")
ARM = robots.link("arm", 1.0, com=(0.5, 0, 0))


def turn(**fields):
    """The usual robot with another joint, which stands on line 3."""
    return robots.robot(
        "r", BASE, robots.joint("turn", "base", "arm", **fields), ARM)


# Name, source, code of the finding, line (None: it has none). Every other
# code: tests/core/formats/urdf_lint_test.cc.
SOURCES = [
    ("empty", "", "malformed-xml", None),
    ("binary", "\x00\x01\x02<robot", "malformed-xml", None),
    ("not-a-robot", "<html>\n<body/>\n</html>", "not-a-robot", 1),
    ("two-roots", robots.robot("r", BASE, TURN, ARM, robots.link("lonely")),
     "several-roots", 5),
    ("cycle", robots.robot(
        "r", BASE, ARM, robots.link("hand", 1.0, com=(1, 0, 0)),
        robots.joint("there", "arm", "hand"),
        robots.joint("back", "hand", "arm")), "cycle", 5),
    ("zero-axis", turn(axis=(0, 0, 0)), "zero-axis", 3),
    ("massless-joint", robots.robot("r", BASE, TURN, robots.link("arm")),
     "massless-joint", 3),
    ("negative-mass", robots.robot(
        "r", BASE, TURN, robots.link("arm", -1.0, com=(0.5, 0, 0))),
     "negative-mass", 4),
]


@pytest.mark.parametrize(
    "text, lint_code, line",
    [pytest.param(*source[1:], id=source[0]) for source in SOURCES])
def test_malformed_sources(client, text, lint_code, line):
    failure = failure_of(register, client, "broken", text)
    assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL")
    assert {field.split(":")[0] for field in failure.fields} == {"source"}
    places = [field for field, description in failure.violations
              if description.startswith(lint_code + ": ")]
    assert places, failure
    if line is not None:
        assert f"source:{line}" in places
    assert failure_of(
        client.registry.GetModel, registry_pb.GetModelRequest(model="broken")
    ).reason == "MODEL_NOT_FOUND"
    # A dry run finds the same and says so in an OK reply.
    dry = client.registry.ValidateModel(
        registry_pb.ValidateModelRequest(source=text.encode()))
    assert not dry.valid
    assert dry.report.errors == int(failure.metadata["errors"]) >= 1
    assert lint_code in [finding.code for finding in dry.report.findings]


def test_a_thousand_faults_in_a_source_fit_into_the_error(client):
    links = [robots.link(f"{'long_name_' * 10}{i}", "heavy")
             for i in range(1000)]
    failure = failure_of(register, client, "bad", robots.robot("r", *links))
    assert failure.reason == "INVALID_MODEL"
    assert int(failure.metadata["errors"]) >= 1000
    assert int(failure.metadata["violations"]) > len(failure.violations) > 0


def test_text_that_is_not_utf8_does_not_harm_the_error(client):
    source = robots.pendulum(mass=-1.0).encode().replace(
        b'"rod"', b'"r\xff\xfed"')
    failure = failure_of(
        client.registry.RegisterModel,
        registry_pb.RegisterModelRequest(name="odd", source=source))
    assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL")


def test_a_source_over_the_size_limit_is_refused(client):
    large = robots.pendulum() + f"<!-- {'x' * (8 << 20)} -->"
    failure = failure_of(register, client, "large", large)
    assert failure.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert failure.reason == "REQUEST_TOO_LARGE"
    assert failure.retry_delay is None


@pytest.mark.parametrize("name", [
    "", "a b", "x" * 129])
def test_model_names(client, name):
    failure = failure_of(register, client, name, robots.pendulum())
    assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL_NAME")
    assert failure.fields == ["name"]
    deletion = failure_of(
        client.registry.DeleteModel,
        registry_pb.DeleteModelRequest(name=name))
    assert (deletion.code, deletion.reason) == (INVALID, "INVALID_MODEL_NAME")


@pytest.mark.parametrize("token", ["a b", "x" * 129])
def test_page_tokens_that_no_reply_has_given(client, token):
    failure = failure_of(
        client.registry.ListModels,
        registry_pb.ListModelsRequest(page_token=token))
    assert (failure.code, failure.reason) == (INVALID, "INVALID_FIELD")
    assert failure.fields == ["page_token"]
