"""Rows without an answer, and what is refused."""

from random_states import states_of
from results import SOLVED
from robots import model
from suite import add, refuse, refuse_registration

INVALID = "INVALID_ARGUMENT"


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
