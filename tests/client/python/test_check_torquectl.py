"""What torquectl says of the same file, verdicts say."""

import json

import numpy as np
import pytest
import torqued
from conftest import same_bits
from joint_limits import limits_of
from motions import MOTION, PANDA, ask_torquectl, same, torques


@pytest.mark.parametrize("words, flags", [
    ({}, []),
    ({"payload": torqued.Payload(mass=3), "task": True, "viscous_friction": True},
     ["--payload", "3", "--task", "--viscous-friction"]),
    ({"derive": "quintic", "derating": 0.2, "merge_gap": 0.1},
     ["--derive", "quintic_spline", "--derating", "0.2", "--merge-gap", "0.1"]),
    ({"tip_wrench_on_environment": [0, 1, 0, 2, 0, 30], "tip_wrench_reference_frame": "world",
      "tip_frame": "panda_link7"},
     ["--tip-wrench-on-environment", "0,1,0,2,0,30", "--tip-wrench-reference-frame", "world", "--tip-frame",
      "panda_link7"]),
    ({"limits": True}, ["--limits"])])
def test_the_verdict_is_that_of_torquectl(client, panda, tmp_path, words, flags):
    move = tmp_path / "move.csv"
    MOTION.write(move)
    if "limits" in words:
        path = tmp_path / "limits.json"
        path.write_text(json.dumps(limits_of({PANDA[1]: {
            "effort_limit": 30, "torque_speed": [[0, 30], [2, 10]], "armature": 0.1,
            "upper": 1}})))
        words, flags = {"limits": path}, [*flags, str(path)]
    verdict = panda.check_trajectory(move, **words)
    code, expected = ask_torquectl(client, move, *flags)
    said = verdict.to_dict()
    assert said.pop("seconds") > 0 and expected.pop("seconds") > 0
    assert said["inputs"] == expected["inputs"]
    # What is as it would be without it, one leaves out and the other says.
    asked, other = said.pop("asked"), expected.pop("asked")
    assert said == expected and said["echo"]["server_version"]
    assert said["echo"]["revision"] == panda.revision
    for name in ("model", "drives", "position_limits", "tip_wrench_profile",
                 "derating", "merge_gap", "derive", "consistent"):
        assert asked.get(name) == other.get(name), name
    assert asked["options"]["joint_names"] == list(PANDA)
    assert verdict.asked.derating == words.get("derating")
    assert code == (0 if verdict.passes else 2)
    assert json.loads(verdict.to_json())["violations"] == expected["violations"]


# Times of the motion, and others.
PROFILE = np.column_stack([
    np.sort(np.append(MOTION.time[::50], np.linspace(0.001, 4, 77))),
    np.random.default_rng(5).uniform(-5, 5, (127, 6))])
HEADER = "time,mx,my,mz,fx,fy,fz"


def write_profile(path, header=HEADER, table=PROFILE):
    np.savetxt(path, table, "%.17g", ",", header=header, comments="")
    return path


def test_a_profile_of_wrenches(client, panda, tmp_path):
    path = write_profile(tmp_path / "push.csv")
    MOTION.write(tmp_path / "move.csv")
    verdict = panda.check_trajectory(
        tmp_path / "move.csv", tip_wrench_on_environment=path, tables=["tau"])
    wrench = np.column_stack([
        np.interp(MOTION.time, PROFILE[:, 0], PROFILE[:, k])
        for k in range(1, 7)])
    assert np.abs(verdict.tables["tau"] - torques(
        panda, MOTION, tip_wrench_on_environment=wrench)).max() < 1e-12
    said, expected = verdict.to_dict(), ask_torquectl(
        client, tmp_path / "move.csv", "--tip-wrench-profile", str(path))[1]
    for name in ("joints", "payload", "slow_down", "inputs"):
        assert said[name] == expected[name]
    np.save(tmp_path / "push.npy", PROFILE)
    for other in (tmp_path / "push.npy",
                  write_profile(tmp_path / "turned.csv", "fz,fy,fx,mz,my,mx,time",
                                PROFILE[:, ::-1])):
        assert same(panda.check_trajectory(
            MOTION, tip_wrench_on_environment=str(other), tables=["tau"]), verdict)


def spoilt_profile(row, column, number):
    table = PROFILE.copy()
    table[row, column] = number
    return table


@pytest.mark.parametrize("header, table, row, word", [
    (HEADER, spoilt_profile(3, 2, np.nan), 3, "finite"),
    (HEADER.replace("mz", "my"), PROFILE, None, "has time, mx, my, my, fx"),
    ("", PROFILE[:, 1:], None, "this file has 6")])
def test_a_profile_that_cannot_be_used(panda, tmp_path, header, table, row, word):
    path = write_profile(tmp_path / "push.csv", header, table)
    with pytest.raises(torqued.FileError, match="push.csv") as caught:
        panda.check_trajectory(MOTION, tip_wrench_on_environment=path)
    assert caught.value.row == row
    assert word in str(caught.value)
    (tmp_path / "push.json").write_text("{}")
    with pytest.raises(torqued.FileError, match="CSV or NPY"):
        panda.check_trajectory(MOTION, tip_wrench_on_environment=tmp_path / "push.json")


def test_torques_are_written_as_torquectl_writes_them(client, panda, tmp_path):
    move, tau = tmp_path / "move.csv", tmp_path / "tau"
    MOTION.write(move)
    verdict = panda.check_trajectory(move, tables=["tau"])
    torques = verdict.tables["tau"]
    ask_torquectl(client, move, "--torques", tmp_path / "theirs.csv")
    for suffix in (".csv", ".npy", ".npz", ".json"):
        verdict.write_torques(tau.with_suffix(suffix))
    ours, theirs = tau.with_suffix(".csv"), tmp_path / "theirs.csv"
    assert ours.open().readline() == theirs.open().readline()
    assert same_bits(*(np.loadtxt(path, delimiter=",", skiprows=1)
                       for path in (ours, theirs)))
    assert same_bits(np.load(tau.with_suffix(".npy")), torques)
    with np.load(tau.with_suffix(".npz")) as arrays:
        assert same_bits(arrays["tau"], torques) and same_bits(arrays["q"], MOTION.q)
        assert tuple(arrays["joint_names"]) == PANDA
    message = json.loads(tau.with_suffix(".json").read_text())
    assert same_bits(np.array([point["effort"] for point in message["points"]]), torques)
    back = torqued.Trajectory.read(tau.with_suffix(".json"))
    assert same_bits(back.q, MOTION.q) and same_bits(back.a, MOTION.a)
    with pytest.raises(torqued.InvalidArgument, match="tables"):
        panda.check_trajectory(move).write_torques(tmp_path / "x.csv")
    with pytest.raises(torqued.InvalidArgument, match="ends in none"):
        verdict.write_torques(tau.with_suffix(".txt"))
