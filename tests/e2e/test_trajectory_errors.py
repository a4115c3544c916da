"""What cannot be checked is refused by name, and in time."""

import dataclasses
import re
import threading
import time

import grpc
import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as dynamics
from torqued.v1 import trajectory_pb2 as pb

import harness
from harness import array
from trajectories import Motion, check, refused
from trajectories import start as first_message

MOTION = Motion.swinging(7, 50, wrench=True)
INVALID = grpc.StatusCode.INVALID_ARGUMENT


def samples(**arrays):
    """A good message but for what is named; None: left out."""
    parts = {name: array(getattr(MOTION, name)) for name in (
        "time", "q", "v", "a")}
    parts |= {name: None if numbers is None else array(numbers)
              for name, numbers in arrays.items()}
    return pb.CheckTrajectoryRequest(samples=pb.TrajectorySamples(**parts))


def spoilt(name, row, column, number):
    numbers = getattr(MOTION, name).copy()
    numbers[row, column] = number
    return samples(**{name: numbers})


def bound(**fields):
    return first_message(bounds=[pb.JointBounds(**fields)])


JOINT = "panda_joint4"
REFUSALS = {
    "no model": (
        "MODEL_NOT_FOUND", [], [first_message("nobody")]),
    "no start": ("INVALID_FIELD", ["start"], [samples()]),
    "nothing": ("INVALID_FIELD", ["start"], []),
    "two starts": ("INVALID_FIELD", ["start"], [first_message(), first_message()]),
    "empty message": (
        "INVALID_FIELD", ["start"], [first_message(), pb.CheckTrajectoryRequest()]),
    "both": ("INVALID_FIELD", ["samples"], [pb.CheckTrajectoryRequest(
        start=pb.CheckTrajectoryStart(model="panda"),
        samples=pb.TrajectorySamples())]),
    "no samples": ("MISSING_INPUT", ["samples"], [first_message()]),
    "fail_fast": ("INVALID_OPTION", ["start.options.fail_fast"], [
        first_message(options=dynamics.Options(fail_fast=True))]),
    "external wrenches": (
        "INVALID_OPTION", ["start.options.external_wrenches"], [
            first_message(options=dynamics.Options(
                external_wrenches=[dynamics.WrenchPlace()]))]),
    "tip frame": ("UNKNOWN_FRAME", ["start.options.tip_frame"], [
        first_message(options=dynamics.Options(tip_frame="nowhere"))]),
    "joint of a bound": (
        "INVALID_OPTION", ["start.bounds[0].joint"], [bound(joint="elbow")]),
    "bound twice": ("INVALID_OPTION", ["start.bounds[1].joint"], [first_message(
        bounds=[pb.JointBounds(joint=JOINT), pb.JointBounds(joint=JOINT)])]),
    "joint of the columns alone": (
        "WRONG_JOINT_NAMES", ["start.options.joint_names[0]"], [first_message(
            options=dynamics.Options(joint_names=["x"] * 7),
            bounds=[pb.JointBounds(joint="x")])]),
    "joint that the columns lack": (
        "WRONG_JOINT_NAMES", ["start.options.joint_names"], [first_message(
            options=dynamics.Options(joint_names=["panda_joint1"]),
            drives=[pb.JointDrive(joint=JOINT)])]),
    "negative velocity": ("INVALID_OPTION", ["start.bounds[0].velocity"], [
        bound(joint=JOINT, velocity=-1)]),
    "infinite effort": ("INVALID_OPTION", ["start.bounds[0].effort"], [
        bound(joint=JOINT, effort=float("inf"))]),
    "lower above upper": ("INVALID_OPTION", ["start.bounds[0].lower"], [
        bound(joint=JOINT, lower=1, upper=0)]),
    "speeds without torques": (
        "INVALID_OPTION", ["start.bounds[0].torques"], [
            bound(joint=JOINT, speeds=[1, 2], torques=[1])]),
    "speeds that fall": ("INVALID_OPTION", ["start.bounds[0].speeds"], [
        bound(joint=JOINT, speeds=[2, 1], torques=[1, 2])]),
    "joint of a drive": ("INVALID_OPTION", ["start.drives[0].joint"], [
        first_message(drives=[pb.JointDrive(joint="x")])]),
    "negative armature": ("INVALID_OPTION", ["start.drives[0].armature"], [
        first_message(drives=[pb.JointDrive(joint=JOINT, armature=-1)])]),
    "derating": (
        "INVALID_OPTION", ["start.derating"], [first_message(derating=1.5)]),
    "no derating at all": (
        "INVALID_OPTION", ["start.derating"], [first_message(derating=0)]),
    "gap": ("INVALID_OPTION", ["start.merge_gap"], [first_message(merge_gap=-1)]),
    "method": ("INVALID_OPTION", ["start.derive"], [first_message(derive=77)]),
    "table": ("INVALID_FIELD", ["start.tables[0]"], [first_message(tables=[99])]),
    "table twice": ("INVALID_FIELD", ["start.tables[1]"], [
        first_message(tables=[1, 1])]),
    "table of no space": ("INVALID_FIELD", ["start.tables[0]"], [
        first_message(tables=[pb.TRAJECTORY_TABLE_SIGMA_MIN])]),
    "columns": ("WRONG_COLUMN_COUNT", ["samples.q"], [
        first_message(), samples(q=np.zeros((50, 6)))]),
    "rows": ("WRONG_ROW_COUNT", ["samples.v"], [
        first_message(), samples(v=np.zeros((49, 7)))]),
    "no time": ("MISSING_INPUT", ["samples.time"], [
        first_message(), samples(time=None)]),
    "no positions": ("MISSING_INPUT", ["samples.q"], [
        first_message(), samples(q=None)]),
    "no accelerations": ("MISSING_INPUT", ["samples.a"], [
        first_message(), samples(a=None)]),
    "no rates": ("MISSING_INPUT", ["samples.v"], [
        first_message(), samples(v=None, a=None)]),
    "nothing to derive": ("INVALID_OPTION", ["start.derive"], [
        first_message(derive=pb.DIFFERENTIATION_CUBIC_SPLINE), samples()]),
    "too few to derive": ("MISSING_INPUT", ["samples.q"], [
        first_message(derive=pb.DIFFERENTIATION_QUINTIC_SPLINE),
        samples(time=MOTION.time[:5], q=MOTION.q[:5], v=None, a=None)]),
    "an array that stops": ("MISSING_INPUT", ["samples.v"], [
        first_message(), samples(), samples(v=None)]),
    "an array that begins": (
        "INVALID_FIELD", ["samples.tip_wrench_on_environment"], [
            first_message(), samples(),
            samples(tip_wrench_on_environment=np.zeros((50, 6)))]),
    "time stands still": ("INVALID_SAMPLE", ["time[50]"], [
        first_message(), samples(), samples(time=MOTION.time + MOTION.time[-1])]),
    "a number": ("INVALID_SAMPLE", ["q[7][3]"], [
        first_message(), spoilt("q", 7, 3, np.nan)]),
    "another number": ("INVALID_SAMPLE", ["a[49][6]"], [
        first_message(), spoilt("a", 49, 6, np.inf)]),
    "a number of a wrench": (
        "INVALID_SAMPLE", ["tip_wrench_on_environment[50][2]"], [
            first_message(),
            samples(tip_wrench_on_environment=
                    MOTION.tip_wrench_on_environment),
            samples(time=MOTION.time + MOTION.time[-1] + 1,
                    tip_wrench_on_environment=np.where(
                        np.arange(6) == 2, np.inf, np.zeros((50, 6))))]),
    "torques overflow": ("INVALID_SAMPLE", ["samples"], [
        first_message(), samples(a=np.full((50, 7), 1.7e308))]),
    "squares overflow": ("INVALID_SAMPLE", ["samples"], [
        first_message(), samples(a=np.full((50, 7), 1e200))]),
    "the duration overflows": ("INVALID_SAMPLE", ["time[49]"], [
        first_message(), samples(time=np.linspace(-1.7e308, 0, 50)[:, None]
                                 + np.eye(50)[:, 49:] * 1.7e308)]),
    "lower above the model's upper": (
        "INVALID_OPTION", ["start.bounds[1].lower"], [first_message(bounds=[
            pb.JointBounds(joint="panda_joint7"),
            pb.JointBounds(joint=JOINT, lower=0.2)])]),
    "upper below the model's lower": (
        "INVALID_OPTION", ["start.bounds[0].upper"], [
            bound(joint=JOINT, upper=-4)]),
}
# Row, counted over all messages, and joint, where a refusal has them.
PLACES = {
    "joint of a bound": (None, "elbow"), "bound twice": (None, JOINT),
    "negative velocity": (None, JOINT), "infinite effort": (None, JOINT),
    "lower above upper": (None, JOINT),
    "speeds without torques": (None, JOINT),
    "speeds that fall": (None, JOINT), "joint of a drive": (None, "x"),
    "negative armature": (None, JOINT), "time stands still": ("50", None),
    "a number": ("7", JOINT), "another number": ("49", "panda_joint7"),
    "a number of a wrench": ("50", None), "torques overflow": ("0", None),
    "squares overflow": ("0", "panda_joint1"),
    "the duration overflows": ("49", None),
    "lower above the model's upper": (None, JOINT),
    "upper below the model's lower": (None, JOINT),
}


