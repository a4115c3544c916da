"""An arm on a table that turns: the same as an arm on a base that moves."""

import dataclasses

import numpy as np

import robots
from calls import States, ask
from surroundings import ROWS, Arm, arm_of
from vectors import transposed
from ways import GRAVITY

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


def on_turntable(arm):
    """Registers the whole."""
    whole = arm_of(arm.client, f"{arm.name}_on_a_table",
                   robots.on_turntable(arm.source),
                   arm.tip or arm.info.tip_frame)
    return Turntable(whole, Arm.of(arm.client, arm.name, ROWS, whole.tip))


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
