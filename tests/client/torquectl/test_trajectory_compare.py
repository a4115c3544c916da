"""Two runs of `torquectl trajectory check` side by side."""

import json
import re

import numpy as np

from calls import ERROR, NO, OK, USAGE, run, run_json
from trajectory_directories import at_pace, check, fill
from trajectory_files import COMPARE, checked, limits_file


def summary(path, move, *flags):
    checked(move, "--task", "--summary", path, *flags)
    return path


def test_more_load_is_worse_and_less_is_not(move, tmp_path):
    light = summary(tmp_path / "light.json", move)
    heavy = summary(tmp_path / "heavy.json", move, "--payload", "3")
    report = run_json(*COMPARE, light, heavy, code=NO)
    assert report["worse"] and report["asked"] == [
        {"what": "payload", "before": "none", "after": "frame panda_link8, mass 3 kg"}]
    change = {n["what"]: n["change"] for n in report["numbers"]}
    assert change["panda_joint2: torque of its limit"] == "worse"
    assert change["panda_joint2: velocity of its limit"] == "same"
    assert change["condition of Lambda"] == "worse"
    numbers = {n["what"]: (n["before"], n["after"])
               for n in report["numbers"]}
    verdicts = [json.loads(path.read_text()) for path in (light, heavy)]
    assert numbers["panda_joint4: torque of its limit"] == tuple(
        verdict["joints"][3]["torque_use"]["value"] for verdict in verdicts)
    assert numbers["largest payload [kg]"] == tuple(
        verdict["payload"]["most"] for verdict in verdicts)
    back = run_json(*COMPARE, heavy, light)
    assert not back["worse"] and "better" in {
        n["change"] for n in back["numbers"]}
    # All that changed by less counts as the same.
    done = run(*COMPARE, light, heavy, "--tolerance", "1")
    assert done.returncode == OK and "PASS -> PASS, not worse" in done.stdout


def test_rounding_is_no_change_whatever_the_tolerance(move, tmp_path):
    before = summary(tmp_path / "before.json", move)
    verdict = json.loads(before.read_text())
    for change, code in ((5e-14, OK), (5e-9, NO)):
        verdict["joints"][1]["velocity_use"]["value"] = 0.0
        before.write_text(json.dumps(verdict))
        verdict["joints"][1]["velocity_use"]["value"] = change
        (tmp_path / "after.json").write_text(json.dumps(verdict))
        done = run(*COMPARE, before, tmp_path / "after.json")
        assert done.returncode == code, done.stdout


def test_other_wrenches_of_the_samples_are_another_question(samples, tmp_path):
    move = samples.write_csv(tmp_path / "move.csv")
    files = []
    for force in (1, 2):
        np.save(tmp_path / "wrench.npy",
                np.outer(np.linspace(0, force, len(samples.time)), np.ones(6)))
        files.append(summary(tmp_path / f"{force}.json", move, "--tip-wrench-on-environment",
                             f"@{tmp_path / 'wrench.npy'}"))
    assert run_json(*COMPARE, files[0], files[0])["asked"] == []
    report = json.loads(run(*COMPARE, *files, "--output", "json").stdout)
    assert "wrenches of the samples" in {asked["what"] for asked in report["asked"]}, report


def test_a_limit_that_is_newly_broken_is_worse(move, tmp_path):
    before = summary(tmp_path / "a.json", move)
    limits_file(tmp_path / "limits.json", {"panda_joint6": {"upper": 2.2}})
    after = summary(tmp_path / "b.json", move, "--limits",
                    tmp_path / "limits.json")
    done = run(*COMPARE, before, after, "--tolerance", "1")
    assert done.returncode == NO
    assert "PASS -> FAIL, worse" in done.stdout
    assert re.search("position limits of panda_joint6 +- +upper 2.2 rad\n",
                     done.stdout)
    lines = run(*COMPARE, before, after, "--output", "csv").stdout.splitlines()
    assert lines[0] == "what,before,after,change"


