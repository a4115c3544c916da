"""Names that a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def hint(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about a name that there is not: the nearest of
    `known`, or all of them."""
    names = sorted(known)
    near = nearest(name, names)
    if near:
        return f"; did you mean {near!r}?"
    return f"; there are {', '.join(names)}" if names else ""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one that goes on where `name` ends, or is within a third of its
    length (at least 2) in insertions, deletions and replacements; else the
    first that has a word of it."""
    names = list(known)
    tolerance = max(2, len(name) // 3)
    near = []
    for candidate in names:
        if name and candidate.startswith(name):
            near.append((0, candidate))
            continue
        distance = edit_distance(name, candidate)
        # Nothing is near to a name of which no character is left.
        if distance <= tolerance and distance < len(name):
            near.append((distance, candidate))
    if near:
        return min(near)[1]
    words = set(name.split("_"))
    return next((candidate for candidate in names
                 if words & set(candidate.split("_"))), None)


def edit_distance(a: str, b: str) -> int:
    """In insertions, deletions and replacements."""
    row = list(range(len(b) + 1))
    for i, of_a in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, of_b in enumerate(b, 1):
            diagonal, row[j] = row[j], min(
                row[j] + 1, row[j - 1] + 1, diagonal + (of_a != of_b))
    return row[-1]
