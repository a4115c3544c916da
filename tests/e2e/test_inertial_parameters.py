"""Torques from the inertial parameters of a robot's description."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from calls import States, ask
from vectors import close


def vector(element, name, default):
    text = None if element is None else element.get(name)
    return np.array(default if text is None else [
        float(word) for word in text.split()])


def placed(element):
    """Rotation and position of an <origin>."""
    origin = None if element is None else element.find("origin")
    roll, pitch, yaw = vector(origin, "rpy", (0, 0, 0))
    (cr, sr), (cp, sp), (cy, sy) = (
        (np.cos(x), np.sin(x)) for x in (roll, pitch, yaw))
    R = (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
         @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
         @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))
    return R, vector(origin, "xyz", (0, 0, 0))


def inertial_parameters(source, joints):
    """Of each joint's link with all that is fixed to it: mass, mass times
    centre, inertia about the link's origin, [joint, 10], from the URDF."""
    robot = ElementTree.fromstring(source)
    links = {link.get("name"): link for link in robot.findall("link")}

    def body(name):
        """Mass, first moment and inertia about the origin of a link."""
        inertial = links[name].find("inertial")
        m, h, I = 0.0, np.zeros(3), np.zeros((3, 3))
        if inertial is not None:
            R, c = placed(inertial)
            m = float(inertial.find("mass").get("value"))
            entry = inertial.find("inertia").get
            xx, xy, xz, yy, yz, zz = (float(entry(key)) for key in (
                "ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
            h = m * c
            I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            I = I + m * (c @ c * np.eye(3) - np.outer(c, c))
        for joint in robot.findall("joint"):
            if (joint.get("type") != "fixed"
                    or joint.find("parent").get("link") != name):
                continue
            R, p = placed(joint)
            more, first, turned = body(joint.find("child").get("link"))
            first, turned = R @ first, R @ turned @ R.T
            m += more
            h = h + first + more * p
            cross = np.outer(p, first)
            I = I + turned + more * (p @ p * np.eye(3) - np.outer(p, p)) + (
                2 * p @ first * np.eye(3) - cross - cross.T)
        return m, h, I

    rows = []
    for joint in joints:
        m, h, I = body(joint.child_link)
        rows.append([m, *h, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2],
                     I[2, 2]])
    return np.array(rows)


def test_torques_are_linear_in_the_inertial_parameters(arm, all_of):
    parameters = inertial_parameters(arm.source, arm.info.joints)
    assert parameters[:, 0].sum() == pytest.approx(arm.info.moving_mass)
    torque = np.einsum("sijk,jk->si", all_of.regressor, parameters)
    close(torque, all_of.tau, 1e-12)
    # A link does not load the joints of other branches and behind it.
    last = arm.n - 1
    assert not all_of.regressor[:, last, :last].any()


def test_what_moves_a_robot_tells_its_inertial_parameters(arm, all_of):
    """Identified from half of the states, they foretell the other half."""
    states = States(arm.n, 60, seed=3)
    x = arm.ask(ask.REGRESSOR, ask.INVERSE_DYNAMICS, q=states.q, v=states.v,
                a=states.a, tau=states.tau)
    Y = x.regressor.reshape(60, arm.n, 10 * arm.n)
    found = np.linalg.lstsq(
        np.concatenate(Y[:30]), np.concatenate(x.tau[:30]), rcond=1e-10)[0]
    close(Y[30:] @ found, x.tau[30:], 1e-9)
