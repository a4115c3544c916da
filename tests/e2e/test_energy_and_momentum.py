"""Energy, momentum and centre of mass, and what changes them."""

import numpy as np
import pytest

from calls import FRAMES, ask
from differences import gradient
from theory import GRAVITY
from vectors import close, dot, product


def test_kinetic_energy_is_the_form_of_the_mass_matrix(arm, all_of):
    close(all_of.kinetic_energy,
          dot(arm.s.v, product(all_of.mass_matrix, arm.s.v)) / 2, 1e-13)


def test_gravity_forces_are_the_gradient_of_potential_energy(arm, all_of):
    by_q = gradient(
        lambda q: arm.ask(ask.ENERGY, q=q, v=0 * q, a=0 * q,
                          tau=0 * q).potential_energy, arm.s.q)
    close(by_q, all_of.gravity, 1e-10)
    close(-arm.info.moving_mass * all_of.center_of_mass @ GRAVITY,
          all_of.potential_energy, 1e-13)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_power_of_torques_goes_into_energy_and_the_environment(
        arm, frame):
    s = arm.s
    tau = arm.ask(ask.INVERSE_DYNAMICS, wrench=s.wrench,
                  wrench_frame=FRAMES[frame], viscous=True).tau
    twist = arm.ask(ask.FRAME_VELOCITY,
                    reference_frame=FRAMES[frame]).frame_velocity

    def energy(q, v):
        x = arm.ask(ask.ENERGY, q=q, v=v)
        return x.kinetic_energy + x.potential_energy

    damping = np.array([joint.damping for joint in arm.info.joints])
    supplied = (dot(tau, s.v) - dot(s.v, damping * s.v)
                - dot(s.wrench, twist))
    close(arm.rate(energy), supplied, 1e-8)
    assert np.abs(dot(s.wrench, twist)).max() > 1


def test_momentum_is_its_matrix_times_the_velocity(arm, all_of):
    close(product(all_of.momentum_matrix, arm.s.v), all_of.momentum, 1e-13)
    close(all_of.momentum[:, 3:] / arm.info.moving_mass,
          all_of.center_of_mass_velocity, 1e-13)
    path = arm.rate(
        lambda q, v: arm.ask(ask.CENTER_OF_MASS, q=q, v=v).center_of_mass)
    close(path, all_of.center_of_mass_velocity, 1e-9)


@pytest.mark.parametrize("frame", FRAMES)
def test_the_wrench_of_the_base_changes_the_momentum(arm, all_of, frame):
    """Newton and Euler for the whole robot, about its centre of mass."""
    base = arm.ask(ask.BASE_WRENCH, wrench=arm.s.wrench,
                   wrench_frame=FRAMES[frame]).base_wrench
    # On the environment, about the base's origin and in its axes.
    pose = all_of.pose
    R, p = pose[:, :, :3], pose[:, :, 3]
    moment, force = arm.s.wrench[:, :3], arm.s.wrench[:, 3:]
    if frame == "local":
        moment, force = product(R, moment), product(R, force)
    if frame != "world":
        moment = moment + np.cross(p, force)
    weight = arm.info.moving_mass * GRAVITY
    applied = base[:, 3:] - force + weight
    center = all_of.center_of_mass
    turning = (base[:, :3] - moment) - np.cross(center, base[:, 3:] - force)
    rate = arm.rate(lambda q, v: arm.ask(ask.MOMENTUM, q=q, v=v).momentum)
    close(rate, np.concatenate([turning, applied], axis=1), 1e-8)
