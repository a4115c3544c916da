"""Verdicts on many files."""

import fcntl
import json
import os
import re
import signal
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np

from calls import (ERROR, NO, OK, PANDA, TORQUECTL, USAGE, run, running,
                   wait_for)
from report_page import Page
from trajectory_directories import check, fill
from trajectory_files import CHECK, COMPARE, checked


def test_files_are_ranked_by_what_they_take_of_a_limit(samples, tmp_path):
    paces = fill(tmp_path, samples)
    report = check(tmp_path, "--junit", tmp_path / "junit.xml", code=NO)
    assert report["files"] == 31 and report["errors"] == 0
    assert report["passed"] + report["failed"] == 31
    results = report["results"]
    for order in ([-result["severity"] for result in results],
                  [result["passes"] for result in results]):
        assert order == sorted(order)
    # The faster the worse: velocities take the largest share.
    by_pace = [f"part{k % 3}/{k:03}.csv" for k in np.argsort(paces)]
    assert [result["file"] for result in results
            if result["file"] != "more.npz"] == by_pace
    # Each as alone.
    for place in (0, 15, 30):
        result = results[place]
        verdict = check(tmp_path / result["file"])
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


def test_an_overview_ranks_all_files(samples, tmp_path):
    fill(tmp_path / "files", samples)
    (tmp_path / "files" / "bad.csv").write_text("time\n1\n")
    report = check(tmp_path / "files", "--payload", "0.5", "--html",
                   tmp_path / "all.html", code=ERROR)
    page = Page(tmp_path / "all.html")
    shown = page.shown()
    assert shown["title"].startswith("FAIL ")
    assert (f"{report['passed']} pass, {report['failed']} fail, 1 have no verdict"
            in shown["text"])
    assert page.asked["payload"].startswith("frame panda_")
    assert {"title": "payload", "words": page.asked["payload"]} in report["asked_words"]
    ranked = [r["file"] for r in report["results"] if "error" not in r]
    everything, missing = shown["text"].split("Files, the worst first")[
        1].split("Without a verdict")
    assert re.findall(r"\d+ (\S+\.\w+) (?:FAIL|pass)", everything) == ranked
    assert "bad.csv" in missing and "bad.csv" not in everything


def test_payloads_and_paces_are_rounded_to_what_passes(samples, tmp_path):
    fill(tmp_path / "files", samples, count=1)
    check(tmp_path / "files", "--html", tmp_path / "all.html")
    page = Page(tmp_path / "all.html")
    given = page.data["results"][0]
    for changes, shown in (
            ({"payload_possible": False, "slow_down": 9.8785826747}, "none 9.87859"),
            ({"largest_payload": 9.1312290806, "slow_down": 1.25}, "9.13122 1.25"),
            ({"largest_payload": 0.99999999, "slow_down": 0.99999999}, "0.999999 1"),
            ({"largest_payload": "Infinity"}, "any at no pace"), ({}, "- at no pace")):
        row = {name: value for name, value in given.items() if name not in (
            "largest_payload", "payload_possible", "slow_down")} | changes
        data = json.dumps({**page.data, "results": [row]})
        page.path.write_text(re.sub(r'(id="data">).*?(?=</script>)', lambda found: (
            found[1] + data), page.source, count=1, flags=re.DOTALL), encoding="utf-8")
        assert f" {row['violations']} {shown} " in page.shown()["text"]


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
    assert again["asked_words"] == first["asked_words"] != []

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


def test_a_run_that_was_killed_or_interrupted_is_resumed(samples, tmp_path):
    fill(tmp_path / "files", samples, count=1000)
    results = tmp_path / "results.jsonl"
    arguments = (*CHECK, tmp_path / "files", "--model", PANDA, "--jobs", "1",
                 "--results", results)
    for how in (signal.SIGKILL, signal.SIGINT):
        before = results.read_bytes().count(b"\n") if results.exists() else 0
        with running(
                TORQUECTL, *arguments, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, start_new_session=True) as process:
            wait_for(lambda: results.exists() and
                     results.read_bytes().count(b"\n") >= before + 20, 60)
            os.killpg(process.pid, how)
            assert process.wait(30) == -how
        assert results.read_bytes().count(b"\n") < 1002
    done = results.read_bytes().count(b"\n") - 1
    report = check(tmp_path / "files", "--results", results)
    assert report["resumed"] >= done >= 38
    assert report["files"] == 1001 and report["errors"] == 0
    assert report["results"] == check(tmp_path / "files")["results"]


