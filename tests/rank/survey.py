#!/usr/bin/python3
"""Holds the rank of every task of one, two and three axes of every link of many
robots against 60-digit arithmetic.

    survey.py PROGRAM [--states N] [--links N] PATH...

PROGRAM is rank_answers. A PATH is a URDF, or a directory with URDFs anywhere
below it. N random states of each robot are asked for beside two special ones,
all zeros and all 0.4; of at most N links, evenly spread. Exits with 1 where an
answer is wrong.

What is right: the rules of OperationalSpaceOptions.rank_tolerance in
proto/torqued/v1/dynamics.proto, without rounding, of the robot whose angles and
lengths are the decimals of its URDF. States are numbers of single precision, so
that they are the same in both precisions.

Where rounding may decide: the core computes with a Jacobian that differs from
the exact one by E, and by Weyl's theorem its singular values differ by at most
|E|, the norm of E; the decomposition, some dozen rotations of rows, adds some
units in the last place of the task's norm. |E| is not estimated: the Jacobian that the core computes is held
against the exact one. A task with a singular value within that of a bound may be
answered as on either side of it, and is counted. Elsewhere only one answer is
right, on every target and in both precisions: what lanes cannot certify is
decided in double precision.
"""

import argparse
import collections
import pathlib
import random
import struct
import subprocess
import sys
from decimal import Decimal

from exact import singular_values
from robot import Robot

EPSILON = Decimal(2) ** -52
TOLERANCE = Decimal("1e-6")  # the default
DECOMPOSITION = 30 * EPSILON  # of a matrix of three rows, by its norm
FRAMES = ("local", "local_world_aligned", "world")


class Refused(Exception):
    """The survey leaves the robot out."""


def single(x):
    """The nearest number of single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def states_of(robot, count, seed):
    draw = random.Random(seed)
    n = len(robot.moving)
    return [[0.0] * n, [single(0.4)] * n] + [
        [single(draw.uniform(-0.5, 0.5) if joint.slides else
                draw.uniform(-3, 3)) for joint in robot.moving]
        for _ in range(count)]


def norm(rows):
    return sum((x * x for row in rows for x in row), Decimal(0)).sqrt()


class Whole:
    """The Jacobian of a link in a reference frame, with the characteristic
    length of 1 m."""

    def __init__(self, rows, joints, computed):
        self.rows, self.joints = rows, joints
        self.norm = norm(rows)
        self.error = norm([[a - b for a, b in zip(x, y)]
                           for x, y in zip(rows, computed)])

    def answers(self, axes):
        """{(code, rank)} of which any is right."""
        m = len(axes)
        most = min(m, len(self.joints))
        if not most:
            return {("SINGULAR_TASK_SPACE", 0)}
        task = [self.rows[axis] for axis in axes]
        error = self.error * (1 + TOLERANCE) + DECOMPOSITION * norm(task)
        ranks = {count(singular_values(task),
                       TOLERANCE * self.norm + way * error, most)
                 for way in (-1, 0, 1)}
        return {("OK" if rank == m else "SINGULAR_TASK_SPACE", rank)
                for rank in ranks}


def count(pairs, bound, most):
    return sum(sigma > bound for sigma, _ in pairs[:most])


class Survey:
    def __init__(self, program, states, links):
        self.program, self.count, self.links = program, states, links
        self.tally = collections.Counter()
        self.wrong = []
        self.largest_error = Decimal(0)

    def ask(self, path, robot, states):
        lines = [" ".join(joint.name for joint in robot.moving)]
        lines += [" ".join(map(repr, state)) for state in states]
        done = subprocess.run([self.program, path], input="\n".join(lines),
                              capture_output=True, text=True, check=False,
                              timeout=600)
        if done.returncode == 2:
            raise Refused(done.stderr.splitlines()[0])
        done.check_returncode()
        return [line.split() for line in done.stdout.splitlines()]

    def of_robot(self, path):
        robot = Robot(path)
        if not robot.moving:
            raise Refused("none of its joints moves")
        states = states_of(robot, self.count, str(path.name))
        jacobians, tasks = {}, collections.defaultdict(list)
        columns = {joint.name: k for k, joint in enumerate(robot.moving)}
        for kind, link, frame, *words in self.ask(path, robot, states):
            if kind == "J":
                jacobians[link, frame, int(words[0])] = words[1:]
            else:
                tasks[link, frame].append(words)
        step = max(1, -(-len(robot.links) // self.links))
        for link in robot.links[::step]:
            for k, state in enumerate(states):
                positions = {joint.name: Decimal(x)
                             for joint, x in zip(robot.moving, state)}
                exact, joints = robot.jacobians(link, positions)
                for frame in FRAMES:
                    numbers = jacobians[link, frame, k]
                    n = len(robot.moving)
                    computed = [[Decimal(float(numbers[i * n +
                                                       columns[joint.name]]))
                                 for joint in joints] for i in range(6)]
                    whole = Whole(exact[frame], joints, computed)
                    self.hold(f"{path.name} {link} {frame} state {k}", whole,
                              tasks[link, frame], k)
        self.tally["robots"] += 1

    def hold(self, where, whole, tasks, k):
        if whole.joints:
            self.largest_error = max(
                self.largest_error,
                whole.error / whole.norm / EPSILON / len(whole.joints))
        right = {}
        for target, precision, axes, *answers in tasks:
            if axes not in right:
                right[axes] = whole.answers([int(axis) for axis in axes])
                self.tally["tasks"] += 1
                self.tally["bands"] += len(right[axes]) > 1
            code, rank, _ = answers[k].split("/")
            self.tally[code] += 1
            if code == "SINGULAR_MASS_MATRIX":
                continue
            if (code, int(rank)) not in right[axes]:
                self.wrong.append(
                    f"{where} axes {axes} {target} {precision}: {code} rank "
                    f"{rank}, where {sorted(right[axes])} is right")


def robots_in(paths):
    for path in paths:
        yield from sorted(path.rglob("*.urdf")) if path.is_dir() else [path]


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--states", type=int, default=4)
    parser.add_argument("--links", type=int, default=10_000)
    parser.add_argument("paths", type=pathlib.Path, nargs="+")
    asked = parser.parse_args(arguments)
    survey = Survey(asked.program, asked.states, asked.links)
    for path in robots_in(asked.paths):
        try:
            survey.of_robot(path)
        except Refused as problem:
            print(f"left out: {path.name}: {problem}")
    tally = survey.tally
    for line in survey.wrong[:50]:
        print("WRONG", line)
    answered = {code: tally[code] for code in (
        "OK", "SINGULAR_TASK_SPACE", "SINGULAR_MASS_MATRIX")}
    print("answers:", ", ".join(f"{k} {v}" for k, v in answered.items()))
    print(f"Jacobians are off by {float(survey.largest_error):.2g} epsilon a "
          "joint, of 8 that count as round-off")
    print(f"Ranks: {tally['robots']} robots, {tally['tasks']} tasks, "
          f"{sum(answered.values())} answers, {len(survey.wrong)} wrong, "
          f"{tally['bands']} tasks where rounding may decide")
    return 1 if survey.wrong or not tally["tasks"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
