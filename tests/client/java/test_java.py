"""The Java program of docs/other-languages.md prints the same torques as
torquectl, to the last bit."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest

SOURCE = pathlib.Path(os.environ["TORQUED_SOURCE"])
PAGE = SOURCE / "docs" / "other-languages.md"
START_SECONDS = 15
COMPILE_SECONDS = 200

sys.path.append(str(SOURCE / "tests" / "docs"))
# pylint: disable-next=wrong-import-position
from extract_snippets import snippets  # noqa: E402


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    file = directory / "address"
    with subprocess.Popen(
            [os.environ["TORQUED_SERVER"], "--listen", "127.0.0.1:0",
             "--address-file", file, "--store", directory / "models.db",
             "--models", SOURCE / "deploy" / "models"],
            stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + START_SECONDS
        while not (file.exists() and file.read_text().endswith("\n")):
            assert server.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        yield file.read_text().splitlines()[0]
        server.terminate()


@pytest.fixture(scope="module")
def program():
    (text,) = snippets(PAGE, "java planner")
    return text


@pytest.fixture(scope="module")
def printed(address, program, tmp_path_factory):
    directory = tmp_path_factory.mktemp("java")
    (directory / "proto").symlink_to(SOURCE / "proto")
    (directory / "Planner.java").write_text(program, encoding="utf-8")
    (lines,) = snippets(PAGE, "sh java")
    assert "127.0.0.1:7421" in lines
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c",
         lines.replace("127.0.0.1:7421", address)],
        cwd=directory, capture_output=True, text=True, check=False,
        timeout=COMPILE_SECONDS)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def torques(address, q):
    shown = subprocess.run(
        [os.environ["TORQUECTL"], "--server", address, "id", "--model", "panda",
         "--q", ",".join(map(repr, q)), "--output", "json"],
        capture_output=True, text=True, check=True, timeout=60)
    (tau,) = json.loads(shown.stdout)["results"]["tau"]
    return tau


def test_java_gets_the_same_torques(address, program, printed):
    numbers = re.search(r"double\[\] q = \{(.*?)\}", program).group(1)
    q = [float(number) for number in numbers.split(",")]
    assert len(q) == 14
    rows = [[float(number) for number in line.split()]
            for line in printed[:2]]
    assert rows == [torques(address, q[:7]), torques(address, q[7:])]


def test_java_sees_the_reason_of_an_error(printed):
    (shown,) = snippets(PAGE, "text java")
    assert printed[2:] == shown.splitlines()
