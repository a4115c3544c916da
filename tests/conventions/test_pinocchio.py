"""docs/conventions.md on Pinocchio, against what Pinocchio answered."""

import json
import pathlib

import numpy as np
import pytest
import torqued

import page
from states import FRAMES, close

common = page.module("python")
RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" /
                       "pinocchio.json").read_text(encoding="utf-8"))
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
    return {"q": common.from_pinocchio(theirs["q"], NQS), "v": theirs["v"],
            "a": theirs["a"], "tau": theirs["tau"]}


def test_model(robot):
    assert RECORDED["version"] == "3.7.0"
    assert [joint["name"] for joint in RECORDED["joints"]] == list(
        robot.joint_names)
    # The mimic joint has a velocity of its own.
    assert RECORDED["nv"] == robot.nv == 4
    assert RECORDED["nq"] == sum(NQS) == 6
    close(RECORDED["gravity"][:3], [0, 0, -9.81])
    joints = {joint.name: joint for joint in robot.joints}
    close(RECORDED["damping"],
          [joints[name].damping for name in robot.joint_names])
    close(RECORDED["friction"],
          [joints[name].friction for name in robot.joint_names])
    assert max(RECORDED["friction"]) > 0


def test_configurations(robot, theirs):
    angles = common.from_pinocchio(theirs["q"], NQS)
    given = theirs.by_name("angle", robot.joint_names)
    close(common.to_pinocchio(given, NQS), theirs["q"])
    # But for whole turns of what turns on and on.
    turns = (angles - given) / (2 * np.pi)
    close(turns, np.round(turns))
    assert set(np.flatnonzero(np.round(turns))) <= {
        i for i, nq in enumerate(NQS) if nq == 2}
    close(RECORDED["neutral"], common.to_pinocchio(np.zeros(robot.nv), NQS))
    for kind in "v", "a", "tau":
        close(theirs[kind], theirs.by_name(kind, robot.joint_names))


def test_quaternions(robot):
    q = np.array(RECORDED["free_flyer"]["q"])
    T = np.array(RECORDED["free_flyer"]["oMi"])
    close(common.rotation(q[3:]), T[:3, :3])
    close(common.quaternion(T[:3, :3]), q[3:])
    close(q[:3], T[:3, 3])


def test_jacobians_and_twists(robot, theirs, s):
    close(robot.frame_pose(s["q"]), theirs["oMf"])
    for frame in FRAMES:
        of_frame = theirs[frame.upper()]
        close(robot.jacobian(s["q"], reference_frame=frame),
              common.swapped(of_frame["getFrameJacobian"], axis=-2))
        close(robot.frame_velocity(s["q"], s["v"], reference_frame=frame),
              common.swapped(of_frame["getFrameVelocity"]))


def test_jacobian_rates(robot, theirs, s):
    for frame in FRAMES:
        close(robot.jacobian_rate(s["q"], s["v"], reference_frame=frame),
              common.swapped(
                  theirs[frame.upper()]["getFrameJacobianTimeVariation"],
                  axis=-2))


def test_accelerations(robot, theirs, s):
    for frame in FRAMES:
        ours = robot.frame_acceleration(
            s["q"], s["v"], s["a"], reference_frame=frame)
        of_frame = theirs[frame.upper()]
        close(ours.spatial, common.swapped(of_frame["getFrameAcceleration"]))
        close(ours.classical,
              common.swapped(of_frame["getFrameClassicalAcceleration"]))


def test_bias_and_gravity(robot, theirs, s):
    close(robot.bias_forces(s["q"], s["v"]), theirs["nonLinearEffects"])
    close(robot.gravity_forces(s["q"]), theirs["computeGeneralizedGravity"])


def test_coriolis_matrix(robot, theirs, s):
    close(robot.coriolis_matrix(s["q"], s["v"]), theirs["computeCoriolisMatrix"])


def test_mass_matrix(robot, theirs, s):
    M = robot.mass_matrix(s["q"])
    close(M, theirs["crba"])
    in_cpp = theirs["crba_in_cpp"]
    # Data began as zeros, and below the diagonal it still is.
    assert not np.tril(in_cpp, -1).any()
    assert np.abs(np.tril(M, -1)).max() > 0.01
    close(common.symmetric_from_upper(in_cpp), M)


