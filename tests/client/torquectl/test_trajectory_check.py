"""The verdict on a trajectory, from the command line."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from calls import ERROR, NO, OK, PANDA, USAGE, run, run_json
from trajectory_files import CHECK, Samples, checked, limits_file, table


def test_a_good_trajectory_passes(move, tmp_path):
    done = checked(move, "--task", "-o", "tau.csv", "--junit", "verdict.xml",
                   "--summary", "verdict.json", cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    assert "PASS" in done.stdout and "Payload: A payload of up to" in done.stdout
    assert "Pace: Torques and velocities are within their limits at this speed" in done.stdout
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
    assert suites.attrib == {"tests": "21", "failures": "0", "errors": "0"}
    assert len(list(suites.iter("testcase"))) == 21
    # The same torques as the command that only computes them.
    states = run_json("id", "--states", move, "--model", PANDA)
    assert states["results"]["tau"] == tau[:, 1:].tolist()
    quiet = checked(move, "-q", "--consistent")
    assert (quiet.returncode, quiet.stderr) == (OK, "")


def test_the_task_along_the_path_is_the_one_that_is_asked_for(move, tmp_path):
    np.save(tmp_path / "q.npy", Samples.read(move).q)
    task = ("--axes", "angular_x,linear_z", "--reference-frame", "world",
            "--characteristic-length", "0.5")
    path = run_json(*CHECK, move, "--model", PANDA, "--task", *task)
    states = run_json("opspace", "--model", PANDA, *task, "--q",
                      f"@{tmp_path / 'q.npy'}")
    assert path["path_inertia"]["sigma_min"]["value"] == pytest.approx(
        min(states["results"]["sigma_min"]), rel=1e-9)
    # Its options ask for it as well.
    alone = run_json(*CHECK, move, "--model", PANDA, *task)
    assert alone["path_inertia"] == path["path_inertia"]


def test_violations_fail(move, tmp_path):
    file = limits_file(tmp_path / "limits.json", {
        "panda_joint2": {"torque_speed": [[0, 30], [1, 10]]},
        "panda_joint6": {"velocity_limit": 0.5, "lower": 2, "upper": 3}})
    done = checked(move, "--limits", file, "--junit", "verdict.xml", cwd=tmp_path)
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


def test_csv_has_the_verdict(move, tmp_path):
    file = limits_file(tmp_path / "limits.json", {"panda_joint6": {"upper": 2.2}})
    for flags, verdict, code in (((), "pass", OK), (("--limits", file), "FAIL", NO)):
        done = checked(move, "--output", "csv", *flags)
        assert done.returncode == code
        row, = csv.DictReader(io.StringIO(done.stdout))
        assert (row["file"], row["verdict"]) == (str(move), verdict)
        assert (row["violations"] == "0") == (code == OK)
        assert (row["slow_down"] != "") == (code == OK)
        assert float(row["largest_payload"]) > 0 and "panda_joint" in row["worst"]


def test_rates_are_derived_when_asked_for(move, tmp_path):
    header, numbers = table(move)
    assert header[:8] == ["time"] + [f"panda_joint{k}.q" for k in range(1, 8)]
    np.savetxt(tmp_path / "positions.csv", numbers[:, :8], delimiter=",",
               header=",".join(header[:8]), comments="")
    given = run_json(*CHECK, move, "--model", PANDA)
    for method in ("cubic", "quintic"):
        words = (*CHECK, tmp_path / "positions.csv", "--model", PANDA,
                 "--derive", f"{method}_spline")
        verdict = run_json(*words)
        assert verdict["derived"] == f"DIFFERENTIATION_{method.upper()}_SPLINE"
        for joint, other in zip(verdict["joints"], given["joints"]):
            assert joint["torque"]["value"] == pytest.approx(
                other["torque"]["value"], rel=0.02)
        assert method in run(*words).stdout
    done = checked(tmp_path / "positions.csv")
    assert done.returncode == ERROR
    assert "panda_joint1.v" in done.stderr


@pytest.mark.parametrize("content, where", [
    ("{", "is not JSON"),
    ('{"panda_joint1": 3}', "panda_joint1: Cannot find field"),
    ('{"drives": [{"dof": "panda_joint1", "effort_limit": "high"}]}', "effort_limit"),
    ('{"drives": [{"dof": "panda_joint1", "efort": 3}]}', "efort: Cannot find field"),
    ('{"drives": [], "drives": []}', "twice"),
    ('{"model": "a"}', "only these two members are limits"),
    ('{"drives": [{"dof": "elbow", "effort_limit": 3}]}',
     "limits.json: drives[0].dof): the model has no movable joint"),
    ('{"drives": ' + "[" * 100_000, "nested too deeply"),
    ("joint_limits:\n  panda_joint1: {max_velocity: 2}\n",
     'of MoveIt, which is not read; limits are written like {"drives": [{"dof"'),
])
def test_limits_that_make_no_sense_are_told(move, tmp_path, content, where):
    (tmp_path / "limits.json").write_text(content)
    done = checked(move, "--limits", tmp_path / "limits.json")
    assert done.returncode == ERROR
    assert "limits.json" in done.stderr
    assert where in done.stderr


@pytest.mark.parametrize("row, column, number, sentence", [
    (7, 0, 0.0, "time: Times must increase: 0 s comes after 0.006 s."),
    (4, 3, np.nan, "q: It is not a finite number (joint panda_joint3)."),
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
    assert f"bad.csv:{row + 2}: {sentence}" in done.stderr
    # Without names of columns, as an array.
    np.save(tmp_path / "bad.npy", numbers)
    done = checked(tmp_path / "bad.npy", "--joint-names", "canonical")
    assert f"bad.npy, row {row}: {sentence}" in done.stderr


def test_bad_files_and_flags_are_told(move, tmp_path):
    done = checked(tmp_path / "none.csv")
    assert done.returncode == ERROR and "none.csv" in done.stderr
    for arguments in ((*CHECK, "--model", PANDA), (*CHECK, move)):
        assert run(*arguments).returncode == USAGE, arguments
    for wrench in ("1,2,3", "0,0,0,0,0,nan"):
        done = checked(move, "--tip-wrench-on-environment", wrench)
        assert done.returncode == USAGE
        assert "--tip-wrench-on-environment: needs 6 finite numbers" in done.stderr
