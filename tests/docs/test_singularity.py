"""The figure of docs/quantities.md shows what the service answers."""

import os
import pathlib
import re
import sys

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
sys.path.insert(0, str(SOURCE / "docs"))
os.environ["PATH"] = os.environ["TEST_BIN"] + ":" + os.environ["PATH"]

import singularity  # noqa: E402


def numbers(svg):
    return [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", svg)]


def test_figure_is_of_this_server():
    drawn = singularity.draw(singularity.all_curves())
    kept = (SOURCE / "docs" / "singularity.svg").read_text(encoding="utf-8")
    assert re.sub(r"[\d.]+", "", drawn) == re.sub(r"[\d.]+", "", kept)
    # Round-off moves a point by less than it is wide.
    assert numbers(drawn) == pytest.approx(numbers(kept), abs=0.3)
