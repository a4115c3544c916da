"""Jacobians of a robot as its URDF writes it, and singular values, with 60
digits and computed with more."""

import decimal
import types
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

import numpy as np

DIGITS = 60
decimal.getcontext().prec = DIGITS + 15

# Arrays of Decimal.
ONE = np.array([[Decimal(int(i == j)) for j in range(3)] for i in range(3)])
NOWHERE = np.array([Decimal(0)] * 3)


def _series(x, term, first):
    """Sum of term, − term x²/((k + 1)(k + 2)), ... from k = first, as far as a
    term counts."""
    total, k = term, first
    while abs(term) > Decimal(10) ** -(DIGITS + 12) or k < abs(x):
        term *= -x * x / ((k + 1) * (k + 2))
        total += term
        k += 2
    return total


def singular_values(rows):
    """Of a matrix of up to six rows, falling. Cyclic Jacobi on the Gram matrix,
    which halves the digits."""
    gram = np.array(rows)
    gram = gram @ gram.T
    m = len(gram)
    pairs = [(i, j) for i in range(m) for j in range(i + 1, m)]
    size = max(gram.diagonal())
    for _ in range(60):
        if max((abs(gram[pair]) for pair in pairs),
               default=0) <= size * Decimal(10) ** -(DIGITS + 5):
            break
        for i, j in pairs:
            if gram[i, j]:
                _rotate(gram, i, j)
    return sorted((max(x, Decimal(0)).sqrt() for x in gram.diagonal()),
                  reverse=True)


def _rotate(gram, i, j):
    """Makes gram[i, j] zero."""
    zeta = (gram[j, j] - gram[i, i]) / (2 * gram[i, j])
    t = (1 / (abs(zeta) + (1 + zeta * zeta).sqrt())).copy_sign(zeta)
    c = 1 / (1 + t * t).sqrt()
    turn = np.array([[c, -c * t], [c * t, c]])
    gram[[i, j]] = turn @ gram[[i, j]]
    gram[:, [i, j]] = gram[:, [i, j]] @ turn.T


def about(axis, angle):
    """Rodrigues' formula."""
    c, s = _series(angle, Decimal(1), 0), _series(angle, angle, 1)
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return c * ONE + s * skew + (1 - c) * np.outer(axis, axis)


def _numbers(element, name, otherwise="0 0 0"):
    text = element.get(name) if element is not None else None
    return np.array([Decimal(word) for word in (text or otherwise).split()])


def _joint(element):
    origin = element.find("origin")
    roll, pitch, yaw = _numbers(origin, "rpy")
    axis = _numbers(element.find("axis"), "xyz", "1 0 0")
    size = (axis @ axis).sqrt()
    return types.SimpleNamespace(
        name=element.get("name"), kind=element.get("type"),
        parent=element.find("parent").get("link"),
        child=element.find("child").get("link"),
        R=about(ONE[2], yaw) @ about(ONE[1], pitch) @ about(ONE[0], roll),
        p=_numbers(origin, "xyz"), axis=axis / size if size else axis)


class Robot:
    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        joints = [_joint(element) for element in root.findall("joint")]
        self.links = [link.get("name") for link in root.findall("link")]
        self._joint_of = {joint.child: joint for joint in joints}
        self.moving = [joint for joint in joints if joint.kind != "fixed"]

    def jacobians(self, link, q):
        """({frame: the 6 x k Jacobian}, moving joints of its columns) at
        positions by joint name."""
        path = []
        while link in self._joint_of:
            path.insert(0, self._joint_of[link])
            link = path[0].parent
        R, p, columns = ONE, NOWHERE, []
        for joint in path:
            R, p = R @ joint.R, p + R @ joint.p
            if joint.kind == "fixed":
                continue
            columns.append((joint, R @ joint.axis, p))
            if joint.kind == "prismatic":
                p = p + R @ (joint.axis * q[joint.name])
            else:
                R = R @ about(joint.axis, q[joint.name])

        def seen(origin, axes):
            halves = [(NOWHERE, axis) if joint.kind == "prismatic" else
                      (axis, np.cross(axis, origin - place))
                      for joint, axis, place in columns]
            return np.array([np.concatenate([angular @ axes, linear @ axes])
                             for angular, linear in halves]).T

        frames = {"local": seen(p, R), "local_world_aligned": seen(p, ONE),
                  "world": seen(NOWHERE, ONE)}
        return frames, [joint for joint, _, _ in columns]
