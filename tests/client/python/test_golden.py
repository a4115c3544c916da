"""Robots of the world against vectors of another library, where they are there:
a directory `shared` beside the repository."""

import json
import warnings

import numpy as np
import pytest
import torqued
from conftest import SOURCE

SHARED = SOURCE.parent / "shared"
ROBOTS = ("ur5_robot", "panda", "z1", "double_pendulum", "allegro_right_hand")
FRAMES = {"local": "local", "lwa": "local_world_aligned", "world": "world"}
FORWARD = 1e-9  # solves with M

pytestmark = pytest.mark.skipif(
    not (SHARED / "golden").is_dir(),
    reason=f"there are no golden vectors in {SHARED}")


@pytest.fixture(scope="module")
def client():
    with torqued.local() as connected:
        yield connected


class Golden:
    """A robot and its samples, [state, ...]."""

    def __init__(self, client, name):
        self.data = json.loads(
            (SHARED / "golden" / f"{name}.json").read_text(encoding="utf-8"))
        self.samples = self.data["samples"]
        urdf = next((SHARED / "robots").rglob(f"{name}.urdf"))
        self.robot = client.register(name, urdf).with_options(
            joint_names=[joint["name"] for joint in self.data["joints"]],
            tip_frame=self.data["tip_frame"])

    def __getitem__(self, field):
        return np.array([sample[field] for sample in self.samples], float)


@pytest.fixture(scope="module", params=ROBOTS)
def golden(request, client):
    return Golden(client, request.param)


def close(got, expected, tolerance=1e-11):
    got = np.asarray(got).reshape(len(expected), -1)
    expected = expected.reshape(len(expected), -1)
    scale = np.fmax(np.abs(expected).max(axis=1, keepdims=True), 1)
    assert (np.abs(got - expected) / scale).max() < tolerance


def test_dynamics(golden):
    g, robot = golden, golden.robot
    q, v, a, tau = g["q"], g["v"], g["a"], g["tau"]
    close(robot.inverse_dynamics(q, v, a), g["tau_id"])
    close(robot.bias_forces(q, v), g["nle"])
    close(robot.gravity_forces(q), g["gravity_torque"])
    close(robot.mass_matrix(q), g["M"])
    close(robot.coriolis_matrix(q, v), g["C"])
    close(robot.forward_dynamics(q, v, tau), g["qdd_fd"], FORWARD)
    energy, center = robot.energy(q, v), robot.center_of_mass(q, v)
    close(energy.kinetic, g["kinetic_energy"])
    close(energy.potential, g["potential_energy"])
    close(center.position, g["com"])
    close(center.velocity, g["com_velocity"])


def test_derivatives(golden):
    g, robot = golden, golden.robot
    by = robot.inverse_dynamics_derivatives(g["q"], g["v"], g["a"])
    close(by.dtau_dq, g["dtau_dq"])
    close(by.dtau_dv, g["dtau_dv"])
    by = robot.forward_dynamics_derivatives(g["q"], g["v"], g["tau"])
    close(by.da_dq, g["ddq_dq"], FORWARD)
    close(by.da_dv, g["ddq_dv"], FORWARD)
    close(by.da_dtau, g["ddq_dtau"], FORWARD)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_tip(golden, frame):
    g, q, v, a = golden, golden["q"], golden["v"], golden["a"]
    robot = golden.robot.with_options(reference_frame=FRAMES[frame])
    close(robot.jacobian(q), g[f"J_{frame}"])
    close(robot.jacobian_rate(q, v), g[f"dJ_{frame}"])
    close(robot.jacobian_drift(q, v), g[f"Jdot_v_{frame}"])
    close(robot.frame_velocity(q, v), g[f"tip_twist_{frame}"])
    acceleration = robot.frame_acceleration(q, v, a)
    close(acceleration.spatial, g[f"tip_acc_spatial_{frame}"])
    if frame != "world":
        close(acceleration.classical, g[f"tip_acc_classical_{frame}"])
        # The other's wrench is the environment's on the robot.
        close(robot.inverse_dynamics(
            q, v, a, tip_wrench=-g["wrench"], tip_wrench_frame=FRAMES[frame]),
            g[f"tau_id_wrench_{frame}"])


def test_poses_and_operational_space(golden):
    g, poses = golden, golden.robot.frame_pose(golden["q"])
    expected = [sample["tip_pose"] for sample in g.samples]
    close(poses[:, :3, :3], np.array([pose["R"] for pose in expected]))
    close(poses[:, :3, 3], np.array([pose["p"] for pose in expected]))
    regular = [k for k, sample in enumerate(g.samples)
               if sample["Lambda"] is not None]
    if not regular:
        return  # too few joints
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        space = golden.robot.operational_space(
            g["q"][regular], g["v"][regular])
    for got, name in ((space.Lambda, "Lambda"), (space.eta, "eta")):
        close(got, np.array([g.samples[k][name] for k in regular]), 1e-8)