def test_results_of_another_question_are_not_mixed(samples, tmp_path):
    fill(tmp_path / "files", samples, count=3)
    results = ("--results", tmp_path / "results.jsonl")
    check(tmp_path / "files", *results)
    before = (tmp_path / "results.jsonl").read_bytes()
    for flags in (("--payload", "1"), ("--derating", "0.9"),
                  ("--tip-wrench-on-environment", "0,0,0,0,0,5"),
                  ("--joint-names", "canonical")):
        done = checked(tmp_path / "files", *results, *flags)
        assert done.returncode == ERROR and "another question" in done.stderr
        assert (tmp_path / "results.jsonl").read_bytes() == before


def test_two_runs_do_not_append_to_the_same_results(samples, tmp_path):
    fill(tmp_path / "files", samples, count=1)
    with open(tmp_path / "results.jsonl", "w") as other_run:
        fcntl.flock(other_run, fcntl.LOCK_EX)
        done = checked(tmp_path / "files", "--results", tmp_path / "results.jsonl")
        assert done.returncode == ERROR and "another run uses the file" in done.stderr
        assert (tmp_path / "results.jsonl").read_bytes() == b""


def test_a_file_that_holds_no_results_is_left_alone(samples, tmp_path):
    fill(tmp_path / "files", samples, count=1)
    for text in ("time,q\n1,2\n", "{}\n", "notes", "[1]\n",
                 '{"torqued_results": 2}\n',
                 '{"torqued_results":"a","question":{}}\n',
                 '{"torqued_results":1,"question":"x"}\n'):
        (tmp_path / "mine").write_text(text)
        done = checked(tmp_path / "files", "--results", tmp_path / "mine")
        assert done.returncode == ERROR and "mine" in done.stderr
        assert (tmp_path / "mine").read_text() == text


def test_a_wrong_option_is_told_once(samples, tmp_path):
    fill(tmp_path / "files", samples, count=3)
    (tmp_path / "limits.json").write_text('{"drives": [{"dof": "elbow"}]}')
    results = tmp_path / "results.jsonl"
    for flags, problem in ((("--derating", "2"), "derating"),
                           (("--limits", tmp_path / "limits.json"), "elbow")):
        done = checked(tmp_path / "files", *flags, "--results", results)
        assert done.returncode == ERROR and problem in done.stderr
        assert done.stdout == ""
        assert len(results.read_text().splitlines()) == 1
        results.unlink()


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


def test_reports_and_settings_beside_trajectories_are_left_out(samples,
                                                              tmp_path):
    samples.write_csv(tmp_path / "move.csv")
    checked(tmp_path / "move.csv", "--summary", tmp_path / "yesterday.json")
    (tmp_path / "robot.yaml").write_text("speed: 3\n")
    done = checked(tmp_path)
    assert done.returncode == OK, done.stderr
    for name in ("yesterday.json", "robot.yaml"):
        assert f"{name}: no trajectory, left out" in done.stderr
    # A trajectory that is cut off is none of these.
    (tmp_path / "half.json").write_text('{"joint_names": ["panda_joint1"], ')
    assert checked(tmp_path).returncode == ERROR
    (tmp_path / "half.json").unlink()
    (tmp_path / "move.csv").unlink()
    done = checked(tmp_path)
    assert done.returncode == ERROR and "does not hold a trajectory" in done.stderr


def test_an_output_that_cannot_be_written_keeps_no_other_back(
        samples, tmp_path):
    fill(tmp_path / "files", samples, count=1)
    samples.write_csv(tmp_path / "one.csv")
    for place in (tmp_path / "files", tmp_path / "one.csv"):
        done = checked(place, "--html", tmp_path / "none" / "r.html", "--junit",
                       tmp_path / "absent" / "j.xml", "--summary",
                       tmp_path / "sum.json", "--output", "json")
        assert done.returncode == ERROR
        for path in ("none/r.html", "absent/j.xml"):
            assert str(tmp_path / path) in done.stderr
        # What was printed is what was written.
        summary = tmp_path / "sum.json"
        assert json.loads(done.stdout) == json.loads(summary.read_text())
        summary.unlink()


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
    done = checked(tmp_path / "empty")
    assert done.returncode == ERROR and "has no file" in done.stderr
    for flags in (("-o", "tau.csv"), ("--jobs", "0")):
        done = checked(tmp_path, *flags)
        assert done.returncode == USAGE, flags
    done = checked(tmp_path / "move.csv", "--results", "r.jsonl")
    assert done.returncode == USAGE and "not a directory" in done.stderr
