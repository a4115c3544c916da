"""What the Dynamics service refuses: with which code and reason, naming which
place. After each refusal the server still answers a good call."""

import math
import socket

import grpc
import numpy as np
import pytest
from torqued.v1 import array_pb2
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import harness
import robots
from calls import (
    ask, ALL_QUANTITIES, RESULT_ARRAYS, States, compute_request,
    everything_request, options, register)
from harness import F32, VALUES, array, failure_of, same_bits, table

INVALID = grpc.StatusCode.INVALID_ARGUMENT
Q = np.zeros((3, 7))
NAN, INFINITY = math.nan, math.inf


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


@pytest.fixture(scope="module", autouse=True)
def extra_models(client):
    register(client, "forked", robots.forked())


def request(quantities=(ask.INVERSE_DYNAMICS,), model="panda", **fields):
    fields.setdefault("q", array(Q))
    return compute_request(model, quantities, **fields)


def wrench(numbers, frame=pb.REFERENCE_FRAME_LOCAL):
    message = numbers
    if not isinstance(numbers, array_pb2.Array):
        message = array(numbers)
    return pb.TipWrench(wrench=message, reference_frame=frame)


def task(**fields):
    return request([ask.OPERATIONAL_SPACE],
                   operational_space=pb.OperationalSpaceOptions(**fields))


def case(name, call, reason, field=None, code=INVALID):
    """A Compute request that must be refused, and how."""
    return pytest.param(call, code, reason, field, id=name)


def table_of(*cases):
    return pytest.mark.parametrize("call, code, reason, field", cases)


def check_refusal(client, call, code, reason, field):
    failure = failure_of(client.dynamics.Compute, call)
    assert (failure.code, failure.reason) == (code, reason), failure
    assert failure.message
    if field is None:
        assert not failure.violations
    else:
        assert failure.fields == [field]
        assert all(description for _, description in failure.violations)
    return failure


# --- Model references --------------------------------------------------------


def reference(text):
    return request(model=text)


@table_of(
    *(case(f"unknown-{name}", reference(text), "MODEL_NOT_FOUND",
           code=grpc.StatusCode.NOT_FOUND)
      for name, text in (
          ("name", "pandas"), ("label", "panda@nosuch"),
          ("prefix", "panda@00000000"), ("bare-prefix", "@00000000"),
          ("revision", "@" + "0" * 64))),
    *(case(f"malformed-{name}", reference(text), "INVALID_MODEL_REFERENCE",
           "model")
      for name, text in (
          ("empty", ""), ("at", "@"), ("no-label", "panda@"),
          ("short-prefix", "@1234567"), ("bare-label", "@best"),
          ("two-ats", "panda@a@b"), ("space", "pan da"),
          ("slash", "models/panda"), ("long", "x" * 129),
          ("long-revision", "panda@" + "0" * 65), ("umlaut", "größe"))))
def test_model_references(client, call, code, reason, field):
    failure = check_refusal(client, call, code, reason, field)
    if reason == "MODEL_NOT_FOUND":
        assert failure.metadata["model"] == call.model
    # The registry says the same.
    assert failure_of(
        client.registry.GetModel,
        registry_pb.GetModelRequest(model=call.model)) == failure


def test_a_misspelt_name_is_answered_with_the_likely_one(client):
    failure = failure_of(client.dynamics.Compute, request(model="pandas"))
    assert "did you mean panda?" in failure.message


# --- Arrays ------------------------------------------------------------------


def one_wrong_width(name, columns):
    numbers = np.zeros((3, columns))
    if name == "wrench":
        return request(tip_wrench_on_environment=wrench(numbers))
    return request(ALL_QUANTITIES, **{
        "q": Q, "tau": Q, name: numbers})


def one_wrong_height(name, rows):
    if name == "wrench":
        return request(tip_wrench_on_environment=wrench(np.zeros((rows, 6))))
    return request(ALL_QUANTITIES, **{
        "q": Q, "v": Q, "a": Q, "tau": Q, name: np.zeros((rows, 7))})


TWO_PAYLOADS = array_pb2.Array(
    columns=7, values=[0.0] * 7, f64=np.zeros(7).tobytes())
NO_WHOLE_ROW = array_pb2.Array(columns=7, f64=np.zeros(8).tobytes())
NO_WHOLE_NUMBER = array_pb2.Array(columns=7, f64=bytes(57))
NO_WHOLE_VALUES = array_pb2.Array(columns=7, values=[0.0] * 13)
NO_WHOLE_FLOAT = array_pb2.Array(columns=7, f32=bytes(7 * 4 + 1))
NO_COLUMNS = array_pb2.Array(values=[0.0] * 7)
HUGE_COLUMNS = array_pb2.Array(columns=2**32 - 1, values=[0.0] * 7)
WRENCH = "tip_wrench_on_environment.wrench"


