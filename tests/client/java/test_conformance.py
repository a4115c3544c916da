"""The cases that the clients of all languages pass, on Java's stubs, which the
lines of docs/other-languages.md compile."""

import pathlib
import subprocess

import other_languages
import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def runner(planner, address):
    """Runs it on a file of cases."""
    classes, jars, _ = planner
    jars += ":/usr/share/java/protobuf-util.jar"
    subprocess.run(
        ["javac", "-nowarn", "-cp", f"{classes}:{jars}", "-d", classes,
         HERE / "Conformance.java"], check=True,
        timeout=other_languages.COMPILE_SECONDS)

    def run(cases):
        return subprocess.run(
            ["java", "-cp", f"{classes}:{jars}", "Conformance", address, cases,
             other_languages.MODELS],
            capture_output=True, text=True, check=False, timeout=120)

    return run


def test_all_cases(runner):
    other_languages.expect_no_wrong_case(runner)


def test_what_is_wrong_is_found(runner, tmp_path):
    other_languages.expect_wrong_cases_are_found(runner, tmp_path)
