"""States at which conventions are compared."""

import os
import typing

import numpy as np

URDF = os.path.join(os.environ["TEST_SOURCE"], "tests", "conventions",
                    "tree.urdf")
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
