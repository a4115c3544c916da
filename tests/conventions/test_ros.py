"""docs/conventions.md on ROS, with its own message classes."""

import types

import numpy as np
import pytest
from genpy import Duration
from geometry_msgs.msg import Pose
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from torqued import convert

from setting import close, states


def halves(message, *names):
    """Of a message of two vectors."""
    return [getattr(getattr(message, name), axis) for name in names
            for axis in "xyz"]


def test_wrenches_and_twists(robot):
    for s in states(robot.nv):
        wrench = convert.wrench_to_ros(s.wrench)
        close(halves(wrench, "torque", "force"), s.wrench)
        close(convert.wrench_from_ros(wrench), s.wrench)
        V = robot.frame_velocity(s.q, s.v)
        twist = convert.twist_to_ros(V)
        close(halves(twist, "angular", "linear"), V)
        close(convert.twist_from_ros(twist), V)


def test_poses(robot):
    for s in states(robot.nv):
        T = robot.frame_pose(s.q)
        pose = convert.pose_to_ros(T)
        close(convert.pose_from_ros(pose), T)
        # As what reads the bytes has them: position, then x y z w.
        o = pose.orientation
        assert o.__slots__ == ["x", "y", "z", "w"]
        close(np.array([o.x, o.y, o.z, o.w]), convert.quaternion(T[:3, :3]))


def test_pose_that_nobody_filled():
    with pytest.raises(ValueError, match="not a quaternion"):
        convert.pose_from_ros(Pose())
    for wrong in [np.nan, 0, 0, 1], [np.inf, 0, 0, 1]:
        with pytest.raises(ValueError, match="not a quaternion"):
            convert.rotation(np.array(wrong))


def test_joint_states(robot):
    s = states(robot.nv)[0]
    tau = robot.inverse_dynamics(s.q, s.v, s.a)
    order = [3, 1, 0, 2]
    message = JointState(
        name=["gripper", *(robot.joint_names[i] for i in order)],
        position=[9.0, *s.q[order]], effort=[9.0, *tau[order]])
    names = robot.joint_names
    close(convert.of_joint_state(message, "position", names), s.q)
    close(convert.of_joint_state(message, "effort", names), tau)
    assert convert.of_joint_state(message, "velocity", names) is None


def test_trajectories(robot):
    rows = states(robot.nv, 3)
    order = ["slide", "roll", "yaw", "elbow"]
    message = JointTrajectory(joint_names=order, points=[
        JointTrajectoryPoint(
            positions=list(s.q), velocities=list(s.v),
            time_from_start=Duration(k, 250_000_000))
        for k, s in enumerate(rows)])
    time, q, v, a = convert.samples_of_trajectory(message)
    close(time, [0.25, 1.25, 2.25])
    assert a is None
    p = [list(order).index(name) for name in robot.joint_names]
    close(robot.frame_velocity(q, v, joint_names=message.joint_names),
          [robot.frame_velocity(s.q[p], s.v[p]) for s in rows])


def test_times_are_rounded_once():
    durations = [Duration(1, 700_000_000),
                 types.SimpleNamespace(sec=1, nanosec=700_000_000)]  # ROS 2
    for duration in durations:
        point = types.SimpleNamespace(positions=[0.0], velocities=[],
                                      accelerations=[], time_from_start=duration)
        time, *_ = convert.samples_of_trajectory(
            types.SimpleNamespace(points=[point]))
        assert time.tolist() == [1.7]


def test_points_with_and_without_velocities():
    message = JointTrajectory(joint_names=["yaw"], points=[
        JointTrajectoryPoint(positions=[0.1 * k], velocities=[1.0] * (k != 1),
                             time_from_start=Duration(k)) for k in range(3)])
    with pytest.raises(ValueError, match="velocities"):
        convert.samples_of_trajectory(message)
