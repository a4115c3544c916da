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
    assert ["wrenches through the joints [N m, N]", "state 0"] in lines
    at = lines.index(["g [N m | N]"])
    assert lines[at + 1] == ["state", "joint1", "joint2"]
    assert lines[at + 2] == ["0", *(f"{x:.6g}" for x in HOLDING)]
    # Wrenches are of moments and forces, motions angular and linear.
    assert ["mx", "my", "mz", "fx", "fy", "fz"] in lines
    at = lines.index(["V [rad/s, m/s]", "state 0"])
    assert lines[at + 1] == ["ax", "ay", "az", "lx", "ly", "lz"]
    assert lines[at + 2] == ["joint1", "0", "0", "-0.5", "0", "0", "0"]
    assert lines[at + 3][:4] == ["joint2", "0", "0", "-0.25"]


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


def test_flags_reach_the_quantities_that_use_them():
    def moment(*extra):
        return run_json("compute", "base-wrench", *STATE,
                        *extra)["results"]["base_wrench"][0]

    still = moment()
    pulled = moment("--tip-wrench-on-environment", "0,0,0,0,10,0", "--tip-wrench-reference-frame",
                    "local_world_aligned")
    x = 0.5 * math.cos(0.3) + 0.4 * math.cos(-0.1)
    assert np.allclose(np.subtract(pulled, still), [0, 0, 10 * x, 0, 10, 0],
                       rtol=0, atol=1e-12)

    def velocity(frame):
        return run_json("compute", "frame-velocity", *STATE, "--reference-frame",
                        frame)["results"]["frame_velocity"][0]

    aligned, local = velocity("local_world_aligned"), velocity("local")
    turned = np.exp(-0.1j) * complex(*local[3:5])
    assert complex(*aligned[3:5]) == pytest.approx(turned)
    assert abs(aligned[3] - local[3]) > 1e-3
    elbow = run_json("compute", "frame-velocity", *STATE, "--tip-frame", "link2",
                     "--reference-frame", "local_world_aligned")
    assert np.allclose(
        elbow["results"]["frame_velocity"],
        [[0, 0, V[0] + V[1], -0.5 * math.sin(0.3) * V[0],
          0.5 * math.cos(0.3) * V[0], 0]], rtol=0, atol=1e-14)


def test_joints_permutes_matrices_by_name():
    wanted = ("coriolis-matrix", "link-twists", "christoffel-symbols")
    plain = run_json("compute", *wanted, *STATE)["results"]
    swapped = run_json(
        "compute", *wanted, "-m", PLANAR, *GRAVITY, "--q", "-0.4,0.3", "--v",
        "0.25,-0.5", "--a=-2,1", "--joint-names", "joint2,joint1")["results"]
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


def test_without_a_quantity_there_is_nothing_to_compute():
    done = run("compute", *STATE)
    assert done.returncode == USAGE
    assert "QUANTITIES is required" in done.stderr


@pytest.mark.parametrize("quantity", [
    "forward-dynamics", "forward-dynamics-derivatives"])
def test_missing_torques_are_named(quantity):
    done = run("compute", "energy", quantity, *STATE)
    assert done.returncode == ERROR and done.stdout == ""
    assert "MISSING_INPUT (--tau)" in done.stderr
    assert run("compute", "energy", quantity, *STATE, "--tau",
               "1,2").returncode == 0


def test_a_wrench_that_nothing_uses_is_refused():
    done = run("compute", "energy", *STATE, "--tip-wrench-on-environment", "0,0,0,0,10,0")
    assert done.returncode == ERROR
    assert "INVALID_OPTION (--tip-wrench-on-environment)" in done.stderr


def test_quantities_may_stand_behind_the_states():
    assert run_json("compute", *STATE, "energy")["rows"] == 1


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


def test_a_base_that_is_pushed_up_weighs_as_gravity_does():
    weightless = ("--gravity", "0,0,0")
    state = ("-m", PLANAR, *weightless, *STATE[4:])
    pushed = torques("--base-acceleration", "0,0,0,0,9.81,0", state=state)
    assert np.allclose(pushed, [planar_torques(Q, V, A)], rtol=0, atol=1e-13)


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


def test_gravity_may_have_a_row_for_each_state():
    assert np.allclose(
        torques("--gravity", "0,0,0"),  # behind that of STATE
        [planar_torques(Q, V, A),
         np.subtract(planar_torques(Q, V, A), HOLDING)], rtol=0, atol=1e-13)


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
            ([rows, at_elbow],
             [plain - LIFT - elbow, plain + 2 * LIFT - elbow]),
            ([at_elbow, rows],
             [plain - LIFT - elbow, plain + 2 * LIFT - elbow]),
            ([rows, rows], [plain - 2 * LIFT, plain + 4 * LIFT])):
        flags = [word for wrench in wrenches
                 for word in ("--external-wrenches-on-robot", wrench)]
        assert np.allclose(torques(*flags), expected, rtol=0, atol=1e-12)


def test_external_wrenches_may_come_from_a_file(tmp_path):
    np.save(tmp_path / "w.npy", np.array([[0, 0, 0, 0, 10.0, 0]]))
    from_file = torques("--external-wrenches-on-robot",
                        f"tip:local_world_aligned=@{tmp_path / 'w.npy'}")
    assert np.array_equal(from_file, torques("--external-wrenches-on-robot", ALOFT))


