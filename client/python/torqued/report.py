"""A verdict as a page to look at: that of `torquectl trajectory check --html`."""

from __future__ import annotations

import base64
import html
import json
import pathlib
from typing import TYPE_CHECKING, Any, Iterator

import numpy as np
import numpy.typing as npt

from torqued import errors
from torqued.contract import Reason
from torqued.errors import plain
from torqued.values import FloatArray

if TYPE_CHECKING:
    from torqued.verdict import TrajectoryVerdict

_BYTES = 950_000  # of a page


def page(verdict: TrajectoryVerdict, message: dict[str, Any]) -> str:
    """message: the verdict in words of JSON. Raises InvalidArgument."""
    needed = ["tau", "torque_limit", *(["v"] if verdict.derived else []), *(
        ["sigma_min", "condition"] if verdict.path_inertia else [])]
    if not set(needed) <= set(verdict.tables):
        raise errors.invalid(
            Reason.MISSING_INPUT, "tables",
            f"there are no curves: give tables={json.dumps(needed)} to the check")
    title = verdict.trajectory.file or "trajectory"
    data = {"title": title, "asked": [], "verdict": message}
    text = "\n".join(map(plain, (title, *_lines(verdict.proto))))
    # Base64 takes 16 letters for three numbers, and a joint has five curves.
    numbers = (_BYTES - len(_filled(data, text))) * 3 // 16
    most = numbers // (5 * (len(verdict.joints) + 1))
    data.update(_curves(verdict, min(max(most, 200), 4000)))
    return _filled(data, text)


def _lines(verdict: Any) -> Iterator[str]:
    """For readers without scripts."""
    yield f"{'PASS' if verdict.passes else 'FAIL'}: {verdict.message}"
    for part in (*verdict.violations[:10], *verdict.remarks[:10], *verdict.joints,
                 verdict.payload, verdict.slow_down, verdict.path_inertia):
        yield part.message
    yield verdict.energy_message
    for asked in verdict.asked_words:
        yield f"{asked.title}: {asked.words}"


def _filled(data: dict[str, Any], text: str) -> str:
    """No text of `data` ends the script."""
    template = pathlib.Path(__file__).with_name("report.html").read_text("utf-8")
    before, _, rest = template.partition("/*TEXT*/")
    between, _, after = rest.partition("/*DATA*/")
    packed = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return before + html.escape(text) + between + packed + after


def _curves(verdict: TrajectoryVerdict, most: int) -> dict[str, Any]:
    """Of each joint, the robot and the task those samples that show its curves."""
    clock, q, tables = verdict.trajectory.time, verdict.trajectory.q, verdict.tables
    # A clock's time has no room in single precision.
    curves: dict[str, Any] = {"start": float(clock[0]), "joints": []}
    time, tau, limit = clock - clock[0], tables["tau"], tables["torque_limit"]
    v = tables["v"] if verdict.derived else verdict.trajectory.v
    if v is not None and v.shape[1] > 0:
        # The share of a limit, which falls with speed, has peaks of its own.
        share = np.abs(tau) / np.maximum(limit, 1e-200)
        for j in range(v.shape[1]):
            shown = {"q": q[:, j], "v": v[:, j], "tau": tau[:, j]}
            rows = _thinned([*shown.values(), share[:, j]], most)
            curves["joints"].append(_packed(rows, time=time, limit=limit[:, j], **shown))
        power = (tau * v).sum(axis=1)
        curves["robot"] = _packed(_thinned([power], most), time=time, power=power)
    if verdict.path_inertia:
        task = {name: tables[name] for name in ("sigma_min", "condition")}
        curves["task"] = _packed(_thinned(list(task.values()), most), time=time, **task)
    return curves


def _thinned(curves: list[FloatArray], most: int) -> npt.NDArray[np.intp]:
    """Both ends, and of equal parts those rows in which a curve is lowest or highest."""
    columns = np.column_stack(curves)
    last = len(columns) - 1
    size = max(1, len(columns) // most)
    while True:
        parts = -(-len(columns) // size)
        parted = np.pad(columns, ((0, parts * size - len(columns)), (0, 0)), "edge")
        parted = parted.reshape(parts, size, -1)
        first = size * np.arange(parts)[:, np.newaxis]
        rows = np.unique(np.concatenate(
            [[[0, last]], first + parted.argmin(1), first + parted.argmax(1)],
            axis=None).clip(max=last))
        if len(rows) <= most or parts == 1:
            return rows
        size += size // 3 + 1


def _packed(rows: npt.NDArray[np.intp], **curves: FloatArray) -> dict[str, str]:
    """Base64 of single precision."""
    return {name: base64.b64encode(curve[rows].astype("<f4").tobytes()).decode()
            for name, curve in curves.items()}
