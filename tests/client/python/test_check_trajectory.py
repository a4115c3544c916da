"""Verdicts: what they say is what numpy says of the same samples, and what
torquectl says of the same file."""

import asyncio
import json
import pickle
import re
import threading
import time

import grpc
import numpy as np
import pytest
import torqued
import torqued.aio
from conftest import MODELS, same_bits
from motions import (
    PANDA, ask_torquectl, positions, run_torquectl, swinging, wide,
    with_efforts)
from servers import Restarting, details, refusing

MOTION = swinging(2500)
WRENCH = 5 * np.sin(MOTION.time[:, np.newaxis] + np.arange(6))


def torques(robot, motion, **words):
    return robot.inverse_dynamics(motion.q, motion.v, motion.a, **words)


def same(one, other):
    """Whether two verdicts agree in every bit, but for their time."""
    a, b = one.to_dict(), other.to_dict()
    for said in (a, b):
        for key in ("seconds", "trajectory"):
            del said[key]
    return a == b and one.tables.keys() == other.tables.keys() and all(
        same_bits(numbers, other.tables[name])
        for name, numbers in one.tables.items())


# --- Against numpy -----------------------------------------------------------


def positive_part(time, values):
    """Integral of the straight lines between the values, where they are above
    0: on a grid that has their zeros."""
    turns = np.flatnonzero(values[:-1] * values[1:] < 0)
    zeros = time[turns] + np.diff(time)[turns] * values[turns] / (
        values[turns] - values[turns + 1])
    grid = np.insert(time, turns + 1, zeros)
    return np.trapz(np.maximum(np.insert(values, turns + 1, 0), 0), grid)


def test_demands_are_those_of_the_samples(panda):
    verdict = panda.check_trajectory(MOTION, limits=wide())
    tau, t = torques(panda, MOTION), MOTION.time
    power, joints, columns = tau * MOTION.v, verdict.joints, np.arange(7)
    assert verdict.passes and verdict.violation_count == 0
    assert verdict.violations == () and verdict.first_violation is None
    assert (verdict.samples, verdict.duration) == (2500, t[-1] - t[0])
    assert joints.names == PANDA
    for peaks, numbers, at in (
            (joints.torque, tau, np.abs(tau).argmax(0)),
            (joints.velocity, MOTION.v, np.abs(MOTION.v).argmax(0)),
            (joints.torque_use, np.abs(tau) / 1e6, np.abs(tau).argmax(0)),
            (joints.velocity_use, np.abs(MOTION.v) / 99,
             np.abs(MOTION.v).argmax(0)),
            (joints.lowest_position, MOTION.q, MOTION.q.argmin(0)),
            (joints.highest_position, MOTION.q, MOTION.q.argmax(0)),
            (joints.lowest_power, power, power.argmin(0)),
            (joints.highest_power, power, power.argmax(0))):
        assert np.array_equal(peaks.sample, at)
        assert np.array_equal(peaks.time, t[at])
        assert np.array_equal(peaks.value, numbers[at, columns])
    assert np.allclose(joints.rms_torque, np.sqrt(
        np.trapz(tau**2, t, axis=0) / verdict.duration), rtol=1e-12, atol=0)
    assert np.allclose(joints.rms_torque_use, joints.rms_torque / 1e6,
                       rtol=1e-12, atol=0)
    for sign, energy in ((1, joints.energy_given), (-1, joints.energy_taken)):
        assert np.allclose(energy, [
            positive_part(t, sign * column) for column in power.T],
                           rtol=1e-12, atol=0)
    assert (joints.lower_limit == -9).all() and (joints.upper_limit == 9).all()
    assert (joints.velocity_limit == 99).all()
    assert (joints.torque_limit == 1e6).all()
    whole = power.sum(axis=1)
    assert verdict.highest_power.sample == whole.argmax()
    exactly = {"rel": 1e-12, "abs": 0}
    assert verdict.highest_power.value == pytest.approx(
        whole.max(), **exactly)
    assert verdict.lowest_power.sample == whole.argmin()
    assert verdict.lowest_power.value == pytest.approx(
        whole.min(), **exactly)
    assert verdict.energy_given == pytest.approx(
        joints.energy_given.sum(), **exactly)
    assert verdict.energy_taken == pytest.approx(
        joints.energy_taken.sum(), **exactly)
    assert verdict.revision == panda.revision and verdict.model == "panda"
    assert verdict.tip_frame == "panda_link8" and verdict.target
    assert verdict.trajectory is MOTION and verdict.seconds > 0
    assert verdict.path_inertia is None and verdict.derived is None