def test_the_echo_has_the_places_of_external_wrenches():
    echo = run_json(
        "compute", "inverse-dynamics", *STATE, "--external-wrenches-on-robot", ALOFT,
        "--external-wrenches-on-robot", "=1,2,3,4,5,6")["echo"]
    assert echo["external_wrenches"] == [
        {"frame": "tip",
         "reference_frame": "REFERENCE_FRAME_LOCAL_WORLD_ALIGNED"},
        {"frame": "tip", "reference_frame": "REFERENCE_FRAME_LOCAL"}]


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


def test_a_frame_that_does_not_exist_is_named_with_its_place():
    for frame in ("nowhere", "tip:sideways"):
        done = run("compute", "inverse-dynamics", *STATE, "--external-wrenches-on-robot",
                   ALOFT, "--external-wrenches-on-robot", f"{frame}=0,0,0,0,0,1")
        assert done.returncode == ERROR
        assert "UNKNOWN_FRAME (--external-wrenches-on-robot[1].frame)" in (
            done.stderr)
        assert f"'{frame}'" in done.stderr


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


TASK = ("--axes", "linear_x,linear_y", "--reference-frame", "local_world_aligned")


def test_the_torque_of_a_task_accelerates_it_as_wanted():
    wanted = "1.5,-2"
    tau, = run_json("compute", "task-torque", *STATE, *TASK,
                    "--task-acceleration", wanted)["results"]["task_torque"]
    state = ("compute", "forward-frame-acceleration", *STATE, *TASK[2:])
    caused = run_json(*state, "--tau", ",".join(map(repr, tau)))["results"][
        "forward_frame_acceleration"][0]
    assert np.allclose(caused[3:5], [1.5, -2], rtol=0, atol=1e-11)
    # A task of one axis leaves room, which other torques fill.
    one = ("compute", "task-torque", *STATE, "--axes", "linear_y", *TASK[2:],
           "--task-acceleration", "-2")
    bare, = run_json(*one)["results"]["task_torque"]
    filled, = run_json(*one, "--null-space-torque", "3,-4")["results"][
        "task_torque"]
    assert not np.allclose(bare, filled)
    for tau in (bare, filled):
        caused = run_json(*state, "--tau", ",".join(map(repr, tau)))[
            "results"]["forward_frame_acceleration"][0]
        assert caused[4] == pytest.approx(-2, abs=1e-11)


def test_powers_have_names_and_no_signs_of_zero():
    done = run("compute", "power-balance", "task-torque", *STATE, *TASK,
               "--output", "csv")
    assert done.returncode == 0, done.stderr
    row, = csv.DictReader(io.StringIO(done.stdout))
    names = ["kinetic_rate", "potential_rate", "actuators", "viscous",
             "coulomb", "tip_wrench", "external", "base"]
    assert list(row) == [
        "joint1.task_torque", "joint2.task_torque",
        *(f"{name}.power_balance" for name in names), "status", "message"]
    power = {name: row[f"{name}.power_balance"] for name in names}
    assert [power[name] for name in names[3:]] == 5 * ["0"]
    assert float(power["actuators"]) == pytest.approx(
        np.dot(planar_torques(Q, V, A), V), abs=1e-13)
    assert float(power["potential_rate"]) == pytest.approx(
        np.dot(HOLDING, V), abs=1e-13)
    table = run("compute", "power-balance", "task-torque", *STATE).stdout
    assert "task torque [N m | N]\n" in table
    assert "power balance [W]\n" in table
    assert re.search(r"^state +" + " +".join(names) + "$", table,
                     re.MULTILINE)


@pytest.fixture(scope="module", name="rusty")
def fixture_rusty(tmp_path_factory):
    """The planar arm with Coulomb friction."""
    with open(PLANAR, encoding="utf-8") as file:
        text = file.read()
    path = tmp_path_factory.mktemp("rusty") / "rusty.urdf"
    path.write_text(text.replace(
        '<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><dynamics friction="2"/>'),
        encoding="utf-8")
    return path


def test_smooth_friction_is_the_tangent_for_every_command(rusty):
    state = ("-m", rusty, *STATE[2:])
    smooth = ("--coulomb-friction", "--coulomb-smoothing", "0.5")
    expected = np.add(planar_torques(Q, V, A), 2 * np.tanh(np.divide(V, 0.5)))
    for command in (("compute", "inverse-dynamics"), ("id",)):
        answer = run_json(*command, *state, *smooth)
        assert answer["echo"]["terms"]["coulomb_smoothing"] == 0.5
        tau, = answer["results"]["tau"]
        assert np.allclose(tau, expected, rtol=0, atol=1e-13)
    assert not np.allclose(
        run_json("id", *state, "--coulomb-friction")["results"]["tau"], [tau])
    tau = ",".join(map(repr, tau))
    back = run_json("fd", *state[:-1], "--tau", tau, *smooth)
    assert np.allclose(back["results"]["a"], [A], rtol=0, atol=1e-11)
    sharp = run_json("fd", *state[:-1], "--tau", tau, "--coulomb-friction")
    assert not np.allclose(sharp["results"]["a"], [A])


@pytest.mark.parametrize("flags", [
    ("--coulomb-smoothing", "0.1"), ("--viscous-friction", "--coulomb-smoothing", "0.1"),
    ("--coulomb-friction", "--coulomb-smoothing=-1"),
    ("--coulomb-friction", "--coulomb-smoothing", "nan")])
def test_smoothing_that_has_no_meaning_is_refused(flags):
    for command in (("compute", "inverse-dynamics"), ("id",)):
        done = run(*command, *STATE, *flags)
        assert done.returncode == ERROR and done.stdout == ""
        assert "INVALID_OPTION (--coulomb-smoothing)" in done.stderr
