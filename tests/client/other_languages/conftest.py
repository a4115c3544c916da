"""A server, and the program of docs/other-languages.md in one language, made by
the lines of that page."""

import os
import pathlib
import subprocess
import sys
import time

import pytest
from languages import COMPILE_SECONDS, LANGUAGES

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
PAGE = SOURCE / "docs" / "other-languages.md"
MODELS = SOURCE / "deploy" / "models"
START_SECONDS = 20
NAME = os.environ["TEST_LANGUAGE"]

sys.path += [str(SOURCE / "tests" / name) for name in ("docs", "support")]
# pylint: disable=wrong-import-position
from extract_snippets import snippets  # noqa: E402
from processes import running  # noqa: E402


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    file = directory / "address"
    with running(
            os.environ["TORQUED_SERVER"], "--listen", "127.0.0.1:0",
            "--address-file", file, "--store", directory / "models.db",
            "--models", MODELS, stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + START_SECONDS
        while not (file.exists() and file.read_text().endswith("\n")):
            assert server.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        yield file.read_text().splitlines()[0]


@pytest.fixture(scope="session")
def language():
    return LANGUAGES[NAME]


@pytest.fixture(scope="session")
def program():
    (text,) = snippets(PAGE, f"{NAME} planner")
    return text


@pytest.fixture(scope="session")
def planner(address, language, program, tmp_path_factory):
    """The directory in which it was made, and what it prints."""
    directory = tmp_path_factory.mktemp(NAME)
    (directory / "proto").symlink_to(SOURCE / "proto")
    (directory / language.FILE).write_text(program, encoding="utf-8")
    (lines,) = snippets(PAGE, f"sh {NAME}")
    assert "127.0.0.1:7421" in lines
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c",
         lines.replace("127.0.0.1:7421", address) + language.THEN],
        cwd=directory, capture_output=True, text=True, check=False,
        timeout=COMPILE_SECONDS, env=language.environment(directory))
    assert result.returncode == 0, result.stdout + result.stderr
    return directory, result.stdout.splitlines()
