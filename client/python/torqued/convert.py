"""Numbers of Pinocchio, MuJoCo, Orocos KDL, Drake and ROS as those of torqued, and back.

docs/conventions.md says which function belongs to which quantity of which library. Spatial
vectors of torqued are (angular; linear). Units are SI. All functions copy.
"""

import xml.etree.ElementTree as ET
from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_cross: Any = np.cross  # numpy 1.24 gives it types that mypy does not accept


def _floats(numbers: ArrayLike) -> Floats:
    return np.asarray(numbers, dtype=np.float64)


def swapped(x: ArrayLike, axis: int = -1) -> Floats:
    """(linear; angular) as (angular; linear), and back: a vector, rows of vectors, or a
    6 x n Jacobian with axis=-2."""
    return np.take(_floats(x), [3, 4, 5, 0, 1, 2], axis)


def turned(x: ArrayLike, R: ArrayLike) -> Floats:
    """Both halves of a spatial vector in other axes: x_new = R x."""
    x = _floats(x)
    return np.concatenate([_floats(R) @ x[:3], _floats(R) @ x[3:]])


def twist_at(twist: ArrayLike, p: ArrayLike) -> Floats:
    """The twist of the same motion at a point that is p further, m."""
    twist = _floats(twist)
    return np.concatenate([twist[:3], twist[3:] + _cross(twist[:3], p)])


def wrench_at(wrench: ArrayLike, p: ArrayLike) -> Floats:
    """The same force with its moment about a point that is p further, m."""
    wrench = _floats(wrench)
    return np.concatenate([wrench[:3] - _cross(p, wrench[3:]), wrench[3:]])


def classical(spatial_acceleration: ArrayLike, twist: ArrayLike) -> Floats:
    """Classical acceleration (that of the point) of a spatial one (the rate of the twist's
    components) in the same axes at the same point."""
    x, V = _floats(spatial_acceleration), _floats(twist)
    return np.concatenate([x[:3], x[3:] + _cross(V[:3], V[3:])])


def spatial(classical_acceleration: ArrayLike, twist: ArrayLike) -> Floats:
    """Inverse of classical()."""
    x, V = _floats(classical_acceleration), _floats(twist)
    return np.concatenate([x[:3], x[3:] - _cross(V[:3], V[3:])])


def quaternion(R: ArrayLike) -> Floats:
    """(x, y, z, w) of a rotation matrix, w >= 0."""
    (a, b, c), (d, e, f), (g, h, i) = _floats(R)
    products = np.array([  # 4 q q^T
        [1 + a - e - i, b + d, c + g, h - f],
        [b + d, 1 - a + e - i, f + h, c - g],
        [c + g, f + h, 1 - a - e + i, d - b],
        [h - f, c - g, d - b, 1 + a + e + i]])
    q = products[np.argmax(np.diag(products))]
    return _floats(q / np.copysign(np.linalg.norm(q), q[3]))


def rotation(xyzw: ArrayLike) -> Floats:
    """Rotation matrix of a quaternion of any length. Raises ValueError if it is zero or
    not finite."""
    length = np.linalg.norm(xyzw)
    if not 0 < length < np.inf:
        raise ValueError(f"{xyzw!r} is not a quaternion of a rotation")
    x, y, z, w = _floats(xyzw) / length
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def wxyz(xyzw: ArrayLike) -> Floats:
    """(w, x, y, z), as MuJoCo and Drake, of (x, y, z, w)."""
    return _floats(xyzw)[[3, 0, 1, 2]]


def xyzw(wxyz: ArrayLike) -> Floats:
    """Inverse of wxyz()."""
    return _floats(wxyz)[[1, 2, 3, 0]]


