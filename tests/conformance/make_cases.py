"""Writes cases.json: what every client is asked and must answer.

Usage: make_cases.py [FILE]      (default: cases.json beside this)

All expected numbers come from lagrange.py, which shares nothing with the
server: another method, in extended precision. States are random but always the
same.
"""

import functools
import json
import math
import pathlib
import sys

import numpy as np

from lagrange import Surroundings, State, Task, Wrench
from results import OF_QUANTITY, SOLVED, permuted
from tree import Real, Tree, symmetric, zeros

HERE = pathlib.Path(__file__).resolve().parent
MODELS_DIRECTORY = HERE.parent.parent / "deploy" / "models"
MODELS = {
    "panda": "panda.urdf",
    "ur5e": "ur5e.urdf",
    "planar_2r": "planar_2r.urdf",
    "gantry": "../../tests/conformance/gantry.urdf",
    "turret": "../../tests/conformance/turret.urdf",
}
ALL = list(OF_QUANTITY)
OF_THE_TASK = ("OPERATIONAL_SPACE", "TASK_PROJECTION", "TASK_TORQUE")
USING_TAU = ("FORWARD_DYNAMICS", "FORWARD_DYNAMICS_DERIVATIVES",
             "FORWARD_FRAME_ACCELERATION")
FRAMES = ("LOCAL", "LOCAL_WORLD_ALIGNED", "WORLD")


@functools.cache
def model(name):
    return Tree((MODELS_DIRECTORY / MODELS[name]).read_text(encoding="utf-8"))


class Question:
    """One state of a case, with the joints in canonical order."""

    def __init__(self, case, row):
        self.tree = model(case["model"])
        self.options = case.get("options", {})
        names = self.tree.names()
        called = self.options.get("joint_names", names)
        self.order = [names.index(name) for name in called]
        self._states, self._row = case["states"], row
        self.tip_frame = self.options.get("tip_frame") or self.tree.tip
        self.reference = self.options.get("reference_frame", "LOCAL")
        if "payload" in self.options:
            self.tree = self._loaded(self.options["payload"])
        n = len(names)
        self.tau = self._joints("tau", n)
        self.null_space_torque = self._joints("null_space_torque", n)
        self.state = State(
            self.tree, self._joints("q", n), self._joints("v", n),
            self._joints("a", n), self._surroundings(case))
        self._task = dict(case.get("operational_space", {}))

    @property
    def frame(self):
        return self.tip_frame, self.reference

    @functools.cached_property
    def accelerated(self):
        """The state at the acceleration that tau brings about."""
        return self.state.with_(a=self.state.forward_dynamics(self.tau))

    @functools.cached_property
    def task(self):
        known = {"axes": tuple, "damping": float, "rank_tolerance": float,
                 "characteristic_length": float}
        choices = {
            "length" if name == "characteristic_length" else name:
                convert(self._task[name])
            for name, convert in known.items() if name in self._task}
        return Task(self.state, self.tip_frame, self.reference, **choices)

    @property
    def task_acceleration(self):
        given = self._input("task_acceleration")
        return zeros(len(self.task.rows)) if given is None else given

    @property
    def wants_sigma_min(self):
        return self._task.get("sigma_min", False)

    def _input(self, name):
        rows = self._states.get(name)
        if rows is None:
            return None
        return np.array(
            [Real(x) for x in rows[0 if len(rows) == 1 else self._row]])

    def _joints(self, name, n):
        given = self._input(name)
        canonical = zeros(n)
        if given is not None:
            canonical[self.order] = given
        return canonical

    def _surroundings(self, case):
        terms = self.options.get("terms", {})
        around = Surroundings()
        gravity = self._input("gravity")
        if gravity is None and "gravity" in terms:
            gravity = np.array([Real(x) for x in terms["gravity"]])
        if gravity is not None:
            around.gravity = gravity
        for name in ("base_twist", "base_acceleration"):
            if self._input(name) is not None:
                setattr(around, name, self._input(name))
        around.viscous = terms.get("viscous_friction", False)
        around.coulomb = terms.get("coulomb_friction", False)
        around.smoothing = Real(terms.get("coulomb_smoothing", 0))
        tip = self._input("tip_wrench_on_environment")
        if tip is not None:
            around.tip = Wrench(
                self.tip_frame,
                case.get("tip_wrench_reference_frame", "LOCAL"), tip)
        given = self._input("external_wrenches_on_robot")
        if given is not None:
            around.external = tuple(
                Wrench(place.get("frame") or self.tip_frame,
                       place.get("reference_frame", "LOCAL"), numbers)
                for place, numbers in zip(
                    self.options["external_wrenches"], given.reshape(-1, 6)))
        return around

    def _loaded(self, payload):
        center = payload.get("center_of_mass", (0, 0, 0))
        entries = payload.get("inertia", (0,) * 6)
        return self.tree.with_payload(
            payload.get("frame") or self.tip_frame, Real(payload["mass"]),
            np.array([Real(x) for x in center]),
            symmetric(*(Real(x) for x in entries)))


