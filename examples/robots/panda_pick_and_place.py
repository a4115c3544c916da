#!/usr/bin/python3
"""Write a pick-and-place trajectory of the seven-axis arm (panda.urdf) as CSV.

The arm looks at a table, descends, grasps, lifts, swings over, places, retreats and
returns home. Every move runs from rest to rest along the quintic

    q(t) = q0 + (q1 - q0) s(u),   s(u) = 10 u^3 - 15 u^4 + 6 u^5,   u = t / T

so velocity and acceleration are zero at both of its ends. The columns v and a are the
exact derivatives. No joint exceeds 60 % of its velocity or acceleration limit.

Columns: time [s], then of each joint q [rad], of each v [rad/s], of each a [rad/s^2].
Samples beyond 10 s repeat the cycle.
"""

import argparse
import os
import sys

JOINTS = [f"panda_joint{i}" for i in range(1, 8)]

# Joint positions [rad]. The comment gives the place of the flange in panda_link0 [m];
# it points straight down at all of them. Table top at z = 0; a gripper reaches about
# 0.1 m below the flange.
HOME = (0.0, -0.7853981633974483, 0.0, -2.356194490192345, 0.0,
        1.5707963267948966, 0.7853981633974483)  # (0.307, 0, 0.590)
LOOK = (0.1497, -0.4508, 0.12, -2.297, 0.0543, 1.8487, 0.8783)  # (0.40, 0.12, 0.52)
ABOVE_GRASP = (0.3668, 0.2232, 0.18, -2.057, -0.0521, 2.2761, 1.0116)  # (0.50, 0.30, 0.33)
GRASP = (0.3457, 0.6259, 0.18, -2.0585, -0.231, 2.6658, 1.1337)  # (0.50, 0.30, 0.13)
LIFT = (0.396, 0.1809, 0.15, -2.0293, -0.0335, 2.2079, 0.9989)  # (0.50, 0.30, 0.36)
VIA = (-0.0435, -0.307, 0.0, -2.2226, 0.0, 1.9156, 0.8419)  # (0.46, -0.02, 0.50)
ABOVE_PLACE = (-0.5404, 0.1489, -0.2, -2.1028, 0.0378, 2.2484, 0.9235)  # (0.42, -0.38, 0.35)
PLACE = (-0.5189, 0.5469, -0.2, -2.1357, 0.2263, 2.6632, 0.7934)  # (0.42, -0.38, 0.15)
RETREAT = (-0.5891, 0.121, -0.15, -2.0819, 0.0223, 2.2015, 0.9342)  # (0.42, -0.38, 0.37)

# Pose to be in at the end, duration [s]; the gripper closes at GRASP and opens at PLACE.
MOVES = ((LOOK, 0.656), (LOOK, 0.1), (ABOVE_GRASP, 0.969), (GRASP, 1.198), (GRASP, 0.35),
         (LIFT, 1.26), (VIA, 0.792), (ABOVE_PLACE, 0.765), (PLACE, 1.191), (PLACE, 0.35),
         (RETREAT, 0.925), (HOME, 1.303), (HOME, 0.141))
CYCLE = 10.0


def state(time):
    """q, v and a of all joints, one after the other."""
    time %= CYCLE
    begin = HOME
    for end, duration in MOVES:
        if time < duration:
            break
        time -= duration
        begin = end
    u = min(time / duration, 1.0)
    q = u**3 * (10 - 15 * u + 6 * u**2)
    v = 30 * (u * (1 - u))**2 / duration
    a = 60 * u * (1 - u) * (1 - 2 * u) / duration**2
    deltas = [last - first for first, last in zip(begin, end)]
    return ([first + delta * q for first, delta in zip(begin, deltas)]
            + [delta * v for delta in deltas] + [delta * a for delta in deltas])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.error = lambda message: parser.exit(64, f"{parser.prog}: {message}\n")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: stdout")
    parser.add_argument("--samples", type=int, default=10000, help="default: 10000")
    parser.add_argument("--rate", type=float, default=1000.0, metavar="HZ",
                        help="samples per second (default: 1000)")
    arguments = parser.parse_args()
    try:
        with open(arguments.output or 1, "w", encoding="ascii") as stream:
            print("time", *(f"{joint}.{letter}" for letter in "qva" for joint in JOINTS),
                  sep=",", file=stream)
            for sample in range(arguments.samples):
                time = sample / arguments.rate
                print(time, *state(time), sep=",", file=stream)
    except OSError as error:
        sys.exit(f"{arguments.output or 'stdout'}: {os.strerror(error.errno)}")


if __name__ == "__main__":
    main()
