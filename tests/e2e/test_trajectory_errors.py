"""What cannot be checked is refused by name, and in time."""

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


def drive(**fields):
    return first_message(drives=[pb.Drive(dof=JOINT, **fields)])


def positions(**fields):
    return first_message(
        position_limits=[pb.PositionLimits(coordinate=JOINT, **fields)])


def profile(*points):
    return first_message(tip_wrench_profile=[
        pb.WrenchPoint(time=time, wrench=wrench) for time, wrench in points])


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
    "joint of a limit": (
        "INVALID_OPTION", ["start.position_limits[0].coordinate"], [first_message(
            position_limits=[pb.PositionLimits(coordinate="elbow")])]),
    "drive twice": ("INVALID_OPTION", ["start.drives[1].dof"], [first_message(
        drives=[pb.Drive(dof=JOINT), pb.Drive(dof=JOINT)])]),
    "joint of the columns alone": (
        "WRONG_JOINT_NAMES", ["start.options.joint_names[0]"], [first_message(
            options=dynamics.Options(joint_names=["x"] * 7),
            drives=[pb.Drive(dof="x")])]),
    "joint that the columns lack": (
        "WRONG_JOINT_NAMES", ["start.options.joint_names"], [first_message(
            options=dynamics.Options(joint_names=["panda_joint1"]),
            drives=[pb.Drive(dof=JOINT)])]),
    "negative velocity": ("INVALID_OPTION", ["start.drives[0].velocity_limit"], [
        drive(velocity_limit=-1)]),
    "infinite effort": ("INVALID_OPTION", ["start.drives[0].effort_limit"], [
        drive(effort_limit=float("inf"))]),
    "lower above upper": ("INVALID_OPTION", ["start.position_limits[0].lower"], [
        positions(lower=1, upper=0)]),
    "speeds that fall": ("INVALID_OPTION", ["start.drives[0].torque_speed"], [
        drive(torque_speed=[{"speed": 2, "torque": 1}, {"speed": 1, "torque": 2}])]),
    "joint of a drive": ("INVALID_OPTION", ["start.drives[0].dof"], [
        first_message(drives=[pb.Drive(dof="x")])]),
    "negative armature": ("INVALID_OPTION", ["start.drives[0].armature"], [
        drive(armature=-1)]),
    "five numbers of a wrench": (
        "INVALID_OPTION", ["start.tip_wrench_profile[0].wrench"], [
            profile((0, [0] * 5))]),
    "wrench profile whose time stands still": (
        "INVALID_OPTION", ["start.tip_wrench_profile[1].time"], [
            profile((0, [0] * 6), (0, [0] * 6))]),
    "wrench profile that is not finite": (
        "INVALID_OPTION", ["start.tip_wrench_profile[0].wrench"], [
            profile((0, [np.nan] * 6))]),
    "wrench profile that ends too early": ("INVALID_SAMPLE", ["time[26]"], [
        profile((MOTION.time[0, 0], [0] * 6), (MOTION.time[25, 0], [0] * 6)),
        samples()]),
    "wrench profile beside wrenches": (
        "INVALID_OPTION", ["samples.tip_wrench_on_environment"], [
            profile((0, [0] * 6)), samples(
                tip_wrench_on_environment=MOTION.tip_wrench_on_environment)]),
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
        "INVALID_OPTION", ["start.position_limits[1].lower"], [first_message(
            position_limits=[
                pb.PositionLimits(coordinate="panda_joint7"),
                pb.PositionLimits(coordinate=JOINT, lower=0.2)])]),
    "upper below the model's lower": (
        "INVALID_OPTION", ["start.position_limits[0].upper"], [positions(upper=-4)]),
}


# Row, counted over all messages, and joint.
PLACES = {
    "negative velocity": (None, JOINT), "time stands still": ("50", None),
    "a number": ("7", JOINT), "another number": ("49", "panda_joint7"),
    "a number of a wrench": ("50", None)}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_names_reason_and_field(client, name):
    reason, fields, messages = REFUSALS[name]
    failure = refused(client, *messages)
    assert (failure.reason, failure.fields) == (reason, fields)
    if name in PLACES:
        assert PLACES[name] == tuple(map(failure.metadata.get, ("row", "joint")))
    # The sentence has the path that the field has.
    for field, sentence in failure.violations:
        if sentence in failure.message and ": " in failure.message:
            assert failure.message.startswith(f"{field}: ")
    assert failure.code == (
        grpc.StatusCode.NOT_FOUND if reason == "MODEL_NOT_FOUND" else INVALID)


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


def messages(motion, size=100):
    return [first_message(), *motion.messages(size)]


def test_a_cancelled_check_makes_room_at_once(start):
    server = start("--max-inflight-streams", 1,
                   models=harness.example_models())
    motion = Motion.swinging(7, 300_000)
    with harness.Client(server.address) as client:
        call = client.trajectories.CheckTrajectory(
            iter(messages(motion, 20_000)))
        next(call)
        assert refused(client, *messages(MOTION)).reason == "OVERLOADED"
        call.cancel()
        assert harness.once_there_is_room(
            lambda: check(client, MOTION)).verdict.samples == 50
    assert server.stop() == 0
    assert "outcome=CANCELLED" in server.log()


def test_a_server_that_stops_refuses_more_samples(start):
    server = start(models=harness.example_models())
    with harness.Client(server.address) as client:
        release = []

        def held():
            yield from messages(MOTION)
            server.terminate()
            while not release:
                time.sleep(0.01)

        failure = harness.failure_of(lambda: list(
            client.trajectories.CheckTrajectory(held())))
        release.append(True)
        assert failure.code == grpc.StatusCode.UNAVAILABLE
        assert failure.reason == "DRAINING"
    assert server.wait() == 0


def test_a_check_under_way_is_completed_while_the_server_stops(start):
    server = start(models=harness.example_models())
    motion = Motion.swinging(7, 200_000)
    with harness.Client(server.address) as client:
        call = client.trajectories.CheckTrajectory(
            iter(messages(motion, 20_000)))
        replies = [next(call)]
        server.terminate()
        replies += call
        assert replies[-1].verdict.samples == 200_000
    assert server.wait() == 0
