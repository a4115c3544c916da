"""Gravity of every state's own."""

import numpy as np

from calls import LINEAR, ask
from harness import failure_of, same_bits, table
from ways import GRAVITY, check_refusal


def close(actual, expected, relative=1e-12):
    """Within so much, which may differ from state to state, of the largest
    number of each state."""
    assert actual.shape == expected.shape
    over = tuple(range(1, expected.ndim))
    size = np.maximum(np.abs(expected).max(axis=over), 1e-300)
    error = np.abs(actual - expected).max(axis=over) / size
    assert (error <= relative).all(), error.max()


def far(actual, expected):
    """Of twins: not nearly the same, in any state."""
    over = tuple(range(1, expected.ndim))
    size = np.abs(expected).max(axis=over)
    assert (np.abs(actual - expected).max(axis=over) > 1e-3 * size).all()


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
