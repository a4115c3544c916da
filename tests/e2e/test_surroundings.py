"""What surrounds a robot and drives it: a base that moves, wrenches on its
links, a task that accelerates as wanted, friction, and where the energy goes.
Every law is asked of the server in all the ways of ways.py."""

import dataclasses

import numpy as np
import pytest
from torqued.v1 import dynamics_pb2 as pb

import robots
import streams
from calls import ALL_QUANTITIES, FRAMES, RESULT_ARRAYS, States, ask, register
from harness import failure_of, same_bits, table
from ways import GRAVITY, LOCAL, Robot, place

ALIGNED = pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED
WORLD = pb.REFERENCE_FRAME_WORLD
WEIGHTLESS = (0.0, 0.0, 0.0)
ROWS = 9
AXES = tuple(range(1, 7))  # angular x, y, z, linear x, y, z
LINEAR = (pb.TASK_AXIS_LINEAR_X, pb.TASK_AXIS_LINEAR_Y, pb.TASK_AXIS_LINEAR_Z)


def product(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


def dot(a, b):
    return (a * b).sum(axis=-1)


def transposed(matrix):
    return np.swapaxes(matrix, -1, -2)


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


def adjoint(R, p):
    """Of a pose: takes the twists (angular; linear) of its frame out of it."""
    zero = np.zeros_like(R)
    x, y, z = np.moveaxis(p, -1, 0)
    o = np.zeros_like(x)
    cross = np.stack([np.stack(row, axis=-1) for row in (
        (o, -z, y), (z, o, -x), (-y, x, o))], axis=-2)
    return np.concatenate([
        np.concatenate([R, zero], axis=-1),
        np.concatenate([cross @ R, R], axis=-1)], axis=-2)


# --- The robots --------------------------------------------------------------

TIPS = {"ur5e": "", "panda": "", "crane": "hook"}
# Links at which wrenches act, beside the tip (""): on another branch than it,
# welded on, and the base.
LINKS = {"ur5e": ["forearm_link", "base_link", "", ""],
         "panda": ["panda_link3", "panda_link0", "", ""],
         "crane": ["lamp", "counterweight", "base", ""]}


@dataclasses.dataclass
class Surroundings:
    """Random ones for so many states."""

    rows: int

    def __post_init__(self):
        random = np.random.default_rng(5)
        self.base_twist = random.uniform(-1, 1, (self.rows, 6))
        self.base_acceleration = random.uniform(-3, 3, (self.rows, 6))
        self.wrenches = random.uniform(-10, 10, (self.rows, 24))


class Arm(Robot):
    """With friction in all joints, for those who ask for it."""

    @property
    def kind(self):
        return self.info.name.removeprefix("rusty_")

    @property
    def root(self):
        return self.info.frames[0]

    @property
    def places(self):
        """Four of them, in all reference frames."""
        return [place(*where) for where in zip(
            LINKS[self.kind], [WORLD, ALIGNED, LOCAL, WORLD])]

    @property
    def wrenches(self):
        return Surroundings(ROWS).wrenches

    @property
    def base(self):
        """A motion of the base."""
        around = Surroundings(ROWS)
        return {"base_twist": around.base_twist,
                "base_acceleration": around.base_acceleration}

    @property
    def everything(self):
        """All that can act on a robot at once."""
        return self.base | {
            "places": self.places,
            "external_wrenches_on_robot": self.wrenches,
            "tip_wrench_on_environment": self.s.wrench,
            "wrench_frame": ALIGNED, "viscous": True, "coulomb": True,
            "smoothing": 0.4}

    def gradient(self, function, at):
        """d/dx of function(x) -> [state, ...] by differences of fourth order,
        [state, ..., n]: x goes to the server in one batch."""
        step, count = 1e-3, at.shape[1]
        shifts = np.array([-2, -1, 1, 2])[:, None, None] * step * np.eye(count)
        weights = np.array([1, -8, 8, -1]) / (12 * step)
        many = at[None, None] + shifts[:, :, None]
        values = function(many.reshape(-1, count))
        values = values.reshape(4, count, len(at), *values.shape[1:])
        return np.moveaxis(np.tensordot(weights, values, 1), 0, -1)

    def repeated(self, given):
        """Inputs and options for the function that gradient() calls."""
        return {name: np.tile(rows, (4 * self.n, 1))
                if isinstance(rows, np.ndarray) else rows
                for name, rows in given.items()}


def arm_of(client, name, source, tip=""):
    register(client, name, source)
    return Arm.of(client, name, ROWS, tip)


@pytest.fixture(scope="module", params=TIPS)
def arm(request, client):
    name = request.param
    if name == "crane":
        register(client, "crane", robots.crane())
    source = Arm.of(client, name, 1).source
    return arm_of(client, f"rusty_{name}", robots.rusty(source), TIPS[name])


# --- A base that moves -------------------------------------------------------

LIFTED = (ask.INVERSE_DYNAMICS, ask.FORWARD_DYNAMICS, ask.BIAS_FORCES,
          ask.JOINT_WRENCHES, ask.BASE_WRENCH, ask.REGRESSOR,
          ask.INVERSE_DYNAMICS_DERIVATIVES, ask.FORWARD_DYNAMICS_DERIVATIVES)


def test_a_base_that_is_pushed_up_weighs_as_gravity_does(arm):
    heavy = arm.ask(*LIFTED)
    up = np.array([[0, 0, 0, *np.negative(GRAVITY)]])
    lifted = arm.ask(*LIFTED, ask.CORIOLIS_FORCES, gravity=WEIGHTLESS,
                     base_acceleration=np.tile(up, (ROWS, 1)))
    for name, rows in vars(heavy).items():
        close(getattr(lifted, name), rows, 1e-11)
    # Which sees the acceleration but no gravity.
    close(lifted.coriolis, heavy.bias)
    # One row serves all states.
    served = arm.ask(*LIFTED, gravity=WEIGHTLESS, base_acceleration=up)
    for name, rows in vars(served).items():
        assert same_bits(rows, getattr(lifted, name)), name
    far(arm.ask(*LIFTED, gravity=WEIGHTLESS).tau, heavy.tau)


def test_a_base_at_rest_is_the_same_as_none(arm):
    still = {"base_twist": np.zeros((1, 6)),
             "base_acceleration": np.zeros((1, 6))}
    for quantity in ALL_QUANTITIES:
        if quantity in UNMOVED:
            continue
        of_task = {"axes": LINEAR} if quantity in OF_THE_TASK else {}
        none, given = (arm.ask(quantity, **of_task, **inputs)
                       for inputs in ({}, still))
        for name, rows in vars(none).items():
            close(getattr(given, name), rows, 1e-9)


MOVED = (ask.INVERSE_DYNAMICS, ask.JOINT_WRENCHES, ask.BASE_WRENCH,
         ask.FRAME_VELOCITY, ask.FRAME_ACCELERATION, ask.FRAME_POSE,
         ask.ENERGY, ask.CENTER_OF_MASS, ask.MOMENTUM, ask.LINK_TWISTS,
         ask.LINK_ACCELERATIONS)


@dataclasses.dataclass
class Turntable:
    """An arm on a table that turns, and the same arm alone."""

    whole: Arm
    alone: Arm

    def __post_init__(self):
        s = States(self.whole.n, ROWS, seed=23)
        self.whole.s = s
        self.turn = self.whole.joints.index("table_turn")
        # Joints of the arm alone, as they stand in the whole.
        self.arm_joints = [
            self.whole.joints.index(name) for name in self.alone.joints]
        for name in ("q", "v", "a", "tau"):
            setattr(self.alone.s, name, getattr(s, name)[:, self.arm_joints])
        pose = self.whole.ask(ask.FRAME_POSE, tip_frame=self.alone.root).pose
        self.R, self.p = pose[:, :, :3], pose[:, :, 3]
        # The screw of the table's joint in the axes of the arm's base.
        self.screw = self.whole.ask(
            ask.JACOBIAN, tip_frame=self.alone.root).jacobian[:, :, self.turn]

    @property
    def base(self):
        return {"base_twist": self.screw * self.whole.s.v[:, [self.turn]],
                "base_acceleration":
                self.screw * self.whole.s.a[:, [self.turn]]}

    @property
    def gravity(self):
        """In axes of the arm's base, which turns."""
        return transposed(self.R) @ np.array(GRAVITY)


@pytest.fixture(scope="module")
def turntable(arm, client):
    name = arm.info.name
    whole = arm_of(client, f"{name}_on_a_table",
                   robots.on_turntable(arm.source), arm.tip or
                   arm.info.tip_frame)
    alone = Arm.of(client, name, ROWS, whole.tip)
    return Turntable(whole, alone)


def of_each_state(turntable, **choices):
    """What the arm alone answers, each state under gravity of its own."""
    alone, s = turntable.alone, turntable.alone.s
    answers = []
    for k, gravity in enumerate(turntable.gravity):
        row = slice(k, k + 1)
        answers.append(vars(alone.ask(
            *MOVED, gravity=tuple(gravity), q=s.q[row], v=s.v[row],
            a=s.a[row], tau=s.tau[row], **choices,
            **{name: rows[row] for name, rows in turntable.base.items()})))
    return {name: np.concatenate([answer[name] for answer in answers])
            for name in answers[0]}


@pytest.mark.parametrize("frame", FRAMES)
def test_an_arm_on_a_turntable_is_an_arm_on_a_moving_base(turntable, frame):
    t, reference = turntable, FRAMES[frame]
    whole = t.whole.ask(*MOVED, reference_frame=reference)
    alone = of_each_state(t, reference_frame=reference)
    close(whole.tau[:, t.arm_joints], alone["tau"], 1e-11)
    for name in ("joint_wrenches", "link_twists", "link_accelerations"):
        close(getattr(whole, name)[:, t.arm_joints], alone[name], 1e-11)
    # All that moves on the table is the arm: its joint feels the arm's base.
    close(whole.tau[:, [t.turn]], dot(t.screw, alone["base_wrench"])[:, None],
          1e-10)
    # The arm alone knows the axes of its own base only.
    turned = adjoint(t.R, 0 * t.p)
    out = {"local": np.eye(6), "world_aligned": turned,
           "world": adjoint(t.R, t.p)}[frame]
    names = ["frame_velocity", "frame_acceleration"]
    if frame != "world":  # there it is that of a point at the base's origin
        names.append("frame_acceleration_classical")
    for name in names:
        close(getattr(whole, name), product(out, alone[name]), 1e-11)
    close(whole.momentum, product(turned, alone["momentum"]), 1e-11)
    close(whole.center_of_mass_velocity,
          product(t.R, alone["center_of_mass_velocity"]), 1e-11)
    close(whole.kinetic_energy, alone["kinetic_energy"], 1e-12)
    lifted = t.alone.info.moving_mass * (t.p @ np.array(GRAVITY))
    np.testing.assert_allclose(
        whole.potential_energy, alone["potential_energy"] - lifted, rtol=1e-11,
        atol=1e-11)
    # Twins: a base at rest, and gravity that does not turn with it.
    still = t.alone.ask(*MOVED, reference_frame=reference)
    for name in ("tau", "joint_wrenches", "frame_velocity",
                 "frame_acceleration", "kinetic_energy"):
        far(getattr(still, name), alone[name])
    far(t.alone.ask(ask.INVERSE_DYNAMICS, **t.base).tau, alone["tau"])


def test_gravity_may_turn_from_state_to_state(turntable):
    t = turntable
    each = of_each_state(t)
    served = t.alone.ask(*MOVED, state_gravity=t.gravity, **t.base)
    for name, rows in each.items():
        close(getattr(served, name), rows, 1e-12)
    # Forward dynamics, the task and the powers meet the same gravity.
    whole = t.whole.ask(ask.INVERSE_DYNAMICS)
    given = t.base | {"state_gravity": t.gravity}
    alone = t.alone.ask(ask.FORWARD_DYNAMICS, **given,
                        tau=whole.tau[:, t.arm_joints])
    close(alone.a, t.alone.s.a, 1e-9)
    power = t.alone.ask(ask.POWER_BALANCE, **given).power_balance
    np.testing.assert_allclose(
        power[:, :2].sum(axis=1), power[:, 2:].sum(axis=1), rtol=1e-10,
        atol=1e-9)
    # Twin: it is no acceleration of the base, which moves the tip.
    lifted = t.base
    lifted["base_acceleration"] = lifted["base_acceleration"].copy()
    lifted["base_acceleration"][:, 3:] -= t.gravity
    twin = t.alone.ask(*MOVED, gravity=WEIGHTLESS, **lifted)
    close(twin.tau, served.tau, 1e-11)
    far(twin.frame_acceleration, served.frame_acceleration)


def test_gravity_of_the_states_stands_in_for_that_of_the_terms(arm):
    weights = (ask.INVERSE_DYNAMICS, ask.GRAVITY_FORCES, ask.ENERGY,
               ask.BIAS_FORCES, ask.REGRESSOR, ask.OPERATIONAL_SPACE,
               ask.INVERSE_DYNAMICS_DERIVATIVES)
    of_terms = arm.ask(*weights, axes=LINEAR)
    of_states = arm.ask(*weights, axes=LINEAR, gravity=(30, 40, 50),
                        state_gravity=np.array([GRAVITY]))
    for name, rows in vars(of_terms).items():
        close(getattr(of_states, name), rows, 1e-9)
    far(arm.ask(*weights, axes=LINEAR, gravity=(30, 40, 50)).tau, of_terms.tau)


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


# --- Wrenches ----------------------------------------------------------------

OF_THE_TASK = (ask.OPERATIONAL_SPACE, ask.TASK_PROJECTION, ask.TASK_TORQUE)
PRESSED = (ask.INVERSE_DYNAMICS, ask.FORWARD_DYNAMICS, ask.JOINT_WRENCHES,
           ask.BASE_WRENCH, ask.INVERSE_DYNAMICS_DERIVATIVES,
           ask.FORWARD_DYNAMICS_DERIVATIVES, ask.FORWARD_FRAME_ACCELERATION,
           ask.TASK_TORQUE)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_wrench_on_the_robot_is_minus_that_on_the_environment(arm, frame):
    reference, choice = FRAMES[frame], {"axes": LINEAR}
    pushed = arm.ask(
        *PRESSED, ask.POWER_BALANCE, wrench_frame=reference,
        tip_wrench_on_environment=arm.s.wrench, **choice)
    for tip in ("", arm.tip or arm.info.tip_frame):
        where = {"places": [place(tip, reference)]}
        acted = arm.ask(
            *PRESSED, ask.POWER_BALANCE,
            external_wrenches_on_robot=-arm.s.wrench, **where, **choice)
        for name, rows in vars(pushed).items():
            if name != "power_balance":
                close(getattr(acted, name), rows, 1e-11)
        powers = acted.power_balance[:, [0, 1, 2, 3, 4, 6, 5, 7]]
        close(powers, pushed.power_balance, 1e-12)
    # Twins: the wrong sign, and another frame of reference.
    wrong = arm.ask(ask.INVERSE_DYNAMICS, **where,
                    external_wrenches_on_robot=arm.s.wrench)
    far(wrong.tau, pushed.tau)
    for other in set(FRAMES.values()) - {reference}:
        wrong = arm.ask(ask.INVERSE_DYNAMICS, places=[place(tip, other)],
                        external_wrenches_on_robot=-arm.s.wrench)
        far(wrong.tau, pushed.tau)


def test_every_wrench_takes_its_joint_torques_off_and_they_add_up(arm):
    places, wrenches = arm.places, arm.wrenches
    assert {p.reference_frame for p in places} == set(FRAMES.values())
    free = arm.ask(ask.INVERSE_DYNAMICS, ask.BASE_WRENCH)
    taken = np.zeros_like(free.tau)
    for k, where in enumerate(places):
        wrench = wrenches[:, 6 * k:6 * k + 6]
        J = arm.ask(ask.JACOBIAN, tip_frame=where.frame or arm.tip,
                    reference_frame=where.reference_frame).jacobian
        one = arm.ask(ask.INVERSE_DYNAMICS, places=[where],
                      external_wrenches_on_robot=wrench)
        share = product(transposed(J), wrench)
        # No joint moves the base.
        assert share.any() == (where.frame != arm.root)
        np.testing.assert_allclose(
            one.tau, free.tau - share, atol=1e-12 * np.abs(free.tau).max())
        taken += share
    all_of_them = arm.ask(ask.INVERSE_DYNAMICS, places=places,
                          external_wrenches_on_robot=wrenches)
    close(all_of_them.tau, free.tau - taken, 1e-12)
    far(all_of_them.tau, free.tau)


def test_places_for_which_no_wrenches_come_change_nothing(arm):
    plain = arm.ask(ask.INVERSE_DYNAMICS, ask.MASS_MATRIX)
    waiting = arm.ask(ask.INVERSE_DYNAMICS, ask.MASS_MATRIX,
                      places=arm.places)
    assert same_bits(plain.tau, waiting.tau)
    assert same_bits(plain.mass_matrix, waiting.mass_matrix)


# --- There and back ----------------------------------------------------------


def without(given, *names):
    return {name: value for name, value in given.items() if name not in names}


def test_forward_dynamics_undoes_inverse_dynamics_in_all_surroundings(arm):
    given = arm.everything
    there = arm.ask(ask.INVERSE_DYNAMICS, ask.MASS_MATRIX, **given)
    back = arm.ask(ask.FORWARD_DYNAMICS, tau=there.tau, **given)
    cond = np.linalg.cond(there.mass_matrix)
    size = np.abs(arm.s.a).max(axis=1)
    assert (np.abs(back.a - arm.s.a).max(axis=1)
            <= 1e-14 * cond * size).all()
    # Twins: whatever is left out on the way back is missing.
    for left_out in (
            ("base_twist",), ("base_acceleration",), ("viscous",),
            ("coulomb", "smoothing"), ("smoothing",),
            ("external_wrenches_on_robot", "places"),
            ("tip_wrench_on_environment",)):
        wrong = arm.ask(ask.FORWARD_DYNAMICS, tau=there.tau,
                        **without(given, *left_out))
        far(wrong.a, arm.s.a)


# --- Torques for an acceleration of the task ---------------------------------

TASKS = {
    "ur5e": [(), LINEAR, (6, 2)],
    "panda": [(), LINEAR, (5, 3, 1, 4)],
    "crane": [LINEAR, (6,), (4, 5)]}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "surrounded"])
