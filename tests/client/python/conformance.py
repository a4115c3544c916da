"""Asks what a conformance case asks, through the client's public functions."""

import json
import math
import os
import pathlib

import numpy as np
import torqued

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
MODELS = SOURCE / "examples" / "robots"
SUITE = json.loads((SOURCE / "tests" / "conformance" / "cases.json").read_text(
    encoding="utf-8"))
CASES = {case["name"]: case for case in SUITE["cases"]}
DEFAULT_TOLERANCE = 1e-10


def model_files():
    """Name -> path."""
    return {name: MODELS / path for name, path in SUITE["models"].items()}


def numbers(rows):
    """A table; null and the names of numbers that JSON lacks become numbers."""
    return np.array([[math.nan if x is None else float(x) for x in row] for row in rows])


def arguments_of(case):
    """Keywords of Robot.compute."""
    words = {name: numbers(rows) for name, rows in case["states"].items()}
    options = dict(case.get("options", {}))
    terms = options.pop("terms", {})
    if "gravity" in terms:
        words["gravity"] = [float(x) for x in terms["gravity"]]
    words.update({name: terms[name] for name in terms if name != "gravity"})
    if "payload" in options:
        words["payload"] = torqued.Payload(**options.pop("payload"))
    places = options.pop("external_wrenches", [])
    if places:
        wrenches = words.pop("external_wrenches_on_robot")
        words["external_wrenches_on_robot"] = [
            torqued.ExternalWrench(wrenches[:, 6 * i:6 * i + 6], **place)
            for i, place in enumerate(places)]
    if "tip_wrench_reference_frame" in case:
        words["tip_wrench_reference_frame"] = case["tip_wrench_reference_frame"]
    words.update(options)
    words.update(case.get("operational_space", {}))
    return words


def result_of(evaluation, name):
    """[rows, ...] of a field of Results, flat as on the wire."""
    got = np.asarray(getattr(evaluation, {"lambda": "Lambda"}.get(name, name)))
    if name == "pose":
        assert same(got[:, 3], [0, 0, 0, 1]) | np.isnan(got[:, 0, 0]).all()
        got = got[:, :3]
    return got.reshape(evaluation.rows, -1)


def same(a, b):
    return np.array_equal(np.broadcast_to(b, np.shape(a)), a)


def check_evaluation(evaluation, expect):
    assert evaluation.rows == expect["rows"]
    tolerance = expect.get("tolerance", DEFAULT_TOLERANCE)
    for name, rows in expect["results"].items():
        if name == "rule":
            assert [torqued.TaskRule(x).name for x in evaluation.rule] == rows
            continue
        if name in ("rank", "sigma_min"):
            rows = [[x] for x in rows]
        expected, got = numbers(rows), result_of(evaluation, name)
        assert got.shape == expected.shape, name
        assert same(np.isnan(got), np.isnan(expected)), name
        scale = np.fmax(np.nanmax(np.abs(
            np.where(np.isnan(expected), 0, expected)), axis=1, keepdims=True), 1)
        apart = np.abs(np.where(np.isnan(expected), 0, got - expected)) / scale
        assert apart.max() <= tolerance, f"{name}: {apart.max()}"
    for field in ("tip_frame", "joint_names"):
        if field in expect:
            echoed = getattr(evaluation.echo, field)
            assert (list(echoed) if field == "joint_names" else echoed) == expect[field]
    check_rows(evaluation, expect.get("row_status", []))


def check_rows(evaluation, expected):
    statuses = evaluation.row_status
    assert [s.row for s in statuses] == [s["row"] for s in expected]
    assert [i for i, ok in enumerate(evaluation.ok) if not ok] == [
        s["row"] for s in expected]
    for status, wanted in zip(statuses, expected):
        assert status.code.name == wanted["code"]
        assert status.message
        for field in ("field", "joint"):
            if field in wanted:
                assert getattr(status, field) == wanted[field]
        if "value" in wanted:
            assert same(status.value, float(wanted["value"])) or (
                math.isnan(status.value) and wanted["value"] == "NaN")


def check_error(error, expected, before=""):
    """`before`: the message of a stream that the field may stand in."""
    assert isinstance(error, torqued.TorquedError)
    assert (error.code, error.reason.name) == (
        expected["code"], expected["reason"]), error
    assert str(error)
    if "field" in expected:
        field = expected["field"]
        # The wrench of a chunk is an array itself. What this side refuses, it names by
        # its keyword.
        names = {field, field.replace(".wrench", ""), field.rpartition(".")[2]}
        assert error.field in {part + name for name in names for part in ("", *before)}
    for name in ("row", "joint"):
        if name in expected:
            assert getattr(error, name) == expected[name]
