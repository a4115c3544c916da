"""Samples that contradict each other, and what is between samples, in every
output of a verdict."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from calls import NO, OK, PANDA, run
from report_page import Page
from trajectory_files import CHECK, COMPARE, Samples, checked, limits_file

HOME = np.array([0.0, -0.78, 0.0, -2.36, 0.0, 1.57, 0.78])


@pytest.fixture(scope="module", name="stops")
def fixture_stops(tmp_path_factory):
    """Three waypoints at rest, the first joint's apart from each other."""
    q = HOME + np.outer([0, 0.5, 1], np.eye(7)[0])
    rest = np.zeros((3, 7))
    return Samples(np.arange(3.0), q, rest, rest).write_csv(
        tmp_path_factory.mktemp("stops") / "stops.csv")


def test_waypoints_at_rest_draw_a_remark_in_every_output(stops, tmp_path):
    sentence = ("The velocity of panda_joint1 is 0 rad/s at 0 s (between samples 0 "
                "and 1), but the positions give 0.5 rad/s. 2 steps from 0 s to 2 s "
                "contradict each other.")
    done = checked(stops, "--junit", "junit.xml", "--html", "page.html", "--summary",
                   "summary.json", "--allow-inconsistent", cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    doubt, first, second = done.stdout.splitlines()[:3]
    assert doubt == "v of panda_joint1 is 0, but q moves."
    assert "3 samples, not judged between them" in first
    assert second.startswith("The samples are coarse: panda_joint1 moves by 0.5 rad ")
    assert re.search("PASS: No limit is exceeded; .* 1 remark on the samples", done.stdout)
    assert sentence in done.stdout

    verdict = json.loads((tmp_path / "summary.json").read_text())
    assert verdict["passes"] and verdict["judged_between"] is False
    remark, = verdict["remarks"]
    assert remark["message"] == sentence
    assert verdict["coarse_step"]["message"] == second

    table = checked(stops, "--output", "csv", "--allow-inconsistent").stdout
    row, = csv.DictReader(io.StringIO(table))
    assert row["remarks"] == "1" and row["remark"] == sentence

    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert suite.attrib == {"tests": "22", "failures": "0", "errors": "0"}
    case, = [case for case in suite.iter("testcase") if len(case)]
    assert case.attrib == {"classname": "panda_joint1",
                           "name": "velocity against positions"}
    assert case.find("system-out").text.strip() == sentence

    page = Page(tmp_path / "page.html").shown()["text"]
    for text in ("Samples that contradict each other", "1 remark on the samples",
                 "3 samples, not judged between them", second):
        assert text in page


def test_with_consistent_a_remark_is_the_answer_no(stops, tmp_path):
    done = checked(stops, "--consistent", "--junit", "junit.xml", "--html", "page.html",
                   cwd=tmp_path)
    assert done.returncode == NO
    assert re.search("FAIL: No limit is exceeded; .* 1 remark on the samples", done.stdout)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    # Both rates of all joints have a case.
    assert suite.attrib == {"tests": "35", "failures": "1", "errors": "0"}
    failure, = suite.iter("failure")
    assert failure.get("message").startswith(
        "The velocity of panda_joint1 is 0 rad/s")
    page = Page(tmp_path / "page.html").shown()["text"]
    assert " FAIL " in page and "make the answer no" in page
    assert "Violations" not in page


@pytest.mark.parametrize("spoil, doubt", [
    (lambda m: replace(m, time=1000 * m.time),
     "is 1000 times the rate of q: are times in milliseconds? Expected seconds."),
    (lambda m: replace(m, time=1000 * m.time, q=np.degrees(m.q)),
     "is q in degrees and time in milliseconds? Expected rad and seconds."),
    (lambda m: replace(m, q=np.degrees(m.q), v=np.degrees(m.v), a=np.degrees(m.a)),
     "are far outside their range: are they in degrees? Expected rad."),
    (lambda m: replace(m, v=-m.v), "is -1 times the rate of q: is its sign wrong?")])
def test_units_that_are_mistaken_fail_and_are_named_first(spoil, doubt, tmp_path):
    time = np.linspace(0, 2, 201)
    swing = 0.3 * np.sin(2 * time)
    motion = Samples(time, HOME + np.outer(swing, np.eye(7)[1]),
                     np.outer(0.6 * np.cos(2 * time), np.eye(7)[1]),
                     np.outer(-1.2 * np.sin(2 * time), np.eye(7)[1]))
    words = ("--junit", "junit.xml", "--html", "page.html")
    good = checked(motion.write_csv(tmp_path / "good.csv"), *words, cwd=tmp_path)
    assert good.returncode == OK, good.stdout
    done = checked(spoil(motion).write_csv(tmp_path / "move.csv"), *words, cwd=tmp_path)
    assert done.returncode == NO
    assert doubt in done.stdout.splitlines()[0]
    assert doubt in Page(tmp_path / "page.html").shown()["text"]
    assert "<failure" in (tmp_path / "junit.xml").read_text()


def test_a_directory_tells_remarks(stops, tmp_path):
    (tmp_path / "moves").mkdir()
    (tmp_path / "moves" / "stops.csv").write_bytes(stops.read_bytes())
    words = (*CHECK, "moves", "--model", PANDA, "--allow-inconsistent")
    sentence = ("1 remark on the samples, the worst: The velocity of "
                "panda_joint1 is 0 rad/s")
    for again in (False, True):
        done = run(*words, "--html", "page.html", "--summary", "first.json",
                   "--junit", "junit.xml", "--results", "results.jsonl",
                   cwd=tmp_path)
        assert done.returncode == OK, done.stderr
        assert ("checked before" in done.stdout) == again
        for text in (done.stdout, (tmp_path / "page.html").read_text(),
                     (tmp_path / "junit.xml").read_text()):
            assert sentence in text
    strict = run(*words, "--consistent", "--summary", "second.json",
                 cwd=tmp_path)
    assert strict.returncode == NO and "0 pass, 1 fail" in strict.stdout
    compared = run(*COMPARE, "first.json", "second.json", cwd=tmp_path)
    assert compared.returncode == NO
    assert "make the answer no\n" in compared.stdout


@pytest.mark.parametrize("spline", ["cubic", "quintic"])
def test_a_spline_that_leaves_its_limit_between_samples_fails(tmp_path, spline):
    # Of a parabola: 0.275 at two samples, 0.3 between them.
    time = np.arange(8.0)
    q = np.tile(HOME, (8, 1))
    q[:, 2] = 0.3 - 0.1 * (time - 2.5) ** 2
    words = (*CHECK, Samples(time, q, None, None).write_csv(
        tmp_path / "swing.csv", columns="q"), "-m", PANDA, "--derive",
        f"{spline}_spline", "--limits", tmp_path / "limits.json")
    limits_file(tmp_path / "limits.json", {"panda_joint3": {"upper": 0.29}})
    done = run(*words, "--junit", "junit.xml", "--html", "page.html", cwd=tmp_path)
    assert done.returncode == NO
    judged = f"8 samples and the {spline} spline between them"
    assert judged in done.stdout.splitlines()[0]
    sentence = ("The position of panda_joint3 is 0.3 rad at 2.5 s (between samples 2 "
                "and 3); its limit there is 0.29 rad.")
    assert sentence in done.stdout
    assert sentence in (tmp_path / "junit.xml").read_text()
    page = Page(tmp_path / "page.html").shown()["text"]
    assert judged in page and "2 to 3" in page
    limits_file(tmp_path / "limits.json", {"panda_joint3": {"upper": 0.301}})
    assert run(*words).returncode == OK
