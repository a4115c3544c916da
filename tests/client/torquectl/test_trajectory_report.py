"""The report on a trajectory."""

import html
import html.parser
import json
import re

import numpy as np
import pytest

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
    for joint in JOINTS:
        assert joint in page.text
    # Four pictures a joint, one of the power, two of the task.
    assert len([tag for tag, _ in page.elements if tag == "svg"]) == 31
    shades = {attributes["fill"] for tag, attributes in page.elements
              if tag == "rect" and attributes["fill"].startswith("rgba")}
    assert len(shades) == 3  # torque, velocity, position
    # Beside the torque, and those of motion beside q or its rate, too.
    assert len([1 for tag, attributes in page.elements if tag == "rect"
                and attributes["fill"].startswith("rgba")]) == (
                    verdict["violation_count"]
                    + sum(joint["velocity_violations"]
                          + joint["position_violations"]
                          for joint in verdict["joints"]))


def facts_of(text):
    """What the lists of a page tell, by name."""
    return {html.unescape(name): html.unescape(words) for name, words in
            re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)}


def svg_of(text, title):
    """The picture with this title."""
    return next(svg for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL)
                if f"<title>{title}</title>" in svg)


def test_what_was_asked_is_told_in_words(move, tmp_path):
    (tmp_path / "limits.json").write_text(json.dumps(
        {"panda_joint2": {"torque_at_speed": [[0, 80], [1.5, 60]]},
         "panda_joint4": {"velocity": 2, "viscous_friction": 0.5}}))
    (tmp_path / "wrench.csv").write_text(
        "time,mx,my,mz,fx,fy,fz\n0,0,0,0,0,0,5\n100,0,0,0,0,0,5\n")
    run(*CHECK, move, "--model", PANDA, "--payload", "1.5", "--viscous",
        "--gravity", "9.81,0,0", "--limits", tmp_path / "limits.json",
        "--derate", "0.9", "--wrench-profile", tmp_path / "wrench.csv",
        "--html", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    facts = facts_of(text)
    assert facts["Payload"].startswith("1.5 kg at panda_")
    assert facts["Friction"] == "viscous"
    assert facts["Gravity"] == "(9.81 0 0) m/s\u00b2"
    assert facts["Velocities and accelerations"] == "as they are given"
    assert facts["Derating"] == "all torque limits times 0.9"
    assert facts["Limits of panda_joint2"] == (
        "torque by speed: 80 N m at 0 rad/s, 60 N m at 1.5 rad/s")
    assert facts["Limits of panda_joint4"] == "velocity 2 rad/s"
    assert facts["Drive of panda_joint4"] == "viscous friction 0.5 N m s/rad"
    assert facts["File of limits"] == str(tmp_path / "limits.json")
    assert facts["File of wrenches"] == str(tmp_path / "wrench.csv")
    assert facts["Wrench of the tip on the environment"] == (
        "2 rows over time, from 0 s to 100 s, axes local")
    # What stands at its default is left out, but for what everybody asks.
    assert not {"Precision", "Task", "Tip frame"} & set(facts)
    # All of it, folded.
    request = re.search(r"<details>.*?<pre>(.*?)</pre>", text, re.DOTALL)
    assert json.loads(html.unescape(request[1]))["derating"] == 0.9
    run(*CHECK, move, "--model", PANDA, "--html", tmp_path / "plain.html")
    facts = facts_of((tmp_path / "plain.html").read_text(encoding="utf-8"))
    assert facts["Payload"] == facts["Friction"] == "none"
    assert facts["Limits"] == "those of the model"


def test_energy_of_joints_and_power_of_the_robot_are_told_apart(
        move, report, tmp_path):
    path, verdict = report
    facts = facts_of(path.read_text(encoding="utf-8"))
    given, taken = verdict["energy_given"], verdict["energy_taken"]
    assert facts["Energy of all joints"] == (
        f"given {given:.6g} J, taken {taken:.6g} J (each joint for itself)")
    # The net is that of the sum, by trapezoids.
    run(*CHECK, move, "--model", PANDA, "-o", tmp_path / "tau.npy")
    samples = Samples.read(move)
    power = (np.load(tmp_path / "tau.npy") * samples.v).sum(axis=1)
    net, low, high = map(float, re.fullmatch(
        r"net (.*) J, power from (.*) to (.*) W", facts["Whole robot"]).groups())
    assert net == pytest.approx(np.trapz(power, samples.time), rel=1e-4)
    assert low == pytest.approx(power.min(), rel=1e-5)
    assert high == pytest.approx(power.max(), rel=1e-5)
    svg_of(path.read_text(encoding="utf-8"), "Power of the whole robot over time")


def test_the_header_of_a_joint_tells_what_is_broken_and_only_that(report):
    text = report[0].read_text(encoding="utf-8")
    heads = {head.split("<")[0]: re.findall(r'<span class="over">(.*?)</span>',
                                            head)
             for head in re.findall(r"<h3>(.*?)</h3>", text, re.DOTALL)}
    assert heads["panda_joint1"] == []
    assert len(heads["panda_joint4"]) == 1
    assert heads["panda_joint4"][0].startswith("velocity up to ")
    assert heads["panda_joint6"] == ["position outside its limits"]
    assert heads["panda_joint2"][0].startswith("torque up to ")
    # The torque and the limit of that instant, not of two.
    use, value, limit = map(float, re.match(
        r"torque up to ([\d.]+) % of its limit \(([\d.]+) of ([\d.]+) N m",
        heads["panda_joint2"][0]).groups())
    assert value / limit == pytest.approx(use / 100, rel=1e-3)


def test_motion_is_shown_where_its_limits_are_broken(report):
    text = report[0].read_text(encoding="utf-8")
    folded = "".join(re.findall(r"<details>.*?</details>", text, re.DOTALL))
    for joint in JOINTS:
        for kind in ("Position", "Velocity"):
            title = f"{kind} of {joint} over time"
            svg = svg_of(text, title)
            assert svg.count('stroke-dasharray="6 4"') == 2  # the limits
            assert (title in folded) == (
                joint not in ("panda_joint4", "panda_joint6"))
    assert "rgba(222" in svg_of(text, "Velocity of panda_joint4 over time")
    assert "rgba" not in svg_of(text, "Position of panda_joint4 over time")
    assert "rgba(112" in svg_of(text, "Position of panda_joint6 over time")


def limit_curves(svg):
    """Places of the corners of all curved limits."""
    return [np.array([point.split(",") for point in points.split()], float)
            for points in re.findall(
                r'<polyline points="([^"]*)"[^>]*stroke="#c8372d"', svg)]


def speed_axis(svg, velocity_limit):
    """Place of rest and pixels for 1 rad/s; a line stands at the limits."""
    lines = sorted({float(x) for x in re.findall(
        r'<line x1="([\d.]+)"[^>]*stroke="#c8372d"', svg)})
    return sum(lines) / 2, (lines[1] - lines[0]) / 2 / velocity_limit


def test_limits_are_drawn_at_speeds_that_nobody_reached(report):
    svg = svg_of(report[0].read_text(encoding="utf-8"),
                 "Torque of panda_joint2 against velocity")
    curves = limit_curves(svg)
    assert len(curves) == 4  # quadrants
    # Each from rest to the velocity limit, with corners at 0.5 and 2 rad/s.
    middle, scale = speed_axis(svg, 2.175)
    for curve in curves:
        assert np.abs(curve[:, 0] - middle) / scale == pytest.approx(
            [0, 0.5, 2, 2.175], abs=0.01)


def heights_of_torques(svg):
    """Pixels from the top for torques in N m, by the labels of the axis."""
    labels = [(float(label), float(y) - 4) for y, label in re.findall(
        r'<text x="54" y="([\d.]+)"[^>]*>([-\d.e]+)</text>',
        svg.replace("\u2212", "-"))]
    return np.poly1d(np.polyfit(*zip(*labels), 1))


@pytest.mark.parametrize("resting", [True, False])
def test_limits_are_as_high_as_their_table(move, resting, tmp_path):
    samples = Samples.read(move)
    corners = [[0, 40], [0.5, 30], [2, 10]]
    if not resting:
        # The corner at rest is far above all that is shown.
        corners = [[0, 1000], [2, 20]]
        samples = samples.first(200)
        samples.time = np.linspace(0, 0.5, 200)
        samples.v = np.zeros((200, 7))
        samples.a = np.zeros((200, 7))
        samples.q = np.tile(samples.q[0], (200, 1))
        samples.v[:, 1] = 1.5 + 0.2 * samples.time
        samples.a[:, 1] = 0.2
        samples.q[:, 1] = (-0.4 + 1.5 * samples.time
                           + 0.1 * samples.time ** 2)
    samples.write_csv(tmp_path / "s.csv")
    (tmp_path / "limits.json").write_text(json.dumps(
        {"panda_joint2": {"torque_at_speed": corners, "effort": 1000}}))
    done = run(*CHECK, tmp_path / "s.csv", "--model", PANDA, "--limits",
               tmp_path / "limits.json", "--html", tmp_path / "r.html")
    assert done.returncode in (OK, NO), done.stderr
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    over_time = svg_of(text, "Torque of panda_joint2 over time")
    over_speed = svg_of(text, "Torque of panda_joint2 against velocity")
    middle, scale = speed_axis(over_speed, 2.175)
    height = heights_of_torques(over_speed)
    quadrants = limit_curves(over_speed)
    assert len(quadrants) == 4
    # Over time the table torque_limit is drawn itself.
    tables = limit_curves(over_time)
    assert len(tables) == 2
    for table in tables:
        times = (table[:, 0] - 62) / (760 - 12 - 62) * samples.time[-1]
        speed = np.abs(np.interp(times, samples.time, samples.v[:, 1]))
        upper = table[0, 1] < height(0)
        limit = np.interp(speed, *np.transpose(corners))
        assert table[:, 1] == pytest.approx(
            height(limit if upper else -limit), abs=0.3)
        for curve in quadrants:
            if (curve[0, 1] < height(0)) != upper:
                continue
            order = np.argsort(curve[:, 0])
            side = np.sign(curve[-1, 0] - middle)
            drawn = np.interp(middle + side * scale * speed,
                              curve[order, 0], curve[order, 1])
            assert drawn == pytest.approx(table[:, 1], abs=0.3)
            # And nothing outside the frame.
            assert 10 <= curve[:, 1].min() <= curve[:, 1].max() <= 220 - 40


def test_a_limit_that_is_lifted_does_not_flatten_the_picture(move, tmp_path):
    (tmp_path / "limits.json").write_text(json.dumps({"panda_joint2": {
        "effort": 1e9, "velocity": 1e9, "lower": -1e9, "upper": 1e9}}))
    run(*CHECK, move, "--model", PANDA, "--limits", tmp_path / "limits.json",
        "--html", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for title in ("Torque of panda_joint2 over time",
                  "Torque of panda_joint2 against velocity",
                  "Position of panda_joint2 over time",
                  "Velocity of panda_joint2 over time"):
        svg = svg_of(text, title)
        assert "dasharray" not in svg
        heights = [float(y) for y in re.findall(r"[ ,](\d+\.?\d*)[ h]", svg)]
        assert max(heights) - min(heights) > 60, title


def test_a_limit_of_a_robot_at_rest_is_drawn(move, tmp_path):
    samples = Samples.read(move).first(20)
    samples.v[:], samples.a[:] = 0, 0
    samples.q[:] = samples.q[0]
    samples.write_csv(tmp_path / "rest.csv")
    (tmp_path / "limits.json").write_text(
        json.dumps({"panda_joint1": {"effort": 2000}}))
    run(*CHECK, tmp_path / "rest.csv", "--model", PANDA, "--limits",
        tmp_path / "limits.json", "--html", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for title, count in (("over time", 2), ("against velocity", 4)):
        svg = svg_of(text, f"Torque of panda_joint1 {title}")
        height = heights_of_torques(svg)
        curves = limit_curves(svg)
        assert len(curves) == count
        for curve in curves:
            assert np.abs(curve[:, 1] - height(0)) == pytest.approx(
                height(0) - height(2000), abs=0.3)


def chatter(move, directory):
    """Velocities that jump over the limit of two joints, 1200 times each."""
    samples = Samples.read(move)
    whole = Samples(*(np.concatenate([getattr(samples, name)] * 2)
                      for name in ("time", "q", "v", "a")))
    whole.time[2000:] += samples.time[-1] + 0.01
    whole.v[0:2400:2, 0] = 5
    whole.v[1:2400:2, 1] = -4
    return whole.write_csv(directory / "chatter.csv")


def test_many_violations_do_not_hide_the_pictures(move, tmp_path):
    path = chatter(move, tmp_path)
    verdict = run_json(*CHECK, path, "--model", PANDA, "--html",
                       tmp_path / "r.html", "--junit", tmp_path / "j.xml",
                       code=NO)
    assert len(verdict["violations"]) == 1000
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    tables = text.split("<h2>Violations")[1].split("<h2>Torques")[0]
    shown, folded = tables.split("<details>")
    assert shown.count("<tr><td>") == 20
    assert folded.count("<tr><td>") == 980
    more = verdict["violation_count"] - 1000
    assert f"and {more} more" in folded
    Page(text)
    # All that is listed is of the first joint; the second one's is known.
    assert {v["joint"] for v in verdict["violations"]} == {JOINTS[0]}
    junit = (tmp_path / "j.xml").read_text(encoding="utf-8")
    assert (f'<failure message="velocity of {JOINTS[1]}: -4 where the limit is '
            '2.175, at ') in junit


def test_shades_stand_where_the_violations_are(report):
    path, verdict = report
    text = path.read_text(encoding="utf-8")
    left, right = 62.0, 760.0 - 12
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
