"""Robots with friction, and all that can surround them: a base that moves and
wrenches on their links."""

import dataclasses

import numpy as np

import robots
import ways
from calls import register
from ways import ALIGNED, LOCAL, WORLD, place

ROWS = 9
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


class Arm(ways.Robot):
    """With friction in all joints, for those who ask for it."""

    @property
    def kind(self):
        return self.name.removeprefix("rusty_")

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


def arm_of(client, name, source, tip):
    """Registers it."""
    register(client, name, source)
    return Arm.of(client, name, ROWS, tip)


def rusty_arm(client, name):
    """One of ways.TIPS, with friction of its own in every joint."""
    plain = Arm.example(client, name, 1)
    return arm_of(client, f"rusty_{name}", robots.rusty(plain.source),
                  plain.tip)
