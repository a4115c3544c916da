"""A verdict as a page."""

import sys

import numpy as np
import pytest
import torqued
from conftest import SOURCE
from motions import positions, run_torquectl, swinging

sys.path.append(str(SOURCE / "tests" / "client" / "torquectl"))
from report_page import Page  # noqa: E402

TABLES = ["tau", "torque_limit", "sigma_min", "condition"]


def saved(verdict, tmp_path):
    verdict.save_html(tmp_path / "ours.html")
    return Page(tmp_path / "ours.html")


def test_a_long_trajectory_keeps_its_extrema_in_a_small_page(panda, tmp_path):
    motion = swinging(100_000)
    verdict = panda.check_trajectory(
        motion, task=True, tables=TABLES,
        limits={"panda_joint2": {"torque_at_speed": [(0, 87), (2, 20)]}})
    page = saved(verdict, tmp_path)
    assert len(page.source.encode()) < 1e6
    assert f": {verdict.message}\n" in page.text and "\nfriction: none\n" in page.text
    tau, time = verdict.tables["tau"], motion.time.astype("f4")
    for j, joint in enumerate(verdict.joints):
        curves = page.curves(j)
        assert 200 < len(curves["time"]) <= 4000
        assert np.all(np.diff(curves["time"]) > 0)
        for name, numbers in (("time", time[:, np.newaxis]), ("q", motion.q),
                              ("v", motion.v), ("tau", tau)):
            all_rows = numbers[:, min(j, numbers.shape[1] - 1)].astype("f4")
            assert (curves[name].min(), curves[name].max()) == (
                all_rows.min(), all_rows.max()), name
        worst = np.abs(curves["tau"] / curves["limit"])
        assert worst.max() == pytest.approx(joint.torque_use.value, rel=1e-6)
    power = (tau * motion.v).sum(axis=1)
    assert page.curves(of="robot")["power"].max() == np.float32(power.max())
    task = page.curves(of="task")
    assert task["sigma_min"].min() == np.float32(verdict.path_inertia.sigma_min.value)
    assert task["condition"].max() == np.float32(verdict.path_inertia.condition.value)


@pytest.mark.parametrize("derive", [False, True])
def test_it_is_the_page_of_torquectl(client, panda, tmp_path, derive):
    motion = positions(swinging(300)) if derive else swinging(300)
    motion.write(tmp_path / "move.csv")
    words = {"derive": "cubic"} if derive else {}
    verdict = panda.check_trajectory(
        tmp_path / "move.csv", task=True, payload=torqued.Payload(mass=2),
        tables=TABLES + ["v"], **words)
    page = saved(verdict, tmp_path)
    run_torquectl(
        "--server", client.address, "trajectory", "check", tmp_path / "move.csv",
        "--model", "panda", "--task", "--payload", "2", "--html",
        tmp_path / "theirs.html", *(("--derive", "cubic_spline") if derive else ()))
    theirs = Page(tmp_path / "theirs.html")
    assert page.data.keys() == theirs.data.keys()
    ours, shown = page.shown(), theirs.shown()
    assert (ours["title"], ours["plots"]) == (shown["title"], shown["plots"])
    assert page.asked == theirs.asked
    request = "the whole request"
    assert ours["text"].split(request)[0] == shown["text"].split(request)[0]


def test_tables_that_are_missing_are_named(panda, tmp_path):
    verdict = panda.check_trajectory(swinging(40), task=True, tables="tau")
    with pytest.raises(torqued.InvalidArgument) as error:
        verdict.save_html(tmp_path / "r.html")
    assert error.value.message == (
        'there are no curves: give tables=["tau", "torque_limit", "sigma_min", '
        '"condition"] to the check')
    assert not (tmp_path / "r.html").exists()


def test_names_are_never_markup(panda, tmp_path):
    motion = swinging(40)
    motion.file = "</script><b>\u202e"
    verdict = panda.check_trajectory(motion, tables=TABLES[:2])
    page = saved(verdict, tmp_path)
    assert "b" not in [tag for tag, _ in page.elements]
    for text in (page.text, page.shown()["text"]):
        assert "</script><b>\\u202e" in text
