"""Torques from the matrices of the equation of motion."""

import numpy as np

from calls import ask, compute, numbers, options
from differences import gradient
from harness import same_bits
from vectors import close, product, transposed


def test_torque_is_mass_times_acceleration_plus_coriolis_plus_gravity(
        arm, all_of):
    x, s = all_of, arm.s
    close(product(x.mass_matrix, s.a) + product(x.coriolis_matrix, s.v)
          + x.gravity, x.tau, 1e-13)
    close(x.coriolis + x.gravity, x.bias, 1e-13)
    still = arm.ask(ask.BIAS_FORCES, v=0 * s.v).bias
    close(x.gravity, still, 1e-13)
    close(product(x.coriolis_matrix, s.v), x.coriolis, 1e-13)
    # Without weight nothing is left of g, all of c.
    weightless = numbers(compute(
        arm.client, arm.name, [ask.GRAVITY_FORCES, ask.CORIOLIS_FORCES],
        q=s.q, v=s.v, options=options(gravity=(0, 0, 0))).results, arm.n)
    assert not weightless.gravity.any()
    assert same_bits(weightless.coriolis, x.coriolis)


def test_friction_is_no_part_of_gravity_and_coriolis_forces(arm, all_of):
    choice = {"viscous": True, "coulomb": True}
    rusty = arm.ask(ask.GRAVITY_FORCES, ask.CORIOLIS_FORCES,
                    ask.JOINT_WRENCHES, ask.BIAS_FORCES, **choice)
    assert same_bits(rusty.gravity, all_of.gravity)
    assert same_bits(rusty.coriolis, all_of.coriolis)
    assert same_bits(rusty.joint_wrenches, all_of.joint_wrenches)
    drag = np.array([joint.damping for joint in arm.info.joints]) * arm.s.v
    assert (arm.name == "crane") == drag.any()
    close(rusty.bias - drag, all_of.bias, 1e-13)


def test_mass_rate_minus_twice_coriolis_is_skew(all_of):
    difference = all_of.mass_matrix_rate - 2 * all_of.coriolis_matrix
    size = np.abs(all_of.coriolis_matrix).max(axis=(1, 2), keepdims=True)
    assert (np.abs(difference + transposed(difference)) <= 2e-14 * size).all()
    close(all_of.coriolis_matrix + transposed(all_of.coriolis_matrix),
          all_of.mass_matrix_rate, 2e-14)
    assert same_bits(all_of.mass_matrix_rate,
                     transposed(all_of.mass_matrix_rate))
    # C itself is no such matrix.
    assert np.abs(all_of.coriolis_matrix + transposed(
        all_of.coriolis_matrix)).max() > 1e-3


def test_christoffel_symbols_are_those_of_the_gradient_of_mass(arm, all_of):
    by_q = gradient(
        lambda q: arm.ask(
            ask.MASS_MATRIX, q=q, v=0 * q, a=0 * q, tau=0 * q).mass_matrix,
        arm.s.q)  # dm_ij / dq_k at [state, i, j, k]
    symbols = all_of.christoffel
    expected = (by_q + by_q.swapaxes(2, 3)
                - np.moveaxis(by_q, (1, 2, 3), (2, 3, 1))) / 2
    close(symbols, expected, 2e-11)
    assert same_bits(symbols, symbols.swapaxes(2, 3))
    close(np.einsum("sijk,sk->sij", symbols, arm.s.v),
          all_of.coriolis_matrix, 1e-13)
    close(np.einsum("sijk,sk->sij", by_q, arm.s.v),
          all_of.mass_matrix_rate, 2e-11)


def test_the_inverse_of_the_mass_matrix_inverts_it(arm, all_of):
    inverse, M = all_of.mass_matrix_inverse, all_of.mass_matrix
    assert same_bits(inverse, transposed(inverse))
    error = np.abs(inverse @ M - np.eye(arm.n)).max(axis=(1, 2))
    assert (error <= 1e-15 * np.linalg.cond(M)).all()
    free = arm.ask(ask.FORWARD_DYNAMICS).a
    driven = product(inverse, arm.s.tau - all_of.bias)
    assert (np.abs(free - driven).max(axis=1)
            <= 1e-15 * np.linalg.cond(M) * np.abs(free).max(axis=1)).all()
