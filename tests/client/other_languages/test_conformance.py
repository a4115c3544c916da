"""The cases that the clients of all languages pass, on the stubs that the lines of
docs/other-languages.md make."""

import json
import subprocess

import pytest
from conftest import MODELS, SOURCE

CASES = SOURCE / "tests" / "conformance" / "cases.json"


@pytest.fixture(scope="module", name="run")
def fixture_run(planner, address, language):
    """Runs it on a file of cases."""
    command = language.conformance(planner[0])

    def run(cases):
        return subprocess.run(
            [*command, address, cases, MODELS], capture_output=True, text=True,
            check=False, timeout=120)

    return run


def test_all_cases(run):
    result = run(CASES)
    count = len(json.loads(CASES.read_text())["cases"])
    assert result.stdout == f"{count} cases, 0 wrong\n", result.stderr
    assert result.returncode == 0
