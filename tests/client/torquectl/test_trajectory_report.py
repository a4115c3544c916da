"""The report on a trajectory."""

import html
import re

import numpy as np
import pytest

from calls import NO, OK, PANDA, chain, planar_with, run, run_json
from report_page import Page, plot_of
from trajectory_files import CHECK, JOINTS, Samples, checked, limits_file

LIMITS = {
    "panda_joint2": {"torque_speed": [[0, 40], [0.5, 30], [2, 10]]},
    "panda_joint4": {"velocity_limit": 0.3},
    "panda_joint6": {"upper": 2.2}}


@pytest.fixture(scope="module", name="report")
def fixture_report(move, tmp_path_factory):
    """Page, torques and verdict of a trajectory that breaks limits of all kinds."""
    path = tmp_path_factory.mktemp("report")
    limits_file(path / "limits.json", LIMITS)
    verdict = run_json(
        *CHECK, move, "--model", PANDA, "--task", "--limits",
        path / "limits.json", "--html", path / "report.html", "-o",
        path / "tau.npy", code=NO)
    return Page(path / "report.html"), np.load(path / "tau.npy"), verdict


def test_the_page_needs_nothing_else(report):
    page = report[0]
    # The licences of the chart library are the only addresses.
    for address in re.findall(r"https?://[^\"' ]*", page.source):
        assert "LICENSE" in address or "licenses" in address
    assert "sourceMappingURL" not in page.source
    for tag, attributes in page.elements:
        assert tag not in ("link", "img", "iframe")
        assert not {"src", "href"} & set(attributes)


def test_the_page_has_the_verdict_and_its_numbers(report):
    page, _, verdict = report
    told = page.data["verdict"]
    assert told["passes"] is False
    shown, echo = page.shown()["text"], verdict["echo"]
    for text in (told["message"], "panda@" + echo["revision"], verdict["judged"],
                 f"{echo['server_version']}, target {echo['target']}",
                 *(told[part]["message"] for part in (
                     "payload", "slow_down", "path_inertia"))):
        assert text in shown
    assert told["message"].startswith("3 violations ")
    for name in ("torque", "torque_use", "velocity", "lowest_position"):
        assert [joint[name]["value"] for joint in told["joints"]] == [
            joint[name]["value"] for joint in verdict["joints"]]
    assert [(one["joint"], one["severity"]) for one in told["violations"]] == [
        (one["joint"], one["severity"]) for one in verdict["violations"]]
    assert told["asked"]["drives"] == verdict["asked"]["drives"]


def test_the_page_can_be_read_without_scripts(report):
    text = report[0].text
    assert "FAIL: 3 violations of limits, the first at " in text
    assert "The velocity of panda_joint4 is 0.4644 rad/s at " in text
    assert "\ndrive of panda_joint4: velocity limit 0.3 rad/s\n" in text


def test_curves_are_the_samples(report, move):
    page, tau, verdict = report
    samples = Samples.read(move)
    corners = np.transpose(LIMITS["panda_joint2"]["torque_speed"])
    for joint in range(7):
        curves = page.curves(joint)
        for name, expected in (
                ("time", samples.time), ("q", samples.q[:, joint]),
                ("v", samples.v[:, joint]), ("tau", tau[:, joint])):
            assert np.array_equal(curves[name], expected.astype("f4")), name
    assert page.curves(1)["limit"] == pytest.approx(
        np.interp(np.abs(samples.v[:, 1]), *corners), rel=1e-6)
    robot = page.curves(of="robot")
    assert robot["power"] == pytest.approx(
        (tau * samples.v).sum(axis=1), rel=1e-5, abs=1e-5)
    task = page.curves(of="task")
    inertia = verdict["path_inertia"]
    assert task["sigma_min"].min() == np.float32(inertia["sigma_min"]["value"])
    assert task["condition"].max() == np.float32(inertia["condition"]["value"])


def test_what_was_asked_is_told_in_words(move, tmp_path):
    limits_file(tmp_path / "limits.json", {"panda_joint4": {"velocity_limit": 2}})
    (tmp_path / "wrench.csv").write_text(
        "time,mx,my,mz,fx,fy,fz\n0,0,0,0,0,0,5\n100,0,0,0,0,0,8\n")
    checked(move, "--limits", tmp_path / "limits.json", "--derating", "0.9",
            "--tip-wrench-profile", tmp_path / "wrench.csv", "--html",
            tmp_path / "r.html")
    page = Page(tmp_path / "r.html")
    assert page.asked["derating"] == "all torque limits times 0.9"
    assert page.asked["drive of panda_joint4"] == "velocity limit 2 rad/s"
    assert page.asked["file of limits"] == str(tmp_path / "limits.json")
    assert page.asked["file of wrenches"] == str(tmp_path / "wrench.csv")
    shown = page.shown()["text"]
    for words in (*page.asked.values(), '"derating": 0.9'):
        assert words in shown


