"""tree.urdf in states and in parts, for libraries that read no URDF here."""

import os
import pathlib
import types
import typing
import xml.etree.ElementTree as ET

import numpy as np

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
PAGE = SOURCE / "docs" / "conventions.md"
URDF = SOURCE / "tests" / "conventions" / "tree.urdf"
TEXT = URDF.read_text(encoding="utf-8")
FRAMES = ("local", "local_world_aligned", "world")
SKEW_GRAVITY = [1.2, -0.7, -9.3]


class State(typing.NamedTuple):
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    wrench: np.ndarray  # (moment; force)


def states(n, count=8):
    """The same every time; all joints move."""
    rng = np.random.default_rng(11)
    return [State(rng.uniform(-2, 2, n),
                  rng.choice([-1, 1], n) * rng.uniform(0.5, 2, n),
                  rng.uniform(-3, 3, n), rng.uniform(-9, 9, n),
                  rng.uniform(-20, 20, 6)) for _ in range(count)]


def close(given, wanted, tolerance=1e-12):
    """Equal to within `tolerance` of the largest number; NaN never is."""
    given, wanted = np.asarray(given), np.asarray(wanted)
    assert given.shape == wanted.shape
    scale = max(1e-3, np.abs(wanted).max())
    error = np.abs(given - wanted).max() / scale
    assert error <= tolerance, f"{error}: {given} is not {wanted}"


class Body(typing.NamedTuple):
    mass: float
    center: np.ndarray   # in axes of the link
    inertia: np.ndarray  # about the centre of mass, in axes of the link

    def six(self):
        """ixx, ixy, ixz, iyy, iyz, izz."""
        return [float(x) for x in self.inertia[np.triu_indices(3)]]


def _numbers(element, attribute, default="0 0 0"):
    given = default if element is None else element.get(attribute, default)
    return np.array([float(word) for word in given.split()])


def _turn(roll, pitch, yaw):
    (cx, cy, cz) = np.cos([roll, pitch, yaw])
    (sx, sy, sz) = np.sin([roll, pitch, yaw])
    return (np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
            @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]))


def body(link):
    """Of the <link> of this name."""
    inertial = ET.fromstring(TEXT).find(f"link[@name='{link}']/inertial")
    origin = inertial.find("origin")
    xx, xy, xz, yy, yz, zz = (float(inertial.find("inertia").get(name))
                              for name in ("ixx", "ixy", "ixz", "iyy", "iyz",
                                           "izz"))
    R = _turn(*_numbers(origin, "rpy"))
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Body(float(inertial.find("mass").get("value")),
                _numbers(origin, "xyz"), R @ own @ R.T)


def joints_to(tip):
    """From the root to the link `tip`, each placed in its parent link."""
    found = {joint.find("child").get("link"): joint
             for joint in ET.fromstring(TEXT).findall("joint")}
    way = []
    while tip in found:
        joint = found[tip]
        origin = joint.find("origin")
        way.append(types.SimpleNamespace(
            name=joint.get("name"), kind=joint.get("type"), child=tip,
            R=_turn(*_numbers(origin, "rpy")), p=_numbers(origin, "xyz"),
            axis=_numbers(joint.find("axis"), "xyz", "1 0 0")))
        tip = joint.find("parent").get("link")
    return way[::-1]


def without_branch(joint, link):
    """The text without a joint and the link behind it."""
    robot = ET.fromstring(TEXT)
    robot.remove(robot.find(f"joint[@name='{joint}']"))
    robot.remove(robot.find(f"link[@name='{link}']"))
    return ET.tostring(robot, encoding="unicode")
