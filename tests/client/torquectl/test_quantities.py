"""One quantity of states on the command line."""

import csv
import io

import numpy as np

from calls import GRAVITY, NO, PLANAR, planar_torques, run, run_json


def test_id_agrees_with_the_closed_form_of_the_planar_arm():
    answer = run_json("id", "-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4;-1,2",
                      "--v", "-0.5,0.25", "--a=1,-2;3,0.125")
    assert answer["rows"] == 2 and answer["rows_not_ok"] == 0
    expected = [planar_torques((0.3, -0.4), (-0.5, 0.25), (1, -2)),
                planar_torques((-1, 2), (-0.5, 0.25), (3, 0.125))]
    assert np.allclose(answer["results"]["tau"], expected, rtol=0, atol=1e-13)
    assert answer["echo"]["joint_names"] == ["joint1", "joint2"]
    assert answer["echo"]["terms"]["gravity"] == [0, -9.81, 0]
    assert len(answer["echo"]["revision"]) == 64


def test_fd_undoes_id_at_full_precision_of_the_text():
    state = ("-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4", "--v", "1,2")
    tau = run_json("id", *state, "--a", "5,6")["results"]["tau"][0]
    back = run_json("fd", *state, "--tau", ",".join(map(repr, tau)))
    assert np.allclose(back["results"]["a"], [[5, 6]], rtol=0, atol=1e-11)


def test_opspace_reports_a_stretched_arm_and_damps_it_on_request():
    task = ("opspace", "-m", PLANAR, "--q", "0.3,0", "--axes", "linear_x,linear_y",
            "--reference-frame", "local_world_aligned")
    reported = run_json(*task, code=NO)
    assert reported["results"]["rank"] == [1]
    assert reported["results"]["rule"] == ["TASK_RULE_RANGE_RESTRICTED"]
    assert reported["row_status"][0]["code"] == "ROW_CODE_SINGULAR_TASK_SPACE"
    damped = run_json(*task, "--singularity", "damped", "--damping", "0.1", code=NO)
    assert damped["results"]["rule"] == ["TASK_RULE_DAMPED"]
    assert damped["echo"]["operational_space"]["damping"] == 0.1
    bent = run_json(*(x if x != "0.3,0" else "0.3,1" for x in task))
    assert bent["results"]["rank"] == [2]
    assert bent["results"]["sigma_min"][0] > 0
    table = run(*task)
    assert "state 0: rank 1, sigma_min 0, range restricted\n" in table.stdout


def test_a_robot_of_more_joints_than_single_precision_takes_says_so(tmp_path):
    count = 257
    inertial = ('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
                'ixy="0" ixz="0" iyz="0"/></inertial>')
    parts = ['<link name="l0"/>'] + [
        f'<link name="l{k + 1}">{inertial}</link><joint name="j{k}" '
        f'type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        '<axis xyz="0 0 1"/></joint>' for k in range(count)]
    model = tmp_path / "chain.urdf"
    model.write_text(f'<robot name="chain">{"".join(parts)}</robot>')
    asked = ("id", "--model", str(model), "--q", ",".join(["0"] * count))
    said = "computed in double precision"
    single = run(*asked, "--precision", "single")
    assert single.returncode == 0 and said in single.stdout
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


def test_a_bad_row_is_named_and_the_exit_code_says_no():
    done = run("id", "-m", PLANAR, "--q", "0,0;nan,1", "--output", "csv")
    assert done.returncode == NO
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["status"] for row in rows] == ["OK", "ROW_CODE_INVALID_INPUT"]
    assert rows[1]["joint1.tau"] == "nan"
    assert "row 1: invalid input (q, joint joint1)" in done.stderr
    table = run("id", "-m", PLANAR, "--q", "0,0;nan,1")
    assert table.stdout.splitlines()[-1].endswith("  invalid input")
    assert "ROW_CODE" not in table.stdout
