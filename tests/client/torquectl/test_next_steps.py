"""Errors that say what to do next, in the words of the command line."""

import contextlib
import json
import os
import pathlib
import pty
import subprocess

import numpy as np
import pytest

from calls import (ERROR, MODELS, NO, OK, PANDA, PLANAR, TORQUECTL, USAGE, run,
                   run_json, running)
from trajectory_files import CHECK, JOINTS, Samples, fixture_move  # noqa: F401

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


def test_torques_along_a_trajectory_take_a_tip(forked, tmp_path):
    move = tmp_path / "move.csv"
    move.write_text("time,l.q,r.q,l.v,r.v,l.a,r.a\n" + "0,0,0,0,0,0,0\n")
    words = (*CHECK, move, "-m", forked, "--tip-wrench-on-environment", "0,0,0,0,0,1")
    assert "TIP_FRAME_REQUIRED (--tip-frame): " in refused(*words)
    assert run(*words, "--tip-frame", "right").returncode == OK


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


def test_a_tip_that_the_description_lacks_names_its_flag(tmp_path):
    store = ("--spawn",)
    said = refused("models", "add", PLANAR, "--default-tip", "nolink", *store)
    assert said.startswith("torquectl: UNKNOWN_FRAME (--default-tip): "), said
    assert "nolink" in said and "default_tip" not in said


# --- Names that are nearly right ----------------------------------------------


def test_a_misspelt_limit_is_told_the_right_one(move, tmp_path):
    for wrong, right in (("efort", "effort"), ("velocty", "velocity"),
                         ("torque_at_sped", "torque_at_speed")):
        (tmp_path / "l.json").write_text(
            json.dumps({"panda_joint2": {wrong: 80}}))
        assert (f"has no limit called '{wrong}'; did you mean {right}?"
                in refused(*CHECK, move, "-m", PANDA, "--limits",
                           tmp_path / "l.json"))
    (tmp_path / "l.json").write_text('{"panda_joint2": {"nonsense": 1}}')
    assert "did you mean" not in refused(
        *CHECK, move, "-m", PANDA, "--limits", tmp_path / "l.json")


def test_a_misspelt_column_is_named(move, tmp_path):
    samples = Samples.read(move).first(20)
    path = samples.write_csv(tmp_path / "m.csv")
    whole = path.read_text()
    for right, wrong in (("panda_joint3.q", "panda_jont3.q"),
                         ("panda_joint5.a", "panda_joint5.acc")):
        path.write_text(whole.replace(right, wrong, 1))
        assert (f"has no column {right}; did you mean {wrong}?"
                in refused(*CHECK, path, "-m", PANDA))
    # The columns of other joints are near as well, and not meant.
    path.write_text(whole.replace("panda_joint3.q", "tool", 1))
    assert "has no column panda_joint3.q\n" in refused(
        *CHECK, path, "-m", PANDA)
    path.write_text(whole.replace("time", "tme", 1))
    assert "give each sample its 'time', in seconds; 'tme' is none" in refused(
        *CHECK, path, "-m", PANDA)
    path.write_text(whole.replace("panda_joint", "panda-joint"))
    assert "; did you mean panda-joint1.q?" in refused(
        *CHECK, path, "-m", PANDA)


def test_a_misspelt_joint_of_a_message_is_named(move, tmp_path):
    samples = Samples.read(move).first(20)
    names = [*samples.joints[:2], "panda_jont3", *samples.joints[3:]]
    np.savez(tmp_path / "m.npz", time=samples.time, q=samples.q, v=samples.v,
             a=samples.a, joint_names=np.array(names))
    assert ("has no joint panda_joint3; did you mean panda_jont3?"
            in refused(*CHECK, tmp_path / "m.npz", "-m", PANDA))


def test_a_misspelt_column_of_wrenches_is_named(move, tmp_path):
    (tmp_path / "w.csv").write_text("time,mx,my,m_z,fx,fy,fz\n0,0,0,0,0,0,0\n")
    assert "has no column mz; did you mean m_z?" in refused(
        *CHECK, move, "-m", PANDA, "--wrench-profile", tmp_path / "w.csv")


# --- A model that is refused --------------------------------------------------


