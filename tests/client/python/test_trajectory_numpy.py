"""numpy's files that are no trajectories, hostile ones too."""

import struct
import zipfile

import numpy as np
import pytest
import torqued
from conftest import refused
from motions import PANDA, same_motion, swinging

MOTION = swinging(40)


class Evil:
    def __reduce__(self):
        return pytest.fail, ("it was unpickled",)


def arrays(**changed):
    parts = {name: getattr(MOTION, name) for name in ("time", "q", "v", "a")}
    return {**parts, "joint_names": np.array(PANDA), **changed}


# Beside those of tests/conformance/trajectory_files.json.
@pytest.mark.parametrize("content, column", [
    ({"time": MOTION.time, "joint_names": np.array(PANDA)}, "q"),
    (arrays(q=np.array([Evil()], object)), "q"),
    (arrays(joint_names=np.array([b"\xff"] * 7)), "joint_names")])
def test_arrays_of_npz_that_are_no_trajectory(tmp_path, content, column):
    np.savez(tmp_path / "move.npz", **content)
    with refused(torqued.FileError, "move.npz", column=column):
        torqued.Trajectory.read(tmp_path / "move.npz")


def test_other_arrays_are_not_even_unpacked(tmp_path):
    path = tmp_path / "move.npz"
    np.savez(path, dt=0.1, cube=np.zeros((2, 2, 2)), label="x",
             pickled=np.array([Evil()], object), **arrays())
    # One that no memory holds, and whose sum is wrong.
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("junk.npy", header_of_npy(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1 << 50,), }"))
    read = torqued.Trajectory.read(path)
    assert same_motion(read, MOTION)
    assert sorted(read.unused) == ["cube", "dt", "junk", "label", "pickled"]


def header_of_npy(text):
    head = text.encode("latin-1").ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head


def test_entries_of_npz_that_are_no_arrays(tmp_path):
    MOTION.write(tmp_path / "whole.npz")
    entries = {}
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole:
        entries.update((name, whole.read(name)) for name in whole.namelist())

    def read(changed, flags=0):
        with zipfile.ZipFile(tmp_path / "move.npz", "w") as archive:
            for name, content in {**entries, **changed}.items():
                archive.writestr(name, content)
        if flags:
            content = (tmp_path / "move.npz").read_bytes()
            at = content.index(b"PK\x01\x02") + 8
            (tmp_path / "move.npz").write_bytes(
                content[:at] + bytes([flags]) + content[at + 1:])
        return torqued.Trajectory.read(tmp_path / "move.npz")

    assert read({"note.txt": b"x"}).unused == ("note.txt",)
    names = entries["joint_names.npy"]
    beyond = names[:-4] + struct.pack("<I", 0x110000)
    surrogate = names[:-4] + struct.pack("<I", 0xd800)
    for changed, flags in (({"q.npy": b"no array"}, 0),
                           ({"time.npy": b""}, 0),
                           ({"joint_names.npy": beyond}, 0),
                           ({"joint_names.npy": surrogate}, 0),
                           ({}, 1)):  # Encrypted, it says.
        with pytest.raises(torqued.FileError, match="move.npz"):
            read(changed, flags)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["move.npy", "move.npz"])
def test_damaged_files_of_numpy_fail_as_files_do(tmp_path, name):
    """Bytes that are changed, left out, or cut off, wherever they are."""
    path, random = tmp_path / name, np.random.default_rng(11)
    swinging(3).write(path)
    content, refused = path.read_bytes(), 0
    # Where the structure is; most of the rest are numbers.
    places = [k for k in range(len(content)) if name == "move.npz" or k < 140]
    for turn in range(600):
        damaged = bytearray(content)
        for place in random.choice(places, 1 + turn % 4):
            damaged[place] = random.integers(256)
        if turn % 3 == 1:
            del damaged[random.choice(places)]
        if turn % 7 == 1:
            del damaged[random.choice(places):]
        path.write_bytes(damaged)
        try:
            torqued.Trajectory.read(path, PANDA)
        except torqued.FileError as error:
            assert error.file == str(path)
            refused += 1
    assert refused > 200
