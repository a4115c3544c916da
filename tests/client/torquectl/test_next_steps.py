"""Errors that say what to do next, in the words of the command line."""

import pytest

from calls import ERROR, NO, OK, PANDA, PLANAR, USAGE, planar_with, run, run_json
from trajectory_files import CHECK, checked

FORKED = '<robot name="forked"><link name="base"/>' + "".join(
    f'<link name="{side}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
    'izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    f'<joint name="to {side}" type="continuous"><parent link="base"/>'
    f'<child link="{side}"/></joint>' for side in ("left", "right")) + "</robot>"


def refused(*words, code=ERROR, **arguments):
    done = run(*words, **arguments)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


def test_a_tip_that_must_be_named_comes_with_flag_and_candidates(tmp_path):
    forked = tmp_path / "forked.urdf"
    forked.write_text(FORKED)
    for words in (("opspace",), ("compute", "mass-matrix", "--payload", "1")):
        said = refused(*words, "-m", forked, "--q", "0,0")
        flag = "--payload-frame" if "--payload" in words else "--tip-frame"
        assert said.startswith(f"torquectl: TIP_FRAME_REQUIRED ({flag}): ")
        assert "'left' or 'right', say" in said
        assert "candidates = left,right" in said
        # Of one joint not all directions can move.
        assert run(*words, "-m", forked, "--q", "0,0", "--tip-frame",
                   "left").returncode in (OK, NO)


ID = ("inverse-dynamics", "--q")


@pytest.mark.parametrize("words, told", [
    ((*ID, "1,2,3"), "WRONG_COLUMN_COUNT (--q): "),
    ((*ID, "1,2", "--v", "1"), "WRONG_COLUMN_COUNT (--v): "),
    ((*ID, "1,2", "--tip-frame", "nose"), "UNKNOWN_FRAME (--tip-frame): "),
    ((*ID, "1,2", "--joint-names", "joint1,nose"),
     "WRONG_JOINT_NAMES (--joint-names[1]): "),
    ((*ID, "1,2", "--gravity", "nan,0,0"), "INVALID_OPTION (--gravity[0]): "),
    ((*ID, "1,2", "--payload", "-3"), "INVALID_OPTION (--payload"),
    ((*ID, "1,2", "--payload", "3", "--payload-frame", "nose"),
     "UNKNOWN_FRAME (--payload-frame): "),
    ((*ID, "1,2", "--external-wrenches-on-robot", "link2:wrld=0,0,0,0,0,1"),
     "UNKNOWN_FRAME (--external-wrenches-on-robot[0].frame): "),
    ((*ID, "1,2", "--tip-wrench-on-environment", "1,2,3"),
     "WRONG_COLUMN_COUNT (--tip-wrench-on-environment): "),
    (("forward-dynamics", "--q", "1,2"), "MISSING_INPUT (--tau): "),
    (("opspace", "--q", "0,0", "--axes", "linear_x,linear_x"),
     "INVALID_OPTION (--axes[1]): "),
    (("opspace", "--q", "0,0", "--axes", "linear_x,lx"),
     "--axes: 'lx' must be one of angular_x, angular_y, angular_z, "
     "linear_x, linear_y, linear_z\n"),
    (("opspace", "--q", "0,0", "--damping", "0.1"),
     "INVALID_OPTION (--damping): "),
    ((*ID, "1,2", "--model", "@"), "INVALID_MODEL_REFERENCE (--model): "),
    ((*CHECK, "a.csv", "--derating", "x"),
     "--derating: 'x' is not a number\n")])
def test_errors_name_flags(words, told):
    command = () if words[0] in ("opspace", "trajectory") else ("compute",)
    model = () if "--model" in words else ("-m", PLANAR)
    said = refused(*command, *words, *model,
                   code=USAGE if told.startswith("--") else ERROR)
    assert said.startswith("torquectl: " + told), said


@pytest.mark.parametrize("model", [
    "foo.urdf", "FOO.URDF", "foo.xacro", "./foo", "robots/foo.urdf"])
def test_a_model_file_that_is_not_there_is_told_as_such(tmp_path, model):
    for words in (("id", "-m", model, "--q", "0"), ("models", "show", model)):
        said = refused(*words, cwd=tmp_path)
        assert said.startswith(f"torquectl: {model}: there is no such file"), said


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
    path = planar_with(tmp_path / "bad.urdf", ('<mass value="2"', '<mass value="-2"'),
                       ('xyz="0 0 1"', 'xyz="0 0 0"'), ('iyz="0"', 'iyz="x"'))
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


def test_one_file_for_two_outputs_is_refused(move, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "soft.json").symlink_to("there.csv")
    (tmp_path / "in").mkdir()
    own = tmp_path / "in" / "move.csv"
    own.write_bytes(move.read_bytes())
    for command, *words in (
            (CHECK, "-o", "a.csv", "--summary", "a.csv"),
            (CHECK, "--html", "a.html", "--summary", "sub/../a.html"),
            (CHECK, "-o", "there.csv", "--summary", "soft.json"),
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
    assert checked(own, "-o", "a.csv", "--summary", "b.csv",
                   cwd=tmp_path).returncode == OK
    assert checked(own, "--html", "/dev/null", "--junit", "/dev/null",
                   cwd=tmp_path).returncode == OK