@table_of(
    *(case(f"{name}-of-{columns}-columns", one_wrong_width(name, columns),
           "WRONG_COLUMN_COUNT", WRENCH if name == "wrench" else name)
      for name in ("q", "v", "a", "tau") for columns in (1, 6, 8)),
    *(case(f"wrench-of-{columns}-columns", one_wrong_width("wrench", columns),
           "WRONG_COLUMN_COUNT", WRENCH) for columns in (3, 7)),
    *(case(f"{name}-{fault}", request(**{name: message}), "MALFORMED_ARRAY",
           name)
      for name in ("q", "v", "a", "tau")
      for fault, message in (
          ("two-payloads", TWO_PAYLOADS), ("no-whole-row", NO_WHOLE_ROW),
          ("no-whole-number", NO_WHOLE_NUMBER),
          ("no-whole-values", NO_WHOLE_VALUES),
          ("no-whole-float", NO_WHOLE_FLOAT), ("no-columns", NO_COLUMNS),
          ("huge-columns", HUGE_COLUMNS))),
    case("wrench-two-payloads",
         request(tip_wrench_on_environment=wrench(TWO_PAYLOADS)),
         "MALFORMED_ARRAY", WRENCH))
def test_arrays(client, call, code, reason, field):
    check_refusal(client, call, code, reason, field)


@pytest.mark.parametrize("rows", [2, 4, 1000])
@pytest.mark.parametrize("name", ["q", "v", "a", "tau", "wrench"])
def test_row_counts_that_differ(client, name, rows):
    failure = failure_of(
        client.dynamics.Compute, one_wrong_height(name, rows))
    assert (failure.code, failure.reason) == (INVALID, "WRONG_ROW_COUNT")
    (field, description), = failure.violations
    # Which of two that disagree is the wrong one is open.
    assert field in ("q", "v", "a", "tau", "tip_wrench_on_environment", WRENCH)
    assert "3" in description and str(rows) in description


@table_of(
    case("q", compute_request("panda", [ask.MASS_MATRIX]), "MISSING_INPUT",
         "q"),
    case("q-without-rows", request(q=array_pb2.Array(columns=7)),
         "MISSING_INPUT", "q"),
    case("q-though-v-is-there",
         compute_request("panda", [ask.INVERSE_DYNAMICS], v=Q),
         "MISSING_INPUT", "q"),
    *(case(f"tau-of-{pb.Quantity.Name(quantity).lower()}",
           request([quantity]), "MISSING_INPUT", "tau")
      for quantity in (ask.FORWARD_DYNAMICS,
                       ask.FORWARD_DYNAMICS_DERIVATIVES)),
    case("tau-among-others", request(ALL_QUANTITIES), "MISSING_INPUT", "tau"))
def test_missing_inputs(client, call, code, reason, field):
    check_refusal(client, call, code, reason, field)


# --- Joint names -------------------------------------------------------------

JOINTS = [f"panda_joint{i}" for i in range(1, 8)]


def named(names):
    return request(options=options(joint_names=names))


@table_of(
    case("one-missing", named(JOINTS[:6]), "WRONG_JOINT_NAMES",
         "options.joint_names"),
    case("only-one", named(["panda_joint4"]), "WRONG_JOINT_NAMES",
         "options.joint_names"),
    case("twice", named(JOINTS[:6] + ["panda_joint2"]), "WRONG_JOINT_NAMES",
         "options.joint_names[6]"),
    case("unknown", named(JOINTS[:3] + ["elbow"] + JOINTS[4:]),
         "WRONG_JOINT_NAMES", "options.joint_names[3]"),
    case("a-fixed-joint", named(JOINTS[:6] + ["panda_joint8"]),
         "WRONG_JOINT_NAMES", "options.joint_names[6]"),
    case("too-many", named(JOINTS + ["panda_joint1"]), "WRONG_JOINT_NAMES",
         "options.joint_names[7]"),
    case("empty-name", named(JOINTS[:6] + [""]), "WRONG_JOINT_NAMES",
         "options.joint_names[6]"))
def test_joint_names(client, call, code, reason, field):
    check_refusal(client, call, code, reason, field)


