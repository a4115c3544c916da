"""Gravity of every state's own."""

import numpy as np

from calls import LINEAR, ask
from harness import failure_of, same_bits, table
from turntable import MOVED, of_each_state
from vectors import close, far
from ways import GRAVITY, WEIGHTLESS, check_refusal


def test_gravity_may_turn_from_state_to_state(turntable):
    t = turntable
    each = of_each_state(t)
    served = t.alone.ask(*MOVED, state_gravity=t.gravity, **t.base)
    for name, rows in each.items():
        close(getattr(served, name), rows, 1e-12)
    # Forward dynamics, the task and the powers meet the same gravity.
    whole = t.whole.ask(ask.INVERSE_DYNAMICS)
    given = t.base | {"state_gravity": t.gravity}
    alone = t.alone.ask(ask.FORWARD_DYNAMICS, **given,
                        tau=whole.tau[:, t.arm_joints])
    close(alone.a, t.alone.s.a, 1e-9)
    power = t.alone.ask(ask.POWER_BALANCE, **given).power_balance
    np.testing.assert_allclose(
        power[:, :2].sum(axis=1), power[:, 2:].sum(axis=1), rtol=1e-10,
        atol=1e-9)
    # Twin: it is no acceleration of the base, which moves the tip.
    lifted = t.base
    lifted["base_acceleration"] = lifted["base_acceleration"].copy()
    lifted["base_acceleration"][:, 3:] -= t.gravity
    twin = t.alone.ask(*MOVED, gravity=WEIGHTLESS, **lifted)
    close(twin.tau, served.tau, 1e-11)
    far(twin.frame_acceleration, served.frame_acceleration)


def test_gravity_of_the_states_stands_in_for_that_of_the_terms(rusty):
    weights = (ask.INVERSE_DYNAMICS, ask.GRAVITY_FORCES, ask.ENERGY,
               ask.BIAS_FORCES, ask.REGRESSOR, ask.OPERATIONAL_SPACE,
               ask.INVERSE_DYNAMICS_DERIVATIVES)
    other = {"axes": LINEAR, "gravity": (30, 40, 50)}
    of_terms = rusty.ask(*weights, axes=LINEAR)
    of_states = rusty.ask(*weights, **other, state_gravity=np.array([GRAVITY]))
    for name, rows in vars(of_terms).items():
        close(getattr(of_states, name), rows, 1e-9)
    far(rusty.ask(*weights, **other).tau, of_terms.tau)


def test_gravity_of_the_states_is_checked(panda):
    for rows, reason in ((np.zeros((3, 2)), "WRONG_COLUMN_COUNT"),
                         (np.zeros((2, 3)), "WRONG_ROW_COUNT")):
        failure = failure_of(
            panda.client.dynamics.Compute, panda.question(
                ask.INVERSE_DYNAMICS, state_gravity=rows).request())
        assert (failure.reason, failure.fields) == (reason, ["gravity"])
    given = np.tile(GRAVITY, (3, 1))
    check_refusal(panda, panda.question(ask.MASS_MATRIX, state_gravity=given),
                  "INVALID_OPTION", "gravity")
    clean = panda.ask(ask.INVERSE_DYNAMICS, state_gravity=given)
    given[1, 2] = np.nan
    reply = panda.client.dynamics.Compute(panda.question(
        ask.INVERSE_DYNAMICS, state_gravity=given).request())
    status, = reply.row_status
    assert (status.row, status.field, status.joint) == (1, "gravity", "")
    tau = table(reply.results.tau)
    assert np.isnan(tau[1]).all()
    assert same_bits(tau[[0, 2]], clean.tau[[0, 2]])
