"""Samples of motions from files of all kinds."""

import sys

import numpy as np
import pytest
import torqued
from conftest import refused, same_bits
from motions import PANDA, positions, same_motion, swinging

MOTION = swinging(40)
NAMED = ("move.csv", "move.npz", "move.yaml", "move.yml", "move.json")


@pytest.mark.parametrize("motion", [MOTION, positions(MOTION)],
                         ids=["rates", "positions"])
@pytest.mark.parametrize("name", NAMED)
def test_what_is_written_is_read(tmp_path, name, motion):
    motion.write(tmp_path / name)
    read = torqued.Trajectory.read(tmp_path / name)
    assert same_motion(read, motion) and read.joint_names == PANDA
    assert read.file == str(tmp_path / name) and read.unused == ()
    assert len(read) == 40 and read.duration == MOTION.duration


@pytest.mark.parametrize("name", ["move.npy", "move.csv", "move.npz"])
@pytest.mark.parametrize("motion", [MOTION, positions(MOTION)],
                         ids=["rates", "positions"])
def test_columns_without_names_are_the_joints_that_are_given(tmp_path, name, motion):
    unnamed = torqued.Trajectory(motion.time, motion.q, motion.v, motion.a)
    unnamed.write(tmp_path / name)
    assert same_motion(torqued.Trajectory.read(tmp_path / name, PANDA), motion)
    with refused(torqued.FileError, "`joints`", reason="WRONG_JOINT_NAMES"):
        torqued.Trajectory.read(tmp_path / name)
    # Six joints have another number of columns, or names beside seven.
    with refused(reason="WRONG_COLUMN_COUNT"):
        torqued.Trajectory.read(tmp_path / name, PANDA[:6])


@pytest.mark.parametrize("name", NAMED)
def test_some_joints_of_a_file_in_another_order(tmp_path, name):
    MOTION.write(tmp_path / name)
    names = [PANDA[4], PANDA[1]]
    read = torqued.Trajectory.read(tmp_path / name, joints=names)
    assert read.joint_names == tuple(names)
    for part in ("q", "v", "a"):
        assert same_bits(getattr(read, part), getattr(MOTION, part)[:, [4, 1]].copy())
    assert {text.partition(".")[0] for text in read.unused} == (set(PANDA) - set(names))
    with refused(torqued.FileError, "elbow", joint="elbow"):
        torqued.Trajectory.read(tmp_path / name, joints=["elbow"])


def test_a_wrench_is_kept_by_npz_alone(tmp_path):
    motion = swinging(9, tip_wrench=np.arange(6.0))
    assert motion.tip_wrench.shape == (9, 6)
    motion.write(tmp_path / "move.npz")
    assert same_motion(torqued.Trajectory.read(tmp_path / "move.npz"), motion)
    for name in ("move.csv", "move.npy", "move.json"):
        with pytest.raises(torqued.InvalidArgument, match="tip_wrench"):
            motion.write(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_other_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        torqued.Trajectory.read(tmp_path / "nothing.csv")
    for content in (b"", b"#ROSBAG V2.0\n" + bytes(range(256))):
        (tmp_path / "move.bag").write_bytes(content)
        with pytest.raises(torqued.FileError, match="move.bag"):
            torqued.Trajectory.read(tmp_path / "move.bag")
    with pytest.raises(torqued.InvalidArgument, match="ends in none of .csv"):
        MOTION.write(tmp_path / "move.txt")
    with pytest.raises(torqued.InvalidArgument, match="joint_names"):
        torqued.Trajectory([0], [[0]]).write(tmp_path / "move.json")
    with pytest.raises(torqued.InvalidArgument, match="both v and a"):
        torqued.Trajectory([0], [[0]], [[0]]).write(tmp_path / "move.npy")


def test_without_yaml_there_is_json(tmp_path, monkeypatch):
    MOTION.write(tmp_path / "move.yaml")
    MOTION.write(tmp_path / "move.json")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="PyYAML"):
        torqued.Trajectory.read(tmp_path / "move.yaml")
    assert same_motion(torqued.Trajectory.read(tmp_path / "move.json"), MOTION)