def test_violations_are_where_numpy_sees_them(panda):
    tau = torques(panda, MOTION)
    efforts = np.abs(tau).max(axis=0) * [0.9, 2, 0.7, 2, 2, 0.99, 2]
    limits = with_efforts(efforts)
    limits[PANDA[4]]["velocity"] = 0.8 * np.abs(MOTION.v[:, 4]).max()
    limits[PANDA[6]]["lower"] = MOTION.q[:, 6].min() + 0.01
    verdict = panda.check_trajectory(MOTION, limits=limits)
    kinds = torqued.LimitKind
    over = {kinds.TORQUE: np.abs(tau) > efforts,
            kinds.VELOCITY: np.abs(MOTION.v) > [
                limits[joint]["velocity"] for joint in PANDA],
            kinds.POSITION: MOTION.q < [
                limits[joint]["lower"] for joint in PANDA]}
    listed = {kind: np.zeros_like(broken) for kind, broken in over.items()}
    assert not verdict.passes
    assert verdict.violation_count == len(verdict.violations)
    for kind in kinds:
        counts = getattr(verdict.joints, kind.name.lower() + "_violations")
        assert counts.tolist() == [sum(
            (violation.kind, violation.joint) == (kind, joint)
            for violation in verdict.violations) for joint in PANDA]
    severities = [violation.severity for violation in verdict.violations]
    assert severities == sorted(severities, reverse=True)
    gravest = verdict.violations[0]
    assert gravest.joint == PANDA[2] and gravest.kind is kinds.TORQUE
    assert gravest.severity == pytest.approx(1 / 0.7)
    assert gravest.limit == efforts[2]
    for violation in verdict.violations:
        j = PANDA.index(violation.joint)
        rows = slice(violation.first_sample, violation.last_sample + 1)
        listed[violation.kind][rows, j] = True
        assert violation.samples == over[violation.kind][rows, j].sum()
        assert violation.begin == MOTION.time[violation.first_sample]
        assert violation.end == MOTION.time[violation.last_sample]
        if violation.kind is kinds.TORQUE:
            assert violation.worst.value == tau[violation.worst.sample, j]
    for kind, broken in over.items():
        assert broken.any() and np.array_equal(listed[kind], broken)
    first = min(np.argmax(broken.any(axis=1)) for broken in over.values())
    assert verdict.first_violation.first_sample == first
    assert "panda_joint3" in str(verdict) and "fails" in repr(verdict)
    merged = panda.check_trajectory(MOTION, limits=limits, merge_gap=99)
    assert merged.violation_count == 5 < verdict.violation_count


def test_the_largest_payload_just_passes(panda):
    limits = with_efforts(1.5 * np.abs(torques(panda, MOTION)).max(axis=0))
    payload = panda.check_trajectory(MOTION, limits=limits).payload
    assert payload.possible and payload.least == 0
    efforts = [limits[joint]["effort"] for joint in PANDA]

    def over(mass):
        """By how much, and where."""
        tau = torques(panda, MOTION, payload=torqued.Payload(mass))
        use = np.abs(tau) / efforts
        return use.max() - 1, np.unravel_index(use.argmax(), use.shape)

    excess, (row, j) = over(payload.most)
    assert abs(excess) < 1e-12
    assert payload.limited_by.joint == PANDA[j]
    assert payload.limited_by.sample == row
    assert payload.limited_by.time == MOTION.time[row]
    for factor, passes in ((1 - 1e-9, True), (1 + 1e-9, False)):
        mass = payload.most * factor
        assert (over(mass)[0] <= 0) == passes
        assert panda.check_trajectory(
            MOTION, limits=limits,
            payload=torqued.Payload(mass)).passes == passes


def test_slowed_down_it_just_passes(panda):
    tau = torques(panda, MOTION)
    limits = with_efforts(np.abs(tau).max(axis=0) * [
        2, 0.95, 2, 0.97, 2, 2, 2])
    slow_down = panda.check_trajectory(MOTION, limits=limits).slow_down
    assert slow_down.possible and slow_down.factor > 1
    efforts = [limits[joint]["effort"] for joint in PANDA]
    slower = MOTION.slower(slow_down.factor)
    use = np.abs(torques(panda, slower)) / efforts
    assert abs(use.max() - 1) < 1e-12
    assert slow_down.limited_by.sample == use.argmax() // 7
    assert slow_down.limited_by.joint == PANDA[use.argmax() % 7]
    for factor, passes in ((1 + 1e-9, True), (1 - 1e-9, False)):
        paced = MOTION.slower(slow_down.factor * factor)
        assert paced.duration == pytest.approx(
            MOTION.duration * slow_down.factor)
        assert panda.check_trajectory(
            paced, limits=limits).passes == passes


def test_tables_are_those_of_the_functions(panda):
    names = ["tau", "v", "a", "path_a", "path_b", "path_c", "path_d",
             "path_e", "sigma_min", "condition", "torque_limit"]
    verdict = panda.check_trajectory(
        MOTION, tables=names, task=True, viscous_friction=True,
        coulomb_friction=True, limits=wide(
            viscous_friction=0.3, coulomb_friction=0.7,
            torque_at_speed=[(0.5, 90), (1.5, 50)]), derating=0.5)
    tables, q, v, a = verdict.tables, MOTION.q, MOTION.v, MOTION.a
    assert list(tables) == names
    gravity = panda.gravity_forces(q)
    bias = panda.coriolis_forces(q, v)
    inertial = np.einsum("kij,kj->ki", panda.mass_matrix(q), a)
    for name, expected in (
            ("v", v), ("a", a), ("path_b", inertial + bias),
            ("path_a", np.einsum("kij,kj->ki", panda.mass_matrix(q), v)),
            ("path_c", gravity), ("path_d", 0.3 * v),
            ("path_e", 0.7 * np.sign(v)),
            ("torque_limit",
             0.5 * np.interp(np.abs(v), [0.5, 1.5], [90, 50])),
            ("tau", inertial + bias + gravity + 0.3 * v + 0.7 * np.sign(v)),
            ("sigma_min", panda.operational_space(
                q, sigma_min=True, on_bad_row="mask").sigma_min)):
        assert tables[name].shape == expected.shape
        assert np.abs(tables[name] - expected).max() < 1e-11, name
    sigma, condition = tables["sigma_min"], tables["condition"]
    assert verdict.path_inertia.sigma_min == torqued.Peak(
        sigma.argmin(), MOTION.time[sigma.argmin()], sigma.min())
    assert verdict.path_inertia.condition.value == condition.max()
    assert panda.check_trajectory(MOTION).tables == {}


