"""What torquectl says of the same file, verdicts say."""

import json

import numpy as np
import pytest
import torqued
from conftest import same_bits
from motions import PANDA, ask_torquectl, run_torquectl
from verdicts import MOTION, same, torques


@pytest.mark.parametrize("words, flags", [
    ({}, []),
    ({"payload": torqued.Payload(mass=3), "task": True, "viscous_friction": True},
     ["--payload", "3", "--task", "--viscous-friction"]),
    ({"derive": "quintic", "derating": 0.2, "merge_gap": 0.1},
     ["--derive", "quintic_spline", "--derating", "0.2", "--merge-gap", "0.1"]),
    ({"derive": "cubic", "consistent": True},
     ["--derive", "cubic_spline", "--consistent"]),
    ({"gravity": [9.81, 0, 0], "precision": "single"},
     ["--gravity", "9.81,0,0", "--precision", "single"]),
    ({"tip_wrench_on_environment": [0, 1, 0, 2, 0, 30], "tip_wrench_reference_frame": "world",
      "tip_frame": "panda_link7"},
     ["--tip-wrench-on-environment", "0,1,0,2,0,30", "--tip-wrench-reference-frame", "world", "--tip-frame",
      "panda_link7"]),
    ({"limits": True}, ["--limits"])])
def test_the_verdict_is_that_of_torquectl(client, panda, tmp_path, words,
                                          flags):
    move = tmp_path / "move.csv"
    MOTION.write(move)
    if "limits" in words:
        path = tmp_path / "limits.json"
        path.write_text(json.dumps({PANDA[1]: {
            "effort": 30, "torque_at_speed": [[0, 30], [2, 10]],
            "armature": 0.1}}))
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
    for name in ("model", "bounds", "drives", "derating", "merge_gap",
                 "derive", "consistent"):
        assert asked[name] == other[name], name
    assert asked["options"]["joint_names"] == list(PANDA)
    assert verdict.asked.derating == words.get("derating", 1)
    assert code == (0 if verdict.passes else 2)
    assert json.loads(verdict.to_json())["violations"] == expected["violations"]
    for path, text in ((tmp_path / "ours.json", verdict.to_json()),
                       (tmp_path / "theirs.json", json.dumps(
                           {**expected, "asked": other, "seconds": 1}))):
        path.write_text(text)
    for both in (("ours", "theirs"), ("theirs", "ours"), ("ours", "ours")):
        code, report = run_torquectl("trajectory", "compare", *(
            tmp_path / f"{name}.json" for name in both))
        assert code == 0 and not report["worse"]
        assert report["differences"] == []


@pytest.mark.parametrize("words, flags, differs", [
    ({"payload": torqued.Payload(mass=3)}, [], ["asked.options"]),
    ({"payload": torqued.Payload(mass=3)}, ["--payload", "3,0,0,0.1"],
     ["asked.options"]),
    ({"derating": 0.5}, [], ["asked.derating"]),
    ({"viscous_friction": True}, [], ["asked.options"]),
    ({"precision": "single"}, [], ["asked.options"]),
    ({"task": True, "characteristic_length": 2}, ["--task"],
     ["asked.operational_space"]),
    ({"tip_wrench_on_environment": [0, 0, 0, 0, 0, 50]}, ["--tip-wrench-on-environment", "0,0,0,0,0,80"],
     ["inputs"]),
    ({"task": True, "characteristic_length": 1, "rank_tolerance": 1e-6,
      "singularity": "report", "reference_frame": "local",
      "precision": "double", "gravity": None, "payload": torqued.Payload(
          mass=3, center_of_mass=[0, 0, 0])},
     ["--task", "--payload", "3"], [])])
def test_what_was_asked_is_compared_as_it_counts(client, panda, tmp_path,
                                                 words, flags, differs):
    MOTION.write(tmp_path / "move.csv")
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    ours.write_text(panda.check_trajectory(
        tmp_path / "move.csv", **words).to_json())
    ask_torquectl(client, tmp_path / "move.csv", "--summary", theirs, *flags)
    report = run_torquectl("trajectory", "compare", ours, theirs)[1]
    assert report["differences"] == differs


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
        client, tmp_path / "move.csv", "--wrench-profile", str(path))[1]
    for name in ("joints", "payload", "slow_down", "inputs"):
        assert said[name] == expected[name]
    turned = PROFILE[:, ::-1]
    np.save(tmp_path / "push.npy", PROFILE)
    for other in (
            tmp_path / "push.npy",
            write_profile(tmp_path / "turned.csv", "fz,fy,fx,mz,my,mx,time",
                          turned),
            write_profile(tmp_path / "plain.txt", "")):
        assert same(panda.check_trajectory(
            MOTION, tip_wrench_on_environment=str(other), tables=["tau"]), verdict)


