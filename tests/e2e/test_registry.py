"""The model registry: what is stored under which name, and for how long."""

import pathlib
import sqlite3

import grpc
import numpy as np
import pytest
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import ask, compute, compute_request, register
from harness import failure_of, table


def get(client, reference, **fields):
    return client.registry.GetModel(
        registry_pb.GetModelRequest(model=reference, **fields))


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


def test_the_exact_source_comes_back_on_request(fresh):
    source = pendulum(0.5).replace("\n", "\r\n") + "<!-- größe -->\n"
    register(fresh, "arm", source)
    assert get(fresh, "arm").source == b""
    assert get(fresh, "arm", include_source=True).source == source.encode()


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
    assert get(fresh, "@" + shared).model.revision == shared

    reborn = register(fresh, "arm", pendulum(0.9), expected_current="")
    assert reborn.changed
    assert failure_of(get, fresh, "arm@" + old).reason == "MODEL_NOT_FOUND"


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