def test_a_thousand_wrong_joint_names_fit_into_the_error(client):
    # failure_of checks the size of the details.
    names = [f"{'very_' * 50}long_{i}" for i in range(1000)]
    failure = failure_of(client.dynamics.Compute, named(names))
    assert (failure.code, failure.reason) == (INVALID, "WRONG_JOINT_NAMES")


# --- Options -----------------------------------------------------------------


@table_of(
    *(case(f"gravity-{name}", request(options=options(gravity=numbers)),
           "INVALID_OPTION", field)
      for name, numbers, field in (
          ("nan", (0, NAN, 0), "options.terms.gravity[1]"),
          ("infinite", (0, 0, -INFINITY), "options.terms.gravity[2]"),
          ("of-2-numbers", (0, -9.81), "options.terms.gravity"),
          ("of-4-numbers", (0, 0, -9.81, 0), "options.terms.gravity"))),
    *(case(f"damping-{name}",
           task(singularity=pb.SINGULARITY_RULE_DAMPED, damping=mu),
           "INVALID_OPTION", "operational_space.damping")
      for name, mu in (("nan", NAN), ("infinite", INFINITY), ("zero", 0),
                       ("negative", -0.1))),
    case("damped-without-damping",
         task(singularity=pb.SINGULARITY_RULE_DAMPED), "INVALID_OPTION",
         "operational_space.damping"),
    case("damping-under-report",
         task(singularity=pb.SINGULARITY_RULE_REPORT, damping=0.1),
         "INVALID_OPTION", "operational_space.damping"),
    case("damping-without-rule", task(damping=0.1), "INVALID_OPTION",
         "operational_space.damping"),
    case("nan-damping-without-rule", task(damping=NAN), "INVALID_OPTION",
         "operational_space.damping"),
    *(case(f"rank-tolerance-{number}", task(rank_tolerance=number),
           "INVALID_OPTION", "operational_space.rank_tolerance")
      for number in (NAN, INFINITY, -1e-6, 1)),
    *(case(f"length-{number}", task(characteristic_length=number),
           "INVALID_OPTION", "operational_space.characteristic_length")
      for number in (NAN, INFINITY, 0, -1, 9e-31, 1.1e30)),
    case("an-axis-twice",
         task(axes=[pb.TASK_AXIS_LINEAR_X, pb.TASK_AXIS_LINEAR_Y,
                    pb.TASK_AXIS_LINEAR_X]),
         "INVALID_OPTION", "operational_space.axes[2]"),
    case("seven-axes", task(axes=[1, 2, 3, 4, 5, 6, 1]), "INVALID_OPTION",
         "operational_space.axes[6]"),
    case("an-unspecified-axis", task(axes=[pb.TASK_AXIS_UNSPECIFIED]),
         "INVALID_OPTION", "operational_space.axes[0]"),
    case("unknown-axis", task(axes=[7]), "INVALID_OPTION",
         "operational_space.axes[0]"),
    case("unknown-singularity-rule", task(singularity=9), "INVALID_OPTION",
         "operational_space.singularity"),
    case("unknown-reference-frame",
         request(options=options(reference_frame=4)), "INVALID_OPTION",
         "options.reference_frame"),
    case("unknown-encoding", request(options=options(encoding=17)),
         "INVALID_OPTION", "options.encoding"),
    case("unknown-wrench-frame",
         request(tip_wrench_on_environment=wrench([0] * 6, frame=-1)),
         "INVALID_FIELD", "tip_wrench_on_environment.reference_frame"),
    case("no-quantity", request([]), "INVALID_FIELD", "quantities"),
    case("unspecified-quantity", request([pb.QUANTITY_UNSPECIFIED]),
         "INVALID_FIELD", "quantities[0]"),
    case("unknown-quantity", request([ask.MASS_MATRIX, 99]), "INVALID_FIELD",
         "quantities[1]"),
    case("a-quantity-twice", request([ask.MASS_MATRIX, ask.MASS_MATRIX]),
         "INVALID_FIELD", "quantities[1]"))
def test_options_and_quantities(client, call, code, reason, field):
    check_refusal(client, call, code, reason, field)


# --- Frames ------------------------------------------------------------------

FORKED_Q = np.zeros((1, 2))
USING_THE_TIP = (
    ask.FRAME_POSE, ask.JACOBIAN, ask.JACOBIAN_DRIFT, ask.OPERATIONAL_SPACE,
    ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION, ask.JACOBIAN_RATE,
    ask.TASK_PROJECTION, ask.FORWARD_FRAME_ACCELERATION, ask.TASK_TORQUE)


