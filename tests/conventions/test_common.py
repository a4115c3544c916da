"""What docs/conventions.md says of vectors, joints, forces and inertias of all
libraries, against the server and by the meaning of the numbers."""

import numpy as np
import pytest
import torqued
from torqued import convert

from setting import FRAMES, close, states


def test_reference_frames(robot):
    for s in states(robot.nv):
        T = robot.frame_pose(s.q)
        R, p = T[:3, :3], T[:3, 3]
        local, aligned, world = (
            robot.frame_velocity(s.q, s.v, reference_frame=frame)
            for frame in FRAMES)
        close(convert.turned(local, R), aligned)
        close(convert.twist_at(convert.turned(local, R), -p), world)
        # A wrench is the same one where it takes the same torques.
        tau = robot.inverse_dynamics(s.q, tip_wrench_on_environment=s.wrench)
        turned = convert.turned(s.wrench, R)
        close(robot.inverse_dynamics(
            s.q, tip_wrench_on_environment=turned, tip_wrench_reference_frame="local_world_aligned"), tau)
        close(robot.inverse_dynamics(
            s.q, tip_wrench_on_environment=convert.wrench_at(turned, -p),
            tip_wrench_reference_frame="world"), tau)


def test_accelerations(robot):
    for s in states(robot.nv):
        T = robot.frame_pose(s.q)
        for frame in FRAMES:
            twist = robot.frame_velocity(s.q, s.v, reference_frame=frame)
            acceleration = robot.frame_acceleration(
                s.q, s.v, s.a, reference_frame=frame)
            close(convert.classical(acceleration.frame_acceleration, twist),
                  acceleration.frame_acceleration_classical)
            close(convert.spatial(acceleration.frame_acceleration_classical, twist),
                  acceleration.frame_acceleration)
        local, aligned = (robot.frame_acceleration(
            s.q, s.v, s.a, reference_frame=frame).frame_acceleration
            for frame in FRAMES[:2])
        close(convert.turned(local, T[:3, :3]), aligned)


def test_quaternions(robot):
    for s in states(robot.nv, 20):
        R = robot.frame_pose(s.q)[:3, :3]
        q = convert.quaternion(R)
        assert q[3] >= 0
        close(np.linalg.norm(q), 1.0)
        close(convert.rotation(q), R)
        close(convert.xyzw(convert.wxyz(q)), q)
        # By its meaning: an axis and half an angle.
        axis, half = q[:3] / np.linalg.norm(q[:3]), np.arccos(q[3])
        close(R @ axis, axis)
        close(np.trace(R), 1 + 2 * np.cos(2 * half))
        close(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]),
              2 * np.sin(2 * half) * axis)
    # w alone is not 0 in a half turn.
    close(convert.quaternion(np.diag([1.0, -1.0, -1.0])), [1.0, 0.0, 0.0, 0.0])
    close(convert.wxyz([1.0, 2.0, 3.0, 4.0]), [4.0, 1.0, 2.0, 3.0])


def test_joint_order(robot):
    assert robot.joint_names == ("yaw", "elbow", "roll", "slide")
    theirs = ("slide", "roll", "yaw", "elbow")
    p = [list(theirs).index(name) for name in robot.joint_names]
    for s in states(robot.nv):
        tau = robot.inverse_dynamics(s.q, s.v, s.a, joint_names=theirs)
        M = robot.mass_matrix(s.q, joint_names=theirs)
        J = robot.jacobian(s.q, joint_names=theirs)
        close(tau[p], robot.inverse_dynamics(s.q[p], s.v[p], s.a[p]))
        close(M[np.ix_(p, p)], robot.mass_matrix(s.q[p]))
        close(J[:, p], robot.jacobian(s.q[p]))


def test_mimic_joints(robot):
    G, o = convert.mimic_matrix(robot.joint_names,
                               {"slide": ("elbow", 0.1, 0.02)})
    assert G.shape == (4, 3)
    for s in states(robot.nv):
        x, rate, acceleration = s.q[:3], s.v[:3], s.a[:3]
        q, v, a = G @ x + o, G @ rate, G @ acceleration
        close(q[3], 0.1 * x[1] + 0.02)
        M = G.T @ robot.mass_matrix(q) @ G
        # The kinetic energy is that of the joints in step, and so is the power.
        close(0.5 * rate @ M @ rate, robot.energy(q, v).kinetic_energy)
        tau = robot.inverse_dynamics(q, v, a)
        balance = robot.power_balance(q, v, a)
        close((G.T @ tau) @ rate, balance[0] + balance[1])


def test_tip_wrench_is_minus_the_external_wrench(robot):
    for s in states(robot.nv):
        for frame in FRAMES:
            external = robot.inverse_dynamics(
                s.q, s.v, s.a, external_wrenches_on_robot=[
                    torqued.ExternalWrench(s.wrench, "tool", frame)])
            close(robot.inverse_dynamics(
                s.q, s.v, s.a, tip_wrench_on_environment=-s.wrench,
                tip_wrench_reference_frame=frame), external)


def test_power_of_wrenches(robot):
    for s in states(robot.nv):
        V = robot.frame_velocity(s.q, s.v)
        tau = robot.inverse_dynamics(s.q, s.v, s.a, tip_wrench_on_environment=s.wrench)
        energy = [robot.energy(s.q + t * s.v + t * t / 2 * s.a, s.v + t * s.a)
                  for t in (-1e-5, 1e-5)]
        rate = sum(later - earlier for earlier, later in zip(*energy)) / 2e-5
        assert tau @ s.v == pytest.approx(rate + s.wrench @ V, rel=1e-7, abs=1e-6)
