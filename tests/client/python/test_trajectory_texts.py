"""Samples of motions as text, and texts that are none."""

import re

import numpy as np
import pytest
import torqued
import yaml
from conftest import refused

# What the tools print: a message, then the end of the document.
ROS_1 = """header: {seq: 3, stamp: {secs: 0, nsecs: 0}, frame_id: ''}
joint_names:
  - shoulder
  - 'on'
points:
  -
    positions: [0.0, -1.5]
    velocities: [0.1, 1e-05]
    accelerations: [-2e-3, .5]
    effort: []
    time_from_start:
      secs: 0
      nsecs: 100000000
  -
    positions: [010, 1.0]
    velocities: [1.0, 2]
    accelerations: [0.0, 0.0]
    effort: []
    time_from_start:
      secs: 1
      nsecs:  300000000
---
"""
# Beside those of tests/conformance/trajectory_files.json.
# text: (suffix, line, row, column, joint, a word of the message)
BAD_TEXTS = {
    "time,j\n0,0\n": (".csv", None, None, "", "", "no column <joint>.q"),
    "{": (".json", 1, None, "", "", "is not JSON"),
    '{"a": "' + "\\\"" * 100_000: (".json", 1, None, "", "", "JSON"),
    "a:\n  b: 1\n c: 2": (".yaml", 3, None, "", "", "is not YAML"),
    "a: 1\nb: \4": (".yaml", None, None, "", "", "control characters"),
    "---\n": (".yaml", None, None, "", "", "0 messages"),
    "? [a]\n: 1\n": (".yaml", 1, None, "", "", "single word"),
    "!!python/object/apply:os.getcwd []": (".yaml", None, None, "", "", "points"),
    "joint_names: [j]\npoints: ['...']\n": (
        ".yaml", None, 0, "time_from_start", "", "--full-length")}


def read_text(tmp_path, text, suffix=".yaml"):
    path = tmp_path / f"move{suffix}"
    path.write_text(text, encoding="utf-8")
    return torqued.Trajectory.read(path)


@pytest.mark.parametrize("text", BAD_TEXTS, ids=range(len(BAD_TEXTS)))
def test_text_that_is_no_trajectory(tmp_path, text):
    suffix, line, row, column, joint, word = BAD_TEXTS[text]
    path = str(tmp_path / f"move{suffix}")
    with refused(torqued.FileError, f"^{path}.*{re.escape(word)}", file=path, line=line,
                 row=row, column=column, joint=joint, code="INVALID_ARGUMENT"):
        read_text(tmp_path, text, suffix)


@pytest.mark.parametrize("suffix", [".csv", ".yaml", ".json"])
def test_a_file_of_nothing_or_of_other_bytes(tmp_path, suffix):
    path = tmp_path / f"move{suffix}"
    for content in (b"", b"\xff\xfe\x00", bytes(range(256))):
        path.write_bytes(content)
        with pytest.raises(torqued.FileError, match="move"):
            torqued.Trajectory.read(path)


@pytest.mark.parametrize("compiled", [True, False])
def test_either_parser_of_yaml_will_do(tmp_path, monkeypatch, compiled):
    if not compiled:
        monkeypatch.delattr(yaml, "CLoader")
    read = read_text(tmp_path, ROS_1)
    assert read.joint_names == ("shoulder", "on")
    assert read.time.tolist() == [0.1, 1.3]
    assert read.q.tolist() == [[0, -1.5], [10, 1]]
    assert read.v.tolist() == [[0.1, 1e-5], [1, 2]]
    assert read.a.tolist() == [[-2e-3, 0.5], [0, 0]]
    for text in ('"\\Uffffffff"', '"\\U7fffffff"', "[" * 100_000,
                 "%YAML " + "9" * 5000 + ".1\n--- a", "a: [", "a: \0"):
        with pytest.raises(torqued.FileError, match="YAML"):
            read_text(tmp_path, text)


@pytest.mark.parametrize("name", ["move.yaml", "move.json"])
@pytest.mark.parametrize("times, row", [
    ([0, 2.0**31], 1), ([-2.0**31 - 1, 0], 0), ([0, 1e300], 1),
    ([0, 2**31 - 1 + 0.9999999999], 1)])
def test_times_that_do_not_fit_the_message(tmp_path, name, times, row):
    motion = torqued.Trajectory(times, np.zeros((len(times), 1)), joint_names=["j"])
    with refused(torqued.FileError, "does not fit", row=row, column="time",
                 reason="INVALID_SAMPLE"):
        motion.write(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_what_is_written_for_ros_is_numbers_to_others(tmp_path):
    small = torqued.Trajectory([0, 1], [[1e-5], [1e22]], joint_names=["on"])
    small.write(tmp_path / "move.yaml")
    message = yaml.safe_load((tmp_path / "move.yaml").read_text())
    assert message["joint_names"] == ["on"]
    assert [point["positions"] for point in message["points"]] == [[1e-5], [1e22]]