@table_of(
    case("unknown", request([ask.JACOBIAN],
                            options=options(tip_frame="nowhere")),
         "UNKNOWN_FRAME", "options.tip_frame"),
    case("unknown-though-unused", request(
        [ask.MASS_MATRIX], options=options(tip_frame="nowhere")),
         "UNKNOWN_FRAME", "options.tip_frame"),
    *(case(f"required-for-{pb.Quantity.Name(quantity).lower()}",
           request([quantity], model="forked", q=FORKED_Q),
           "TIP_FRAME_REQUIRED", "options.tip_frame")
      for quantity in USING_THE_TIP),
    case("required-for-a-wrench", request(
        model="forked", q=FORKED_Q,
        tip_wrench_on_environment=wrench([0] * 6)),
         "TIP_FRAME_REQUIRED", "options.tip_frame"))
def test_frames(client, call, code, reason, field):
    check_refusal(client, call, code, reason, field)


def test_a_name_that_the_model_lacks_comes_with_the_nearest(client):
    call = request([ask.JACOBIAN], model="forked", q=FORKED_Q,
                   options=options(tip_frame="left_hnad"))
    failure = failure_of(client.dynamics.Compute, call)
    assert failure.metadata["candidates"].split(",")[0] == "left_hand"
    assert "no frame 'left_hnad'; did you mean left_hand" in failure.message
    (_, description), = failure.violations
    assert description in failure.message
    joints = list(client.dynamics.Compute(request(
        [ask.MASS_MATRIX], model="forked", q=FORKED_Q)).echo.joint_names)
    call = request([ask.MASS_MATRIX], model="forked", q=FORKED_Q,
                   options=options(joint_names=[joints[0] + "x", joints[1]]))
    failure = failure_of(client.dynamics.Compute, call)
    assert failure.metadata["candidates"].split(",")[0] == joints[0]
    assert f"did you mean {joints[0]}" in failure.message


def test_a_name_that_is_near_to_none_comes_with_those_that_there_are(client):
    call = request([ask.JACOBIAN], model="forked", q=FORKED_Q,
                   options=options(tip_frame="nowhere"))
    failure = failure_of(client.dynamics.Compute, call)
    names = failure.metadata["candidates"].split(",")
    assert failure.metadata["candidate_count"] == str(len(names))
    # Leaf links first.
    assert names[:2] == ["left_hand", "right_hand"]
    assert "; known are left_hand, right_hand, " in failure.message


def test_a_tip_that_must_be_named_is_one_of_the_candidates(client):
    call = request([ask.JACOBIAN], model="forked", q=FORKED_Q)
    failure = failure_of(client.dynamics.Compute, call)
    names = failure.metadata["candidates"].split(",")
    assert failure.metadata["candidate_count"] == str(len(names)) == "2"
    for name in names:
        assert name in failure.message
        call.options.tip_frame = name
        assert client.dynamics.Compute(call).rows_not_ok == 0


def test_a_branching_robot_needs_no_tip_for_what_uses_none(client):
    reply = client.dynamics.Compute(request(
        [q for q in ALL_QUANTITIES if q not in USING_THE_TIP], model="forked",
        q=FORKED_Q, tau=FORKED_Q))
    assert reply.rows_not_ok == 0
    assert reply.echo.tip_frame == ""
    named_tip = client.dynamics.Compute(request(
        [ask.JACOBIAN], model="forked", q=FORKED_Q,
        options=options(tip_frame="left_hand")))
    # The other arm's joint does not move this hand.
    assert not harness.matrices(named_tip.results.jacobian, 6)[0, :, 1].any()


# --- Rows --------------------------------------------------------------------


def rows_of(results, name):
    """All numbers of a result, one line per state."""
    if name in ("rank", "sigma_min", "rule"):
        return np.array(getattr(results, name))[:, None]
    return table(getattr(results, name))


@pytest.mark.parametrize("bad", [NAN, INFINITY, -INFINITY])
@pytest.mark.parametrize("name", [
    "q", "v", "a", "tau", "wrench", "task_acceleration", "null_space_torque"])
