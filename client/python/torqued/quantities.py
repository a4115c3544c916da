"""What each quantity returns, and in which shape."""

from __future__ import annotations

from typing import NamedTuple, Union

from torqued.enums import Quantity

# An axis of one state's numbers: so many, "n" for one each joint, "m" for one
# each axis of the task, "10n" for ten each joint.
Axis = Union[int, str]


class ResultShape(NamedTuple):
    """A field of the wire's `Results` and the axes of one state's numbers.

    A pose travels as 3 x 4 and becomes 4 x 4; see evaluation.py.
    """

    field: str
    axes: tuple[Axis, ...]

    def columns(self, n: int, m: int) -> int:
        """Numbers per row."""
        sizes = {"n": n, "m": m, "10n": 10 * n}
        product = 1
        for axis in self.axes:
            product *= axis if isinstance(axis, int) else sizes[axis]
        return product

    def shape(self, n: int, m: int) -> tuple[int, ...]:
        sizes = {"n": n, "m": m, "10n": 10 * n}
        return tuple(axis if isinstance(axis, int) else sizes[axis]
                     for axis in self.axes)


_Q = Quantity
_NN = ("n", "n")

_FIELDS: dict[Quantity, list[tuple[str, tuple[Axis, ...]]]] = {
    _Q.INVERSE_DYNAMICS: [("tau", ("n",))],
    _Q.MASS_MATRIX: [("mass_matrix", _NN)],
    _Q.FORWARD_DYNAMICS: [("a", ("n",))],
    _Q.BIAS_FORCES: [("bias", ("n",))],
    _Q.FRAME_POSE: [("pose", (3, 4))],
    _Q.JACOBIAN: [("jacobian", (6, "n"))],
    _Q.JACOBIAN_DRIFT: [("jacobian_drift", (6,))],
    _Q.OPERATIONAL_SPACE: [("lambda", ("m", "m")), ("eta", ("m",))],
    _Q.GRAVITY_FORCES: [("gravity", ("n",))],
    _Q.CORIOLIS_FORCES: [("coriolis", ("n",))],
    _Q.CORIOLIS_MATRIX: [("coriolis_matrix", _NN)],
    _Q.CHRISTOFFEL_SYMBOLS: [("christoffel", ("n", "n", "n"))],
    _Q.MASS_MATRIX_RATE: [("mass_matrix_rate", _NN)],
    _Q.MASS_MATRIX_INVERSE: [("mass_matrix_inverse", _NN)],
    _Q.ENERGY: [("kinetic_energy", ()), ("potential_energy", ())],
    _Q.CENTER_OF_MASS: [("center_of_mass", (3,)),
                        ("center_of_mass_velocity", (3,))],
    _Q.MOMENTUM: [("momentum", (6,))],
    _Q.MOMENTUM_MATRIX: [("momentum_matrix", (6, "n"))],
    _Q.LINK_TWISTS: [("link_twists", ("n", 6))],
    _Q.LINK_ACCELERATIONS: [("link_accelerations", ("n", 6))],
    _Q.FRAME_VELOCITY: [("frame_velocity", (6,))],
    _Q.FRAME_ACCELERATION: [("frame_acceleration", (6,)),
                            ("frame_acceleration_classical", (6,))],
    _Q.JACOBIAN_RATE: [("jacobian_rate", (6, "n"))],
    _Q.JOINT_WRENCHES: [("joint_wrenches", ("n", 6))],
    _Q.BASE_WRENCH: [("base_wrench", (6,))],
    _Q.REGRESSOR: [("regressor", ("n", "10n"))],
    _Q.INVERSE_DYNAMICS_DERIVATIVES: [("dtau_dq", _NN), ("dtau_dv", _NN)],
    _Q.FORWARD_DYNAMICS_DERIVATIVES: [
        ("da_dq", _NN), ("da_dv", _NN), ("da_dtau", _NN)],
    _Q.TASK_PROJECTION: [("mobility", ("m", "m")),
                         ("consistent_inverse", ("n", "m")),
                         ("null_space_projector", _NN)],
    _Q.FORWARD_FRAME_ACCELERATION: [("forward_frame_acceleration", (6,))],
    _Q.TASK_TORQUE: [("task_torque", ("n",))],
    _Q.POWER_BALANCE: [("power_balance", (8,))],
}

ARRAYS: dict[Quantity, tuple[ResultShape, ...]] = {
    quantity: tuple(ResultShape(field, axes) for field, axes in fields)
    for quantity, fields in _FIELDS.items()
}

#: Quantities that operational-space options are for.
OF_THE_TASK = frozenset({
    Quantity.OPERATIONAL_SPACE, Quantity.TASK_PROJECTION, Quantity.TASK_TORQUE})


def bytes_per_row(quantities: tuple[Quantity, ...], n: int, m: int,
                  sigma_min: bool) -> int:
    """Of the arrays of a reply."""
    count = 0
    for quantity in quantities:
        count += sum(shape.columns(n, m) for shape in ARRAYS[quantity])
        if quantity is Quantity.OPERATIONAL_SPACE:
            # Rank and rule take a byte or two.
            count += 2 if sigma_min else 1
    return 8 * count
