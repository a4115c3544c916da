"""When a call that failed is tried again."""

from __future__ import annotations

import time
from collections.abc import Callable

from torqued.errors import (
    RequestTooLarge, ResourceExhausted, TorquedError, Unavailable)

_FIRST_BACKOFF = 0.05
_LAST_BACKOFF = 1.0
# Of an attempt: gRPC's clock ends some centuries from now.
_LONGEST = 1e8

#: Told before each wait for another try: what failed, and how long it waits, in
#: seconds.
OnRetry = Callable[[TorquedError, float], None]


class Deadline:
    """The end of a whole call, seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining(self) -> float:
        """For the next attempt; never negative, nor infinite."""
        return min(max(self._end - time.monotonic(), 0.0), _LONGEST)


class Schedule:
    """Delays between the tries of one call: doubling from 50 ms to 1 s, but
    never below what the server asks for."""

    def __init__(self, deadline: Deadline, enabled: bool,
                 on_retry: OnRetry | None = None) -> None:
        self._deadline = deadline
        self._enabled = enabled
        self._on_retry = on_retry
        self._backoff = _FIRST_BACKOFF

    def made_progress(self) -> None:
        self._backoff = _FIRST_BACKOFF

    def delay_after(self, error: TorquedError) -> float:
        """Seconds to wait before the next try. Raises `error` where it is
        final: of another kind, or the deadline would pass first."""
        if not self._enabled or not _is_transient(error):
            raise error
        delay = max(self._backoff, error.retry_delay or 0.0)
        self._backoff = min(self._backoff * 2, _LAST_BACKOFF)
        if delay >= self._deadline.remaining():
            raise error
        if self._on_retry is not None:
            self._on_retry(error, delay)
        return delay


def _is_transient(error: TorquedError) -> bool:
    if isinstance(error, Unavailable):
        return True
    # Without a delay it is a limit, which another try meets again.
    return (isinstance(error, ResourceExhausted)
            and error.retry_delay is not None)


def fewer_rows(error: TorquedError, rows: int) -> int | None:
    """Rows to send at a time after `error` has refused so many of them for the
    size of a message: as many as it says that fit, else half; a multiple of 64
    from 64 on. None where it is another error, or one row is too large."""
    # With a delay it is load, not size.
    if not isinstance(error, RequestTooLarge) or error.retry_delay is not None:
        return None
    fits = error.metadata.get("rows_that_fit", "")
    fewer = whole_blocks(int(fits) if fits.isdigit() else rows // 2)
    return fewer if 1 <= fewer < rows else None


def whole_blocks(rows: int) -> int:
    return rows if rows < 64 else rows // 64 * 64
