"""The rank of tasks against 60-digit arithmetic: of some robots here, of more by
survey.py itself."""

import io
import os
import pathlib
import re
import stat
from contextlib import redirect_stdout
from decimal import Decimal

import pytest

import exact
import survey

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
PROGRAM = os.environ["RANK_ANSWERS"]
MODELS = SOURCE / "deploy" / "models"
CASES = SOURCE / "tests" / "conformance"
PI = "3.14159265358979323846264338327950288419716939937510582097494459"


def report_of(program, *arguments):
    """(exit status, {code: answers}, report)"""
    out = io.StringIO()
    with redirect_stdout(out):
        status = survey.main([str(program), *map(str, arguments)])
    text = out.getvalue()
    line = re.search(r"^answers: (.*)$", text, re.MULTILINE).group(1)
    counts = dict(item.split() for item in line.split(", "))
    return status, {code: int(count) for code, count in counts.items()}, text


def arm(half_turn, unit="1"):
    """Five joints whose axes are parallel and perpendicular but for what
    `half_turn` lacks of pi, the fourth a sliding one; lengths in units of so
    many metres."""
    half, whole = (str(Decimal(half_turn) / n) for n in (2, 1))
    unit = Decimal(unit)
    size = Decimal("0.01") * unit ** 2
    turns = [("revolute", "0 0 0", "0.05 0 0.3"),
             ("revolute", f"{whole} 0 0", "0.4 0 0.1"),
             ("revolute", f"{half} 0 0", "0 -0.3 0.1"),
             ("prismatic", f"-{half} 0 0", "0.02 0 0"),
             ("revolute", f"0 {half} 0", "0 0.1 0.2")]
    text = ['<robot name="arm"><link name="l0"/>']
    for k, (kind, rpy, xyz) in enumerate(turns, 1):
        place = " ".join(str(Decimal(x) * unit) for x in xyz.split())
        text.append(
            f'<link name="l{k}"><inertial><origin xyz="{unit / 10} 0 0"/>'
            f'<mass value="1"/><inertia ixx="{size}" iyy="{size}" '
            f'izz="{size}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="j{k}" type="{kind}"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><origin xyz="{place}" rpy="{rpy}"/>'
            '<axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="9" '
            'velocity="9"/></joint>')
    return "".join(text) + "</robot>"


def test_arithmetic_has_sixty_digits():
    least = Decimal(10) ** -exact.DIGITS
    for angle in ("0.3", "-2.7", "6.2"):
        c, s = exact.cos_sin(Decimal(angle))
        assert abs(c * c + s * s - 1) < least
    assert abs(exact.cos_sin(Decimal(PI))[1]) < least
    # Of a matrix whose singular values are known: 3 and 1e-20.
    c, s = exact.cos_sin(Decimal("0.7"))
    tiny = Decimal(10) ** -20
    rows = [[3 * c, -s * tiny], [3 * s, c * tiny]]
    (large, along), (small, _) = exact.singular_values(rows)
    assert abs(large - 3) < least
    assert abs(small / tiny - 1) < Decimal(10) ** -15
    assert abs(abs(along[0]) - abs(c)) < least


def test_every_answer_about_the_robots_here_is_right():
    status, counts, text = report_of(PROGRAM, "--states", 0, "--links", 5,
                                     MODELS, CASES)
    assert status == 0, text
    assert "\nRanks: 5 robots, " in text and "left out" not in text, text
    assert counts["OK"] > 1000 and counts["SINGULAR_TASK_SPACE"] > 1000


def test_angles_are_round_off_or_weak_by_their_digits(tmp_path):
    """From where they are coarse to where they are better than doubles."""
    seen = {}
    for digits in (5, 8, 12, 13, 14, 17):
        urdf = tmp_path / f"{digits}.urdf"
        urdf.write_text(arm(str(round(Decimal(PI), digits - 1))))
        status, seen[digits], text = report_of(PROGRAM, "--states", 0, urdf)
        assert status == 0, text
    weak = {digits: counts["WEAK_TASK_SPACE"]
            for digits, counts in seen.items()}
    assert weak[5] < weak[8] and weak[8] and weak[12] and not weak[17], weak
    assert seen[17]["SINGULAR_TASK_SPACE"] > seen[12]["SINGULAR_TASK_SPACE"]


@pytest.mark.parametrize("unit", ["1e-6", "1e-3", "1e3"])
def test_robots_of_any_size_are_answered_rightly(tmp_path, unit):
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(arm("3.14159265359", unit))
    status, counts, text = report_of(PROGRAM, "--states", 1, urdf)
    assert status == 0, text
    assert counts["OK"] > 500, text


def test_a_wrong_answer_is_found(tmp_path):
    """A program that takes round-off for a task of full rank, as one that
    compares a task with itself alone."""
    wrapped = tmp_path / "wrapped"
    wrapped.write_text(f"#!/bin/sh\n'{PROGRAM}' \"$1\" | "
                       "sed 's:SINGULAR_TASK_SPACE/0/:OK/1/:g'\n")
    wrapped.chmod(wrapped.stat().st_mode | stat.S_IXUSR)
    status, _, text = report_of(wrapped, "--states", 0, "--links", 3,
                                MODELS / "ur5e.urdf")
    assert status == 1
    assert "WRONG ur5e.urdf" in text


def test_robots_that_are_refused_are_named(tmp_path):
    urdf = tmp_path / "no.urdf"
    urdf.write_text('<robot name="no"><link name="a"/><link name="a"/>'
                    "</robot>")
    status, _, text = report_of(PROGRAM, "--states", 0, urdf)
    assert status == 1  # nothing was looked at
    assert "left out: no.urdf: " in text
