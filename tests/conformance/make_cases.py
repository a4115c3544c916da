"""Writes cases.json: what every client is asked and must answer.

Usage: make_cases.py [FILE]      (default: cases.json beside this)

All expected numbers come from lagrange.py, which shares nothing with the
server: another method, in extended precision. States are random but always the
same.
"""

import json
import pathlib
import sys

import cases_of_errors as of_errors
import cases_of_frames as of_frames
import cases_of_options as of_options
import cases_of_quantities as of_quantities
import suite
from robots import MODELS

HERE = pathlib.Path(__file__).resolve().parent
# The order of the file.
GROUPS = (
    of_quantities.each_quantity, of_quantities.all_quantities,
    of_frames.reference_frames, of_quantities.shapes,
    of_quantities.joint_orders, of_options.terms, of_options.moving_base,
    of_options.payloads, of_options.tasks, of_options.other_options,
    of_errors.bad_rows, of_errors.refused_computations,
    of_errors.refused_registrations)


def text_of(value, depth=0):
    """JSON with one line for each row of numbers."""
    pad = "  " * (depth + 1)
    if isinstance(value, dict) and value and depth < 5:
        inner = (f"{pad}{json.dumps(key)}: {text_of(entry, depth + 1)}"
                 for key, entry in value.items())
        return "{\n" + ",\n".join(inner) + "\n" + pad[2:] + "}"
    if isinstance(value, list) and any(
            isinstance(entry, (list, dict)) for entry in value):
        inner = (pad + text_of(entry, depth + 1) for entry in value)
        return "[\n" + ",\n".join(inner) + "\n" + pad[2:] + "]"
    return json.dumps(value)


def cases():
    suite.CASES.clear()
    for group in GROUPS:
        group()
    return {"models": MODELS, "cases": suite.CASES}


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else HERE / "cases.json"
    made = cases()
    pathlib.Path(path).write_text(text_of(made) + "\n", encoding="utf-8")
    print(f"{len(made['cases'])} cases")
