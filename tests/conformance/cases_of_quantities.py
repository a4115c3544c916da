"""Every quantity: alone, with all others, of states in all shapes, in every
order of the joints."""

from random_states import states_of
from results import OF_QUANTITY
from robots import model
from suite import FRAMES, add

ALL = list(OF_QUANTITY)
USING_TAU = ("FORWARD_DYNAMICS", "FORWARD_DYNAMICS_DERIVATIVES",
             "FORWARD_FRAME_ACCELERATION")


def each_quantity():
    """Alone, on each arm in turn."""
    seed = 100
    for number, quantity in enumerate(ALL):
        arm = ("panda", "ur5e")[number % 2]
        which = ["q", "v", "a"]
        if quantity in USING_TAU:
            which.append("tau")
        if quantity == "TASK_TORQUE":
            which += ["task_acceleration", "null_space_torque"]
        add(quantity.lower().replace("_", " ") + " of " + arm, arm,
            [quantity], states_of(arm, 3, which, seed + number))


def all_quantities():
    three = {"axes": ["LINEAR_X", "LINEAR_Y", "LINEAR_Z"], "sigma_min": True}
    for seed, (name, tip, task) in enumerate((
            ("panda", None, {"sigma_min": True}),
            ("gantry", "hook_tip", {"axes": ["LINEAR_X", "ANGULAR_Z"],
                                    "sigma_min": True}),
            ("planar_2r", None, {"axes": ["LINEAR_X", "LINEAR_Y"],
                                 "sigma_min": True})), 200):
        axes = len(task.get("axes", [0] * 6))
        # The planar arm moves along axes of the base.
        options = {"reference_frame": "LOCAL_WORLD_ALIGNED"}
        if tip:
            options["tip_frame"] = tip
        add(f"all quantities of {name} at once", name, ALL,
            states_of(name, 2, ["q", "v", "a", "tau", "task_acceleration",
                                "null_space_torque"], seed, axes),
            options=options, operational_space=task,
            expect={"tip_frame": model(name).tip or tip,
                    "joint_names": model(name).names()})
    for seed, frame in enumerate(FRAMES, 210):
        places = [{"frame": "arm", "reference_frame": frame},
                  {"frame": "hook_tip", "reference_frame": "WORLD"}]
        add(f"all inputs together, {frame.lower().replace('_', ' ')}", "gantry",
            ALL,
            states_of("gantry", 2, ["q", "v", "a", "tau", "task_acceleration",
                                    "null_space_torque", "base_twist",
                                    "base_acceleration", "gravity",
                                    "tip_wrench_on_environment",
                                    "external_wrenches_on_robot"],
                      seed, 3, len(places)),
            wrench_frame=frame,
            options={"reference_frame": frame, "tip_frame": "hook_tip",
                     "external_wrenches": places,
                     "terms": {"viscous_friction": True,
                               "coulomb_friction": True,
                               "coulomb_smoothing": 0.25}},
            operational_space=three)


def shapes():
    add("one state", "panda", ["INVERSE_DYNAMICS"],
        states_of("panda", 1, ["q", "v", "a"], 400))
    add("absent v and a are zeros", "ur5e",
        ["INVERSE_DYNAMICS", "BIAS_FORCES", "LINK_TWISTS"],
        states_of("ur5e", 2, ["q"], 401))
    states = states_of("panda", 5, ["q", "v", "a"], 402)
    states["v"], states["a"] = states["v"][:1], states["a"][:1]
    add("one row serves all states", "panda", ["INVERSE_DYNAMICS"], states)
    states = states_of("ur5e", 3, ["q", "v", "tau"], 403)
    states["q"] = states["q"][:1]
    add("one q serves many torques", "ur5e", ["FORWARD_DYNAMICS"], states)
    add("more states than two chunks", "planar_2r",
        ["INVERSE_DYNAMICS", "FRAME_POSE"],
        states_of("planar_2r", 7, ["q", "v", "a"], 404))
    add("quantities in another order", "ur5e",
        ["ENERGY", "MASS_MATRIX", "INVERSE_DYNAMICS"],
        states_of("ur5e", 2, ["q", "v", "a"], 405))


def joint_orders():
    names = model("panda").names()
    order = [names[i] for i in (3, 0, 6, 1, 5, 2, 4)]
    add("joints in another order, all quantities", "panda", ALL,
        states_of("panda", 2, ["q", "v", "a", "tau", "null_space_torque",
                               "task_acceleration"], 500),
        options={"joint_names": order}, expect={"joint_names": order})
    backwards = model("ur5e").names()[::-1]
    add("joints backwards", "ur5e", ["INVERSE_DYNAMICS", "JACOBIAN"],
        states_of("ur5e", 2, ["q", "v", "a"], 501),
        options={"joint_names": backwards}, expect={"joint_names": backwards})
    tree = ["spin", "a_grip", "slide", "b_grip"]
    add("joints of a tree in another order", "gantry",
        ["MASS_MATRIX", "REGRESSOR", "CHRISTOFFEL_SYMBOLS", "LINK_TWISTS",
         "INVERSE_DYNAMICS"],
        states_of("gantry", 2, ["q", "v", "a"], 502),
        options={"joint_names": tree,
                 "terms": {"viscous_friction": True,
                           "coulomb_friction": True}},
        expect={"joint_names": tree})
    add("the joints of a tree are in canonical order", "gantry",
        ["GRAVITY_FORCES"], states_of("gantry", 1, ["q"], 503),
        expect={"joint_names": ["slide", "spin", "a_grip", "b_grip"]})
