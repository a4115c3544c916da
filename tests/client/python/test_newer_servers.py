"""Replies of servers that are newer or older than the client."""

import datetime
import pickle

import pytest
import torqued
from google.protobuf.descriptor import FieldDescriptor
from torqued.message import Message, view
from torqued.v1 import dynamics_pb2, model_registry_pb2, trajectory_pb2

NEWER = 99


def newer(message):
    """The message with every enum at a number that no client knows, and one
    element in every list."""
    for field in message.DESCRIPTOR.fields:
        repeated = field.label == FieldDescriptor.LABEL_REPEATED
        part = getattr(message, field.name)
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            newer(part.add() if repeated else part)
            if not repeated:
                part.SetInParent()
        elif field.type == FieldDescriptor.TYPE_ENUM and repeated:
            part.append(NEWER)
        elif field.type == FieldDescriptor.TYPE_ENUM:
            setattr(message, field.name, NEWER)
    return message


def enums_in(read):
    """All values of enums in a view."""
    if isinstance(read, Message):
        return [value for field in read.proto.DESCRIPTOR.fields
                for value in enums_in(getattr(read, field.name))]
    if isinstance(read, tuple):
        return [value for item in read for value in enums_in(item)]
    return [read] if isinstance(read, torqued.Severity.__base__) else []


@pytest.mark.parametrize("message", [
    model_registry_pb2.ModelInfo, model_registry_pb2.ModelSummary,
    model_registry_pb2.ValidateModelReply, dynamics_pb2.RowStatus, dynamics_pb2.Echo,
    trajectory_pb2.TrajectoryVerdict])
def test_a_value_that_a_newer_server_sends_is_its_number(message):
    said = view(newer(message()))
    assert str(said)
    values = enums_in(said)
    assert values and {value.name for value in values} == {"99"}


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


def test_a_time_that_is_no_date_is_none():
    summary = model_registry_pb2.ModelSummary()
    assert view(summary).registered_at is None
    summary.registered_at.seconds = 2**62
    assert view(summary).registered_at is None
    summary.registered_at.seconds, summary.registered_at.nanos = 3, 4_999
    assert view(summary).registered_at == datetime.datetime(
        1970, 1, 1, 0, 0, 3, 4, datetime.timezone.utc)
