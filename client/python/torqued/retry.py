"""When a call that failed is tried again: docs/retries.md."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
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
#: How long a call without a deadline is tried again while nothing is answered.
LONGEST_OUTAGE = 300.0

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


class Budget:
    """How many tries beyond the first ones all calls of a client may make: a bucket of
    tokens, which gains some every second and one with every call that is answered. Where
    it is empty a try waits; none is refused. Thread-safe."""

    def __init__(self, tokens: float = 50.0, per_second: float = 10.0) -> None:
        self._most = self._tokens = tokens
        self._per_second = per_second
        self._filled = time.monotonic()
        self._lock = threading.Lock()

    def answered(self) -> None:
        with self._lock:
            self._tokens = min(self._tokens + 1, self._most)

    def take(self) -> bool:
        """Whether there was a token."""
        with self._lock:
            now = time.monotonic()
            self._tokens = min(
                self._tokens + (now - self._filled) * self._per_second, self._most)
            self._filled = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True


class Schedule:
    """Waits between the tries of one call: half to all of what doubles from 50 ms to 1
    s, never below what the server asks for, and again until the budget has a token. The
    last try comes 50 ms before the deadline, or before `LONGEST_OUTAGE` from the first
    failure where there is none, and takes none."""

    def __init__(self, deadline: Deadline, settings: Any, budget: Budget) -> None:
        """settings: `Settings`."""
        self._deadline = deadline
        self._settings = settings
        self._budget = budget
        self._tries = 1
        self._before: TorquedError | None = None
        self._backoff = _FIRST_BACKOFF
        self._outage: Deadline | None = None

    def pauses(self, error: TorquedError, changes: bool = False) -> Iterator[float]:
        """Seconds to wait, one after the other, before the next try. Raises `error` if
        it is final: of another kind, there is no time, or what `changes` something may
        have begun."""
        # Who cancels a call does not come here: it was the server, or gRPC. Without a
        # delay it is a limit, which another try meets again.
        passing = isinstance(error, (Unavailable, Cancelled)) or (
            isinstance(error, ResourceExhausted) and error.retry_delay is not None)
        if not self._settings.retry or not passing or (
                changes and error.reason is not Reason.DRAINING):
            raise self._with_history(error)
        self._outage = self._outage or Deadline(LONGEST_OUTAGE)
        self._before = error
        yield self._pause(error, error.retry_delay or 0.0)
        while self.remaining() > _LAST_TRY and not self._budget.take():
            yield self._pause(error, 0.0)
        self._tries += 1

    def _pause(self, error: TorquedError, asked: float) -> float:
        last = self.remaining() - _LAST_TRY
        # A try before what the server asks for is none.
        if last <= 0 or asked > last:
            raise self._with_history(error)
        pause = max(min(self._backoff * random.uniform(0.5, 1.0), last), asked)
        self._backoff = min(self._backoff * 2, _LAST_BACKOFF)
        if self._settings.on_retry is not None:
            self._settings.on_retry(error, pause)
        return pause

    def remaining(self) -> float:
        """Seconds until the deadline, or the end of the outage where there is none."""
        remaining = self._deadline.remaining()
        if remaining >= _LONGEST and self._outage is not None:
            return self._outage.remaining()
        return remaining

    def _with_history(self, error: TorquedError) -> TorquedError:
        """What came before, where it says more."""
        if isinstance(error, DeadlineExceeded) and self._before is not None:
            error.message += (
                f"; before that {self._before.code}: {self._before.message}")
        if self._tries > 1:
            error.message += f" (tried {self._tries} times)"
        return error