def test_dynamics(robot, theirs, s):
    close(robot.inverse_dynamics(s["q"], s["v"], s["a"]), theirs["rnea"])
    close(robot.forward_dynamics(s["q"], s["v"], s["tau"]), theirs["aba"], 1e-11)


def test_external_forces(robot, theirs, s):
    on_tool = common.swapped(theirs["force_on_tool_local"])
    on_hand = common.swapped(theirs["force_on_joint_of_tool"])
    tau, a = theirs["rnea_with_fext"], theirs["aba_with_fext"]
    for words in (
            {"external_wrenches": {"tool": on_tool}},
            {"external_wrenches": {"hand": on_hand}},
            {"tip_wrench": common.tip_wrench(on_tool)}):
        close(robot.inverse_dynamics(s["q"], s["v"], s["a"], **words), tau)
        close(robot.forward_dynamics(s["q"], s["v"], s["tau"], **words), a, 1e-11)
    # By the functions of the page: from the axes and origin of the tool to
    # those of the hand.
    T = np.linalg.inv(robot.frame_pose(s["q"], tip_frame="hand")) @ (
        robot.frame_pose(s["q"]))
    close(common.wrench_at(common.turned(on_tool, T[:3, :3]), -T[:3, 3]), on_hand)


def test_armature(robot, theirs, s):
    armature = theirs["armature"]
    close(common.with_armature(robot.mass_matrix(s["q"]), armature),
          theirs["crba_with_armature"])
    close(common.tau_with_armature(
        robot.inverse_dynamics(s["q"], s["v"], s["a"]), armature, s["a"]),
        theirs["rnea_with_armature"])
    a = theirs["aba_with_armature"]
    close(common.tau_with_armature(
        robot.inverse_dynamics(s["q"], s["v"], a), armature, a), s["tau"], 1e-11)


def test_inertias(client, robot):
    theirs = Record(RECORDED["inertia_of_forearm"])
    # As tree.urdf has it.
    roll, pitch, yaw = 0.1, 0.2, -0.3
    (cx, cy, cz), (sx, sy, sz) = np.cos([roll, pitch, yaw]), np.sin(
        [roll, pitch, yaw])
    R = (np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
         @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
         @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]))
    own = common.symmetric(0.006, -0.001, 0.0005, 0.04, 0.0007, 0.041)
    inertia = R @ own @ R.T
    mass, center = 2.2, [0.2, 0.01, 0.03]
    close(theirs["mass"], mass)
    close(theirs["lever"], center)
    close(theirs["inertia"], inertia)
    xx, xy, yy, xz, yz, zz = theirs["inertia_data"]
    close(common.symmetric(xx, xy, xz, yy, yz, zz), inertia)
    parameters = common.inertial_parameters(mass, center, inertia)
    close(theirs["toDynamicParameters"], parameters)
    close(common.about_origin(mass, np.array(center), inertia),
          theirs["matrix"][3:, 3:])
    # As a payload's six numbers, about its centre of mass in the link's axes.
    q = [0.3, -0.4, 0.5, 0.1]
    i = inertia
    loaded = robot.gravity_forces(q, payload=torqued.Payload(
        mass, "forearm", center,
        [i[0, 0], i[0, 1], i[0, 2], i[1, 1], i[1, 2], i[2, 2]]))
    Y = robot.regressor(q)[:, 10:20]
    close(loaded - robot.gravity_forces(q), Y @ parameters)
    a = [1.0, 2.0, -1.0, 0.5]
    payload = torqued.Payload(mass, "forearm", center, [
        i[0, 0], i[0, 1], i[0, 2], i[1, 1], i[1, 2], i[2, 2]])
    close(robot.inverse_dynamics(q, a=a, payload=payload)
          - robot.inverse_dynamics(q, a=a),
          robot.regressor(q, a=a)[:, 10:20] @ parameters)


def test_regressor(robot, theirs, s):
    close(robot.regressor(s["q"], s["v"], s["a"]),
          theirs["computeJointTorqueRegressor"])
