"""The figure of docs/singularity.md shows what the service answers."""

import os
import pathlib
import re
import sys

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
sys.path.insert(0, str(SOURCE / "docs"))
os.environ["PATH"] = os.environ["TEST_BIN"] + ":" + os.environ["PATH"]

import singularity  # noqa: E402


@pytest.fixture(scope="module", name="curves")
def fixture_curves():
    return singularity.all_curves()


def outside(rows):
    return [row for row in rows if row["rank"] == 6]


def inside(rows):
    return [row for row in rows if row["rank"] == 5]


def test_rank_falls_once_and_the_rule_with_it(curves):
    for name, rows in curves.items():
        ranks = [row["rank"] for row in rows]
        assert ranks == sorted(ranks) and set(ranks) == {5, 6}
        assert all(row["rule"] == "TASK_RULE_FULL_RANK"
                   for row in outside(rows))
        expected = "TASK_RULE_DAMPED" if name.startswith("damped") else \
            "TASK_RULE_RANGE_RESTRICTED"
        assert all(row["rule"] == expected for row in inside(rows))


def test_smallest_singular_value_falls_with_the_distance(curves):
    values = [row["sigma_min"] for row in curves["restricted"]]
    assert values == sorted(values)
    assert values[8] / values[0] == pytest.approx(10, rel=1e-3)


def test_what_is_restricted_or_damped_stays_finite(curves):
    restricted = [singularity.largest(row)
                  for row in inside(curves["restricted"])]
    assert max(restricted) < 1.1 * min(restricted)
    for mu in (0.1, 0.01):
        for row in inside(curves[f"damped, μ = {mu}"]):
            assert singularity.largest(row) <= 1 / mu ** 2
    assert max(map(singularity.largest, curves["exact"])) > 1e8


def test_rules_agree_away_from_it(curves):
    rows = [outside(curves[name]) for name in singularity.CURVES]
    count = min(map(len, rows))
    assert count > 5
    for same in zip(*(few[-count:] for few in rows)):
        for row in same[1:]:
            assert row["lambda"] == pytest.approx(same[0]["lambda"], rel=1e-9,
                                                  abs=1e-9)


def numbers(svg):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", svg)]


def test_figure_is_of_this_server(curves):
    drawn = singularity.draw(curves)
    kept = (SOURCE / "docs" / "singularity.svg").read_text(encoding="utf-8")
    assert re.sub(r"[\d.]+", "", drawn) == re.sub(r"[\d.]+", "", kept)
    # Round-off moves a point by less than it is wide.
    assert numbers(drawn) == pytest.approx(numbers(kept), abs=0.3)