def test_options_are_those_of_the_other_functions(panda):
    words = {"gravity": [9.81, 0, 0], "payload": torqued.Payload(2),
             "tip_wrench_frame": "world", "tip_wrench": WRENCH}
    expected = torques(panda, MOTION, **words)
    assert same_bits(panda.check_trajectory(
        MOTION, tables=["tau"], **words).tables["tau"], expected)
    words.pop("tip_wrench")
    bound = panda.with_options(**words, fail_fast=True, on_bad_row="raise")
    with_wrench = torqued.Trajectory(
        MOTION.time, MOTION.q, MOTION.v, MOTION.a, tip_wrench=WRENCH)
    assert same_bits(bound.check_trajectory(
        with_wrench, tables="tau").tables["tau"], expected)
    one = panda.check_trajectory(
        MOTION, tip_wrench=WRENCH[7], tables=["tau"]).tables["tau"]
    assert same_bits(one, torques(panda, MOTION, tip_wrench=WRENCH[7]))


def test_limits_and_drives_take_the_place_of_the_models(panda):
    model = panda.check_trajectory(MOTION, tables=["tau"])
    assert list(model.joints.torque_limit) == [87] * 4 + [12] * 3
    assert np.array_equal(model.joints.upper_limit, panda.upper_limits)
    changed = panda.check_trajectory(
        MOTION, tables=["tau"], derating=0.5, limits={
            PANDA[3]: {"effort": np.float64(40),
                       "torque_at_speed": [(0.5, 30), (2, 10)]},
            PANDA[2]: {"armature": 0.25}})
    assert list(changed.joints.torque_limit) == [
        43.5, 43.5, 43.5, 15, 6, 6, 6]
    expected = model.tables["tau"].copy()
    expected[:, 2] += 0.25 * MOTION.a[:, 2]
    assert np.abs(changed.tables["tau"] - expected).max() < 1e-12
    speed = np.abs(MOTION.v[:, 3])
    limit = 0.5 * np.minimum(40, np.interp(speed, [0.5, 2], [30, 10]))
    use = np.abs(expected[:, 3]) / limit
    assert changed.joints.torque_use.value[3] == pytest.approx(use.max())
    assert changed.joints.torque_use.sample[3] == use.argmax()


def test_where_there_is_no_limit_there_is_no_use(client):
    free = (MODELS / "panda.urdf").read_text().replace(
        'type="revolute"', 'type="continuous"', 1)
    robot = client.register("free", re.sub("<limit .*?/>", "", free, count=1))
    joints = robot.check_trajectory(MOTION).joints
    assert joints.upper_limit[0] == np.inf == -joints.lower_limit[0]
    assert np.isfinite(joints.upper_limit[1:]).all()
    unlimited = np.isinf(joints.torque_limit)
    assert list(unlimited) == [True] + [False] * 6
    assert np.array_equal(np.isnan(joints.torque_use.value), unlimited)
    assert np.array_equal(joints.torque_use.sample == -1, unlimited)
    assert np.array_equal(np.isnan(joints.rms_torque_use), unlimited)


def test_rates_are_derived_from_positions(panda):
    for choice, worst in (("cubic", 1e-2), ("QUINTIC", 1e-5)):
        words = {"derive": choice, "tables": ["v", "a"]}
        verdict = panda.check_trajectory(positions(MOTION), **words)
        kind = torqued.Differentiation[choice.upper()]
        assert verdict.derived is kind
        assert np.abs(verdict.tables["v"] - MOTION.v).max() < worst
        assert np.abs(verdict.tables["a"] - MOTION.a).max() < worst
        # Rates that are there do not count.
        assert same(panda.check_trajectory(MOTION, **words), verdict)
        assert same(panda.check_trajectory(MOTION, derive=kind,
                                           tables=["v", "a"]), verdict)


def test_columns_are_matched_by_name(panda):
    order = [4, 1, 6, 0, 5, 2, 3]
    names = [PANDA[k] for k in order]
    turned = torqued.Trajectory(
        MOTION.time, *(part[:, order] for part in (
            MOTION.q, MOTION.v, MOTION.a)), joint_names=names)
    plain = panda.check_trajectory(MOTION, tables=["tau"])
    assert same(panda.check_trajectory(turned, tables=["tau"]), plain)
    other = panda.with_options(joint_names=names)
    for motion in (turned, MOTION, torqued.Trajectory(
            turned.time, turned.q, turned.v, turned.a)):
        verdict = other.check_trajectory(motion, tables=["tau"])
        assert verdict.joints.names == tuple(names)
        assert same_bits(verdict.tables["tau"],
                         plain.tables["tau"][:, order].copy())


