"""Replies of servers that are newer or older than the client."""

import datetime
import pickle

import pytest
import torqued
from torqued.message import view
from torqued.v1 import model_registry_pb2, trajectory_pb2

NEWER = 99


def test_a_value_that_a_newer_server_sends_is_its_number():
    said = view(model_registry_pb2.ModelInfo(
        state=NEWER, options={"validation": NEWER}, joints=[{"type": NEWER}],
        report={"findings": [{"severity": NEWER}]}))
    assert str(said)
    assert {value.name for value in (
        said.state, said.options.validation, said.joints[0].type,
        said.report.findings[0].severity)} == {"99"}
    told = view(trajectory_pb2.TrajectoryVerdict(
        violations=[{"kind": NEWER}], asked={"tables": [NEWER]}))
    assert told.violations[0].kind.name == told.asked.tables[0].name == "99"


def test_an_unknown_value_is_no_choice(panda):
    for frame in ("unknown", 0, NEWER, torqued.ReferenceFrame(NEWER)):
        with pytest.raises(torqued.InvalidArgument) as caught:
            panda.frame_velocity([0] * 7, reference_frame=frame)
        assert caught.value.field == "reference_frame"
        assert str(caught.value).endswith(
            "there are local, local_world_aligned, world [INVALID_OPTION]")


def test_an_unknown_value_survives_pickling():
    assert pickle.loads(pickle.dumps(torqued.LimitKind(NEWER))) == NEWER


def test_an_absent_limit_is_infinite_and_other_absent_fields_are_none():
    joint = view(model_registry_pb2.JointInfo())
    assert (joint.lower, joint.upper, joint.effort) == (
        -float("inf"), float("inf"), float("inf"))
    demand = view(trajectory_pb2.JointDemand())
    assert demand.torque is None and demand.rms_torque_use is None
    assert demand.torque_limit == float("inf") and demand.rms_torque == 0


def test_a_time_is_a_date_in_utc():
    summary = model_registry_pb2.ModelSummary()
    assert view(summary).registered_at is None
    summary.registered_at.seconds, summary.registered_at.nanos = 3, 4_999
    assert view(summary).registered_at == datetime.datetime(
        1970, 1, 1, 0, 0, 3, 4, datetime.timezone.utc)
