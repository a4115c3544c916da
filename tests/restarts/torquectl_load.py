"""torquectl under restarts: torquectl_load.py TORQUECTL ADDRESS

One process after the other: the torques of a long trajectory, and the check of
a directory of short ones.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import load
import motion


def write_csv(path, samples, names, **columns):
    """Time and columns for each joint, by block."""
    header = ["time"] + [f"{name}.{block}" for block in columns
                         for name in names]
    time = 0.01 * np.arange(samples)
    table = np.column_stack([time, *columns.values()])
    np.savetxt(path, table, delimiter=",", header=",".join(header),
               comments="", fmt="%.17g")


def run(torquectl, address, *arguments):
    """Output of a run that reached the server. Connecting is tried once, so a
    run that begins while nobody listens is begun again."""
    give_up = time.monotonic() + 60
    while True:
        done = subprocess.run(
            [torquectl, "--server", address, "--timeout", "30",
             "--quiet", *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False, timeout=60)
        if "no connection to" in done.stderr and time.monotonic() < give_up:
            time.sleep(0.01)
            continue
        # 2: a limit is broken, which is an answer.
        if done.returncode not in (0, 2):
            raise RuntimeError(f"exit {done.returncode}: {done.stderr}")
        return done.stdout


def main(torquectl, address):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        names = [f"panda_joint{k + 1}" for k in range(motion.JOINTS)]
        samples = 20_000
        write_csv(directory / "long.csv", samples, names,
                  q=motion.angles(samples, 0), v=motion.angles(samples, 1),
                  a=motion.angles(samples, 2))
        short = directory / "short"
        short.mkdir()
        for k in range(40):
            write_csv(short / f"{k}.csv", 200, names,
                      q=0.3 * motion.angles(200, k))

        def batch():
            return run(torquectl, address, "id", "--states",
                       directory / "long.csv", "--model", "panda",
                       "--output", "csv")

        def check():
            return run(torquectl, address, "trajectory", "check", short,
                       "--model", "panda", "--derive", "cubic_spline",
                       "--output", "csv")

        return load.run(dict(batch=batch, check=check))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