def test_only_rates_that_count_are_read(panda, tmp_path):
    expected = panda.check_trajectory(positions(MOTION), derive="cubic",
                                      tables=["v", "a"])
    lines = [line.split(",") for line in written_lines(MOTION, tmp_path)]
    dropped = lines[0].index(f"{PANDA[3]}.v")
    path = tmp_path / "some.csv"
    path.write_text("\n".join(",".join(
        cell for column, cell in enumerate(cells) if column != dropped)
        for cells in lines))
    verdict = panda.check_trajectory(path, derive="cubic", tables=["v", "a"])
    assert same(verdict, expected) and verdict.trajectory.v is None
    assert f"{PANDA[0]}.v" in verdict.trajectory.unused
    with pytest.raises(torqued.FileError) as caught:
        panda.check_trajectory(path)
    assert caught.value.joint == PANDA[3]
    message = json.loads(written(MOTION, tmp_path / "move.json").read_text())
    del message["points"][3]["velocities"]
    (tmp_path / "some.json").write_text(json.dumps(message))
    np.savez(tmp_path / "some.npz", time=MOTION.time, q=MOTION.q,
             v=MOTION.v[:9], a=np.array(["no", "numbers"]),
             joint_names=np.array(PANDA))
    for name in ("some.json", "some.npz"):
        assert same(panda.check_trajectory(
            tmp_path / name, derive="cubic", tables=["v", "a"]), expected)
        with pytest.raises(torqued.FileError):
            panda.check_trajectory(tmp_path / name)
    plain = torqued.Trajectory(MOTION.time, MOTION.q, MOTION.v, MOTION.a)
    plain.write(tmp_path / "plain.csv")
    assert same(panda.check_trajectory(
        torqued.Trajectory.read(tmp_path / "plain.csv", PANDA),
        derive="cubic", tables=["v", "a"]), expected)


def written(motion, path):
    motion.write(path)
    return path


def written_lines(motion, tmp_path):
    return written(motion, tmp_path / "lines.csv").read_text().splitlines()


FINGERS = swinging(50, joints=("finger_1", *PANDA, "finger_2"))
HAND_ALONE = FINGERS.in_order(PANDA)


@pytest.mark.parametrize("name", [
    "", "move.csv", "move.npz", "move.yaml", "move.json"])
def test_joints_that_are_not_the_robots_are_left_out(client, panda, tmp_path,
                                                     name):
    assert {"finger_1", "finger_2"} == set(HAND_ALONE.unused)
    given = written(FINGERS, tmp_path / name) if name else FINGERS
    expected = panda.check_trajectory(HAND_ALONE, tables=["tau"])
    with pytest.warns(torqued.LeftOutWarning,
                      match="finger_1, finger_2") as caught:
        verdict = panda.check_trajectory(given, tables=["tau"])
    assert same(verdict, expected) and len(caught) == 1
    assert caught[0].filename == __file__ and name in str(caught[0].message)

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            return await robot.check_trajectory(given, tables=["tau"])

    with pytest.warns(torqued.LeftOutWarning) as caught:
        assert same(asyncio.run(compute()), expected)
    assert caught[0].filename == __file__
    if name:
        assert ask_torquectl(client, given)[1]["joints"] == (
            expected.to_dict()["joints"])


def test_a_joint_of_a_csv_that_is_left_out_needs_no_rates(panda, tmp_path):
    lines = written_lines(HAND_ALONE, tmp_path)
    path = tmp_path / "move.csv"
    path.write_text("\n".join([lines[0] + ",finger.q"] + [
        line + ",0.04" for line in lines[1:]]))
    with pytest.warns(torqued.LeftOutWarning, match="move.csv.*: finger$"):
        verdict = panda.check_trajectory(path)
    assert verdict.trajectory.unused == ("finger.q",)


# --- Against torquectl -------------------------------------------------------


@pytest.mark.parametrize("words, flags", [
    ({}, []),
    ({"payload": torqued.Payload(3), "task": True, "viscous_friction": True},
     ["--payload", "3", "--task", "--viscous"]),
    ({"derive": "quintic", "derating": 0.2, "merge_gap": 0.1},
     ["--derive", "quintic", "--derate", "0.2", "--gap", "0.1"]),
    ({"gravity": [9.81, 0, 0], "precision": "single"},
     ["--gravity", "9.81,0,0", "--precision", "single"]),
    ({"tip_wrench": [0, 1, 0, 2, 0, 30], "tip_wrench_frame": "world",
      "tip_frame": "panda_link7"},
     ["--wrench", "0,1,0,2,0,30", "--wrench-frame", "world", "--tip",
      "panda_link7"]),
    ({"limits": True}, ["--limits"])])
