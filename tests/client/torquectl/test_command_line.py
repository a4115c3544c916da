"""Command lines that make no sense, help, and what errors say."""

import os
import subprocess

import pytest

from calls import ERROR, NO, OK, PANDA, PLANAR, TORQUECTL, USAGE, run
from trajectory_files import CHECK, COMPARE, fixture_move, limits_file

__all__ = ["fixture_move"]


def test_a_server_error_names_reason_and_field():
    done = run("id", "-m", PLANAR, "--q", "1,2,3")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: WRONG_COLUMN_COUNT (--q): ")


@pytest.mark.parametrize("arguments", [
    (), ("id",), ("id", "-m", PLANAR),
    ("id", "-m", PLANAR, "--q", "1,x"), ("id", "-m", PLANAR, "--q", "1;1,2"),
    ("id", "-m", PLANAR, "--q", "1,2", "--states", "f.csv"),
    (*CHECK, "f.csv", "-m", PLANAR, "-o", "f.txt"),
    (*CHECK, "f.csv", "-m", PLANAR, "-o", "f.yaml"),
    ("ping", "--server", ""), ("ping", "--server", "127.0.0.1:99999"),
    ("ping", "--server", "unix:" + 120 * "x"),
    ("ping", "--spawn", "--server", "127.0.0.1:1"),
    ("ping", "--store", "x.db", "--server", "127.0.0.1:1"),
    ("id", "--server", "127.0.0.1:1", "-m", PLANAR, "--q", "0,0"),
    ("ping", "--wait-for-server", "-1", "--server", "127.0.0.1:1"),
    ("ping", "--wait-for-server", "1"),
])
def test_a_senseless_command_line_exits_64(arguments):
    done = run(*arguments)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith("torquectl: USAGE")
    assert done.stdout == ""


@pytest.mark.parametrize("arguments, told, command", [
    (("id", "a", "b", "c", "-m", PLANAR),
     "The following arguments were not expected: c b a", "id "),
    (("ping", "info"),
     "The following argument was not expected: info", "ping "),
    (("ping", "--output", "xml"),
     "--output: needs table, json or csv, not 'xml'", ""),
    (("trajectory", "move.csv"),
     "The following argument was not expected: move.csv", "trajectory "),
    (("opspace", "-m", PLANAR, "--reference-frame", "moon"),
     "--reference-frame: needs local, local_world_aligned or world, not 'moon'",
     "opspace "),
    # A word too many, also where the command above it takes one.
    ((*CHECK, "a.csv", "b.csv", "-m", PLANAR),
     "The following argument was not expected: b.csv", "trajectory check "),
    ((*COMPARE, "a", "b", "c"),
     "The following argument was not expected: c", "trajectory compare "),
    # How many values, and which.
    (("ping", "--server", "a", "--server", "b"),
     "--server: At Most 1 required but received 2", ""),
    (("ping", "--server"), "--server: 1 required TEXT missing", ""),
    (("ping", "--quiet=x"), "Could not convert: --quiet = x", "ping "),
    (("ping", "--timeout", "0"),
     "--timeout: needs a number from 0.001 to 1000000, not '0'", ""),
    (("ping", "--count", "0"),
     "--count: needs a whole number from 1 to 1000000, not '0'", "ping "),
    (("models",), "a command is missing", "models ")])
def test_what_is_wrong_is_told_in_words(arguments, told, command):
    done = run(*arguments)
    assert done.returncode == USAGE
    assert done.stderr == (
        f"torquectl: USAGE: {told} (see torquectl {command}--help)\n")


@pytest.mark.parametrize("arguments, told", [
    (("--validaton", "strict", "info"),
     "there is no flag '--validaton'; did you mean --validation?"),
    ((*CHECK, "f.csv", "-m", PLANAR, "--consistant"),
     "there is no flag '--consistant'; did you mean --consistent?"),
    (("ping", "--conut=3"),
     "there is no flag '--conut=3'; did you mean --count?"),
    (("modles", "list"), "there is no command 'modles'; did you mean models?"),
    (("models", "frobnicate"),
     "The following argument was not expected: frobnicate"),
    (("trajectory", "chek", "good.csv"),
     "there is no command 'chek'; did you mean check?"),
    (("compute", "enrgy", "-m", PLANAR),
     "QUANTITIES: there is no 'enrgy'; did you mean energy?"),
    (("ping", "--output", "jason"),
     "--output: needs table, json or csv, not 'jason'; did you mean json?")])
