"""Samples that contradict each other, and splines between samples."""

import numpy as np
import pytest
import torqued
from joint_limits import limits_of
from motions import PANDA, positions, swinging, wide


def stops():
    """Three waypoints at rest, the second joint's apart from each other."""
    q = np.outer([0, 0.5, 1], np.eye(7)[1])
    return torqued.Trajectory([0, 1, 2], q, np.zeros((3, 7)), np.zeros((3, 7)),
                              joint_names=PANDA)


@pytest.mark.parametrize("consistent", [False, True])
def test_waypoints_at_rest_draw_a_remark(panda, consistent):
    verdict = panda.check_trajectory(
        stops(), limits=limits_of(wide()), consistent=consistent)
    assert verdict.passes is not consistent
    assert verdict.violation_count == 0 and verdict.remark_count == 1
    remark, = verdict.remarks
    assert remark.kind == torqued.RemarkKind.VELOCITY
    assert remark.joint == PANDA[1]
    assert (remark.first_sample, remark.last_sample) == (0, 2)
    assert (remark.begin, remark.end, remark.steps) == (0, 2, 2)
    worst = remark.worst
    assert (worst.sample, worst.time, worst.value) == (0, 0, 0)
    assert remark.expected == 0.5 and 0 < remark.tolerance < 0.05
    assert remark.message.startswith("The velocity of panda_joint2 is 0 rad/s at 0 s "
                                     "(between samples 0 and 1), but the positions")
    assert str(verdict) == " ".join((
        "fails:" if consistent else "passes:", verdict.message, remark.message))
    assert "1 remark on the samples" in verdict.message
    assert verdict.joints.velocity_remarks.tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert not verdict.joints.acceleration_remarks.any()
    step = verdict.coarse_step
    assert (step.sample, step.duration, step.joint, step.position_change) == (
        0, 1, PANDA[1], 0.5)
    assert verdict.to_dict()["remarks"][0]["last_sample"] == 2
    assert verdict.asked.consistent is consistent


@pytest.mark.parametrize("spline", ["cubic", "quintic"])
def test_a_derived_spline_is_judged_between_samples(panda, spline):
    time = np.arange(8.0)
    q = np.zeros((8, 7))
    q[:, 2] = 1 - 0.1 * (time - 2.5) ** 2
    motion = positions(torqued.Trajectory(time, q, joint_names=PANDA))
    limits = wide()
    limits[PANDA[2]]["upper"] = 0.99
    verdict = panda.check_trajectory(motion, limits=limits_of(limits), derive=spline)
    assert verdict.judged == f"8 samples and the {spline} spline between them"
    assert verdict.judged_between and not verdict.passes
    violation, = verdict.violations
    assert violation.samples == 0 and violation.worst.between
    assert violation.worst.time == pytest.approx(2.5, rel=1e-9)
    assert violation.message == (
        "The position of panda_joint3 is 1 rad at 2.5 s (between samples 2 and 3); its "
        "limit there is 0.99 rad.")
    assert verdict.joints.highest_position.between.tolist() == [
        False, False, True, False, False, False, False]