def test_a_number_that_is_not_finite_spoils_its_row_alone(client, name, bad):
    good = States(7, 9)
    clean = client.dynamics.Compute(everything_request("panda", good)).results
    spoilt = States(7, 9)
    getattr(spoilt, name)[4, 2] = bad
    reply = client.dynamics.Compute(everything_request("panda", spoilt))
    assert reply.rows_not_ok == 1
    status, = reply.row_status
    assert (status.row, status.code) == (4, pb.ROW_CODE_INVALID_INPUT)
    assert status.field == (
        "tip_wrench_on_environment" if name == "wrench" else name)
    assert status.joint == (
        "" if name in ("wrench", "task_acceleration") else "panda_joint3")
    assert status.value == bad or math.isnan(status.value) and math.isnan(bad)
    assert status.message
    others = np.arange(9) != 4
    for result in RESULT_ARRAYS:
        numbers = rows_of(reply.results, result)
        assert np.isnan(numbers[4]).all(), result
        assert same_bits(numbers[others], rows_of(clean, result)[others])
    for result in ("rank", "sigma_min"):
        assert same_bits(rows_of(reply.results, result)[others],
                         rows_of(clean, result)[others])
    assert reply.results.rule[4] == pb.TASK_RULE_UNDEFINED


@pytest.mark.parametrize("encoding", [VALUES, F32])
def test_a_bad_row_is_found_in_every_encoding(client, encoding):
    q = np.zeros((4, 7))
    q[1, 0] = NAN
    q[3, 6] = INFINITY
    reply = client.dynamics.Compute(
        request([ask.MASS_MATRIX], q=array(q, encoding)))
    assert [(s.row, s.joint) for s in reply.row_status] == [
        (1, "panda_joint1"), (3, "panda_joint7")]
    M = table(reply.results.mass_matrix)
    assert np.isnan(M).all(axis=1).tolist() == [False, True, False, True]


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


def test_bad_rows_are_named_by_joint_in_the_callers_order(client):
    order = JOINTS[::-1]
    q = np.zeros((2, 7))
    q[1, 0] = NAN
    reply = client.dynamics.Compute(request(
        [ask.MASS_MATRIX], q=q, options=options(joint_names=order)))
    status, = reply.row_status
    assert (status.row, status.joint) == (1, "panda_joint7")


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


def test_a_result_beyond_binary64_marks_its_row(client):
    a = np.zeros((2, 7))
    a[1] = 1.7e308
    v = np.zeros((2, 7))
    v[1] = 1e200
    reply = client.dynamics.Compute(request(q=Q[:2], v=v, a=a))
    status, = reply.row_status
    assert (status.row, status.code) == (1, pb.ROW_CODE_NOT_FINITE_RESULT)
    assert np.isnan(table(reply.results.tau)[1]).all()
    assert np.isfinite(table(reply.results.tau)[0]).all()


# --- Strange callers ---------------------------------------------------------


def test_unknown_methods_and_services(client):
    for method in ("/torqued.v1.Dynamics/Levitate",
                   "/torqued.v1.Nothing/Compute", "/"):
        failure = failure_of(client.raw_unary(method), b"")
        assert failure.code == grpc.StatusCode.UNIMPLEMENTED


NO_MESSAGES = (b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", b"\x0b\x0b")


@pytest.mark.parametrize("method", [
    "InverseDynamics", "MassMatrix", "ForwardDynamics", "OperationalSpace",
    "Compute"])
def test_bytes_that_are_no_request_of_dynamics(client, method):
    raw = client.raw_unary(f"/torqued.v1.Dynamics/{method}")
    for garbage in NO_MESSAGES:
        failure = failure_of(raw, garbage)
        assert failure.code == grpc.StatusCode.INVALID_ARGUMENT
        assert failure.reason == "INVALID_FIELD"
        assert f"no {method}Request" in failure.message


@pytest.mark.parametrize("method", [
    "ModelRegistry/RegisterModel", "ModelRegistry/ValidateModel",
    "ModelRegistry/GetModel", "ModelRegistry/ListModels",
    "ModelRegistry/DeleteModel", "ServerInfo/GetServerInfo"])
def test_bytes_that_are_no_request_of_the_registry(client, method):
    raw = client.raw_unary(f"/torqued.v1.{method}")
    name = method.rpartition("/")[2]
    for garbage in NO_MESSAGES:
        failure = failure_of(raw, garbage)
        assert failure.code == grpc.StatusCode.INVALID_ARGUMENT
        assert failure.reason == "INVALID_FIELD"
        assert f"no {name}Request" in failure.message


def test_connections_that_speak_something_else(module_server):
    host, port = module_server.address.rsplit(":", 1)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    frames = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
    for sent in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00" * 1000,
                 preface[:10], preface + b"\xff" * 500,
                 preface + frames + b"\x00\x40\x00\x01\x04\x00\x00\x00\x01"):
        with socket.create_connection((host, int(port)), timeout=5) as peer:
            peer.sendall(sent)
