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
PER_JOINT = 8  # of round-off, see core/dynamics/frame_scale.h
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
    """The Jacobian of a link in a reference frame, as its tasks are held
    against it."""

    def __init__(self, rows, joints, reach, computed):
        self.rows, self.joints = rows, joints
        self.reach = reach or Decimal(1)
        self.scaled = self.scale(rows)
        self.norm = norm(self.scaled)
        self.floor = PER_JOINT * len(joints) * EPSILON * self.norm
        wrong = [[a - b for a, b in zip(x, y)]
                 for x, y in zip(rows, computed)]
        self.error = norm(self.scale(wrong))
        self.plain_error = norm(wrong)

    def scale(self, rows):
        return [[x if i < 3 or joint.slides else x / self.reach
                 for x, joint in zip(row, self.joints)]
                for i, row in enumerate(rows)]

    def unscale(self, axes, rows):
        return [[x * (1 if axis < 3 else self.reach) /
                 (self.reach if joint.slides else 1)
                 for x, joint in zip(row, self.joints)]
                for axis, row in zip(axes, rows)]

    def answers(self, axes):
        """{(code, rank)} of which any is right."""
        most = min(len(axes), len(self.joints))
        if not most:
            return {("SINGULAR_TASK_SPACE", 0)}
        task = [self.scaled[axis] for axis in axes]
        beside = singular_values(task)
        found = set()
        error = self.error + DECOMPOSITION * norm(task)
        real = {count(beside, self.floor + way * error, most)
                for way in (-1, 0, 1)}
        for rank in real:
            found |= self.of_real(axes, task, beside, rank, error)
        return found

    def of_real(self, axes, task, beside, real, error_beside):
        m = len(axes)
        if not real:
            return {("SINGULAR_TASK_SPACE", 0)}
        rows = [self.rows[axis] for axis in axes]
        if real < m:
            rows = self.unscale(axes, projected(task, beside[:real]))
        own = singular_values(rows)
        error = self.plain_error + DECOMPOSITION * norm(rows)
        ranks = {min(real, count(own, TOLERANCE * own[0][0] + way * error, m))
                 for way in (-1, 0, 1)}
        found = {("SINGULAR_TASK_SPACE", rank) for rank in ranks if rank < m}
        if m in ranks:
            least, bound = beside[m - 1][0], TOLERANCE * self.norm
            if least - error_beside <= bound:
                found.add(("WEAK_TASK_SPACE", m))
            if least + error_beside > bound:
                found.add(("OK", m))
        return found


def count(pairs, bound, most):
    return sum(sigma > bound for sigma, _ in pairs[:most])


def projected(rows, pairs):
    """What of a matrix lies in the span of left singular vectors."""
    width = range(len(rows[0]))
    result = [[Decimal(0)] * len(rows[0]) for _ in rows]
    for _, vector in pairs:
        part = [sum(u * row[j] for u, row in zip(vector, rows))
                for j in width]
        for i, u in enumerate(vector):
            for j in width:
                result[i][j] += u * part[j]
    return result


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
                exact, joints, reach = robot.jacobians(link, positions)
                for frame in FRAMES:
                    numbers = jacobians[link, frame, k]
                    n = len(robot.moving)
                    computed = [[Decimal(float(numbers[i * n +
                                                       columns[joint.name]]))
                                 for joint in joints] for i in range(6)]
                    whole = Whole(exact[frame], joints, reach, computed)
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
        "OK", "WEAK_TASK_SPACE", "SINGULAR_TASK_SPACE",
        "SINGULAR_MASS_MATRIX")}
    print("answers:", ", ".join(f"{k} {v}" for k, v in answered.items()))
    print(f"Jacobians are off by {float(survey.largest_error):.2g} epsilon a "
          f"joint, of {PER_JOINT} that count as round-off")
    print(f"Ranks: {tally['robots']} robots, {tally['tasks']} tasks, "
          f"{sum(answered.values())} answers, {len(survey.wrong)} wrong, "
          f"{tally['bands']} tasks where rounding may decide")
    return 1 if survey.wrong or not tally["tasks"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