def mimic_matrix(names: Sequence[str], mimics: Mapping[str, Tuple[str, float, float]]
                 ) -> Tuple[Floats, Floats]:
    """G and o of q = G x + o, where mimics[joint] is (leader, multiplier, offset) and x are
    the joints that mimic none, in the order of `names`. Then v = G x', the torques of the
    leaders are G^T tau, and their mass matrix is G^T M G."""
    free = [name for name in names if name not in mimics]
    G, o = np.zeros((len(names), len(free))), np.zeros(len(names))
    for row, name in enumerate(names):
        leader, factor, o[row] = mimics.get(name, (name, 1.0, 0.0))
        G[row, free.index(leader)] = factor
    return G, o


def about_origin(mass: float, center: ArrayLike, inertia: ArrayLike) -> Floats:
    """Inertia about the origin, kg m^2, of that about the centre of mass."""
    c = _floats(center)
    return _floats(inertia) + mass * (c @ c * np.eye(3) - np.outer(c, c))


def inertial_parameters(mass: float, center: ArrayLike, inertia: ArrayLike) -> Floats:
    """The ten numbers of a link for the regressor, of its inertia about the centre of mass:
    m, m c, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz about the origin."""
    I = about_origin(mass, center, inertia)
    return np.array([mass, *(mass * _floats(center)), I[0, 0], I[0, 1], I[1, 1], I[0, 2],
                     I[1, 2], I[2, 2]])


def from_pinocchio(q: ArrayLike, nqs: Sequence[int]) -> Floats:
    """Angles and lengths, one for each joint; `nqs` is `model.nqs[1:]`. Angles of continuous
    joints are within +-pi."""
    parts = np.split(_floats(q), np.cumsum(nqs)[:-1])
    return np.array([np.arctan2(x[1], x[0]) if len(x) == 2 else x[0] for x in parts])


def to_pinocchio(q: ArrayLike, nqs: Sequence[int]) -> Floats:
    """Inverse of from_pinocchio()."""
    return np.concatenate([[np.cos(x), np.sin(x)] if nq == 2 else [x]
                           for x, nq in zip(_floats(q), nqs)])


def for_mujoco(urdf: str) -> str:
    """The URDF text with what makes MuJoCo keep all links and inertias, without comments."""
    robot = ET.fromstring(urdf)
    ET.SubElement(ET.SubElement(robot, "mujoco"), "compiler", fusestatic="false",
                  balanceinertia="false", discardvisual="true")
    return ET.tostring(robot, encoding="unicode")


def acceleration_from_mujoco(acceleration: ArrayLike, gravity: ArrayLike) -> Floats:
    """`frame_acceleration_classical` in LOCAL_WORLD_ALIGNED of `mj_objectAcceleration`."""
    return _floats(acceleration) + np.concatenate([np.zeros(3), gravity])


def xfrc_from_wrench(on_robot: ArrayLike, xpos: ArrayLike, xipos: ArrayLike) -> Floats:
    """`xfrc_applied` of a wrench on the robot at the body's origin, LOCAL_WORLD_ALIGNED."""
    return swapped(wrench_at(on_robot, np.subtract(xipos, xpos)))


def inertia_from_mujoco(moments: ArrayLike, iquat: ArrayLike) -> Floats:
    """Inertia about the centre of mass in axes of the body, of `body_inertia`, `body_iquat`."""
    R = rotation(xyzw(iquat))
    return R @ np.diag(_floats(moments)) @ R.T


def from_kdl(x: Any) -> Floats:
    """A Twist or a Wrench, angular half first."""
    return swapped([x[i] for i in range(6)])


def jacobian_from_kdl(J: Any) -> Floats:
    """6 x n, rows (angular; linear)."""
    return swapped([[J[row, column] for column in range(J.columns())]
                    for row in range(6)], axis=-2)


def pose_from_kdl(frame: Any) -> Floats:
    """4 x 4, of a Frame."""
    return np.array([[frame[row, column] for column in range(4)]
                     for row in range(3)] + [[0, 0, 0, 1]])


def to_kdl(numbers: ArrayLike) -> Any:
    """A JntArray."""
    import PyKDL
    given = _floats(numbers)
    array = PyKDL.JntArray(len(given))
    for i, number in enumerate(given):
        array[i] = number
    return array


