"""The robots of the cases."""

import functools
import pathlib

from tree import Tree

MODELS_DIRECTORY = (
    pathlib.Path(__file__).resolve().parents[2] / "examples" / "robots")
MODELS = {
    "panda": "panda.urdf",
    "ur5e": "ur5e.urdf",
    "planar_2r": "planar_2r.urdf",
    "gantry": "../../tests/conformance/gantry.urdf",
    "turret": "../../tests/conformance/turret.urdf",
}


@functools.cache
def model(name):
    return Tree((MODELS_DIRECTORY / MODELS[name]).read_text(encoding="utf-8"))
