"""What numpy says of the same samples, verdicts say."""

import re

import numpy as np
import pytest
import torqued
from conftest import MODELS, same_bits
from joint_limits import limits_of
from motions import MOTION, PANDA, WRENCH, torques, wide


def test_violations_have_their_joint_kind_and_place(panda):
    verdict = panda.check_trajectory(
        MOTION, limits=limits_of(wide(effort_limit=5)), tables=["tau"])
    assert not verdict.passes and "fails" in repr(verdict)
    gravest = verdict.violations[0]
    assert gravest.kind is torqued.LimitKind.TORQUE and gravest.severity > 1
    assert gravest.worst.value == verdict.tables["tau"][
        gravest.worst.sample, verdict.joints.joint.index(gravest.joint)]
    assert verdict.joints.torque_violations.sum() == verdict.violation_count
    assert verdict.joints[gravest.joint].torque_violations > 0
    assert gravest.joint in str(verdict)


def test_tables_are_those_of_the_functions(panda):
    names = ["tau", "v", "a", "path_a", "path_b", "path_c", "path_d",
             "path_e", "sigma_min", "condition", "torque_limit"]
    verdict = panda.check_trajectory(
        MOTION, tables=names, task=True, coulomb_friction=True, limits=limits_of(wide(
            coulomb_friction=0.7, torque_speed=[(0.5, 90), (1.5, 50)])), derating=0.5)
    tables, q, v = verdict.tables, MOTION.q, MOTION.v
    assert list(tables) == names
    for name, expected in (
            ("path_c", panda.gravity_forces(q)), ("path_e", 0.7 * np.sign(v)),
            ("torque_limit", 0.5 * np.interp(np.abs(v), [0.5, 1.5], [90, 50])),
            ("tau", torques(panda, MOTION) + 0.7 * np.sign(v)),
            ("sigma_min", panda.operational_space(
                q, sigma_min=True, bad_rows="nan").sigma_min)):
        assert tables[name].shape == expected.shape
        assert np.abs(tables[name] - expected).max() < 1e-11, name
    sigma, least = tables["sigma_min"], verdict.path_inertia.sigma_min
    assert (least.sample, least.time, least.value) == (
        sigma.argmin(), MOTION.time[sigma.argmin()], sigma.min())
    assert verdict.path_inertia.condition.value == tables["condition"].max()
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
        with_wrench, tables=["tau"]).tables["tau"], expected)
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


@pytest.mark.parametrize("consistent", [False, True])
def test_waypoints_at_rest_draw_a_remark(panda, consistent):
    q, rest = np.outer([0, 0.5, 1], np.eye(7)[1]), np.zeros((3, 7))
    verdict = panda.check_trajectory(
        torqued.Trajectory([0, 1, 2], q, rest, rest, joint_names=PANDA),
        limits=limits_of(wide()), consistent=consistent, allow_inconsistent=True)
    assert verdict.passes is not consistent and verdict.violation_count == 0
    remark, = verdict.remarks
    assert remark.kind == torqued.RemarkKind.VELOCITY and remark.joint == PANDA[1]
    assert (remark.first_sample, remark.last_sample) == (0, 2)
    assert str(verdict) == " ".join((
        "fails:" if consistent else "passes:", verdict.inconsistency.message,
        verdict.message, remark.message))
    assert verdict.joints.velocity_remarks.tolist() == [0, 1, 0, 0, 0, 0, 0]
    step = verdict.coarse_step
    assert (step.sample, step.joint, step.position_change) == (0, PANDA[1], 0.5)
    assert verdict.to_dict()["remarks"][0]["last_sample"] == 2
    assert verdict.asked.consistent is consistent