def count_rows(states):
    return max((len(rows) for rows in states.values()), default=0)


def expected_results(case, bad):
    """`bad`: row -> results that are NaN there (all: None)."""
    results = {}
    for row in range(count_rows(case["states"])):
        undefined = bad.get(row, ())
        question = None
        for quantity in case["quantities"]:
            for name, (axes, function) in OF_QUANTITY[quantity].items():
                if name == "sigma_min" and not case.get(
                        "operational_space", {}).get("sigma_min"):
                    continue
                rows = results.setdefault(name, [])
                if undefined is None or name in undefined:
                    rows.append(None)
                    continue
                question = question or Question(case, row)
                numbers = function(question)
                if axes is not None:
                    numbers = permuted(numbers, axes, question.order)
                    numbers = [float(x) for x in np.ravel(numbers)]
                rows.append(numbers)
    return fill_undefined(results)


def fill_undefined(results):
    """A row of nulls for each undefined one; what has no defined row at all is
    not checked."""
    filled = {}
    for name, rows in results.items():
        defined = [row for row in rows if row is not None]
        if not defined:
            continue
        if name in ("rank", "rule"):
            if len(defined) < len(rows):
                continue
            filled[name] = rows
        elif name == "sigma_min":
            filled[name] = rows
        else:
            filled[name] = [
                [None] * len(defined[0]) if row is None else row
                for row in rows]
    return filled


# --- Random states -----------------------------------------------------------


def numbers(random, low, high, rows, columns):
    return np.round(random.uniform(low, high, (rows, columns)), 3).tolist()


def states_of(name, rows, which, seed, axes=6, wrenches=1):
    """The inputs named in `which`."""
    random = np.random.default_rng(seed)
    n = len(model(name).joints)
    # Their limits do not matter; where the tasks are regular does.
    span = {"q": (1.9, n), "v": (2, n), "a": (5, n), "tau": (20, n),
            "null_space_torque": (20, n), "task_acceleration": (5, axes),
            "tip_wrench_on_environment": (15, 6),
            "external_wrenches_on_robot": (15, 6 * wrenches),
            "base_twist": (1.5, 6), "base_acceleration": (3, 6),
            "gravity": (9.81, 3)}
    return {field: numbers(random, -high, high, rows, columns)
            for field, (high, columns) in span.items() if field in which}


# --- Cases -------------------------------------------------------------------

CASES = []


def add(name, model_name, quantities, states, bad=None, status=None,
        tolerance=None, expect=None, wrench_frame=None, **fields):
    case = {"name": name, "model": model_name, "quantities": quantities,
            "states": states}
    if wrench_frame:
        case["tip_wrench_reference_frame"] = wrench_frame
    case.update({key: value for key, value in fields.items() if value})
    # Only now: the numbers that JSON lacks are read here as floats.
    case["expect"] = {"rows": count_rows(states),
                      "results": expected_results(case, bad or {})}
    if tolerance:
        case["expect"]["tolerance"] = tolerance
    if status:
        case["expect"]["row_status"] = status
    case["expect"].update(expect or {})
    CASES.append(case)


def refuse(name, model_name, quantities, states, code, reason, field=None,
           wrench_frame=None, error=None, **fields):
    case = {"name": name, "model": model_name, "quantities": quantities,
            "states": states}
    if wrench_frame:
        case["tip_wrench_reference_frame"] = wrench_frame
    case.update(fields)
    case["expect"] = {"error": {"code": code, "reason": reason}}
    if field is not None:
        case["expect"]["error"]["field"] = field
    case["expect"]["error"].update(error or {})
    CASES.append(case)


def refuse_registration(name, registration, code, reason, field=None):
    error = {"code": code, "reason": reason}
    if field is not None:
        error["field"] = field
    CASES.append({"name": name, "register": registration,
                  "expect": {"error": error}})


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


FRAME_QUANTITIES = [
    "FRAME_POSE", "JACOBIAN", "JACOBIAN_RATE", "JACOBIAN_DRIFT",
    "FRAME_VELOCITY", "FRAME_ACCELERATION", "OPERATIONAL_SPACE",
    "FORWARD_FRAME_ACCELERATION", "TASK_TORQUE", "TASK_PROJECTION"]


