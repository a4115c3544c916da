"""Every number of a verdict, against numpy and the torques of Compute."""

import dataclasses

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as dynamics
from torqued.v1 import model_registry_pb2 as registry
from torqued.v1 import trajectory_pb2 as pb

import harness
from calls import ask
from harness import array
from trajectories import TABLES, Motion, check, energies

PANDA = [f"panda_joint{k}" for k in range(1, 8)]
# No two numbers are equal: what is mixed up shows.
VISCOUS = np.array([1.1, 0.9, 0.7, 0.5, 0.4, 0.3, 0.2])
COULOMB = np.array([0.75, 0.65, 0.55, 0.45, 0.35, 0.25, 0.15])
ARMATURE = np.array([0.31, 0.27, 0.23, 0.19, 0.13, 0.11, 0.07])
DRIVES = [
    pb.JointDrive(joint=joint, viscous_friction=viscous,
                  coulomb_friction=coulomb, armature=armature)
    for joint, viscous, coulomb, armature in zip(
        PANDA, VISCOUS, COULOMB, ARMATURE)]
RUSTY = dynamics.Terms(viscous_friction=True, coulomb_friction=True)
SEESAW = b"""
<robot name="seesaw">
  <link name="base"/>
  <link name="beam">
    <inertial>
      <origin xyz="1 0 0"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="tilt" type="revolute">
    <parent link="base"/>
    <child link="beam"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="9.81" velocity="1"/>
  </joint>
  <joint name="fix" type="fixed">
    <parent link="beam"/>
    <child link="tool"/>
    <origin xyz="-1 0 0"/>
  </joint>
</robot>
"""


def rigid_torques(client, motion, frame, **options):
    """Of Compute, with neither friction nor armature."""
    return harness.table(client.dynamics.Compute(dynamics.ComputeRequest(
        model="panda", quantities=[ask.INVERSE_DYNAMICS],
        q=array(motion.q), v=array(motion.v), a=array(motion.a),
        tip_wrench_on_environment=dynamics.TipWrench(
            wrench=array(motion.tip_wrench_on_environment),
            reference_frame=frame),
        options=dynamics.Options(**options))).results.tau)


def torques(client, motion, frame, **options):
    return (rigid_torques(client, motion, frame, **options)
            + ARMATURE * motion.a + VISCOUS * motion.v
            + COULOMB * np.sign(motion.v))


def runs(over, time, gap):
    """First and last rows of what is side by side, or at most `gap` apart."""
    rows = np.flatnonzero(over)
    if len(rows) == 0:
        return []
    apart = (np.diff(rows) > 1) & (np.diff(time[rows]) > gap)
    return list(zip(rows[np.r_[True, apart]], rows[np.r_[apart, True]]))


@pytest.mark.parametrize("frame", [
    dynamics.REFERENCE_FRAME_LOCAL, dynamics.REFERENCE_FRAME_WORLD])
def test_path_tables_give_the_torques_of_every_pace(client, frame):
    motion = Motion.swinging(7, 60, seed=4, wrench=True)
    tables = check(
        client, motion, drives=DRIVES, tip_wrench_reference_frame=frame,
        options=dynamics.Options(terms=RUSTY), tables=[
            TABLES[name] for name in (
                "tau", "path_a", "path_b", "path_c", "path_d", "path_e")]).tables
    largest = 0
    for rate, push in ((1, 0), (0.4, 1.5), (2, -3)):
        paced = dataclasses.replace(
            motion, v=rate * motion.v,
            a=rate ** 2 * motion.a + push * motion.v)
        expected = torques(client, paced, frame)
        told = (push * tables["path_a"] + rate ** 2 * tables["path_b"]
                + tables["path_c"] + rate * tables["path_d"]
                + tables["path_e"])
        largest = max(largest, np.abs(told - expected).max())
    assert largest < 6e-13
    assert np.abs(tables["tau"] - torques(client, motion, frame)).max() < 8e-14
    # And each is what its name says.
    assert np.abs(tables["path_d"] - VISCOUS * motion.v).max() < 1e-15
    assert np.abs(tables["path_e"] - COULOMB * np.sign(motion.v)).max() == 0
    still = dataclasses.replace(motion, v=0 * motion.v, a=0 * motion.a)
    assert np.abs(
        tables["path_c"] - rigid_torques(client, still, frame)).max() < 1e-14


