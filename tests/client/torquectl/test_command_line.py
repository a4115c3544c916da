"""Command lines that make no sense, help, and what errors say."""

import pytest

from calls import ERROR, OK, PLANAR, USAGE, run


def test_a_server_error_names_reason_and_field():
    done = run("id", "-m", PLANAR, "--q", "1,2,3")
    assert done.returncode == ERROR
    assert done.stderr.startswith("torquectl: WRONG_COLUMN_COUNT (--q): ")


@pytest.mark.parametrize("arguments", [
    (), ("frobnicate",), ("models",), ("id",), ("id", "-m", PLANAR),
    ("id", "-m", PLANAR, "--q", "1,x"), ("id", "-m", PLANAR, "--q", "1;1,2"),
    ("id", "-m", PLANAR, "--q", "1,2", "--gravity", "1,2"),
    ("id", "-m", PLANAR, "--q", "1,2", "--states", "f.csv"),
    ("id", "-m", PLANAR, "--q", "1,2", "--wrench-frame", "moon"),
    ("opspace", "-m", PLANAR, "--q", "1,2", "--axes", "lx,zz"),
    ("id", "-m", PLANAR, "--q", "1,2", "--precision", "half"),
    ("trajectory", "f.csv", "-m", PLANAR, "-o", "f.txt"),
    ("trajectory", "f.csv", "-m", PLANAR, "--plot", "f.png"),
    ("trajectory", "f.csv", "-m", PLANAR, "--plot", "svg"),
    ("ping", "--server", ""), ("ping", "--server", "127.0.0.1:99999"),
    ("ping", "--server", "unix:" + 120 * "x"),
    ("ping", "--spawn", "--server", "127.0.0.1:1"),
    ("ping", "--store", "x.db", "--server", "127.0.0.1:1"),
    ("ping", "--output", "xml"), ("ping", "--timeout", "-1"),
    ("id", "--server", "127.0.0.1:1", "-m", PLANAR, "--q", "0,0"),
])
def test_a_senseless_command_line_exits_64(arguments):
    done = run(*arguments)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.startswith("torquectl: USAGE")
    assert done.stdout == ""


@pytest.mark.parametrize("arguments, told", [
    (("id", "a", "b", "c", "-m", PLANAR),
     "arguments were not expected: a b c"),
    (("ping", "info"), "an argument was not expected: info"),
    (("ping", "--output", "xml"),
     "--output: needs table, json or csv, not 'xml'"),
    (("trajectory", "f.csv", "-m", PLANAR, "--plot-scale", "log"),
     "--plot-scale: needs limits or torques, not 'log'"),
    (("opspace", "-m", PLANAR, "--frame", "moon"),
     "--frame: needs local, local_world_aligned or world, not 'moon'"),
    (("id", "-m", PLANAR, "--wrench-frame", "moon"),
     "--wrench-frame: needs local, local_world_aligned or world, not 'moon'"),
    (("id", "-m", PLANAR, "--precision", "half"),
     "--precision: needs double or single, not 'half'")])
def test_what_is_wrong_is_told_in_words(arguments, told):
    done = run(*arguments)
    assert done.returncode == USAGE
    assert done.stderr == f"torquectl: USAGE: {told} (see torquectl --help)\n"


def test_a_number_that_no_double_holds_is_told_as_such():
    done = run("id", "-m", PLANAR, "--q", "1e400,0")
    assert done.returncode == USAGE
    assert done.stderr == ("torquectl: USAGE (--q): '1e400' is out of the "
                           "range of double precision\n")


@pytest.mark.parametrize("arguments", [
    ("--help",), ("id", "--help"), ("models", "add", "--help"),
    ("trajectory", "--help"), ("--version",)])
def test_help_exits_0(arguments):
    done = run(*arguments)
    assert done.returncode == OK
    assert done.stdout


def test_help_documents_the_exit_codes():
    text = run("--help").stdout
    for line in ("  0   ", "  1   ", "  2   ", "  64  "):
        assert line in text
