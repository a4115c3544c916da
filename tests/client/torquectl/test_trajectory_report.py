"""The report on a trajectory, as a browser shows it."""

import html.parser
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image

from calls import MODELS, NO, OK, PANDA, run, run_json
from trajectory_files import CHECK, JOINTS, Samples, fixture_move

__all__ = ["fixture_move"]

LIMITS = {
    "panda_joint2": {"torque_at_speed": [[0, 40], [0.5, 30], [2, 10]]},
    "panda_joint4": {"velocity": 0.3},
    "panda_joint6": {"upper": 2.2}}


class Page(html.parser.HTMLParser):
    """What a page holds; fails where tags do not match."""

    EMPTY = {"meta", "rect", "line", "circle", "path", "polyline"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.EMPTY or (tag == "rect" and "title" in self.rawdata):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self.EMPTY and (not self.open or self.open[-1] != tag):
            return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module", name="report")
def fixture_report(move, tmp_path_factory):
    """Page and verdict of a trajectory that breaks limits of all kinds."""
    path = tmp_path_factory.mktemp("report")
    (path / "limits.json").write_text(json.dumps(LIMITS))
    verdict = run_json(
        *CHECK, move, "--model", PANDA, "--task", "--limits",
        path / "limits.json", "--html", path / "report.html", code=NO)
    return path / "report.html", verdict


def test_the_page_needs_nothing_else(report):
    text = report[0].read_text(encoding="utf-8")
    # The one address is the name of SVG.
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {
        "http://www.w3.org/2000/svg"}
    for tag, attributes in Page(text).elements:
        assert tag not in ("script", "link", "img", "iframe")
        assert not {"src", "href"} & set(attributes)


def test_the_page_tells_the_verdict(report):
    path, verdict = report
    page = Page(path.read_text(encoding="utf-8"))
    assert page.text.startswith("FAIL ")
    assert f"{verdict['violation_count']} violations" in page.text
    assert verdict["echo"]["revision"] in page.text
    assert verdict["echo"]["server_version"] in page.text
    assert '"velocity":0.3' in page.text  # what was asked
    for joint in JOINTS:
        assert joint in page.text
    # Two pictures a joint, two of the task.
    assert len([tag for tag, _ in page.elements if tag == "svg"]) == 16
    shades = {attributes["fill"] for tag, attributes in page.elements
              if tag == "rect" and attributes["fill"].startswith("rgba")}
    assert len(shades) == 3  # torque, velocity, position
    assert len([1 for tag, attributes in page.elements if tag == "rect"
                and attributes["fill"].startswith("rgba")]) == (
                    verdict["violation_count"])


def test_shades_stand_where_the_violations_are(report):
    path, verdict = report
    text = path.read_text(encoding="utf-8")
    left, right = 62.0, 660.0 - 12
    end = verdict["duration"]
    for violation in verdict["violations"]:
        begin, stop = (left + violation[name] / end * (right - left)
                       for name in ("begin", "end"))
        found = [
            (float(x), float(x) + float(width)) for x, width in re.findall(
                r'<rect x="([\d.]+)" y="10" width="([\d.]+)"', text)]
        assert any(abs(a - begin) < 1.1 and abs(b - stop) < 1.1
                   for a, b in found), violation


def test_a_good_trajectory_has_a_quiet_page(move, tmp_path):
    done = run(*CHECK, move, "--model", PANDA, "--html", tmp_path / "r.html",
               "-o", tmp_path / "tau.npy")
    assert done.returncode == OK
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.text.startswith("PASS ") and "all limits are kept" in page.text
    assert "rgba(200,55,45,0.20)" not in text
    assert "sigma" not in page.text
    # Both outputs of one run.
    assert np.load(tmp_path / "tau.npy").shape == (2000, 7)


def test_names_are_escaped(tmp_path):
    name = '<img src="x">&amp'
    source = (MODELS / "planar_2r.urdf").read_text()
    (tmp_path / "arm.urdf").write_text(
        source.replace('"joint1"', '"&lt;img src=&quot;x&quot;&gt;&amp;amp"'))
    time = np.linspace(0, 1, 20)
    np.savez(tmp_path / "<b>.npz", time=time, joint_names=[name, "joint2"],
             **{key: np.zeros((20, 2)) for key in "qva"})
    done = run(*CHECK, tmp_path / "<b>.npz", "--model", tmp_path / "arm.urdf",
               "--html", tmp_path / "r.html")
    assert done.returncode in (OK, NO), done.stderr
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert name in page.text and "<b>.npz" in page.text
    assert not [tag for tag, _ in page.elements if tag in ("img", "b")]


def test_a_robot_without_joints_has_a_page(tmp_path):
    (tmp_path / "stand.urdf").write_text(
        '<robot name="stand"><link name="base"/></robot>')
    (tmp_path / "still.csv").write_text("time\n0\n1\n")
    done = run(*CHECK, tmp_path / "still.csv", "--model",
               tmp_path / "stand.urdf", "--html", tmp_path / "r.html")
    assert done.returncode == OK, done.stderr
    assert Page((tmp_path / "r.html").read_text()).text.startswith("PASS")


def test_a_browser_draws_the_page(report, tmp_path):
    path, _ = report
    command = [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu",
               "--hide-scrollbars", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [*command, "--window-size=1100,3200",
         f"--screenshot={tmp_path / 'page.png'}", path.as_uri()],
        check=False, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    image = np.array(Image.open(tmp_path / "page.png").convert("RGB"))
    assert image.shape == (3200, 1100, 3)

    def share(colour, rows=slice(None)):
        return (np.abs(image[rows].astype(int) - colour).max(axis=2) < 12).mean()

    assert share((31, 111, 180)) > 1e-3  # curves
    assert share((200, 55, 45)) > 1e-3   # limits, and the word FAIL
    # The badge stands at the top.
    assert share((200, 55, 45), slice(0, 120)) > 3e-3
    # Panels of all joints, and those of the task, are drawn.
    drawn = np.abs(image.astype(int) - (31, 111, 180)).max(axis=2) < 12
    heights = np.flatnonzero(drawn.any(axis=1))
    assert (np.diff(heights) > 40).sum() >= 7


def test_samples_of_all_kinds_are_drawn(move, tmp_path):
    # One sample, and rates that were derived.
    samples = Samples.read(move)
    samples.first(1).write_csv(tmp_path / "one.csv")
    samples.write_csv(tmp_path / "positions.csv", columns="q")
    for name, flags in (("one", ()), ("positions", ("--derive", "cubic"))):
        done = run(*CHECK, tmp_path / f"{name}.csv", "--model", PANDA,
                   "--task", *flags, "--html", tmp_path / f"{name}.html")
        assert done.returncode == OK, done.stderr
        text = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert "nan" not in text and "inf" not in text.replace("info", "")
        Page(text)
