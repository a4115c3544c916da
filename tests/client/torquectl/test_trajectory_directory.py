"""Verdicts on many files, and two runs side by side."""

import json
import os
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from calls import ERROR, NO, OK, PANDA, TORQUECTL, USAGE, run, run_json
from trajectory_files import CHECK, Samples, fixture_move

__all__ = ["fixture_move"]

COMPARE = ("trajectory", "compare")


def at_pace(samples, factor):
    return Samples(samples.time * factor, samples.q, samples.v / factor,
                   samples.a / factor ** 2)


@pytest.fixture(scope="module", name="samples")
def fixture_samples(move):
    whole = Samples.read(move)
    return Samples(whole.time[::10], whole.q[::10], whole.v[::10],
                   whole.a[::10])


def fill(directory, samples, count=30):
    """Files of one motion at different paces, some too fast."""
    random = np.random.default_rng(3)
    paces = random.uniform(0.3, 1.2, count)
    for k, pace in enumerate(paces):
        place = directory / f"part{k % 3}"
        place.mkdir(exist_ok=True, parents=True)
        at_pace(samples, pace).write_csv(place / f"{k:03}.csv")
    np.savez(directory / "more.npz", time=samples.time, q=samples.q,
             v=samples.v, a=samples.a, joint_names=samples.joints)
    # What is not looked at.
    (directory / "notes.txt").write_text("none")
    (directory / ".hidden.csv").write_text("none")
    (directory / ".git").mkdir()
    (directory / ".git" / "x.csv").write_text("none")
    return paces


def check(directory, *flags, code=None):
    done = run(*CHECK, directory, "--model", PANDA, "--output", "json", *flags)
    assert code is None or done.returncode == code, done.stderr
    return json.loads(done.stdout)


def test_files_are_ranked_by_what_they_take_of_a_limit(samples, tmp_path):
    paces = fill(tmp_path, samples)
    report = check(tmp_path, "--junit", tmp_path / "junit.xml", code=NO)
    assert report["files"] == 31 and report["errors"] == 0
    assert report["passed"] + report["failed"] == 31
    results = report["results"]
    severities = [result["severity"] for result in results]
    assert severities == sorted(severities, reverse=True)
    assert [result["passes"] for result in results] == sorted(
        result["passes"] for result in results)
    # The faster the worse: velocities take the largest share.
    by_pace = [f"part{k % 3}/{k:03}.csv" for k in np.argsort(paces)]
    assert [result["file"] for result in results
            if result["file"] != "more.npz"] == by_pace
    # Each as alone.
    for place in (0, 15, 30):
        result = results[place]
        done = run(*CHECK, tmp_path / result["file"], "--model", PANDA,
                   "--output", "json")
        verdict = json.loads(done.stdout)
        assert result["passes"] == verdict["passes"]
        assert result["violations"] == verdict["violation_count"]
        uses = [joint[name]["value"] for joint in verdict["joints"]
                for name in ("torque_use", "velocity_use")]
        assert result["severity"] == max(uses)
        assert result["slow_down"] == verdict["slow_down"]["factor"]
        payload = verdict["payload"]
        assert result.get("largest_payload") == (
            payload["most"] if payload["possible"] else None)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.get("tests") == "31"
    assert suite.get("failures") == str(report["failed"])
    assert [case.get("name") for case in suite.iter("testcase")
            if len(case)] == [r["file"] for r in results if not r["passes"]]


def test_the_worst_ten_are_shown(samples, tmp_path):
    fill(tmp_path, samples)
    done = run(*CHECK, tmp_path, "--model", PANDA)
    assert done.returncode == NO
    worst = done.stdout.split("The worst:\n")[1].splitlines()[1:]
    assert len(worst) == 10
    assert [line.split()[0] for line in worst] == [
        str(k) for k in range(1, 11)]
    assert all(" of panda_joint" in line for line in worst)
    done = run(*CHECK, tmp_path, "--model", PANDA, "--output", "csv")
    assert len(done.stdout.splitlines()) == 32


