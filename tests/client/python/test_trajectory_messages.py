"""Samples of motions as messages of ROS."""


import numpy as np
import pytest
import torqued
import yaml
from messages import ROS_1, read_text
from motions import same


def test_messages_as_the_tools_print_them(tmp_path):
    first = read_text(tmp_path, ROS_1)
    assert first.joint_names == ("shoulder", "on")
    assert first.time.tolist() == [0.1, 1.3]
    assert first.q.tolist() == [[0, -1.5], [10, 1]]
    assert first.v.tolist() == [[0.1, 1e-5], [1, 2]]
    assert first.a.tolist() == [[-2e-3, 0.5], [0, 0]]


@pytest.mark.parametrize("compiled", [True, False])
def test_either_parser_of_yaml_will_do(tmp_path, monkeypatch, compiled):
    expected = read_text(tmp_path, ROS_1)
    if not compiled:
        monkeypatch.delattr(yaml, "CLoader")
    assert same(read_text(tmp_path, ROS_1), expected)
    for text in ('"\\Uffffffff"', '"\\U7fffffff"', "[" * 100_000,
                 "%YAML " + "9" * 5000 + ".1\n--- a", "a: [", "a: \0"):
        with pytest.raises(torqued.FileError, match="YAML"):
            read_text(tmp_path, text)


@pytest.mark.parametrize("name", ["move.yaml", "move.json"])
@pytest.mark.parametrize("times, row", [
    ([0, 2.0**31], 1), ([-2.0**31 - 1, 0], 0), ([0, 1e300], 1),
    ([0, 1e-10], 1), ([1, 1.25, 1.25 + 3e-10], 2), ([0, 2**31 - 1 + 0.9999999999], 1)])
def test_times_that_do_not_fit_the_message(tmp_path, name, times, row):
    motion = torqued.Trajectory(times, np.zeros((len(times), 1)), joint_names=["j"])
    with pytest.raises(torqued.FileError, match="does not fit") as caught:
        motion.write(tmp_path / name)
    error = caught.value
    assert (error.row, error.column) == (row, "time")
    assert error.reason is torqued.Reason.INVALID_SAMPLE
    assert not (tmp_path / name).exists()


def test_what_is_written_for_ros_is_numbers_to_others(tmp_path):
    small = torqued.Trajectory([0, 1], [[1e-5], [1e22]], joint_names=["on"])
    small.write(tmp_path / "move.yaml")
    message = yaml.safe_load((tmp_path / "move.yaml").read_text())
    assert message["joint_names"] == ["on"]
    assert [point["positions"] for point in message["points"]] == [[1e-5], [1e22]]
