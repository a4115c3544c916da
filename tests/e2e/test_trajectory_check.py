"""Verdicts on trajectories: what they say is what the samples show."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as dynamics
from torqued.v1 import model_registry_pb2 as registry
from torqued.v1 import trajectory_pb2 as pb

import harness
from calls import ask
from harness import F32, VALUES, array, same_bits
from trajectories import TABLES, Motion, check, refused, start

PANDA = [f"panda_joint{k}" for k in range(1, 8)]
MOTION = Motion.swinging(7, 2500, wrench=True)
LIMITLESS = b"""
<robot name="limitless">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0"/>
      <mass value="1"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 1 0"/>
  </joint>
</robot>
"""


def torques(client, motion, **options):
    """Of Compute."""
    wrench = motion.tip_wrench_on_environment
    reply = client.dynamics.Compute(dynamics.ComputeRequest(
        model="panda", quantities=[ask.INVERSE_DYNAMICS],
        q=array(motion.q), v=array(motion.v), a=array(motion.a),
        tip_wrench_on_environment=None if wrench is None else
        dynamics.TipWrench(wrench=array(wrench)),
        options=dynamics.Options(**options)))
    return harness.table(reply.results.tau)


def bounds(**limits):
    """The same limits of all joints."""
    return [pb.JointBounds(joint=joint, **limits) for joint in PANDA]


def wide():
    return bounds(lower=-9, upper=9, velocity=99, effort=1e6)


def with_efforts(efforts):
    limits = wide()
    for bound, effort in zip(limits, efforts):
        bound.effort = effort
    return limits


def test_the_torques_of_the_check_are_those_of_compute(client):
    for terms in ({}, {"viscous_friction": True, "coulomb_friction": True}):
        options = {"terms": dynamics.Terms(**terms)}
        replies = check(client, MOTION, tables=[TABLES["tau"]],
                        options=dynamics.Options(**options))
        assert same_bits(replies.tables["tau"],
                         torques(client, MOTION, **options))


def test_violations_are_counted_by_kind_also_those_not_listed(client):
    # Every second sample is outside, by less and less.
    samples = 4000
    motion = Motion(np.arange(samples)[:, None] * 1e-3, *np.zeros((3, samples, 7)))
    motion.q[:, 3] = -1.5
    motion.q[::2, 0] = 5 - np.arange(0, samples, 2) * 1e-4
    motion.v[1::4, 1] = 50
    verdict = check(client, motion).verdict
    assert len(verdict.violations) == 1000
    assert verdict.violation_count >= 3000
    counts = [[joint.torque_violations, joint.velocity_violations,
               joint.position_violations] for joint in verdict.joints]
    assert sum(map(sum, counts)) == verdict.violation_count
    assert counts[0][2] == 2000 and counts[1][1] == 1000


def test_the_verdict_does_not_depend_on_the_messages(client):
    motion = Motion.swinging(7, 20_000, seed=3)
    limits = with_efforts(0.8 * np.abs(torques(client, motion)).max(axis=0))
    tables = list(TABLES.values())
    space = dynamics.OperationalSpaceOptions()
    first = None
    for size in (20_000, 4096, 999):
        replies = check(client, motion, size=size, bounds=limits,
                        tables=tables, operational_space=space)
        # Each is news.
        assert replies.progress == sorted(set(replies.progress))
        assert replies.progress[-1] <= 20_000
        assert set(replies.tables) == set(TABLES)
        first = first or replies
        assert replies.verdict == first.verdict
        for name in TABLES:
            assert same_bits(replies.tables[name], first.tables[name]), name


def test_the_order_of_the_joints_is_the_clients(client):
    order = [4, 1, 6, 0, 5, 2, 3]
    names = [PANDA[k] for k in order]
    turned = Motion(MOTION.time, *(
        part[:, order] for part in (MOTION.q, MOTION.v, MOTION.a)),
        MOTION.tip_wrench_on_environment)
    limits = with_efforts(0.9 * np.abs(torques(client, MOTION)).max(axis=0))
    plain = check(client, MOTION, bounds=limits, tables=[TABLES["tau"]])
    other = check(client, turned, bounds=limits[::-1],
                  tables=[TABLES["tau"]],
                  options=dynamics.Options(joint_names=names))
    assert same_bits(other.tables["tau"], plain.tables["tau"][:, order])
    assert [joint.joint for joint in other.verdict.joints] == names
    for joint in other.verdict.joints:
        assert joint == plain.verdict.joints[PANDA.index(joint.joint)]
    assert other.verdict.first_violation == plain.verdict.first_violation


def register_limitless(client):
    client.registry.RegisterModel(registry.RegisterModelRequest(
        name="limitless", format=registry.MODEL_FORMAT_URDF, source=LIMITLESS))


def test_only_limits_that_count_are_told(client):
    register_limitless(client)
    motion = Motion.swinging(1, 10)
    told = {"lower_limit": {"lower": -7}, "upper_limit": {"upper": 6},
            "velocity_limit": {"velocity": 5}, "torque_limit": {"effort": 4}}
    uses = {"velocity_limit": ["velocity_use"],
            "torque_limit": ["torque_use", "rms_torque_use"]}
    for limit, bound in told.items():
        joint = check(client, motion, model="limitless", bounds=[
            pb.JointBounds(joint="turn", **bound)]).verdict.joints[0]
        present = {
            name for name in [*told, "velocity_use", "torque_use",
                              "rms_torque_use"] if joint.HasField(name)}
        assert present == {limit, *uses.get(limit, [])}
        assert [getattr(joint, limit)] == list(bound.values())


def test_the_limit_at_each_speed_is_a_table(client):
    replies = check(
        client, MOTION, derating=0.5, tables=[TABLES["torque_limit"]],
        bounds=[pb.JointBounds(joint=PANDA[3], effort=40, speeds=[0.5, 2],
                               torques=[50, 10])])
    limits = replies.tables["torque_limit"]
    speed = np.abs(MOTION.v[:, 3])
    assert speed.max() > 1
    curve = 0.5 * np.minimum(40, np.interp(speed, [0.5, 2], [50, 10]))
    assert np.abs(limits[:, 3] - curve).max() < 1e-13
    assert np.all(limits[:, [0, 6]] == [43.5, 6])
    # The curve passes through the 40 of the effort at 0.875 rad/s.
    corners = [(list(joint.torque_limit_speeds),
                list(joint.torque_limit_torques))
               for joint in replies.verdict.joints]
    assert corners[3] == ([0.5, 0.875, 2], [20, 20, 5])
    assert corners[:3] + corners[4:] == [([], [])] * 6
    register_limitless(client)
    boundless = check(client, Motion.swinging(1, 10), model="limitless",
                      tables=[TABLES["torque_limit"]]).tables["torque_limit"]
    assert np.all(boundless == np.inf)


def test_a_drive_that_gives_nothing_is_used_beyond_measure(client):
    # Also where it is the first sample that has a torque and no limit.
    for limit in ({"effort": 0}, {"speeds": [0, 0.01], "torques": [100, 0]}):
        for samples in (1, 50):
            verdict = check(
                client, Motion.swinging(7, samples), bounds=[
                    pb.JointBounds(joint=PANDA[1], **limit)]).verdict
            joint = verdict.joints[1]
            assert joint.torque_use.value == np.inf
            assert joint.rms_torque_use == np.inf
            assert np.isfinite(joint.rms_torque) and joint.rms_torque > 0


def test_what_was_asked_is_echoed(client):
    fields = {
        "derating": 0.5, "merge_gap": 0.1,
        "tables": [TABLES["tau"]], "derive": pb.DIFFERENTIATION_CUBIC_SPLINE,
        "bounds": [pb.JointBounds(joint=PANDA[0], velocity=1)],
        "drives": [pb.JointDrive(joint=PANDA[1], armature=0.1)],
        "options": dynamics.Options(
            terms=dynamics.Terms(viscous_friction=True))}
    verdict = check(client, MOTION.positions(), **fields).verdict
    assert verdict.asked == pb.CheckTrajectoryStart(model="panda", **fields)


def test_single_precision_is_refused_where_it_cannot_hold_a_table(client):
    motion = Motion.swinging(7, 100)
    motion.a[42, 2] = 1e40
    tables = [TABLES["tau"]]
    assert np.isfinite(check(client, motion, tables=tables).tables["tau"]).all()
    error = refused(
        client, start(tables=tables,
                      options=dynamics.Options(encoding=F32)),
        *motion.messages(100))
    assert error.reason == "INVALID_OPTION"
    assert error.fields == ["start.options.encoding"]
    assert "TAU of sample 42 " in error.violations[0][1]


def test_the_operational_space_is_looked_at_on_request(client):
    assert not check(client, MOTION).verdict.HasField("path_inertia")
    replies = check(
        client, MOTION, operational_space=dynamics.OperationalSpaceOptions(),
        tables=[TABLES["sigma_min"], TABLES["condition"]])
    inertia = replies.verdict.path_inertia
    sigma = replies.tables["sigma_min"][:, 0]
    reply = client.dynamics.Compute(dynamics.ComputeRequest(
        model="panda", quantities=[ask.OPERATIONAL_SPACE], q=array(MOTION.q),
        operational_space=dynamics.OperationalSpaceOptions(sigma_min=True)))
    assert same_bits(sigma, np.array(reply.results.sigma_min))
    assert inertia.sigma_min.sample == np.argmin(sigma)
    assert inertia.condition.value == replies.tables["condition"].max()


@pytest.mark.parametrize("payload", [VALUES, F32])
def test_samples_come_in_any_encoding(client, payload):
    motion = Motion.swinging(7, 300)
    rounded = Motion(*(
        part.astype("<f4").astype(float) if payload == F32 else part
        for part in (motion.time, motion.q, motion.v, motion.a)))
    tables = [TABLES["tau"]]
    encoded = check(client, motion, payload=payload, tables=tables)
    plain = check(client, rounded, tables=tables)
    assert encoded.verdict == plain.verdict
    assert same_bits(encoded.tables["tau"], plain.tables["tau"])
    narrow = check(client, rounded, tables=tables, options=dynamics.Options(
        encoding=payload)).tables["tau"]
    if payload == F32:
        assert same_bits(narrow, plain.tables["tau"].astype("<f4"))
    else:
        assert same_bits(narrow, plain.tables["tau"])


def test_a_robot_without_joints_keeps_all_limits(client):
    client.registry.RegisterModel(registry.RegisterModelRequest(
        name="pedestal", format=registry.MODEL_FORMAT_URDF,
        source=b'<robot name="pedestal"><link name="base"/></robot>'))
    verdict = check(client, Motion(np.arange(3.0)[:, None], np.zeros((3, 0))),
                    model="pedestal").verdict
    assert verdict.passes and verdict.samples == 3 and not verdict.joints