def test_the_number_of_jobs_changes_nothing(samples, tmp_path):
    fill(tmp_path, samples)
    one, many = (check(tmp_path, "--jobs", jobs)["results"]
                 for jobs in ("1", "7"))
    assert one == many


def test_what_was_done_is_not_done_again(samples, tmp_path):
    fill(tmp_path / "files", samples)
    (tmp_path / "files" / "bad.csv").write_text("time\n1\n")
    flags = ("--results", tmp_path / "results.jsonl")
    first = check(tmp_path / "files", *flags, code=ERROR)
    assert (first["resumed"], first["errors"]) == (0, 1)
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert len(lines) == 1 + 32
    again = check(tmp_path / "files", *flags, code=ERROR)
    assert again["resumed"] == 31  # all but the bad one
    assert again["results"] == first["results"]

    # What changed, what is new and what was never finished is done.
    (tmp_path / "files" / "bad.csv").unlink()
    changed = tmp_path / "files" / "more.npz"
    os.utime(changed, ns=(0, 0))
    samples.write_csv(tmp_path / "files" / "new.csv")
    text = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "results.jsonl").write_bytes(text[:-25])
    third = check(tmp_path / "files", *flags, code=NO)
    assert third["files"] == 32 and third["errors"] == 0
    # Two are again the last line's (of the bad file) and the changed one.
    assert third["resumed"] == 30
    for line in (tmp_path / "results.jsonl").read_text().splitlines():
        json.loads(line)
    assert check(tmp_path / "files", *flags, code=NO)["resumed"] == 32