def test_what_is_broken_stands_out(report):
    page, _, verdict = report
    shown = page.shown()
    assert shown["title"].startswith("FAIL ")
    assert len(shown["plots"]) == 31  # four a joint, the power, two of the task
    over_time = {joint: plot_of(shown, joint, "torque over time")
                 for joint in JOINTS}
    use, value, limit = map(float, re.search(
        r"torque up to ([\d.]+) % of its limit \( ?([\d.]+) of ([\d.]+) N m",
        over_time["panda_joint2"]["section"]).groups())
    assert value / limit == pytest.approx(use / 100, rel=1e-3)
    assert "position outside its limits" in over_time["panda_joint6"]["section"]
    # The dot is at the worst sample.
    peak = verdict["joints"][1]["torque_use"]
    (colour, time, tau), = over_time["panda_joint2"]["dots"]
    assert colour == "--over" and time == pytest.approx(peak["time"])
    assert abs(tau) == pytest.approx(value, rel=1e-3)
    for violation in verdict["violations"]:
        kind = violation["kind"][len("LIMIT_KIND_"):].lower()
        shade = [f"--{kind}", violation["begin"],
                 violation["end"] - violation["begin"]]
        for title in {"torque", kind}:
            plot = plot_of(shown, violation["joint"], f"{title} over time")
            assert plot["shades"] == [[shade[0], *map(pytest.approx, shade[1:])]]
            assert not plot["folded"]
    assert plot_of(shown, JOINTS[0], "velocity over time")["folded"]


def test_the_limit_of_a_drive_is_drawn_up_to_the_velocity_limit(report):
    plot = plot_of(report[0].shown(), "panda_joint2", "torque against velocity")
    corners = [[0, 40], [0, 40], [0.5, 30], [2, 10], [2 * 2.175, 10]]
    assert plot["lines"][:4] == [
        [[x * v, y * tau] for v, tau in corners]
        for x in (1, -1) for y in (1, -1)]
    assert {abs(line[0][0]) for line in plot["lines"][4:]} == {2.175}


def test_a_long_trajectory_keeps_its_extrema_in_a_small_page(tmp_path):
    random = np.random.default_rng(7)
    rows = 200000
    path = tmp_path / "long.npz"
    np.savez(path, time=np.arange(rows) / 1000,
             joint_names=[f"j{k}" for k in range(1, 31)],
             **{name: random.standard_normal((rows, 30)) for name in "qva"})
    verdict = run_json(*CHECK, path, "--model", chain(tmp_path, 30), "--html",
                       tmp_path / "r.html", code=NO)
    page = Page(tmp_path / "r.html")
    assert len(verdict["violations"]) == 1000
    assert len(page.source.encode()) < 1e6
    for j, joint in enumerate(verdict["joints"]):
        curves = page.curves(j)
        assert 200 < len(curves["time"]) < 4000
        assert np.all(np.diff(curves["time"]) > 0)
        for value, peak in ((np.abs(curves["tau"]).max(), "torque"),
                            (np.abs(curves["v"]).max(), "velocity"),
                            (curves["q"].min(), "lowest_position"),
                            (curves["q"].max(), "highest_position")):
            assert value == np.abs(np.float32(joint[peak]["value"])) * (
                -1 if peak == "lowest_position" else 1)
        worst = curves["time"] == np.float32(joint["torque_use"]["time"])
        assert np.abs(curves["tau"][worst] / curves["limit"][worst]) == (
            pytest.approx(joint["torque_use"]["value"], rel=1e-6))


def test_names_are_never_markup(tmp_path):
    name, file = '</script><img src="x">&amp', "<b>\u202e.npz"
    planar_with(tmp_path / "arm.urdf", ('"joint1"', f'"{html.escape(name)}"'))
    time = np.linspace(0, 1, 20)
    np.savez(tmp_path / file, time=time, joint_names=[name, "joint2"],
             **{key: np.zeros((20, 2)) for key in "qva"})
    done = run(*CHECK, tmp_path / file, "--model", tmp_path / "arm.urdf",
               "--html", tmp_path / "r.html")
    assert done.returncode in (OK, NO), done.stderr
    page = Page(tmp_path / "r.html")
    assert not [tag for tag, _ in page.elements if tag in ("img", "b")]
    assert page.data["verdict"]["joints"][0]["joint"] == name
    assert page.data["title"].endswith(file)
    for text in (page.text, page.shown()["text"]):
        assert name in text and "<b>\\u202e.npz" in text and file not in text


def test_a_robot_without_joints_has_a_page(tmp_path):
    (tmp_path / "stand.urdf").write_text(
        '<robot name="stand"><link name="base"/></robot>')
    (tmp_path / "still.csv").write_text("time\n0\n1\n")
    done = run(*CHECK, tmp_path / "still.csv", "--model",
               tmp_path / "stand.urdf", "--html", tmp_path / "r.html")
    assert done.returncode == OK, done.stderr
    assert "PASS No limit is exceeded." in Page(tmp_path / "r.html").shown()["text"]
