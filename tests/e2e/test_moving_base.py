"""A base that moves: what it changes, and where it is refused."""

import pytest

from calls import ALL_QUANTITIES, ask, quantity_name
from harness import same_bits
from surroundings import Surroundings
from ways import check_refusal
UNMOVED = (
    ask.MASS_MATRIX, ask.FRAME_POSE, ask.JACOBIAN, ask.GRAVITY_FORCES,
    ask.CORIOLIS_MATRIX, ask.CHRISTOFFEL_SYMBOLS, ask.MASS_MATRIX_RATE,
    ask.MASS_MATRIX_INVERSE, ask.MOMENTUM_MATRIX, ask.JACOBIAN_RATE,
    ask.TASK_PROJECTION)


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
