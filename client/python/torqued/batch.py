"""A computation of any number of states: which calls to make, and what their replies come
to. Sends nothing itself; transport.py does."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Optional

from torqued import errors
from torqued.contract import QUANTITIES, Quantity
from torqued.evaluation import Collector, Evaluation
from torqued.inputs import States, array, field
from torqued.settings import Settings
from torqued.v1 import dynamics_pb2, server_info_pb2
from torqued.values import Progress, sizes

# Bytes that a message has for everything but rows: names, echo, and the row status list
# at its longest.
_OVERHEAD = 384 * 1024
#: Bytes of rows in a message beyond which larger ones are not faster.
GOOD_MESSAGE = 1024 * 1024
#: Calls under way at a time.
WINDOW = 8
# A reply lists at most so many rows that are not OK.
_LISTED_ROWS = 1000


class Part(NamedTuple):
    """States of one call."""

    first: int
    rows: int

    def cut(self, rows: int) -> Iterator[Part]:
        end = self.first + self.rows
        for first in range(self.first, end, rows):
            yield Part(first, min(rows, end - first))


@dataclasses.dataclass
class Plan:
    """What is computed. request: what all parts of a batch have in common; of a revision,
    so that they are of one, even while a name moves. n: joints."""

    request: dynamics_pb2.ComputeRequest
    quantities: "tuple[Quantity, ...]"
    states: States
    n: int
    deadline: Optional[float]
    progress: Optional[Progress]

    @property
    def sizes(self) -> Mapping[str, int]:
        return sizes(self.n, len(self.request.operational_space.axes) or 6)

    def rows_per_call(self, settings: Settings,
                      server: server_info_pb2.GetServerInfoReply) -> int:
        """server: 0 where a limit is not known."""
        if self.states.rows == 1:
            return 1
        size = min(settings.max_message_bytes,
                   server.max_message_bytes or settings.max_message_bytes)
        # A request counts three times there and a reply twice; a window of them is to fit
        # into the half of one client.
        payload = min(max(size - _OVERHEAD, size // 2), GOOD_MESSAGE,
                      server.max_inflight_bytes // 128 or GOOD_MESSAGE)
        numbers = sum(math.prod(row.shape(self.sizes)) for quantity in self.quantities
                      for row in QUANTITIES[quantity].results)
        bytes_of_row = max(
            self.states.bytes_per_row(), numbers * self.states.dtype.itemsize, 1)
        rows = max(payload // bytes_of_row, 1)
        rows = rows if rows < 64 else rows // 64 * 64
        return min(rows, settings.chunk_rows or rows, server.max_rows or rows)


class Batch:
    """One run of a plan: a call for each of `parts`, whose replies `take` joins.

    A batch of no states asks for one of zeros, so that everything else about it is looked
    at, and its answer has no rows.
    """

    def __init__(self, plan: Plan, rows_per_call: int,
                 tell: Callable[[int, int], None]) -> None:
        self._plan = plan
        # A robot without joints has one state without inputs.
        self._states = plan.states if plan.states.rows else plan.states.example()
        if not plan.states.rows:
            plan.request.options.fail_fast = False
        self._head = plan.request.SerializeToString()
        self._tell = tell
        whole = Part(0, self._states.rows)
        self.parts = list(whole.cut(rows_per_call))
        self._collector = Collector(plan, whole.rows)

    def request(self, part: Part) -> bytes:
        parts = [self._head]
        for name in self._states.arrays:
            rows = array(self._states.part(name, *part))
            if name == "tip_wrench_on_environment":
                rows = field(dynamics_pb2.TipWrench, "wrench", rows)
            parts += field(dynamics_pb2.ComputeRequest, name, rows)
        return b"".join(parts)

    def take(self, part: Part, reply: dynamics_pb2.ComputeReply) -> list[Part]:
        """In order. The parts to ask for instead, where the reply does not list all rows
        that are not OK."""
        if reply.rows_not_ok > len(reply.row_status) and part.rows > _LISTED_ROWS:
            return list(part.cut(_LISTED_ROWS))
        if reply.rows != part.rows:
            raise errors.make("INTERNAL", f"the reply has {reply.rows} rows, {part.rows} "
                              "were asked for")
        self._collector.add(*part, reply)
        self._tell(min(sum(part), self._plan.states.rows), self._plan.states.rows)
        return []

    def evaluation(self) -> Evaluation:
        return self._collector.evaluation()


def count_from_start(error: errors.TorquedError, part: Part) -> None:
    """The server counts rows from the start of its call."""
    if error.row is None:
        return
    here, row = str(error.row), str(part.first + error.row)
    error.metadata["row"] = row
    error.message = re.sub(rf"\b([Rr]ow) {here}\b", rf"\g<1> {row}", error.message)


def teller(progress: Progress | None) -> Callable[[int, int], None]:
    """A function of (done, total) from a callback or a tqdm-like bar."""
    if progress is None:
        return lambda done, total: None
    if not hasattr(progress, "update"):
        return progress
    bar: Any = progress
    shown = [0]

    def tell(done: int, total: int) -> None:
        if getattr(bar, "total", None) is None:
            bar.total = total
        bar.update(done - shown[0])
        shown[0] = done

    return tell
