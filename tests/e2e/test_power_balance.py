"""Where the energy of a robot comes from and goes to."""

import numpy as np
import pytest

from calls import ask
from differences import rate
from harness import same_bits
from surroundings import without
from vectors import close, dot, far, skew
from ways import ALIGNED, GRAVITY

KINETIC, POTENTIAL, ACTUATORS, VISCOUS, COULOMB, TIP, EXTERNAL, BASE = range(8)


def test_powers_are_those_of_what_acts_and_sum_up(rusty):
    given, s = rusty.everything, rusty.s
    x = rusty.ask(ask.POWER_BALANCE, ask.INVERSE_DYNAMICS, ask.BASE_WRENCH,
                  **given)
    power = x.power_balance
    size = np.abs(power).max(axis=1)
    left = power[:, :ACTUATORS].sum(axis=1) - power[:, ACTUATORS:].sum(axis=1)
    assert (np.abs(left) <= 1e-12 * size).all()
    # Twin: none of them may be missing.
    assert (np.abs(power).max(axis=0) > 0.1).all()
    assert same_bits(
        rusty.ask(ask.POWER_BALANCE, **given).power_balance, power)

    def is_column(column, expected):
        np.testing.assert_allclose(power[:, column], expected,
                                   atol=1e-12 * size.max())

    def twist(frame, reference):
        return rusty.ask(ask.FRAME_VELOCITY, tip_frame=frame or rusty.tip,
                         reference_frame=reference, **rusty.base).frame_velocity

    is_column(ACTUATORS, dot(x.tau, s.v))
    is_column(VISCOUS, -dot(rusty.of_joints("damping"), s.v**2))
    drag = rusty.of_joints("friction") * np.tanh(s.v / given["smoothing"])
    is_column(COULOMB, -dot(drag, s.v))
    is_column(TIP, -dot(s.wrench, twist("", ALIGNED)))
    is_column(EXTERNAL, sum(
        dot(rusty.wrenches[:, 6 * k:6 * k + 6],
            twist(where.frame, where.reference_frame))
        for k, where in enumerate(rusty.places)
        if where.frame != rusty.root))  # which is no moving link
    is_column(BASE, dot(given["base_twist"], x.base_wrench))
    sharp = rusty.ask(ask.POWER_BALANCE, **without(given, "smoothing"))
    np.testing.assert_allclose(
        sharp.power_balance[:, COULOMB],
        -dot(rusty.of_joints("friction"), np.abs(s.v)), rtol=1e-13)
    still = rusty.ask(ask.POWER_BALANCE).power_balance
    assert not still[:, [VISCOUS, COULOMB, TIP, EXTERNAL, BASE]].any()


def base_pose(twist, rate, time):
    """R and p after so long of a base that starts with the twist, whose
    components change at this rate."""
    def slope(pose, t):
        w, v = np.split(twist + rate * t, 2)
        return pose[:, :3] @ np.column_stack([skew(w), v])

    pose, step = np.eye(3, 4), time / 8
    for k in range(8):
        t = k * step
        k1 = slope(pose, t)
        k2 = slope(pose + step / 2 * k1, t + step / 2)
        k3 = slope(pose + step / 2 * k2, t + step / 2)
        k4 = slope(pose + step * k3, t + step)
        pose = pose + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return pose[:, :3], pose[:, 3]


@pytest.mark.parametrize("moving", [False, True], ids=["at-rest", "moving"])
def test_powers_are_the_rates_of_the_energies(rusty, moving):
    twist, acceleration = (rows[0] * moving for rows in rusty.base.values())

    def energies(time):
        R, p = base_pose(twist, acceleration, time)
        gravity = R.T @ np.array(GRAVITY)
        q, v = rusty.s.after(time)
        x = rusty.ask(ask.ENERGY, q=q, v=v, gravity=tuple(gravity),
                      base_twist=twist + acceleration * time)
        lifted = rusty.info.moving_mass * (p @ np.array(GRAVITY))
        return x.kinetic_energy, x.potential_energy - lifted

    rates = rate(energies).T
    power = rusty.ask(ask.POWER_BALANCE, base_twist=twist,
                      base_acceleration=acceleration).power_balance
    close(power[:, :ACTUATORS], rates, 1e-7)
    if moving:
        ignorant = rusty.ask(ask.POWER_BALANCE).power_balance
        far(ignorant[:, :ACTUATORS], rates)
