"""The verdict on a trajectory, from the command line."""

import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from calls import ERROR, NO, OK, PANDA, USAGE, run, run_json
from trajectory_files import CHECK, Samples, fixture_move, table

__all__ = ["fixture_move"]


def limits(path, **joints):
    path.write_text(json.dumps(joints), encoding="utf-8")
    return path


def test_a_good_trajectory_passes(move, tmp_path):
    done = run(*CHECK, move, "--model", PANDA, "--task", "-o", "tau.csv",
               "--junit", "verdict.xml", "--summary", "verdict.json",
               cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    assert "PASS" in done.stdout and "Payload: A payload of up to" in done.stdout
    assert "Pace: Torques and velocities keep their limits at this pace" in done.stdout
    assert "Task: The smallest singular value of the task is" in done.stdout

    header, tau = table(tmp_path / "tau.csv")
    assert header == ["time"] + [f"panda_joint{k}.tau" for k in range(1, 8)]
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert verdict["passes"] is True and verdict["samples"] == 2000
    assert verdict["violation_count"] == 0 and verdict["violations"] == []
    assert verdict["echo"]["model"] == "panda" and verdict["echo"]["revision"]
    assert verdict["trajectory"] == str(move)
    for k, joint in enumerate(verdict["joints"]):
        column = tau[:, k + 1]
        sample = int(np.argmax(np.abs(column)))
        assert joint["torque"] == {
            "sample": sample, "time": tau[sample, 0], "value": column[sample],
            "between": False}

    suites = ElementTree.parse(tmp_path / "verdict.xml").getroot()
    assert suites.attrib == {"tests": "21", "failures": "0"}
    assert len(list(suites.iter("testcase"))) == 21
    # The same torques as the command that only computes them.
    states = run_json("id", "--states", move, "--model", PANDA)
    assert states["results"]["tau"] == tau[:, 1:].tolist()
    quiet = run(*CHECK, move, "--model", PANDA, "-q")
    assert (quiet.returncode, quiet.stderr) == (OK, "")


def test_the_task_along_the_path_is_the_one_that_is_asked_for(move, tmp_path):
    np.save(tmp_path / "q.npy", Samples.read(move).q)
    for task in (("--axes", "linear_x,linear_y,linear_z"),
                 ("--axes", "angular_x,linear_z", "--reference-frame", "world",
                                          "--characteristic-length", "0.5")):
        checked = run_json(*CHECK, move, "--model", PANDA, "--task", *task)
        states = run_json("opspace", "--model", PANDA, *task, "--q",
                          f"@{tmp_path / 'q.npy'}")
        assert checked["path_inertia"]["sigma_min"]["value"] == pytest.approx(
            min(states["results"]["sigma_min"]), rel=1e-9)
    alone = run(*CHECK, move, "--model", PANDA, "--axes", "linear_x")
    assert alone.returncode == USAGE and "--task" in alone.stderr


def test_violations_fail(move, tmp_path):
    file = limits(tmp_path / "limits.json",
                  panda_joint2={"torque_at_speed": [[0, 30], [1, 10]]},
                  panda_joint6={"velocity": 0.5, "lower": 2, "upper": 3})
    done = run(*CHECK, move, "--model", PANDA, "--limits", file,
               "--junit", "verdict.xml", cwd=tmp_path)
    assert done.returncode == NO
    assert "FAIL: " in done.stdout
    assert "The torque of panda_joint2 is " in done.stdout
    suites = ElementTree.parse(tmp_path / "verdict.xml").getroot()
    failed = {(case.get("classname"), case.get("name"))
              for case in suites.iter("testcase") if len(case)}
    assert failed >= {("panda_joint2", "torque"), ("panda_joint6", "velocity")}
    assert int(suites.get("failures")) == len(failed)
    for case in suites.iter("testcase"):
        for failure in case:
            assert failure.get("message") in failure.text

    verdict = run_json(*CHECK, move, "--model", PANDA, "--limits", file,
                       code=NO)
    assert verdict["violations"][0]["severity"] == max(
        violation["severity"] for violation in verdict["violations"])
    assert verdict["violation_count"] == len(verdict["violations"])
    assert verdict["first_violation"]["first_sample"] == min(
        violation["first_sample"] for violation in verdict["violations"])


def test_rates_are_derived_when_asked_for(move, tmp_path):
    header, numbers = table(move)
    assert header[:8] == ["time"] + [f"panda_joint{k}.q" for k in range(1, 8)]
    np.savetxt(tmp_path / "positions.csv", numbers[:, :8], delimiter=",",
               header=",".join(header[:8]), comments="")
    given = run_json(*CHECK, move, "--model", PANDA)
    for method in ("cubic", "quintic"):
        verdict = run_json(*CHECK, tmp_path / "positions.csv",
                           "--model", PANDA, "--derive", f"{method}_spline")
        assert verdict["derived"] == (
            f"DIFFERENTIATION_{method.upper()}_SPLINE")
        for joint, other in zip(verdict["joints"], given["joints"]):
            assert joint["torque"]["value"] == pytest.approx(
                other["torque"]["value"], rel=0.02)
        assert method in run(
            *CHECK, tmp_path / "positions.csv", "--model", PANDA,
            "--derive", f"{method}_spline").stdout
    done = run(*CHECK, tmp_path / "positions.csv", "--model", PANDA)
    assert done.returncode == ERROR
    assert "panda_joint1.v" in done.stderr


def test_plain_columns_and_npy(move, tmp_path):
    _, numbers = table(move)
    np.save(tmp_path / "move.npy", numbers)
    expected = run_json(*CHECK, move, "--model", PANDA)
    verdict = run_json(*CHECK, tmp_path / "move.npy", "--model", PANDA,
                       "--joint-names", "canonical")
    assert verdict["joints"] == expected["joints"]
    done = run(*CHECK, tmp_path / "move.npy", "--model", PANDA)
    assert done.returncode == ERROR
    assert "--joint-names" in done.stderr


def test_derating_and_friction_count(move):
    plain = run_json(*CHECK, move, "--model", PANDA)
    derated = run_json(*CHECK, move, "--model", PANDA, "--derating", "0.5")
    for joint, other in zip(plain["joints"], derated["joints"]):
        assert other["torque_limit"] == joint["torque_limit"] / 2
        assert other["torque_use"]["value"] == pytest.approx(
            2 * joint["torque_use"]["value"])
    loaded = run_json(*CHECK, move, "--model", PANDA, "--payload", "3")
    assert (loaded["joints"][1]["torque_use"]["value"]
            > plain["joints"][1]["torque_use"]["value"])
    assert loaded["payload"]["most"] == pytest.approx(
        plain["payload"]["most"], rel=1e-9)


def test_csv_has_a_row_for_each_joint(move):
    done = run(*CHECK, move, "--model", PANDA, "--output", "csv")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("joint,unit,tau,torque_limit,torque_use")
    assert len(lines) == 8


@pytest.mark.parametrize("content, where", [
    ("[]", "is no JSON object"),
    ("{", "is not JSON"),
    ('{"panda_joint1": 3}', "joint 'panda_joint1': is not an object"),
    ('{"panda_joint1": {"effort": "high"}}', "effort is not a number"),
    ('{"panda_joint1": {"efort": 3}}', "has no limit called 'efort'"),
    ('{"panda_joint1": {"torque_at_speed": [1, 2]}}', "pairs"),
    ('{"panda_joint1": {}, "panda_joint1": {}}', "twice"),
    ('{"elbow": {"effort": 3}}',
     "joint 'elbow': the model has no movable joint"),
    ('{"panda_joint1": {"effort": -3}}',
     "joint 'panda_joint1': effort: A limit must be finite and at least 0"),
    ('{"panda_joint1": {"armature": -3}}',
     "joint 'panda_joint1': armature: It must be finite and at least 0"),
    ('{"panda_joint1": {"torque_at_speed": [[1, 3], [0, 3]]}}',
     "joint 'panda_joint1': torque_at_speed: Speeds must increase"),
    ('{"panda_joint1": ' + "[" * 100_000, "nested too deeply"),
])
def test_limits_that_make_no_sense_are_told(move, tmp_path, content, where):
    (tmp_path / "limits.json").write_text(content)
    done = run(*CHECK, move, "--model", PANDA, "--limits",
               tmp_path / "limits.json")
    assert done.returncode == ERROR
    assert "limits.json" in done.stderr
    assert where in done.stderr


@pytest.mark.parametrize("row, column, number, sentence", [
    (7, 0, 0.0, "time 0 does not increase: the row before has 0.006"),
    (6, 0, np.nan, "time nan is not finite"),
    (4, 3, np.nan, "panda_joint3.q: nan is not a finite number"),
    # What only the server sees.
    (3, 20, 1e200, "Sample 3: the energy of joint panda_joint1 or its mean "
     "square overflows."),
])
def test_a_bad_sample_is_told_by_its_line(
        move, tmp_path, row, column, number, sentence):
    header, numbers = table(move)
    numbers[row, column] = number
    file = tmp_path / "bad.csv"
    np.savetxt(file, numbers, delimiter=",", header=",".join(header),
               comments="")
    done = run(*CHECK, file, "--model", PANDA)
    assert done.returncode == ERROR
    # Behind the line of names, counted from 1.
    assert f"bad.csv:{row + 2}): {sentence}" in done.stderr
    # Without names of columns, as an array.
    np.save(tmp_path / "bad.npy", numbers)
    done = run(*CHECK, tmp_path / "bad.npy", "--model", PANDA,
               "--joint-names", "canonical")
    assert f"bad.npy, row {row}): {sentence}" in done.stderr


def test_bad_files_and_flags_are_told(move, tmp_path):
    done = run(*CHECK, tmp_path / "none.csv", "--model", PANDA)
    assert done.returncode == ERROR and "none.csv" in done.stderr
    for arguments in ((*CHECK, "--model", PANDA), (*CHECK, move),
                      (*CHECK, move, "--model", PANDA, "--derive", "linear"),
                      (*CHECK, move, "--model", PANDA, "-o", "tau.txt")):
        assert run(*arguments).returncode == USAGE, arguments
    for wrench, sentence in (("1,2,3", "needs 6 numbers"),
                             ("0,0,0,0,0,nan", "not finite")):
        done = run(*CHECK, move, "--model", PANDA, "--tip-wrench-on-environment", wrench)
        assert done.returncode == USAGE
        assert "--tip-wrench-on-environment" in done.stderr and sentence in done.stderr
    done = run(*CHECK, move, "--model", PANDA, "--derating", "2")
    assert done.returncode == ERROR
    assert done.stderr.startswith(
        "torquectl: INVALID_OPTION (--derating): The derating factor")
