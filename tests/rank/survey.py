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
|E|, the norm of E. The decomposition, some dozen rotations of rows, adds some
units in the last place of the task's norm. |E| is not estimated: the Jacobian
that the core computes is held against the exact one. A task with a singular
value within that of a bound may be answered as on either side of it, and is
counted. Elsewhere only one answer is right, on every target and in both
precisions: what lanes cannot certify is decided in double precision.
"""

import argparse
import collections
import pathlib
import random
import subprocess
import sys
from decimal import Decimal

import numpy as np

from exact import Robot, singular_values

EPSILON = Decimal(2) ** -52
TOLERANCE = Decimal("1e-6")  # the default
DECOMPOSITION = 30 * EPSILON  # of a matrix of three rows, by its norm


class Refused(Exception):
    """The survey leaves the robot out."""


def states_of(robot, count, seed):
    draw = random.Random(seed)
    states = [[0.0] * len(robot.moving), [0.4] * len(robot.moving)] + [
        [draw.uniform(-0.5, 0.5) if joint.kind == "prismatic" else
         draw.uniform(-3, 3) for joint in robot.moving] for _ in range(count)]
    return [[float(np.float32(x)) for x in state] for state in states]


def norm(rows):
    return (rows * rows).sum().sqrt() if rows.size else Decimal(0)


def right_answers(exact, computed, axes):
    """{(code, rank)} of which any is right, by the exact and the computed
    Jacobian."""
    m = len(axes)
    most = min(m, exact.shape[1])
    if not most:
        return {("SINGULAR_TASK_SPACE", 0)}
    task = exact[axes]
    error = (norm(exact - computed) * (1 + TOLERANCE)
             + DECOMPOSITION * norm(task))
    sigmas = singular_values(task)[:most]
    ranks = {sum(sigma > TOLERANCE * norm(exact) + way * error
                 for sigma in sigmas) for way in (-1, 0, 1)}
    return {("OK" if rank == m else "SINGULAR_TASK_SPACE", rank)
            for rank in ranks}


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
        computed, tasks = {}, collections.defaultdict(list)
        for kind, link, frame, *words in self.ask(path, robot, states):
            if kind == "J":
                computed[link, frame, int(words[0])] = np.array(
                    [Decimal(float(x)) for x in words[1:]]).reshape(6, -1)
            else:
                tasks[link, frame].append(words)
        step = max(1, -(-len(robot.links) // self.links))
        for link in robot.links[::step]:
            for k, state in enumerate(states):
                jacobians, joints = robot.jacobians(link, {
                    joint.name: Decimal(x)
                    for joint, x in zip(robot.moving, state)})
                columns = [robot.moving.index(joint) for joint in joints]
                for frame, exact in jacobians.items():
                    self.hold(f"{path.name} {link} {frame} state {k}",
                              exact.reshape(6, -1),
                              computed[link, frame, k][:, columns],
                              tasks[link, frame], k)
        self.tally["robots"] += 1

    def hold(self, where, exact, computed, tasks, k):
        if exact.size:
            self.largest_error = max(
                self.largest_error, norm(exact - computed) / norm(exact)
                / EPSILON / exact.shape[1])
        right = {}
        for target, precision, axes, *answers in tasks:
            if axes not in right:
                right[axes] = right_answers(exact, computed,
                                            [int(axis) for axis in axes])
                self.tally["tasks"] += 1
                self.tally["bands"] += len(right[axes]) > 1
            code, rank = answers[k].split("/")
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
    return int(bool(survey.wrong) or not tally["tasks"]
               or survey.largest_error > 8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