def test_what_may_have_been_meant_is_named(arguments, told):
    done = run(*arguments)
    assert done.returncode == USAGE
    assert done.stderr.startswith(f"torquectl: USAGE: {told} (see "), \
        done.stderr


@pytest.mark.parametrize("arguments, code, told", [
    ((*CHECK, "a.csv", "-m", PLANAR, "--derating", "x"), USAGE,
     "USAGE (--derating): 'x' is not a number\n"),
    (("opspace", "-m", PLANAR, "--q", "0,0", "--axes", "linear_x,lx"), USAGE,
     "USAGE (--axes): 'lx' must be one of angular_x, angular_y, angular_z, "
     "linear_x, linear_y, linear_z\n"),
    (("opspace", "-m", PLANAR, "--q", "0,0", "--axes", "linear_x,linear_x"),
     ERROR, "INVALID_OPTION (--axes[1]): "),
    (("opspace", "-m", PLANAR, "--q", "0,0", "--damping", "0.1"), ERROR,
     "INVALID_OPTION (--damping): "),
    (("compute", "energy", "-m", PLANAR, "--q", "0,0",
      "--external-wrenches-on-robot", "link2:wrld=0,0,0,0,0,1"), ERROR,
     "UNKNOWN_FRAME (--external-wrenches-on-robot[0].frame): "),
    (("id", "-m", PLANAR, "--q", "0,0", "--tip-wrench-on-environment",
      "1,2,3"), ERROR, "WRONG_COLUMN_COUNT (--tip-wrench-on-environment): ")])
def test_values_are_told_in_the_words_of_the_command_line(arguments, code,
                                                          told):
    done = run(*arguments)
    assert done.returncode == code
    assert done.stderr.startswith(f"torquectl: {told}"), done.stderr


# --- Output that nobody reads --------------------------------------------------


def into_a_pipe_that_is_closed(*arguments):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as nobody:
        return subprocess.run(
            [TORQUECTL, *map(str, arguments)], stdout=nobody,
            stderr=subprocess.PIPE, timeout=120, text=True, check=False)


@pytest.mark.parametrize("arguments, code", [
    (("--help",), OK), (("compute", "--help"), OK),
    (("id", "-m", PLANAR, "--q", "0,0", "--output", "json"), OK),
    (("id", "-m", PLANAR, "--q", "0,0", "--output", "csv"), OK),
    (("models", "validate", PLANAR), OK)])
def test_a_reader_that_has_left_is_no_error(arguments, code):
    done = into_a_pipe_that_is_closed(*arguments)
    assert (done.returncode, done.stderr) == (code, "")
    # Twin: what cannot be written for another reason is told.
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [TORQUECTL, *map(str, arguments)], stdout=full, text=True,
            stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == ERROR
    assert done.stderr == "torquectl: stdout cannot be written\n"


def test_the_code_of_the_answer_outlives_the_reader(move, tmp_path):
    limits = limits_file(tmp_path / "limits.json", {"panda_joint6": {"upper": 2.2}})
    check = (*CHECK, move, "--model", PANDA, "--output", "json")
    assert into_a_pipe_that_is_closed(*check).returncode == OK
    done = into_a_pipe_that_is_closed(*check, "--limits", limits)
    assert (done.returncode, done.stderr) == (NO, "")


@pytest.mark.parametrize("arguments", [
    ("--help",), ("id", "--help"), ("models", "add", "--help"),
    ("trajectory", "--help"), ("--version",)])
def test_help_exits_0(arguments):
    done = run(*arguments)
    assert done.returncode == OK
    assert done.stdout
