"""What numpy says of the same samples, verdicts say."""

import re

import numpy as np
import pytest
import torqued
from conftest import MODELS, same_bits
from joint_limits import limits_of
from motions import PANDA, positions, wide, with_efforts
from verdicts import MOTION, WRENCH, same, torques


def test_violations_are_where_numpy_sees_them(panda):
    tau = torques(panda, MOTION)
    efforts = np.abs(tau).max(axis=0) * [0.9, 2, 0.7, 2, 2, 0.99, 2]
    limits = with_efforts(efforts)
    limits[PANDA[4]]["velocity_limit"] = 0.8 * np.abs(MOTION.v[:, 4]).max()
    limits[PANDA[6]]["lower"] = MOTION.q[:, 6].min() + 0.01
    verdict = panda.check_trajectory(MOTION, limits=limits_of(limits))
    kinds = torqued.LimitKind
    over = {kinds.TORQUE: np.abs(tau) > efforts,
            kinds.VELOCITY: np.abs(MOTION.v) > [
                limits[joint]["velocity_limit"] for joint in PANDA],
            kinds.POSITION: MOTION.q < [
                limits[joint]["lower"] for joint in PANDA]}
    listed = {kind: np.zeros_like(broken) for kind, broken in over.items()}
    assert not verdict.passes
    assert verdict.violation_count == len(verdict.violations)
    for kind in over:
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
    merged = panda.check_trajectory(MOTION, limits=limits_of(limits), merge_gap=99)
    assert merged.violation_count == 5 < verdict.violation_count


def test_tables_are_those_of_the_functions(panda):
    names = ["tau", "v", "a", "path_a", "path_b", "path_c", "path_d",
             "path_e", "sigma_min", "condition", "torque_limit"]
    verdict = panda.check_trajectory(
        MOTION, tables=names, task=True, viscous_friction=True,
        coulomb_friction=True, limits=limits_of(wide(
            viscous_friction=0.3, coulomb_friction=0.7,
            torque_speed=[(0.5, 90), (1.5, 50)])), derating=0.5)
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
                q, sigma_min=True, bad_rows="nan").sigma_min)):
        assert tables[name].shape == expected.shape
        assert np.abs(tables[name] - expected).max() < 1e-11, name
    sigma, condition = tables["sigma_min"], tables["condition"]
    least = verdict.path_inertia.sigma_min
    assert (least.sample, least.time, least.value) == (
        sigma.argmin(), MOTION.time[sigma.argmin()], sigma.min())
    assert verdict.path_inertia.condition.value == condition.max()
    assert panda.check_trajectory(MOTION).tables == {}


def test_options_are_those_of_the_other_functions(panda):
    words = {"gravity": [9.81, 0, 0], "payload": torqued.Payload(mass=2),
             "tip_wrench_reference_frame": "world", "tip_wrench_on_environment": WRENCH}
    expected = torques(panda, MOTION, **words)
    assert same_bits(panda.check_trajectory(
        MOTION, tables=["tau"], **words).tables["tau"], expected)
    words.pop("tip_wrench_on_environment")
    bound = panda.with_options(**words, fail_fast=True, bad_rows="raise")
    with_wrench = torqued.Trajectory(
        MOTION.time, MOTION.q, MOTION.v, MOTION.a, tip_wrench=WRENCH)
    assert same_bits(bound.check_trajectory(
        with_wrench, tables="tau").tables["tau"], expected)
    one = panda.check_trajectory(
        MOTION, tip_wrench_on_environment=WRENCH[7], tables=["tau"]).tables["tau"]
    assert same_bits(one, torques(panda, MOTION, tip_wrench_on_environment=WRENCH[7]))


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
    assert np.array_equal(np.isnan(joints.rms_torque_use), unlimited)


def test_rates_are_derived_from_positions(panda):
    for choice, worst in (("cubic", 1e-2), ("QUINTIC", 1e-5)):
        words = {"derive": choice, "tables": ["v", "a"]}
        verdict = panda.check_trajectory(positions(MOTION), **words)
        kind = torqued.Differentiation[choice.upper() + "_SPLINE"]
        assert verdict.derived is kind
        assert np.abs(verdict.tables["v"] - MOTION.v).max() < worst
        assert np.abs(verdict.tables["a"] - MOTION.a).max() < worst
        # Rates that are there do not count.
        assert same(panda.check_trajectory(MOTION, **words), verdict)
        assert same(panda.check_trajectory(MOTION, derive=kind,
                                           tables=["v", "a"]), verdict)
