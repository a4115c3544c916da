"""Models: in a server, in a store, in files."""

import json
import pathlib
import re

from calls import ERROR, NO, OK, PLANAR, USAGE, planar_with, run, run_json


def test_models_are_added_listed_shown_and_removed(server, tmp_path):
    at = ("--server", server)
    added = run_json(*at, "models", "add", PLANAR, "--name", "two.links",
                     "--default-tip", "tip", "--label", "golden", "--expected-current", "none")
    revision = added["model"]["revision"]
    assert added["changed"] is True
    assert run_json(*at, "models", "add", PLANAR, "--name", "two.links",
                    "--default-tip", "tip")["changed"] is False

    listed = {model["name"]: model for model in run_json(*at, "models", "list")}
    assert listed["two.links"]["revision"] == revision
    shown = run_json(*at, "models", "show", "two.links@golden")
    assert [joint["name"] for joint in shown["joints"]] == ["joint1", "joint2"]
    assert shown["joints"][0]["effort"] == 60
    source = run(*at, "models", "show", f"@{revision[:8]}", "--source")
    assert source.stdout == pathlib.Path(PLANAR).read_text()
    assert run_json(*at, "id", "-m", "two.links@golden", "--q",
                    "0,0")["echo"]["revision"] == revision

    conflict = run(*at, "models", "rm", "two.links", "--expected-current", "0" * 64)
    assert conflict.returncode == ERROR
    assert "REVISION_CONFLICT" in conflict.stderr.splitlines()[0]
    assert run(*at, "models", "rm", "two.links").returncode == OK
    gone = run(*at, "models", "show", "two.links")
    assert gone.returncode == ERROR
    assert gone.stderr.startswith("torquectl: MODEL_NOT_FOUND")


def test_validate_prints_every_finding_and_exits_2_on_errors(tmp_path):
    good = run("models", "validate", PLANAR)
    assert good.returncode == OK
    assert "0 errors" in good.stdout

    broken = planar_with(tmp_path / "broken.urdf",
                         ('<mass value="2"/>', '<mass value="-2"/>'))
    bad = run("models", "validate", broken)
    assert bad.returncode == NO
    assert f"{broken}:" in bad.stdout
    assert "error: negative-mass" in bad.stdout
    assert json.loads(run("models", "validate", broken, "--output",
                          "json").stdout)["valid"] is False


# A rod whose moments are no body's, on a joint that they hardly matter to.
ODD = ("<robot name='odd'><link name='base'/><link name='rod'><inertial>"
       "<origin xyz='1 0 0'/><mass value='1'/><inertia ixx='0.1' iyy='0.1' "
       "izz='0.1' ixy='0.2' ixz='0' iyz='0'/></inertial></link><joint "
       "name='axle' type='continuous'><parent link='base'/><child link='rod'/>"
       "<axis xyz='0 0 1'/></joint>\n<gazebo/>\n<gazebo/>\n<gazebo/></robot>")


def test_validation_decides_about_masses_that_no_body_has(server, tmp_path):
    odd = tmp_path / "odd.urdf"
    odd.write_text(ODD)
    for flags, code in (((), NO), (("--validation", "strict"), NO),
                        (("--validation", "lenient"), OK),
                        (("--validation", "lax"), USAGE)):
        assert run("models", "validate", odd, *flags).returncode == code
    assert "validation lenient" in run("models", "validate", odd).stdout
    # Also where the file is that of a model.
    assert run("id", "-m", odd, "--q", "0").returncode == ERROR
    reply = run_json("id", "-m", odd, "--q", "0", "--validation", "lenient")
    assert reply["echo"]["validation"] == "VALIDATION_LENIENT"
    at = ("--server", server)
    run(*at, "models", "add", odd, "--validation", "lenient")
    shown = run(*at, "models", "show", "odd").stdout
    assert re.search("options.validation +lenient\n", shown)
    assert re.search("\naxle +continuous ", shown)
    run(*at, "models", "rm", "odd")


def test_a_finding_of_one_kind_is_one_line(tmp_path):
    odd = tmp_path / "odd.urdf"
    odd.write_text(ODD)
    lines = run("models", "validate", odd).stdout.splitlines()
    gazebo, = (line for line in lines if "<gazebo>" in line)
    assert gazebo.startswith(f"{odd}:2: warning: ignored-element: ")
    assert gazebo.endswith(" [3 in all; also :3, :4]")
    assert lines[-1] == "1 error, 3 warnings, 0 infos"
    table = run("models", "validate", odd, "--output", "csv").stdout
    assert "severity,code,line,joint,link,message,count,more_places" in table
    assert ',3,":3, :4"' in table


def test_a_store_keeps_models_between_local_servers(tmp_path):
    store = ("--store", tmp_path / "models.db")
    assert run(*store, "models", "add", PLANAR).returncode == OK
    assert [model["name"] for model in run_json(*store, "models", "list")] == [
        "planar_2r"]