CUBIC = pb.DIFFERENTIATION_CUBIC_SPLINE
QUINTIC = pb.DIFFERENTIATION_QUINTIC_SPLINE


def times(row, seconds):
    """Those of the motion, but later from that row on."""
    time = MOTION.time.copy()
    time[row:] += seconds
    return time


@pytest.mark.parametrize("derive", [CUBIC, QUINTIC])
@pytest.mark.parametrize("field, arrays", [
    ("time[7]", {"time": times(7, -1)}),
    ("time[5]", {"time": times(5, np.nan)}),
    ("time[9]", {"time": times(9, np.inf)}),
    ("time[1]", {"time": MOTION.time[::-1].copy()}),
    ("q[7][3]", {"q": np.where(np.arange(350).reshape(50, 7) == 7 * 7 + 3,
                               np.nan, MOTION.q)}),
])
def test_what_cannot_be_derived_is_named_as_without(
        client, derive, field, arrays):
    failure = refused(client, first_message(derive=derive),
                      samples(v=None, a=None, **arrays))
    assert (failure.reason, failure.fields) == ("INVALID_SAMPLE", [field])
    assert failure.metadata["row"] == field.split("[")[1].rstrip("]")
    assert failure.metadata.get("joint") == (
        JOINT if field.startswith("q") else None)


