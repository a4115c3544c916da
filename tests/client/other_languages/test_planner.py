"""The example program of one language prints the same torques as torquectl, to the last
bit."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
LANGUAGE = os.environ["TEST_LANGUAGE"]
EXAMPLE = SOURCE / "examples" / LANGUAGE
FILE, REFUSAL = {"java": ("Planner.java", "NOT_FOUND MODEL_NOT_FOUND"),
                 "go": ("planner.go", "NotFound MODEL_NOT_FOUND")}[LANGUAGE]
START_SECONDS, COMPILE_SECONDS = 20, 200

sys.path.append(str(SOURCE / "tests" / "support"))
# pylint: disable=wrong-import-position
from processes import running  # noqa: E402


@pytest.fixture(name="address", scope="module")
def fixture_address(tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    file = directory / "address"
    with running(
            os.environ["TORQUED_BINARY"], "--listen", "127.0.0.1:0",
            "--address-file", file, "--store", directory / "models.db",
            "--models", SOURCE / "examples" / "robots",
            stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + START_SECONDS
        while not (file.exists() and file.read_text().endswith("\n")):
            assert server.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        yield file.read_text().splitlines()[0]


def torques(address, q):
    shown = subprocess.run(
        [os.environ["TORQUECTL"], "--server", address, "id", "--model", "panda",
         "--q", ",".join(map(repr, q)), "--output", "json"],
        capture_output=True, text=True, check=True, timeout=60)
    (tau,) = json.loads(shown.stdout)["results"]["tau"]
    return tau


def test_it_gets_the_same_torques_and_sees_the_reason_of_an_error(
        address, tmp_path):
    program = (EXAMPLE / FILE).read_text(encoding="utf-8")
    assert program.count("\n") <= 60
    done = subprocess.run(
        [EXAMPLE / "run.sh", address, tmp_path / "build"], capture_output=True, text=True,
        check=False, timeout=COMPILE_SECONDS,
        env={**os.environ, "GOCACHE": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stdout + done.stderr
    first, second, *rest = done.stdout.splitlines()

    numbers = re.search(r"q :?= (?:\[\]float64)?\{(.*?)\}", program)
    q = [float(number) for number in numbers.group(1).split(",")]
    assert [[float(number) for number in line.split()]
            for line in (first, second)] == [
                torques(address, q[:7]), torques(address, q[7:])]
    assert rest == [REFUSAL]
