"""Friction without a jump."""

import numpy as np
import pytest

from calls import ask
from harness import same_bits
from vectors import close, product
from ways import check_refusal


def test_smooth_friction_is_the_tangent_that_tends_to_the_sign(rusty):
    s, F = rusty.s, rusty.of_joints("friction")
    wanted = (ask.INVERSE_DYNAMICS, ask.BIAS_FORCES, ask.FORWARD_DYNAMICS)
    free = rusty.ask(*wanted, ask.MASS_MATRIX)
    sharp = rusty.ask(*wanted, coulomb=True)
    close(sharp.tau - free.tau, F * np.sign(s.v), 1e-12)
    for e in (0.05, 0.4, 3.0):
        smooth = rusty.ask(*wanted, coulomb=True, smoothing=e)
        drag = F * np.tanh(s.v / e)
        for name in ("tau", "bias"):
            rows = getattr(smooth, name)
            scale = np.abs(rows).max()
            np.testing.assert_allclose(
                rows - getattr(sharp, name), drag - F * np.sign(s.v),
                atol=1e-14 * scale)
            np.testing.assert_allclose(
                rows - getattr(free, name), drag, atol=1e-14 * scale)
        close(product(free.mass_matrix, smooth.a - free.a), -drag, 1e-10)
    nearly = rusty.ask(*wanted, coulomb=True, smoothing=1e-9)
    assert same_bits(nearly.tau, sharp.tau)
    # Where nothing moves, nothing rubs.
    still = rusty.ask(*wanted, coulomb=True, smoothing=1e-9, v=0 * s.v)
    assert same_bits(still.tau, rusty.ask(*wanted, v=0 * s.v).tau)


def test_smooth_friction_has_a_slope_on_the_diagonal(rusty):
    s, F, e = rusty.s, rusty.of_joints("friction"), 0.7
    both = (ask.INVERSE_DYNAMICS_DERIVATIVES, ask.FORWARD_DYNAMICS_DERIVATIVES,
            ask.MASS_MATRIX_INVERSE)
    free, sharp, smooth = (rusty.ask(*both, **choice) for choice in (
        {}, {"coulomb": True}, {"coulomb": True, "smoothing": e}))
    assert same_bits(sharp.dtau_dv, free.dtau_dv)
    slope = np.eye(rusty.n) * (F * (1 - np.tanh(s.v / e)**2) / e)[:, None]
    close(smooth.dtau_dv, free.dtau_dv + slope, 1e-13)
    assert np.abs(slope).max() > 0.1
    assert same_bits(smooth.dtau_dq, free.dtau_dq)
    close(smooth.da_dv, -smooth.mass_matrix_inverse @ smooth.dtau_dv, 1e-11)


@pytest.mark.parametrize("smoothing", [-0.1, np.nan, np.inf])
def test_smoothing_must_be_a_velocity(panda, smoothing):
    check_refusal(
        panda, panda.question(
            ask.INVERSE_DYNAMICS, coulomb=True, smoothing=smoothing),
        "INVALID_OPTION", "options.terms.coulomb_smoothing")


@pytest.mark.parametrize("viscous", [False, True])
def test_smoothing_without_coulomb_friction_is_refused(panda, viscous):
    check_refusal(
        panda, panda.question(
            ask.INVERSE_DYNAMICS, viscous=viscous, smoothing=0.1),
        "INVALID_OPTION", "options.terms.coulomb_smoothing")