def test_torques_of_a_task_accelerate_it_as_wanted(arm, frame, alone):
    s, given = arm.s, {} if alone else arm.everything
    given = given | {"reference_frame": FRAMES[frame]}
    for axes in TASKS[arm.kind]:
        rows = [axis - 1 for axis in axes or AXES]
        wanted = s.task_acceleration[:, :len(rows)]

        def torque(null_space):
            return arm.ask(
                ask.TASK_TORQUE, ask.TASK_PROJECTION, axes=axes, **given,
                task_acceleration=wanted, null_space_torque=null_space)

        def caused(tau):
            return arm.ask(ask.FORWARD_FRAME_ACCELERATION, tau=tau,
                           **given).forward_frame_acceleration[:, rows]

        bare = torque(None)
        # As exact as W can be inverted.
        relative = 1e-12 * np.linalg.cond(bare.mobility)
        assert relative.max() < 1e-4
        close(caused(bare.task_torque), wanted, relative)
        for null_space in (s.null_space_torque, -3 * s.tau):
            driven = torque(null_space)
            close(caused(driven.task_torque), wanted, relative)
            N = driven.null_space_projector
            kept = product(transposed(N), null_space)
            close(driven.task_torque, bare.task_torque + kept, relative)
            if len(rows) < arm.n - 1:
                far(driven.task_torque, bare.task_torque)
            # Twin: what is not projected disturbs the task.
            far(caused(bare.task_torque + null_space), wanted)


