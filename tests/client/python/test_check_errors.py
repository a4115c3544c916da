"""What cannot be checked."""

import json
import re

import numpy as np
import pytest
import torqued
from conftest import refused
from motions import MOTION, PANDA, WRENCH, positions, swinging


@pytest.mark.parametrize("motion, words, reason, field, joint", [
    (MOTION, {"limits": {"drives": [{"dof": PANDA[3], "effort_limit": -1}]}},
     "INVALID_OPTION", "start.drives[0].effort_limit", PANDA[3]),
    (MOTION, {"limits": {"model": "x"}}, "INVALID_OPTION", "limits", ""),
    (MOTION, {"limits": 5}, "INVALID_OPTION", "limits", ""),
    (MOTION, {"derating": 0}, "INVALID_OPTION", "start.derating", ""),
    (MOTION, {"tip_wrench_on_environment": [1, 2, 3]},
     "WRONG_COLUMN_COUNT", "tip_wrench", ""),
    (MOTION, {"tip_wrench_on_environment": WRENCH[:9]},
     "WRONG_ROW_COUNT", "tip_wrench", ""),
    (positions(MOTION), {}, "MISSING_INPUT", "v", ""),
    (torqued.Trajectory([0, 1], *[[[0] * 6 + [np.nan]] * 2] * 3), {}, "INVALID_SAMPLE",
     "q[0][6]", PANDA[6]),
    (torqued.Trajectory([1, 1], *[np.zeros((2, 7))] * 3), {}, "INVALID_SAMPLE",
     "time[1]", ""),
    (torqued.Trajectory(MOTION.time, *(part[:, 1:] for part in (
        MOTION.q, MOTION.v, MOTION.a))), {}, "WRONG_COLUMN_COUNT", "samples.q", ""),
    (swinging(9, joints=PANDA[:6]), {}, "WRONG_JOINT_NAMES", "joint_names", PANDA[6])])
def test_what_cannot_be_used_is_named(panda, motion, words, reason, field, joint):
    with refused(reason=reason, field=field, joint=joint):
        panda.check_trajectory(motion, **words)


def test_limits_that_the_server_refuses_are_told_with_their_file(panda, tmp_path):
    path = tmp_path / "limits.json"
    path.write_text(json.dumps({"position_limits": [
        {"coordinate": PANDA[1], "lower": 3, "upper": 1}]}))
    with refused(torqued.FileError, "limits.json", file=str(path), joint=PANDA[1],
                 field="start.position_limits[0].lower"):
        panda.check_trajectory(MOTION, limits=path)


@pytest.mark.parametrize("spoilt, reason, joint", [
    ({"joint_names": [*PANDA[:6], "joint7"]}, "WRONG_JOINT_NAMES", PANDA[6]),
    ({"v": None}, "MISSING_INPUT", ""),
    ({"tip_wrench": np.zeros(6)}, "INVALID_OPTION", "")])
def test_what_a_file_lacks_is_told_with_the_file(panda, tmp_path, spoilt, reason, joint):
    parts = {name: getattr(MOTION, name) for name in (
        "time", "q", "v", "a", "joint_names")}
    path = tmp_path / "move.npz"
    torqued.Trajectory(**{**parts, **spoilt}).write(path)
    # As a file, and as what was read of it.
    for given in (path, torqued.Trajectory.read(path)):
        with refused(torqued.FileError, "move.npz", reason=reason, joint=joint):
            panda.check_trajectory(given, tip_wrench_on_environment=np.zeros(6))


@pytest.mark.parametrize("text, where", [
    ("{", "not JSON"), ('{"a": 1}', '"a"'), ("", "not JSON"),
    ("[]", 'not an object; limits are written like {"drives": [{"dof"'),
    ('{"drives": [{"dof": "a", "efort": 1}]}', "efort"),
    ('{"drives": [], "drives": []}', "'drives' appears twice"),
    ("joint_limits:\n  a: {max_velocity: 1}\n", "not JSON"),
    ('{"drives": [{"dof": "a", "effort_limit": NaN}]}', "not JSON: it has no NaN"),
    ('{"\xe4": {}}'.encode("latin-1"), "not JSON")])
def test_a_file_of_limits_that_cannot_be_used_is_named(panda, tmp_path, text, where):
    path = tmp_path / "limits.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    line = {"line": 1} if text == "{" else {}
    with refused(torqued.FileError, f"limits.json(.|\n)*{re.escape(where)}", **line):
        panda.check_trajectory(MOTION, limits=path)