def test_the_verdict_is_that_of_torquectl(client, panda, tmp_path, words,
                                          flags):
    move = tmp_path / "move.csv"
    MOTION.write(move)
    if "limits" in words:
        path = tmp_path / "limits.json"
        path.write_text(json.dumps({PANDA[1]: {
            "effort": 30, "torque_at_speed": [[0, 30], [2, 10]],
            "armature": 0.1}}))
        words, flags = {"limits": path}, [*flags, str(path)]
    verdict = panda.check_trajectory(move, **words)
    code, expected = ask_torquectl(client, move, *flags)
    said = verdict.to_dict()
    assert said.pop("seconds") > 0 and expected.pop("seconds") > 0
    assert "wrench_frame" in expected.pop("inputs")  # of its flags
    # What is as it would be without it, one leaves out and the other says.
    asked, other = said.pop("asked"), expected.pop("asked")
    assert said == expected and said["echo"]["server_version"]
    assert said["echo"]["revision"] == panda.revision
    for name in ("model", "bounds", "drives", "derating", "merge_gap",
                 "derive"):
        assert asked[name] == other[name], name
    assert asked["options"]["joint_names"] == list(PANDA)
    assert verdict.asked.derating == words.get("derating", 1)
    assert code == (0 if verdict.passes else 2)
    assert json.loads(verdict.to_json())["violations"] == expected["violations"]
    summary = tmp_path / "summary.json"
    summary.write_text(verdict.to_json())
    code, report = run_torquectl("trajectory", "compare", summary, summary)
    assert code == 0 and not report["worse"]


# Times of the motion, and others.
PROFILE = np.column_stack([
    np.sort(np.append(MOTION.time[::50], np.linspace(0.001, 4, 77))),
    np.random.default_rng(5).uniform(-5, 5, (127, 6))])
HEADER = "time,mx,my,mz,fx,fy,fz"


def write_profile(path, header=HEADER, table=PROFILE):
    np.savetxt(path, table, "%.17g", ",", header=header, comments="")
    return path


def test_a_profile_of_wrenches(client, panda, tmp_path):
    path = write_profile(tmp_path / "push.csv")
    MOTION.write(tmp_path / "move.csv")
    verdict = panda.check_trajectory(
        tmp_path / "move.csv", tip_wrench=path, tables=["tau"])
    wrench = np.column_stack([
        np.interp(MOTION.time, PROFILE[:, 0], PROFILE[:, k])
        for k in range(1, 7)])
    assert np.abs(verdict.tables["tau"] - torques(
        panda, MOTION, tip_wrench=wrench)).max() < 1e-12
    said, expected = verdict.to_dict(), ask_torquectl(
        client, tmp_path / "move.csv", "--wrench-profile", str(path))[1]
    for name in ("joints", "payload", "slow_down"):
        assert said[name] == expected[name]
    turned = PROFILE[:, ::-1]
    np.save(tmp_path / "push.npy", PROFILE)
    for other in (
            tmp_path / "push.npy",
            write_profile(tmp_path / "turned.csv", "fz,fy,fx,mz,my,mx,time",
                          turned),
            write_profile(tmp_path / "plain.csv", "")):
        assert same(panda.check_trajectory(
            MOTION, tip_wrench=str(other), tables=["tau"]), verdict)


def spoilt_profile(row, column, number):
    table = PROFILE.copy()
    table[row, column] = number
    return table


@pytest.mark.parametrize("header, table, line, column, word", [
    (HEADER, PROFILE[:9], None, "",
     f"sample {np.argmax(MOTION.time > PROFILE[8, 0])} is"),
    (HEADER, PROFILE[9:], None, "", "sample 0 is"),
    (HEADER, spoilt_profile(3, 2, np.nan), 5, "my", "finite"),
    (HEADER, spoilt_profile(3, 0, 0), 5, "time", "increase"),
    (HEADER.replace("mz", "m"), PROFILE, None, "mz", "no column"),
    (HEADER.replace("mz", "my"), PROFILE, None, "my", "two columns"),
    ("", PROFILE[:, 1:], None, "", "6 columns")])
def test_a_profile_that_cannot_be_used(panda, tmp_path, header, table, line,
                                       column, word):
    path = write_profile(tmp_path / "push.csv", header, table)
    with pytest.raises(torqued.FileError, match="push.csv") as caught:
        panda.check_trajectory(MOTION, tip_wrench=path)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert word in str(caught.value)
    with pytest.raises(torqued.FileError, match="neither"):
        panda.check_trajectory(MOTION, tip_wrench=tmp_path / "push.txt")


@pytest.mark.parametrize("name", ["move.npz", "move.yaml", "move.json"])
def test_both_read_what_the_other_writes(client, panda, tmp_path, name):
    ours, theirs = tmp_path / name, tmp_path / ("other_" + name)
    MOTION.write(ours)
    expected = panda.check_trajectory(MOTION, tables=["tau"])
    _, said = ask_torquectl(client, ours, "--torques", str(theirs))
    wanted = expected.to_dict()
    for answer in (said, wanted):
        for key in ("seconds", "trajectory", "asked"):
            del answer[key]
    del said["inputs"]
    assert said == wanted
    read = torqued.Trajectory.read(theirs)
    assert read.joint_names == PANDA
    for part in ("time", "q", "v", "a"):
        assert same_bits(getattr(read, part), getattr(MOTION, part)), part


