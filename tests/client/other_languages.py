"""The programs of docs/other-languages.md, made and run by the lines of that page
against a real server, and the conformance cases on the same stubs."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
PAGE = SOURCE / "docs" / "other-languages.md"
CASES = SOURCE / "tests" / "conformance" / "cases.json"
MODELS = SOURCE / "deploy" / "models"
START_SECONDS = 15
COMPILE_SECONDS = 200

sys.path.append(str(SOURCE / "tests" / "docs"))
# pylint: disable-next=wrong-import-position
from extract_snippets import snippets  # noqa: E402


@contextlib.contextmanager
def serving(directory):
    """The address of a server."""
    file = directory / "address"
    with subprocess.Popen(
            [os.environ["TORQUED_SERVER"], "--listen", "127.0.0.1:0",
             "--address-file", file, "--store", directory / "models.db",
             "--models", MODELS],
            stderr=subprocess.DEVNULL) as server:
        end = time.monotonic() + START_SECONDS
        while not (file.exists() and file.read_text().endswith("\n")):
            assert server.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        yield file.read_text().splitlines()[0]
        server.terminate()


def program_of(language):
    (text,) = snippets(PAGE, f"{language} planner")
    return text


def run_page(language, file, address, directory, then=""):
    """What the page's program prints, made in a directory with `proto` by the
    page's lines."""
    (directory / "proto").symlink_to(SOURCE / "proto")
    (directory / file).write_text(program_of(language), encoding="utf-8")
    (lines,) = snippets(PAGE, f"sh {language}")
    assert "127.0.0.1:7421" in lines
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c",
         lines.replace("127.0.0.1:7421", address) + then],
        cwd=directory, capture_output=True, text=True, check=False,
        timeout=COMPILE_SECONDS,
        env={**os.environ, "GOCACHE": str(directory / "cache")})
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def torques(address, q):
    shown = subprocess.run(
        [os.environ["TORQUECTL"], "--server", address, "id", "--model", "panda",
         "--q", ",".join(map(repr, q)), "--output", "json"],
        capture_output=True, text=True, check=True, timeout=60)
    (tau,) = json.loads(shown.stdout)["results"]["tau"]
    return tau


def expect_same_torques(address, numbers, printed):
    """To the last bit those of torquectl, for two states that stand in the
    program as `numbers`."""
    q = [float(number) for number in numbers.split(",")]
    assert len(q) == 14
    rows = [[float(number) for number in line.split()]
            for line in printed[:2]]
    assert rows == [torques(address, q[:7]), torques(address, q[7:])]


def expect_reason(language, printed):
    (shown,) = snippets(PAGE, f"text {language}")
    assert printed[2:] == shown.splitlines()


def expect_no_wrong_case(run):
    """`run` runs a conformance program on a file of cases."""
    result = run(CASES)
    count = len(json.loads(CASES.read_text())["cases"])
    assert result.stdout == f"{count} cases, 0 wrong\n", result.stderr
    assert result.returncode == 0


def expect_wrong_cases_are_found(run, tmp_path):
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