def test_wrenches_in_other_axes_are_other_wrenches(client):
    motion = Motion.swinging(7, 20, wrench=True)
    local, world = (
        check(client, motion, tip_wrench_reference_frame=frame,
              tables=[TABLES["tau"]]).tables["tau"]
        for frame in (dynamics.REFERENCE_FRAME_LOCAL,
                      dynamics.REFERENCE_FRAME_WORLD))
    assert np.abs(local - world).max() > 1


def test_smooth_friction_of_the_tables_is_that_of_the_own_pace(client):
    motion = Motion.swinging(7, 60, seed=4)
    tables = check(
        client, motion, drives=DRIVES, tables=[TABLES["path_e"]],
        options=dynamics.Options(terms=dynamics.Terms(
            coulomb_friction=True, coulomb_smoothing=0.4))).tables
    expected = COULOMB * np.tanh(motion.v / 0.4)
    assert np.abs(tables["path_e"] - expected).max() < 1e-15


class Expected:
    """What a check is to say, from samples, torques and limits."""

    def __init__(self, motion, tau, efforts, curve, velocities, lower, upper,
                 gap):
        self.motion, self.tau, self.gap = motion, tau, gap
        self.time = motion.time[:, 0]
        self.duration = self.time[-1] - self.time[0]
        self.lower, self.upper, self.velocities = lower, upper, velocities
        self.limits = np.tile(efforts, (len(tau), 1))
        # The speeds of joint 4 count.
        self.limits[:, 3] = np.minimum(
            efforts[3], np.interp(np.abs(motion.v[:, 3]), *curve))
        self.at_rest = efforts.copy()
        self.at_rest[3] = min(efforts[3], curve[1][0])

    def peak(self, values, of):
        row = int(of(values))
        return (row, self.time[row], values[row])

    def rms(self, values):
        return np.sqrt(np.trapz(values ** 2, self.time) / self.duration)

    def violations(self):
        found = []
        for j, joint in enumerate(PANDA):
            q, v, tau = (table[:, j] for table in (
                self.motion.q, self.motion.v, self.tau))
            width = self.upper[j] - self.lower[j]
            below = q < self.lower[j]
            kinds = [
                (pb.LIMIT_KIND_TORQUE, tau, self.limits[:, j],
                 np.abs(tau) / self.limits[:, j]),
                (pb.LIMIT_KIND_VELOCITY, v,
                 np.full_like(v, self.velocities[j]),
                 np.abs(v) / self.velocities[j]),
                (pb.LIMIT_KIND_POSITION, q,
                 np.where(below, self.lower[j], self.upper[j]),
                 1 + np.maximum(self.lower[j] - q, q - self.upper[j]) / width)]
            for kind, values, limits, severity in kinds:
                over = severity > 1
                for first, last in runs(over, self.time, self.gap):
                    rows = np.arange(first, last + 1)[over[first:last + 1]]
                    worst = rows[np.argmax(severity[rows])]
                    found.append((
                        -severity[worst], first, kind, j,
                        dict(kind=kind, joint=joint, first_sample=first,
                             last_sample=last, begin=self.time[first],
                             end=self.time[last], samples=len(rows),
                             limit=limits[worst], severity=severity[worst]),
                        (worst, self.time[worst], values[worst])))
        return sorted(found, key=lambda entry: entry[:4])


def same_peak(peak, expected, tolerance=1e-12):
    row, time, value = expected
    return (peak.sample == row and peak.time == time
            and peak.value == pytest.approx(value, rel=tolerance, abs=1e-12))