def test_runs_of_many_files_are_compared_file_by_file(samples, tmp_path):
    paces = fill(tmp_path / "files", samples, count=12)
    flags = ("--results", tmp_path / "before.jsonl")
    before = check(tmp_path / "files", *flags)
    slowest, fastest = np.argmax(paces), np.argmin(paces)
    names = [f"part{k % 3}/{k:03}.csv" for k in (slowest, fastest)]
    at_pace(samples, 0.25).write_csv(tmp_path / "files" / names[0])
    at_pace(samples, 1.5).write_csv(tmp_path / "files" / names[1])
    (tmp_path / "files" / "more.npz").unlink()
    samples.write_csv(tmp_path / "files" / "new.csv")
    check(tmp_path / "files", "--results", tmp_path / "after.jsonl")
    assert run(*COMPARE, tmp_path / "before.jsonl",
               tmp_path / "after.jsonl", "--tolerance", "1").returncode == NO
    report = run_json(*COMPARE, tmp_path / "before.jsonl",
                      tmp_path / "after.jsonl", code=NO)
    assert before["failed"] > 0
    assert report["newly_failing"] == [names[0]]
    assert report["newly_passing"] == [names[1]]
    assert report["only_before"] == ["more.npz"]
    assert report["only_after"] == ["new.csv"]
    assert {n["what"] for n in report["numbers"] if n["change"] == "worse"} == {
        names[0]}
    done = run(*COMPARE, tmp_path / "before.jsonl", tmp_path / "after.jsonl")
    assert f"Newly failing: {names[0]}\n" in done.stdout


def test_the_same_question_in_another_order_is_the_same(move, tmp_path):
    limits = {"panda_joint6": {"upper": 2.2, "armature": 0.1},
              "panda_joint2": {"torque_speed": [[0, 80], [2, 60]],
                               "viscous_friction": 0.5}}
    limits_file(tmp_path / "a.json", limits)
    limits_file(tmp_path / "b.json", dict(reversed(limits.items())))
    before = summary(tmp_path / "before.json", move, "--limits",
                     tmp_path / "a.json")
    after = summary(tmp_path / "after.json", move, "--limits",
                    tmp_path / "b.json", "--tip-wrench-reference-frame", "world")
    report = run_json(*COMPARE, before, after, code=OK)
    assert report["worse"] is False and report["asked"] == []
    assert {number["change"] for number in report["numbers"]} == {"same"}
    assert len(report["numbers"]) >= 7 * 3


def test_a_verdict_that_is_lost_is_worse(samples, tmp_path):
    directory = tmp_path / "files"
    directory.mkdir()
    for name, pace in (("bad.csv", 0.25), ("good.csv", 1.5)):
        at_pace(samples, pace).write_csv(directory / name)
    check(directory, "--results", tmp_path / "before.jsonl")
    for name, others in (("bad.csv", ["good.csv"]), ("good.csv", [])):
        (directory / name).write_text("time\nx\n")
        checked(directory, "--summary", tmp_path / "after.json")
        report = run_json(*COMPARE, tmp_path / "before.jsonl",
                          tmp_path / "after.json", code=NO)
        assert report["worse"] and name in report["without_verdict"]
        assert not report["newly_failing"] and not report["only_before"]
        assert [n["what"] for n in report["numbers"]] == others
    done = run(*COMPARE, tmp_path / "before.jsonl", tmp_path / "after.json")
    assert ("No verdict any more: bad.csv\nNo verdict any more: good.csv\n"
            in done.stdout)
    assert "Asked" not in done.stdout
    # Nor is one that never was lost.
    report = run_json(*COMPARE, tmp_path / "after.json",
                      tmp_path / "after.json", code=OK)
    assert report["without_verdict"] == []


def test_files_that_cannot_be_compared_are_told(move, samples, tmp_path):
    good = summary(tmp_path / "a.json", move)
    fill(tmp_path / "files", samples, count=1)
    check(tmp_path / "files", "--results", tmp_path / "r.jsonl")
    for name, text in {"none.json": None, "bad.json": "{", "list.json": "[]",
                       "empty.json": "{}", "half.json": '{"passes": true}',
                       }.items():
        if text is not None:
            (tmp_path / name).write_text(text)
        done = run(*COMPARE, good, tmp_path / name)
        assert done.returncode == ERROR and name in done.stderr
    done = run(*COMPARE, good, tmp_path / "r.jsonl")
    assert done.returncode == ERROR and "of many files" in done.stderr
    done = run(*COMPARE, good, good, "--tolerance", "2")
    assert done.returncode == USAGE


def test_infinite_numbers_are_compared(move, tmp_path):
    limits_file(tmp_path / "none.json", {"panda_joint1": {"effort_limit": 0}})
    good = summary(tmp_path / "good.json", move)
    none = summary(tmp_path / "zero.json", move, "--limits",
                   tmp_path / "none.json")
    assert '"Infinity"' in none.read_text()
    assert run(*COMPARE, none, none).returncode == OK
    use = next(n for n in run_json(*COMPARE, good, none, code=NO)["numbers"]
               if n["what"] == "panda_joint1: torque of its limit")
    assert use["after"] == "Infinity" and use["change"] == "worse"
    assert run(*COMPARE, none, good).returncode == OK
