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
    verdict = panda.check_trajectory(motion, task=True, tables=TABLES)
    page = saved(verdict, tmp_path)
    assert len(page.source.encode()) < 1e6
    tau, time = verdict.tables["tau"], np.repeat(motion.time[:, np.newaxis], 7, axis=1)
    for j in range(7):
        curves = page.curves(j)
        assert 200 < len(curves["time"]) <= 4000
        assert np.all(np.diff(curves["time"]) > 0)
        for name, numbers in (("time", time), ("q", motion.q), ("v", motion.v), ("tau", tau)):
            rows = numbers[:, j].astype("f4")
            assert (curves[name].min(), curves[name].max()) == (
                rows.min(), rows.max()), name
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
    verdict = panda.check_trajectory(swinging(40), task=True, tables=["tau"])
    with pytest.raises(torqued.InvalidArgument) as error:
        verdict.save_html(tmp_path / "r.html")
    assert error.value.message == (
        'there are no curves: give tables=["tau", "torque_limit", "sigma_min", '
        '"condition"] to the check')
    assert not (tmp_path / "r.html").exists()


def test_names_are_never_markup(panda, tmp_path):
    motion = swinging(40)
    motion.file = "</script><b>"
    verdict = panda.check_trajectory(motion, tables=TABLES[:2])
    page = saved(verdict, tmp_path)
    assert "b" not in [tag for tag, _ in page.elements]
    for text in (page.text, page.shown()["text"]):
        assert "</script><b>" in text
