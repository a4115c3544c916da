"""Wrenches on the links of a robot: where they act, and where they are refused."""

import numpy as np
import pytest

import robots
from calls import ALL_QUANTITIES, UNDER_WRENCHES, ask, quantity_name, register
from harness import same_bits
from surroundings import Surroundings
from ways import Robot, check_refusal, place


def test_places_for_which_no_wrenches_come_change_nothing(rusty):
    plain = rusty.ask(ask.INVERSE_DYNAMICS, ask.MASS_MATRIX)
    waiting = rusty.ask(ask.INVERSE_DYNAMICS, ask.MASS_MATRIX,
                        places=rusty.places)
    assert same_bits(plain.tau, waiting.tau)
    assert same_bits(plain.mass_matrix, waiting.mass_matrix)


@pytest.mark.parametrize("quantity", ALL_QUANTITIES, ids=quantity_name)
def test_wrenches_change_what_is_under_them_and_are_refused_elsewhere(
        panda, quantity):
    given = {"places": [place("panda_link3")],
             "external_wrenches_on_robot": Surroundings(3).wrenches[:, :6]}
    if quantity not in UNDER_WRENCHES:
        check_refusal(panda, panda.question(quantity, **given),
                      "INVALID_OPTION", "external_wrenches_on_robot")
        return
    free, pressed = (panda.ask(quantity, **inputs) for inputs in ({}, given))
    assert vars(free).keys() == vars(pressed).keys()
    assert not all(same_bits(rows, getattr(pressed, result))
                   for result, rows in vars(free).items())


def test_wrenches_need_places(panda):
    for columns in (6, 12):
        check_refusal(panda, panda.question(
            ask.INVERSE_DYNAMICS,
            external_wrenches_on_robot=np.zeros((1, columns))),
            "INVALID_OPTION", "external_wrenches_on_robot")


@pytest.mark.parametrize("quantity", [ask.INVERSE_DYNAMICS, ask.MASS_MATRIX])
def test_places_must_exist(panda, quantity):
    places = [place("panda_link3"), place("elbow")]
    failure = check_refusal(
        panda, panda.question(quantity, places=places), "UNKNOWN_FRAME",
        "options.external_wrenches[1].frame")
    assert "'elbow'" in failure.violations[0][1]
    check_refusal(
        panda, panda.question(
            quantity, places=[place(), place(reference=9)]),
        "INVALID_OPTION", "options.external_wrenches[1].reference_frame")
    q = {name: None for name in ("v", "a", "tau")}
    panda.ask(quantity, places=256 * [place("panda_link3")], **q)
    failure = check_refusal(
        panda, panda.question(quantity, places=257 * [place()], **q),
        "INVALID_OPTION", "options.external_wrenches")
    assert "256" in failure.violations[0][1]


def test_a_place_without_a_name_needs_a_tip(client):
    register(client, "forked", robots.forked())
    forked = Robot.of(client, "forked", 2)
    wrench = {"external_wrenches_on_robot": np.ones((1, 12))}
    left, right = place("left_hand"), place("right_hand")
    named = forked.ask(ask.INVERSE_DYNAMICS, places=[left, right], **wrench)
    check_refusal(
        forked, forked.question(
            ask.INVERSE_DYNAMICS, places=[left, place()], **wrench),
        "TIP_FRAME_REQUIRED", "options.external_wrenches[1].frame")
    tipped = forked.ask(ask.INVERSE_DYNAMICS, places=[left, place()],
                        tip_frame="right_hand", **wrench)
    assert same_bits(tipped.tau, named.tau)
