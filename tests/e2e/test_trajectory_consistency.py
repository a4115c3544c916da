"""Samples that contradict each other draw a remark; what a spline does between
samples is judged."""

import numpy as np
import pytest
from torqued.v1 import trajectory_pb2 as pb

from harness import F32, F64
from trajectories import Motion, check

PANDA = [f"panda_joint{k}" for k in range(1, 8)]
WIDE = [pb.JointBounds(joint=joint, lower=-9, upper=9, velocity=99, effort=1e6)
        for joint in PANDA]


def spoilt(**fields):
    """A healthy motion with some of its arrays replaced."""
    motion = Motion.swinging(7, 400)
    return Motion(**{**vars(motion), **{
        name: change(getattr(motion, name)) for name, change in fields.items()}})


def rounded(motion, text):
    return Motion(*(np.vectorize(lambda x: float(text % x))(numbers)
                    for numbers in (motion.time, motion.q, motion.v, motion.a)))


@pytest.mark.parametrize("payload", [F64, F32])
# With four digits 3000 samples have the same times.
@pytest.mark.parametrize("samples, text", [
    (samples, text) for samples in (10, 400, 3000)
    for text in ("%.17g", "%.4f", "%.4g") if (samples, text) != (3000, "%.4g")])
def test_healthy_samples_draw_no_remark(client, samples, text, payload):
    motion = rounded(Motion.swinging(7, samples), text)
    verdict = check(client, motion, payload=payload, bounds=WIDE,
                    consistent=True).verdict
    assert verdict.remark_count == 0, verdict.remarks[0]
    assert verdict.passes and not verdict.judged_between


@pytest.mark.parametrize("defect, kind", [
    (spoilt(v=np.zeros_like), pb.REMARK_KIND_VELOCITY),
    (spoilt(v=lambda v: v[::-1]), pb.REMARK_KIND_VELOCITY),
    (spoilt(v=np.negative), pb.REMARK_KIND_VELOCITY),
    (spoilt(time=lambda t: 1000 * t), pb.REMARK_KIND_VELOCITY),
    (spoilt(a=np.zeros_like), pb.REMARK_KIND_ACCELERATION),
    (Motion(np.array([[0.0], [1], [2]]), np.outer([0, 0.5, 1], np.ones(7)),
            np.zeros((3, 7)), np.zeros((3, 7))), pb.REMARK_KIND_VELOCITY)])
@pytest.mark.parametrize("text", ["%.17g", "%.4f"])
def test_each_defect_draws_one_on_every_joint(client, defect, kind, text):
    motion = rounded(defect, text)
    verdict = check(client, motion, bounds=WIDE).verdict
    assert verdict.passes and verdict.violation_count == 0
    of_kind = [remark for remark in verdict.remarks if remark.kind == kind]
    assert {remark.joint for remark in of_kind} == set(PANDA)
    time, rate, of = motion.time[:, 0], motion.v, motion.q
    if kind == pb.REMARK_KIND_ACCELERATION:
        rate, of = motion.a, motion.v
    for remark in of_kind:
        row, joint = remark.worst.sample, PANDA.index(remark.joint)
        assert remark.first_sample <= row < remark.last_sample
        assert remark.begin == time[remark.first_sample]
        assert remark.end == time[remark.last_sample]
        assert remark.worst.time == time[row]
        assert remark.worst.value == pytest.approx(
            rate[row:row + 2, joint].mean(), rel=1e-12, abs=1e-15)
        assert remark.expected == pytest.approx(
            np.diff(of[row:row + 2, joint])[0] / np.diff(time[row:row + 2])[0],
            rel=1e-12, abs=1e-15)
        assert abs(remark.worst.value - remark.expected) > remark.tolerance
    for joint in verdict.joints:
        assert joint.velocity_remarks + joint.acceleration_remarks == sum(
            remark.joint == joint.joint for remark in verdict.remarks)
    refused = check(client, motion, bounds=WIDE, consistent=True).verdict
    assert not refused.passes and refused.remarks == verdict.remarks
    assert refused.asked.consistent


def test_remarks_are_the_same_however_samples_are_cut(client):
    motion = spoilt(v=lambda v: v[::-1])
    verdicts = [check(client, motion, size=size).verdict
                for size in (400, 1, 7, 399)]
    assert verdicts[0].remark_count > 0 and verdicts[0].HasField("coarse_step")\
        == verdicts[1].HasField("coarse_step")
    for verdict in verdicts:
        verdict.ClearField("echo")
    assert {verdict.SerializeToString(deterministic=True)
            for verdict in verdicts} == {
                verdicts[0].SerializeToString(deterministic=True)}


@pytest.mark.parametrize("spline", [
    pb.DIFFERENTIATION_CUBIC_SPLINE, pb.DIFFERENTIATION_QUINTIC_SPLINE])
def test_a_spline_that_leaves_its_limit_between_samples_fails(client, spline):
    time = np.arange(8.0)
    q = np.zeros((8, 7))
    q[:, 2] = 1 - 0.1 * (time - 2.5) ** 2  # a parabola, which splines meet
    bounds = [*WIDE[:2], pb.JointBounds(
        joint=PANDA[2], lower=-9, upper=0.99, velocity=99, effort=1e6),
              *WIDE[3:]]
    assert q[:, 2].max() < 0.99
    verdict = check(client, Motion(time[:, None], q), bounds=bounds,
                    derive=spline).verdict
    assert verdict.judged_between and not verdict.passes
    assert verdict.violation_count == 1 and verdict.remark_count == 0
    violation, = verdict.violations
    assert violation.kind == pb.LIMIT_KIND_POSITION
    assert (violation.first_sample, violation.last_sample) == (2, 2)
    assert violation.samples == 0 and violation.worst.between
    assert violation.worst.sample == 2
    assert violation.worst.time == pytest.approx(2.5, rel=1e-9)
    assert violation.begin == violation.end == violation.worst.time
    assert violation.worst.value == pytest.approx(1, rel=1e-12)
    assert verdict.joints[2].highest_position == violation.worst
    assert not verdict.joints[2].lowest_position.between
    # With its own rates only the samples count.
    v, a = np.zeros((8, 7)), np.zeros((8, 7))
    v[:, 2], a[:, 2] = -0.2 * (time - 2.5), -0.2
    assert check(client, Motion(time[:, None], q, v, a),
                 bounds=bounds).verdict.passes


def test_a_coarse_step_is_told(client):
    motion = Motion.swinging(7, 4000)
    assert not check(client, motion, bounds=WIDE).verdict.HasField(
        "coarse_step")
    motion = Motion.swinging(7, 8)
    step = check(client, motion, bounds=WIDE).verdict.coarse_step
    turns = np.abs(np.diff(motion.q, axis=0))
    row, joint = np.unravel_index(turns.argmax(), turns.shape)
    assert (step.sample, step.joint) == (row, PANDA[joint])
    assert step.time == motion.time[row, 0]
    assert step.duration == motion.time[row + 1, 0] - motion.time[row, 0]
    assert step.position_change == (motion.q[row + 1] - motion.q[row])[joint]
    assert step.velocity_change == (motion.v[row + 1] - motion.v[row])[joint]
