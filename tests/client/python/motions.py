"""Motions for the tests of checks, verdicts on them, and what torquectl says."""

import json
import os
import pathlib
import subprocess

import numpy as np
import torqued
from conftest import same_bits

TORQUECTL = pathlib.Path(os.environ["TEST_BIN"]) / "torquectl"
PANDA = tuple(f"panda_joint{k}" for k in range(1, 8))
PARTS = ("time", "q", "v", "a", "tip_wrench")


def swinging(samples, seed=0, joints=PANDA, named=True, **more):
    """A smooth motion with exact rates, at times that are not even but whole
    nanoseconds."""
    random = np.random.default_rng(seed)
    n = len(joints)
    middle = random.uniform(-0.5, 0.5, n)
    swing, rate, phase = (random.uniform(low, high, n)
                          for low, high in ((0.2, 0.8), (1, 3), (0, 6)))
    even = np.linspace(0, 3, samples)
    time = np.round(even + 0.1 * np.sin(2 * even)**2, 9)
    angle = np.outer(time, rate) + phase
    return torqued.Trajectory(
        time, middle + swing * np.sin(angle), swing * rate * np.cos(angle),
        -swing * rate**2 * np.sin(angle), joint_names=joints if named else None, **more)


def same_motion(one, other):
    for name in PARTS:
        a, b = getattr(one, name), getattr(other, name)
        if (a is None) != (b is None) or a is not None and not same_bits(a, b):
            return False
    return one.joint_names == other.joint_names


MOTION = swinging(2500)
WRENCH = 5 * np.sin(MOTION.time[:, np.newaxis] + np.arange(6))


def torques(robot, motion, **words):
    return robot.inverse_dynamics(motion.q, motion.v, motion.a, **words)


def same(one, other):
    """Whether two verdicts agree in every bit, but for their time."""
    a, b = one.to_dict(), other.to_dict()
    for said in (a, b):
        for key in ("seconds", "trajectory"):
            del said[key]
    return a == b and one.tables.keys() == other.tables.keys() and all(
        same_bits(numbers, other.tables[name])
        for name, numbers in one.tables.items())


def positions(motion):
    return torqued.Trajectory(motion.time, motion.q, joint_names=motion.joint_names)


def wide(**more):
    """Limits of the panda that nothing breaks, by joint."""
    return {joint: {"lower": -9, "upper": 9, "velocity_limit": 99, "effort_limit": 1e6,
                    **more} for joint in PANDA}


def run_torquectl(*arguments):
    """(exit code, what it answers)"""
    done = subprocess.run(
        [TORQUECTL, "--output", "json", *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 2), done.stderr
    return done.returncode, json.loads(done.stdout)


def ask_torquectl(client, path, *flags, model="panda"):
    """(exit code, verdict)"""
    return run_torquectl("--server", client.address, "trajectory", "check",
                         path, "--model", model, *flags)
