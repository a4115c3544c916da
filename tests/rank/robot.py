"""A robot as its URDF writes it, with 60 digits: Jacobians of its links."""

import dataclasses
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

from exact import cos_sin

ONE = [[Decimal(int(i == j)) for j in range(3)] for i in range(3)]
NOWHERE = [Decimal(0)] * 3


def times(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)]
            for i in range(3)]


def turned(A, x):
    return [sum(A[i][k] * x[k] for k in range(3)) for i in range(3)]


def turned_back(A, x):
    return [sum(A[k][i] * x[k] for k in range(3)) for i in range(3)]


def added(x, y):
    return [a + b for a, b in zip(x, y)]


def cross(x, y):
    return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
            x[0] * y[1] - x[1] * y[0]]


def length(x):
    return sum(a * a for a in x).sqrt()


def about(axis, angle):
    """Rodrigues' formula."""
    c, s = cos_sin(angle)
    x, y, z = axis
    skew = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return [[c * ONE[i][j] + s * skew[i][j] + (1 - c) * axis[i] * axis[j]
             for j in range(3)] for i in range(3)]


def composed(first, second):
    """Of two poses (R, p)."""
    return (times(first[0], second[0]),
            added(first[1], turned(first[0], second[1])))


def numbers(element, name, otherwise):
    text = element.get(name) if element is not None else None
    return [Decimal(word) for word in (text or otherwise).split()]


@dataclasses.dataclass
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    origin: tuple
    axis: list

    @property
    def moves(self):
        return self.kind != "fixed"

    @property
    def slides(self):
        return self.kind == "prismatic"


def _joint(element):
    origin = element.find("origin")
    roll, pitch, yaw = numbers(origin, "rpy", "0 0 0")
    rotation = times(times(about(ONE[2], yaw), about(ONE[1], pitch)),
                     about(ONE[0], roll))
    axis = numbers(element.find("axis"), "xyz", "1 0 0")
    size = length(axis)
    return Joint(element.get("name"), element.get("type"),
                 element.find("parent").get("link"),
                 element.find("child").get("link"),
                 (rotation, numbers(origin, "xyz", "0 0 0")),
                 [x / size for x in axis] if size else axis)


class Robot:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        joints = [_joint(element) for element in root.findall("joint")]
        self.links = [link.get("name") for link in root.findall("link")]
        self.joint_of = {joint.child: joint for joint in joints}
        self.moving = [joint for joint in joints if joint.moves]

    def path(self, link):
        """Joints from the base to a link."""
        joints = []
        while link in self.joint_of:
            joints.append(self.joint_of[link])
            link = joints[-1].parent
        return joints[::-1]

    def jacobians(self, link, q):
        """({frame: rows of the 6 x k Jacobian}, moving joints of its columns)
        at positions by joint name."""
        at = (ONE, NOWHERE)
        columns = []
        for joint in self.path(link):
            at = composed(at, joint.origin)
            if not joint.moves:
                continue
            columns.append((joint, turned(at[0], joint.axis), at[1]))
            angle = q[joint.name]
            if joint.slides:
                at = composed(at, (ONE, [x * angle for x in joint.axis]))
            else:
                at = composed(at, (about(joint.axis, angle), NOWHERE))

        def rows(origin, axes):
            whole = []
            for joint, axis, place in columns:
                if joint.slides:
                    halves = NOWHERE, axis
                else:
                    arm = [a - b for a, b in zip(origin, place)]
                    halves = axis, cross(axis, arm)
                whole.append([x for half in halves
                              for x in turned_back(axes, half)])
            return [[column[i] for column in whole] for i in range(6)]

        frames = {"local": rows(at[1], at[0]),
                  "local_world_aligned": rows(at[1], ONE),
                  "world": rows(NOWHERE, ONE)}
        return frames, [joint for joint, _, _ in columns]
