"""docs/conventions.md on Pinocchio, against what Pinocchio answered."""

import json

import numpy as np
import pytest
import torqued
from torqued import convert

from setting import FRAMES, URDF, body, close

RECORDED = json.loads((URDF.parent / "recorded" / "pinocchio.json").read_text(
    encoding="utf-8"))
NQS = [joint["nq"] for joint in RECORDED["joints"]]


class Record:
    """Arrays of a state, by the names of the file."""

    def __init__(self, numbers):
        self._numbers = numbers

    def __getitem__(self, name):
        found = self._numbers[name]
        return Record(found) if isinstance(found, dict) else np.array(found)

    def by_name(self, kind, names):
        return np.array([self._numbers[kind + "_by_name"][name]
                         for name in names])


@pytest.fixture(params=range(len(RECORDED["states"])), name="theirs")
def recorded_state(request):
    return Record(RECORDED["states"][request.param])


@pytest.fixture(name="s")
def state(theirs):
    """q, v, a, tau of ours, by the page's conversion."""
    return (convert.from_pinocchio(theirs["q"], NQS), theirs["v"], theirs["a"],
            theirs["tau"])


def test_model(robot):
    assert RECORDED["version"] == "3.7.0"
    assert [joint["name"] for joint in RECORDED["joints"]] == list(
        robot.joint_names)
    # The mimic joint has a velocity of its own.
    assert RECORDED["nv"] == robot.nv == 4
    assert RECORDED["nq"] == sum(NQS) == 6
    close(RECORDED["gravity"][:3], [0, 0, -9.81])
    joints = {joint.name: joint for joint in robot.joints}
    for kind in "damping", "friction":
        close(RECORDED[kind],
              [getattr(joints[name], kind) for name in robot.joint_names])
    assert max(RECORDED["friction"]) > 0


def test_configurations(robot, theirs):
    angles = convert.from_pinocchio(theirs["q"], NQS)
    given = theirs.by_name("angle", robot.joint_names)
    close(convert.to_pinocchio(given, NQS), theirs["q"])
    # But for whole turns of what turns on and on.
    turns = (angles - given) / (2 * np.pi)
    close(turns, np.round(turns))
    assert set(np.flatnonzero(np.round(turns))) <= {
        i for i, nq in enumerate(NQS) if nq == 2}
    close(RECORDED["neutral"], convert.to_pinocchio(np.zeros(robot.nv), NQS))
    for kind in "v", "a", "tau":
        close(theirs[kind], theirs.by_name(kind, robot.joint_names))


def test_quaternions():
    q = np.array(RECORDED["free_flyer"]["q"])
    T = np.array(RECORDED["free_flyer"]["oMi"])
    close(convert.rotation(q[3:]), T[:3, :3])
    close(convert.quaternion(T[:3, :3]), q[3:])
    close(q[:3], T[:3, 3])


def test_motion_of_the_tip(robot, theirs, s):
    q, v, a, _ = s
    close(robot.frame_pose(q), theirs["oMf"])
    for frame in FRAMES:
        acceleration = robot.frame_acceleration(q, v, a, reference_frame=frame)
        for ours, name in (
                (robot.jacobian(q, reference_frame=frame), "Jacobian"),
                (robot.jacobian_rate(q, v, reference_frame=frame),
                 "JacobianTimeVariation"),
                (robot.frame_velocity(q, v, reference_frame=frame), "Velocity"),
                (acceleration.frame_acceleration, "Acceleration"),
                (acceleration.frame_acceleration_classical, "ClassicalAcceleration")):
            expected = theirs[frame.upper()]["getFrame" + name]
            close(ours, convert.swapped(expected,
                                       axis=-2 if expected.ndim > 1 else -1))


def test_equation_of_motion(robot, theirs, s):
    q, v, a, tau = s
    M = robot.mass_matrix(q)
    for ours, name in (
            (robot.bias_forces(q, v), "nonLinearEffects"),
            (robot.gravity_forces(q), "computeGeneralizedGravity"),
            (robot.coriolis_matrix(q, v), "computeCoriolisMatrix"),
            (robot.regressor(q, v, a), "computeJointTorqueRegressor"),
            (robot.inverse_dynamics(q, v, a), "rnea"), (M, "crba")):
        close(ours, theirs[name])
    close(robot.forward_dynamics(q, v, tau), theirs["aba"], 1e-11)
    in_cpp = theirs["crba_in_cpp"]
    # Data began as zeros, and below the diagonal it still is.
    assert not np.tril(in_cpp, -1).any()
    assert np.abs(np.tril(M, -1)).max() > 0.01
    close(np.triu(in_cpp) + np.triu(in_cpp, 1).T, M)


def test_external_forces(robot, theirs, s):
    q, v, a, tau = s
    on_tool = convert.swapped(theirs["force_on_tool_local"])
    on_hand = convert.swapped(theirs["force_on_joint_of_tool"])
    for words in (
            {"external_wrenches_on_robot": {"tool": on_tool}},
            {"external_wrenches_on_robot": {"hand": on_hand}},
            {"tip_wrench_on_environment": -on_tool}):
        close(robot.inverse_dynamics(q, v, a, **words), theirs["rnea_with_fext"])
        close(robot.forward_dynamics(q, v, tau, **words),
              theirs["aba_with_fext"], 1e-11)
    # From the axes and origin of the tool to
    # those of the hand.
    T = np.linalg.inv(robot.frame_pose(q, tip_frame="hand")) @ (
        robot.frame_pose(q))
    close(convert.wrench_at(convert.turned(on_tool, T[:3, :3]), -T[:3, 3]), on_hand)


def test_armature(robot, theirs, s):
    q, v, a, tau = s
    armature, given = theirs["armature"], theirs["aba_with_armature"]
    close(robot.mass_matrix(q) + np.diag(armature),
          theirs["crba_with_armature"])
    close(robot.inverse_dynamics(q, v, a) + armature * a, theirs["rnea_with_armature"])
    close(robot.inverse_dynamics(q, v, given) + armature * given, tau, 1e-11)


def test_inertias(robot):
    theirs = Record(RECORDED["inertia_of_forearm"])
    forearm = body("forearm")
    parameters = convert.inertial_parameters(*forearm)
    xx, xy, yy, xz, yz, zz = theirs["inertia_data"]
    for ours, expected in (
            (theirs["mass"], forearm.mass), (theirs["lever"], forearm.center),
            (theirs["inertia"], forearm.inertia),
            ([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], forearm.inertia),
            (theirs["toDynamicParameters"], parameters),
            (convert.about_origin(*forearm), theirs["matrix"][3:, 3:])):
        close(ours, expected)
    # As a payload's six numbers, about its centre of mass in the link's axes.
    payload = torqued.Payload(mass=forearm.mass, frame="forearm",
                              center_of_mass=forearm.center,
                              inertia=forearm.six())
    q = [0.3, -0.4, 0.5, 0.1]
    for quantity, more in ((robot.gravity_forces, {}),
                           (robot.inverse_dynamics, {"a": [1.0, 2.0, -1.0, 0.5]})):
        close(quantity(q, payload=payload, **more) - quantity(q, **more),
              robot.regressor(q, **more)[:, 10:20] @ parameters)
