"""Tables and plot of docs/break-even.md, from known figures and from the
figures that come with the sources."""

import json
import re

import break_even_report as report
import pytest


def line(way, states, nanoseconds):
    return json.dumps({"quantity": "inverse_dynamics", "way": way,
                       "states": states, "nanoseconds": nanoseconds})


@pytest.fixture
def data():
    lines = [json.dumps({"libraries": {"kdl": "Orocos KDL 1.5.1"},
                         "target": "avx2", "threads": 2})]
    for states, remote in ((1, 90_000), (10, 9000), (100, 900), (1000, 90)):
        lines += [line("kdl", states, time) for time in (900, 1100, 1000)]
        lines += [line("cpp_unix", states, remote),
                  line("core_1", states, 10)]
    kept = report.collect(lines)
    kept["measured"]["operational_space"] = kept["measured"]["inverse_dynamics"]
    return kept


def test_the_median_of_the_sweeps_counts(data):
    assert report.curve(data, "inverse_dynamics", "kdl")[10] == 1000


def test_a_crossing_lies_between_the_sizes_measured():
    assert report.crossing({1: 10, 10: 1}, {1: 1, 10: 10}) == (
        pytest.approx(10**0.5))
    assert report.crossing({1: 1, 10: 1}, {1: 2, 10: 2}) == 1
    assert report.crossing({1: 3, 10: 3}, {1: 2, 10: 2}) is None
    # The last one counts, for from there on it is faster.
    assert report.crossing({1: 1, 10: 4, 100: 1},
                           {1: 2, 10: 2, 100: 4}) > 10
    assert report.crossing({}, {1: 1}) is None


@pytest.mark.parametrize("states, shown", [
    (1, "1"), (9.4, "9"), (89.6, "90"), (123, "120"), (45_678, "46 000"),
    (None, "never")])
def test_a_crossing_has_two_digits(states, shown):
    assert report.rough(states) == shown


def test_tables(data):
    text = report.measured(data)
    assert ("| C++ client, Unix socket | 90.0 µs | 9.00 µs | 900 ns | 90.0 ns "
            "| – |") in text
    assert "| Orocos KDL | never | 90 | never |" in text
    assert "torqued in process, 1 thread | never | never | never" in text
    assert "Orocos KDL 1.5.1" in text
    assert "PyKDL" not in text


def test_plot_has_a_line_a_way(data):
    plot = report.plot(data)
    assert plot.count("<polyline") == 6
    assert "Orocos KDL" in plot and "MuJoCo" not in plot
    first = re.search(r'<polyline points="([^"]*)"', plot).group(1)
    assert len(first.split()) == 4


def test_page_and_plot_follow_from_the_data_of_the_repository():
    page, plot = report.rendered()
    assert report.PAGE.read_text(encoding="utf-8") == page
    assert report.PLOT.read_text(encoding="utf-8") == plot


def test_page_names_only_crossings_that_were_measured():
    """What the advice says of states is in the tables."""
    page = report.PAGE.read_text(encoding="utf-8")
    advice, tables = page.split(report.report.BEGIN)
    cells = {cell.strip() for row in tables.splitlines() if row.startswith("|")
             for cell in row.split("|")}
    named = re.findall(r"\*\*(.*?)\*\*", advice)
    assert named
    for words in named:
        assert words in cells, words