def test_torques_are_written_as_torquectl_writes_them(client, panda, tmp_path):
    move = tmp_path / "move.csv"
    MOTION.write(move)
    verdict = panda.check_trajectory(move, tables=["tau"])
    for name in ("tau.csv", "tau.npy"):
        ours, theirs = tmp_path / name, tmp_path / ("other_" + name)
        verdict.write_torques(ours)
        ask_torquectl(client, move, "--torques", str(theirs))
        if name.endswith("npy"):
            assert same_bits(np.load(ours), np.load(theirs))
            continue
        assert ours.open().readline() == theirs.open().readline()
        assert same_bits(*(np.loadtxt(path, delimiter=",", skiprows=1)
                           for path in (ours, theirs)))
    verdict.write_torques(tmp_path / "tau.npz")
    with np.load(tmp_path / "tau.npz") as arrays:
        assert same_bits(arrays["tau"], verdict.tables["tau"])
        assert same_bits(arrays["q"], MOTION.q)
        assert tuple(arrays["joint_names"]) == PANDA
    verdict.write_torques(tmp_path / "tau.json")
    message = json.loads((tmp_path / "tau.json").read_text())
    assert same_bits(np.array([point["effort"] for point in message["points"]]),
                     verdict.tables["tau"])
    back = torqued.Trajectory.read(tmp_path / "tau.json")
    assert same_bits(back.q, MOTION.q) and same_bits(back.a, MOTION.a)
    with pytest.raises(torqued.InvalidArgument, match="tables"):
        panda.check_trajectory(move).write_torques(tmp_path / "x.csv")
    with pytest.raises(torqued.InvalidArgument, match="ends in none"):
        verdict.write_torques(tmp_path / "tau.txt")


# --- Both kinds of client, messages, failures --------------------------------


def test_without_blocking_it_is_the_same(client, panda, tmp_path):
    MOTION.write(tmp_path / "move.npz")
    words = {"task": True, "tables": ["tau", "condition"], "derating": 0.3}

    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot = await waiting.model("panda")
            told = []
            with pytest.raises(torqued.FileError):
                await robot.check_trajectory(tmp_path / "move.txt")
            return told, await asyncio.gather(
                robot.check_trajectory(
                    MOTION, progress=lambda *step: told.append(step), **words),
                robot.check_trajectory(tmp_path / "move.npz", **words))

    told, verdicts = asyncio.run(compute())
    expected = panda.check_trajectory(MOTION, **words)
    assert all(same(verdict, expected) for verdict in verdicts)
    assert told[-1] == (2500, 2500)


def test_however_the_samples_are_cut_it_is_the_same(client, panda):
    motion = swinging(20_000, seed=3)
    words = {"derating": 0.3, "tables": ["tau", "path_b"]}
    expected = panda.check_trajectory(motion, **words)
    assert not expected.passes
    # 1 MiB is what replies need.
    with refusing(client.address) as (address, handler):
        with torqued.connect(address, max_message_bytes=1 << 20) as narrow:
            assert same(narrow.model("panda").check_trajectory(
                motion, **words), expected)
    # None was too large.
    assert handler.calls.count("CheckTrajectory") == 1


def test_smaller_messages_are_sent_where_the_server_takes_no_others(panda):
    motion = swinging(20_000, seed=4)
    with torqued.local([MODELS / "panda.urdf"], arguments=[
            "--max-message-bytes", str(64 << 10)]) as client:
        verdict = client.model("panda").check_trajectory(motion)
    assert same(verdict, panda.check_trajectory(motion))


def test_pickled_it_is_the_same(panda):
    verdict = panda.check_trajectory(MOTION, derating=0.3, tables=["tau"])
    again = pickle.loads(pickle.dumps(verdict))
    assert same(again, verdict) and again.violations == verdict.violations


class Bar:
    def __init__(self):
        self.total, self.n = None, 0

    def update(self, n):
        assert n > 0
        self.n += n


def test_progress_reaches_the_end(panda):
    bar, told = Bar(), []
    motion = swinging(100_000)
    panda.check_trajectory(motion, progress=bar)
    assert bar.n == bar.total == 100_000
    panda.check_trajectory(motion, progress=lambda *step: told.append(step))
    done = [step[0] for step in told]
    assert len(done) > 2 and done == sorted(set(done))
    assert {step[1] for step in told} == {100_000} and done[-1] == 100_000


def fail(done, total):
    raise RuntimeError("enough")


def test_a_failing_progress_ends_the_check(client):
    with refusing(client.address) as (address, handler):
        with torqued.connect(address) as through:
            robot = through.model("panda")
            # The failure, which is kept, keeps the call.
            with pytest.raises(RuntimeError, match="enough") as caught:
                robot.check_trajectory(swinging(400_000), progress=fail)
            assert handler.stream_ended.wait(10)
            assert handler.cut_short and caught.traceback
            assert robot.check_trajectory(MOTION).samples == 2500


def test_without_blocking_it_does_too(client):
    async def compute(address, handler):
        async with torqued.aio.connect(address) as through:
            robot = await through.model("panda")
            with pytest.raises(RuntimeError, match="enough") as caught:
                await robot.check_trajectory(swinging(400_000), progress=fail)
            assert await asyncio.to_thread(handler.stream_ended.wait, 10)
            assert handler.cut_short and caught.traceback

    with refusing(client.address) as through:
        asyncio.run(asyncio.wait_for(compute(*through), 60))


def test_a_server_that_is_killed_is_asked_again(tmp_path):
    server = Restarting(tmp_path, MODELS)
    # More than what the transport has at a time.
    motion, tables = swinging(300_000), ["tau", "path_a"]
    kills, retried, told = [], [], []

    def kill(done, total):
        told.append(done)
        if not kills:
            kills.append(done)
            server.kill()
            server.start()

    try:
        with torqued.connect(server.address, on_retry=lambda *what:
                             retried.append(what)) as client:
            robot = client.model("panda")
            verdict = robot.check_trajectory(
                motion, tables=tables, progress=kill)
            assert same(robot.check_trajectory(motion, tables=tables), verdict)
    finally:
        server.stop()
    assert kills and isinstance(retried[0][0], torqued.Unavailable)
    # Told from the start again, but nothing twice.
    assert told == sorted(set(told)) and told[-1] == 300_000


