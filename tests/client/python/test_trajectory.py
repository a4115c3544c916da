"""Samples of motions, from arrays and from files, and what is wrong with
some."""

import json
import pickle
import struct
import sys
import zipfile

import numpy as np
import pytest
import torqued
import yaml
from conftest import same_bits
from motions import PANDA, positions, swinging

MOTION = swinging(40)
PARTS = ("time", "q", "v", "a", "tip_wrench")
NAMED = ("move.csv", "move.npz", "move.yaml", "move.yml", "move.json")


def same(one, other):
    for name in PARTS:
        a, b = getattr(one, name), getattr(other, name)
        if (a is None) != (b is None) or a is not None and not same_bits(a, b):
            return False
    return one.joint_names == other.joint_names


def plain(motion):
    return np.column_stack([motion.time, motion.q, motion.v, motion.a])


# --- From files --------------------------------------------------------------


@pytest.mark.parametrize("motion", [MOTION, positions(MOTION)],
                         ids=["rates", "positions"])
@pytest.mark.parametrize("name", NAMED)
def test_what_is_written_is_read(tmp_path, name, motion):
    motion.write(tmp_path / name)
    read = torqued.Trajectory.read(tmp_path / name)
    assert same(read, motion) and read.joint_names == PANDA
    assert read.file == str(tmp_path / name) and read.unused == ()
    assert len(read) == 40 and read.duration == MOTION.duration


@pytest.mark.parametrize("name", ["move.npy", "move.csv", "move.npz"])
@pytest.mark.parametrize("motion", [MOTION, positions(MOTION)],
                         ids=["rates", "positions"])
def test_columns_without_names_are_the_joints_that_are_given(
        tmp_path, name, motion):
    unnamed = torqued.Trajectory(motion.time, motion.q, motion.v, motion.a)
    unnamed.write(tmp_path / name)
    assert same(torqued.Trajectory.read(tmp_path / name, PANDA), motion)
    with pytest.raises(torqued.FileError, match="`joints`") as caught:
        torqued.Trajectory.read(tmp_path / name)
    assert caught.value.reason is torqued.Reason.WRONG_JOINT_NAMES
    # Six joints have another number of columns, or names beside seven.
    with pytest.raises(torqued.InvalidArgument) as caught:
        torqued.Trajectory.read(tmp_path / name, PANDA[:6])
    assert caught.value.reason is torqued.Reason.WRONG_COLUMN_COUNT


@pytest.mark.parametrize("name", NAMED)
def test_some_joints_of_a_file_in_another_order(tmp_path, name):
    MOTION.write(tmp_path / name)
    names = [PANDA[4], PANDA[1]]
    read = torqued.Trajectory.read(tmp_path / name, joints=names)
    assert read.joint_names == tuple(names)
    for part in ("q", "v", "a"):
        assert same_bits(getattr(read, part),
                         getattr(MOTION, part)[:, [4, 1]].copy())
    assert {text.partition(".")[0] for text in read.unused} == (
        set(PANDA) - set(names))
    with pytest.raises(torqued.FileError, match="elbow") as caught:
        torqued.Trajectory.read(tmp_path / name, joints=["elbow"])
    assert caught.value.joint == "elbow"


def test_containers_give_the_same_verdict(panda, tmp_path):
    expected = panda.check_trajectory(MOTION, tables=["tau"])
    names = [*NAMED, "move.npy"]
    for name in names:
        MOTION.write(tmp_path / name)
        given = (tmp_path / name if name != "move.npy" else
                 torqued.Trajectory.read(tmp_path / name, panda.joint_names))
        verdict = panda.check_trajectory(given, tables=["tau"])
        assert verdict.message == expected.message, name
        assert same_bits(verdict.tables["tau"], expected.tables["tau"])


