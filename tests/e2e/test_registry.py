"""The model registry: what is stored under which name, and for how long."""

import hashlib
import pathlib
import sqlite3

import grpc
import numpy as np
import pytest
from torqued.v1 import lint_pb2
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import ask, compute, compute_request, register
from harness import failure_of, table


def get(client, reference, **fields):
    return client.registry.GetModel(
        registry_pb.GetModelRequest(model=reference, **fields))


def revision_of(client, reference):
    return get(client, reference).model.revision


def validate(client, source, **fields):
    return client.registry.ValidateModel(registry_pb.ValidateModelRequest(
        source=source.encode(), **fields))


def delete(client, name, **fields):
    return client.registry.DeleteModel(
        registry_pb.DeleteModelRequest(name=name, **fields))


def list_models(client, page_size=0):
    """All summaries, and the sizes of the pages they came in."""
    models, sizes, token = [], [], ""
    while True:
        page = client.registry.ListModels(registry_pb.ListModelsRequest(
            page_size=page_size, page_token=token))
        models += page.models
        sizes.append(len(page.models))
        token = page.next_page_token
        if not token:
            return models, sizes


def names(client):
    return [model.name for model in list_models(client)[0]]


def pendulum(length):
    """A pendulum that its length tells from others."""
    return robots.pendulum(1.0, length)


def length_of(client, reference):
    """The length of a registered pendulum of 1 kg, by its inertia."""
    M = table(compute(client, reference, [ask.MASS_MATRIX],
                      q=np.zeros((1, 1))).results.mass_matrix)
    return float(np.sqrt(M[0, 0]))


@pytest.fixture
def fresh(start):
    """Connection to a server without models."""
    with harness.Client(start().address) as connection:
        yield connection


# --- Registering -------------------------------------------------------------


def test_a_registered_model_is_described_in_full(fresh):
    source = robots.robot(
        "two_arms",
        robots.link("base"),
        # Written in an order that is not the canonical one.
        robots.joint("b_slide", "base", "tray", kind="prismatic",
                     axis=(0, 0, 2), damping=0.5, friction=0.25,
                     limit='lower="0" upper="1.5" effort="40" velocity="0.3"'),
        robots.link("tray", 2.0),
        robots.joint("a_turn", "base", "wheel", kind="continuous",
                     axis=(0, 1, 0), limit='effort="7" velocity="9"'),
        robots.link("wheel", 1.0, com=(0.1, 0, 0)),
        robots.joint("c_fix", "wheel", "rim", kind="fixed"),
        robots.link("rim", 0.5, com=(0, 0, 0.2)))
    reply = register(fresh, "two.arms-1_x", source)
    model = reply.model
    assert reply.changed
    assert model == get(fresh, "two.arms-1_x").model
    assert model.name == "two.arms-1_x"
    assert model.robot_name == "two_arms"
    assert model.format == registry_pb.MODEL_FORMAT_URDF
    assert model.options.base == registry_pb.BASE_KIND_FIXED
    assert model.options.mimic == registry_pb.MIMIC_MODE_INDEPENDENT
    assert model.state == registry_pb.MODEL_STATE_READY
    assert not model.problem
    assert (model.nq, model.nv) == (2, 2)
    assert list(model.frames) == ["base", "wheel", "rim", "tray"]
    assert model.tip_frame == ""  # two leaf links
    assert model.moving_mass == 3.5
    assert list(model.gravity) == [0, 0, -9.81]
    assert model.registered_at.seconds > 1.6e9

    turn, slide = model.joints
    assert (turn.name, turn.type) == (
        "a_turn", registry_pb.JOINT_TYPE_CONTINUOUS)
    assert (turn.q_index, turn.nq, turn.v_index, turn.nv) == (0, 1, 0, 1)
    assert (turn.parent_link, turn.child_link) == ("base", "wheel")
    assert not turn.HasField("lower") and not turn.HasField("upper")
    assert (turn.velocity, turn.effort) == (9, 7)
    assert (slide.name, slide.type) == (
        "b_slide", registry_pb.JOINT_TYPE_PRISMATIC)
    assert (slide.q_index, slide.v_index) == (1, 1)
    assert list(slide.axis) == [0, 0, 1]
    assert slide.HasField("lower")
    assert (slide.lower, slide.upper) == (0, 1.5)
    assert (slide.velocity, slide.effort) == (0.3, 40)
    assert (slide.damping, slide.friction) == (0.5, 0.25)
    findings = {(f.code, f.joint) for f in model.report.findings}
    assert ("non-unit-axis", "b_slide") in findings
    assert model.report.errors == 0


