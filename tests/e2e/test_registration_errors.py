"""What the registry refuses: descriptions of robots that cannot be, and names,
labels and tokens that are none. The server lives through all of it."""

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
from calls import ask, compute_request, register
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


def arm(**inertial):
    """The usual robot with another arm, which stands on line 4."""
    return robots.robot("r", BASE, TURN, robots.link("arm", **inertial))


def turn(**fields):
    """The usual robot with another joint, which stands on line 3."""
    return robots.robot(
        "r", BASE, robots.joint("turn", "base", "arm", **fields), ARM)


# Name, source, code of the finding, line it stands on (None: no matter which).
SOURCES = [
    ("empty", "", "malformed-xml", None),
    ("blank", " \n\n ", "malformed-xml", None),
    ("truncated", robots.robot("r", BASE, TURN, ARM)[:-50], "malformed-xml",
     None),
    ("unclosed", f'<robot name="r">\n{BASE}\n', "malformed-xml", None),
    ("binary", "\x00\x01\x02<robot", "malformed-xml", None),
    ("entities", '<!DOCTYPE r [<!ENTITY a "b">]>\n<robot name="&a;"/>',
     "malformed-xml", 1),
    ("not-a-robot", "<html>\n<body/>\n</html>", "not-a-robot", 1),
    ("two-roots", robots.robot("r", BASE, TURN, ARM, robots.link("lonely")),
     "several-roots", 5),
    ("two-parents", robots.robot(
        "r", BASE, TURN, ARM, robots.link("other", 1.0, com=(1, 0, 0)),
        robots.joint("there", "base", "other"),
        robots.joint("again", "other", "arm")), "two-parents", 7),
    ("cycle", robots.robot(
        "r", BASE, ARM, robots.link("hand", 1.0, com=(1, 0, 0)),
        robots.joint("there", "arm", "hand"),
        robots.joint("back", "hand", "arm")), "cycle", 5),
    ("cycle-without-root", robots.robot(
        "r", ARM, robots.link("hand", 1.0, com=(1, 0, 0)),
        robots.joint("there", "arm", "hand"),
        robots.joint("back", "hand", "arm")), "cycle", 4),
    ("own-parent", robots.robot(
        "r", BASE, TURN, ARM, robots.joint("self", "arm", "arm")),
     "two-parents", 5),
    ("zero-axis", turn(axis=(0, 0, 0)), "zero-axis", 3),
    ("nan-axis", turn(axis=(0, float("nan"), 1)), "invalid-number", 3),
    ("unknown-mimic-target", turn(extra='<mimic joint="ghost"/>'),
     "unknown-mimic-target", 3),
    ("crossed-limits", turn(
        limit='lower="2" upper="1" effort="1" velocity="1"'),
     "invalid-limit", 3),
    ("negative-damping", turn(damping=-0.5), "negative-friction", 3),
    ("unknown-parent", robots.robot(
        "r", BASE, robots.joint("turn", "ghost", "arm"), ARM),
     "unknown-link", 3),
    ("unknown-joint-type", turn(kind="telescopic"), "unknown-joint-type", 3),
    ("unsupported-joint", turn(kind="floating"), "unsupported-joint", 3),
    ("massless-joint", robots.robot("r", BASE, TURN, robots.link("arm")),
     "massless-joint", 3),
    ("mass-on-the-axis", arm(mass=1.0), "massless-joint", 3),
    ("negative-inertia", arm(mass=1.0, inertia=(0.1, 0, 0, 0.1, 0, -0.1)),
     "negative-inertia", 4),
    ("negative-eigenvalue", arm(mass=1.0, inertia=(0.1, 0.2, 0, 0.1, 0, 0.1)),
     "negative-inertia", 4),
    ("negative-mass", arm(mass=-1.0, com=(0.5, 0, 0)), "negative-mass", 4),
    ("nan-mass", arm(mass="nan", com=(0.5, 0, 0)), "invalid-number", 4),
    ("infinite-mass", arm(mass="1e999", com=(0.5, 0, 0)), "invalid-number",
     4),
    ("mass-in-words", arm(mass="heavy", com=(0.5, 0, 0)), "invalid-number",
     4),
    ("duplicate-link", robots.robot(
        "r", BASE, TURN, ARM, robots.link("arm")), "duplicate-name", 5),
    ("duplicate-joint", robots.robot(
        "r", BASE, TURN, ARM, robots.joint("turn", "arm", "hand"),
        robots.link("hand", 1.0, com=(0.5, 0, 0))), "duplicate-name", 5),
    ("no-links", robots.robot("r"), "missing-element", None),
    ("joint-that-turns-text", robots.robot(
        "r", BASE, robots.joint("tu\u202ern", "base", "arm"), ARM),
     "invalid-name", 3),
    ("link-with-a-c1-control", robots.robot(
        "r", BASE, robots.joint("turn", "base", "a\u009brm"),
        robots.link("a\u009brm", 1.0, com=(0.5, 0, 0))), "invalid-name", 4),
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


def test_a_missing_limit_is_a_warning_and_the_model_loads(client):
    model = register(client, "unlimited", robots.pendulum(limit=None)).model
    finding, = model.report.findings
    assert (finding.code, finding.joint, finding.line) == (
        "missing-limit", "swing", 3)
    joint, = model.joints
    assert not joint.HasField("lower") and not joint.HasField("effort")
    reply = client.dynamics.Compute(
        compute_request("unlimited", [ask.MASS_MATRIX], q=np.ones((1, 1))))
    assert reply.rows_not_ok == 0


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


def test_deeply_nested_elements_are_refused(client):
    deep = "<robot name='r'>" + "<a>" * 100_000 + "</a>" * 100_000 + "</robot>"
    failure = failure_of(register, client, "deep", deep)
    assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL")


def test_a_source_over_the_size_limit_is_refused(client):
    large = robots.pendulum() + f"<!-- {'x' * (8 << 20)} -->"
    failure = failure_of(register, client, "large", large)
    assert failure.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert failure.reason == "REQUEST_TOO_LARGE"
    assert failure.retry_delay is None


@pytest.mark.parametrize("name", [
    "", "a b", "a@b", "a/b", "x" * 129, "größe", "a\nb", "@"])
def test_model_names(client, name):
    failure = failure_of(register, client, name, robots.pendulum())
    assert (failure.code, failure.reason) == (INVALID, "INVALID_MODEL_NAME")
    assert failure.fields == ["name"]
    deletion = failure_of(
        client.registry.DeleteModel,
        registry_pb.DeleteModelRequest(name=name))
    assert (deletion.code, deletion.reason) == (INVALID, "INVALID_MODEL_NAME")


def test_a_name_of_the_longest_kind_is_accepted(client):
    name = "x" * 128
    assert register(client, name, robots.pendulum()).model.name == name
    client.registry.DeleteModel(registry_pb.DeleteModelRequest(name=name))


def test_deleting_what_does_not_exist(client):
    failure = failure_of(
        client.registry.DeleteModel,
        registry_pb.DeleteModelRequest(name="ghost"))
    assert failure.code == grpc.StatusCode.NOT_FOUND
    assert failure.reason == "MODEL_NOT_FOUND"


@pytest.mark.parametrize("field, reason, fields", [
    ("format", "INVALID_FIELD", {"format": 9}),
    ("options.base", "INVALID_OPTION",
     {"options": registry_pb.RegistrationOptions(base=5)}),
    ("options.mimic", "INVALID_OPTION",
     {"options": registry_pb.RegistrationOptions(mimic=5)}),
])
def test_unknown_enum_numbers(client, field, reason, fields):
    failure = failure_of(
        register, client, "arm", robots.pendulum(), **fields)
    assert (failure.code, failure.reason) == (INVALID, reason)
    assert failure.fields == [field]
    dry = failure_of(
        client.registry.ValidateModel, registry_pb.ValidateModelRequest(
            source=robots.pendulum().encode(), **fields))
    assert (dry.code, dry.reason) == (INVALID, reason)


def test_an_unknown_default_tip_is_told_with_those_that_there_are(client):
    failure = failure_of(
        register, client, "arm", robots.pendulum(),
        options=registry_pb.RegistrationOptions(default_tip="ghost"))
    assert (failure.code, failure.reason) == (INVALID, "UNKNOWN_FRAME")
    (field, description), = failure.violations
    assert field == "options.default_tip"
    assert description.startswith("unknown-tip: ")
    assert "'ghost'" in description and "such as '" in description


@pytest.mark.parametrize("token", ["x", "1zz", "2" + b"a".hex(), "1"])
def test_page_tokens_that_no_reply_has_given(client, token):
    failure = failure_of(
        client.registry.ListModels,
        registry_pb.ListModelsRequest(page_token=token))
    assert (failure.code, failure.reason) == (INVALID, "INVALID_FIELD")
    assert failure.fields == ["page_token"]
