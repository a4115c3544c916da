"""Torques for an acceleration of the task."""

import numpy as np
import pytest

from calls import FRAMES, LINEAR, OF_THE_TASK, ask
from vectors import close, far, product, transposed

AXES = tuple(range(1, 7))  # angular x, y, z, linear x, y, z
TASKS = {
    "ur5e": [(), LINEAR, (6, 2)],
    "panda": [(), LINEAR, (5, 3, 1, 4)],
    "crane": [LINEAR, (6,), (4, 5)]}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "surrounded"])
def test_torques_of_a_task_accelerate_it_as_wanted(rusty, frame, alone):
    s, given = rusty.s, {} if alone else rusty.everything
    given = given | {"reference_frame": FRAMES[frame]}
    for axes in TASKS[rusty.kind]:
        rows = [axis - 1 for axis in axes or AXES]
        wanted = s.task_acceleration[:, :len(rows)]

        def torque(null_space):
            return rusty.ask(
                ask.TASK_TORQUE, ask.TASK_PROJECTION, axes=axes, **given,
                task_acceleration=wanted, null_space_torque=null_space)

        def caused(tau):
            return rusty.ask(ask.FORWARD_FRAME_ACCELERATION, tau=tau,
                             **given).forward_frame_acceleration[:, rows]

        bare = torque(None)
        # As exact as W can be inverted.
        relative = 1e-12 * np.linalg.cond(bare.mobility)
        assert relative.max() < 1e-4
        close(caused(bare.task_torque), wanted, relative)
        for null_space in (s.null_space_torque, -3 * s.tau):
            driven = torque(null_space)
            close(caused(driven.task_torque), wanted, relative)
            N = driven.null_space_projector
            kept = product(transposed(N), null_space)
            close(driven.task_torque, bare.task_torque + kept, relative)
            if len(rows) < rusty.n - 1:
                far(driven.task_torque, bare.task_torque)
            # Twin: what is not projected disturbs the task.
            far(caused(bare.task_torque + null_space), wanted)


def test_what_a_task_wants_is_nothing_unless_it_is_given(rusty):
    zero = np.zeros((1, 3))
    absent, given = (rusty.ask(
        ask.TASK_TORQUE, axes=LINEAR, task_acceleration=wanted,
        null_space_torque=null_space).task_torque
        for wanted, null_space in (
            (None, None), (zero, np.zeros((1, rusty.n)))))
    close(given, absent, 1e-13)
    # All of J^T eta, then.
    x = rusty.ask(ask.OPERATIONAL_SPACE, ask.JACOBIAN, axes=LINEAR)
    close(product(transposed(x.jacobian[:, 3:]), x.eta), absent, 1e-9)


@pytest.mark.parametrize("damping", [0, 0.3])
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "surrounded"])
def test_a_singular_task_is_driven_by_the_inertia_of_its_rule(
        rusty, damping, alone):
    s, given = rusty.s, {} if alone else rusty.everything
    # All six axes, of arms that are stretched or have too few joints.
    given = given | {"q": 0 * s.q}
    wanted, null_space = s.task_acceleration, s.null_space_torque
    x = rusty.ask(
        ask.TASK_TORQUE, ask.OPERATIONAL_SPACE, ask.JACOBIAN,
        ask.JACOBIAN_DRIFT, ask.MASS_MATRIX_INVERSE, singular=True,
        damping=damping, task_acceleration=wanted,
        null_space_torque=null_space, **given)
    h = rusty.ask(ask.INVERSE_DYNAMICS, a=None, **given).tau  # with wrenches
    lam = getattr(x, "lambda")
    free = product(x.jacobian @ x.mass_matrix_inverse, null_space - h)
    force = product(lam, wanted - x.jacobian_drift - free)
    close(x.task_torque,
          null_space + product(transposed(x.jacobian), force), 1e-9)
    caused = rusty.ask(ask.FORWARD_FRAME_ACCELERATION, tau=x.task_torque,
                       **given).forward_frame_acceleration
    far(caused, wanted)
    # As far as the arm can move there, unless the rule is a compromise.
    range_ = x.jacobian @ np.linalg.pinv(x.jacobian, rcond=1e-8)
    reached = product(range_, caused - wanted)
    size = np.abs(wanted).max()
    assert (np.abs(reached).max() < 1e-7 * size) == (damping == 0)


@pytest.mark.parametrize("quantity", OF_THE_TASK)
def test_the_echo_tells_of_the_task(panda, quantity):
    question = panda.question(quantity, axes=(6, 1))
    echo = panda.client.dynamics.Compute(question.request()).echo
    assert list(echo.operational_space.axes) == [6, 1]
    assert echo.operational_space.rank_tolerance == 1e-6
    assert echo.tip_frame == panda.info.tip_frame
    other = panda.client.dynamics.Compute(
        panda.question(ask.POWER_BALANCE).request()).echo
    assert not other.HasField("operational_space") and not other.tip_frame