def close(value):
    return pytest.approx(value, rel=1e-12)


def test_every_number_of_a_verdict_is_that_of_the_samples(client):
    frame = dynamics.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED
    # Fast enough that what moves asks for more than what hangs.
    motion = Motion.swinging(7, 700, seed=8, wrench=True).slower(0.4)
    still = dataclasses.replace(motion, v=0 * motion.v, a=0 * motion.a)
    weight = rigid_torques(client, still, frame) + COULOMB * np.sign(motion.v)
    tau = torques(client, motion, frame)
    peaks = np.abs(tau).max(axis=0)
    derating = 0.8
    efforts = np.maximum(peaks * [1.1, 0.97, 2, 1.3, 0.9, 1.5, 0.8],
                         1.01 * np.abs(weight).max(axis=0))
    curve = ([0.2, 1.6], [1.2 * peaks[3], 0.9 * peaks[3]])
    velocities = np.abs(motion.v).max(axis=0) * [2, 0.7, 3, 2, 2, 0.9, 4]
    low, high = motion.q.min(axis=0), motion.q.max(axis=0)
    lower = low - 1 + np.array([0, 0, 1.1, 0, 0, 0, 0])
    upper = high + 1 - np.array([1.15, 0, 0, 0, 0, 0, 0])
    bounds = [
        pb.JointBounds(joint=joint, lower=lower[j], upper=upper[j],
                       velocity=velocities[j], effort=efforts[j] / derating)
        for j, joint in enumerate(PANDA)]
    bounds[3].speeds.extend(curve[0])
    bounds[3].torques.extend(np.array(curve[1]) / derating)
    expected = Expected(motion, tau, efforts, curve, velocities, lower, upper,
                        gap=0.6)
    replies = check(
        client, motion, drives=DRIVES, bounds=bounds, derating=derating,
        merge_gap=0.6, tip_wrench_reference_frame=frame,
        options=dynamics.Options(terms=RUSTY),
        tables=[TABLES["torque_limit"]])
    verdict = replies.verdict
    assert np.abs(
        replies.tables["torque_limit"] / expected.limits - 1).max() < 1e-15
    assert not verdict.passes
    assert verdict.samples == 700
    assert verdict.duration == expected.duration

    power = tau * motion.v
    time = expected.time
    largest = lambda values: np.argmax(np.abs(values))
    shares = [energies(power[:, j], time) for j in range(7)]
    violations = expected.violations()
    for j, joint in enumerate(verdict.joints):
        use = np.abs(tau[:, j]) / expected.limits[:, j]
        speed_use = np.abs(motion.v[:, j]) / velocities[j]
        for peak, values, of in (
                (joint.torque, tau[:, j], largest),
                (joint.velocity, motion.v[:, j], largest),
                (joint.torque_use, use, np.argmax),
                (joint.velocity_use, speed_use, np.argmax),
                (joint.lowest_position, motion.q[:, j], np.argmin),
                (joint.highest_position, motion.q[:, j], np.argmax),
                (joint.highest_power, power[:, j], np.argmax),
                (joint.lowest_power, power[:, j], np.argmin)):
            assert same_peak(peak, expected.peak(values, of)), (j, peak)
        assert joint.joint == PANDA[j]
        assert joint.rms_torque == close(expected.rms(tau[:, j]))
        assert joint.rms_torque_use == close(expected.rms(use))
        assert joint.energy_given == close(shares[j][0])
        assert joint.energy_taken == close(shares[j][1])
        assert joint.lower_limit == lower[j]
        assert joint.upper_limit == upper[j]
        assert joint.velocity_limit == velocities[j]
        assert joint.torque_limit == close(expected.at_rest[j])
        for kind, told in ((pb.LIMIT_KIND_TORQUE, joint.torque_violations),
                           (pb.LIMIT_KIND_VELOCITY, joint.velocity_violations),
                           (pb.LIMIT_KIND_POSITION, joint.position_violations)):
            assert told == sum(
                entry[2:4] == (kind, j) for entry in violations), (j, kind)

    def same_violation(told, entry):
        for field, value in entry[4].items():
            assert getattr(told, field) == (
                value if isinstance(value, str) else close(value)), field
        assert same_peak(told.worst, entry[5])

    assert {entry[2] for entry in violations} == {1, 2, 3}
    # Gaps are bridged, some: of the samples from first to last not all count.
    assert any(entry[4]["samples"] < entry[4]["last_sample"]
               - entry[4]["first_sample"] + 1 for entry in violations)
    assert verdict.violation_count == len(violations)
    assert len(verdict.violations) == len(violations)
    for told, entry in zip(verdict.violations, violations):
        same_violation(told, entry)
    same_violation(verdict.first_violation,
                   min(violations, key=lambda entry: entry[1]))

    total = power.sum(axis=1)
    assert same_peak(verdict.highest_power, expected.peak(total, np.argmax))
    assert same_peak(verdict.lowest_power, expected.peak(total, np.argmin))
    assert verdict.energy_given == close(sum(given for given, _ in shares))
    assert verdict.energy_taken == close(sum(taken for _, taken in shares))
    assert not verdict.payload.possible

    # The pace: torques are quadratic in it, the limit of joint 4 is not.
    moving = tau - weight - VISCOUS * motion.v

    def uses(pace):
        limits = np.tile(expected.at_rest, (700, 1))
        limits[:, 3] = np.minimum(
            efforts[3], np.interp(pace * np.abs(motion.v[:, 3]), *curve))
        at = weight + pace * VISCOUS * motion.v + pace ** 2 * moving
        return np.maximum(np.abs(at) / limits,
                          pace * np.abs(motion.v) / velocities)

    slow_down = verdict.slow_down
    assert slow_down.possible and slow_down.factor > 1
    assert uses(1 / slow_down.factor).max() == pytest.approx(1, abs=1e-12)
    for faster in np.linspace(1, 1 / slow_down.factor + 1e-6, 400):
        assert uses(faster).max() > 1
    place = slow_down.limited_by
    row, j = np.unravel_index(
        np.argmax(uses(1 / slow_down.factor + 1e-7)), tau.shape)
    assert (place.sample, place.time, place.joint) == (row, time[row], PANDA[j])


