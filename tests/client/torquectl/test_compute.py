"""Any quantities of states, as `torquectl compute`."""

import csv
import io
import math
import re

import numpy as np
import pytest

from calls import (
    ERROR, GRAVITY, NO, PANDA, PLANAR, USAGE, planar_torques, run, run_json)

Q, V, A = (0.3, -0.4), (-0.5, 0.25), (1.0, -2.0)
STATE = ("-m", PLANAR, *GRAVITY, "--q", "0.3,-0.4", "--v", "-0.5,0.25",
         "--a=1,-2")
# The closed forms of the planar arm.
INERTIA = 1.5 * 0.5 * 0.4
K = INERTIA * math.sin(Q[1])
CORIOLIS = ((-K * V[1], -K * (V[0] + V[1])), (K * V[0], 0))
HOLDING = planar_torques(Q, (0, 0), (0, 0))


def help_of_compute():
    done = run("compute", "--help")
    assert done.returncode == 0
    return done.stdout


def test_every_quantity_of_the_contract_can_be_asked_for():
    names = re.search(r"QUANTITIES (\S+) \.\.\.", help_of_compute()).group(1)
    names = names.split("|")
    assert len(names) == 32
    answer = run_json(
        "compute", *names, "-m", PANDA, "--q", "0.1,-0.5,0.3,-2,0.2,1.5,0.7",
        "--v", "0.3,0.1,-0.2,0.4,0.1,-0.3,0.2", "--tau", "1,2,3,4,5,6,7")
    assert answer["rows_not_ok"] == 0
    shapes = {name: np.array(numbers).shape[1:] for name, numbers in
              answer["results"].items()}
    assert len(shapes) == 41 + 3  # rank, sigma_min, rule
    assert shapes["christoffel"] == (49, 7)
    assert shapes["regressor"] == (7, 70)
    assert shapes["link_twists"] == shapes["joint_wrenches"] == (7, 6)
    assert shapes["momentum_matrix"] == shapes["jacobian_rate"] == (6, 7)
    assert shapes["kinetic_energy"] == (1,)
    assert shapes["center_of_mass"] == (3,)
    assert shapes["pose"] == (3, 4)
    assert shapes["lambda"] == (6, 6)


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


def test_a_bad_row_is_nan_in_every_quantity():
    done = run("compute", "energy", "regressor", "-m", PLANAR, "--q",
               "0,0;nan,1", "--output", "csv")
    assert done.returncode == NO
    good, bad = csv.DictReader(io.StringIO(done.stdout))
    assert (good.pop("status"), good.pop("message")) == ("OK", "")
    assert bad.pop("status") == "ROW_CODE_INVALID_INPUT"
    assert bad.pop("message")
    assert all(math.isfinite(float(text)) for text in good.values())
    assert set(bad.values()) == {"nan"}


def test_each_of_many_bad_rows_has_its_code(tmp_path):
    q = np.zeros((5000, 2))
    q[::3, 1] = np.nan
    np.save(tmp_path / "q.npy", q)
    done = run("compute", "energy", "-m", PLANAR, "--q",
               f"@{tmp_path / 'q.npy'}", "--output", "csv")
    assert done.returncode == NO
    statuses = [row["status"] for row in csv.DictReader(
        io.StringIO(done.stdout))]
    assert statuses == [
        "OK" if row % 3 else "ROW_CODE_INVALID_INPUT" for row in range(5000)]


def test_an_unknown_quantity_is_answered_with_those_that_there_are():
    done = run("compute", "energy", "gravitas", *STATE)
    assert done.returncode == USAGE and done.stdout == ""
    assert "not 'gravitas'" in done.stderr
    for name in ("energy", "gravity-forces", "forward-dynamics-derivatives"):
        assert f" {name}" in done.stderr


def test_a_quantity_named_twice_is_refused():
    done = run("compute", "energy", "momentum", "energy", *STATE)
    assert done.returncode == USAGE and done.stdout == ""
    assert "energy is named twice" in done.stderr


@pytest.mark.parametrize("quantity", [
    "forward-dynamics", "forward-dynamics-derivatives"])
def test_missing_torques_are_named(quantity):
    done = run("compute", "energy", quantity, *STATE)
    assert done.returncode == ERROR and done.stdout == ""
    assert "MISSING_INPUT (--tau)" in done.stderr
    assert run("compute", "energy", quantity, *STATE, "--tau",
               "1,2").returncode == 0


def test_a_quantity_with_the_name_of_a_command_is_that_quantity():
    plain = run_json("mass-matrix", "-m", PLANAR, "--q", "0.3,-0.4")
    for words in (("mass-matrix",), ("energy", "mass-matrix")):
        asked = run_json("compute", *words, "-m", PLANAR, "--q", "0.3,-0.4")
        assert asked["results"]["mass_matrix"] == (
            plain["results"]["mass_matrix"])
        assert ("kinetic_energy" in asked["results"]) == ("energy" in words)


