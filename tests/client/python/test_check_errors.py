"""What cannot be checked."""

import json

import numpy as np
import pytest
import torqued
from motions import PANDA, positions, swinging
from verdicts import MOTION, WRENCH


BAD_OPTIONS = {
    "limit of a joint that there is not": (
        {"limits": {PANDA[1]: {"effort": 5}, "elbow": {"effort": 1}}},
        "INVALID_OPTION", "limits['elbow']", "elbow"),
    "negative effort": (
        {"limits": {PANDA[3]: {"effort": -1}}},
        "INVALID_OPTION", "limits['panda_joint4'].effort", PANDA[3]),
    "negative armature": (
        {"limits": {PANDA[2]: {"armature": -1}}},
        "INVALID_OPTION", "limits['panda_joint3'].armature", PANDA[2]),
    "speeds that fall": (
        {"limits": {PANDA[2]: {"torque_at_speed": [(2, 1), (1, 1)]}}},
        "INVALID_OPTION", "limits['panda_joint3'].torque_at_speed", PANDA[2]),
    "no member": (
        {"limits": {PANDA[2]: {"torque": 1}}},
        "INVALID_OPTION", "limits['panda_joint3']", PANDA[2]),
    "no number": (
        {"limits": {PANDA[2]: {"effort": "87"}}},
        "INVALID_OPTION", "limits['panda_joint3'].effort", PANDA[2]),
    "a joint without a name": (
        {"limits": {"": {"effort": 3}}}, "INVALID_OPTION", "limits['']", ""),
    "a joint that there is not, without members": (
        {"limits": {"elbow": {}}}, "INVALID_OPTION", "limits['elbow']",
        "elbow"),
    "a curve of nothing": (
        {"limits": {PANDA[2]: {"torque_at_speed": []}}},
        "INVALID_OPTION", "limits['panda_joint3'].torque_at_speed", PANDA[2]),
    "no pairs": (
        {"limits": {PANDA[2]: {"torque_at_speed": [1, 2]}}},
        "INVALID_OPTION", "limits['panda_joint3'].torque_at_speed", PANDA[2]),
    "no members": ({"limits": {PANDA[2]: 87}},
                   "INVALID_OPTION", "limits['panda_joint3']", PANDA[2]),
    "derating": ({"derating": 1.5}, "INVALID_OPTION", "start.derating", ""),
    "no derating": ({"derating": 0}, "INVALID_OPTION", "start.derating", ""),
    "words for a derating": (
        {"derating": "half"}, "INVALID_OPTION", "derating", ""),
    "gap": ({"merge_gap": -1}, "INVALID_OPTION", "start.merge_gap", ""),
    "derive": ({"derive": "linear"}, "INVALID_OPTION", "derive", ""),
    "table": ({"tables": ["tau", "torques"]}, "INVALID_OPTION", "tables", ""),
    "table twice": (
        {"tables": ["tau", "tau"]}, "INVALID_FIELD", "start.tables[1]", ""),
    "table of no task": (
        {"tables": ["condition"]}, "INVALID_FIELD", "start.tables[0]", ""),
    "tip frame": ({"tip_frame": "nowhere"}, "UNKNOWN_FRAME",
                  "start.options.tip_frame", ""),
    "wrench": ({"tip_wrench_on_environment": [1, 2, 3]}, "WRONG_COLUMN_COUNT", "tip_wrench",
               ""),
    "wrenches": ({"tip_wrench_on_environment": WRENCH[:9]}, "WRONG_ROW_COUNT", "tip_wrench",
                 ""),
    "gravity": ({"gravity": "down"}, "INVALID_OPTION", "gravity", ""),
    "a number for limits": ({"limits": 5}, "INVALID_OPTION", "limits", ""),
    "a number for tables": ({"tables": 5}, "INVALID_OPTION", "tables", "")}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_an_option_that_cannot_be_used_is_named(panda, name):
    words, reason, field, joint = BAD_OPTIONS[name]
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(MOTION, **words)
    error = caught.value
    assert (error.reason.name, error.field, error.joint) == (
        reason, field, joint)


@pytest.mark.parametrize("limits, member, joint", [
    ({"elbow": {"effort": 1}}, "joint", "elbow"),
    ({PANDA[3]: {"effort": -1}}, "effort", PANDA[3]),
    ({PANDA[3]: {"effort": 1}, PANDA[2]: {"torque_at_speed": [[2, 1], [1, 1]]}},
     "torque_at_speed", PANDA[2]),
    ({PANDA[1]: {"lower": 3, "upper": 1}}, "", PANDA[1])])
def test_limits_that_the_server_refuses_are_told_with_their_file(
        panda, tmp_path, limits, member, joint):
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(limits))
    with pytest.raises(torqued.FileError, match="limits.json") as caught:
        panda.check_trajectory(MOTION, limits=path)
    error = caught.value
    assert (error.file, error.joint) == (str(path), joint)
    assert member in error.column and repr(joint) in str(error)
    assert "bounds[" not in str(error)
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(MOTION, limits=limits)
    assert f"limits[{joint!r}]" in str(caught.value)
    assert "bounds[" not in str(caught.value)


@pytest.mark.parametrize("spoilt, reason, joint", [
    ({"joint_names": [*PANDA[:6], "joint7"]}, "WRONG_JOINT_NAMES", PANDA[6]),
    ({"v": None}, "MISSING_INPUT", ""),
    ({"tip_wrench": np.zeros(6)}, "INVALID_OPTION", "")])
