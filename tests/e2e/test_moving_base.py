"""A base that moves, against gravity, against the arm of a larger robot, and
where it changes nothing and is refused."""

import numpy as np
import pytest

from calls import (
    ALL_QUANTITIES, FRAMES, LINEAR, OF_THE_TASK, ask, quantity_name)
from harness import same_bits
from surroundings import ROWS, Surroundings
from turntable import MOVED, of_each_state
from vectors import adjoint, close, dot, far, product
from ways import GRAVITY, WEIGHTLESS, check_refusal

LIFTED = (ask.INVERSE_DYNAMICS, ask.FORWARD_DYNAMICS, ask.BIAS_FORCES,
          ask.JOINT_WRENCHES, ask.BASE_WRENCH, ask.REGRESSOR,
          ask.INVERSE_DYNAMICS_DERIVATIVES, ask.FORWARD_DYNAMICS_DERIVATIVES)
UNMOVED = (
    ask.MASS_MATRIX, ask.FRAME_POSE, ask.JACOBIAN, ask.GRAVITY_FORCES,
    ask.CORIOLIS_MATRIX, ask.CHRISTOFFEL_SYMBOLS, ask.MASS_MATRIX_RATE,
    ask.MASS_MATRIX_INVERSE, ask.MOMENTUM_MATRIX, ask.JACOBIAN_RATE,
    ask.TASK_PROJECTION)


def test_a_base_that_is_pushed_up_weighs_as_gravity_does(rusty):
    heavy = rusty.ask(*LIFTED)
    up = np.array([[0, 0, 0, *np.negative(GRAVITY)]])
    lifted = rusty.ask(*LIFTED, ask.CORIOLIS_FORCES, gravity=WEIGHTLESS,
                       base_acceleration=np.tile(up, (ROWS, 1)))
    for name, rows in vars(heavy).items():
        close(getattr(lifted, name), rows, 1e-11)
    # Which sees the acceleration but no gravity.
    close(lifted.coriolis, heavy.bias)
    # One row serves all states.
    served = rusty.ask(*LIFTED, gravity=WEIGHTLESS, base_acceleration=up)
    for name, rows in vars(served).items():
        assert same_bits(rows, getattr(lifted, name)), name
    far(rusty.ask(*LIFTED, gravity=WEIGHTLESS).tau, heavy.tau)


def test_a_base_at_rest_is_the_same_as_none(rusty):
    still = {"base_twist": np.zeros((1, 6)),
             "base_acceleration": np.zeros((1, 6))}
    for quantity in ALL_QUANTITIES:
        if quantity in UNMOVED:
            continue
        of_task = {"axes": LINEAR} if quantity in OF_THE_TASK else {}
        none, given = (rusty.ask(quantity, **of_task, **inputs)
                       for inputs in ({}, still))
        for name, rows in vars(none).items():
            close(getattr(given, name), rows, 1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_an_arm_on_a_turntable_is_an_arm_on_a_moving_base(turntable, frame):
    t, reference = turntable, FRAMES[frame]
    whole = t.whole.ask(*MOVED, reference_frame=reference)
    alone = of_each_state(t, reference_frame=reference)
    close(whole.tau[:, t.arm_joints], alone["tau"], 1e-11)
    for name in ("joint_wrenches", "link_twists", "link_accelerations"):
        close(getattr(whole, name)[:, t.arm_joints], alone[name], 1e-11)
    # All that moves on the table is the arm: its joint feels the arm's base.
    close(whole.tau[:, [t.turn]], dot(t.screw, alone["base_wrench"])[:, None],
          1e-10)
    # The arm alone knows the axes of its own base only.
    turned = adjoint(t.R, 0 * t.p)
    out = {"local": np.eye(6), "world_aligned": turned,
           "world": adjoint(t.R, t.p)}[frame]
    names = ["frame_velocity", "frame_acceleration"]
    if frame != "world":  # there it is that of a point at the base's origin
        names.append("frame_acceleration_classical")
    for name in names:
        close(getattr(whole, name), product(out, alone[name]), 1e-11)
    close(whole.momentum, product(turned, alone["momentum"]), 1e-11)
    close(whole.center_of_mass_velocity,
          product(t.R, alone["center_of_mass_velocity"]), 1e-11)
    close(whole.kinetic_energy, alone["kinetic_energy"], 1e-12)
    lifted = t.alone.info.moving_mass * (t.p @ np.array(GRAVITY))
    np.testing.assert_allclose(
        whole.potential_energy, alone["potential_energy"] - lifted, rtol=1e-11,
        atol=1e-11)
    # Twins: a base at rest, and gravity that does not turn with it.
    still = t.alone.ask(*MOVED, reference_frame=reference)
    for name in ("tau", "joint_wrenches", "frame_velocity",
                 "frame_acceleration", "kinetic_energy"):
        far(getattr(still, name), alone[name])
    far(t.alone.ask(ask.INVERSE_DYNAMICS, **t.base).tau, alone["tau"])


@pytest.mark.parametrize("name", ["base_twist", "base_acceleration"])
@pytest.mark.parametrize("quantity", ALL_QUANTITIES, ids=quantity_name)
def test_a_moving_base_changes_what_depends_on_it_and_is_refused_elsewhere(
        panda, quantity, name):
    motion = {name: Surroundings(3).base_twist}
    if quantity in UNMOVED:
        check_refusal(panda, panda.question(quantity, **motion),
                      "INVALID_OPTION", name)
        panda.ask(quantity, ask.INVERSE_DYNAMICS, **motion)
        return
    still, moved = (panda.ask(quantity, **inputs) for inputs in ({}, motion))
    twist_only = (ask.ENERGY, ask.CENTER_OF_MASS, ask.MOMENTUM,
                  ask.LINK_TWISTS, ask.FRAME_VELOCITY)
    unchanged = quantity in twist_only and name == "base_acceleration"
    assert all(same_bits(rows, getattr(moved, result)) for result, rows in
               vars(still).items()) == unchanged