def test_columns_of_csv_stand_in_any_order(tmp_path):
    columns = {"time": MOTION.time, "note": np.zeros(40)}
    for part in ("a", "q", "v"):
        for k in (3, 0, 6, 1, 5, 2, 4):
            columns[f"{PANDA[k]}.{part}"] = getattr(MOTION, part)[:, k]
    names = list(columns)[::-1]
    lines = ["# a comment", ", ".join(f'"{name}"' for name in names), ""]
    lines += [" , ".join(repr(float(columns[name][row])) for name in names)
              for row in range(40)]
    path = tmp_path / "move.CSV"
    path.write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    read = torqued.Trajectory.read(path)
    assert same(read.in_order(PANDA), MOTION)
    assert read.unused == ("note",)


def test_a_wrench_is_kept_by_npz_alone(tmp_path):
    motion = swinging(9, tip_wrench=np.arange(6.0))
    assert motion.tip_wrench.shape == (9, 6)
    motion.write(tmp_path / "move.npz")
    assert same(torqued.Trajectory.read(tmp_path / "move.npz"), motion)
    for name in ("move.csv", "move.npy", "move.json"):
        with pytest.raises(torqued.InvalidArgument, match="tip_wrench"):
            motion.write(tmp_path / name)
        assert not (tmp_path / name).exists()


# What the tools print: a message, then the end of the document.
ROS_1 = """header:
  seq: 3
  stamp:
    secs: 0
    nsecs: 0
  frame_id: ''
joint_names:
  - shoulder
  - 'on'
points:
  -
    positions: [0.0, -1.5]
    velocities: [0.1, 1e-05]
    accelerations: [-2e-3, .5]
    effort: []
    time_from_start:
      secs: 0
      nsecs: 100000000
  -
    positions: [010, 1.0]
    velocities: [1.0, 2]
    accelerations: [0.0, 0.0]
    effort: []
    time_from_start:
      secs: 1
      nsecs:  300000000
---
"""
ROS_2 = """joint_names: [shoulder, "on"]
points:
- positions:
  - 0.0
  - -1.5
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 0
    nanosec: 100000000
- positions: [10.0, 1.0]
  velocities: []
  time_from_start: {sec: 1, nanosec: 300000000}
---
"""


