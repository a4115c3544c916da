"""When a call that failed is tried again: docs/retries.md."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from torqued.contract import Reason
from torqued.errors import (
    Cancelled, DeadlineExceeded, ResourceExhausted, TorquedError, Unavailable)

_FIRST_BACKOFF = 0.05
_LAST_BACKOFF = 1.0
# What the last try of a call has until its deadline.
_LAST_TRY = 0.05
# Of an attempt: gRPC's clock ends some centuries from now.
_LONGEST = 1e8

#: Told before each wait for another try: what failed, and how long it waits, in seconds.
OnRetry = Callable[[TorquedError, float], None]


class Deadline:
    """The end of a call, seconds from now, or from the last `renew`."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        self._end = time.monotonic() + self._seconds

    def remaining(self) -> float:
        """For the next attempt; never negative, nor infinite."""
        return min(max(self._end - time.monotonic(), 0.0), _LONGEST)


class Schedule:
    """Waits between the tries of one call: half to all of what doubles from 50 ms to 1
    s, at least what the server asks for. The last try comes 50 ms before the deadline."""

    def __init__(self, deadline: Deadline, settings: Any) -> None:
        """settings: `Settings`."""
        self._deadline = deadline
        self._settings = settings
        self._tries = 1
        self._before: TorquedError | None = None
        self._backoff = _FIRST_BACKOFF

    def pause(self, error: TorquedError, changes: bool = False) -> float:
        """Seconds to wait before the next try. Raises `error` if it is final: of another
        kind, there is no time, or what `changes` something may have begun."""
        # Who cancels a call does not come here: it was the server, or gRPC. Without a
        # delay it is a limit, which another try meets again.
        passing = isinstance(error, (Unavailable, Cancelled)) or (
            isinstance(error, ResourceExhausted) and error.retry_delay is not None)
        asked, last = error.retry_delay or 0.0, self._deadline.remaining() - _LAST_TRY
        # A try before what the server asks for is none.
        if not self._settings.retry or not passing or last <= 0 or asked > last or (
                changes and error.reason is not Reason.DRAINING):
            if isinstance(error, DeadlineExceeded) and self._before is not None:
                error.message += (
                    f"; before that {self._before.code}: {self._before.message}")
            if self._tries > 1:
                error.message += f" (tried {self._tries} times)"
            raise error
        pause = max(min(self._backoff * random.uniform(0.5, 1.0), last), asked)
        self._backoff = min(self._backoff * 2, _LAST_BACKOFF)
        self._before = error
        self._tries += 1
        if self._settings.on_retry is not None:
            self._settings.on_retry(error, pause)
        return pause