def test_the_revision_is_the_hash_of_content_and_options(fresh):
    source = pendulum(0.5)

    def expected(options):
        digest = hashlib.sha256()
        for part in ("2", "urdf", source, options):
            digest.update(len(part).to_bytes(8, "little") + part.encode())
        return digest.hexdigest()

    plain = register(fresh, "a", source).model.revision
    assert plain == expected("base=fixed;mimic=independent;validation=default;tip=")
    assert register(fresh, "b", source).model.revision == plain
    chosen = register(
        fresh, "c", source, options=registry_pb.RegistrationOptions(
            default_tip="base",
            validation=lint_pb2.VALIDATION_STRICT)).model.revision
    assert chosen == expected(
        "base=fixed;mimic=independent;validation=strict;tip=base")
    # Defaults written out are the same model.
    assert register(
        fresh, "d", source, format=registry_pb.MODEL_FORMAT_URDF,
        options=registry_pb.RegistrationOptions(
            base=registry_pb.BASE_KIND_FIXED,
            mimic=registry_pb.MIMIC_MODE_INDEPENDENT)).model.revision == plain
    assert register(fresh, "e", source + " ").model.revision != plain


def test_the_exact_source_comes_back_on_request(fresh):
    source = pendulum(0.5).replace("\n", "\r\n") + "<!-- größe -->\n"
    register(fresh, "arm", source)
    assert get(fresh, "arm").source == b""
    assert get(fresh, "arm", include_source=True).source == source.encode()


def test_the_default_tip_is_used_where_a_request_names_none(fresh):
    model = register(fresh, "forked", robots.forked()).model
    assert model.tip_frame == ""
    model = register(
        fresh, "forked", robots.forked(),
        options=registry_pb.RegistrationOptions(default_tip="right_hand")).model
    assert model.tip_frame == model.options.default_tip == "right_hand"
    echo = compute(
        fresh, "forked", [ask.FRAME_POSE], q=np.zeros((1, 2))).echo
    assert echo.tip_frame == "right_hand"


# --- Expected current revision -----------------------------------------------


def test_expected_current_lets_only_one_of_two_writers_win(fresh):
    created = register(fresh, "arm", pendulum(0.5), expected_current="")
    first = created.model.revision
    late = failure_of(
        register, fresh, "arm", pendulum(0.6), expected_current="")
    assert late.code == grpc.StatusCode.FAILED_PRECONDITION
    assert late.reason == "REVISION_CONFLICT"
    assert late.metadata["current"] == first
    assert late.fields == ["expected_current"]

    second = register(
        fresh, "arm", pendulum(0.6), expected_current=first).model.revision
    stale = failure_of(
        register, fresh, "arm", pendulum(0.7), expected_current=first)
    assert stale.reason == "REVISION_CONFLICT"
    assert stale.metadata["current"] == second
    assert revision_of(fresh, "arm") == second
    # The refused content was not stored either.
    refused = register(fresh, "elsewhere", pendulum(0.7)).model.revision
    assert failure_of(get, fresh, "arm@" + refused).reason == (
        "MODEL_NOT_FOUND")


# --- Lists -------------------------------------------------------------------


def test_lists_come_in_byte_order_and_in_pages(fresh):
    wanted = [f"{letter}{i}" for letter in "aZ-_.b" for i in range(4)]
    for name in wanted:
        register(fresh, name, pendulum(0.5))
    models, sizes = list_models(fresh, page_size=5)
    assert [model.name for model in models] == sorted(wanted)
    assert sizes == [5, 5, 5, 5, 4]
    assert names(fresh) == sorted(wanted)
    assert list_models(fresh, page_size=24)[1] == [24]
    summary = models[0]
    model = get(fresh, summary.name).model
    assert summary.revision == model.revision
    assert summary.state == registry_pb.MODEL_STATE_READY
    assert (summary.nq, summary.nv) == (1, 1)
    assert summary.registered_at == model.registered_at