def test_what_a_file_lacks_is_told_with_the_file(panda, tmp_path, spoilt,
                                                 reason, joint):
    parts = {name: getattr(MOTION, name) for name in (
        "time", "q", "v", "a", "joint_names")}
    path = tmp_path / "move.npz"
    torqued.Trajectory(**{**parts, **spoilt}).write(path)
    # As a file, and as what was read of it.
    for given in (path, torqued.Trajectory.read(path)):
        with pytest.raises(torqued.FileError, match="move.npz") as caught:
            panda.check_trajectory(given, tip_wrench_on_environment=np.zeros(6))
        assert (caught.value.reason.name, caught.value.joint) == (reason, joint)


def test_other_keywords_are_refused(panda):
    for word in ("external_wrenches_on_robot", "fail_fast", "deratting"):
        with pytest.raises(TypeError, match=word):
            panda.check_trajectory(MOTION, **{word: None})


@pytest.mark.parametrize("motion, reason, field, joint", [
    (positions(MOTION), "MISSING_INPUT", "v", ""),
    (torqued.Trajectory(MOTION.time, MOTION.q, MOTION.v), "MISSING_INPUT", "a",
     ""),
    (torqued.Trajectory(MOTION.time, MOTION.q[:, 1:], MOTION.v[:, 1:],
                        MOTION.a[:, 1:]),
     "WRONG_COLUMN_COUNT", "samples.q", ""),
    (swinging(9, joints=PANDA[:6]), "WRONG_JOINT_NAMES", "joint_names",
     PANDA[6])])
def test_a_trajectory_of_another_robot_is_refused(panda, motion, reason, field,
                                                  joint):
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(motion)
    error = caught.value
    assert (error.reason.name, error.field, error.joint) == (
        reason, field, joint)


def test_two_wrenches_are_refused(panda):
    motion = swinging(9, tip_wrench=np.zeros(6))
    with pytest.raises(torqued.InvalidArgument, match="of its own"):
        panda.check_trajectory(motion, tip_wrench_on_environment=np.zeros(6))


@pytest.mark.parametrize("text, where, joint", [
    ("{", "line", ""), ("[]", "object", ""), ('{"a": 1}', "'a'", "a"),
    ('{"": {"effort": 3}}', "''", ""), ('{"a": {}}', "no joint", "a"),
    ('{"%s": {}}' % ("a" * 200), "no joint", "a" * 200),
    ('{"panda_joint1": {"torque_at_speed": []}}', "no pair", "panda_joint1"),
    ('{"a": {"effort": true}}', "effort is not a number", "a"),
    ('{"a": {"efort": 1}}', "efort", "a"),
    ('{"a": {}, "b": {}, "a": {}}', "'a' stands there twice", ""),
    ('{"a": {"effort": 1, "effort": 2}}', "'effort' stands there twice", ""),
    ('{"a": {"torque_at_speed": [[1]]}}', "pairs", "a"),
    ("[" * 100_000, "no JSON object", ""),
    ("panda_joint1:\n  effort: 3\n", "no JSON object with a member for each "
     'joint, like {"elbow_joint": {"velocity": 2, "effort": 120}}', ""),
    ("", "no JSON object", ""), ("<robot/>", "no JSON object", ""),
    ("joint_limits: {}\n", "of MoveIt", ""),
    ("joint_limits: [1, 2]\n", "of MoveIt", ""),
    ("joint_limits: {a: 1}\n", "of MoveIt", ""),
    ('{"joint_limits": {"a": {"max_velocity": 1}}}', '{"a": {"velocity": 1', ""),
    ("joint_limits: " + "[" * 100_000, "no JSON object", ""),
    ('{"a": ' + "[" * 8 + "1" + "]" * 8 + "}", "nested too deeply", ""),
    ('{"a": ' + "[" * 7 + "1" + "]" * 7 + "}", "no members", "a"),
    ('{"panda_joint1": {"effort": NaN}}', "not JSON: it has no NaN", ""),
    ('{"\xe4": {}}'.encode("latin-1"), "not UTF-8", "")])
def test_a_file_of_limits_that_cannot_be_used_is_named(panda, tmp_path, text,
                                                       where, joint):
    path = tmp_path / "limits.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(torqued.FileError, match="limits.json") as caught:
        panda.check_trajectory(MOTION, limits=path)
    if where == "line":
        assert caught.value.line == 1
    else:
        assert where in str(caught.value)
    assert caught.value.joint == joint


MOVEIT = """default_velocity_scaling_factor: 0.1
joint_limits:
  panda_joint1:
    has_velocity_limits: true
    max_velocity: 2.175
    has_acceleration_limits: true
    max_acceleration: 3.75
  panda_joint2:
    has_velocity_limits: false
    max_velocity: 0
    has_effort_limits: true
    max_effort: 80
    has_position_limits: true
    min_position: -1.5
    max_position: 1.5
"""


def test_limits_of_moveit_are_told_what_to_write_instead(panda, tmp_path):
    path = tmp_path / "joint_limits.yaml"
    path.write_text(MOVEIT)
    with pytest.raises(torqued.FileError) as caught:
        panda.check_trajectory(MOTION, limits=path)
    said = str(caught.value)
    assert said.startswith(f"{path}: is a joint_limits.yaml of MoveIt, which is "
                           "not read; ")
    instead = said[said.index("{"):said.rindex("}") + 1]
    assert json.loads(instead) == {
        PANDA[0]: {"velocity": 2.175},
        PANDA[1]: {"effort": 80, "lower": -1.5, "upper": 1.5}}
    path.write_text(instead)
    assert panda.check_trajectory(MOTION, limits=path).samples == len(MOTION)