def test_what_a_task_wants_is_nothing_unless_it_is_given(arm):
    zero = np.zeros((1, 3))
    absent, given = (arm.ask(
        ask.TASK_TORQUE, axes=LINEAR, task_acceleration=wanted,
        null_space_torque=null_space).task_torque
        for wanted, null_space in (
            (None, None), (zero, np.zeros((1, arm.n)))))
    close(given, absent, 1e-13)
    # All of J^T eta, then.
    x = arm.ask(ask.OPERATIONAL_SPACE, ask.JACOBIAN, axes=LINEAR)
    close(product(transposed(x.jacobian[:, 3:]), x.eta), absent, 1e-9)


@pytest.mark.parametrize("damping", [0, 0.3])
@pytest.mark.parametrize("alone", [True, False], ids=["alone", "surrounded"])
def test_a_singular_task_is_driven_by_the_inertia_of_its_rule(
        arm, damping, alone):
    s, given = arm.s, {} if alone else arm.everything
    # All six axes, of arms that are stretched or have too few joints.
    given = given | {"q": 0 * s.q}
    wanted, null_space = s.task_acceleration, s.null_space_torque
    x = arm.ask(
        ask.TASK_TORQUE, ask.OPERATIONAL_SPACE, ask.JACOBIAN,
        ask.JACOBIAN_DRIFT, ask.MASS_MATRIX_INVERSE, singular=True,
        damping=damping, task_acceleration=wanted,
        null_space_torque=null_space, **given)
    h = arm.ask(ask.INVERSE_DYNAMICS, a=None, **given).tau  # with wrenches
    lam = getattr(x, "lambda")
    free = product(x.jacobian @ x.mass_matrix_inverse, null_space - h)
    force = product(lam, wanted - x.jacobian_drift - free)
    close(x.task_torque,
          null_space + product(transposed(x.jacobian), force), 1e-9)
    caused = arm.ask(ask.FORWARD_FRAME_ACCELERATION, tau=x.task_torque,
                     **given).forward_frame_acceleration
    far(caused, wanted)
    # As far as the arm can move there, unless the rule is a compromise.
    range_ = x.jacobian @ np.linalg.pinv(x.jacobian, rcond=1e-8)
    reached = product(range_, caused - wanted)
    size = np.abs(wanted).max()
    assert (np.abs(reached).max() < 1e-7 * size) == (damping == 0)


