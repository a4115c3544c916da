"""Samples of motions from arrays, and what is wrong with some."""

import pickle

import numpy as np
import pytest
import torqued
from conftest import same_bits
from motions import PANDA, positions, same, swinging

MOTION = swinging(40)


def test_arrays_and_tables_by_name(panda):
    by_name = [dict(zip(PANDA, part.T)) for part in (MOTION.q, MOTION.v, MOTION.a)]
    assert same(torqued.Trajectory(MOTION.time, *by_name), MOTION)
    turned = torqued.Trajectory(
        MOTION.time, dict(reversed(by_name[0].items())), *by_name[1:])
    assert turned.joint_names == PANDA[::-1]
    assert same(turned.in_order(PANDA), MOTION)
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
    assert same(pickle.loads(pickle.dumps(MOTION)), MOTION)
    assert "40 samples of 7 joints" in repr(MOTION)


def changed(name, row, column, value):
    numbers = getattr(MOTION, name).copy()
    numbers[row if column is None else (row, column)] = value
    parts = {part: getattr(MOTION, part) for part in ("time", "q", "v", "a")}
    return {**parts, name: numbers}


BAD_ARRAYS = {
    "time goes back": (changed("time", 7, None, 0.0), "INVALID_SAMPLE",
                       "time[7]", 7, ""),
    "time stands still": (
        changed("time", 7, None, MOTION.time[6]), "INVALID_SAMPLE", "time[7]",
        7, ""),
    "no time": (changed("time", 3, None, np.nan), "INVALID_SAMPLE", "time[3]",
                3, ""),
    "no number": (changed("v", 8, 2, np.inf), "INVALID_SAMPLE", "v[8][2]", 8,
                  PANDA[2]),
    "rows": ({"time": MOTION.time, "q": MOTION.q[1:]}, "WRONG_ROW_COUNT", "q",
             None, ""),
    "columns": ({"time": MOTION.time, "q": MOTION.q, "v": MOTION.v[:, 1:]},
                "WRONG_COLUMN_COUNT", "v", None, ""),
    "columns of names": ({"time": MOTION.time, "q": MOTION.q[:, 1:]},
                         "WRONG_COLUMN_COUNT", "q", None, ""),
    "one sample without rows": (
        {"time": [0], "q": np.zeros(7)}, "WRONG_ROW_COUNT", "q", None, ""),
    "no samples": ({"time": [], "q": np.zeros((0, 7))}, "MISSING_INPUT",
                   "time", None, ""),
    "times in columns": ({"time": np.zeros((40, 2)), "q": MOTION.q},
                         "WRONG_COLUMN_COUNT", "time", None, ""),
    "text": ({"time": MOTION.time, "q": [["x"] * 7] * 40}, "MALFORMED_ARRAY",
             "q", None, ""),
    "wrench": ({"time": MOTION.time, "q": MOTION.q,
                "tip_wrench": np.zeros((40, 5))}, "WRONG_COLUMN_COUNT",
               "tip_wrench", None, ""),
    "wrench that is no number": (
        {"time": MOTION.time, "q": MOTION.q, "tip_wrench": [np.nan] * 6},
        "INVALID_SAMPLE", "tip_wrench[0][0]", 0, ""),
    "joint twice": ({"time": MOTION.time, "q": MOTION.q,
                     "joint_names": ["a"] * 7}, "WRONG_JOINT_NAMES",
                    "joint_names", None, "a")}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_arrays_that_are_no_trajectory(name):
    arrays, reason, field, row, joint = BAD_ARRAYS[name]
    with pytest.raises(torqued.InvalidArgument) as caught:
        torqued.Trajectory(**{"joint_names": PANDA, **arrays})
    error = caught.value
    assert (error.reason.name, error.field, error.row, error.joint) == (
        reason, field, row, joint)


@pytest.mark.parametrize("factor", [0, -1, np.nan, np.inf, "2", True])
def test_no_path_is_slower_by_such_a_factor(factor):
    with pytest.raises(torqued.InvalidArgument) as caught:
        MOTION.slower(factor)
    assert caught.value.field == "factor"
    assert caught.value.reason is torqued.Reason.INVALID_OPTION


def test_one_string_is_no_list_of_joints():
    with pytest.raises(torqued.InvalidArgument, match="list") as caught:
        torqued.Trajectory(MOTION.time, MOTION.q, joint_names="a,b,c,d,e,f,g")
    assert caught.value.field == "joint_names"
