"""The cases that the clients of all languages pass, on the stubs that the lines of
docs/other-languages.md make."""

import json
import re
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


def test_what_is_wrong_is_found(run, tmp_path):
    suite = json.loads(CASES.read_text())
    cases = {case["name"]: case for case in suite["cases"]}
    number = cases["inverse dynamics of panda"]
    number["expect"]["results"]["tau"][1][2] += 1e-8
    status = cases["a q that is no number"]
    status["expect"]["row_status"][0]["joint"] = "another"
    error = cases["no q"]
    error["expect"]["error"]["field"] = "v"
    suite["cases"] = [number, status, error]
    wrong = tmp_path / "cases.json"
    wrong.write_text(json.dumps(suite))
    result = run(wrong)
    assert result.returncode == 1
    *wrong, counts = result.stdout.splitlines()
    assert counts == "3 cases, 6 wrong"
    assert [re.match(r"(.*?)(?: \(stream\))?: ", line).group(1)
            for line in wrong] == [
        case["name"] for case in suite["cases"] for _ in range(2)]