# --- Power -------------------------------------------------------------------

KINETIC, POTENTIAL, ACTUATORS, VISCOUS, COULOMB, TIP, EXTERNAL, BASE = range(8)


def test_powers_are_those_of_what_acts_and_sum_up(arm):
    given, s = arm.everything, arm.s
    x = arm.ask(ask.POWER_BALANCE, ask.INVERSE_DYNAMICS, ask.BASE_WRENCH,
                **given)
    power = x.power_balance
    size = np.abs(power).max(axis=1)
    left = power[:, :ACTUATORS].sum(axis=1) - power[:, ACTUATORS:].sum(axis=1)
    assert (np.abs(left) <= 1e-12 * size).all()
    # Twin: none of them may be missing.
    assert (np.abs(power).max(axis=0) > 0.1).all()
    assert same_bits(
        arm.ask(ask.POWER_BALANCE, **given).power_balance, power)

    def is_column(column, expected):
        np.testing.assert_allclose(power[:, column], expected,
                                   atol=1e-12 * size.max())

    def twist(frame, reference):
        return arm.ask(ask.FRAME_VELOCITY, tip_frame=frame or arm.tip,
                       reference_frame=reference, **arm.base).frame_velocity

    is_column(ACTUATORS, dot(x.tau, s.v))
    is_column(VISCOUS, -dot(arm.of_joints("damping"), s.v**2))
    drag = arm.of_joints("friction") * np.tanh(s.v / given["smoothing"])
    is_column(COULOMB, -dot(drag, s.v))
    is_column(TIP, -dot(s.wrench, twist("", ALIGNED)))
    is_column(EXTERNAL, sum(
        dot(arm.wrenches[:, 6 * k:6 * k + 6],
            twist(where.frame, where.reference_frame))
        for k, where in enumerate(arm.places)
        if where.frame != arm.root))  # which is no moving link
    is_column(BASE, dot(given["base_twist"], x.base_wrench))
    sharp = arm.ask(ask.POWER_BALANCE, **without(given, "smoothing"))
    np.testing.assert_allclose(
        sharp.power_balance[:, COULOMB],
        -dot(arm.of_joints("friction"), np.abs(s.v)), rtol=1e-13)
    still = arm.ask(ask.POWER_BALANCE).power_balance
    assert not still[:, [VISCOUS, COULOMB, TIP, EXTERNAL, BASE]].any()


