"""Trajectories in every container that torquectl reads, and torques in it."""

import html
import json
import zipfile

import numpy as np
import pytest

from calls import ERROR, NO, OK, PANDA, USAGE, planar_with, run, run_json
from trajectory_files import CHECK, JOINTS, Samples, checked


def verdict_of(path, *flags, code=OK):
    verdict = run_json(*CHECK, path, "--model", PANDA, *flags, code=code)
    return {key: value for key, value in verdict.items()
            if key not in ("trajectory", "seconds", "echo", "asked", "inputs")}


def error_of(path, *flags):
    done = checked(path, *flags)
    assert done.returncode == ERROR, done.stderr
    return done.stderr


@pytest.fixture(scope="module", name="samples")
def fixture_samples(move):
    every = Samples.read(move)
    samples = Samples(*(getattr(every, name)[::10]
                        for name in ("time", "q", "v", "a")))
    # What the message can hold.
    samples.time = np.rint(samples.time * 1e9) / 1e9
    return samples


def torques_in(path):
    if path.suffix == ".npz":
        with np.load(path) as file:
            assert list(file["joint_names"]) == JOINTS
            return {name: file[name] for name in ("q", "v", "a", "tau")}
    document = json.loads(path.read_text())
    assert document["joint_names"] == JOINTS
    fields = {"q": "positions", "v": "velocities", "a": "accelerations",
              "tau": "effort"}
    return {name: np.array([point[field] for point in document["points"]])
            for name, field in fields.items()}


@pytest.mark.parametrize("ending", ["npz", "json"])
def test_torques_go_into_the_container_of_the_input(
        samples, tmp_path, ending):
    samples.write_csv(tmp_path / "move.csv")
    expected = verdict_of(tmp_path / "move.csv", "-o", tmp_path / "tau.npy")
    tau = np.load(tmp_path / "tau.npy")
    whole = tmp_path / f"whole.{ending}"
    verdict_of(tmp_path / "move.csv", "-o", whole)
    numbers = torques_in(whole)
    assert numbers["tau"].tobytes() == tau.tobytes()
    for name in ("q", "v", "a"):
        assert numbers[name].tobytes() == getattr(samples, name).tobytes()
    # It is an input again.
    assert verdict_of(whole, "-o", tmp_path / f"again.{ending}") == expected
    assert (tmp_path / f"again.{ending}").read_bytes() == whole.read_bytes()
    # Rates that were derived go along.
    samples.write_csv(tmp_path / "positions.csv", columns="q")
    verdict_of(tmp_path / "positions.csv", "--derive", "quintic_spline",
               "-o", tmp_path / f"derived.{ending}")
    assert np.abs(torques_in(
        tmp_path / f"derived.{ending}")["v"] - samples.v).max() < 0.01


# Others are in tests/conformance/trajectory_files.json.
@pytest.mark.parametrize("text, problem", [
    # The parser's own words.
    ("joint_names: [a\n",
     ":2: the text is not YAML at column 1: end of sequence flow not found"),
    ("- " * 50 + "1\n", "nested too deeply"),
    ("[" * 100_000, "bad.yaml:1: "),
    # On these the parser would not come to an end.
    ("joint_names: [a]\n\x04points: []\n", "is not YAML: it has a control"),
    (b"joint_names: [a]\n# \xff\n", "is not YAML: it has a control"),
    (",tory:\n    joint_names:\n- hipna ", "is not YAML: it has no end"),
], ids=range(6))
def test_yaml_that_is_none_is_told(tmp_path, text, problem):
    (tmp_path / "bad.yaml").write_bytes(
        text if isinstance(text, bytes) else text.encode())
    assert problem in error_of(tmp_path / "bad.yaml")