def test_a_killed_run_is_resumed(samples, tmp_path):
    fill(tmp_path / "files", samples, count=400)
    results = tmp_path / "results.jsonl"
    arguments = (*CHECK, tmp_path / "files", "--model", PANDA, "--jobs", "1",
                 "--results", results)
    for how in (signal.SIGKILL, signal.SIGINT):
        before = results.read_bytes().count(b"\n") if results.exists() else 0
        with subprocess.Popen(
                [TORQUECTL, *map(str, arguments)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True) as process:
            while (not results.exists()
                   or results.read_bytes().count(b"\n") < before + 20):
                assert process.poll() is None
            os.killpg(process.pid, how)
            assert process.wait(timeout=30) != 0
        assert results.read_bytes().count(b"\n") < 402
    done = results.read_bytes().count(b"\n") - 1
    report = check(tmp_path / "files", "--results", results)
    assert report["resumed"] >= done >= 38
    assert report["files"] == 401 and report["errors"] == 0
    assert report["results"] == check(tmp_path / "files")["results"]


@pytest.mark.parametrize("flags", [
    ("--payload", "1"), ("--derate", "0.9"), ("--wrench", "0,0,0,0,0,5"),
    ("--joints", "canonical")], ids=str)
def test_results_of_another_question_are_not_mixed(samples, tmp_path, flags):
    fill(tmp_path / "files", samples, count=3)
    results = ("--results", tmp_path / "results.jsonl")
    check(tmp_path / "files", *results)
    before = (tmp_path / "results.jsonl").read_bytes()
    done = run(*CHECK, tmp_path / "files", "--model", PANDA, *results, *flags)
    assert done.returncode == ERROR and "another question" in done.stderr
    assert (tmp_path / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("text", [
    "time,q\n1,2\n", "{}\n", "notes", "[1]\n", '{"torqued_results": 2}\n',
    '{"torqued_results":"a","question":{}}\n',
    '{"torqued_results":1,"question":"x"}\n'])
def test_a_file_that_holds_no_results_is_left_alone(samples, tmp_path, text):
    fill(tmp_path / "files", samples, count=1)
    (tmp_path / "mine").write_text(text)
    done = run(*CHECK, tmp_path / "files", "--model", PANDA,
               "--results", tmp_path / "mine")
    assert done.returncode == ERROR and "mine" in done.stderr
    assert (tmp_path / "mine").read_text() == text


def test_a_wrong_option_is_told_once(samples, tmp_path):
    fill(tmp_path / "files", samples, count=3)
    (tmp_path / "limits.json").write_text('{"elbow": {}}')
    for flags, problem in ((("--derate", "2"), "derating"),
                           (("--tip", "nope"), "nope"),
                           (("--limits", tmp_path / "limits.json"), "elbow")):
        done = run(*CHECK, tmp_path / "files", "--model", PANDA, *flags,
                   "--results", tmp_path / "results.jsonl")
        assert done.returncode == ERROR and problem in done.stderr
        assert done.stdout == ""
        assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 1
        (tmp_path / "results.jsonl").unlink()


def test_what_the_run_writes_and_reads_is_no_trajectory(samples, tmp_path):
    fill(tmp_path, samples, count=2)
    (tmp_path / "limits.json").write_text("{}")
    for _ in range(2):
        report = check(tmp_path, "--summary", tmp_path / "sum.json",
                       "--limits", tmp_path / "limits.json")
        assert (report["files"], report["errors"]) == (3, 0)
    # Summaries of directories are compared like results.
    assert run(*COMPARE, tmp_path / "sum.json",
               tmp_path / "sum.json").returncode == OK


def test_names_that_are_no_text_are_checked_each_time(samples, tmp_path):
    directory = tmp_path / "files"
    directory.mkdir()
    for name in (b"x\xff.csv", b"x\xfe.csv", b"good.csv"):
        samples.write_csv(directory / os.fsdecode(name))
    for resumed in (0, 1, 1):
        report = check(directory, "--results", tmp_path / "r.jsonl", code=OK)
        assert (report["files"], report["resumed"]) == (3, resumed)
    assert len((tmp_path / "r.jsonl").read_text().splitlines()) == 2


def test_directories_and_flags_that_do_not_fit_are_told(samples, tmp_path):
    samples.write_csv(tmp_path / "move.csv")
    (tmp_path / "empty").mkdir()
    done = run(*CHECK, tmp_path / "empty", "--model", PANDA)
    assert done.returncode == ERROR and "has no file" in done.stderr
    for flags in (("-o", "tau.csv"), ("--html", "r.html"), ("--jobs", "0")):
        done = run(*CHECK, tmp_path, "--model", PANDA, *flags)
        assert done.returncode == USAGE, flags
    done = run(*CHECK, tmp_path / "move.csv", "--model", PANDA,
               "--results", "r.jsonl")
    assert done.returncode == USAGE and "no directory" in done.stderr


def test_the_first_failure_of_the_server_ends_the_run(samples, tmp_path):
    fill(tmp_path / "files", samples, count=3)
    done = run(*CHECK, tmp_path / "files", "--model", "panda", "--server",
               "127.0.0.1:1", "--timeout", "1")
    assert done.returncode == ERROR and "UNAVAILABLE" in done.stderr


# --- Comparison --------------------------------------------------------------


def summary(path, move, *flags):
    run(*CHECK, move, "--model", PANDA, "--task", "--summary", path, *flags)
    return path


def test_a_run_is_not_worse_than_itself(move, tmp_path):
    same = summary(tmp_path / "a.json", move)
    report = run_json(*COMPARE, same, same)
    assert report["worse"] is False and report["differences"] == []
    assert {number["change"] for number in report["numbers"]} == {"same"}
    assert len(report["numbers"]) == 7 * 3 + 6


def test_more_load_is_worse_and_less_is_not(move, tmp_path):
    light = summary(tmp_path / "light.json", move)
    heavy = summary(tmp_path / "heavy.json", move, "--payload", "3")
    report = run_json(*COMPARE, light, heavy, code=NO)
    assert report["worse"] and report["differences"] == ["asked.options"]
    change = {n["what"]: n["change"] for n in report["numbers"]}
    assert change["panda_joint2: torque of its limit"] == "worse"
    assert change["panda_joint2: velocity of its limit"] == "same"
    assert change["condition of Lambda"] == "worse"
    assert change["largest payload [kg]"] in ("", "same")  # to rounding
    verdicts = [json.loads(path.read_text()) for path in (light, heavy)]
    numbers = {n["what"]: (n["before"], n["after"])
               for n in report["numbers"]}
    assert numbers["panda_joint4: torque of its limit"] == tuple(
        verdict["joints"][3]["torque_use"]["value"] for verdict in verdicts)
    assert numbers["largest payload [kg]"] == tuple(
        verdict["payload"]["most"] for verdict in verdicts)
    back = run_json(*COMPARE, heavy, light, code=OK)
    assert not back["worse"]
    assert {n["what"]: n["change"] for n in back["numbers"]}[
        "panda_joint2: torque of its limit"] == "better"
    # All that changed by less counts as the same.
    done = run(*COMPARE, light, heavy, "--tolerance", "1")
    assert done.returncode == OK and "PASS -> PASS, not worse" in done.stdout


def test_less_payload_is_worse_and_more_is_better(move, tmp_path):
    strong = summary(tmp_path / "strong.json", move)
    weak = summary(tmp_path / "weak.json", move, "--derate", "0.8")
    for pair, code, change in (((strong, weak), NO, "worse"),
                               ((weak, strong), OK, "better")):
        numbers = run_json(*COMPARE, *pair, code=code)["numbers"]
        assert {n["what"]: n["change"] for n in numbers}[
            "largest payload [kg]"] == change


def test_a_limit_that_is_newly_broken_is_worse(move, tmp_path):
    before = summary(tmp_path / "a.json", move)
    (tmp_path / "limits.json").write_text('{"panda_joint6": {"upper": 2.2}}')
    after = summary(tmp_path / "b.json", move, "--limits",
                    tmp_path / "limits.json")
    done = run(*COMPARE, before, after, "--tolerance", "1")
    assert done.returncode == NO
    assert "PASS -> FAIL, worse" in done.stdout
    assert "Asked differently (1): asked.bounds" in done.stdout
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
    assert f"Newly failing (1): {names[0]}" in done.stdout


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
    for share in ("nan", "-1", "2", "x"):
        done = run(*COMPARE, good, good, "--tolerance", share)
        assert done.returncode == USAGE, share
    # What a command does not know is not swallowed.
    assert run(*COMPARE, good, good, good).returncode == USAGE
    assert run(*CHECK, move, move, "--model", PANDA).returncode == USAGE
    assert run(*CHECK, move, "--model", PANDA, "--plot",
               "x.svg").returncode == USAGE


def test_infinite_numbers_are_compared(move, tmp_path):
    (tmp_path / "none.json").write_text('{"panda_joint1": {"effort": 0}}')
    good = summary(tmp_path / "good.json", move)
    none = summary(tmp_path / "zero.json", move, "--limits",
                   tmp_path / "none.json")
    assert '"Infinity"' in none.read_text()
    assert run(*COMPARE, none, none).returncode == OK
    numbers = {n["what"]: n for n in run_json(
        *COMPARE, good, none, code=NO)["numbers"]}
    use = numbers["panda_joint1: torque of its limit"]
    assert use["after"] == "Infinity" and use["change"] == "worse"
    assert run(*COMPARE, none, good).returncode == OK


def test_another_wrench_is_another_question(move, tmp_path):
    runs = [summary(tmp_path / f"{force}.json", move, "--wrench",
                    f"0,0,0,0,0,{force}") for force in (5, 8)]
    report = json.loads(run(*COMPARE, *runs, "--output", "json").stdout)
    assert report["differences"] == ["inputs"]
