"""The cases that the clients of all languages pass, on Go's stubs, which the lines
of docs/other-languages.md generate."""

import os
import pathlib
import shutil
import subprocess

import other_languages
import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def runner(planner, address):
    """Runs it on a file of cases."""
    directory, _ = planner
    package = directory / "build/go/src/example.com/conformance"
    package.mkdir()
    shutil.copy(HERE / "conformance.go", package)
    program = directory / "conformance"
    built = subprocess.run(
        ["go", "build", "-o", program, "example.com/conformance"],
        capture_output=True, text=True, check=False,
        timeout=other_languages.COMPILE_SECONDS,
        env={**os.environ, "GO111MODULE": "off",
             "GOPATH": f"{directory}/build/go:/usr/share/gocode",
             "GOCACHE": str(directory / "cache")})
    assert built.returncode == 0, built.stderr

    def run(cases):
        return subprocess.run(
            [program, address, cases, other_languages.MODELS],
            capture_output=True, text=True, check=False, timeout=120)

    return run


def test_all_cases(runner):
    other_languages.expect_no_wrong_case(runner)


def test_what_is_wrong_is_found(runner, tmp_path):
    other_languages.expect_wrong_cases_are_found(runner, tmp_path)