def base_pose(twist, rate, time):
    """R and p after so long of a base that starts with the twist, whose
    components change at this rate."""
    def slope(pose, t):
        w, v = np.split(twist + rate * t, 2)
        spin = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return pose[:, :3] @ np.column_stack([spin, v])

    pose, step = np.eye(3, 4), time / 8
    for k in range(8):
        t = k * step
        k1 = slope(pose, t)
        k2 = slope(pose + step / 2 * k1, t + step / 2)
        k3 = slope(pose + step / 2 * k2, t + step / 2)
        k4 = slope(pose + step * k3, t + step)
        pose = pose + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return pose[:, :3], pose[:, 3]


@pytest.mark.parametrize("moving", [False, True], ids=["at-rest", "moving"])
def test_powers_are_the_rates_of_the_energies(arm, moving):
    s, step = arm.s, 1e-3
    twist, rate = (rows[0] * moving for rows in arm.base.values())
    energies = []
    for t in (-2 * step, -step, step, 2 * step):
        R, p = base_pose(twist, rate, t)
        gravity = R.T @ np.array(GRAVITY)
        x = arm.ask(ask.ENERGY, q=s.q + s.v * t + s.a * t * t / 2,
                    v=s.v + s.a * t, base_twist=twist + rate * t,
                    gravity=tuple(gravity))
        lifted = arm.info.moving_mass * (p @ np.array(GRAVITY))
        energies.append([x.kinetic_energy, x.potential_energy - lifted])
    rates = np.tensordot(
        np.array([1, -8, 8, -1]) / (12 * step), np.array(energies), 1)
    power = arm.ask(ask.POWER_BALANCE, base_twist=twist,
                    base_acceleration=rate).power_balance
    close(power[:, :ACTUATORS], rates.T, 1e-7)
    if moving:
        ignorant = arm.ask(ask.POWER_BALANCE).power_balance
        far(ignorant[:, :ACTUATORS], rates.T)


