"""Samples that contradict each other, and splines between samples."""

import numpy as np
import pytest
import torqued
from joint_limits import limits_of
from motions import PANDA, wide


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
    step = verdict.coarse_step
    assert (step.sample, step.duration, step.joint, step.position_change) == (
        0, 1, PANDA[1], 0.5)
    assert verdict.to_dict()["remarks"][0]["last_sample"] == 2
    assert verdict.asked.consistent is consistent