def reference_frames():
    for seed, frame in enumerate(FRAMES, 300):
        add(f"frame quantities, {frame.lower().replace('_', ' ')}", "ur5e",
            FRAME_QUANTITIES,
            states_of("ur5e", 2, ["q", "v", "a", "tau", "task_acceleration"],
                      seed),
            options={"reference_frame": frame})
        add(f"tip wrench, {frame.lower().replace('_', ' ')}", "panda",
            ["INVERSE_DYNAMICS", "FORWARD_DYNAMICS",
             "INVERSE_DYNAMICS_DERIVATIVES", "JOINT_WRENCHES", "BASE_WRENCH",
             "POWER_BALANCE", "TASK_TORQUE"],
            states_of("panda", 2, ["q", "v", "a", "tau",
                                   "tip_wrench_on_environment"], seed + 10),
            wrench_frame=frame)
        add(f"external wrench, {frame.lower().replace('_', ' ')}", "ur5e",
            ["INVERSE_DYNAMICS", "INVERSE_DYNAMICS_DERIVATIVES",
             "JOINT_WRENCHES", "POWER_BALANCE"],
            states_of("ur5e", 2, ["q", "v", "a", "external_wrenches_on_robot"],
                      seed + 20),
            options={"external_wrenches": [
                {"frame": "forearm_link", "reference_frame": frame}]})
    add("external wrenches on both branches of a tree", "gantry",
        ["INVERSE_DYNAMICS", "FORWARD_DYNAMICS", "JOINT_WRENCHES",
         "BASE_WRENCH", "POWER_BALANCE"],
        states_of("gantry", 2, ["q", "v", "a", "tau",
                                "external_wrenches_on_robot"], 332, wrenches=2),
        options={"external_wrenches": [
            {"frame": "pad", "reference_frame": "LOCAL"},
            {"frame": "hook", "reference_frame": "LOCAL_WORLD_ALIGNED"}]})
    add("an external wrench without a place acts at the tip", "ur5e",
        ["INVERSE_DYNAMICS"],
        states_of("ur5e", 1, ["q", "external_wrenches_on_robot"], 330),
        options={"external_wrenches": [{}]})
    add("another tip frame", "panda", FRAME_QUANTITIES[:6],
        states_of("panda", 2, ["q", "v", "a"], 331),
        options={"tip_frame": "panda_link5"},
        expect={"tip_frame": "panda_link5"})


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


def bad_rows():
    def spoilt(name, rows, seed, which, field, row, column, value):
        states = states_of(name, rows, which, seed)
        states[field][row][column] = value
        return states

    add("a q that is no number", "ur5e", ["INVERSE_DYNAMICS", "JACOBIAN"],
        spoilt("ur5e", 3, 1100, ["q", "v"], "q", 1, 2, "NaN"),
        bad={1: None}, status=[{"row": 1, "code": "INVALID_INPUT", "field": "q",
                                "joint": "elbow_joint", "value": "NaN"}])
    add("an infinite v in the last of many states", "panda",
        ["INVERSE_DYNAMICS", "ENERGY"],
        spoilt("panda", 5, 1101, ["q", "v", "a"], "v", 4, 0, "-Infinity"),
        bad={4: None}, status=[{"row": 4, "code": "INVALID_INPUT", "field": "v",
                                "joint": "panda_joint1",
                                "value": "-Infinity"}])
    wrenches = spoilt("ur5e", 2, 1102, ["q", "tip_wrench_on_environment"],
                      "tip_wrench_on_environment", 0, 3, "Infinity")
    add("a wrench that is not finite", "ur5e", ["INVERSE_DYNAMICS"], wrenches,
        bad={0: None}, status=[{"row": 0, "code": "INVALID_INPUT",
                                "field": "tip_wrench_on_environment"}])
    add("a base twist that is not finite", "ur5e", ["INVERSE_DYNAMICS"],
        spoilt("ur5e", 2, 1103, ["q", "base_twist"], "base_twist", 1, 5, "NaN"),
        bad={1: None}, status=[{"row": 1, "code": "INVALID_INPUT",
                                "field": "base_twist"}])
    order = model("ur5e").names()[::-1]
    add("bad rows name the joint in the caller's order", "ur5e",
        ["MASS_MATRIX"],
        spoilt("ur5e", 2, 1104, ["q"], "q", 1, 0, "NaN"),
        bad={1: None}, options={"joint_names": order},
        status=[{"row": 1, "code": "INVALID_INPUT", "field": "q",
                 "joint": "wrist_3_joint"}])
    states = states_of("panda", 4, ["q", "tau"], 1105)
    states["q"][1][6] = states["tau"][3][0] = "NaN"
    add("two bad rows", "panda", ["FORWARD_DYNAMICS"], states,
        bad={1: None, 3: None},
        status=[{"row": 1, "code": "INVALID_INPUT", "field": "q",
                 "joint": "panda_joint7"},
                {"row": 3, "code": "INVALID_INPUT", "field": "tau",
                 "joint": "panda_joint1"}])
    states = states_of("ur5e", 3, ["q", "v"], 1106)
    states["v"][1] = [1e200] * 6
    add("a result that overflows", "ur5e", ["INVERSE_DYNAMICS"], states,
        bad={1: None}, status=[{"row": 1, "code": "NOT_FINITE_RESULT",
                                "field": "tau"}])
    add("a joint that moves no mass", "turret",
        ["FORWARD_DYNAMICS", "MASS_MATRIX_INVERSE", "MASS_MATRIX",
         "INVERSE_DYNAMICS"],
        {"q": [[0.5, 0.4], [0.5, 0], [-0.2, 0.7]], "v": [[0.3, 0.2]],
         "tau": [[1, 2]]},
        bad={1: SOLVED}, status=[{"row": 1, "code": "SINGULAR_MASS_MATRIX",
                                  "joint": "turn"}])