# --- Friction without a jump -------------------------------------------------


def test_smooth_friction_is_the_tangent_that_tends_to_the_sign(arm):
    s, F = arm.s, arm.of_joints("friction")
    wanted = (ask.INVERSE_DYNAMICS, ask.BIAS_FORCES, ask.FORWARD_DYNAMICS)
    free = arm.ask(*wanted, ask.MASS_MATRIX)
    sharp = arm.ask(*wanted, coulomb=True)
    close(sharp.tau - free.tau, F * np.sign(s.v), 1e-12)
    for e in (0.05, 0.4, 3.0):
        smooth = arm.ask(*wanted, coulomb=True, smoothing=e)
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
    nearly = arm.ask(*wanted, coulomb=True, smoothing=1e-9)
    assert same_bits(nearly.tau, sharp.tau)
    # Where nothing moves, nothing rubs.
    still = arm.ask(*wanted, coulomb=True, smoothing=1e-9, v=0 * s.v)
    assert same_bits(still.tau, arm.ask(*wanted, v=0 * s.v).tau)


def test_smooth_friction_has_a_slope_on_the_diagonal(arm):
    s, F, e = arm.s, arm.of_joints("friction"), 0.7
    both = (ask.INVERSE_DYNAMICS_DERIVATIVES, ask.FORWARD_DYNAMICS_DERIVATIVES,
            ask.MASS_MATRIX_INVERSE)
    free, sharp, smooth = (arm.ask(*both, **choice) for choice in (
        {}, {"coulomb": True}, {"coulomb": True, "smoothing": e}))
    assert same_bits(sharp.dtau_dv, free.dtau_dv)
    slope = np.eye(arm.n) * (F * (1 - np.tanh(s.v / e)**2) / e)[:, None]
    close(smooth.dtau_dv, free.dtau_dv + slope, 1e-13)
    assert np.abs(slope).max() > 0.1
    assert same_bits(smooth.dtau_dq, free.dtau_dq)
    close(smooth.da_dv, -smooth.mass_matrix_inverse @ smooth.dtau_dv, 1e-11)


# --- Derivatives -------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_derivatives_are_gradients_in_all_surroundings(arm, frame):
    """Every wrench held constant in one reference frame."""
    s, reference = arm.s, FRAMES[frame]
    given = arm.everything | {
        "places": [place(where.frame, reference) for where in arm.places],
        "wrench_frame": reference}
    x = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES,
                ask.FORWARD_DYNAMICS_DERIVATIVES, **given)

    def changed(quantity, name, result):
        many = arm.repeated(
            given | {key: getattr(s, key) for key in ("q", "v", "a", "tau")})
        return arm.gradient(lambda rows: getattr(
            arm.ask(quantity, **many | {name: rows}), result),
            getattr(s, name))

    close(x.dtau_dq, changed(ask.INVERSE_DYNAMICS, "q", "tau"), 1e-9)
    close(x.dtau_dv, changed(ask.INVERSE_DYNAMICS, "v", "tau"), 1e-9)
    close(x.da_dq, changed(ask.FORWARD_DYNAMICS, "q", "a"), 1e-6)
    close(x.da_dv, changed(ask.FORWARD_DYNAMICS, "v", "a"), 1e-7)
    # Twin: of other surroundings they are others.
    for left_out in (("base_twist", "base_acceleration"),
                     ("external_wrenches_on_robot", "places")):
        other = arm.ask(ask.INVERSE_DYNAMICS_DERIVATIVES,
                        **without(given, *left_out))
        far(other.dtau_dq, x.dtau_dq)


def test_single_precision_is_near_double(arm):
    given = arm.everything
    wanted = (ask.INVERSE_DYNAMICS, ask.FRAME_VELOCITY, ask.POWER_BALANCE,
              ask.JOINT_WRENCHES, ask.ENERGY)
    exact, single = (arm.ask(*wanted, precision=precision, **given)
                     for precision in (pb.PRECISION_DOUBLE,
                                       pb.PRECISION_SINGLE))
    for name, rows in vars(exact).items():
        close(getattr(single, name), rows, 6e-5)
        assert not same_bits(getattr(single, name), rows), name


@pytest.mark.parametrize("precision", [
    pb.PRECISION_DOUBLE, pb.PRECISION_SINGLE])
