"""States that are random but always the same."""

import numpy as np

from robots import model


def numbers(random, low, high, rows, columns):
    return np.round(random.uniform(low, high, (rows, columns)), 3).tolist()


def states_of(name, rows, which, seed, axes=6, wrenches=1):
    """The inputs named in `which`."""
    random = np.random.default_rng(seed)
    n = len(model(name).joints)
    # Their limits do not matter; where the tasks are regular does.
    span = {"q": (1.9, n), "v": (2, n), "a": (5, n), "tau": (20, n),
            "null_space_torque": (20, n), "task_acceleration": (5, axes),
            "tip_wrench_on_environment": (15, 6),
            "external_wrenches_on_robot": (15, 6 * wrenches),
            "base_twist": (1.5, 6), "base_acceleration": (3, 6),
            "gravity": (9.81, 3)}
    return {field: numbers(random, -high, high, rows, columns)
            for field, (high, columns) in span.items() if field in which}
