"""Gravity, friction, a base that moves, payloads, tasks, precision."""

from random_states import states_of
from suite import add


def terms():
    moving = ["INVERSE_DYNAMICS", "FORWARD_DYNAMICS", "BIAS_FORCES",
              "INVERSE_DYNAMICS_DERIVATIVES", "POWER_BALANCE"]
    which = ["q", "v", "a", "tau"]
    for seed, (name, choice) in enumerate((
            ("no friction unless asked for", {}),
            ("viscous friction", {"viscous_friction": True}),
            ("Coulomb friction", {"coulomb_friction": True}),
            ("smooth Coulomb friction", {"coulomb_friction": True,
                                         "coulomb_smoothing": 0.3}),
            ("all friction and a tilted gravity",
             {"viscous_friction": True, "coulomb_friction": True,
              "gravity": [1.5, -2.5, -9]})), 600):
        add(name, "gantry", moving, states_of("gantry", 2, which, seed),
            options={"terms": choice} if choice else {})
    states = states_of("gantry", 1, which, 606)
    states["v"] = [[0, 0, 0, 0]]
    add("Coulomb friction of joints at rest", "gantry", ["INVERSE_DYNAMICS"],
        states, options={"terms": {"coulomb_friction": True}})
    add("gravity of the call", "planar_2r",
        ["INVERSE_DYNAMICS", "ENERGY", "GRAVITY_FORCES"],
        states_of("planar_2r", 2, ["q", "v", "a"], 607),
        options={"terms": {"gravity": [0, -9.81, 0]}})
    add("no gravity", "panda", ["INVERSE_DYNAMICS", "BASE_WRENCH"],
        states_of("panda", 2, ["q", "v", "a"], 608),
        options={"terms": {"gravity": [0, 0, 0]}})
    add("a gravity for each state", "ur5e",
        ["INVERSE_DYNAMICS", "GRAVITY_FORCES", "ENERGY", "BASE_WRENCH"],
        states_of("ur5e", 3, ["q", "v", "a", "gravity"], 609))


def moving_base():
    moved = ["INVERSE_DYNAMICS", "BIAS_FORCES", "CORIOLIS_FORCES",
             "GRAVITY_FORCES", "ENERGY", "CENTER_OF_MASS", "MOMENTUM",
             "LINK_TWISTS", "LINK_ACCELERATIONS", "FRAME_VELOCITY",
             "FRAME_ACCELERATION", "JACOBIAN_DRIFT", "OPERATIONAL_SPACE",
             "JOINT_WRENCHES", "BASE_WRENCH", "REGRESSOR", "POWER_BALANCE",
             "INVERSE_DYNAMICS_DERIVATIVES"]
    add("a base that turns", "ur5e", moved,
        states_of("ur5e", 2, ["q", "v", "a", "base_twist"], 700))
    add("a base that gathers speed", "ur5e", moved,
        states_of("ur5e", 2, ["q", "v", "a", "base_acceleration"], 701))
    add("a base that does both, from the base's frame", "panda", moved,
        states_of("panda", 2, ["q", "v", "a", "base_twist",
                               "base_acceleration"], 702),
        options={"reference_frame": "WORLD"})


def payloads():
    carried = ["INVERSE_DYNAMICS", "MASS_MATRIX", "FORWARD_DYNAMICS", "ENERGY",
               "CENTER_OF_MASS", "MOMENTUM", "OPERATIONAL_SPACE",
               "BASE_WRENCH"]
    which = ["q", "v", "a", "tau"]
    add("a point mass at the tip", "panda", carried,
        states_of("panda", 2, which, 800), options={"payload": {"mass": 2.5}})
    add("a body off the frame that carries it", "ur5e", carried,
        states_of("ur5e", 2, which, 801),
        options={"payload": {
            "frame": "forearm_link", "mass": 3,
            "center_of_mass": [0.1, -0.05, 0.2],
            "inertia": [0.02, 0.001, -0.002, 0.03, 0.003, 0.025]}})


def tasks():
    space = ["OPERATIONAL_SPACE", "TASK_PROJECTION", "TASK_TORQUE"]
    which = ["q", "v", "task_acceleration", "null_space_torque"]
    axes = ["LINEAR_Z", "ANGULAR_X", "LINEAR_X"]
    add("some axes of the task in another order", "panda", space,
        states_of("panda", 2, which, 900, 3),
        operational_space={"axes": axes, "sigma_min": True})
    add("a task along one axis", "planar_2r", space,
        states_of("planar_2r", 2, which, 901, 1),
        operational_space={"axes": ["LINEAR_X"]})
    add("singular values with linear rows scaled", "ur5e",
        ["OPERATIONAL_SPACE"], states_of("ur5e", 2, ["q", "v"], 902),
        operational_space={"sigma_min": True, "characteristic_length": 0.2})

    stretched = {"q": [[0.3, -1.2, 0.9, -0.4, 1.1, 0.2],
                       [0.3, -1.2, 0, -0.4, 1.1, 0.2]],
                 "v": [[0.1, 0.2, -0.3, 0.4, 0.5, -0.6]]}
    singular = [{"row": 1, "code": "SINGULAR_TASK_SPACE", "field": "lambda"}]
    add("a stretched arm, reported", "ur5e", ["OPERATIONAL_SPACE"], stretched,
        status=singular, tolerance=1e-9)
    add("a stretched arm, damped", "ur5e", ["OPERATIONAL_SPACE"], stretched,
        status=singular, tolerance=1e-9,
        operational_space={"singularity": "DAMPED", "damping": 0.05})
    add("a task that counts as singular below a tolerance", "ur5e",
        ["OPERATIONAL_SPACE"],
        {"q": [[0.3, -1.2, 0.001, -0.4, 1.1, 0.2]]}, tolerance=1e-8,
        status=[{"row": 0, "code": "SINGULAR_TASK_SPACE"}],
        operational_space={"rank_tolerance": 0.01})
    # Stretched, the tip cannot move along the last link.
    cannot = [{"row": 0, "code": "SINGULAR_TASK_SPACE", "field": "lambda"}]
    along = {"q": [[0.3, 0]], "v": [[0.5, -0.3]]}
    for name, choice in (
            ("reported", {}),
            ("damped", {"singularity": "DAMPED", "damping": 0.1})):
        add(f"a task that cannot move, {name}", "planar_2r",
            ["OPERATIONAL_SPACE"], along, status=cannot,
            operational_space={"axes": ["LINEAR_X"], **choice})
    add("a task that hardly moves", "planar_2r", ["OPERATIONAL_SPACE"],
        {"q": [[0.3, 1e-7], [0.3, 1]], "v": [[0.5, -0.3]]}, tolerance=1e-7,
        status=cannot,
        operational_space={"axes": ["LINEAR_X"]})
    add("fewer joints than axes", "planar_2r", ["OPERATIONAL_SPACE"],
        {"q": [[0.4, 1.1]], "v": [[0.5, -0.3]]},
        status=[{"row": 0, "code": "SINGULAR_TASK_SPACE", "field": "lambda"}])


def other_options():
    add("single precision", "panda",
        ["INVERSE_DYNAMICS", "MASS_MATRIX", "JACOBIAN", "FORWARD_DYNAMICS"],
        states_of("panda", 3, ["q", "v", "a", "tau"], 1000), tolerance=2e-4,
        options={"precision": "SINGLE"})
    add("failing fast where nothing fails", "ur5e", ["INVERSE_DYNAMICS"],
        states_of("ur5e", 3, ["q", "v"], 1001), options={"fail_fast": True})
