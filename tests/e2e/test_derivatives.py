"""Derivatives of inverse and forward dynamics against differences."""

import numpy as np
import pytest

from calls import FRAMES, ask
from differences import gradient, repeated
from vectors import close


@pytest.mark.parametrize("frame", FRAMES)
def test_derivatives_of_inverse_dynamics_are_gradients_of_torques(arm, frame):
    s = arm.s
    terms = {"wrench_frame": FRAMES[frame], "viscous": True}
    x = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES, wrench=s.wrench, **terms)

    def tau(q=None, v=None):
        q = repeated(s.q, arm.n) if q is None else q
        v = repeated(s.v, arm.n) if v is None else v
        return arm.ask(
            ask.INVERSE_DYNAMICS, wrench=repeated(s.wrench, arm.n), q=q, v=v,
            a=repeated(s.a, arm.n), tau=0 * q, **terms).tau

    close(x.dtau_dq, gradient(lambda q: tau(q=q), s.q), 1e-9)
    close(x.dtau_dv, gradient(lambda v: tau(v=v), s.v), 1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_derivatives_of_forward_dynamics_are_gradients_of_accelerations(
        arm, frame):
    s = arm.s
    terms = {"wrench_frame": FRAMES[frame], "viscous": True}
    x = arm.ask(ask.FORWARD_DYNAMICS_DERIVATIVES, ask.MASS_MATRIX,
                ask.MASS_MATRIX_INVERSE, wrench=s.wrench, **terms)

    def a(**moved):
        states = {name: repeated(getattr(s, name), arm.n)
                  for name in ("q", "v", "tau")} | moved
        return arm.ask(
            ask.FORWARD_DYNAMICS, wrench=repeated(s.wrench, arm.n),
            a=0 * states["q"], **states, **terms).a

    # Differences of quickly changing accelerations are good to so much.
    close(x.da_dq, gradient(lambda q: a(q=q), s.q), 1e-6)
    close(x.da_dv, gradient(lambda v: a(v=v), s.v), 1e-8)
    close(x.da_dtau, gradient(lambda tau: a(tau=tau), s.tau), 1e-8)
    close(x.da_dtau, x.mass_matrix_inverse, 1e-12)
    # Exactly, by the derivatives at the accelerations that the torques cause.
    caused = arm.ask(ask.FORWARD_DYNAMICS, wrench=s.wrench, **terms).a
    y = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES, a=caused, wrench=s.wrench,
                **terms)
    cond = np.linalg.cond(x.mass_matrix).max()
    close(x.da_dq, -np.linalg.solve(x.mass_matrix, y.dtau_dq), 1e-14 * cond)
    close(x.da_dv, -np.linalg.solve(x.mass_matrix, y.dtau_dv), 1e-14 * cond)
