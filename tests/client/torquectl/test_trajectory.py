"""Torques along a trajectory."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from calls import (
    ERROR, GRAVITY, MODELS, NO, OK, PANDA, PLANAR, USAGE, planar_torques, run,
    run_json, serving)


@pytest.fixture(scope="module", name="trajectory")
def fixture_trajectory(tmp_path_factory):
    """The pick-and-place trajectory as CSV."""
    path = tmp_path_factory.mktemp("trajectory") / "pick_and_place.csv"
    subprocess.run([sys.executable, MODELS / "panda_pick_and_place.py",
                    "-o", path], check=True)
    return path


def test_trajectory_gives_torques_summary_and_plot(trajectory, tmp_path):
    done = run("trajectory", trajectory, "--model", PANDA, "-o", "tau.csv",
               "--plot", "tau.svg", "--summary", "summary.json",
               "--fail-on-limit", cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    assert "within the effort limits; most loaded: panda_joint2" in done.stdout

    with open(tmp_path / "tau.csv", encoding="utf-8") as file:
        header = file.readline().strip().split(",")
        tau = np.loadtxt(file, delimiter=",")
    assert header == ["time"] + [f"panda_joint{k}.tau" for k in range(1, 8)]
    assert tau.shape == (10000, 8)
    assert np.isfinite(tau).all()

    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["model"] == summary["echo"]["model"] == "panda"
    assert summary["revision"] == summary["echo"]["revision"]
    assert summary["states"] == 10000
    assert summary["within_effort_limits"] is True
    assert summary["states_per_second"] == pytest.approx(
        10000 / summary["seconds"])
    # The chunks' own times, whose sum the echo has.
    computing = summary["echo"]["timing"]["compute"]
    assert summary["compute_seconds"] == float(computing.removesuffix("s")) > 0
    assert re.search(r", answered in \d.*s \(.* states/s; computing \d.*s in "
                     r"all, target \w+\)\n", done.stdout)
    for k, joint in enumerate(summary["joints"]):
        column = tau[:, k + 1]
        sample = int(np.argmax(np.abs(column)))
        assert joint["sample"] == sample
        assert joint["time_s"] == tau[sample, 0]
        assert joint["tau"] == column[sample]
        assert joint["max_abs_tau"] == abs(column[sample])
        assert joint["effort_limit"] == (87 if k < 4 else 12)
        assert joint["utilization"] == pytest.approx(
            abs(column[sample]) / joint["effort_limit"])

    svg = ElementTree.parse(tmp_path / "tau.svg").getroot()
    texts = "".join(svg.itertext())
    assert f"panda@{summary['revision'][:12]}" in texts
    for k in range(1, 8):
        assert f"panda_joint{k}" in texts
    dashed = [line for line in svg.iter("{http://www.w3.org/2000/svg}line")
              if "stroke-dasharray" in line.attrib]
    assert len(dashed) == 2 * 7 + 1


def test_a_plot_is_svg_and_its_name_must_say_so(trajectory, tmp_path):
    arguments = ("trajectory", trajectory, "-m", PANDA, "--plot")
    refused = run(*arguments, "tau.png", "-o", "tau.csv", cwd=tmp_path)
    assert refused.returncode == USAGE
    assert refused.stderr.startswith(
        "torquectl: USAGE (--plot): tau.png does not end in .svg")
    assert not list(tmp_path.iterdir())
    assert run(*arguments, "tau.SVG", cwd=tmp_path).returncode == OK
    assert (tmp_path / "tau.SVG").read_text().startswith("<svg")


def test_trajectory_rows_equal_one_shot_answers(trajectory, tmp_path):
    run("trajectory", trajectory, "-m", PANDA, "-o", tmp_path / "tau.npy")
    tau = np.load(tmp_path / "tau.npy")
    states = np.loadtxt(trajectory, delimiter=",", skiprows=1)
    row = 7812
    q, v, a = (",".join(map(repr, states[row, 1 + 7 * k:8 + 7 * k].tolist()))
               for k in range(3))
    answer = run_json("id", "-m", PANDA, "--q", q, "--v", v, "--a", a)
    assert answer["results"]["tau"][0] == tau[row].tolist()


@pytest.mark.parametrize("with_time", [True, False])
def test_trajectory_takes_numpy_files_with_stated_joint_order(
        trajectory, tmp_path, with_time):
    states = np.loadtxt(trajectory, delimiter=",", skiprows=1)[:500]
    np.save(tmp_path / "in.npy", states if with_time else states[:, 1:])
    refused = run("trajectory", tmp_path / "in.npy", "-m", PANDA)
    assert refused.returncode == ERROR
    assert "--joints" in refused.stderr
    done = run("trajectory", tmp_path / "in.npy", "-m", PANDA, "--joints",
               "canonical", "-o", tmp_path / "a.npy", "--output", "json")
    assert done.returncode == OK, done.stderr
    assert (json.loads(done.stdout)["duration_s"] is not None) == with_time
    run("trajectory", trajectory, "-m", PANDA, "-o", tmp_path / "b.npy")
    assert np.array_equal(np.load(tmp_path / "a.npy"),
                          np.load(tmp_path / "b.npy")[:500])


def test_a_trajectory_larger_than_any_message_over_a_unix_socket(tmp_path):
    rows = 500_000
    random = np.random.default_rng(11)
    states = random.uniform(-2, 2, (rows, 6))
    # More than torquectl's own message limit of 16 MiB.
    assert states.nbytes > 16 << 20
    np.save(tmp_path / "in.npy", states)
    with serving(tmp_path, f"unix:{tmp_path}/s") as address:
        run("models", "add", PLANAR, "--server", address)
        done = run("trajectory", tmp_path / "in.npy", "-m", "planar_2r",
                   *GRAVITY, "--joints", "canonical",
                   "-o", tmp_path / "tau.npy", "--server", address)
        assert done.returncode == OK, done.stderr
    tau = np.load(tmp_path / "tau.npy")
    assert tau.shape == (rows, 2)
    for row in (0, 1023, 1024, 250_000, rows - 1):
        q, v, a = states[row].reshape(3, 2)
        assert np.allclose(tau[row], planar_torques(q, v, a), rtol=0,
                           atol=1e-12)


@pytest.mark.parametrize("second_time", ["0", "-1", "nan", "inf"])
def test_trajectory_refuses_times_that_do_not_increase(tmp_path, second_time):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text("time," + ",".join(names) + "\n0,1,2,3,4,5,6\n"
                    f"{second_time},1,2,3,4,5,6\n")
    done = run("trajectory", path, "-m", PLANAR)
    assert done.returncode == ERROR
    assert f"{path}:3" in done.stderr
    assert "time" in done.stderr


def test_trajectory_refuses_missing_accelerations(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("time,joint1.q,joint2.q,joint1.v,joint2.v\n0,1,2,3,4\n")
    done = run("trajectory", path, "-m", PLANAR)
    assert done.returncode == ERROR
    assert "joint1.a" in done.stderr


def test_states_without_torque_leave_the_verdict_open(tmp_path):
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    header, bad = "time," + ",".join(names) + "\n", "0,1,1e200,0,0,0"
    path = tmp_path / "t.csv"
    for rows, count, load in (([bad], 1, False), (["0,0,0,0,0,0", bad], 1, True)):
        path.write_text(header + "".join(f"{time},{row}\n" for time, row
                                         in enumerate(rows)))
        done = run("trajectory", path, "-m", PLANAR, *GRAVITY, "--summary",
                   tmp_path / "summary.json")
        assert done.returncode == NO, done.stderr
        assert f"not decided: {count} of {len(rows)} states" in done.stdout
        assert ("most loaded" in done.stdout) == load
        summary = json.loads((tmp_path / "summary.json").read_text())
        assert summary["within_effort_limits"] is None


def test_trajectory_over_its_limits_fails_only_when_asked(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text("time," + ",".join(names) + "\n"
                    "0,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n1.5,0,0,0,0,60,0\n")
    arguments = ("trajectory", path, "-m", PLANAR, *GRAVITY)
    told = run(*arguments)
    assert told.returncode == OK
    assert "over the effort limit: joint1" in told.stdout
    assert "OVER in 1 samples" in told.stdout
    failed = run(*arguments, "--fail-on-limit", "--plot", tmp_path / "t.svg",
                 "--output", "json")
    assert failed.returncode == NO
    joint = json.loads(failed.stdout)["joints"][0]
    assert (joint["sample"], joint["time_s"]) == (2, 1.5)
    assert joint["samples_over_limit"] == 1
    assert (tmp_path / "t.svg").exists()


def test_trajectory_with_a_bad_row_says_no(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"joint{k}.{x}" for x in "qva" for k in (1, 2)]
    path.write_text(",".join(names) + "\n1,2,3,4,5,6\n1,nan,3,4,5,6\n")
    done = run("trajectory", path, "-m", PLANAR, "-o", tmp_path / "o.csv")
    assert done.returncode == NO
    assert "row 1: invalid input" in done.stderr
    assert (tmp_path / "o.csv").read_text().splitlines()[2] == "nan,nan"


def test_progress_is_silent_when_quiet(trajectory):
    quiet = run("trajectory", trajectory, "-m", PANDA, "-q")
    assert quiet.returncode == OK
    assert quiet.stderr == ""