def test_steps_too_uneven_for_a_spline_are_named(client):
    # From about 0.06 s to 6 ms, or 0.6 us.
    time = np.arange(50.0)[:, None] / 16
    for derive, ratio in ((CUBIC, 1e5), (QUINTIC, 1e3)):
        time[20:] = time[19] + (1 + np.arange(30.0))[:, None] / 16
        for share, passes in ((0.9, True), (1.1, False)):
            time[30:] = (time[29] + 1 / (16 * share * ratio)
                         + np.arange(20.0)[:, None] / 16)
            messages = (first_message(derive=derive),
                        samples(time=time, v=None, a=None))
            if passes:
                list(client.trajectories.CheckTrajectory(iter(messages)))
                continue
            failure = refused(client, *messages)
            assert failure.reason == "INVALID_SAMPLE"
            assert failure.fields == ["time[30]"]
            assert failure.metadata["row"] == "30"
            assert "uneven" in failure.message


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_names_reason_and_field(client, name):
    reason, fields, messages = REFUSALS[name]
    failure = refused(client, *messages)
    assert (failure.reason, failure.fields) == (reason, fields)
    assert (failure.metadata.get("row"), failure.metadata.get("joint")) == (
        PLACES.get(name, (None, None)))
    # The sentence has the path that the field has.
    for field, sentence in failure.violations:
        if sentence in failure.message and ": " in failure.message:
            assert failure.message.startswith(f"{field}: ")
    assert failure.code == (
        grpc.StatusCode.NOT_FOUND if reason == "MODEL_NOT_FOUND" else INVALID)


def test_bytes_that_are_no_request_are_told(client):
    call = client.channel.stream_stream(
        "/torqued.v1.Trajectories/CheckTrajectory")
    failure = harness.failure_of(
        lambda: list(call(iter([b"\xff\xff\xff"]), timeout=10)))
    assert (failure.code, failure.reason) == (INVALID, "INVALID_FIELD")


def test_what_never_fits_is_told(start):
    server = start("--max-inflight-bytes", 400_000,
                   models=harness.example_models())
    motion = Motion.swinging(7, 2000)
    with harness.Client(server.address) as client:
        failure = refused(client, *messages(motion))
        assert failure.reason == "REQUEST_TOO_LARGE"
        # The memory is given back.
        small = Motion.swinging(7, 200)
        for _ in range(20):
            assert check(client, small).verdict.samples == 200


