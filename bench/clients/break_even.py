"""The Python side of bench/break_even.sh: the same batches through the Python
client, and a loop over PyKDL in process.

Usage: break_even.py NAME=ADDRESS...   servers that know the robot as "panda"
Prints JSON, one measurement a line, as break_even.cc does.
"""

import json
import math
import pathlib
import sys
import time
import xml.etree.ElementTree as ElementTree

import numpy as np
import PyKDL
import torqued

SIZES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000,
         1_000_000)
SECONDS = 0.05
# A loop in Python takes as long for every state.
MOST_OF_A_LOOP = 1000
URDF = (pathlib.Path(__file__).resolve().parents[2]
        / "deploy" / "models" / "panda.urdf")


def vector(text):
    return [float(x) for x in text.split()]


def kdl_inertia(link):
    inertial = link.find("inertial")
    if inertial is None:
        return PyKDL.RigidBodyInertia()
    origin, about = inertial.find("origin"), inertial.find("inertia")
    assert not any(vector(origin.get("rpy", "0 0 0")))
    return PyKDL.RigidBodyInertia(
        float(inertial.find("mass").get("value")),
        PyKDL.Vector(*vector(origin.get("xyz"))),
        PyKDL.RotationalInertia(*(float(about.get(name)) for name in (
            "ixx", "iyy", "izz", "ixy", "ixz", "iyz"))))


def kdl_joint(joint, frame):
    if joint.get("type") == "fixed":
        return PyKDL.Joint(joint.get("name"), PyKDL.Joint.Fixed)
    axis = PyKDL.Vector(*vector(joint.find("axis").get("xyz")))
    return PyKDL.Joint(joint.get("name"), frame.p, frame.M * axis,
                       PyKDL.Joint.RotAxis)


def kdl_chain():
    """Every link of the arm has one joint at most behind it."""
    robot = ElementTree.parse(URDF).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    behind = {joint.find("parent").get("link"): joint
              for joint in robot.findall("joint")}
    (link,) = set(behind) - {joint.find("child").get("link")
                             for joint in behind.values()}
    chain = PyKDL.Chain()
    while link in behind:
        joint = behind[link]
        link = joint.find("child").get("link")
        origin = joint.find("origin")
        frame = PyKDL.Frame(PyKDL.Rotation.RPY(*vector(origin.get("rpy"))),
                            PyKDL.Vector(*vector(origin.get("xyz"))))
        chain.addSegment(PyKDL.Segment(
            link, kdl_joint(joint, frame), frame, kdl_inertia(links[link])))
    return chain


def pykdl(q, v, a):
    """tau of each row, as a user of PyKDL computes them."""
    chain = kdl_chain()
    joints = chain.getNrOfJoints()
    solver = PyKDL.ChainIdSolver_RNE(chain, PyKDL.Vector(0, 0, -9.81))
    arrays = [PyKDL.JntArray(joints) for _ in range(4)]
    wrenches = [PyKDL.Wrench.Zero()] * chain.getNrOfSegments()

    def compute():
        tau = np.empty_like(q)
        for row, states in enumerate(zip(q, v, a)):
            for array, numbers in zip(arrays, states):
                for i, number in enumerate(numbers):
                    array[i] = number
            solver.CartToJnt(*arrays[:3], wrenches, arrays[3])
            tau[row] = [arrays[3][i] for i in range(joints)]
        return tau

    compute.chain = chain  # which the solver refers to
    return compute


def measure(compute, states):
    """Nanoseconds per state."""
    times, begin = 0, time.perf_counter()
    while True:
        compute()
        times += 1
        seconds = time.perf_counter() - begin
        if seconds >= SECONDS:
            return seconds * 1e9 / (times * states)


def ways_of(quantity, robots, q, v, a):
    """Name -> function that computes the batch once."""
    if quantity == "inverse_dynamics":
        ways = {f"py_{name}": lambda robot=robot: robot.inverse_dynamics(q, v, a)
                for name, robot in robots.items()}
        if len(q) <= MOST_OF_A_LOOP:
            ways["pykdl"] = pykdl(q, v, a)
        answers = [way() for way in ways.values()]
        for answer in answers:
            assert np.abs(answer - answers[0]).max() < 1e-9
        return ways
    return {f"py_{name}": lambda robot=robot: robot.operational_space(
        q, v, reference_frame="local_world_aligned", on_bad_row="mask")
            for name, robot in robots.items()}


def main(arguments):
    robots = {}
    for argument in arguments:
        name, address = argument.split("=", 1)
        robots[name] = torqued.connect(address).model("panda")
    random = np.random.default_rng(1)
    inputs = [random.uniform(-most, most, (SIZES[-1], 7))
              for most in (math.pi / 2, 2, 5)]
    for quantity in ("inverse_dynamics", "operational_space"):
        for states in SIZES:
            ways = ways_of(quantity, robots, *(x[:states] for x in inputs))
            for way in ways.values():
                way()
            for name, way in ways.items():
                print(json.dumps({
                    "quantity": quantity, "way": name, "states": states,
                    "nanoseconds": measure(way, states)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