def test_archives_that_are_none_are_told(samples, tmp_path):
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, time=samples.time, q=samples.q)
    assert "has no v" in error_of(path, "--joint-names", "canonical")
    whole = path.read_bytes()
    path.write_bytes(whole[:len(whole) // 2])
    assert "is not a ZIP archive" in error_of(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0x55
    path.write_bytes(damaged)
    assert "cannot be unpacked" in error_of(path, "--joint-names", "canonical")
    # What nobody asks for is not even unpacked.
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("junk.npy", bytes(50_000_000))
        archive.writestr("notes.txt", "no array")
    assert "has no q" in error_of(path, "--joint-names", "canonical")


def test_wrenches_of_the_samples_come_along(samples, tmp_path):
    samples.write_csv(tmp_path / "move.csv")
    wrench = np.column_stack([np.zeros((len(samples.time), 5)), samples.time - 3])
    np.save(tmp_path / "rows.npy", wrench)
    arrays = dict(time=samples.time, joint_names=samples.joints,
                  q=samples.q, v=samples.v, a=samples.a)
    np.savez_compressed(tmp_path / "move.npz", **arrays, tip_wrench=wrench)
    for frame in ((), ("--tip-wrench-reference-frame", "world")):
        assert verdict_of(tmp_path / "move.npz", *frame) == verdict_of(
            tmp_path / "move.csv", "--tip-wrench-on-environment", f"@{tmp_path / 'rows.npy'}",
            *frame)
    # They are in the torques' file, which is an input again.
    first = verdict_of(tmp_path / "move.npz", "-o", tmp_path / "tau.npz")
    assert verdict_of(tmp_path / "tau.npz") == first
    assert "another one is given" in error_of(
        tmp_path / "move.npz", "--tip-wrench-on-environment", "0,0,0,0,0,1")
    np.savez(tmp_path / "bad.npz", **arrays, tip_wrench=wrench[:7])
    assert f"7 rows, not {len(samples.time)}" in error_of(tmp_path / "bad.npz")


def test_times_that_the_message_cannot_hold_are_told(samples, tmp_path):
    for scale, problem in ((1e12, "does not fit"), (1e-9, "whole nanoseconds")):
        stretched = samples.first(20)
        stretched.time = stretched.time * scale
        stretched.write_csv(tmp_path / "move.csv")
        assert problem in error_of(
            tmp_path / "move.csv", "-o", tmp_path / "tau.json")


def test_names_that_ascii_lacks_survive(tmp_path):
    names = ['Gelenk "\u00e4\u6f22\U0001f916\\', "joint2"]
    model = planar_with(tmp_path / "arm.urdf",
                        ('"joint1"', f'"{html.escape(names[0])}"'))
    numbers = np.zeros((10, 2))
    np.savez(tmp_path / "move.npz", time=np.arange(10), q=numbers, v=numbers,
             a=numbers, joint_names=names)
    for ending in ("npz", "json"):
        done = run(*CHECK, tmp_path / "move.npz", "--model", model, "-o",
                   tmp_path / f"tau.{ending}")
        assert done.returncode == OK, done.stderr
    with np.load(tmp_path / "tau.npz") as file:
        assert list(file["joint_names"]) == names
    message = json.loads((tmp_path / "tau.json").read_text())
    assert message["joint_names"] == names


def profile(path, times, wrenches, order=range(7)):
    names = np.array(["time", "mx", "my", "mz", "fx", "fy", "fz"])
    table = np.column_stack([times, wrenches])
    np.savetxt(path, table[:, list(order)], delimiter=",", comments="",
               header=",".join(names[list(order)]))
    return path


def test_a_wrench_profile_is_straight_between_its_rows(samples, tmp_path):
    samples.write_csv(tmp_path / "move.csv")
    last = samples.time[-1]
    times = [-1, 0.4 * last, 0.41 * last, 2 * last]
    wrenches = np.array([[0, 1, 0, 5, 0, 0], [1, 2, 3, 4, 5, 6],
                         [0, 0, 0, 0, 0, 60], [0, 0, 0, 0, 0, 0]])
    path = profile(tmp_path / "wrench.csv", times, wrenches,
                   order=[3, 0, 1, 2, 6, 5, 4])
    rows = np.column_stack([np.interp(samples.time, times, column)
                            for column in wrenches.T])
    # The same wrench for each sample, as --tip-wrench-on-environment takes it.
    np.save(tmp_path / "wrenches.npy", rows)
    tau = []
    for wrench in (("--tip-wrench-profile", path),
                   ("--tip-wrench-on-environment", f"@{tmp_path / 'wrenches.npy'}")):
        done = checked(tmp_path / "move.csv", *wrench, "--tip-wrench-reference-frame",
                       "world", "-o", tmp_path / "tau.npy")
        assert done.returncode in (OK, NO), done.stderr
        tau.append(np.load(tmp_path / "tau.npy"))
    assert np.abs(tau[0] - tau[1]).max() < 1e-11
    np.save(tmp_path / "wrench.npy", np.column_stack([times, wrenches]))
    assert verdict_of(
        tmp_path / "move.csv", "--tip-wrench-profile", tmp_path / "wrench.npy"
    ) == verdict_of(tmp_path / "move.csv", "--tip-wrench-profile", path)


@pytest.mark.parametrize("change, problem", [
    ({"times": [0, 1]}, "is outside tip_wrench_profile, from 0 s to 1 s"),
    ({"times": [3, 0]}, "times must be finite and increase"),
    ({"wrenches": np.full((2, 6), np.nan)}, "(--tip-wrench-profile[0].wrench)"),
    ({"order": [0, 1, 2, 3, 4, 5]}, "the file has no column fz"),
])
def test_a_profile_that_makes_no_sense_is_told(
        samples, tmp_path, change, problem):
    samples.write_csv(tmp_path / "move.csv")
    path = profile(tmp_path / "wrench.csv",
                   **{"times": [0, 99], "wrenches": np.ones((2, 6))} | change)
    words = (tmp_path / "move.csv", "--tip-wrench-profile", path)
    assert problem in error_of(*words)
    done = run(*CHECK, *words, "-m", PANDA, "--tip-wrench-on-environment",
               "0,0,0,0,0,1")
    assert done.returncode == USAGE and "--tip-wrench-on-environment" in done.stderr
