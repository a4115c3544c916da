"""Progress of a batch, told to whom it may concern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torqued.values import Progress


def teller(progress: Progress | None) -> Callable[[int, int], None]:
    """A function of (done, total) from a callback or a tqdm-like bar."""
    if progress is None:
        return lambda done, total: None
    if not hasattr(progress, "update"):
        return progress
    bar: Any = progress
    shown = 0

    def tell(done: int, total: int) -> None:
        nonlocal shown
        if getattr(bar, "total", None) is None:
            bar.total = total
        bar.update(done - shown)
        shown = done

    return tell