def spoilt_profile(row, column, number):
    table = PROFILE.copy()
    table[row, column] = number
    return table


@pytest.mark.parametrize("header, table, line, column, word", [
    (HEADER, PROFILE[:9], None, "",
     f"sample {np.argmax(MOTION.time > PROFILE[8, 0])} is"),
    (HEADER, PROFILE[9:], None, "", "sample 0 is"),
    (HEADER, spoilt_profile(3, 2, np.nan), 5, "my", "finite"),
    (HEADER, spoilt_profile(3, 0, 0), 5, "time", "increase"),
    (HEADER.replace("mz", "m"), PROFILE, None, "mz", "no column"),
    (HEADER.replace("mz", "my"), PROFILE, None, "my", "two columns"),
    ("", PROFILE[:, 1:], None, "", "6 columns")])
def test_a_profile_that_cannot_be_used(panda, tmp_path, header, table, line,
                                       column, word):
    path = write_profile(tmp_path / "push.csv", header, table)
    with pytest.raises(torqued.FileError, match="push.csv") as caught:
        panda.check_trajectory(MOTION, tip_wrench_on_environment=path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert word in str(caught.value)
    of_sample = caught.value.reason is torqued.Reason.INVALID_SAMPLE
    assert of_sample == (word in ("finite", "increase"))
    (tmp_path / "push.json").write_text("{}")
    with pytest.raises(torqued.FileError, match="neither"):
        panda.check_trajectory(MOTION, tip_wrench_on_environment=tmp_path / "push.json")


@pytest.mark.parametrize("name", ["move.npz", "move.yaml", "move.json"])
def test_both_read_what_the_other_writes(client, panda, tmp_path, name):
    ours = tmp_path / name
    theirs = tmp_path / ("other_" + name.replace(".yaml", ".json"))
    MOTION.write(ours)
    expected = panda.check_trajectory(MOTION, tables=["tau"])
    _, said = ask_torquectl(client, ours, "--torques", str(theirs))
    wanted = expected.to_dict()
    for answer in (said, wanted):
        for key in ("seconds", "trajectory", "asked"):
            del answer[key]
    assert said == wanted
    read = torqued.Trajectory.read(theirs)
    assert read.joint_names == PANDA
    for part in ("time", "q", "v", "a"):
        assert same_bits(getattr(read, part), getattr(MOTION, part)), part


def test_torques_are_written_as_torquectl_writes_them(client, panda, tmp_path):
    move = tmp_path / "move.csv"
    MOTION.write(move)
    verdict = panda.check_trajectory(move, tables=["tau"])
    for name in ("tau.csv", "tau.npy"):
        ours, theirs = tmp_path / name, tmp_path / ("other_" + name)
        verdict.write_torques(ours)
        ask_torquectl(client, move, "--torques", str(theirs))
        if name.endswith("npy"):
            assert same_bits(np.load(ours), np.load(theirs))
            continue
        assert ours.open().readline() == theirs.open().readline()
        assert same_bits(*(np.loadtxt(path, delimiter=",", skiprows=1)
                           for path in (ours, theirs)))
    verdict.write_torques(tmp_path / "tau.npz")
    with np.load(tmp_path / "tau.npz") as arrays:
        assert same_bits(arrays["tau"], verdict.tables["tau"])
        assert same_bits(arrays["q"], MOTION.q)
        assert tuple(arrays["joint_names"]) == PANDA
    verdict.write_torques(tmp_path / "tau.json")
    message = json.loads((tmp_path / "tau.json").read_text())
    assert same_bits(np.array([point["effort"] for point in message["points"]]),
                     verdict.tables["tau"])
    back = torqued.Trajectory.read(tmp_path / "tau.json")
    assert same_bits(back.q, MOTION.q) and same_bits(back.a, MOTION.a)
    with pytest.raises(torqued.InvalidArgument, match="tables"):
        panda.check_trajectory(move).write_torques(tmp_path / "x.csv")
    with pytest.raises(torqued.InvalidArgument, match="ends in none"):
        verdict.write_torques(tmp_path / "tau.txt")
