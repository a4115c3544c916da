"""States and a motion of a robot with seven joints."""

import numpy as np

JOINTS = 7


def angles(rows, phase):
    return np.sin(phase + 0.01 * np.arange(rows)[:, None] + np.arange(JOINTS))


def states(rows):
    return {"q": angles(rows, 0), "v": angles(rows, 1), "a": angles(rows, 2)}


def motion(samples):
    """Time and positions."""
    return 0.01 * np.arange(samples), 0.3 * angles(samples, 0)


def bytes_of_verdict(verdict):
    """All that it says but the time that it took, and its torques."""
    message = type(verdict.proto)()
    message.CopyFrom(verdict.proto)
    message.echo.ClearField("timing")
    return (message.SerializeToString(deterministic=True)
            + np.asarray(verdict.tables["tau"]).tobytes())