def read_text(tmp_path, text, name="move.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return torqued.Trajectory.read(path)


def test_messages_as_the_tools_print_them(tmp_path):
    first = read_text(tmp_path, ROS_1)
    assert first.joint_names == ("shoulder", "on")
    assert first.time.tolist() == [0.1, 1.3]
    assert first.q.tolist() == [[0, -1.5], [10, 1]]
    assert first.v.tolist() == [[0.1, 1e-5], [1, 2]]
    assert first.a.tolist() == [[-2e-3, 0.5], [0, 0]]
    second = read_text(tmp_path, ROS_2)
    assert second.v is None and second.a is None
    assert same_bits(second.q, first.q) and same_bits(second.time, first.time)


@pytest.mark.parametrize("around", [
    ["trajectory"], ["goal", "trajectory"], ["joint_trajectory"]])
def test_messages_around_a_trajectory(tmp_path, around):
    message = yaml.safe_load(ROS_2.replace("---", ""))
    expected = read_text(tmp_path, ROS_2)
    for name in reversed(around):
        message = {name: message, "goal_time_tolerance": {"sec": 0}}
    for text, name in ((json.dumps(message), "move.json"),
                       (yaml.safe_dump(message), "move.yaml")):
        assert same(read_text(tmp_path, text, name), expected)


@pytest.mark.parametrize("given, seconds", [
    ("1.5", 1.5), ("{sec: 2}", 2), ("{nsecs: 7}", 7e-9),
    ("{sec: 1, nanosec: 234}", 1.000000234)])
def test_times_from_the_start(tmp_path, given, seconds):
    read = read_text(tmp_path, POINT.format(
        "{positions: [0], time_from_start: " + given + "}"))
    assert read.time.tolist() == [0, seconds]


def test_sixteen_levels_of_yaml_are_read(tmp_path):
    deep = "[" * 15 + "]" * 15
    read = read_text(tmp_path, f"more: {deep}\n" + ROS_2)
    assert same(read, read_text(tmp_path, ROS_2))


@pytest.mark.parametrize("compiled", [True, False])
def test_either_parser_of_yaml_will_do(tmp_path, monkeypatch, compiled):
    expected = read_text(tmp_path, ROS_1)
    if not compiled:
        monkeypatch.delattr(yaml, "CLoader")
    assert same(read_text(tmp_path, ROS_1), expected)
    for text in ('"\\Uffffffff"', '"\\U7fffffff"', "[" * 100_000,
                 "%YAML " + "9" * 5000 + ".1\n--- a", "a: [", "a: \0"):
        with pytest.raises(torqued.FileError, match="YAML"):
            read_text(tmp_path, text)


def test_words_of_yaml_keep_their_letters(tmp_path):
    read = read_text(tmp_path, POINT.format(
        "{positions: [+2.5], velocities: ~, accelerations: null, " + TIME
        + "}").replace("[j]", "[Elbow_Y]"))
    assert read.joint_names == ("Elbow_Y",) and read.q[1] == 2.5
    assert read.v is None and read.a is None


@pytest.mark.parametrize("name", ["move.yaml", "move.json"])
@pytest.mark.parametrize("times, row", [
    ([0, 2.0**31], 1), ([-2.0**31 - 1, 0], 0), ([0, 1e300], 1),
    ([0, 1e-10], 1), ([1, 1.25, 1.25 + 3e-10], 2),
    ([0, 2**31 - 1 + 0.9999999999], 1)])
def test_times_that_do_not_fit_the_message(tmp_path, name, times, row):
    motion = torqued.Trajectory(times, np.zeros((len(times), 1)),
                                joint_names=["j"])
    with pytest.raises(torqued.FileError, match="does not fit") as caught:
        motion.write(tmp_path / name)
    assert (caught.value.row, caught.value.column) == (row, "time")
    assert not (tmp_path / name).exists()


def test_times_that_just_fit_the_message(tmp_path):
    times = [-2.0**31, -1.5, -1e-9, 0, 1e-9, 0.9999999999, 2**31 - 1]
    motion = torqued.Trajectory(times, np.zeros((7, 1)), joint_names=["j"])
    motion.write(tmp_path / "move.json")
    read = torqued.Trajectory.read(tmp_path / "move.json")
    assert read.time.tolist() == [1 if time == times[5] else time
                                  for time in times]


def test_what_is_written_for_ros_is_numbers_to_others(tmp_path):
    small = torqued.Trajectory([0, 1], [[1e-5], [1e22]], joint_names=["on"])
    small.write(tmp_path / "move.yaml")
    message = yaml.safe_load((tmp_path / "move.yaml").read_text())
    assert message["joint_names"] == ["on"]
    assert [point["positions"] for point in message["points"]] == [
        [1e-5], [1e22]]


# --- From arrays -------------------------------------------------------------


def test_arrays_and_tables_by_name(panda):
    by_name = [dict(zip(PANDA, part.T)) for part in (
        MOTION.q, MOTION.v, MOTION.a)]
    assert same(torqued.Trajectory(MOTION.time, *by_name), MOTION)
    turned = torqued.Trajectory(
        MOTION.time, dict(reversed(by_name[0].items())), *by_name[1:])
    assert turned.joint_names == PANDA[::-1]
    assert same(turned.in_order(PANDA), MOTION)
    lists = torqued.Trajectory([0, 1], [[1, 2], [3, 4]])
    assert lists.q.dtype == float and lists.joint_names is None
    assert lists.in_order(PANDA) is lists


def test_slower_is_the_same_path():
    slower = MOTION.slower(2.5)
    assert np.allclose(slower.time, 2.5 * MOTION.time, rtol=0)
    assert same_bits(slower.q, MOTION.q)
    assert np.allclose(slower.v, MOTION.v / 2.5)
    assert np.allclose(slower.a, MOTION.a / 6.25)
    assert positions(MOTION).slower(2).v is None


def test_it_can_be_pickled_and_shown():
    assert same(pickle.loads(pickle.dumps(MOTION)), MOTION)
    assert "40 samples of 7 joints" in repr(MOTION)


def changed(name, row, column, value):
    numbers = getattr(MOTION, name).copy()
    numbers[row if column is None else (row, column)] = value
    parts = {part: getattr(MOTION, part) for part in ("time", "q", "v", "a")}
    return {**parts, name: numbers}


BAD_ARRAYS = {
    "time goes back": (changed("time", 7, None, 0.0), "INVALID_OPTION",
                       "time[7]", 7, ""),
    "time stands still": (
        changed("time", 7, None, MOTION.time[6]), "INVALID_OPTION", "time[7]",
        7, ""),
    "no time": (changed("time", 3, None, np.nan), "INVALID_OPTION", "time[3]",
                3, ""),
    "no number": (changed("v", 8, 2, np.inf), "INVALID_OPTION", "v[8][2]", 8,
                  PANDA[2]),
    "rows": ({"time": MOTION.time, "q": MOTION.q[1:]}, "WRONG_ROW_COUNT", "q",
             None, ""),
    "columns": ({"time": MOTION.time, "q": MOTION.q, "v": MOTION.v[:, 1:]},
                "WRONG_COLUMN_COUNT", "v", None, ""),
    "columns of names": ({"time": MOTION.time, "q": MOTION.q[:, 1:]},
                         "WRONG_COLUMN_COUNT", "q", None, ""),
    "one sample without rows": (
        {"time": [0], "q": np.zeros(7)}, "WRONG_ROW_COUNT", "q", None, ""),
    "no samples": ({"time": [], "q": np.zeros((0, 7))}, "MISSING_INPUT",
                   "time", None, ""),
    "times in columns": ({"time": np.zeros((40, 2)), "q": MOTION.q},
                         "WRONG_COLUMN_COUNT", "time", None, ""),
    "text": ({"time": MOTION.time, "q": [["x"] * 7] * 40}, "MALFORMED_ARRAY",
             "q", None, ""),
    "wrench": ({"time": MOTION.time, "q": MOTION.q,
                "tip_wrench": np.zeros((40, 5))}, "WRONG_COLUMN_COUNT",
               "tip_wrench", None, ""),
    "wrench that is no number": (
        {"time": MOTION.time, "q": MOTION.q, "tip_wrench": [np.nan] * 6},
        "INVALID_OPTION", "tip_wrench[0][0]", 0, ""),
    "joint twice": ({"time": MOTION.time, "q": MOTION.q,
                     "joint_names": ["a"] * 7}, "WRONG_JOINT_NAMES",
                    "joint_names", None, "a")}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_arrays_that_are_no_trajectory(name):
    arrays, reason, field, row, joint = BAD_ARRAYS[name]
    with pytest.raises(torqued.InvalidArgument) as caught:
        torqued.Trajectory(**{"joint_names": PANDA, **arrays})
    error = caught.value
    assert (error.reason.name, error.field, error.row, error.joint) == (
        reason, field, row, joint)


def test_one_string_is_no_list_of_joints():
    with pytest.raises(TypeError, match="list"):
        torqued.Trajectory(MOTION.time, MOTION.q, joint_names="a,b,c,d,e,f,g")


# --- Files that are none -----------------------------------------------------

CSV = "time,j.q,j.v,j.a\n0,0,0,0\n1,{},0,0\n"
POINT = ("joint_names: [j]\npoints:\n- positions: [0]\n"
         "  time_from_start: {{sec: 0, nanosec: 0}}\n- {}\n")
TIME = "time_from_start: {sec: 1, nanosec: 0}"
JSON = ('{"joint_names": ["j"], "points": [{"positions": [%s], '
        '"time_from_start": %s}]}')
# text: (suffix, line, row, column, joint, a word of the message)
BAD_TEXTS = {
    CSV.format("x"): (".csv", 3, None, "j.q", "", "not a number"),
    CSV.format("1_0"): (".csv", 3, None, "j.q", "", "not a number"),
    CSV.format("1\v"): (".csv", 3, None, "j.q", "", "not a number"),
    CSV.format("nan"): (".csv", 3, 1, "j.q", "j", "finite"),
    CSV.format(""): (".csv", 3, None, "j.q", "", "not a number"),
    CSV.format("1,2"): (".csv", 3, None, "", "", "5 cells"),
    "# x\n\ntime,j.q\n0,0\n\n0,1\n": (".csv", 6, 1, "time", "", "increase"),
    "time,j.q,j.q\n0,0,0\n": (".csv", None, None, "j.q", "", "two columns"),
    "j.q,j.v\n0,0\n": (".csv", None, None, "time", "", "time"),
    "time,j.v\n0,0\n": (".csv", None, None, "", "", "<joint>.q"),
    "time,j.q,k.q,k.v\n0,0,0,0\n": (".csv", None, None, "j.v", "j", "j.v"),
    "time,j.q\n": (".csv", None, None, "", "", "no samples"),
    "{": (".json", 1, None, "", "", "JSON"),
    '{"a": 1, "a": 2}': (".json", None, None, "", "", "twice"),
    "[" * 100_000: (".json", None, None, "", "", "JSON"),
    "[1, 2]": (".json", None, None, "", "", "no points"),
    "a: [": (".yaml", 2, None, "", "", "YAML"),
    "a: 1\na: 2\n": (".yaml", 2, None, "", "", "twice"),
    "---\n": (".yaml", None, None, "", "", "no message"),
    "[" * 100_000: (".yaml", 1, None, "", "", "levels"),
    "[" * 100_000 + "]" * 100_000: (".yaml", 1, None, "", "", "levels"),
    "{a: " * 17 + "}" * 17: (".yaml", 1, None, "", "", "levels"),
    "- " * 100_000: (".yaml", 1, None, "", "", "levels"),
    "a: &x [1]\nb: *x\n": (".yaml", 2, None, "", "", "aliases"),
    "? [a]\n: 1\n": (".yaml", 1, None, "", "", "single word"),
    ROS_2 + ROS_2: (".yaml", None, None, "", "", "2 messages"),
    "!!python/object/apply:os.getcwd []": (
        ".yaml", None, None, "", "", "points"),
    "position: [1]\n": (".yaml", None, None, "", "", "no points"),
    "points: [1]\n": (".yaml", None, None, "joint_names", "", "names"),
    "joint_names: [j, j]\npoints:\n- positions: [0, 0]\n  " + TIME: (
        ".yaml", None, None, "", "j", "twice"),
    "joint_names: [j]\npoints: []\n": (
        ".yaml", None, None, "points", "", "no list of points"),
    POINT.format("'...'"): (".yaml", None, 1, "points", "", "--full-length"),
    POINT.format("{positions: [0, 1], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "", "2 positions for 1"),
    POINT.format("{" + TIME + "}"): (
        ".yaml", None, 1, "positions", "", "no list of positions"),
    POINT.format("{positions: [x], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "j", "not a number"),
    POINT.format("{positions: [1:30], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "j", "not a number"),
    POINT.format("{positions: [.nan], " + TIME + "}"): (
        ".yaml", None, 1, "q", "j", "finite"),
    POINT.format("{positions: ['0'], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "j", "not a number"),
    POINT.format("{positions: [!!int 0], " + TIME + "}"): (
        ".yaml", None, 1, "positions", "j", "not a number"),
    POINT.format("{positions: [-.INF], " + TIME + "}"): (
        ".yaml", None, 1, "q", "j", "finite"),
    JSON % ("0", '{"sec": "0"}'): (
        ".json", None, 0, "time_from_start", "", "sec"),
    JSON % ('"0"', "0"): (
        ".json", None, 0, "positions", "j", "not a number"),
    JSON % ("1" + "0" * 400, "0"): (
        ".json", None, 0, "q", "j", "finite"),
    POINT.format("{positions: [0]}"): (
        ".yaml", None, 1, "time_from_start", "", "sec"),
    POINT.format("{positions: [0], time_from_start: soon}"): (
        ".yaml", None, 1, "time_from_start", "", "sec"),
    POINT.format("{positions: [0], time_from_start: {}}"): (
        ".yaml", None, 1, "time_from_start", "", "sec"),
    POINT.format("{positions: [0], time_from_start: {sec: 1, nsecs: 0}}"): (
        ".yaml", None, 1, "time_from_start", "", "sec"),
    POINT.format("{positions: [0], time_from_start: {sec: x, nanosec: 0}}"):
        (".yaml", None, 1, "time_from_start", "", "sec"),
    POINT.format("{positions: [0], time_from_start: {sec: 0, nanosec: 0}}"): (
        ".yaml", None, 1, "time", "", "increase"),
    POINT.format("{positions: [0], velocities: [1], " + TIME + "}"): (
        ".yaml", None, 0, "velocities", "", "no list of velocities")}


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


class Evil:
    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


def arrays(**changed):
    parts = {name: getattr(MOTION, name) for name in ("time", "q", "v", "a")}
    return {**parts, "joint_names": np.array(PANDA), **changed}


BAD_NPZ = {
    "no time": ({"q": MOTION.q}, "time"),
    "no q": ({"time": MOTION.time}, "q"),
    "pickled": (arrays(note=np.array([Evil()], object)), ""),
    "pickled names": (arrays(joint_names=np.array([Evil()], object)), ""),
    "numbers for names": (arrays(joint_names=np.arange(7)), "joint_names"),
    "fewer names": (arrays(joint_names=np.array(PANDA[:6])), "q"),
    "rates of fewer joints": (arrays(v=MOTION.v[:, 1:]), "v"),
    "axes": (arrays(q=MOTION.q[:, 0]), "q"),
    "complex": (arrays(q=MOTION.q * 1j), "q"),
    "times": (arrays(time=np.zeros((40, 2))), "time"),
    "rows": (arrays(time=MOTION.time[1:]), "q")}


@pytest.mark.parametrize("name", BAD_NPZ)
def test_arrays_of_npz_that_are_no_trajectory(tmp_path, name):
    content, column = BAD_NPZ[name]
    np.savez(tmp_path / "move.npz", **content)
    with pytest.raises(torqued.FileError, match="move.npz") as caught:
        torqued.Trajectory.read(tmp_path / "move.npz")
    assert caught.value.column == column


def test_one_joint_takes_one_axis_of_npz(tmp_path):
    one = {"time": MOTION.time, "q": MOTION.q[:, 0], "v": MOTION.v[:, 0],
           "a": MOTION.a[:, 0]}
    np.savez(tmp_path / "named.npz", joint_names=np.array(["j"]), **one)
    np.savez(tmp_path / "plain.npz", **one)
    for name, joints in (("named.npz", None), ("plain.npz", ["j"])):
        read = torqued.Trajectory.read(tmp_path / name, joints)
        for part in ("q", "v", "a"):
            assert same_bits(getattr(read, part)[:, 0].copy(), one[part].copy())
    np.savez(tmp_path / "turned.npz", joint_names=np.array(["j"], ">U3"), **one)
    read = torqued.Trajectory.read(tmp_path / "turned.npz")
    assert read.joint_names == ("j",)
    with pytest.raises(torqued.FileError, match="1 axes"):
        torqued.Trajectory.read(tmp_path / "plain.npz", ["j", "k"])


def header_of_npy(text):
    head = text.encode("latin-1").ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("header", [
    "{'descr': ((((", "{1:2", "{", "", "-" * 99, "{'descr': 1}", "\0", "[]",
    "{'descr': '<f8', 'fortran_order': False, 'shape': "
    "(99999999999999999999999, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
    "{'descr': ('<f8', 1, 2, 3), 'fortran_order': False, 'shape': (1, 2), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1 << 40, 1 << 20), }"])
def test_headers_of_numpy_that_are_none(tmp_path, header):
    content = header_of_npy(header)
    (tmp_path / "move.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "move.npz", "w") as archive:
        for name in ("time", "q"):
            archive.writestr(name + ".npy", content)
    for name in ("move.npy", "move.npz"):
        with pytest.raises(torqued.FileError, match=name):
            torqued.Trajectory.read(tmp_path / name, ["j"])


def test_entries_of_npz_that_are_no_arrays(tmp_path):
    MOTION.write(tmp_path / "whole.npz")
    entries = {}
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole:
        entries.update((name, whole.read(name)) for name in whole.namelist())

    def read(changed, flags=0):
        with zipfile.ZipFile(tmp_path / "move.npz", "w") as archive:
            for name, content in {**entries, **changed}.items():
                archive.writestr(name, content)
        if flags:
            content = (tmp_path / "move.npz").read_bytes()
            at = content.index(b"PK\x01\x02") + 8
            (tmp_path / "move.npz").write_bytes(
                content[:at] + bytes([flags]) + content[at + 1:])
        return torqued.Trajectory.read(tmp_path / "move.npz")

    assert same(read({}), MOTION)
    assert read({"note.txt": b"x"}).unused == ("note.txt",)
    names = entries["joint_names.npy"]
    beyond = names[:-4] + struct.pack("<I", 0x110000)
    surrogate = names[:-4] + struct.pack("<I", 0xd800)
    for changed, flags in (({"q.npy": b"no array"}, 0),
                           ({"time.npy": b""}, 0),
                           ({"joint_names.npy": beyond}, 0),
                           ({"joint_names.npy": surrogate}, 0),
                           ({}, 1)):  # Encrypted, it says.
        with pytest.raises(torqued.FileError, match="move.npz"):
            read(changed, flags)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["move.npy", "move.npz"])
def test_damaged_files_of_numpy_fail_as_files_do(tmp_path, name):
    """Bytes that are changed, left out, or cut off, wherever they are."""
    path, random = tmp_path / name, np.random.default_rng(11)
    swinging(3).write(path)
    content, refused = path.read_bytes(), 0
    # Where the structure is; most of the rest are numbers.
    places = [k for k in range(len(content)) if name == "move.npz" or k < 140]
    for turn in range(600):
        damaged = bytearray(content)
        for place in random.choice(places, 1 + turn % 4):
            damaged[place] = random.integers(256)
        if turn % 3 == 1:
            del damaged[random.choice(places)]
        if turn % 7 == 1:
            del damaged[random.choice(places):]
        path.write_bytes(damaged)
        try:
            torqued.Trajectory.read(path, PANDA)
        except torqued.FileError as error:
            assert error.file == str(path)
            refused += 1
    assert refused > 200


def test_what_is_no_file_of_numpy(tmp_path):
    np.save(tmp_path / "pickled.npy", np.array([[Evil()]], object))
    np.save(tmp_path / "vector.npy", MOTION.time)
    whole = plain(MOTION)
    np.save(tmp_path / "whole.npy", whole)
    content = (tmp_path / "whole.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-8])
    (tmp_path / "text.npy").write_text("time,q\n")
    (tmp_path / "zip.npz").write_bytes(b"PK\x03\x04" + bytes(30))
    (tmp_path / "array.npz").write_bytes(content)
    np.savez(tmp_path / "arrays.npz", **arrays())
    (tmp_path / "arrays.npz").rename(tmp_path / "arrays.npy")
    assert len(torqued.Trajectory.read(tmp_path / "whole.npy", PANDA)) == 40
    for name in ("pickled.npy", "vector.npy", "short.npy", "text.npy",
                 "zip.npz", "array.npz", "arrays.npy"):
        with pytest.raises(torqued.FileError, match=name):
            torqued.Trajectory.read(tmp_path / name, PANDA)


def test_other_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        torqued.Trajectory.read(tmp_path / "nothing.csv")
    (tmp_path / "move.bag").write_bytes(b"")
    with pytest.raises(torqued.FileError, match="ends in none of .csv"):
        torqued.Trajectory.read(tmp_path / "move.bag")
    with pytest.raises(torqued.InvalidArgument, match="ends in none of .csv"):
        MOTION.write(tmp_path / "move.txt")
    with pytest.raises(torqued.InvalidArgument, match="joint_names"):
        torqued.Trajectory([0], [[0]]).write(tmp_path / "move.json")
    with pytest.raises(torqued.InvalidArgument, match="both v and a"):
        torqued.Trajectory([0], [[0]], [[0]]).write(tmp_path / "move.npy")


def test_without_yaml_there_is_json(tmp_path, monkeypatch):
    MOTION.write(tmp_path / "move.yaml")
    MOTION.write(tmp_path / "move.json")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match="PyYAML"):
        torqued.Trajectory.read(tmp_path / "move.yaml")
    assert same(torqued.Trajectory.read(tmp_path / "move.json"), MOTION)
