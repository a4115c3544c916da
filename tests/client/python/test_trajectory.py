"""Samples of motions from arrays, and what is wrong with some."""

import pickle

import numpy as np
import pytest
import torqued
from conftest import refused, same_bits
from motions import PANDA, positions, same_motion, swinging

MOTION = swinging(40)


def test_arrays_and_tables_by_name(panda):
    by_name = [dict(zip(PANDA, part.T)) for part in (MOTION.q, MOTION.v, MOTION.a)]
    assert same_motion(torqued.Trajectory(MOTION.time, *by_name), MOTION)
    turned = torqued.Trajectory(
        MOTION.time, dict(reversed(by_name[0].items())), *by_name[1:])
    assert turned.joint_names == PANDA[::-1]
    assert same_motion(turned.in_order(PANDA), MOTION)
    lists = torqued.Trajectory([0, 1], [[1, 2], [3, 4]])
    assert lists.q.dtype == float and lists.joint_names is None
    assert lists.in_order(PANDA) is lists


def test_slower_is_the_same_path():
    slower = MOTION.slower(2.5)
    assert np.allclose(slower.time, 2.5 * MOTION.time, rtol=0)
    assert same_bits(slower.q, MOTION.q)
    assert np.allclose(slower.v, MOTION.v / 2.5)
    assert np.allclose(slower.a, MOTION.a / 6.25)
    assert positions(MOTION).slower(2).v is None


def test_it_can_be_pickled_and_shown():
    assert same_motion(pickle.loads(pickle.dumps(MOTION)), MOTION)
    assert "40 samples of 7 joints" in repr(MOTION)


TQ = {"time": MOTION.time, "q": MOTION.q}


@pytest.mark.parametrize("arrays, reason, field, joint", [
    (TQ | {"q": MOTION.q[1:]}, "WRONG_ROW_COUNT", "q", ""),
    (TQ | {"v": MOTION.v[:, 1:]}, "WRONG_COLUMN_COUNT", "v", ""),
    # Of other columns than joint_names.
    (TQ | {"q": MOTION.q[:, 1:]}, "WRONG_COLUMN_COUNT", "q", ""),
    ({"time": [0], "q": np.zeros(7)}, "WRONG_ROW_COUNT", "q", ""),
    ({"time": [], "q": np.zeros((0, 7))}, "MISSING_INPUT", "time", ""),
    (TQ | {"time": np.zeros((40, 2))}, "WRONG_COLUMN_COUNT", "time", ""),
    (TQ | {"q": [["x"] * 7] * 40}, "MALFORMED_ARRAY", "q", ""),
    (TQ | {"tip_wrench": np.zeros((40, 5))}, "WRONG_COLUMN_COUNT", "tip_wrench", ""),
    (TQ | {"joint_names": ["a"] * 7}, "WRONG_JOINT_NAMES", "joint_names", "a"),
    (TQ | {"joint_names": "abcdefg"}, "INVALID_OPTION", "joint_names", "")])
def test_arrays_that_are_no_trajectory(arrays, reason, field, joint):
    with refused(reason=reason, field=field, joint=joint):
        torqued.Trajectory(**{"joint_names": PANDA, **arrays})


@pytest.mark.parametrize("factor", [0, -1, np.nan, np.inf])
def test_no_path_is_slower_by_such_a_factor(factor):
    with refused(reason="INVALID_OPTION", field="factor"):
        MOTION.slower(factor)
