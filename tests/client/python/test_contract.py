"""The package and the wire name the same things."""

import dataclasses
import inspect

import pytest
import torqued
from torqued import quantities
from torqued.v1 import (
    dynamics_pb2, errors_pb2, lint_pb2, model_registry_pb2, trajectory_pb2)


@pytest.mark.parametrize("kind, wire, prefix", [
    (torqued.Quantity, dynamics_pb2.Quantity, "QUANTITY_"),
    (torqued.ReferenceFrame, dynamics_pb2.ReferenceFrame, "REFERENCE_FRAME_"),
    (torqued.Precision, dynamics_pb2.Precision, "PRECISION_"),
    (torqued.TaskAxis, dynamics_pb2.TaskAxis, "TASK_AXIS_"),
    (torqued.SingularityRule, dynamics_pb2.SingularityRule,
     "SINGULARITY_RULE_"),
    (torqued.TaskRule, dynamics_pb2.TaskRule, "TASK_RULE_"),
    (torqued.RowCode, dynamics_pb2.RowCode, "ROW_CODE_"),
    (torqued.JointType, model_registry_pb2.JointType, "JOINT_TYPE_"),
    (torqued.ModelState, model_registry_pb2.ModelState, "MODEL_STATE_"),
    (torqued.Severity, lint_pb2.Severity, "SEVERITY_"),
    (torqued.Differentiation, trajectory_pb2.Differentiation,
     "DIFFERENTIATION_"),
    (torqued.TrajectoryTable, trajectory_pb2.TrajectoryTable,
     "TRAJECTORY_TABLE_"),
    (torqued.LimitKind, trajectory_pb2.LimitKind, "LIMIT_KIND_"),
    (torqued.Reason, errors_pb2.Reason, "")])
def test_enums_are_those_of_the_wire(kind, wire, prefix):
    expected = {name.removeprefix(prefix): number
                for name, number in wire.items() if number}
    assert {member.name: member.value
            for member in kind if member.value} == expected


def test_every_result_of_the_wire_has_a_shape_and_a_type():
    listed = {shape.field for shapes in quantities.ARRAYS.values()
              for shape in shapes}
    arrays = {field.name for field in dynamics_pb2.Results.DESCRIPTOR.fields
              if field.message_type is not None}
    assert listed == arrays
    named = set(torqued.Evaluation.__annotations__)
    assert named == (arrays - {"lambda"}
                     | {"Lambda", "rank", "rule", "sigma_min"})


@pytest.mark.parametrize("kind, message, more", [
    (torqued.TrajectoryVerdict, "TrajectoryVerdict",
     {"tables", "trajectory", "inputs", "seconds", "message"}),
    (torqued.LimitViolation, "LimitViolation", set()),
    (torqued.Remark, "Remark", set()),
    (torqued.CoarseStep, "CoarseStep", set()),
    (torqued.Peak, "Peak", set()),
    (torqued.LimitedBy, "LimitedBy", set()),
    (torqued.PayloadRange, "PayloadRange", set()),
    (torqued.SlowDown, "SlowDown", set()),
    (torqued.PathInertia, "PathInertia", set()),
    (torqued.JointDemands, "JointDemand", {"names"})])
def test_every_field_of_a_verdict_can_be_read(kind, message, more):
    fields = set(trajectory_pb2.DESCRIPTOR.message_types_by_name[
        message].fields_by_name)
    # Names of joints are those of the columns; the echo has properties.
    there = {field.name for field in dataclasses.fields(kind)} - more
    in_one = {"torque_limit_speeds": "torque_curves",
              "torque_limit_torques": "torque_curves"}
    fields = {in_one.get(field, field) for field in fields}
    assert fields - there <= {"joint", "echo", "asked"}
    assert there <= fields


@pytest.mark.parametrize("kind, message, elsewhere", [
    # The options have the validation; tip_frame is what the default tip became.
    (torqued.Model, "ModelInfo", {"report": "findings",
                                  "options": "validation"}),
    (torqued.ModelSummary, "ModelSummary", {})])
def test_every_field_of_a_model_can_be_read(kind, message, elsewhere):
    fields = {elsewhere.get(name, name) for name
              in model_registry_pb2.DESCRIPTOR.message_types_by_name[
                  message].fields_by_name}
    assert {field.name for field in dataclasses.fields(kind)} == fields


def test_every_field_of_a_check_can_be_given():
    start = trajectory_pb2.CheckTrajectoryStart.DESCRIPTOR.fields_by_name
    words = set(torqued.check.CheckWords.__annotations__)
    spelled = {"model": None, "options": "payload", "operational_space": "task",
               "tip_wrench_reference_frame": "tip_wrench_frame",
               "bounds": "limits", "drives": "limits"}
    assert {spelled.get(name, name) for name in start} - {None} <= words
    members = {field for message in ("JointBounds", "JointDrive")
               for field in trajectory_pb2.DESCRIPTOR.message_types_by_name[
                   message].fields_by_name} - {"joint", "speeds", "torques"}
    assert set(torqued.JointLimits.__annotations__) == members | {
        "torque_at_speed"}


def test_every_quantity_is_a_function_of_both_robots():
    for quantity in torqued.Quantity:
        name = quantity.name.lower()
        blocking = getattr(torqued.Robot, name)
        assert blocking.__doc__ and "Returns" in blocking.__doc__
        assert getattr(torqued.aio.Robot, name) is blocking


def test_both_kinds_of_client_have_the_same_functions():
    for kind in ("Client", "Robot"):
        blocking = {name for name in dir(getattr(torqued, kind))
                    if not name.startswith("_")}
        waiting = {name for name in dir(getattr(torqued.aio, kind))
                   if not name.startswith("_")}
        assert blocking == waiting


def test_every_field_of_the_states_can_be_given():
    inputs = {field.name for field
              in dynamics_pb2.EvaluateChunk.DESCRIPTOR.fields}
    words = set(torqued.options.CallWords.__annotations__) | set("qva")
    assert inputs == {
        "q", "v", "a", "tau", "tip_wrench_on_environment", "base_twist",
        "base_acceleration", "external_wrenches_on_robot",
        "task_acceleration", "null_space_torque", "gravity"}
    assert {"tip_wrench", "base_twist", "base_acceleration",
            "external_wrenches", "task_acceleration", "null_space_torque",
            "gravity"} <= words


def test_keywords_are_the_options():
    options = set(torqued.Options.__dataclass_fields__)
    bound = torqued.options.BoundWords.__annotations__
    assert set(bound) == options
    assert options < set(torqued.options.CallWords.__annotations__)
    of_rows = {"fail_fast", "on_bad_row"}
    assert options - of_rows < set(torqued.check.CheckWords.__annotations__)


def test_everything_public_is_documented():
    for name in torqued.__all__:
        thing = getattr(torqued, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
    for kind in (torqued.Client, torqued.Robot, torqued.aio.Client,
                 torqued.aio.Robot):
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_") and name not in (
                    "server_info", "health"):
                assert function.__doc__, f"{kind}.{name}"
