"""The parts of tree.urdf, for models of libraries that read no URDF here."""

import typing
import xml.etree.ElementTree as ET

import numpy as np

from states import URDF

TEXT = open(URDF, encoding="utf-8").read()


class Body(typing.NamedTuple):
    mass: float
    center: np.ndarray   # in axes of the link
    inertia: np.ndarray  # about the centre of mass, in axes of the link


class Joint(typing.NamedTuple):
    name: str
    kind: str
    R: np.ndarray  # of the joint in the parent
    p: np.ndarray
    axis: np.ndarray
    child: str
    body: Body


def numbers(element, attribute, default="0 0 0"):
    given = default if element is None else element.get(attribute, default)
    return np.array([float(word) for word in given.split()])


def turn(roll, pitch, yaw):
    (cx, cy, cz) = np.cos([roll, pitch, yaw])
    (sx, sy, sz) = np.sin([roll, pitch, yaw])
    return (np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
            @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]))


def body(link):
    """Of the <link> of this name."""
    inertial = ET.fromstring(TEXT).find(f"link[@name='{link}']/inertial")
    origin = inertial.find("origin")
    given = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (float(given.get(name)) for name in (
        "ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    R = turn(*numbers(origin, "rpy"))
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Body(float(inertial.find("mass").get("value")),
                numbers(origin, "xyz"), R @ own @ R.T)


def joints_to(tip):
    """From the root to the link `tip`."""
    found = {}
    for joint in ET.fromstring(TEXT).findall("joint"):
        found[joint.find("child").get("link")] = joint
    way = []
    while tip in found:
        joint = found[tip]
        origin = joint.find("origin")
        way.append(Joint(
            joint.get("name"), joint.get("type"), turn(*numbers(origin, "rpy")),
            numbers(origin, "xyz"), numbers(joint.find("axis"), "xyz", "1 0 0"),
            tip, body(tip)))
        tip = joint.find("parent").get("link")
    return way[::-1]


def without_branch(joint, link):
    """The text without a joint and the link behind it."""
    robot = ET.fromstring(TEXT)
    robot.remove(robot.find(f"joint[@name='{joint}']"))
    robot.remove(robot.find(f"link[@name='{link}']"))
    return ET.tostring(robot, encoding="unicode")