OVERLOADED = details(
    grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", retry_seconds=0.2)
TOO_LARGE = details(
    grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")


def test_what_passes_is_waited_for(client, panda):
    with refusing(client.address,
                  (grpc.StatusCode.RESOURCE_EXHAUSTED, OVERLOADED, 0),
                  (grpc.StatusCode.UNAVAILABLE, None, 0)) as (address, handler):
        told = []
        with torqued.connect(
                address, on_retry=lambda *what: told.append(what)) as through:
            verdict = through.model("panda").check_trajectory(MOTION)
    assert same(verdict, panda.check_trajectory(MOTION))
    assert handler.calls.count("CheckTrajectory") == 3
    assert isinstance(told[0][0], torqued.Overloaded) and told[0][1] >= 0.2
    assert isinstance(told[1][0], torqued.Unavailable)


def test_what_does_not_pass_is_told_at_once(client):
    with refusing(client.address,
                  (grpc.StatusCode.RESOURCE_EXHAUSTED, TOO_LARGE, 0)) as (
                      address, handler):
        with torqued.connect(address) as through:
            with pytest.raises(torqued.RequestTooLarge):
                through.model("panda").check_trajectory(MOTION)
    assert handler.calls.count("CheckTrajectory") == 1


def test_a_deadline_ends_the_check(panda):
    begin = time.monotonic()
    with pytest.raises(torqued.DeadlineExceeded):
        panda.check_trajectory(swinging(200_000), task=True, deadline=0.05)
    assert time.monotonic() - begin < 5


def test_a_cancelled_task_ends_its_check(client):
    async def compute():
        async with torqued.aio.connect(client.address) as waiting:
            robot, begun = await waiting.model("panda"), threading.Event()
            task = asyncio.create_task(robot.check_trajectory(
                swinging(200_000), task=True,
                progress=lambda done, total: begun.set()))
            while not begun.is_set():
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await robot.check_trajectory(MOTION)).samples == 2500

    asyncio.run(asyncio.wait_for(compute(), 60))


# --- What cannot be checked --------------------------------------------------


BAD_OPTIONS = {
    "limit of a joint that there is not": (
        {"limits": {PANDA[1]: {"effort": 5}, "elbow": {"effort": 1}}},
        "INVALID_OPTION", "start.bounds[1].joint", "elbow"),
    "negative effort": (
        {"limits": {PANDA[3]: {"effort": -1}}},
        "INVALID_OPTION", "start.bounds[0].effort", PANDA[3]),
    "negative armature": (
        {"limits": {PANDA[2]: {"armature": -1}}},
        "INVALID_OPTION", "start.drives[0].armature", PANDA[2]),
    "speeds that fall": (
        {"limits": {PANDA[2]: {"torque_at_speed": [(2, 1), (1, 1)]}}},
        "INVALID_OPTION", "start.bounds[0].speeds", PANDA[2]),
    "no member": (
        {"limits": {PANDA[2]: {"torque": 1}}},
        "INVALID_OPTION", "limits['panda_joint3']", PANDA[2]),
    "no number": (
        {"limits": {PANDA[2]: {"effort": "87"}}},
        "INVALID_OPTION", "limits['panda_joint3'].effort", PANDA[2]),
    "a joint without a name": (
        {"limits": {"": {"effort": 3}}}, "INVALID_OPTION", "limits['']", ""),
    "a joint that there is not, without members": (
        {"limits": {"elbow": {}}}, "INVALID_OPTION", "limits['elbow']",
        "elbow"),
    "a curve of nothing": (
        {"limits": {PANDA[2]: {"torque_at_speed": []}}},
        "INVALID_OPTION", "limits['panda_joint3'].torque_at_speed", PANDA[2]),
    "no pairs": (
        {"limits": {PANDA[2]: {"torque_at_speed": [1, 2]}}},
        "INVALID_OPTION", "limits['panda_joint3'].torque_at_speed", PANDA[2]),
    "no members": ({"limits": {PANDA[2]: 87}},
                   "INVALID_OPTION", "limits['panda_joint3']", PANDA[2]),
    "derating": ({"derating": 1.5}, "INVALID_OPTION", "start.derating", ""),
    "no derating": ({"derating": 0}, "INVALID_OPTION", "start.derating", ""),
    "words for a derating": (
        {"derating": "half"}, "INVALID_OPTION", "derating", ""),
    "gap": ({"merge_gap": -1}, "INVALID_OPTION", "start.merge_gap", ""),
    "derive": ({"derive": "linear"}, "INVALID_OPTION", "derive", ""),
    "table": ({"tables": ["tau", "torque"]}, "INVALID_FIELD", "tables[1]", ""),
    "table twice": (
        {"tables": ["tau", "tau"]}, "INVALID_FIELD", "start.tables[1]", ""),
    "table of no task": (
        {"tables": ["condition"]}, "INVALID_FIELD", "start.tables[0]", ""),
    "tip frame": ({"tip_frame": "nowhere"}, "UNKNOWN_FRAME",
                  "start.options.tip_frame", ""),
    "wrench": ({"tip_wrench": [1, 2, 3]}, "WRONG_COLUMN_COUNT", "tip_wrench",
               ""),
    "wrenches": ({"tip_wrench": WRENCH[:9]}, "WRONG_ROW_COUNT", "tip_wrench",
                 ""),
    "gravity": ({"gravity": "down"}, "INVALID_OPTION",
                "options.terms.gravity", "")}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_an_option_that_cannot_be_used_is_named(panda, name):
    words, reason, field, joint = BAD_OPTIONS[name]
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(MOTION, **words)
    error = caught.value
    assert (error.reason.name, error.field, error.joint) == (
        reason, field, joint)


def test_other_keywords_are_refused(panda):
    for word in ("external_wrenches", "on_bad_row", "deratting"):
        with pytest.raises(TypeError, match=word):
            panda.check_trajectory(MOTION, **{word: None})


@pytest.mark.parametrize("motion, reason, field, joint", [
    (positions(MOTION), "MISSING_INPUT", "v", ""),
    (torqued.Trajectory(MOTION.time, MOTION.q, MOTION.v), "MISSING_INPUT", "a",
     ""),
    (torqued.Trajectory(MOTION.time, MOTION.q[:, 1:], MOTION.v[:, 1:],
                        MOTION.a[:, 1:]),
     "WRONG_COLUMN_COUNT", "samples.q", ""),
    (swinging(9, joints=PANDA[:6]), "WRONG_JOINT_NAMES", "joint_names",
     PANDA[6])])
def test_a_trajectory_of_another_robot_is_refused(panda, motion, reason, field,
                                                  joint):
    with pytest.raises(torqued.InvalidArgument) as caught:
        panda.check_trajectory(motion)
    error = caught.value
    assert (error.reason.name, error.field, error.joint) == (
        reason, field, joint)


def test_two_wrenches_are_refused(panda):
    motion = swinging(9, tip_wrench=np.zeros(6))
    with pytest.raises(torqued.InvalidArgument, match="of its own"):
        panda.check_trajectory(motion, tip_wrench=np.zeros(6))


@pytest.mark.parametrize("text, where, joint", [
    ("{", "line", ""), ("[]", "object", ""), ('{"a": 1}', "'a'", "a"),
    ('{"": {"effort": 3}}', "''", ""), ('{"a": {}}', "no joint", "a"),
    ('{"%s": {}}' % ("a" * 200), "no joint", "a" * 200),
    ('{"panda_joint1": {"torque_at_speed": []}}', "no pair", "panda_joint1"),
    ('{"a": {"effort": true}}', "effort is not a number", "a"),
    ('{"a": {"efort": 1}}', "efort", "a"),
    ('{"a": {}, "b": {}, "a": {}}', "'a' stands there twice", ""),
    ('{"a": {"effort": 1, "effort": 2}}', "'effort' stands there twice", ""),
    ('{"a": {"torque_at_speed": [[1]]}}', "pairs", "a"),
    ("[" * 100_000, "JSON", "")])
def test_a_file_of_limits_that_cannot_be_used_is_named(panda, tmp_path, text,
                                                       where, joint):
    path = tmp_path / "limits.json"
    path.write_text(text)
    with pytest.raises(torqued.FileError, match="limits.json") as caught:
        panda.check_trajectory(MOTION, limits=path)
    if where == "line":
        assert caught.value.line == 1
    else:
        assert where in str(caught.value)
    assert caught.value.joint == joint


def test_a_robot_without_joints_keeps_all_limits(client):
    robot = client.register(
        "pedestal", '<robot name="pedestal"><link name="base"/></robot>')
    nothing = np.empty((3, 0))
    verdict = robot.check_trajectory(torqued.Trajectory(
        [0, 1, 2], nothing, nothing, nothing), tables=["tau"])
    assert verdict.passes and verdict.samples == 3
    assert verdict.joints.names == () and verdict.tables["tau"].shape == (3, 0)
    first = torqued.Peak(0, 0.0, 0.0)
    assert (verdict.highest_power, verdict.lowest_power) == (first, first)
    assert verdict.energy_given == verdict.energy_taken == 0
    assert verdict.slow_down.possible and verdict.slow_down.factor == 1


@pytest.mark.parametrize("name", ["x.csv", "x.npz", "x.yaml", "x.json"])
def test_files_of_a_robot_without_joints(client, tmp_path, name):
    robot = client.register(
        "pedestal", '<robot name="pedestal"><link name="base"/></robot>')
    nothing = np.empty((3, 0))
    motion = torqued.Trajectory([0, 1, 2], nothing, nothing, nothing,
                                joint_names=[])
    ours = tmp_path / name
    motion.write(ours)
    verdict = robot.check_trajectory(ours, tables=["tau"])
    assert verdict.passes and verdict.samples == 3
    if name == "x.csv":
        assert ours.read_text() == "time\n0.0\n1.0\n2.0\n"
        return  # The other writes torques alone.
    (tmp_path / "move.csv").write_text("time\n0\n1\n2\n")
    theirs = tmp_path / ("other_" + name)
    ask_torquectl(client, tmp_path / "move.csv", "--torques", str(theirs),
                  model="pedestal")
    assert robot.check_trajectory(theirs).samples == 3
