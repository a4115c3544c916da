"""Any quantities of states, as `torquectl compute`."""

import csv
import io
import math
import re

import numpy as np
import pytest

from calls import (
    ERROR, GRAVITY, PANDA, PLANAR, USAGE, planar_torques, run, run_json)

Q, V, A = (0.3, -0.4), (-0.5, 0.25), (1.0, -2.0)
STATE = ("-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4", "--v", "-0.5,0.25",
         "--a=1,-2")
# The closed forms of the planar arm.
INERTIA = 1.5 * 0.5 * 0.4
K = INERTIA * math.sin(Q[1])
CORIOLIS = ((-K * V[1], -K * (V[0] + V[1])), (K * V[0], 0))
HOLDING = planar_torques(Q, (0, 0), (0, 0))


def test_every_quantity_of_the_contract_can_be_asked_for():
    names = re.search(r"QUANTITIES (\S+) \.\.\.",
                      run("compute", "--help").stdout).group(1).split("|")
    assert len(names) == 32
    answer = run_json(
        "compute", *names, "-m", PANDA, "--q", "0.1,-0.5,0.3,-2,0.2,1.5,0.7",
        "--v", "0.3,0.1,-0.2,0.4,0.1,-0.3,0.2", "--tau", "1,2,3,4,5,6,7")
    assert answer["rows_not_ok"] == 0
    shapes = {name: np.array(numbers).shape[1:] for name, numbers in
              answer["results"].items()}
    assert len(shapes) == 41 + 3  # rank, sigma_min, rule
    expected = {"christoffel": (49, 7), "regressor": (7, 70), "pose": (3, 4),
                "link_twists": (7, 6), "momentum_matrix": (6, 7),
                "kinetic_energy": (1,), "center_of_mass": (3,)}
    assert shapes | expected == shapes


def test_a_table_names_results_units_joints_and_axes():
    done = run("compute", "gravity-forces", "energy", "base-wrench",
               "joint-wrenches", "link-twists", *STATE)
    assert done.returncode == 0 and done.stderr == ""
    lines = [re.split(r" {2,}", line.strip()) for line in
             done.stdout.splitlines()]
    assert lines[0][0].startswith("planar_2r@")
    for title in ("g [N m | N]", "kinetic energy [J]", "potential energy [J]",
                  "wrench of the base on the robot [N m, N]"):
        assert [title] in lines
    assert ["wrenches through the joints [N m, N]"] in lines
    at = lines.index(["g [N m | N]"])
    assert lines[at + 1] == ["state", "joint1", "joint2"]
    assert lines[at + 2] == ["0", *(f"{x:.6g}" for x in HOLDING)]
    # Wrenches are of moments and forces, motions angular and linear.
    assert ["state", "mx", "my", "mz", "fx", "fy", "fz"] in lines
    at = lines.index(["V [rad/s, m/s]"])
    assert lines[at + 1] == ["state", "ax", "ay", "az", "lx", "ly", "lz"]
    assert lines[at + 2] == ["0", "joint1", "0", "0", "-0.5", "0", "0", "0"]
    assert lines[at + 3][:5] == ["0", "joint2", "0", "0", "-0.25"]


def test_csv_has_a_column_for_every_number():
    done = run("compute", "coriolis-matrix", "energy", "base-wrench",
               "christoffel-symbols", "regressor", *STATE, "--output", "csv")
    assert done.returncode == 0, done.stderr
    row, = csv.DictReader(io.StringIO(done.stdout))
    assert len(row) == 4 + 2 + 6 + 8 + 40 + 2
    assert float(row["joint1.joint2.coriolis_matrix"]) == pytest.approx(
        CORIOLIS[0][1])
    assert float(row["joint2.joint1.coriolis_matrix"]) == pytest.approx(
        CORIOLIS[1][0])
    assert float(row["joint1.joint2.joint2.christoffel"]) == pytest.approx(-K)
    assert float(row["joint2.joint1.joint1.christoffel"]) == pytest.approx(K)
    # A mass on its own axis does not load it.
    assert float(row["joint2.joint2.m.regressor"]) == 0
    assert float(row["joint2.joint2.izz.regressor"]) == pytest.approx(
        A[0] + A[1])
    assert float(row["mz.base_wrench"]) == pytest.approx(
        planar_torques(Q, V, A)[0])
    # Columns stand in the order of the contract, results beside each other.
    names = [name.rsplit(".", 1)[-1] for name in row]
    assert list(dict.fromkeys(names)) == [
        "coriolis_matrix", "christoffel", "kinetic_energy", "potential_energy",
        "base_wrench", "regressor", "status", "message"]
    assert row["status"] == "OK"


def test_an_unknown_quantity_is_refused_with_those_that_there_are():
    done = run("compute", "energy", "gravitas", *STATE)
    assert done.returncode == USAGE and done.stdout == ""
    assert "forward-dynamics-derivatives" in done.stderr