def test_a_finding_is_told_once(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(pathlib.Path(PLANAR).read_text().replace(
        '<mass value="2', '<mass value="-2'))
    for words in (("id", "-m", path, "--q", "0,0"),
                  ("models", "add", path, "--spawn")):
        said = refused(*words, "--validation", "strict")
        first, *findings = said.splitlines()
        assert first == (f"torquectl: INVALID_MODEL ({path}): "
                         "the server refuses the model")
        errors = [line.partition(": error: ")[2] for line in findings
                  if ": error: " in line]
        assert errors and len(errors) == len(set(errors))
        assert all(said.count(error) == 1 for error in errors)


# --- Files that lack something ------------------------------------------------


def lacking_rates(tmp_path, move):
    """The motion without velocities and accelerations, in every form."""
    samples = Samples.read(move).first(50)
    samples.write_csv(tmp_path / "q.csv", columns="q")
    partly = tmp_path / "partly.csv"
    partly.write_text((tmp_path / "q.csv").read_text().replace(
        "panda_joint7.q\n", "panda_joint7.q,panda_joint1.v\n", 1).replace(
            "\n", ",0\n").replace("joint1.v,0\n", "joint1.v\n"))
    np.savez(tmp_path / "q.npz", time=samples.time, q=samples.q,
             joint_names=np.array(samples.joints))
    np.save(tmp_path / "q.npy", np.column_stack([samples.time, samples.q]))
    (tmp_path / "q.json").write_text(json.dumps({
        "joint_names": list(samples.joints),
        "points": [{"positions": list(q), "time_from_start": t}
                   for q, t in zip(samples.q, samples.time)]}))
    return [(tmp_path / "q.csv", ()), (partly, ()), (tmp_path / "q.npz", ()),
            (tmp_path / "q.npy", ("--joint-names", "canonical")),
            (tmp_path / "q.json", ())]


def test_positions_alone_are_told_how_to_derive_the_rest(move, tmp_path):
    for path, flags in lacking_rates(tmp_path, move):
        words = (path, "-m", PANDA, *flags)
        said = refused(*CHECK, *words)
        assert "--derive cubic_spline or --derive quintic_spline takes" in said, said
        derived = run(*CHECK, *words, "--derive", "cubic_spline")
        assert derived.returncode in (OK, NO), derived.stderr
        # Nothing derives positions.
        assert "derive" not in refused("fd", "-m", PANDA, "--states", path,
                                       *flags)


def test_missing_times_are_told_by_their_name(tmp_path):
    path = tmp_path / "move.csv"
    path.write_text("t,joint1.q,joint2.q\n" + "".join(
        f"{k},{k / 10},0\n" for k in range(5)))
    said = refused(*CHECK, path, "--model", PLANAR, "--derive", "cubic_spline")
    assert "has no times; give each sample its 'time', in seconds" in said


def test_a_column_of_a_bare_joint_name_is_told_what_to_be_called(tmp_path):
    path = tmp_path / "bare.csv"
    path.write_text(",".join(["time", *JOINTS]) + "\n" + 2 * "0,0,0,0,0,0,0,0\n")
    for words in ((*CHECK, path), (*CHECK, path, "--derive", "cubic_spline"),
                  ("id", "--states", path)):
        assert "call it panda_joint1.q" in refused(*words, "-m", PANDA)


MOVEIT = """# of the assistant
default_velocity_scaling_factor: 0.1
joint_limits:
  panda_joint1:
    has_velocity_limits: true
    max_velocity: 2.175
    has_acceleration_limits: true
    max_acceleration: 3.75
  panda_joint2:
    has_velocity_limits: false
    max_velocity: 0
    has_effort_limits: true
    max_effort: 80
    has_position_limits: true
    min_position: -1.5
    max_position: 1.5
"""


def test_limits_of_moveit_are_told_what_to_write_instead(move, tmp_path):
    path = tmp_path / "joint_limits.yaml"
    path.write_text(MOVEIT)
    said = refused(*CHECK, move, "-m", PANDA, "--limits", path)
    assert said.startswith(f"torquectl: DATA ({path}): is a joint_limits.yaml "
                           "of MoveIt, which is not read; ")
    instead = said[said.index("{"):said.rindex("}") + 1]
    assert json.loads(instead) == {
        "panda_joint1": {"velocity": 2.175},
        "panda_joint2": {"effort": 80, "lower": -1.5, "upper": 1.5}}
    path.write_text(instead)
    assert run(*CHECK, move, "-m", PANDA, "--limits",
               path).returncode in (OK, NO)


@pytest.mark.parametrize("content, told", [
    ("joint_limits: {}\n", "of MoveIt"),
    ("joint_limits: [1, 2]\n", "of MoveIt"),
    ('{"joint_limits": {"a": {"max_velocity": 1}}}', '"a": {'),
    ("joint_limits: " + 100_000 * "[", "is no JSON object"),
    ("panda_joint1:\n  effort: 3\n", "is no JSON object"),
    ("", "is no JSON object"), ("<robot/>", "is no JSON object"),
    ('{"panda_joint1":\n  {"effort": 3,}}', ":2): is not JSON at column 16"),
    ('{"panda_joint1": {"effort": 1e999}}', "number overflow"),
    ('{"panda\xff', "ill-formed UTF-8")])
def test_what_is_no_file_of_limits_is_told(move, tmp_path, content, told):
    path = tmp_path / "limits.json"
    path.write_bytes(content.encode("latin-1"))
    said = refused(*CHECK, move, "-m", PANDA, "--limits", path)
    assert told.replace('"a": {', '"a":{') in said or told in said, said


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
    assert "there is no such file; as the name of a model: " in said
    assert "arm.urdf" in said
    # A name that looks like nothing else is told the names near it.
    assert run(*at, "models", "add", PLANAR, "--name",
               "elbow").returncode == OK
    said = refused(*at, "id", "-m", "elbov", "--q", "0,0", cwd=tmp_path)
    assert said.startswith("torquectl: MODEL_NOT_FOUND")
    assert "elbow" in said


def test_a_name_beside_its_file_is_told_the_file(tmp_path):
    (tmp_path / "arm.urdf").write_text(pathlib.Path(PLANAR).read_text())
    said = refused("id", "-m", "arm", "--q", "0,0", cwd=tmp_path)
    assert "but arm.urdf" in said


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
    (tmp_path / "soft.json").symlink_to("there.csv")
    (tmp_path / "in").mkdir()
    own = tmp_path / "in" / "move.csv"
    own.write_bytes(move.read_bytes())
    for command, *words in (
            (CHECK, "-o", "a.csv", "--summary", "a.csv"),
            (CHECK, "--html", "a.html", "--summary", "sub/../a.html"),
            (CHECK, "-o", "there.csv", "--summary", "hard.json"),
            (CHECK, "-o", "there.csv", "--summary", "soft.json"),
            (CHECK, "-o", own),
            (CHECK, "-o", "a.json", "--summary", tmp_path / "a.json"),
            (CHECK, "--html", "a", "--junit", "./a"),
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


# --- Paces --------------------------------------------------------------------


def pace_of(move, tmp_path, limits):
    path = tmp_path / "limits.json"
    path.write_text(json.dumps(limits))
    done = run(*CHECK, move, "-m", PANDA, "--limits", path)
    assert done.returncode in (OK, NO), done.stderr
    line, = (line for line in done.stdout.splitlines()
             if line.startswith("Pace: "))
    return line


def test_a_pace_names_joint_and_limit(move, tmp_path):
    v = np.abs(Samples.read(move).v)
    free = {joint: {"effort": 1e9, "velocity": 1e9} for joint in JOINTS}
    fast = free | {JOINTS[1]: {"effort": 1e9, "velocity": 1.81 * v[:, 1].max()}}
    line = pace_of(move, tmp_path, fast)
    assert "at this pace and up to 1.81 times as fast; the velocity of " \
        f"{JOINTS[1]} at " in line
    weak = free | {JOINTS[1]: {"effort": 1e-3}}
    line = pace_of(move, tmp_path, weak)
    assert "No pace keeps the limits: however slow, the torque of panda_joint2 at " in line
    still = free | {JOINTS[2]: {"velocity": 0}}
    line = pace_of(move, tmp_path, still)
    assert "No pace keeps the limits: the velocity limit of panda_joint3 is 0" in line


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