def test_a_row_is_the_same_in_every_batch(arm, precision):
    rows = 200
    s, around = States(arm.n, rows), Surroundings(rows)
    inputs = {
        "q": s.q, "v": s.v, "a": s.a, "tau": s.tau,
        "tip_wrench_on_environment": s.wrench,
        "base_twist": around.base_twist,
        "base_acceleration": around.base_acceleration,
        "external_wrenches_on_robot": around.wrenches,
        "task_acceleration": s.task_acceleration,
        "null_space_torque": s.null_space_torque}
    # Rows that take other paths than their neighbours.
    inputs["q"][3, 1] = 1e9
    inputs["q"][4] = 0
    inputs["base_twist"][9, 5] = np.nan
    inputs["v"][10] = 1e200
    for row, (name, number) in enumerate({
            "base_twist": 1e180, "base_acceleration": 1e308,
            "external_wrenches_on_robot": 1e300, "task_acceleration": 1e308,
            "null_space_torque": 1e308}.items(), start=11):
        inputs[name][row] = number

    def batch(which):
        question = arm.question(
            *ALL_QUANTITIES, places=arm.places, wrench_frame=ALIGNED,
            viscous=True, coulomb=True, smoothing=0.4, precision=precision,
            **{name: numbers[which] for name, numbers in inputs.items()})
        reply = arm.client.dynamics.Compute(question.request())
        return reply, {name: table(getattr(reply.results, name))
                       for name in RESULT_ARRAYS}

    reply, whole = batch(slice(0, rows))
    failed = {status.row for status in reply.row_status
              if status.code in (pb.ROW_CODE_INVALID_INPUT,
                                 pb.ROW_CODE_NOT_FINITE_RESULT)}
    assert failed == {9, 10, 11, 12, 14, 15}
    for which in (*(slice(k, k + 1) for k in range(20)), slice(1, 8),
                  slice(5, 22), slice(100, 163)):
        _, part = batch(which)
        for name, numbers in part.items():
            assert same_bits(numbers, whole[name][which]), (name, which)


# --- Bad rows ----------------------------------------------------------------


@pytest.mark.parametrize("name, column, joint", [
    ("base_twist", 2, ""), ("base_acceleration", 5, ""),
    ("external_wrenches_on_robot", 13, ""), ("task_acceleration", 1, ""),
    ("null_space_torque", 3, "its own")])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_spoils_its_row_alone(
        arm, name, column, joint, bad):
    s = arm.s
    given = arm.everything | {
        "axes": LINEAR, "task_acceleration": s.task_acceleration[:, :3],
        "null_space_torque": s.null_space_torque}
    spoilt = given | {name: given[name].copy()}
    spoilt[name][4, column] = bad
    clean, question = (arm.question(*ALL_QUANTITIES, **inputs)
                       for inputs in (given, spoilt))
    wanted = arm.client.dynamics.Compute(clean.request())
    assert wanted.rows_not_ok == 0
    reply = arm.client.dynamics.Compute(question.request())
    chunks = streams.evaluate(arm.client, *question.messages([1, 2, 3]))
    joined = streams.joined(chunks)
    for row_status in (reply.row_status,
                       [row for chunk in chunks for row in chunk.row_status]):
        status, = row_status
        assert (status.row, status.code) == (4, pb.ROW_CODE_INVALID_INPUT)
        assert status.field == name
        assert status.joint == (arm.joints[column] if joint else "")
        assert f"{name}[{column}]" in status.message
        assert np.array_equal(status.value, bad, equal_nan=True)
    others = np.arange(ROWS) != 4
    for result in RESULT_ARRAYS:
        rows = table(getattr(reply.results, result))
        assert np.isnan(rows[4]).all(), result
        assert np.isfinite(rows[others]).all(), result
        assert same_bits(
            rows[others], table(getattr(wanted.results, result))[others])
        assert same_bits(joined[result], rows)


# --- What is refused ---------------------------------------------------------

UNMOVED = (
    ask.MASS_MATRIX, ask.FRAME_POSE, ask.JACOBIAN, ask.GRAVITY_FORCES,
    ask.CORIOLIS_MATRIX, ask.CHRISTOFFEL_SYMBOLS, ask.MASS_MATRIX_RATE,
    ask.MASS_MATRIX_INVERSE, ask.MOMENTUM_MATRIX, ask.JACOBIAN_RATE,
    ask.TASK_PROJECTION)


@pytest.fixture(scope="module")
def panda(client):
    return Arm.of(client, "panda", 3)


def check_refusal(robot, question, reason, field):
    """Refused by Compute and, at the same place, by Evaluate."""
    failure = failure_of(robot.client.dynamics.Compute, question.request())
    assert (failure.reason, failure.fields) == (reason, [field]), failure
    assert failure.violations[0][1]
    replies, streamed = streams.failed(robot.client, *question.messages())
    assert replies == []
    of_start = field.startswith("options.")
    assert (streamed.code, streamed.reason) == (failure.code, reason)
    assert streamed.fields == [("start." if of_start else "chunk.") + field]
    assert streamed.violations[0][1] == failure.violations[0][1]
    assert ("chunk" in streamed.metadata) == (not of_start)
    return failure


WIDTHS = {"base_twist": 6, "base_acceleration": 6,
          "external_wrenches_on_robot": 12, "task_acceleration": 3,
          "null_space_torque": 7}


def new_inputs(rows=3):
    """Zeros that fit, and what they need."""
    return {"axes": LINEAR, "places": [place(), place("panda_link3")],
            **{name: np.zeros((rows, width))
               for name, width in WIDTHS.items()}}


