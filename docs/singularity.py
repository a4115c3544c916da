#!/usr/bin/env python3
"""Draws docs/singularity.svg: an arm of six axes on its way through the
singularity of its wrist.

    singularity.py OUTPUT.svg

Computes with torquectl, which must be in PATH.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
from xml.sax.saxutils import escape

MODEL = pathlib.Path(__file__).parent.parent / "examples/robots/ur5e.urdf"
# shoulder_pan, shoulder_lift, elbow, wrist_1, (wrist_2), wrist_3, in rad.
ELSEWHERE = (0.1, -1.2, 1.5, -0.4, 0.3)
# |q5| of wrist_2, at 0 of which the axes of wrist_1 and wrist_3 are parallel.
ANGLES = [10 ** (k / 8) for k in range(-56, 1)]
TOLERANCE = 1e-2

# Name: flags of torquectl opspace, colour.
CURVES = {
    "exact": ([], "#30638e"),
    "restricted": (["--rank-tolerance", str(TOLERANCE)], "#d1495b"),
    "damped, μ = 0.1": (["--rank-tolerance", str(TOLERANCE), "--singularity", "damped", "--damping",
                         "0.1"], "#5b8e7d"),
    "damped, μ = 0.01": (["--rank-tolerance", str(TOLERANCE), "--singularity", "damped", "--damping",
                          "0.01"], "#edae49"),
}


def sweep(flags):
    """For each angle: Λ's 36 numbers, rank, rule and σ_min, at rest."""
    before, last = ELSEWHERE[:4], ELSEWHERE[4]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as states:
        for angle in ANGLES:
            row = (*before, angle, last, *[0] * 6)
            states.write(",".join(map(repr, row)) + "\n")
        states.flush()
        # The exit status is another where rows are singular.
        done = subprocess.run(
            ["torquectl", "opspace", "--model", MODEL, "--joint-names", "canonical",
             "--states", states.name, "--output", "json", *flags],
            capture_output=True, text=True, check=False, timeout=60)
    try:
        results = json.loads(done.stdout)["results"]
    except (json.JSONDecodeError, KeyError):
        sys.exit(done.stderr)
    return [{"angle": angle, "lambda": [x for line in matrix for x in line],
             "rank": rank, "rule": rule, "sigma_min": sigma}
            for angle, matrix, rank, rule, sigma in zip(
                ANGLES, results["lambda"], results["rank"], results["rule"],
                results["sigma_min"], strict=True)]


def largest(row):
    return max(abs(x) for x in row["lambda"])


WIDTH, LEFT, RIGHT = 760, 80, 150


class Panel:
    """Logarithmic axes over the angle."""

    def __init__(self, top, height, low, high, title):
        self.top, self.height = top, height
        self.low, self.high = low, high
        self.shapes = []
        self.text(LEFT, top - 8, title, bold=True)
        for exponent in range(low, high + 1, 2):
            y = self.y(10 ** exponent)
            self.line(LEFT, y, WIDTH - RIGHT, y)
            self.text(LEFT - 6, y + 4, f"1e{exponent}", anchor="end")
        for exponent in range(-7, 1):
            x = self.x(10 ** exponent)
            self.line(x, top, x, top + height)
            self.text(x, top + height + 14, f"1e{exponent}", anchor="middle")

    def x(self, angle):
        share = (math.log10(angle) + 7) / 7
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.top + self.height * (1 - share)

    def line(self, x1, y1, x2, y2, colour="#dddddd"):
        self.shapes.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" '
                           f'y2="{y2:.1f}" stroke="{colour}"/>')

    def text(self, x, y, words, anchor="start", bold=False, colour="#222222"):
        weight = ' font-weight="bold"' if bold else ""
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" '
            f'text-anchor="{anchor}" fill="{colour}"{weight}>'
            f"{escape(words)}</text>")

    def curve(self, points, colour):
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in points)
        self.shapes.append(f'<polyline points="{path}" fill="none" '
                           f'stroke="{colour}" stroke-width="2"/>')


def draw(curves):
    """The figure from {name: sweep}."""
    title = "An arm of six axes near the singularity of its wrist"
    inertia = Panel(50, 260, 0, 10, "Largest entry of Λ, kg m², kg m or kg")
    for place, (name, rows) in enumerate(curves.items()):
        colour = CURVES[name][1]
        inertia.curve([(row["angle"], largest(row)) for row in rows], colour)
        inertia.text(WIDTH - RIGHT + 10, 70 + 18 * place, name, colour=colour)
    sigma = Panel(370, 130, -8, 0, "Smallest singular value of J, scaled")
    rows = curves["restricted"]
    sigma.curve([(row["angle"], row["sigma_min"]) for row in rows],
                "#30638e")
    full = [row["angle"] for row in rows if row["rank"] == 6]
    at = sigma.x(min(full))
    sigma.line(at, 370, at, 500, "#d1495b")
    sigma.text(at - 6, 490, "rank 5", anchor="end", colour="#d1495b")
    sigma.text(at + 6, 490, "rank 6", colour="#d1495b")
    sigma.text(LEFT, 540, "|q5| of wrist_2, rad; rank tolerance "
                          f"{TOLERANCE:g}, but 1e-6 of the exact curve")
    body = "\n".join(inertia.shapes + sigma.shapes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="556" viewBox="0 0 {WIDTH} 556" '
            f'font-family="sans-serif">\n<title>{escape(title)}</title>\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'<text x="{LEFT}" y="20" font-size="14" font-weight="bold">'
            f"{escape(title)}</text>\n{body}\n</svg>\n")


def all_curves():
    return {name: sweep(flags) for name, (flags, _) in CURVES.items()}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(draw(all_curves()), encoding="utf-8")
