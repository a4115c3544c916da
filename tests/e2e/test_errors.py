"""What the Dynamics service refuses: with which code and reason, naming which
place. After each refusal the server still answers a good call."""

import math

import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb

import robots
from calls import (
    ask, ALL_QUANTITIES, RESULT_ARRAYS, States, compute_request,
    everything_request, options, register, tip_wrench)
from harness import F32, array, failure_of, same_bits, table

INVALID = grpc.StatusCode.INVALID_ARGUMENT
Q = np.zeros((3, 7))
NAN = math.nan


@pytest.fixture(scope="module", autouse=True)
def two_tips(client):
    register(client, "forked", robots.forked())


@pytest.fixture(autouse=True)
def still_serving(client):
    """A good call has the same answer after whatever the test did."""
    def good():
        reply = client.dynamics.Compute(
            everything_request("panda", States(7, 3)))
        assert reply.rows == 3 and reply.rows_not_ok == 0
        return reply.results

    before = good()
    yield
    assert good() == before


def request(quantities=(ask.INVERSE_DYNAMICS,), model="panda", **fields):
    fields.setdefault("q", array(Q))
    return compute_request(model, quantities, **fields)


def task(**fields):
    return request([ask.OPERATIONAL_SPACE],
                   operational_space=pb.OperationalSpaceOptions(**fields))


def forked(quantity, **fields):
    """Of a robot with two leaf links."""
    return request([quantity], model="forked", q=np.zeros((1, 2)), **fields)


def with_options(**fields):
    return request(options=options(**fields))


JOINTS = [f"panda_joint{i}" for i in range(1, 8)]
TWO_PAYLOADS = array_pb2.Array(
    columns=7, values=[0.0] * 7, f64=np.zeros(7).tobytes())
# Each reason, and each place it can have. The values that are refused are those
# of tests/server/wire and tests/core/batch/evaluation_plan_test.cc.
REFUSALS = [
    ("MODEL_NOT_FOUND", None, request(model="pandas")),
    ("INVALID_MODEL_REFERENCE", "model", request(model="pan da")),
    *(("WRONG_COLUMN_COUNT", name, request(
        ALL_QUANTITIES, **{"q": Q, "tau": Q, name: np.zeros((3, 6))}))
      for name in ("q", "v", "a", "tau", "null_space_torque")),
    *(("WRONG_COLUMN_COUNT", name, request(**{name: np.zeros((3, 5))}))
      for name in ("base_twist", "base_acceleration", "gravity")),
    ("WRONG_COLUMN_COUNT", "tip_wrench_on_environment.wrench",
     request(tip_wrench_on_environment=tip_wrench(np.zeros((3, 5))))),
    ("WRONG_COLUMN_COUNT", "external_wrenches_on_robot", request(
        options=options(external_wrenches=[pb.WrenchPlace()]),
        external_wrenches_on_robot=np.zeros((3, 12)))),
    *(("WRONG_ROW_COUNT", name, request(**{name: np.zeros((2, columns))}))
      for name, columns in (("v", 7), ("a", 7), ("base_twist", 6),
                            ("gravity", 3))),
    *(("MALFORMED_ARRAY", name, request(**{name: TWO_PAYLOADS}))
      for name in ("q", "v", "a", "tau")),
    ("MALFORMED_ARRAY", "tip_wrench_on_environment.wrench", request(
        tip_wrench_on_environment=pb.TipWrench(wrench=TWO_PAYLOADS))),
    ("MISSING_INPUT", "q", compute_request("panda", [ask.MASS_MATRIX])),
    ("MISSING_INPUT", "tau", request([ask.FORWARD_DYNAMICS])),
    ("WRONG_JOINT_NAMES", "options.joint_names",
     with_options(joint_names=JOINTS[:6])),
    ("WRONG_JOINT_NAMES", "options.joint_names[3]",
     with_options(joint_names=JOINTS[:3] + ["elbow"] + JOINTS[4:])),
    ("INVALID_OPTION", "options.terms.gravity[1]",
     with_options(gravity=(0, NAN, 0))),
    ("INVALID_OPTION", "options.terms.coulomb_smoothing",
     with_options(viscous=True, smoothing=0.1)),
    ("INVALID_OPTION", "options.reference_frame", with_options(reference_frame=4)),
    ("INVALID_OPTION", "options.encoding", with_options(encoding=17)),
    ("INVALID_OPTION", "options.external_wrenches[1].reference_frame",
     with_options(external_wrenches=[
         pb.WrenchPlace(), pb.WrenchPlace(reference_frame=9)])),
    ("INVALID_OPTION", "options.external_wrenches",
     with_options(external_wrenches=257 * [pb.WrenchPlace()])),
    ("INVALID_OPTION", "external_wrenches_on_robot",
     request(external_wrenches_on_robot=np.zeros((1, 6)))),
    ("INVALID_OPTION", "operational_space.damping", task(damping=0.1)),
    ("INVALID_OPTION", "operational_space.rank_tolerance", task(rank_tolerance=1)),
    ("INVALID_OPTION", "operational_space.characteristic_length",
     task(characteristic_length=0)),
    ("INVALID_OPTION", "operational_space.axes[6]",
     task(axes=[1, 2, 3, 4, 5, 6, 1])),
    ("INVALID_OPTION", "operational_space.singularity", task(singularity=9)),
    ("INVALID_FIELD", "tip_wrench_on_environment.reference_frame", request(
        tip_wrench_on_environment=tip_wrench([0] * 6, frame=-1))),
    ("INVALID_FIELD", "quantities", request([])),
    ("INVALID_FIELD", "quantities[1]", request([ask.MASS_MATRIX, 99])),
    ("UNKNOWN_FRAME", "options.tip_frame", with_options(tip_frame="nowhere")),
    ("UNKNOWN_FRAME", "options.external_wrenches[0].frame",
     with_options(external_wrenches=[pb.WrenchPlace(frame="nowhere")])),
    ("TIP_FRAME_REQUIRED", "options.tip_frame", forked(ask.JACOBIAN)),
    ("TIP_FRAME_REQUIRED", "options.external_wrenches[1].frame",
     forked(ask.INVERSE_DYNAMICS, options=options(external_wrenches=[
         pb.WrenchPlace(frame="left_hand"), pb.WrenchPlace()]))),
]


