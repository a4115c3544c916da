"""Errors that say what to do next, in the words of the command line."""

import contextlib
import os
import pathlib
import pty
import subprocess

import pytest

from calls import (
    ERROR, NO, OK, PANDA, PLANAR, TORQUECTL, USAGE, run, run_json, running)
from trajectory_files import CHECK, fixture_move  # noqa: F401

FORKED = """<robot name="forked">
<link name="base"/>
<link name="left"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="right"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="l" type="continuous"><parent link="base"/><child link="left"/>
<axis xyz="0 1 0"/></joint>
<joint name="r" type="continuous"><parent link="base"/><child link="right"/>
<axis xyz="0 1 0"/></joint>
</robot>
"""
TURNED = "\u202egnorw"


@pytest.fixture(name="forked")
def fixture_forked(tmp_path):
    path = tmp_path / "forked.urdf"
    path.write_text(FORKED)
    return path


def refused(*words, code=ERROR, **arguments):
    done = run(*words, **arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


# --- Flags in the place of fields ---------------------------------------------


def test_a_tip_that_must_be_named_comes_with_flag_and_candidates(forked):
    for words in (("opspace",), ("id", "--tip-wrench-on-environment", "0,0,0,0,0,1"),
                  ("compute", "jacobian"),
                  ("compute", "mass-matrix", "--payload", "1")):
        said = refused(words[0], *words[1:], "-m", forked, "--q", "0,0")
        flag = "--payload-frame" if "--payload" in words else "--tip-frame"
        assert said.startswith(f"torquectl: TIP_FRAME_REQUIRED ({flag}): ")
        assert "'left' or 'right', say" in said
        assert "candidates = left,right" in said
        # Of one joint not all directions can move.
        assert run(*words, "-m", forked, "--q", "0,0", "--tip-frame",
                   "left").returncode in (OK, NO)


@pytest.mark.parametrize("words, told", [
    (("--q", "1,2,3"), "WRONG_COLUMN_COUNT (--q): "),
    (("--q", "1,2", "--v", "1"), "WRONG_COLUMN_COUNT (--v): "),
    (("--q", "1,2", "--tip-frame", "nose"), "UNKNOWN_FRAME (--tip-frame): "),
    (("--q", "1,2", "--joint-names", "joint1,nose"),
     "WRONG_JOINT_NAMES (--joint-names[1]): "),
    (("--q", "1,2", "--gravity", "nan,0,0"), "INVALID_OPTION (--gravity[0]): "),
    (("--q", "1,2", "--payload", "-3"), "INVALID_OPTION (--payload"),
    (("--q", "1,2", "--external-wrenches-on-robot", "nose=0,0,0,0,0,1"),
     "UNKNOWN_FRAME (--external-wrenches-on-robot[0]")])
def test_errors_of_the_server_name_flags(words, told):
    said = refused("compute", "inverse-dynamics", "-m", PLANAR, *words)
    assert said.startswith("torquectl: " + told), said


# --- Models -------------------------------------------------------------------


@pytest.mark.parametrize("model", [
    "foo.urdf", "FOO.URDF", "foo.xacro", "./foo", "robots/foo.urdf"])
def test_a_model_file_that_is_not_there_is_told_as_such(tmp_path, model):
    for words in (("id", "-m", model, "--q", "0"), ("models", "show", model)):
        said = refused(*words, cwd=tmp_path)
        assert said.startswith(f"torquectl: DATA ({model}): there is no such "
                               "file"), said


def test_a_model_of_a_server_may_be_called_like_a_file(server, tmp_path):
    at = ("--server", server)
    assert run(*at, "models", "add", PLANAR, "--name",
               "arm.urdf").returncode == OK
    assert run(*at, "id", "-m", "arm.urdf", "--q", "0,0",
               cwd=tmp_path).returncode == OK
    said = refused(*at, "id", "-m", "arn.urdf", "--q", "0,0", cwd=tmp_path)
    assert said.startswith("torquectl: MODEL_NOT_FOUND")
    assert "arm.urdf" in said


def test_every_finding_of_a_bad_urdf_comes_with_file_and_line(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text("""<robot name="bad">
<link name="base"/>
<link name="arm"><inertial><mass value="-1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="x" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
<axis xyz="0 0 0"/></joint>
</robot>
""")
    for words in (("id", "-m", path, "--q", "0"), (*CHECK, "x.csv", "-m", path),
                  ("models", "add", path, "--store", tmp_path / "store")):
        said = refused(*words)
        assert said.startswith(f"torquectl: INVALID_MODEL ({path}): ")
        report = run_json("models", "validate", path, code=NO)["report"]
        errors = [f for f in report["findings"]
                  if f["severity"] == "SEVERITY_ERROR"]
        assert len(errors) >= 3
        for finding in errors:
            assert (f"\n{path}:{finding['line']}: error: {finding['code']}: "
                    in said)


# --- Outputs ------------------------------------------------------------------


def test_one_file_for_two_outputs_is_refused(move, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "there.csv").write_text("mine")
    os.link(tmp_path / "there.csv", tmp_path / "hard.json")
    (tmp_path / "in").mkdir()
    own = tmp_path / "in" / "move.csv"
    own.write_bytes(move.read_bytes())
    for command, *words in (
            (CHECK, "-o", "a.csv", "--summary", "a.csv"),
            (CHECK, "--html", "a.html", "--summary", "sub/../a.html"),
            (CHECK, "-o", "there.csv", "--summary", "hard.json"),
            (CHECK, "-o", own),
            (CHECK, "--summary", "limits.json", "--limits", "limits.json"),
            (CHECK, "--junit", own)):
        said = refused(*command, own, "-m", PANDA, *words, code=USAGE,
                       cwd=tmp_path)
        assert "is also the file of " in said, said
    said = refused(*CHECK, "in", "-m", PANDA, "--results", "r", "--html", "r",
                   code=USAGE, cwd=tmp_path)
    assert "is also the file of " in said
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert not (tmp_path / "a.csv").exists()
    # Twin: apart they may be, and devices take several.
    assert run(*CHECK, own, "-m", PANDA, "-o", "a.csv", "--summary",
               "b.csv", cwd=tmp_path).returncode == OK
    assert run(*CHECK, own, "-m", PANDA, "--html", "/dev/null", "--junit",
               "/dev/null", cwd=tmp_path).returncode == OK


# --- Names that steer a terminal ----------------------------------------------


@pytest.fixture(name="turned")
def fixture_turned(tmp_path):
    path = tmp_path / "turned.urdf"
    path.write_text(pathlib.Path(PLANAR).read_text().replace(
        "joint1", "joint" + TURNED).replace("link1", "link\u0085\u009b"))
    return path


def steering(text):
    return [c for c in text if c in "\u202e\u0085\u009b\x1b"]


def test_no_output_for_people_has_what_steers_a_terminal(turned):
    for words in (("models", "show", turned), ("id", "-m", turned, "--q",
                                               "0,0"),
                  ("models", "validate", turned),
                  ("id", "-m", turned, "--q", "0,0,0"),
                  ("id", "-m", turned, "--q", "0,0", "--joint-names", "x\u202ey,b")):
        for form in ("table", "json"):
            done = run(*words, "--output", form)
            assert not steering(done.stdout + done.stderr), words
    refused = run("models", "show", turned)
    assert refused.returncode == ERROR
    assert "joint\\u202egnorw" in refused.stderr
    assert "link\\u0085\\u009b" in refused.stderr


def shown_by_a_terminal(words):
    """Exit code and stdout."""
    controller, terminal = pty.openpty()
    with running("timeout", 30, TORQUECTL, *words, stdout=terminal,
                 stderr=subprocess.DEVNULL) as process:
        os.close(terminal)
        shown = b""
        with open(controller, "rb", buffering=0) as screen:
            # EIO: nobody has it open any more.
            with contextlib.suppress(OSError):
                while part := screen.read(65536):
                    shown += part
        return process.wait(120), shown.decode()


def test_no_source_that_a_terminal_shows_steers_it(tmp_path):
    model = tmp_path / "remarked.urdf"
    model.write_text(pathlib.Path(PLANAR).read_text().replace(
        "</robot>", f"<!-- {TURNED} \u0085\u009b --></robot>"))
    words = ("models", "show", model, "--source")
    code, shown = shown_by_a_terminal(words)
    assert code == OK
    assert not steering(shown) and "\\u202e" in shown
    # What no terminal shows is as it is.
    assert run(*words).stdout == model.read_text()
