"""Verdicts on trajectories: what they say is what the samples show."""

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as dynamics
from torqued.v1 import trajectory_pb2 as pb

import harness
from calls import ask
from harness import F32, VALUES, array, same_bits
from trajectories import TABLES, Motion, check, refused, start

PANDA = [f"panda_joint{k}" for k in range(1, 8)]
MOTION = Motion.swinging(7, 2500, wrench=True)


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


def with_efforts(efforts):
    return {"drives": [pb.Drive(dof=joint, velocity_limit=99, effort_limit=effort)
                       for joint, effort in zip(PANDA, efforts)],
            "position_limits": [pb.PositionLimits(coordinate=joint, lower=-9, upper=9)
                                for joint in PANDA]}


def test_the_torques_of_the_check_are_those_of_compute(client):
    for terms in ({}, {"viscous_friction": True, "coulomb_friction": True}):
        options = {"terms": dynamics.Terms(**terms)}
        replies = check(client, MOTION, tables=[TABLES["tau"]],
                        options=dynamics.Options(**options))
        assert same_bits(replies.tables["tau"],
                         torques(client, MOTION, **options))


def test_the_verdict_does_not_depend_on_the_messages(client):
    motion = Motion.swinging(7, 20_000, seed=3)
    limits = with_efforts(0.8 * np.abs(torques(client, motion)).max(axis=0))
    tables = list(TABLES.values())
    space = dynamics.OperationalSpaceOptions()
    first = None
    for size in (20_000, 4096, 999):
        replies = check(client, motion, size=size, tables=tables,
                        operational_space=space, **limits)
        # Each is news.
        assert replies.progress == sorted(set(replies.progress))
        assert replies.progress[-1] <= 20_000
        assert set(replies.tables) == set(TABLES)
        first = first or replies
        assert replies.verdict == first.verdict
        for name in TABLES:
            assert same_bits(replies.tables[name], first.tables[name]), name


def test_tables_come_in_messages_that_the_server_may_send(start, client):
    server = start("--max-message-bytes", 65536, models=harness.example_models())
    with harness.Client(server.address) as narrow:
        tables = check(narrow, MOTION, size=100, tables=[TABLES["tau"]]).tables
        assert same_bits(tables["tau"], torques(client, MOTION))


def test_the_limit_at_each_speed_is_a_table(client):
    replies = check(
        client, MOTION, derating=0.5, tables=[TABLES["torque_limit"]],
        drives=[pb.Drive(dof=PANDA[3], effort_limit=40, torque_speed=[
            {"speed": 0.5, "torque": 50}, {"speed": 2, "torque": 10}])])
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


def test_what_was_asked_is_echoed(client):
    fields = {
        "derating": 0.5, "merge_gap": 0.1,
        "tables": [TABLES["tau"]], "derive": pb.DIFFERENTIATION_CUBIC_SPLINE,
        "drives": [pb.Drive(dof=PANDA[1], armature=0.1, velocity_limit=1)],
        "position_limits": [pb.PositionLimits(coordinate=PANDA[0], upper=1)],
        "tip_wrench_profile": [pb.WrenchPoint(time=0, wrench=range(6))],
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
