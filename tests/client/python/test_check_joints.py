"""Joints of a trajectory, and the columns that count."""

import pytest
import torqued
from conftest import same_bits
from motions import MOTION, PANDA, ask_torquectl, same, swinging


def test_columns_are_matched_by_name(panda):
    order = [4, 1, 6, 0, 5, 2, 3]
    names = [PANDA[k] for k in order]
    turned = torqued.Trajectory(
        MOTION.time, *(part[:, order] for part in (
            MOTION.q, MOTION.v, MOTION.a)), joint_names=names)
    plain = panda.check_trajectory(MOTION, tables=["tau"])
    assert same(panda.check_trajectory(turned, tables=["tau"]), plain)
    other = panda.with_options(joint_names=names)
    for motion in (turned, MOTION, torqued.Trajectory(
            turned.time, turned.q, turned.v, turned.a)):
        verdict = other.check_trajectory(motion, tables=["tau"])
        assert verdict.joints.joint == tuple(names)
        assert same_bits(verdict.tables["tau"], plain.tables["tau"][:, order].copy())


FINGERS = swinging(50, joints=("finger_1", *PANDA, "finger_2"))
HAND_ALONE = FINGERS.in_order(PANDA)


@pytest.mark.parametrize("name", ["", "move.csv", "move.npz", "move.yaml", "move.json"])
def test_joints_that_are_not_the_robots_are_left_out(client, panda, tmp_path, name):
    assert {"finger_1", "finger_2"} == set(HAND_ALONE.unused)
    given = tmp_path / name if name else FINGERS
    if name:
        FINGERS.write(given)
    expected = panda.check_trajectory(HAND_ALONE, tables=["tau"])
    with pytest.warns(torqued.LeftOutWarning, match="finger_1, finger_2") as caught:
        verdict = panda.check_trajectory(given, tables=["tau"])
    assert same(verdict, expected) and len(caught) == 1
    assert caught[0].filename == __file__ and name in str(caught[0].message)

    if name:
        assert ask_torquectl(client, given)[1]["joints"] == (expected.to_dict()["joints"])
