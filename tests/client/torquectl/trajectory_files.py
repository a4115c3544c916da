"""Trajectories in files, for the tests of `torquectl trajectory`."""

import dataclasses
import json
import subprocess
import sys

import numpy as np
import pytest

from calls import MODELS, PANDA, run
from joint_limits import limits_of

CHECK = ("trajectory", "check")
COMPARE = ("trajectory", "compare")
JOINTS = [f"panda_joint{k}" for k in range(1, 8)]


def checked(path, *flags, **options):
    return run(*CHECK, path, "-m", PANDA, *flags, **options)


def limits_file(path, joints):
    path.write_text(json.dumps(limits_of(joints)), encoding="utf-8")
    return path


def table(path):
    """Names and numbers of a CSV file."""
    with open(path, encoding="utf-8") as file:
        header = file.readline().strip().split(",")
        return header, np.loadtxt(file, delimiter=",")


@dataclasses.dataclass
class Samples:
    """Of the panda, joints in the model's order."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    joints: tuple = tuple(JOINTS)

    @classmethod
    def read(cls, path):
        header, numbers = table(path)
        return cls(numbers[:, 0], *(
            numbers[:, [header.index(f"{joint}.{name}") for joint in JOINTS]]
            for name in "qva"))

    def first(self, count):
        return Samples(*(getattr(self, name)[:count]
                         for name in ("time", "q", "v", "a")))

    def write_csv(self, path, columns="qva"):
        header = ["time"] + [
            f"{joint}.{name}" for name in columns for joint in self.joints]
        numbers = np.column_stack(
            [self.time] + [getattr(self, name) for name in columns])
        np.savetxt(path, numbers, delimiter=",", header=",".join(header),
                   comments="", fmt="%.17g")
        return path


@pytest.fixture(scope="module", name="move")
def fixture_move(tmp_path_factory):
    """The pick-and-place trajectory as CSV."""
    path = tmp_path_factory.mktemp("trajectory") / "move.csv"
    subprocess.run([sys.executable, MODELS / "panda_pick_and_place.py",
                    "--samples", "2000", "-o", path], check=True)
    return path
