"""The program of docs/other-languages.md prints the same torques as torquectl,
to the last bit."""

import json
import os
import re
import subprocess

from conftest import NAME, PAGE
from extract_snippets import snippets


def torques(address, q):
    shown = subprocess.run(
        [os.environ["TORQUECTL"], "--server", address, "id", "--model", "panda",
         "--q", ",".join(map(repr, q)), "--output", "json"],
        capture_output=True, text=True, check=True, timeout=60)
    (tau,) = json.loads(shown.stdout)["results"]["tau"]
    return tau


def test_it_gets_the_same_torques(address, language, program, planner):
    numbers = re.search(language.STATES, program).group(1)
    q = [float(number) for number in numbers.split(",")]
    assert len(q) == 14
    rows = [[float(number) for number in line.split()]
            for line in planner[1][:2]]
    assert rows == [torques(address, q[:7]), torques(address, q[7:])]


def test_it_sees_the_reason_of_an_error(planner):
    (shown,) = snippets(PAGE, f"text {NAME}")
    assert planner[1][2:] == shown.splitlines()
