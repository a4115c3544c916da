"""Tables and plot of the performance page, from a run of known figures."""

import copy
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

import report

CONTEXT = {
    "date": "2024-06-07T12:00:00+00:00",
    "load_avg": [0.5, 0.25, 0.1],
    "cpu": "Some CPU",
    "cores": "2",
    "compiler": "GNU 12.2.0",
    "targets": "baseline avx2",
    "version/kdl": "KDL 1.5",
    "version/rbdl": "RBDL 3.3",
    "joints/ur5e": "6", "joints/panda": "7", "joints/humanoid": "36",
    "joints/panda_gripper": "9",
    "multiplications/ur5e": "60", "additions/ur5e": "40",
    "multiplications/panda": "70", "additions/panda": "50",
    "multiplications/humanoid": "400", "additions/humanoid": "300",
}


def entry(name, nanoseconds, **more):
    return {"name": name + "/real_time", "run_type": "iteration",
            "items_per_second": 1e9 / nanoseconds, **more}


@pytest.fixture
def document():
    benchmarks = [
        entry("engine/ur5e/inverse_dynamics/avx2/1/4096", 20.0),
        entry("engine/ur5e/inverse_dynamics/avx2/1/4096", 25.0),
        entry("engine/ur5e/inverse_dynamics/baseline/1/4096", 50.0),
        entry("engine/ur5e/inverse_dynamics/avx2/2/4096", 11.0),
        entry("engine/ur5e/inverse_dynamics/avx2/1/1", 400.0),
        entry("engine/ur5e/mass_matrix/avx2/1/4096", 40.0),
        entry("robot/ur5e/inverse_dynamics", 700.0),
        entry("engine/ur5e/regressor/avx2/1/512", 300.0),
        entry("rbdl/ur5e/regressor", 2400.0, difference=1e-14),
        entry("engine/ur5e/energy/avx2/1/4096", 30.0),
        entry("kdl/ur5e/inverse_dynamics", 1000.0, difference=2e-15),
        entry("rbdl/ur5e/inverse_dynamics", 500.0, difference=3e-15),
        entry("kdl/ur5e/mass_matrix", 1200.0, difference=0.0),
        entry("single/ur5e/inverse_dynamics/avx2/4096", 13.0, doubtful=0.0),
        entry("single/ur5e/inverse_dynamics/avx2/4096", 11.0, doubtful=0.0),
        entry("single/ur5e/energy/avx2/4096", 33.0, doubtful=0.125),
        {"name": "peak/avx2/real_time", "run_type": "iteration",
         "items_per_second": 10e9},
        # Means of repetitions are none.
        {"name": "engine/ur5e/inverse_dynamics/avx2/1/4096/real_time_mean",
         "run_type": "aggregate", "items_per_second": 1e12},
    ]
    return {"context": dict(CONTEXT), "benchmarks": benchmarks}


def cells(table):
    """Rows of a table by their first cell; the head too."""
    rows = {}
    for line in table.splitlines():
        first, *others = [cell.strip() for cell in line.strip("|").split("|")]
        rows[first] = others
    return rows


def test_fastest_repetition_counts_and_aggregates_do_not(document):
    run = report.Run(document)
    assert run.ours("ur5e", "inverse_dynamics") == pytest.approx(20)


def test_comparison_has_times_ratios_and_differences(document):
    rows = cells(report.comparison(report.Run(document), "ur5e"))
    assert rows["ns per state"] == [
        "torqued avx2", "torqued baseline", "RBDL 3.3", "KDL 1.5",
        "fastest other / torqued"]
    assert rows["inverse dynamics"] == [
        "20.0", "50.0", "500 (25×, 3e-15)", "1000 (50×, 2e-15)", "**25×**"]


def test_what_a_library_does_not_offer_is_a_dash(document):
    rows = cells(report.comparison(report.Run(document), "ur5e"))
    assert rows["mass matrix"] == [
        "40.0", "–", "–", "1200 (30×, 0)", "**30×**"]
    assert "Jacobian" not in rows


def test_libraries_that_were_not_found_have_no_column(document):
    document["benchmarks"] = [
        b for b in document["benchmarks"] if not b["name"].startswith("rbdl")]
    head = cells(report.comparison(report.Run(document), "ur5e"))
    assert "RBDL 3.3" not in head["ns per state"]
    assert head["inverse dynamics"][-1] == "**50×**"


def test_batches_show_one_thread_and_all(document):
    rows = cells(report.batches(report.Run(document), "ur5e"))
    assert rows["ns per state"] == ["`Robot`", "1 state", "4 096 states"]
    assert rows["inverse dynamics"] == ["700", "400", "20.0 / 11.0"]


def test_every_quantity_is_shown_with_the_size_of_its_batch(document):
    rows = cells(report.all_quantities(report.Run(document), "ur5e"))
    assert rows["6-axis arm, 6 joints"] == [
        "torqued avx2", "RBDL 3.3", "KDL 1.5"]
    assert rows["regressor (512 states)"] == [
        "300", "2400 (8.00×, 1e-14)", "–"]
    assert rows["energies"] == ["30.0", "–", "–"]
    # The largest ordinary batch counts, not that of one state.
    assert rows["inverse dynamics"][0] == "20.0"


