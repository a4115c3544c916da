"""A robot read from URDF, and the poses of its links with all their partial
derivatives.

Only what the conformance models use is read. Every pose is a 4 x 4 matrix of
extended precision: a product of constants and of exponentials exp(A q), so its
derivatives of any order are the same product with powers of A put in. Nothing
is approximated by differences.
"""

import dataclasses
import xml.etree.ElementTree as ElementTree

import numpy as np

Real = np.longdouble


def zeros(*shape):
    return np.zeros(shape, Real)


def eye(n):
    return np.eye(n, dtype=Real)


def numbers(text):
    return np.array([Real(word) for word in text.split()])


def cross_matrix(w):
    """[w] with [w] x = w cross x."""
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], Real)


def twist_matrix(twist):
    """[V], 4 x 4, of V = (angular; linear)."""
    matrix = zeros(4, 4)
    matrix[:3, :3] = cross_matrix(twist[:3])
    matrix[:3, 3] = twist[3:]
    return matrix


def twist_of(matrix):
    """The (angular; linear) of a 4 x 4 matrix [V]."""
    return np.array([matrix[2, 1], matrix[0, 2], matrix[1, 0], *matrix[:3, 3]])


def inverse_pose(pose):
    inverse = eye(4)
    inverse[:3, :3] = pose[:3, :3].T
    inverse[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return inverse


def rotation(axis, angle):
    """About a unit axis."""
    k = cross_matrix(axis)
    return eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def origin_of(element):
    """Pose of an <origin>; R = Rz(yaw) Ry(pitch) Rx(roll)."""
    pose = eye(4)
    origin = element.find("origin")
    if origin is not None:
        pose[:3, 3] = numbers(origin.get("xyz", "0 0 0"))
        roll, pitch, yaw = numbers(origin.get("rpy", "0 0 0"))
        x, y, z = eye(3)
        pose[:3, :3] = (
            rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll))
    return pose


def pseudo_inertia(mass, center, about_center):
    """The integral of (x; 1) (x; 1)^T dm, 4 x 4. `about_center` is the 3 x 3
    inertia about the centre of mass."""
    second = np.trace(about_center) / 2 * eye(3) - about_center
    pseudo = zeros(4, 4)
    pseudo[:3, :3] = second + mass * np.outer(center, center)
    pseudo[:3, 3] = pseudo[3, :3] = mass * center
    pseudo[3, 3] = mass
    return pseudo


def symmetric(xx, xy, xz, yy, yz, zz):
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], Real)


def pseudo_inertia_of(link):
    inertial = link.find("inertial")
    if inertial is None:
        return zeros(4, 4)
    pose = origin_of(inertial)
    entries = inertial.find("inertia")
    tensor = symmetric(*(Real(entries.get(name)) for name in (
        "ixx", "ixy", "ixz", "iyy", "iyz", "izz")))
    turn = pose[:3, :3]
    return pseudo_inertia(Real(inertial.find("mass").get("value")),
                          pose[:3, 3], turn @ tensor @ turn.T)


@dataclasses.dataclass
class Joint:
    """A movable joint and the body behind it: its child link and all that is
    fixed to that."""

    name: str
    parent: int  # index of the movable joint before it; -1: the base
    origin: np.ndarray  # pose of its frame in the frame of `parent`, at q = 0
    screw: np.ndarray  # 4 x 4: [A] in its own frame
    turns: bool
    viscous: Real
    coulomb: Real
    inertia: np.ndarray  # pseudo-inertia of the body, in its frame

    def exponential(self, q):
        if not self.turns:
            return eye(4) + self.screw * q
        pose = eye(4)
        pose[:3, :3] = rotation(twist_of(self.screw)[:3], q)
        return pose


class Tree:
    """joints: movable ones, depth-first, siblings by name of the joint.
    frames: link name -> (index of the joint whose body it is part of, -1 for
    the base; pose in that body's frame)."""

    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.links = {link.get("name"): link for link in root.findall("link")}
        self.joints = []
        self.frames = {}
        children = {}
        for joint in root.findall("joint"):
            children.setdefault(
                joint.find("parent").get("link"), []).append(joint)
        below = {joint.find("child").get("link")
                 for joint in root.findall("joint")}
        base, = (name for name in self.links if name not in below)
        self._visit(base, children, -1, eye(4))
        leaves = [name for name in self.frames if name not in children]
        self.tip = leaves[0] if len(leaves) == 1 else None

    def _visit(self, link, children, body, pose):
        self.frames[link] = body, pose
        if body >= 0:
            self.joints[body].inertia = (
                self.joints[body].inertia
                + pose @ pseudo_inertia_of(self.links[link]) @ pose.T)
        for joint in sorted(children.get(link, []),
                            key=lambda joint: joint.get("name").encode()):
            child = joint.find("child").get("link")
            at = pose @ origin_of(joint)
            if joint.get("type") == "fixed":
                self._visit(child, children, body, at)
            else:
                self.joints.append(self._movable(joint, body, at))
                self._visit(child, children, len(self.joints) - 1, eye(4))

    @staticmethod
    def _movable(joint, body, at):
        axis = numbers(joint.find("axis").get("xyz"))
        axis = axis / np.sqrt(axis @ axis)
        turns = joint.get("type") in ("revolute", "continuous")
        twist = np.concatenate(
            [axis, zeros(3)] if turns else [zeros(3), axis])
        dynamics = joint.find("dynamics")
        viscous, coulomb = (
            Real(0 if dynamics is None else dynamics.get(name, "0"))
            for name in ("damping", "friction"))
        return Joint(joint.get("name"), body, at, twist_matrix(twist), turns,
                     viscous, coulomb, zeros(4, 4))

    def names(self):
        return [joint.name for joint in self.joints]

    def with_payload(self, frame, mass, center, about_center):
        """The same robot with a body that a frame carries."""
        loaded = object.__new__(Tree)
        loaded.__dict__ = dict(self.__dict__)
        body, pose = self.frames[frame]
        added = pose @ pseudo_inertia(mass, center, about_center) @ pose.T
        loaded.joints = list(self.joints)
        if body >= 0:
            loaded.joints[body] = dataclasses.replace(
                self.joints[body], inertia=self.joints[body].inertia + added)
        return loaded

    def ancestors(self, body):
        """With itself."""
        while body >= 0:
            yield body
            body = self.joints[body].parent


class Poses:
    """Poses of the bodies of a tree at one q, and their derivatives."""

    def __init__(self, tree, q):
        self._joints = tree.joints
        self._turned = [joint.exponential(x)
                        for joint, x in zip(tree.joints, q)]
        self._known = {}

    def body(self, body, *by):
        """The derivative of the pose of a body in the base frame by the joints
        `by`, in any order and as often as they are named."""
        return self._body(body, tuple(sorted(by)))

    def _body(self, body, by):
        if body < 0:
            return zeros(4, 4) if by else eye(4)
        key = body, by
        if key not in self._known:
            joint = self._joints[body]
            before = self._body(
                joint.parent, tuple(j for j in by if j != body))
            here = joint.origin @ self._turned[body]
            for _ in range(by.count(body)):
                here = here @ joint.screw
            self._known[key] = before @ here
        return self._known[key]
