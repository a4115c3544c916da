"""Which results a quantity has, what axes they have, and how lagrange.py
computes them."""

import numpy as np

from lagrange import inverse

# Result -> axes of one state's numbers, "n" one for each joint, "m" one for
# each axis of the task; and the function of a Question. Results of the task
# that are no arrays have no axes.
OF_QUANTITY = {
    "INVERSE_DYNAMICS": {"tau": ("n", lambda x: x.state.inverse_dynamics())},
    "MASS_MATRIX": {"mass_matrix": ("nn", lambda x: x.state.mass_matrix())},
    "FORWARD_DYNAMICS": {
        "a": ("n", lambda x: x.state.forward_dynamics(x.tau))},
    "BIAS_FORCES": {"bias": ("n", lambda x: x.state.bias_forces())},
    "FRAME_POSE": {
        "pose": ((3, 4), lambda x: x.state.frame_pose(x.tip_frame)[:3])},
    "JACOBIAN": {
        "jacobian": ((6, "n"), lambda x: x.state.jacobian(*x.frame))},
    "JACOBIAN_DRIFT": {
        "jacobian_drift": (
            (6,), lambda x: x.state.jacobian_drift(*x.frame))},
    "OPERATIONAL_SPACE": {
        "lambda": ("mm", lambda x: x.task.inertia()),
        "eta": ("m", lambda x: x.task.bias()),
        "rank": (None, lambda x: x.task.rank()),
        "rule": (None, lambda x: x.task.rule()),
        "sigma_min": (None, lambda x: x.task.sigma_min())},
    "GRAVITY_FORCES": {"gravity": ("n", lambda x: x.state.gravity_forces())},
    "CORIOLIS_FORCES": {
        "coriolis": ("n", lambda x: x.state.coriolis_forces())},
    "CORIOLIS_MATRIX": {
        "coriolis_matrix": ("nn", lambda x: x.state.coriolis_matrix())},
    "CHRISTOFFEL_SYMBOLS": {
        "christoffel": ("nnn", lambda x: x.state.christoffel())},
    "MASS_MATRIX_RATE": {
        "mass_matrix_rate": ("nn", lambda x: x.state.mass_matrix_rate())},
    "MASS_MATRIX_INVERSE": {
        "mass_matrix_inverse": (
            "nn", lambda x: inverse(x.state.mass_matrix()))},
    "ENERGY": {
        "kinetic_energy": ((1,), lambda x: x.state.kinetic_energy()),
        "potential_energy": ((1,), lambda x: x.state.potential_energy())},
    "CENTER_OF_MASS": {
        "center_of_mass": ((3,), lambda x: x.state.center_of_mass()),
        "center_of_mass_velocity": (
            (3,), lambda x: x.state.center_of_mass_velocity())},
    "MOMENTUM": {"momentum": ((6,), lambda x: x.state.momentum())},
    "MOMENTUM_MATRIX": {
        "momentum_matrix": ((6, "n"), lambda x: x.state.momentum_matrix())},
    "LINK_TWISTS": {
        "link_twists": (("n", 6), lambda x: x.state.link_twists())},
    "LINK_ACCELERATIONS": {
        "link_accelerations": (
            ("n", 6), lambda x: x.state.link_accelerations())},
    "FRAME_VELOCITY": {
        "frame_velocity": (
            (6,), lambda x: x.state.frame_velocity(*x.frame))},
    "FRAME_ACCELERATION": {
        "frame_acceleration": (
            (6,), lambda x: x.state.frame_acceleration(*x.frame)),
        "frame_acceleration_classical": (
            (6,), lambda x: x.state.frame_acceleration_classical(*x.frame))},
    "JACOBIAN_RATE": {
        "jacobian_rate": (
            (6, "n"), lambda x: x.state.jacobian_rate(*x.frame))},
    "JOINT_WRENCHES": {
        "joint_wrenches": (("n", 6), lambda x: x.state.joint_wrenches())},
    "BASE_WRENCH": {"base_wrench": ((6,), lambda x: x.state.base_wrench())},
    "REGRESSOR": {
        "regressor": (("n", "n", 10), lambda x: x.state.regressor())},
    "INVERSE_DYNAMICS_DERIVATIVES": {
        "dtau_dq": ("nn", lambda x: x.state.torque_by_position()),
        "dtau_dv": ("nn", lambda x: x.state.torque_by_velocity())},
    "FORWARD_DYNAMICS_DERIVATIVES": {
        "da_dq": ("nn", lambda x: -inverse(x.state.mass_matrix())
                  @ x.accelerated.torque_by_position()),
        "da_dv": ("nn", lambda x: -inverse(x.state.mass_matrix())
                  @ x.accelerated.torque_by_velocity()),
        "da_dtau": ("nn", lambda x: inverse(x.state.mass_matrix()))},
    "TASK_PROJECTION": {
        "mobility": ("mm", lambda x: x.task.mobility()),
        "consistent_inverse": (
            "nm", lambda x: x.task.consistent_inverse()),
        "null_space_projector": (
            "nn", lambda x: x.task.null_space_projector())},
    "FORWARD_FRAME_ACCELERATION": {
        "forward_frame_acceleration": (
            (6,), lambda x: x.accelerated.total_frame_acceleration(*x.frame))},
    "TASK_TORQUE": {
        "task_torque": ("n", lambda x: x.task.torque(
            x.task_acceleration, x.null_space_torque))},
    "POWER_BALANCE": {
        "power_balance": ((8,), lambda x: x.state.power_balance())},
}

# What solves with the mass matrix.
SOLVED = {"a", "mass_matrix_inverse", "da_dq", "da_dv", "da_dtau", "lambda",
          "eta", "mobility", "consistent_inverse", "null_space_projector",
          "task_torque", "forward_frame_acceleration"}


def permuted(numbers, axes, order):
    """With every axis of the joints in the caller's order."""
    numbers = np.asarray(numbers)
    for axis, size in enumerate(axes):
        if size == "n":
            numbers = np.take(numbers, order, axis)
    return numbers