def test_the_default_page_holds_a_hundred_models(fresh):
    source = pendulum(0.5)
    for i in range(101):
        register(fresh, f"m{i:03}", source)
    assert list_models(fresh)[1] == [100, 1]
    assert list_models(fresh, page_size=1000)[1] == [101]


# --- Deleting ----------------------------------------------------------------


def test_deleting_removes_a_name_with_its_history_and_labels(fresh):
    old = register(fresh, "arm", pendulum(0.5), label="kept").model.revision
    shared = register(fresh, "arm", pendulum(0.7)).model.revision
    register(fresh, "other", pendulum(0.7))
    delete(fresh, "arm")
    assert names(fresh) == ["other"]
    for reference in ("arm", "arm@kept", "arm@" + old, "@" + old,
                      "arm@" + shared):
        missing = failure_of(get, fresh, reference)
        assert missing.code == grpc.StatusCode.NOT_FOUND
        assert missing.reason == "MODEL_NOT_FOUND"
        assert missing.metadata["model"] == reference
        unusable = failure_of(
            fresh.dynamics.Compute, compute_request(
                reference, [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        assert unusable.reason == "MODEL_NOT_FOUND"
    # What another name has had stays.
    assert revision_of(fresh, "@" + shared) == shared

    reborn = register(fresh, "arm", pendulum(0.9), expected_current="")
    assert reborn.changed
    assert failure_of(get, fresh, "arm@" + old).reason == "MODEL_NOT_FOUND"


# --- Validation --------------------------------------------------------------


def test_validating_describes_a_good_model_and_stores_nothing(fresh):
    reply = validate(fresh, pendulum(0.5))
    assert reply.valid
    assert reply.model.name == ""
    assert reply.model.nv == 1
    assert list_models(fresh)[0] == []
    assert failure_of(get, fresh, "@" + reply.model.revision).reason == (
        "MODEL_NOT_FOUND")
    registered = register(fresh, "arm", pendulum(0.5)).model
    assert registered.revision == reply.model.revision
    assert registered.joints == reply.model.joints
    assert registered.report == reply.report


def test_validating_reports_every_finding_of_a_bad_source_in_an_ok_reply(
        fresh):
    source = robots.robot(
        "bad",
        robots.link("base"),
        robots.joint("one", "base", "arm", axis=(0, 0, 0)),
        robots.link("arm", 1.0, com=(0.5, 0, 0)),
        robots.joint("two", "arm", "hand", limit=None),
        robots.link("hand", -1.0, com=(0.5, 0, 0)),
        '<gadget name="unheard-of"/>')
    reply = validate(fresh, source)
    assert not reply.valid
    assert not reply.HasField("model")
    found = [(f.severity, f.code, f.line) for f in reply.report.findings]
    assert (lint_pb2.SEVERITY_ERROR, "zero-axis", 3) in found
    assert (lint_pb2.SEVERITY_ERROR, "negative-mass", 6) in found
    assert (lint_pb2.SEVERITY_WARNING, "missing-limit", 5) in found
    assert (lint_pb2.SEVERITY_WARNING, "ignored-element", 7) in found
    # Errors first, then by line.
    assert found == sorted(found, key=lambda f: (-f[0], f[2]))
    report = reply.report
    assert report.errors == sum(
        f.severity == lint_pb2.SEVERITY_ERROR for f in report.findings)
    assert report.warnings == sum(
        f.severity == lint_pb2.SEVERITY_WARNING for f in report.findings)
    assert all(f.message for f in report.findings)
    joints = {f.code: f.joint for f in report.findings}
    assert joints["zero-axis"] == "one"
    assert joints["missing-limit"] == "two"
    links = {f.code: f.link for f in report.findings}
    assert links["negative-mass"] == "hand"


def test_strict_refuses_what_otherwise_is_a_warning(fresh):
    # No mass distribution has izz > ixx + iyy.
    source = robots.robot(
        "doubtful", robots.link("base"), robots.joint("j", "base", "arm"),
        robots.link("arm", 1.0, com=(0.2, 0, 0),
                    inertia=(0.1, 0, 0, 0.1, 0, 0.3)))
    plain = validate(fresh, source)
    assert plain.valid
    assert [(f.code, f.severity) for f in plain.report.findings] == [
        ("triangle-inequality", lint_pb2.SEVERITY_WARNING)]
    strict = registry_pb.RegistrationOptions(
        validation=lint_pb2.VALIDATION_STRICT)
    refused = validate(fresh, source, options=strict)
    assert not refused.valid
    assert [(f.code, f.severity) for f in refused.report.findings] == [
        ("triangle-inequality", lint_pb2.SEVERITY_ERROR)]
    assert register(fresh, "arm", source).model.report.warnings == 1
    assert failure_of(
        register, fresh, "arm", source, options=strict
    ).reason == "INVALID_MODEL"


# --- Models from a directory -------------------------------------------------


def test_the_example_models_load_without_errors(client):
    expected = sorted(
        path.stem for path in harness.example_models().glob("*.urdf"))
    assert set(expected) <= set(names(client))
    sizes = {"planar_2r": 2, "ur5e": 6, "panda": 7}
    for name in expected:
        model = get(client, name, include_source=True)
        assert model.model.nv == sizes[name]
        assert model.model.report.errors == 0
        assert model.model.report.warnings == 0, model.model.report
        path = harness.example_models() / f"{name}.urdf"
        assert model.source == path.read_bytes()


def test_files_are_registered_under_their_names_and_bad_ones_skipped(
        start, tmp_path):
    models = tmp_path / "robots"
    models.mkdir()
    (models / "good.urdf").write_text(pendulum(0.5))
    (models / "bad.urdf").write_text("<robot")
    (models / "no name.urdf").write_text(pendulum(0.5))
    (models / "notes.txt").write_text("not a robot")
    server = start(models=models)
    with harness.Client(server.address) as client:
        assert names(client) == ["good"]
    log = server.log()
    assert "bad.urdf" in log and "no name.urdf" in log
    assert "notes.txt" not in log


# --- A store with a broken model ---------------------------------------------


def break_source(store: pathlib.Path, name):
    """Damages the stored source of a model, as a failing disk would."""
    with sqlite3.connect(store) as database:
        changed = database.execute(
            "UPDATE revisions SET source = ? WHERE revision = "
            "(SELECT revision FROM names WHERE name = ?)",
            (b"<robot", name)).rowcount
    database.close()
    assert changed == 1


def test_a_model_that_no_longer_loads_is_listed_as_broken(start):
    with start() as server:
        with harness.Client(server.address) as client:
            good = register(client, "good", pendulum(0.5)).model.revision
            bad = register(client, "poor", pendulum(0.7)).model.revision
        assert server.stop() == 0
        break_source(server.store, "poor")
    again = start()
    with harness.Client(again.address) as client:
        def summaries():
            return {model.name: model for model in list_models(client)[0]}

        # Neither the start nor a list loads what was noted before.
        line, = again.lines_when_there("serving")
        assert "models=2 broken=0" in line
        assert summaries()["poor"].state == registry_pb.MODEL_STATE_READY
        assert get(client, "poor").model.state == (
            registry_pb.MODEL_STATE_BROKEN)
        assert summaries()["good"].state == registry_pb.MODEL_STATE_READY
        assert summaries()["good"].revision == good
        poor = summaries()["poor"]
        assert poor.state == registry_pb.MODEL_STATE_BROKEN
        assert poor.revision == bad
        assert poor.problem and poor.nq == poor.nv == 0
        refused = failure_of(client.dynamics.Compute, compute_request(
            "poor", [ask.MASS_MATRIX], q=np.zeros((1, 1))))
        assert refused.code == grpc.StatusCode.FAILED_PRECONDITION
        assert refused.reason == "MODEL_BROKEN"
        # One cause, not two that contradict each other.
        assert "does not match its revision" in refused.message
        assert "version" not in refused.message
        assert length_of(client, "good") == pytest.approx(0.5)
        assert again.stop() == 0
    third = start()
    line, = third.lines_when_there("broken model")
    assert "model=poor" in line and "does not match its revision" in line
    with harness.Client(third.address) as client:
        # Registering the content again heals it.
        register(client, "poor", pendulum(0.7))
        assert length_of(client, "poor") == pytest.approx(0.7)