INVALID = "INVALID_ARGUMENT"


def refused_computations():
    q7, q6 = [[0.1] * 7] * 3, [[0.1] * 6] * 3
    torque, six = ["INVERSE_DYNAMICS"], [[1, -2, 3, -4, 5, 6]]
    refuse("a model that there is not", "nosuch", torque, {"q": q7},
           "NOT_FOUND", "MODEL_NOT_FOUND")
    refuse("a revision that there is not", "panda@00000000", torque, {"q": q7},
           "NOT_FOUND", "MODEL_NOT_FOUND")
    refuse("a reference that does not parse", "pan da", torque, {"q": q7},
           INVALID, "INVALID_MODEL_REFERENCE", "model")
    for name in ("q", "v", "a"):
        states = {"q": q7, name: q6}
        refuse(f"{name} of too few columns", "panda", torque, states, INVALID,
               "WRONG_COLUMN_COUNT", name)
    refuse("a wrench of three columns", "panda", torque,
           {"q": q7, "tip_wrench_on_environment": [[1, 2, 3]]}, INVALID,
           "WRONG_COLUMN_COUNT", "tip_wrench_on_environment.wrench")
    refuse("rows that differ", "panda", torque, {"q": q7, "v": q7[:2]}, INVALID,
           "WRONG_ROW_COUNT")
    refuse("no q", "panda", ["MASS_MATRIX"], {"v": q7}, INVALID,
           "MISSING_INPUT", "q")
    refuse("no tau", "panda", ["FORWARD_DYNAMICS"], {"q": q7}, INVALID,
           "MISSING_INPUT", "tau")
    names = model("panda").names()
    for name, called, field in (
            ("a joint is missing", names[:6], "options.joint_names"),
            ("a joint stands twice", names[:6] + names[:1],
             "options.joint_names[6]"),
            ("a joint that there is not", ["elbow"] + names[1:],
             "options.joint_names[0]")):
        refuse(name, "panda", torque, {"q": q7}, INVALID, "WRONG_JOINT_NAMES",
               field, options={"joint_names": called})
    refuse("a tip frame that there is not", "panda", ["JACOBIAN"], {"q": q7},
           INVALID, "UNKNOWN_FRAME", "options.tip_frame",
           options={"tip_frame": "nowhere"})
    refuse("a payload on a frame that there is not", "panda", torque, {"q": q7},
           INVALID, "UNKNOWN_FRAME", "options.payload.frame",
           options={"payload": {"frame": "nowhere", "mass": 1}})
    refuse("an external wrench on a frame that there is not", "ur5e", torque,
           {"q": q6, "external_wrenches_on_robot": six}, INVALID,
           "UNKNOWN_FRAME", "options.external_wrenches[0].frame",
           options={"external_wrenches": [{"frame": "nowhere"}]})
    refuse("a robot with two tips needs one named", "gantry", ["JACOBIAN"],
           {"q": [[0, 0, 0, 0]]}, INVALID, "TIP_FRAME_REQUIRED",
           "options.tip_frame")
    for name, options, field in (
            ("a gravity of two numbers", {"terms": {"gravity": [0, -9.81]}},
             "options.terms.gravity"),
            ("a gravity that is no number",
             {"terms": {"gravity": [0, "NaN", 0]}},
             "options.terms.gravity[1]"),
            ("smoothing without Coulomb friction",
             {"terms": {"coulomb_smoothing": 0.1}},
             "options.terms.coulomb_smoothing"),
            ("a payload of negative mass", {"payload": {"mass": -1}},
             "options.payload")):
        refuse(name, "panda", torque, {"q": q7}, INVALID, "INVALID_OPTION",
               field, options=options)
    for name, task, field in (
            ("damping under the rule to report", {"damping": 0.1}, "damping"),
            ("a negative damping", {"singularity": "DAMPED", "damping": -1},
             "damping"),
            ("an axis of the task twice", {"axes": ["LINEAR_X", "LINEAR_X"]},
             "axes[1]"),
            ("a rank tolerance of 1", {"rank_tolerance": 1}, "rank_tolerance"),
            ("a length of 0", {"characteristic_length": 0},
             "characteristic_length")):
        refuse(name, "panda", ["OPERATIONAL_SPACE"], {"q": q7}, INVALID,
               "INVALID_OPTION", "operational_space." + field,
               operational_space=task)
    refuse("a wrench that nothing reads", "panda", ["MASS_MATRIX"],
           {"q": q7, "tip_wrench_on_environment": six}, INVALID,
           "INVALID_OPTION", "tip_wrench_on_environment")
    refuse("a base twist that nothing reads", "panda", ["MASS_MATRIX"],
           {"q": q7, "base_twist": six}, INVALID, "INVALID_OPTION",
           "base_twist")
    refuse("no quantity", "panda", [], {"q": q7}, INVALID, "INVALID_FIELD",
           "quantities")
    refuse("a quantity twice", "panda", ["MASS_MATRIX", "MASS_MATRIX"],
           {"q": q7}, INVALID, "INVALID_FIELD", "quantities[1]")
    states = {"q": [[0.1] * 7, [0.1, 0.1, "NaN", 0.1, 0.1, 0.1, 0.1]]}
    refuse("failing fast at a bad row", "panda", torque, states, INVALID,
           "ROW_FAILED", error={"row": 1, "joint": "panda_joint3"},
           options={"fail_fast": True})


