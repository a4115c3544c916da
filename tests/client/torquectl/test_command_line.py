"""Command lines that make no sense, help, and what errors say."""

import os
import subprocess

import pytest

from calls import ERROR, NO, OK, PANDA, PLANAR, TORQUECTL, USAGE, run
from trajectory_files import CHECK, COMPARE, limits_file


@pytest.mark.parametrize("arguments", [
    (),
    *(("id", "-m", PLANAR, "--q", q)
      for q in ("1,x", "1;1,2", "1,2;3", "1,,2", "1,2;")),
    ("id", "-m", PLANAR, "--q", "1,2", "--states", "f.csv"),
    (*CHECK, "f.csv", "-m", PLANAR, "-o", "f.txt"),
    (*CHECK, "f.csv", "-m", PLANAR, "-o", "f.yaml"),
    ("ping", "--server", ""), ("ping", "--server", "127.0.0.1:99999"),
    ("ping", "--server", "::1:7421"),
    ("ping", "--server", "unix:" + 120 * "x"),
    ("ping", "--spawn", "--server", "127.0.0.1:1"),
    ("ping", "--store", "x.db", "--server", "127.0.0.1:1"),
    ("id", "--server", "127.0.0.1:1", "-m", PLANAR, "--q", "0,0"),
    ("ping", "--wait-for-server", "-1", "--server", "127.0.0.1:1"),
    # What would be lost with a local server.
    ("models", "add", PLANAR), ("models", "list"), ("models", "rm", "arm"),
    # The state of no server that anybody else uses.
    ("ping",), ("health",), ("info",)])
def test_a_senseless_command_line_exits_64(arguments):
    done = run(*arguments)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith("torquectl: ")
    assert done.stdout == ""


@pytest.mark.parametrize("arguments, told, command", [
    (("id", "a", "b", "c", "-m", PLANAR),
     "The following arguments were not expected: c b a", "id "),
    (("models", "frobnicate"),
     "The following argument was not expected: frobnicate", "models "),
    ((*COMPARE, "a", "b", "c"),
     "The following argument was not expected: c", "trajectory compare "),
    # How many values, and which.
    (("ping", "--server", "a", "--server", "b"),
     "--server: At Most 1 required but received 2", ""),
    (("ping", "--server"), "--server: 1 required TEXT missing", ""),
    (("ping", "--quiet=x"), "Could not convert: --quiet = x", "ping "),
    (("ping", "--timeout", "0"),
     "--timeout: needs a number from 0.001 to 1000000, not '0'", ""),
    (("models",), "a command is missing", "models "),
    # What may have been meant.
    (("ping", "--tiemout=3"),
     "there is no flag '--tiemout=3'; did you mean --timeout?", "ping "),
    (("modles", "list"), "there is no command 'modles'; did you mean models?", ""),
    (("compute", "enrgy", "-m", PLANAR),
     "QUANTITIES: there is no 'enrgy'; did you mean energy?", "compute "),
    (("ping", "--output", "jason"),
     "--output: needs table, json or csv, not 'jason'; did you mean json?", "")])
def test_what_is_wrong_is_told_in_words(arguments, told, command):
    done = run(*arguments)
    assert done.returncode == USAGE
    assert done.stderr == (
        f"torquectl: {told} (see torquectl {command}--help)\n")


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
    ("id", "--help"), ("models", "add", "--help"), ("trajectory", "--help"),
    ("--version",)])
def test_help_exits_0(arguments):
    done = run(*arguments)
    assert done.returncode == OK
    assert done.stdout
