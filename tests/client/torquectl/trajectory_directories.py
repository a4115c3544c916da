"""Directories of trajectories, for the tests of `torquectl trajectory`."""

import json

import numpy as np
import pytest

from trajectory_files import Samples, checked


def at_pace(samples, factor):
    return Samples(samples.time * factor, samples.q, samples.v / factor,
                   samples.a / factor ** 2)


@pytest.fixture(scope="module", name="samples")
def fixture_samples(move):
    whole = Samples.read(move)
    return Samples(whole.time[::10], whole.q[::10], whole.v[::10],
                   whole.a[::10])


def fill(directory, samples, count=30):
    """Files of one motion at different paces, some too fast."""
    random = np.random.default_rng(3)
    paces = random.uniform(0.3, 1.2, count)
    for k, pace in enumerate(paces):
        place = directory / f"part{k % 3}"
        place.mkdir(exist_ok=True, parents=True)
        at_pace(samples, pace).write_csv(place / f"{k:03}.csv")
    np.savez(directory / "more.npz", time=samples.time, q=samples.q,
             v=samples.v, a=samples.a, joint_names=samples.joints)
    # What is not looked at.
    (directory / "notes.txt").write_text("none")
    (directory / ".hidden.csv").write_text("none")
    (directory / ".git").mkdir()
    (directory / ".git" / "x.csv").write_text("none")
    return paces


def check(directory, *flags, code=None):
    done = checked(directory, "--output", "json", *flags)
    assert code is None or done.returncode == code, done.stderr
    return json.loads(done.stdout)
