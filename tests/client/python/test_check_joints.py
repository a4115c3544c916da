"""Joints of a trajectory, and the columns that count."""

import asyncio
import json

import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import same_bits
from motions import PANDA, ask_torquectl, positions, swinging
from verdicts import MOTION, same, written, written_lines


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


def test_only_rates_that_count_are_read(panda, tmp_path):
    expected = panda.check_trajectory(positions(MOTION), derive="cubic",
                                      tables=["v", "a"])
    lines = [line.split(",") for line in written_lines(MOTION, tmp_path)]
    dropped = lines[0].index(f"{PANDA[3]}.v")
    path = tmp_path / "some.csv"
    path.write_text("\n".join(",".join(
        cell for column, cell in enumerate(cells) if column != dropped)
        for cells in lines))
    verdict = panda.check_trajectory(path, derive="cubic", tables=["v", "a"])
    assert same(verdict, expected) and verdict.trajectory.v is None
    assert f"{PANDA[0]}.v" in verdict.trajectory.unused
    with pytest.raises(torqued.FileError) as caught:
        panda.check_trajectory(path)
    assert caught.value.joint == PANDA[3]
    message = json.loads(written(MOTION, tmp_path / "move.json").read_text())
    del message["points"][3]["velocities"]
    (tmp_path / "some.json").write_text(json.dumps(message))
    np.savez(tmp_path / "some.npz", time=MOTION.time, q=MOTION.q,
             v=MOTION.v[:9], a=np.array(["no", "numbers"]), joint_names=np.array(PANDA))
    for name in ("some.json", "some.npz"):
        assert same(panda.check_trajectory(
            tmp_path / name, derive="cubic", tables=["v", "a"]), expected)
        with pytest.raises(torqued.FileError):
            panda.check_trajectory(tmp_path / name)
    plain = torqued.Trajectory(MOTION.time, MOTION.q, MOTION.v, MOTION.a)
    plain.write(tmp_path / "plain.csv")
    assert same(panda.check_trajectory(
        torqued.Trajectory.read(tmp_path / "plain.csv", PANDA),
        derive="cubic", tables=["v", "a"]), expected)


FINGERS = swinging(50, joints=("finger_1", *PANDA, "finger_2"))
HAND_ALONE = FINGERS.in_order(PANDA)


@pytest.mark.parametrize("name", ["", "move.csv", "move.npz", "move.yaml", "move.json"])
def test_joints_that_are_not_the_robots_are_left_out(client, panda, tmp_path, name):
    assert {"finger_1", "finger_2"} == set(HAND_ALONE.unused)
    given = written(FINGERS, tmp_path / name) if name else FINGERS
    expected = panda.check_trajectory(HAND_ALONE, tables=["tau"])
    with pytest.warns(torqued.LeftOutWarning, match="finger_1, finger_2") as caught:
        verdict = panda.check_trajectory(given, tables=["tau"])
    assert same(verdict, expected) and len(caught) == 1
    assert caught[0].filename == __file__ and name in str(caught[0].message)

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            return await robot.check_trajectory(given, tables=["tau"])

    with pytest.warns(torqued.LeftOutWarning) as caught:
        assert same(asyncio.run(compute()), expected)
    assert caught[0].filename == __file__
    if name:
        assert ask_torquectl(client, given)[1]["joints"] == (expected.to_dict()["joints"])