def refused_registrations():
    refuse_registration(
        "a description that is not closed",
        {"name": "bad", "urdf": "<robot name=\"r\"><link name=\"a\">"},
        INVALID, "INVALID_MODEL")
    refuse_registration(
        "a joint without a child", {"name": "bad", "urdf": (
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>"
            "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/>"
            "</joint></robot>")},
        INVALID, "INVALID_MODEL")
    refuse_registration(
        "a name with a space",
        {"name": "my robot", "urdf": "<robot name=\"r\"><link name=\"a\"/>"
                                     "</robot>"},
        INVALID, "INVALID_MODEL_NAME", "name")
    refuse_registration(
        "another revision than the expected one",
        {"name": "panda", "urdf": "<robot name=\"r\"><link name=\"a\"/>"
                                  "</robot>",
         "expected_current": "0" * 64},
        "FAILED_PRECONDITION", "REVISION_CONFLICT")


# --- Writing -----------------------------------------------------------------


def text_of(value, depth=0):
    """JSON with one line for each row of numbers."""
    pad = "  " * (depth + 1)
    if isinstance(value, dict) and value and depth < 5:
        inner = (f"{pad}{json.dumps(key)}: {text_of(entry, depth + 1)}"
                 for key, entry in value.items())
        return "{\n" + ",\n".join(inner) + "\n" + pad[2:] + "}"
    if isinstance(value, list) and any(
            isinstance(entry, (list, dict)) for entry in value):
        inner = (pad + text_of(entry, depth + 1) for entry in value)
        return "[\n" + ",\n".join(inner) + "\n" + pad[2:] + "]"
    return json.dumps(value)


def cases():
    CASES.clear()
    for group in (each_quantity, all_quantities, reference_frames, shapes,
                  joint_orders, terms, moving_base, payloads, tasks,
                  other_options, bad_rows, refused_computations,
                  refused_registrations):
        group()
    return {"models": MODELS, "cases": CASES}


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else HERE / "cases.json"
    made = cases()
    pathlib.Path(path).write_text(text_of(made) + "\n", encoding="utf-8")
    print(f"{len(made['cases'])} cases")