def test_single_precision_stands_beside_double_with_its_doubtful_rows(document):
    rows = cells(report.single_precision(report.Run(document)))
    assert rows["time in single / in double"] == ["6-axis arm"]
    assert rows["inverse dynamics"] == ["0.55"]
    assert rows["energies"] == ["1.10 (12.5 %)"]
    assert "mass matrix" not in rows


def test_titles_are_those_of_all_measured_quantities():
    folder = re.sub(r"/report\.py$", "", report.__file__)
    with open(f"{folder}/workload.cc", encoding="utf-8") as file:
        measured = re.findall(r'^    \{"(\w+)", kOf', file.read(), re.MULTILINE)
    assert "inverse_dynamics" in measured
    assert set(measured) == set(report.QUANTITIES)


def test_share_of_peak_counts_products_and_sums(document):
    # 100 operations in 20 ns are 5 Gflop/s of 10.
    rows = cells(report.peak_shares(report.Run(document)))
    assert rows["6-axis arm"] == ["60", "40", "avx2", "5.00", "10.0", "50 %"]


@pytest.mark.parametrize("value, shown", [
    (8.25, "8.25"), (14.23, "14.2"), (659.6, "660"), (3304, "3300"),
    (55_712, "55700"), (None, "–")])
def test_numbers_have_three_digits(value, shown):
    assert report.number(value) == shown


@pytest.mark.parametrize("value, shown", [
    (0.5, "0.50×"), (1.234, "1.23×"), (24.9, "25×")])
def test_ratios(value, shown):
    assert report.ratio(value) == shown


def test_a_measurement_that_failed_is_refused(document):
    document["benchmarks"].append({
        "name": "engine/ur5e/jacobian/avx2/1/8", "run_type": "iteration",
        "error_occurred": True, "error_message": "a row is not OK"})
    with pytest.raises(ValueError, match="a row is not OK"):
        report.Run(document)


def test_only_what_is_between_the_markers_is_replaced():
    page = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
    once = report.replace_between_markers(page, "new")
    assert once == f"before\n{report.BEGIN}\n\nnew\n\n{report.END}\nafter\n"
    assert report.replace_between_markers(once, "new") == once


@pytest.mark.parametrize("page", [
    "no markers", report.BEGIN, report.END + report.BEGIN])
def test_page_without_markers_is_refused(page):
    with pytest.raises(ValueError, match="measured: begin"):
        report.replace_between_markers(page, "new")


def bars(svg):
    """Widths of the bars by colour, in drawing order."""
    space = "{http://www.w3.org/2000/svg}"
    shapes = ElementTree.fromstring(svg).iter(space + "rect")
    found = {}
    for shape in shapes:
        if shape.get("height") == "10":
            found.setdefault(shape.get("fill"), []).append(
                float(shape.get("width")))
    return found


def test_plot_is_drawn_to_a_logarithmic_scale(document):
    widths = bars(report.plot(report.Run(document)))
    assert {name for name, colour in report.COLOURS.items()
            if colour in widths} == {"torqued", "rbdl", "kdl"}
    # From 10 ns: 20 ns are log 2, 1000 ns are two decades.
    ours, theirs = widths[report.COLOURS["torqued"]][0], \
        widths[report.COLOURS["kdl"]][0]
    assert ours / theirs == pytest.approx(0.30103 / 2, rel=1e-3)


def test_plot_names_what_it_shows(document):
    document["context"]["version/kdl"] = "KDL <1.5> & more"
    svg = report.plot(report.Run(document))
    words = " ".join(ElementTree.fromstring(svg).itertext())
    for expected in ("KDL <1.5> & more", "torqued avx2",
                     "6-axis arm, 6 joints", "inverse dynamics", "1000 ns"):
        assert expected in words


def test_page_and_plot_are_written(document, tmp_path):
    run, page, plot = (tmp_path / name for name in
                       ("run.json", "page.md", "plot.svg"))
    run.write_text(json.dumps(document))
    page.write_text(f"# Page\n{report.BEGIN}\n{report.END}\n")
    report.main([str(run), "--page", str(page), "--plot", str(plot)])
    written = page.read_text()
    assert "500 (25×, 3e-15)" in written
    assert "Some CPU, 2 cores; GNU 12.2.0; 2024-06-07" in written
    assert plot.read_text().startswith("<svg")


def test_nothing_is_written_where_a_run_is_broken(document, tmp_path):
    run, page, plot = (tmp_path / name for name in
                       ("run.json", "page.md", "plot.svg"))
    broken = copy.deepcopy(document)
    broken["benchmarks"][0]["error_occurred"] = True
    broken["benchmarks"][0]["error_message"] = "why"
    run.write_text(json.dumps(broken))
    before = f"{report.BEGIN}\n{report.END}\n"
    page.write_text(before)
    with pytest.raises(ValueError):
        report.main([str(run), "--page", str(page), "--plot", str(plot)])
    assert page.read_text() == before
    assert not plot.exists()


def test_page_of_the_repository_has_the_markers():
    folder = re.sub(r"/bench/report\.py$", "", report.__file__)
    with open(f"{folder}/docs/performance.md", encoding="utf-8") as file:
        page = file.read()
    assert page.count(report.BEGIN) == page.count(report.END) == 1