def test_a_quantity_with_the_name_of_a_command_is_that_quantity():
    plain = run_json("mass-matrix", "-m", PLANAR, "--q", "0.3,-0.4")
    asked = run_json("compute", "mass-matrix", "-m", PLANAR, "--q", "0.3,-0.4")
    assert asked["results"] == plain["results"]


PLAIN = np.array(planar_torques(Q, V, A))
X2 = 0.4 * math.cos(-0.1)
X1 = 0.5 * math.cos(0.3) + X2  # of the tip
LIFT = np.array([10 * X1, 10 * X2])  # torques that 10 N up take off
ELBOW = np.array([0.5 * math.cos(0.3) * 5, 0])  # of 5 N up there
ALOFT = "tip:local_world_aligned=0,0,0,0,10,0"
ROWS = ALOFT + ";0,0,0,0,-20,0"
TURNED = f"0,0,0,{10 * math.sin(-0.1)!r},{10 * math.cos(-0.1)!r},0"


@pytest.mark.parametrize("wrenches, expected", [
    # Local axes are turned, and are the default.
    *(([f"{where}={TURNED}"], [PLAIN - LIFT])
      for where in ("tip", "tip:local", "")),
    # About the base's origin: the moment is given with it.
    ([f"tip:world=0,0,{10 * X1!r},0,10,0"], [PLAIN - LIFT]),
    # They add up, and may have rows of their own.
    ([ALOFT, "link2:local_world_aligned=0,0,0,0,5,0"], [PLAIN - LIFT - ELBOW]),
    ([ROWS], [PLAIN - LIFT, PLAIN + 2 * LIFT]),
    ([ROWS, ROWS], [PLAIN - 2 * LIFT, PLAIN + 4 * LIFT])])
def test_external_wrenches_take_their_torques_off(wrenches, expected):
    flags = [word for wrench in wrenches
             for word in ("--external-wrenches-on-robot", wrench)]
    tau = run_json("id", *STATE, *flags)["results"]["tau"]
    assert np.allclose(tau, expected, rtol=0, atol=1e-12)


def test_a_base_that_turns_is_a_first_joint_that_turns_more():
    tau = run_json("id", *STATE, "--base-twist", "0,0,2,0,0,0;0,0,0,0,0,0",
                   "--base-acceleration", "0,0,-3,0,0,0")["results"]["tau"]
    assert np.allclose(tau, [
        planar_torques(Q, (V[0] + turning, V[1]), (A[0] - 3, A[1]))
        for turning in (2, 0)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("wrench, problem", [
    (f"{ROWS};0,0,0,0,0,0", "the wrenches have 2 and 3 rows"),
    *((wrench, "takes FRAME[:REFERENCE]=NUMBERS")
      for wrench in ("tip", "", "tip=", "tip=1,2,3", "tip=1,2,3,4,5,6,7")),
    ("tip=1,2,3,x,5,6", "'x' is not a number"),
    ("tip=1,2,3,4,5,6;1,2", "row 1 has 2 numbers, row 0 has 6"),
    ("tip=1,2,3,4,5,6;", "a row is empty")])
def test_a_wrench_of_another_form_is_refused(wrench, problem):
    flags = [word for one in ([ROWS] if "rows" in problem else []) + [wrench]
             for word in ("--external-wrenches-on-robot", one)]
    done = run("compute", "inverse-dynamics", *STATE, *flags)
    assert done.returncode == USAGE and done.stdout == ""
    assert "--external-wrenches-on-robot" in done.stderr and problem in done.stderr


@pytest.mark.parametrize("flag, numbers", [
    ("--base-twist", "0,0,0,0,0,0"), ("--base-acceleration", "0,0,0,0,0,0"),
    ("--external-wrenches-on-robot", "tip=0,0,0,0,0,0"),
    ("--task-acceleration", "0,0,0,0,0,0"), ("--null-space-torque", "0,0")])
def test_what_nothing_uses_and_what_does_not_fit_is_refused(flag, numbers):
    done = run("compute", "mass-matrix", *STATE, flag, numbers)
    assert done.returncode == ERROR and done.stdout == ""
    assert f"INVALID_OPTION ({flag})" in done.stderr
    # Every input may have many rows; three of them do not fit to two.
    used = ("compute", "task-torque", *STATE, flag)
    if flag != "--external-wrenches-on-robot":
        done = run(*used, numbers + ",0")
        assert done.returncode == ERROR
        assert f"WRONG_COLUMN_COUNT ({flag})" in done.stderr
    row = numbers.removeprefix("tip=")
    done = run(*used, f"{numbers};{row};{row}", "--q", "1,1")
    assert done.returncode == ERROR
    assert "WRONG_ROW_COUNT" in done.stderr
