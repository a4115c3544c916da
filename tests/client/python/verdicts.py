"""What the tests of checks compare."""

import numpy as np
from conftest import same_bits
from motions import swinging

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


def written(motion, path):
    motion.write(path)
    return path
