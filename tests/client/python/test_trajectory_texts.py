"""Texts that are no trajectories."""

import pytest
import torqued
from messages import POINT, TIME

CSV = "time,j.q,j.v,j.a\n0,0,0,0\n1,{},0,0\n"
JSON = ('{"joint_names": ["j"], "points": [{"positions": [%s], '
        '"time_from_start": %s}]}')
# Beside those of tests/conformance/trajectory_files.json.
# text: (suffix, line, row, column, joint, a word of the message)
BAD_TEXTS = {
    CSV.format("x"): (".csv", 3, None, "j.q", "", "not a number"),
    CSV.format("nan"): (".csv", 3, 1, "j.q", "j", "finite"),
    "time,j\n0,0\n": (
        ".csv", None, None, "", "", "column 'j' does not say what it holds: "
        "call it j.q if it holds positions"),
    "time,,j,j.v\n0,0,0,0\n": (".csv", None, None, "", "", "column 'j' does"),
    "{": (".json", 1, None, "", "", "is not JSON at column 2:"),
    '{"a": "' + "\\\"" * 100_000: (".json", 1, None, "", "", "JSON"),
    '{"a": ' + "9" * 5000 + "}": (".json", None, None, "", "", "is not JSON"),
    JSON % ("1" + "0" * 400, "0"): (".json", None, 0, "q", "j", "finite"),
    "a:\n  b: 1\n c: 2": (".yaml", 3, None, "", "", "is not YAML at column 2"),
    "a: 'b": (".yaml", 1, None, "", "", "unexpected end of stream"),
    "a: 1\nb: \4": (".yaml", 2, None, "", "", "control characters"),
    "---\n": (".yaml", None, None, "", "", "0 messages"),
    "[" * 100_000: (".yaml", 1, None, "", "", "levels"),
    "? [a]\n: 1\n": (".yaml", 1, None, "", "", "single word"),
    "!!python/object/apply:os.getcwd []": (".yaml", None, None, "", "", "points"),
    POINT.format("'...'"): (".yaml", None, 1, "points", "", "--full-length"),
    POINT.format("{positions: [x], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "j", "not a number"),
    POINT.format("{positions: [-.INF], " + TIME + "}"): (
        ".yaml", None, 1, "q", "j", "finite")}


@pytest.mark.parametrize("text", BAD_TEXTS, ids=range(len(BAD_TEXTS)))
def test_text_that_is_no_trajectory(tmp_path, text):
    suffix, line, row, column, joint, word = BAD_TEXTS[text]
    path = tmp_path / f"move{suffix}"
    path.write_text(text)
    with pytest.raises(torqued.FileError) as caught:
        torqued.Trajectory.read(path)
    error = caught.value
    assert (error.line, error.row, error.column, error.joint) == (
        line, row, column, joint), error
    assert error.file == str(path) and str(error).startswith(str(path))
    assert word in str(error) and error.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("suffix", [".csv", ".yaml", ".json"])
def test_a_file_of_nothing_or_of_other_bytes(tmp_path, suffix):
    path = tmp_path / f"move{suffix}"
    for content in (b"", b"\xff\xfe\x00", bytes(range(256))):
        path.write_bytes(content)
        with pytest.raises(torqued.FileError, match="move"):
            torqued.Trajectory.read(path)