@pytest.mark.parametrize("samples, fields", [
    # 22 numbers of 16 bytes: time, q, v and a.
    (400, {}),
    # A table of torques, seven numbers.
    (145, {"tables": [pb.TRAJECTORY_TABLE_TAU]}),
    # Time and q, and 64 bytes a joint and 512 a sample for the spline.
    (250, {"derive": CUBIC}),
])
def test_what_a_trajectory_takes_is_told(start, samples, fields):
    server = start("--max-inflight-bytes", 170_000,
                   models=harness.example_models())
    motion = Motion.swinging(7, samples)
    if "derive" in fields:
        motion = motion.positions()
    with harness.Client(server.address) as client:
        failure = refused(
            client, first_message(**fields), *motion.messages(20))
        assert failure.reason == "REQUEST_TOO_LARGE"
        # A client has half.
        assert int(re.search(r" takes (\d+) bytes", failure.message)[1]) > 85_000
        assert failure.metadata["limit"] == "85000"


def messages(motion, size=100):
    return [first_message(), *motion.messages(size)]


def eventually(attempt, seconds=20):
    """Its result, once it is not refused for want of room."""
    until = time.monotonic() + seconds
    while True:
        try:
            return attempt()
        except grpc.RpcError as error:
            if time.monotonic() > until:
                raise
            assert harness.Failure.of(error).reason == "OVERLOADED"
            time.sleep(0.01)


def test_a_cancelled_check_makes_room_at_once(start):
    server = start("--max-inflight-streams", 1,
                   models=harness.example_models())
    motion = Motion.swinging(7, 300_000)
    with harness.Client(server.address) as client:
        call = client.trajectories.CheckTrajectory(
            iter(messages(motion, 20_000)))
        next(call)
        assert failure_reason(client) == "OVERLOADED"
        call.cancel()
        assert eventually(
            lambda: check(client, MOTION)).verdict.samples == 50
    assert server.stop() == 0
    assert "outcome=CANCELLED" in server.log()


def failure_reason(client):
    return refused(client, *messages(MOTION)).reason


def test_who_hears_of_the_end_finds_the_place_free(start):
    server = start("--max-inflight-streams", 1,
                   models=harness.example_models())
    with harness.Client(server.address) as client:
        for _ in range(300):
            assert check(client, MOTION).verdict.samples == 50


def test_checks_leave_others_half_of_the_room(start):
    limit = 8 << 20
    server = start("--max-inflight-bytes", limit,
                   models=harness.example_models())
    # 22 numbers of 16 bytes a sample: 56 % of half of the room. The results of
    # the steps take half as much again.
    held = Motion.swinging(7, int(0.28 * limit / (22 * 16)))
    release = threading.Event()

    def waiting(sent):
        yield from messages(held, 1000)
        sent.set()
        release.wait(30)

    states = np.zeros((10_000, 7))
    with harness.Client(server.address) as client:
        calls = []
        for _ in range(2):
            sent = threading.Event()
            calls.append(client.trajectories.CheckTrajectory(waiting(sent)))
            sent.wait(2)  # the second may be refused before
        # There is memory for one of them, mostly for the first.
        until = time.monotonic() + 20
        while not any(call.done() for call in calls):
            assert time.monotonic() < until
            time.sleep(0.01)
        calls.sort(key=lambda call: call.done())
        assert harness.failure_of(
            lambda: list(calls[1])).reason == "OVERLOADED"
        # Other clients have the other half.
        with harness.Client(server.address) as other:
            reply = other.dynamics.Compute(dynamics.ComputeRequest(
                model="panda", quantities=[dynamics.QUANTITY_INVERSE_DYNAMICS],
                q=array(states)))
        assert len(reply.results.tau.f64) == states.nbytes
        release.set()
        assert list(calls[0])[-1].verdict.samples == len(held.time)


def test_a_server_that_stops_refuses_more_samples(start):
    server = start(models=harness.example_models())
    with harness.Client(server.address) as client:
        release = []

        def held():
            yield from messages(MOTION)
            server.terminate()
            while not release:
                time.sleep(0.01)

        failure = refused_by(client, held())
        release.append(True)
        assert failure.code == grpc.StatusCode.UNAVAILABLE
        assert failure.reason == "DRAINING"
    assert server.wait() == 0


def refused_by(client, stream):
    call = client.trajectories.CheckTrajectory(stream)
    return harness.failure_of(lambda: list(call))


def test_a_check_under_way_is_completed_while_the_server_stops(start):
    server = start(models=harness.example_models())
    motion = dataclasses.replace(Motion.swinging(7, 200_000))
    with harness.Client(server.address) as client:
        call = client.trajectories.CheckTrajectory(
            iter(messages(motion, 20_000)))
        replies = [next(call)]
        server.terminate()
        replies += call
        assert replies[-1].verdict.samples == 200_000
    assert server.wait() == 0