def wrench_to_kdl(wrench: ArrayLike) -> Any:
    """Inverse of from_kdl() for a wrench."""
    import PyKDL
    w = _floats(wrench)
    return PyKDL.Wrench(PyKDL.Vector(*w[3:]), PyKDL.Vector(*w[:3]))


def force_from_drake(F_Bq_W: ArrayLike, p_BoBq_B: ArrayLike, R: ArrayLike) -> Floats:
    """External wrench at the origin of body B, LOCAL_WORLD_ALIGNED, of Drake's spatial force
    at the point Bq; R turns from B's axes into those of the world."""
    return wrench_at(F_Bq_W, -(_floats(R) @ _floats(p_BoBq_B)))


def _xyz(vector: Any) -> Floats:
    return _floats([vector.x, vector.y, vector.z])


def wrench_from_ros(message: Any) -> Floats:
    """(moment; force) of a geometry_msgs/Wrench."""
    return np.concatenate([_xyz(message.torque), _xyz(message.force)])


def twist_from_ros(message: Any) -> Floats:
    """(angular; linear) of a geometry_msgs/Twist or Accel."""
    return np.concatenate([_xyz(message.angular), _xyz(message.linear)])


def pose_from_ros(message: Any) -> Floats:
    """4 x 4, of a geometry_msgs/Pose. Raises ValueError if its quaternion is zero."""
    o = message.orientation
    T = np.eye(4)
    T[:3, :3] = rotation([o.x, o.y, o.z, o.w])
    T[:3, 3] = _xyz(message.position)
    return T


def wrench_to_ros(wrench: ArrayLike) -> Any:
    """Inverse of wrench_from_ros()."""
    from geometry_msgs.msg import Vector3, Wrench
    w = _floats(wrench)
    return Wrench(force=Vector3(*w[3:]), torque=Vector3(*w[:3]))


def twist_to_ros(twist: ArrayLike) -> Any:
    """Inverse of twist_from_ros() for a Twist."""
    from geometry_msgs.msg import Twist, Vector3
    V = _floats(twist)
    return Twist(linear=Vector3(*V[3:]), angular=Vector3(*V[:3]))


def pose_to_ros(T: ArrayLike) -> Any:
    """Inverse of pose_from_ros()."""
    from geometry_msgs.msg import Point, Pose, Quaternion
    pose = _floats(T)
    return Pose(Point(*pose[:3, 3]), Quaternion(*quaternion(pose[:3, :3])))


def of_joint_state(message: Any, field: str, joint_names: Sequence[str]) -> Optional[Floats]:
    """`position`, `velocity` or `effort` of a sensor_msgs/JointState in the order of
    `joint_names`; None if the message has none."""
    numbers = dict(zip(message.name, getattr(message, field)))
    return np.array([numbers[name] for name in joint_names]) if numbers else None


def samples_of_trajectory(message: Any
                          ) -> Tuple[Floats, Floats, Optional[Floats], Optional[Floats]]:
    """time, q, v, a of a trajectory_msgs/JointTrajectory; v or a is None if no point has
    any. Raises ValueError if only some points have them."""
    def seconds(duration: Any) -> float:
        if hasattr(duration, "nsecs"):  # ROS 1
            whole, nanoseconds = duration.secs, duration.nsecs
        else:
            whole, nanoseconds = duration.sec, duration.nanosec
        return float((whole * 10**9 + nanoseconds) / 10**9)  # rounded once

    def rows(field: str) -> Optional[Floats]:
        given = [getattr(point, field) for point in message.points]
        lengths = set(map(len, given))
        if len(lengths) > 1:
            raise ValueError(f"points have {sorted(lengths)} {field}")
        return np.array(given) if lengths - {0} else None

    time = np.array([seconds(point.time_from_start) for point in message.points])
    q = rows("positions")
    return time, np.empty((len(time), 0)) if q is None else q, rows(
        "velocities"), rows("accelerations")