def test_what_fits_is_taken(panda):
    given = new_inputs()
    panda.ask(ask.TASK_TORQUE, **given)
    for name in WIDTHS:
        panda.ask(ask.TASK_TORQUE, **given | {name: given[name][:1]})


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("more", [-1, 1])
def test_columns_must_fit(panda, name, more):
    given = new_inputs()
    given[name] = np.zeros((3, WIDTHS[name] + more))
    failure = check_refusal(
        panda, panda.question(ask.TASK_TORQUE, **given), "WRONG_COLUMN_COUNT",
        name)
    assert str(WIDTHS[name]) in failure.violations[0][1]


@pytest.mark.parametrize("name", WIDTHS)
@pytest.mark.parametrize("rows", [2, 4])
def test_rows_must_fit(panda, name, rows):
    given = new_inputs() | {name: np.zeros((rows, WIDTHS[name]))}
    failure = failure_of(
        panda.client.dynamics.Compute,
        panda.question(ask.TASK_TORQUE, **given).request())
    assert (failure.reason, failure.fields) == ("WRONG_ROW_COUNT", [name])
    assert "3" in failure.message and str(rows) in failure.message
    chunk = panda.question(ask.TASK_TORQUE, **given)
    start, *_ = chunk.messages()
    whole = streams.chunk(**chunk.inputs)
    _, streamed = streams.failed(panda.client, start, whole)
    assert (streamed.reason, streamed.fields) == (
        "WRONG_ROW_COUNT", ["chunk." + name])


@pytest.mark.parametrize("name", ["base_twist", "base_acceleration"])
@pytest.mark.parametrize(
    "quantity", ALL_QUANTITIES, ids=lambda q: pb.Quantity.Name(q)[9:].lower())
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


@pytest.mark.parametrize(
    "quantity", ALL_QUANTITIES, ids=lambda q: pb.Quantity.Name(q)[9:].lower())
def test_wrenches_change_what_is_under_them_and_are_refused_elsewhere(
        panda, quantity):
    given = {"places": [place("panda_link3")],
             "external_wrenches_on_robot": Surroundings(3).wrenches[:, :6]}
    if quantity not in (*PRESSED, ask.POWER_BALANCE):
        check_refusal(panda, panda.question(quantity, **given),
                      "INVALID_OPTION", "external_wrenches_on_robot")
        return
    free, pressed = (panda.ask(quantity, **inputs) for inputs in ({}, given))
    assert vars(free).keys() == vars(pressed).keys()
    assert not all(same_bits(rows, getattr(pressed, result))
                   for result, rows in vars(free).items())


@pytest.mark.parametrize("name", ["task_acceleration", "null_space_torque"])
def test_what_only_the_task_torque_takes_is_refused_without_it(panda, name):
    for quantity in ALL_QUANTITIES:
        if quantity != ask.TASK_TORQUE:
            given = {"axes": LINEAR} if quantity in OF_THE_TASK else {}
            rows = np.zeros((1, WIDTHS[name]))
            failure = failure_of(
                panda.client.dynamics.Compute,
                panda.question(quantity, **given, **{name: rows}).request())
            assert (failure.reason, failure.fields) == (
                "INVALID_OPTION", [name])
    check_refusal(panda, panda.question(ask.BIAS_FORCES, **{name: rows}),
                  "INVALID_OPTION", name)


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
    forked = Arm.of(client, "forked", 2)
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


# --- Echo --------------------------------------------------------------------


def test_the_echo_lists_places_and_smoothing_with_defaults_filled_in(panda):
    question = panda.question(
        ask.INVERSE_DYNAMICS, coulomb=True, smoothing=0.25, places=[
            pb.WrenchPlace(), place("panda_link3", WORLD),
            pb.WrenchPlace(frame="panda_link0", reference_frame=ALIGNED)],
        external_wrenches_on_robot=np.zeros((1, 18)))
    tip = panda.info.tip_frame
    expected = [(tip, LOCAL), ("panda_link3", WORLD), ("panda_link0", ALIGNED)]
    first, = streams.evaluate(panda.client, *question.messages())
    for echo in (panda.client.dynamics.Compute(question.request()).echo,
                 first.echo):
        assert [(p.frame, p.reference_frame)
                for p in echo.external_wrenches] == expected
        assert echo.terms.coulomb_friction
        assert echo.terms.coulomb_smoothing == 0.25
    question.choice.tip_frame = "panda_link5"
    echo = panda.client.dynamics.Compute(question.request()).echo
    assert echo.external_wrenches[0].frame == "panda_link5"
    plain = panda.question(ask.INVERSE_DYNAMICS)
    echo = panda.client.dynamics.Compute(plain.request()).echo
    assert not echo.external_wrenches and echo.terms.coulomb_smoothing == 0


@pytest.mark.parametrize("quantity", OF_THE_TASK)
def test_the_echo_tells_of_the_task(panda, quantity):
    question = panda.question(quantity, axes=(6, 1))
    echo = panda.client.dynamics.Compute(question.request()).echo
    assert list(echo.operational_space.axes) == [6, 1]
    assert echo.operational_space.rank_tolerance == 1e-6
    assert echo.tip_frame == panda.info.tip_frame
    other = panda.client.dynamics.Compute(
        panda.question(ask.POWER_BALANCE).request()).echo
    assert not other.HasField("operational_space") and not other.tip_frame