@pytest.mark.parametrize(
    "reason, field, asked",
    [pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in REFUSALS])
def test_a_refusal_has_code_reason_and_place(client, reason, field, asked):
    failure = failure_of(client.dynamics.Compute, asked)
    assert (failure.reason, failure.fields) == (reason, [field] if field else [])
    assert failure.code == (INVALID if field else grpc.StatusCode.NOT_FOUND)
    assert failure.message
    assert all(description for _, description in failure.violations)


# --- Rows --------------------------------------------------------------------


def test_a_number_that_is_not_finite_spoils_its_row_alone(client):
    inputs = ["q", "v", "a", "tau", "null_space_torque", "task_acceleration",
              "wrench"]
    clean, spoilt = States(7, 9), States(7, 9)
    for row, name in enumerate(inputs):
        getattr(spoilt, name)[row, 2] = [NAN, math.inf, -math.inf][row % 3]
    wanted, reply = (client.dynamics.Compute(everything_request("panda", states))
                     for states in (clean, spoilt))
    told = [(s.row, s.code, s.field, s.joint) for s in reply.row_status]
    assert told == [
        (row, pb.ROW_CODE_INVALID_INPUT,
         "tip_wrench_on_environment" if name == "wrench" else name,
         "panda_joint3" if row < 5 else "") for row, name in enumerate(inputs)]
    assert all(status.message for status in reply.row_status)
    for result in RESULT_ARRAYS:
        numbers = table(getattr(reply.results, result))
        assert np.isnan(numbers[:7]).all(), result
        assert same_bits(numbers[7:], table(getattr(wanted.results, result))[7:])
    assert list(reply.results.rule[:7]) == 7 * [pb.TASK_RULE_UNDEFINED]


def test_a_bad_row_that_serves_all_states_spoils_all(client):
    v = np.zeros((1, 7))
    v[0, 3] = NAN
    reply = client.dynamics.Compute(request(v=v))
    assert reply.rows == reply.rows_not_ok == 3
    assert [s.row for s in reply.row_status] == [0, 1, 2]
    assert {s.field for s in reply.row_status} == {"v"}
    assert np.isnan(table(reply.results.tau)).all()


def test_an_input_that_no_quantity_uses_spoils_its_row_too(client):
    v = np.zeros((3, 7))
    v[1, 4] = NAN
    reply = client.dynamics.Compute(request([ask.MASS_MATRIX], v=v))
    status, = reply.row_status
    assert (status.row, status.field) == (1, "v")
    M = table(reply.results.mass_matrix)
    assert np.isnan(M).all(axis=1).tolist() == [False, True, False]


def test_at_most_a_thousand_bad_rows_are_listed_and_all_are_counted(client):
    q = np.zeros((5000, 7))
    q[::2] = NAN
    reply = client.dynamics.Compute(request([ask.FRAME_POSE], q=q))
    assert reply.rows == 5000
    assert reply.rows_not_ok == 2500
    assert [s.row for s in reply.row_status] == list(range(0, 2000, 2))


def test_fail_fast_turns_a_bad_row_into_an_error(client):
    q = np.zeros((5000, 7))
    q[4321, 2] = NAN
    call = request([ask.MASS_MATRIX], q=q, options=options(fail_fast=True))
    failure = failure_of(client.dynamics.Compute, call)
    assert (failure.code, failure.reason) == (INVALID, "ROW_FAILED")
    assert failure.metadata["row"] == "4321"
    assert failure.metadata["joint"] == "panda_joint3"
    q[4321, 2] = 0
    fine = client.dynamics.Compute(
        request([ask.MASS_MATRIX], q=q, options=options(fail_fast=True)))
    assert fine.rows_not_ok == 0


def test_fail_fast_counts_a_singular_task_as_failed(client):
    call = compute_request(
        "planar_2r", [ask.OPERATIONAL_SPACE], q=np.zeros((2, 2)),
        options=options(fail_fast=True),
        operational_space=pb.OperationalSpaceOptions(
            axes=[pb.TASK_AXIS_LINEAR_X]))
    failure = failure_of(client.dynamics.Compute, call)
    assert (failure.code, failure.reason) == (INVALID, "ROW_FAILED")
    assert failure.metadata["row"] == "0"


def test_a_result_beyond_binary32_marks_its_row(client):
    a = np.zeros((3, 7))
    a[1] = 1e30
    a[2] = 1e39
    reply = client.dynamics.Compute(request(
        a=a, options=options(encoding=F32)))
    status, = reply.row_status
    assert (status.row, status.code) == (2, pb.ROW_CODE_NOT_FINITE_RESULT)
    assert status.field == "tau"
    tau = table(reply.results.tau)
    assert np.isfinite(tau[:2]).all() and not np.isfinite(tau[2]).all()
