#!/usr/bin/python3
"""Write a pick-and-place trajectory of the seven-axis arm (panda.urdf) as CSV.

The arm looks at a table, descends, grasps, lifts, swings over, places,
retreats and returns home. Every move runs from rest to rest along the quintic

    q(t) = q0 + (q1 - q0) s(u),   s(u) = 10 u^3 - 15 u^4 + 6 u^5,   u = t / T

so velocity and acceleration are zero at both of its ends; the v and a columns
are the exact derivatives s'(u) / T and s''(u) / T^2, not differences. A move
takes the shortest time T in which all joints stay within SPEED_FRACTION of
their velocity limits and ACCELERATION_FRACTION of their acceleration limits,
divided by the move's own pace (1 for free moves, less near the table).

The motion is a function of time with a period of CYCLE seconds: --samples and
--rate only choose where it is sampled. By default 10 000 samples at 1 kHz,
that is one cycle, from 0 to 9.999 s; more samples repeat the cycle.

Columns: time [s], then per joint q [rad], v [rad/s], a [rad/s^2]. Numbers are
the shortest decimals that read back to the same double.

Only the standard library is needed.
"""

import argparse
import contextlib
import os
import sys
from collections import namedtuple

JOINTS = tuple(f"panda_joint{i}" for i in range(1, 8))

# Limits published by Franka for the Panda; the first three are also in
# panda.urdf. Units: rad, rad/s, rad/s^2.
LOWER = (-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973)
UPPER = (2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973)
VELOCITY = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
ACCELERATION = (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)

SPEED_FRACTION = 0.6
ACCELERATION_FRACTION = 0.6

# Peaks of the quintic: max s' = 15/8 at u = 1/2, max s'' = 10/sqrt(3).
PEAK_SPEED = 15.0 / 8.0
PEAK_ACCELERATION = 10.0 / 3.0 ** 0.5

CYCLE = 10.0  # s, the rest of it is spent at home

# Joint positions [rad]. The comment gives the place of the flange in
# panda_link0 [m]; it points straight down at all of them. Table top at z = 0;
# a gripper reaches about 0.1 m below the flange.
POSES = {
    # (0.307, 0, 0.590)
    "home": (0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0,
             1.5707963267948966, 0.7853981633974483),
    # (0.40, 0.12, 0.52)
    "look": (0.1497, -0.4508, 0.12, -2.297, 0.0543, 1.8487, 0.8783),
    # (0.50, 0.30, 0.33)
    "above_grasp": (0.3668, 0.2232, 0.18, -2.057, -0.0521, 2.2761, 1.0116),
    # (0.50, 0.30, 0.13)
    "grasp": (0.3457, 0.6259, 0.18, -2.0585, -0.231, 2.6658, 1.1337),
    # (0.50, 0.30, 0.36)
    "lift": (0.396, 0.1809, 0.15, -2.0293, -0.0335, 2.2079, 0.9989),
    # (0.46, -0.02, 0.50)
    "via": (-0.0435, -0.307, 0.0, -2.2226, 0.0, 1.9156, 0.8419),
    # (0.42, -0.38, 0.35)
    "above_place": (-0.5404, 0.1489, -0.2, -2.1028, 0.0378, 2.2484, 0.9235),
    # (0.42, -0.38, 0.15)
    "place": (-0.5189, 0.5469, -0.2, -2.1357, 0.2263, 2.6632, 0.7934),
    # (0.42, -0.38, 0.37)
    "retreat": (-0.5891, 0.121, -0.15, -2.0819, 0.0223, 2.2015, 0.9342),
}

# Pose to go to, pace in (0, 1], dwell there [s].
START = "home"
PLAN = (
    ("look", 1.0, 0.1),
    ("above_grasp", 1.0, 0.0),
    ("grasp", 0.6, 0.35),       # the gripper closes
    ("lift", 0.6, 0.0),
    ("via", 1.0, 0.0),
    ("above_place", 1.0, 0.0),
    ("place", 0.6, 0.35),       # the gripper opens
    ("retreat", 0.8, 0.0),
    ("home", 1.0, 0.0),
)

# One stretch of the motion; at rest at `begin` when the two poses are equal.
Segment = namedtuple("Segment", "start duration begin end")


