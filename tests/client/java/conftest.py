"""A server, and the program of docs/other-languages.md compiled with the stubs
by the lines of that page."""

import os
import pathlib
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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def program():
    (text,) = snippets(PAGE, "java planner")
    return text


@pytest.fixture(scope="session")
def planner(address, program, tmp_path_factory):
    """Where the classes are, which jars they need, and what it prints."""
    directory = tmp_path_factory.mktemp("java")
    (directory / "proto").symlink_to(SOURCE / "proto")
    (directory / "Planner.java").write_text(program, encoding="utf-8")
    (lines,) = snippets(PAGE, "sh java")
    assert "127.0.0.1:7421" in lines
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c",
         lines.replace("127.0.0.1:7421", address)
         + 'printf %s "$jars" > jars\n'],
        cwd=directory, capture_output=True, text=True, check=False,
        timeout=COMPILE_SECONDS)
    assert result.returncode == 0, result.stdout + result.stderr
    return (directory / "build" / "java" / "classes",
            (directory / "jars").read_text(), result.stdout.splitlines())


@pytest.fixture(scope="session")
def printed(planner):
    return planner[2]
