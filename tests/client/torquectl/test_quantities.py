"""One quantity of states on the command line."""

import csv
import io
import math

import numpy as np

from calls import GRAVITY, NO, PLANAR, chain, planar_torques, run, run_json


def test_id_agrees_with_the_closed_form_of_the_planar_arm():
    answer = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4", "--q",
                      "-1,2", "--v", "-0.5,0.25", "--a=1,-2;3,0.125")
    assert answer["rows"] == 2 and answer["rows_not_ok"] == 0
    expected = [planar_torques((0.3, -0.4), (-0.5, 0.25), (1, -2)),
                planar_torques((-1, 2), (-0.5, 0.25), (3, 0.125))]
    assert np.allclose(answer["results"]["tau"], expected, rtol=0, atol=1e-13)
    assert answer["echo"]["joint_names"] == ["joint1", "joint2"]
    assert answer["echo"]["terms"]["gravity"] == [0, -9.81, 0]
    assert len(answer["echo"]["revision"]) == 64


def test_opspace_reports_a_stretched_arm_and_damps_it_on_request():
    task = ("opspace", "-m", PLANAR, "--axes", "linear_x,linear_y",
            "--reference-frame", "local_world_aligned", "--q")
    assert run_json(*task, "0.3,1")["results"]["rank"] == [2]
    reported = run_json(*task, "0.3,0", code=NO)
    assert reported["row_status"][0]["code"] == "ROW_CODE_SINGULAR_TASK_SPACE"
    damped = run_json(*task, "0.3,0", "--singularity", "damped", "--damping",
                      "0.1", code=NO)
    assert damped["results"]["rule"] == ["TASK_RULE_DAMPED"]
    assert damped["echo"]["operational_space"]["damping"] == 0.1
    assert "state 0: rank 1, sigma_min 0, range restricted\n" in run(
        *task, "0.3,0").stdout


def test_a_robot_of_more_joints_than_single_precision_takes_says_so(tmp_path):
    asked = ("id", "--model", chain(tmp_path, 257), "--q", ",".join(["0"] * 257))
    said = "computed in double precision"
    assert said in run(*asked, "--precision", "single").stdout
    assert said not in run(*asked).stdout
    echo = run_json(*asked, "--precision", "single")["echo"]
    assert echo["precision"] == "PRECISION_SINGLE"
    assert echo["computed_precision"] == "PRECISION_DOUBLE"


def test_joints_permutes_columns_by_name():
    plain = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.3,0.4")
    swapped = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.4,0.3",
                       "--joint-names", "joint2,joint1")
    assert swapped["results"]["tau"][0] == plain["results"]["tau"][0][::-1]
    assert swapped["echo"]["joint_names"] == ["joint2", "joint1"]


def test_a_bad_row_is_named_and_nan_and_the_exit_code_says_no():
    asked = ("compute", "energy", "regressor", "-m", PLANAR, "--q", "0,0;nan,1")
    done = run(*asked, "--output", "csv")
    assert done.returncode == NO
    assert "row 1: invalid input (q, joint joint1)" in done.stderr
    good, bad = csv.DictReader(io.StringIO(done.stdout))
    assert (good.pop("status"), good.pop("message")) == ("OK", "")
    assert bad.pop("status") == "ROW_CODE_INVALID_INPUT"
    assert bad.pop("message")
    assert all(math.isfinite(float(text)) for text in good.values())
    assert set(bad.values()) == {"nan"}
    lines = run(*asked, "--output", "json").stdout.splitlines()
    assert '      "row": 1,' in lines and '      "value": "NaN",' in lines
    # A list of numbers is one line.
    assert '      ["NaN"]' in lines
    table = run("id", "-m", PLANAR, "--q", "0,0;nan,1")
    assert table.stdout.splitlines()[-1].endswith("  invalid input")
    assert "ROW_CODE" not in table.stdout
