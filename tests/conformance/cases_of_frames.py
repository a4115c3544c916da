"""Reference frames, tips, and wrenches at them."""

from random_states import states_of
from suite import FRAMES, add

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