def move_time(begin, end, pace):
    """Shortest time [s] of a quintic move within the limits, over `pace`."""
    shortest = 0.0
    for q0, q1, v_max, a_max in zip(begin, end, VELOCITY, ACCELERATION):
        distance = abs(q1 - q0)
        by_speed = PEAK_SPEED * distance / (SPEED_FRACTION * v_max)
        by_acceleration = (PEAK_ACCELERATION * distance
                           / (ACCELERATION_FRACTION * a_max)) ** 0.5
        shortest = max(shortest, by_speed, by_acceleration)
    return shortest / pace


def build_cycle():
    """Return the segments of one cycle, in order, filling CYCLE seconds."""
    for name, pose in POSES.items():
        for joint, q, low, high in zip(JOINTS, pose, LOWER, UPPER):
            if not low < q < high:
                raise ValueError(f"pose {name}: {joint} is outside its limits")

    segments = []
    clock = 0.0
    here = POSES[START]
    for name, pace, dwell in PLAN:
        there = POSES[name]
        for duration, begin in ((move_time(here, there, pace), here),
                                (dwell, there)):
            if duration > 0.0:
                segments.append(Segment(clock, duration, begin, there))
                clock += duration
        here = there

    if here != POSES[START] or clock >= CYCLE:
        raise ValueError(f"the plan must end at {START} within {CYCLE} s; "
                         f"it takes {clock:.3f} s")
    segments.append(Segment(clock, CYCLE - clock, here, here))
    return segments


def evaluate(segment, t):
    """Return q, v, a (tuples) at t seconds after the start of the segment."""
    span = segment.duration
    u = min(max(t / span, 0.0), 1.0)
    s = u * u * u * (10.0 + u * (-15.0 + u * 6.0))
    ds = 30.0 * (u * (1.0 - u)) ** 2 / span
    dds = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / (span * span)
    q, v, a = [], [], []
    for q0, q1 in zip(segment.begin, segment.end):
        delta = q1 - q0
        q.append(q0 + delta * s)
        v.append(delta * ds + 0.0)  # + 0.0 turns -0.0 into 0.0
        a.append(delta * dds + 0.0)
    return tuple(q), tuple(v), tuple(a)


def trajectory(samples, rate):
    """Yield (time, q, v, a) for `samples` instants, `rate` per second."""
    segments = build_cycle()
    index = 0
    lap = 0
    for k in range(samples):
        time = k / rate
        if int(time // CYCLE) != lap:
            lap = int(time // CYCLE)
            index = 0
        phase = time - lap * CYCLE
        while (index + 1 < len(segments)
               and phase >= segments[index + 1].start):
            index += 1
        segment = segments[index]
        yield (time, *evaluate(segment, phase - segment.start))


def write_csv(stream, samples, rate):
    """Write header and samples to a text stream."""
    header = ["time"]
    for suffix in ("q", "v", "a"):
        header += [f"{joint}.{suffix}" for joint in JOINTS]
    stream.write(",".join(header) + "\n")
    for time, q, v, a in trajectory(samples, rate):
        stream.write(",".join(map(repr, (time, *q, *v, *a))) + "\n")


def positive(kind):
    """Return an argparse type: a finite number of `kind` above zero."""
    def parse(text):
        value = kind(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not above zero")
        return value
    parse.__name__ = kind.__name__
    return parse


def main():
    parser = argparse.ArgumentParser(
        description="Write a pick-and-place trajectory of the seven-axis arm "
                    "(panda.urdf) as CSV: time, q, v, a.")
    parser.add_argument("-o", "--output", metavar="FILE",
                        help="file to write (default: standard output)")
    parser.add_argument("--samples", type=positive(int), default=10000,
                        metavar="N", help="number of samples (default 10000)")
    parser.add_argument("--rate", type=positive(float), default=1000.0,
                        metavar="HZ", help="samples per second (default 1000)")
    args = parser.parse_args()

    try:
        with contextlib.ExitStack() as stack:
            stream = sys.stdout
            if args.output is not None:
                stream = stack.enter_context(
                    open(args.output, "w", encoding="ascii", newline="\n"))
            write_csv(stream, args.samples, args.rate)
            stream.flush()
    except BrokenPipeError:
        # The reader (head, less) has gone: leave quietly, and keep the
        # interpreter from flushing into the closed pipe once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
