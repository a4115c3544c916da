"""Replies of servers that are newer or older than the client."""

import dataclasses
import datetime
import pickle

import numpy as np
import pytest
import torqued
from google.protobuf.descriptor import FieldDescriptor
from torqued import evaluation, model, verdict
from torqued.evaluation import Evaluation
from torqued.remarks import remark_of
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
    """All members of enums in what a client made of a message."""
    if dataclasses.is_dataclass(read):
        return [member for field in dataclasses.fields(read)
                for member in enums_in(getattr(read, field.name))]
    if isinstance(read, tuple):
        return [member for item in read for member in enums_in(item)]
    return [read] if hasattr(type(read), "__members__") else []


def verdict_of(message):
    return verdict.verdict_of(message, None, {}, {}, 0.0)


@pytest.mark.parametrize("read, message, kinds", [
    (model.model_of, model_registry_pb2.ModelInfo,
     {"JointType", "ModelFormat", "ModelState", "Severity"}),
    (model.summary_of, model_registry_pb2.ModelSummary,
     {"ModelFormat", "ModelState"}),
    (model.report_of, model_registry_pb2.ValidateModelReply,
     {"JointType", "ModelFormat", "ModelState", "Severity"}),
    (evaluation.status_of, dynamics_pb2.RowStatus, {"RowCode"}),
    (verdict_of, trajectory_pb2.TrajectoryVerdict,
     {"Differentiation", "LimitKind", "RemarkKind"})])
def test_a_number_that_a_newer_server_sends_is_unknown(read, message, kinds):
    said = read(newer(message()))
    assert str(said)
    members = enums_in(said)
    assert {type(member).__name__ for member in members
            if member.name == "UNKNOWN"} == kinds
    assert {member for member in members if member.name != "UNKNOWN"} <= {
        torqued.Validation.DEFAULT}


def test_an_echo_of_a_newer_server_can_be_read():
    result = Evaluation(0, False, {}, [], newer(dynamics_pb2.Echo()), [])
    assert result.reference_frame is torqued.ReferenceFrame.UNKNOWN
    assert result.validation is torqued.Validation.DEFAULT


def test_a_row_of_unknown_code_counts_as_one_without_an_answer():
    status = evaluation.status_of(dynamics_pb2.RowStatus(
        row=3, code=NEWER, message="as it is"))
    assert not status.has_answer
    assert str(torqued.RowError(status)) == "row 3: as it is [UNKNOWN]"


def test_unknown_rules_of_an_array_are_unknown():
    rules = np.array([1, NEWER])
    assert [torqued.TaskRule(rule) for rule in rules] == [
        torqued.TaskRule.FULL_RANK, torqued.TaskRule.UNKNOWN]
    with pytest.raises(ValueError):
        torqued.TaskRule("full rank")


def test_unknown_is_no_choice(panda):
    for frame in ("unknown", 0, NEWER, torqued.ReferenceFrame.UNKNOWN):
        with pytest.raises(torqued.InvalidArgument) as caught:
            panda.frame_velocity([0] * 7, reference_frame=frame)
        assert caught.value.field == "options.reference_frame"
        assert str(caught.value).endswith(
            "there are local, local_world_aligned, world [INVALID_OPTION]")


def test_unknown_survives_pickling():
    kind = pickle.loads(pickle.dumps(torqued.LimitKind(NEWER)))
    assert kind is torqued.LimitKind.UNKNOWN


@pytest.mark.parametrize("number, level", [
    (0, "DEFAULT"), (1, "DEFAULT"), (3, "LENIENT"), (99, "DEFAULT")])
def test_levels_of_older_and_newer_servers_are_levels(number, level):
    echo = dynamics_pb2.Echo(validation=number)
    evaluation = Evaluation(0, False, {}, [], echo, [])
    assert evaluation.validation is torqued.Validation[level]


@pytest.mark.parametrize("asked, computed, precision", [
    (2, 1, "DOUBLE"), (2, 2, "SINGLE"), (2, 0, "SINGLE"), (1, 0, "DOUBLE"),
    (2, NEWER, "DOUBLE")])
def test_the_precision_that_computed_is_told(asked, computed, precision):
    echo = dynamics_pb2.Echo(precision=asked, computed_precision=computed)
    evaluation = Evaluation(0, False, {}, [], echo, [])
    assert evaluation.computed_precision is torqued.Precision[precision]


def test_remarks_of_newer_servers_are_of_no_known_kind():
    remark = remark_of(trajectory_pb2.Remark(kind=99, joint="axle"))
    assert remark.kind is torqued.RemarkKind.UNKNOWN
    assert str(remark).startswith("unknown of axle: 0 where the samples give 0")


def test_a_time_that_is_no_date_is_none():
    summary = model_registry_pb2.ModelSummary()
    assert model.summary_of(summary).registered_at is None
    summary.registered_at.seconds = 2**62
    assert model.summary_of(summary).registered_at is None
    summary.registered_at.seconds, summary.registered_at.nanos = 3, 4_999
    assert model.summary_of(summary).registered_at == datetime.datetime(
        1970, 1, 1, 0, 0, 3, 4, datetime.timezone.utc)