def test_the_payload_range_is_where_the_torques_meet_their_limits(client):
    frame = dynamics.REFERENCE_FRAME_LOCAL
    motion = Motion.swinging(7, 300, seed=2, wrench=True)
    tau = torques(client, motion, frame)
    slope = torques(client, motion, frame,
                    payload=dynamics.Payload(mass=1)) - tau
    efforts = 1.5 * np.abs(tau).max(axis=0)
    payload = check(
        client, motion, drives=DRIVES, tip_wrench_reference_frame=frame,
        options=dynamics.Options(terms=RUSTY), bounds=[
            pb.JointBounds(joint=joint, lower=-9, upper=9, velocity=99,
                           effort=effort)
            for joint, effort in zip(PANDA, efforts)]).verdict.payload
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(slope == 0, np.inf,
                        (efforts - np.sign(slope) * tau) / np.abs(slope))
    row, j = np.unravel_index(np.argmin(most), tau.shape)
    assert payload.possible and payload.least == 0
    assert payload.most == close(most.min())
    place = payload.limited_by
    assert (place.sample, place.time, place.joint) == (
        row, motion.time[row, 0], PANDA[j])


def test_a_robot_that_a_load_balances_needs_some(client):
    client.registry.RegisterModel(registry.RegisterModelRequest(
        name="seesaw", format=registry.MODEL_FORMAT_URDF, source=SEESAW))
    motion = Motion(np.zeros((1, 1)), *np.zeros((3, 1, 1)))
    verdict = check(client, motion, model="seesaw").verdict
    assert not verdict.passes
    assert verdict.payload.possible
    assert verdict.payload.least == pytest.approx(1, rel=1e-15)
    assert verdict.payload.most == pytest.approx(3, rel=1e-15)
    # A payload without a mass is a point where it says.
    near = dynamics.Options(payload=dynamics.Payload(center_of_mass=[0.5, 0, 0]))
    payload = check(client, motion, model="seesaw",
                    options=near).verdict.payload
    assert payload.least == pytest.approx(2, rel=1e-15)
    assert payload.most == pytest.approx(6, rel=1e-15)


