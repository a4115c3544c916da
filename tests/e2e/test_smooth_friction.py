"""When friction without a jump is refused."""

import numpy as np
import pytest

from calls import ask
from ways import check_refusal


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
