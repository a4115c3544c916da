"""docs/conventions.md says of every row how it is checked, and names the test."""

import pathlib
import re

import pytest

import page

HERE = pathlib.Path(__file__).parent


def test_every_row_says_how_it_is_checked():
    checked = page.rows()
    assert len(checked) > 60
    for what, how in checked:
        assert re.match(r"(live|recorded|live and recorded|definition)\b",
                        how), what


@pytest.mark.parametrize("name", ["test_common.py", "test_pinocchio.py",
                                  "test_mujoco.py", "test_kdl.py",
                                  "test_drake.py", "test_ros.py"])
def test_named_tests_exist_and_are_named(name):
    named = set(re.findall(re.escape(name) + r"::(\w+)`",
                           page.PATH.read_text(encoding="utf-8")))
    tests = page.tests_of(HERE / name)
    assert named <= tests
    assert tests - named <= {"test_rates_of_poses_are_twists", "test_version"}


def test_rows_without_a_test_are_definitions():
    for what, how in page.rows():
        if "::" not in how:
            assert how in ("definition", "live and recorded, in the tables of "
                           "each"), what
