"""Checks of trajectories with numpy arrays, for the tests."""

import dataclasses

import numpy as np
from torqued.v1 import trajectory_pb2 as pb

from harness import F64, array, failure_of, table

TABLES = {
    name.removeprefix("TRAJECTORY_TABLE_").lower(): number
    for name, number in pb.TrajectoryTable.items()
    if number != pb.TRAJECTORY_TABLE_UNSPECIFIED}
ARRAYS = ("time", "q", "v", "a", "tip_wrench_on_environment")


@dataclasses.dataclass
class Motion:
    """Samples of a smooth motion of all joints, with exact rates."""

    time: np.ndarray
    q: np.ndarray
    v: np.ndarray = None
    a: np.ndarray = None
    tip_wrench_on_environment: np.ndarray = None

    @classmethod
    def swinging(cls, joints, samples, seed=0, wrench=False):
        random = np.random.default_rng(seed)
        middle = random.uniform(-0.5, 0.5, joints)
        swing, rate, phase = (
            random.uniform(low, high, joints)
            for low, high in ((0.2, 0.8), (1, 3), (0, 6)))
        time = np.linspace(0, 3, samples) + 0.1 * np.sin(
            np.linspace(0, 6, samples)) ** 2
        angle = np.outer(time, rate) + phase
        return cls(
            time[:, None], middle + swing * np.sin(angle),
            swing * rate * np.cos(angle), -swing * rate ** 2 * np.sin(angle),
            5 * np.sin(time[:, None] + np.arange(6)) if wrench else None)

    def positions(self):
        return Motion(self.time, self.q)

    def messages(self, size, payload=F64):
        """Samples in messages of so many."""
        for first in range(0, len(self.time), size):
            yield pb.CheckTrajectoryRequest(samples=pb.TrajectorySamples(**{
                name: array(getattr(self, name)[first:first + size], payload)
                for name in ARRAYS if getattr(self, name) is not None}))


def start(model="panda", **fields):
    """The first message."""
    return pb.CheckTrajectoryRequest(
        start=pb.CheckTrajectoryStart(model=model, **fields))


class Replies:
    """Progress, verdict and tables of a check."""

    def __init__(self, replies):
        self.progress = []
        self.verdict = None
        rows = []
        for reply in replies:
            kinds = [field.name for field, _ in reply.ListFields()]
            assert len(kinds) == 1, kinds
            if kinds == ["progress"]:
                assert self.verdict is None
                self.progress.append(reply.progress.samples_done)
            elif kinds == ["verdict"]:
                assert self.verdict is None
                self.verdict = reply.verdict
            else:
                assert self.verdict is not None
                rows.append(reply.rows)
        self.tables = {}
        for name in TABLES:
            parts = [table(getattr(part, name)) for part in rows
                     if part.HasField(name)]
            if parts:
                self.tables[name] = np.concatenate(parts)


def check(client, motion, *, size=1000, payload=F64, model="panda", **fields):
    return Replies(client.trajectories.CheckTrajectory(
        iter([start(model, **fields), *motion.messages(size, payload)])))


def refused(client, *messages):
    call = client.trajectories.CheckTrajectory(iter(messages))
    return failure_of(lambda: list(call))
