"""Every file of tests/conformance/trajectory_files.json is read, or refused,
alike by this client and by torquectl."""

import base64
import json
import re
import subprocess
import warnings

import numpy as np
import pytest
import torqued
from conftest import SOURCE
from motions import TORQUECTL

with open(SOURCE / "tests" / "conformance" / "trajectory_files.json",
          encoding="utf-8") as table:
    CASES = json.load(table)["cases"]
JOINT = ('<link name="{0}_link"><inertial><mass value="1"/><inertia ixx="1" '
         'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
         '<joint name="{0}" type="continuous"><parent link="{1}"/>'
         '<child link="{0}_link"/><axis xyz="0 1 0"/></joint>')
ROBOTS = {"leg": ["hip", "knee"], "lever": ["hip"], "pedestal": []}
EVERY = pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])


@pytest.fixture(scope="module", name="robots")
def fixture_robots(client):
    registered = {}
    for name, joints in ROBOTS.items():
        links = ["base", *(f"{joint}_link" for joint in joints)]
        registered[name] = client.register(
            name, f'<robot name="{name}"><link name="base"/>' + "".join(
                JOINT.format(joint, parent) for joint, parent in zip(
                    joints, links)) + "</robot>")
    return registered


def array(said):
    numbers = np.array(said["values"], dtype=np.dtype(said["dtype"]))
    return np.asfortranarray(numbers) if said.get("order") == "F" else numbers


def write(said, directory):
    path = directory / said["name"]
    with path.open("wb") as file:
        if "arrays" in said:
            np.savez(file, **{name: array(one) for name, one in said["arrays"].items()})
        elif "array" in said:
            np.save(file, array(said["array"]))
        elif "base64" in said:
            file.write(base64.b64decode(said["base64"]))
        else:
            file.write(said["text"].encode())
    return path


def joints_of(case):
    return case.get("joints") or ROBOTS[case.get("robot", "leg")]


def assert_read(case, arrays, unused):
    expected = case["read"]
    shape = (len(expected["time"]), len(joints_of(case)))
    assert arrays["time"].tolist() == expected["time"]
    for name in ("q", "v", "a") if "v" in expected else ("q",):
        assert arrays[name].shape == shape
        assert arrays[name].tolist() == expected[name], name
    if "others" in case:  # Their names are of no encoding.
        assert len(unused) == case["others"]
    else:
        assert sorted(unused) == sorted(expected.get("unused", []))


@EVERY
def test_this_client(robots, tmp_path, case):
    path = write(case["file"], tmp_path)
    robot = robots[case.get("robot", "leg")]
    if "joints" in case:
        robot = robot.with_options(joint_names=case["joints"])
    words = {"derive": "cubic"} if case.get("derive") else {}

    def check():
        given = (torqued.Trajectory.read(path, case["joints"])
                 if "joints" in case else path)
        return robot.check_trajectory(given, **words).trajectory

    if "read" in case:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", torqued.LeftOutWarning)
            read = check()
        assert_read(case, vars(read), read.unused)
        assert (read.tip_wrench is not None) == case.get("wrench", False)
        return
    with pytest.raises(torqued.FileError, match=path.name) as caught:
        check()
    refused, error = case["refused"], caught.value
    for word in refused.get("words", []):
        assert word in str(error)
    if "reason" in refused:
        assert error.reason.name == refused["reason"]
    for place in ("line", "row"):
        if place in refused:
            assert getattr(error, place) == refused[place]


@EVERY
def test_torquectl(client, robots, tmp_path, case):
    path = write(case["file"], tmp_path)
    robot = robots[case.get("robot", "leg")]
    torques = tmp_path / "torques.npz"
    flags = ["--torques", torques]
    if case.get("derive"):
        flags += ["--derive", "cubic_spline"]
    if "joints" in case:
        flags += ["--joint-names", ",".join(case["joints"])]
    done = subprocess.run(
        [str(word) for word in (
            TORQUECTL, "--server", client.address, "trajectory", "check", path,
            "--allow-inconsistent",
            "--model", robot.name, *flags)],
        capture_output=True, encoding="utf-8", errors="replace", timeout=60, check=False)
    if "read" in case:
        assert done.returncode == 0, done.stderr
        told = re.search(r"move\.\w+: not used: (.*)", done.stderr)
        with np.load(torques) as arrays:
            # Times are a column there.
            assert_read(case, {**arrays, "time": arrays["time"].ravel()},
                        told[1].split(", ") if told else [])
        return
    assert done.returncode == 1, done.stdout
    refused = case["refused"]
    for word in [path.name, *refused.get("words", [])]:
        assert word in done.stderr
    if "line" in refused:
        assert f"{path.name}:{refused['line']}" in done.stderr
    if "row" in refused:
        assert f"points[{refused['row']}]" in done.stderr