def test_what_cannot_hold_itself_up_passes_at_no_pace(client):
    motion = Motion.swinging(7, 50)
    weak = pb.JointBounds(joint=PANDA[1], effort=1)
    slow_down = check(client, motion, bounds=[weak]).verdict.slow_down
    place = slow_down.limited_by
    assert (place.joint, place.kind) == (PANDA[1], pb.LIMIT_KIND_TORQUE)
    assert slow_down == pb.SlowDown(possible=False, limited_by=place)
    fixed = pb.JointBounds(joint=PANDA[1], velocity=0)
    verdict = check(client, motion, bounds=[fixed]).verdict
    place = verdict.slow_down.limited_by
    assert (place.joint, place.kind) == (PANDA[1], pb.LIMIT_KIND_VELOCITY)
    assert verdict.slow_down == pb.SlowDown(possible=False, limited_by=place)


def test_what_passes_may_run_as_much_faster_as_its_limits_allow(client):
    motion = Motion.swinging(7, 200, seed=3)
    limits = [pb.JointBounds(joint=joint, effort=1e9, velocity=1e9)
              for joint in PANDA]
    limits[2].velocity = 1.8 * float(np.abs(motion.v[:, 2]).max())
    pace = check(client, motion, bounds=limits).verdict.slow_down
    assert pace.factor == 1 and not pace.HasField("limited_by")
    assert pace.fastest == pytest.approx(1.8, rel=1e-12)
    place = pace.fastest_limited_by
    assert (place.joint, place.kind) == (PANDA[2], pb.LIMIT_KIND_VELOCITY)
    assert place.sample == int(np.abs(motion.v[:, 2]).argmax())


def test_smooth_friction_is_that_of_the_slower_speed(client):
    motion = Motion.swinging(7, 400, seed=6)
    options = dynamics.Options(terms=dynamics.Terms(
        coulomb_friction=True, coulomb_smoothing=0.7))
    rigid = check(client, motion, tables=[TABLES["tau"]]).tables["tau"]
    still = dataclasses.replace(motion, v=0 * motion.v, a=0 * motion.a)
    weight = check(client, still, tables=[TABLES["tau"]]).tables["tau"]
    friction = np.array([3.0, 5, 3, 5, 1, 1, 1])

    def uses(pace, efforts):
        at = (weight + pace ** 2 * (rigid - weight)
              + friction * np.tanh(pace * motion.v / 0.7))
        return (np.abs(at) / efforts).max()

    efforts = np.maximum(
        1.02 * np.abs(weight).max(axis=0),
        0.9 * np.abs(rigid + friction * np.tanh(motion.v / 0.7)).max(axis=0))
    slow_down = check(
        client, motion, options=options,
        drives=[pb.JointDrive(joint=joint, coulomb_friction=size)
                for joint, size in zip(PANDA, friction)],
        bounds=[pb.JointBounds(joint=joint, lower=-9, upper=9, velocity=99,
                               effort=effort)
                for joint, effort in zip(PANDA, efforts)]).verdict.slow_down
    assert slow_down.possible and slow_down.factor > 1.01
    assert uses(1 / slow_down.factor, efforts) == pytest.approx(1, abs=1e-12)
    for pace in np.linspace(1, 1 / slow_down.factor + 1e-6, 200):
        assert uses(pace, efforts) > 1
