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


def test_several_quantities_come_in_one_answer():
    results = run_json("compute", "gravity-forces", "coriolis-matrix",
                       "mass-matrix", "inverse-dynamics", *STATE)["results"]
    assert set(results) == {"gravity", "coriolis_matrix", "mass_matrix", "tau"}
    assert np.allclose(results["gravity"], [HOLDING], rtol=0, atol=1e-13)
    assert np.allclose(results["coriolis_matrix"], [CORIOLIS], rtol=0,
                       atol=1e-15)
    assert np.allclose(results["tau"], [planar_torques(Q, V, A)], rtol=0,
                       atol=1e-13)
    M, C, g, tau = (np.array(results[name][0]) for name in (
        "mass_matrix", "coriolis_matrix", "gravity", "tau"))
    assert np.allclose(M @ A + C @ V + g, tau, rtol=0, atol=1e-13)


def test_every_quantity_of_the_contract_can_be_asked_for():
    names = re.search(r"QUANTITY (\S+) \.\.\.", help_of_compute()).group(1)
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
                  "wrench of the base on the robot [N m | N]"):
        assert [title] in lines
    assert ["wrenches through the joints [N m | N]", "state 0"] in lines
    at = lines.index(["g [N m | N]"])
    assert lines[at + 1] == ["state", "joint1", "joint2"]
    assert lines[at + 2] == ["0", *(f"{x:.6g}" for x in HOLDING)]
    # Wrenches are of moments and forces, motions angular and linear.
    assert ["mx", "my", "mz", "fx", "fy", "fz"] in lines
    at = lines.index(["twists of the links [rad/s | m/s]", "state 0"])
    assert lines[at + 1] == ["ax", "ay", "az", "lx", "ly", "lz"]
    assert lines[at + 2] == ["joint1", "0", "0", "-0.5", "0", "0", "0"]
    assert lines[at + 3][:4] == ["joint2", "0", "0", "-0.25"]


def test_csv_has_a_column_for_every_number():
    done = run("compute", "coriolis-matrix", "energy", "base-wrench",
               "christoffel-symbols", "regressor", *STATE, "--output", "csv")
    assert done.returncode == 0, done.stderr
    row, = csv.DictReader(io.StringIO(done.stdout))
    assert len(row) == 4 + 2 + 6 + 8 + 40 + 1
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
        "base_wrench", "regressor", "status"]
    assert row["status"] == "OK"


def test_flags_reach_the_quantities_that_use_them():
    def moment(*extra):
        return run_json("compute", "base-wrench", *STATE,
                        *extra)["results"]["base_wrench"][0]

    still = moment()
    pulled = moment("--wrench", "0,0,0,0,10,0", "--wrench-frame",
                    "local_world_aligned")
    x = 0.5 * math.cos(0.3) + 0.4 * math.cos(-0.1)
    assert np.allclose(np.subtract(pulled, still), [0, 0, 10 * x, 0, 10, 0],
                       rtol=0, atol=1e-12)

    def velocity(frame):
        return run_json("compute", "frame-velocity", *STATE, "--frame",
                        frame)["results"]["frame_velocity"][0]

    aligned, local = velocity("local_world_aligned"), velocity("local")
    turned = np.exp(-0.1j) * complex(*local[3:5])
    assert complex(*aligned[3:5]) == pytest.approx(turned)
    assert abs(aligned[3] - local[3]) > 1e-3
    elbow = run_json("compute", "frame-velocity", *STATE, "--tip", "link2",
                     "--frame", "local_world_aligned")
    assert np.allclose(
        elbow["results"]["frame_velocity"],
        [[0, 0, V[0] + V[1], -0.5 * math.sin(0.3) * V[0],
          0.5 * math.cos(0.3) * V[0], 0]], rtol=0, atol=1e-14)


def test_joints_permutes_matrices_by_name():
    wanted = ("coriolis-matrix", "link-twists", "christoffel-symbols")
    plain = run_json("compute", *wanted, *STATE)["results"]
    swapped = run_json(
        "compute", *wanted, "-m", PLANAR, *GRAVITY, "--q", "-0.4,0.3", "--v",
        "0.25,-0.5", "--a=-2,1", "--joints", "joint2,joint1")["results"]
    C, other = plain["coriolis_matrix"][0], swapped["coriolis_matrix"][0]
    assert [row[::-1] for row in other[::-1]] == C
    assert swapped["link_twists"][0] == plain["link_twists"][0][::-1]
    assert (np.reshape(swapped["christoffel"], (2, 2, 2))
            == np.reshape(plain["christoffel"], (2, 2, 2))[
                ::-1, ::-1, ::-1]).all()


def test_a_bad_row_is_nan_in_every_quantity():
    done = run("compute", "energy", "regressor", "-m", PLANAR, "--q",
               "0,0;nan,1", "--output", "csv")
    assert done.returncode == NO
    good, bad = csv.DictReader(io.StringIO(done.stdout))
    assert good.pop("status") == "OK"
    assert bad.pop("status") == "ROW_CODE_INVALID_INPUT"
    assert all(math.isfinite(float(text)) for text in good.values())
    assert set(bad.values()) == {"nan"}


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


def test_without_a_quantity_there_is_nothing_to_compute():
    done = run("compute", *STATE)
    assert done.returncode == USAGE
    assert "QUANTITY is required" in done.stderr


@pytest.mark.parametrize("quantity", [
    "forward-dynamics", "forward-dynamics-derivatives"])
def test_missing_torques_are_named(quantity):
    done = run("compute", "energy", quantity, *STATE)
    assert done.returncode == ERROR and done.stdout == ""
    assert "MISSING_INPUT (tau)" in done.stderr
    assert run("compute", "energy", quantity, *STATE, "--tau",
               "1,2").returncode == 0


def test_a_wrench_that_nothing_uses_is_refused():
    done = run("compute", "energy", *STATE, "--wrench", "0,0,0,0,10,0")
    assert done.returncode == ERROR
    assert "INVALID_OPTION (tip_wrench_on_environment)" in done.stderr


def test_quantities_may_stand_behind_the_states():
    assert run_json("compute", *STATE, "energy")["rows"] == 1


def test_a_quantity_with_the_name_of_a_command_is_that_quantity():
    plain = run_json("mass-matrix", "-m", PLANAR, "--q", "0.3,-0.4")
    for words in (("mass-matrix",), ("energy", "mass-matrix")):
        asked = run_json("compute", *words, "-m", PLANAR, "--q", "0.3,-0.4")
        assert asked["results"]["mass_matrix"] == (
            plain["results"]["mass_matrix"])
        assert ("kinetic_energy" in asked["results"]) == ("energy" in words)