# --- What surrounds the robot ------------------------------------------------


def torques(*extra, state=STATE):
    """tau of every state."""
    return np.array(run_json("compute", "inverse-dynamics", *state,
                             *extra)["results"]["tau"])


def test_a_base_that_turns_is_a_first_joint_that_turns_more():
    turning = torques("--base-twist", "0,0,2,0,0,0", "--base-acceleration",
                      "0,0,-3,0,0,0")
    expected = planar_torques(Q, (V[0] + 2, V[1]), (A[0] - 3, A[1]))
    assert np.allclose(turning, [expected], rtol=0, atol=1e-12)
    # A row for each state.
    two = torques("--base-twist", "0,0,2,0,0,0;0,0,0,0,0,0")
    assert np.allclose(two, [
        planar_torques(Q, (V[0] + 2, V[1]), A), planar_torques(Q, V, A)],
        rtol=0, atol=1e-12)


X2 = 0.4 * math.cos(-0.1)
X1 = 0.5 * math.cos(0.3) + X2  # of the tip
LIFT = np.array([10 * X1, 10 * X2])  # torques that 10 N up take off
ALOFT = "tip:local_world_aligned=0,0,0,0,10,0"


def test_an_external_wrench_takes_its_torques_off():
    plain = np.array(planar_torques(Q, V, A))
    assert np.allclose(torques("--external-wrenches-on-robot", ALOFT), [plain - LIFT],
                       rtol=0, atol=1e-13)
    # Local axes are turned, and are the default.
    c, s = math.cos(-0.1), math.sin(-0.1)
    turned = f"0,0,0,{10 * s!r},{10 * c!r},0"
    for where in ("tip", "tip:local", ""):
        assert np.allclose(torques("--external-wrenches-on-robot", f"{where}={turned}"),
                           [plain - LIFT], rtol=0, atol=1e-13)
    # About the base's origin: the moment is given with it.
    assert np.allclose(
        torques("--external-wrenches-on-robot", f"tip:world=0,0,{10 * X1!r},0,10,0"),
        [plain - LIFT], rtol=0, atol=1e-13)
    assert not np.allclose(
        torques("--external-wrenches-on-robot", "tip:world=0,0,0,0,10,0"), [plain - LIFT])


def test_external_wrenches_add_up_and_may_have_rows_of_their_own():
    plain = np.array(planar_torques(Q, V, A))
    elbow = np.array([0.5 * math.cos(0.3) * 5, 0])  # of 5 N up there
    at_elbow = "link2:local_world_aligned=0,0,0,0,5,0"
    rows = ALOFT + ";0,0,0,0,-20,0"
    for wrenches, expected in (
            ([ALOFT, at_elbow], [plain - LIFT - elbow]),
            ([at_elbow, ALOFT], [plain - LIFT - elbow]),
            ([ALOFT, ALOFT], [plain - 2 * LIFT]),
            ([rows], [plain - LIFT, plain + 2 * LIFT]),
            ([rows, rows], [plain - 2 * LIFT, plain + 4 * LIFT])):
        flags = [word for wrench in wrenches
                 for word in ("--external-wrenches-on-robot", wrench)]
        assert np.allclose(torques(*flags), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("wrench, problem", [
    ("tip", "takes FRAME[:REFERENCE]=NUMBERS"),
    ("", "takes FRAME[:REFERENCE]=NUMBERS"),
    ("tip=", "takes 6 numbers"), ("tip=1,2,3", "takes 6 numbers"),
    ("tip=1,2,3,4,5,6,7", "takes 6 numbers"),
    ("tip=1,2,3,x,5,6", "'x' is not a number"),
    ("tip=1,2,3,4,5,6;1,2", "row 1 has 2 numbers, row 0 has 6"),
    ("tip=1,2,3,4,5,6;", "a row is empty")])
def test_a_wrench_of_another_form_is_refused(wrench, problem):
    done = run("compute", "inverse-dynamics", *STATE, "--external-wrenches-on-robot",
               wrench)
    assert done.returncode == USAGE and done.stdout == ""
    assert "--external-wrenches-on-robot" in done.stderr and problem in done.stderr


def test_wrenches_with_unequal_rows_are_refused():
    row = "0,0,0,0,10,0"
    done = run("compute", "inverse-dynamics", *STATE, "--external-wrenches-on-robot",
               f"tip={row};{row}", "--external-wrenches-on-robot",
               f"tip={row};{row};{row}")
    assert done.returncode == USAGE and done.stdout == ""
    assert "the wrenches have 2 and 3 rows" in done.stderr


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
