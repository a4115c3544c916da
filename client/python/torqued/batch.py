"""A computation of any number of states: which calls to make, and what their
replies come to. Sends nothing itself; connection.py and aio/connection.py do."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Optional

from torqued import errors, wire
from torqued.contract import QUANTITIES, Quantity
from torqued.evaluation import Collector, Evaluation
from torqued.inputs import States
from torqued.settings import Settings
from torqued.values import Progress, sizes
from torqued.v1 import dynamics_pb2, server_info_pb2

# Bytes that a message has for everything but rows: names, echo, and the row
# status list at its longest.
_OVERHEAD = 384 * 1024
#: Bytes of rows in a message beyond which larger ones are not faster.
GOOD_MESSAGE = 1024 * 1024
#: Calls under way at a time.
WINDOW = 8
# A reply lists at most so many rows that are not OK.
_LISTED_ROWS = 1000

_TIP_WRENCH = "tip_wrench_on_environment"
_COMPUTE = {field.name: wire.Field(dynamics_pb2.ComputeRequest, field.name)
            for field in dynamics_pb2.EvaluateChunk.DESCRIPTOR.fields}
_WRENCH = wire.Field(dynamics_pb2.TipWrench, "wrench")


class Part(NamedTuple):
    """States of one call."""

    first: int
    rows: int

    def cut(self, rows: int) -> Iterator[Part]:
        end = self.first + self.rows
        for first in range(self.first, end, rows):
            yield Part(first, min(rows, end - first))


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is computed. start: refers to a revision, so that all parts of a batch are
    of one, even while a name moves. n: joints."""

    start: dynamics_pb2.EvaluateStart
    quantities: "tuple[Quantity, ...]"
    states: States
    n: int
    deadline: Optional[float]
    progress: Optional[Progress]

    @property
    def sizes(self) -> Mapping[str, int]:
        return sizes(self.n, len(self.start.operational_space.axes) or 6)

    def of_example(self) -> Plan:
        """Of one state instead of none, whose row may be bad."""
        start = dynamics_pb2.EvaluateStart()
        start.CopyFrom(self.start)
        start.options.fail_fast = False
        return dataclasses.replace(self, start=start, states=self.states.example())

    def request(self, part: Part) -> bytes:
        """A ComputeRequest."""
        message = dynamics_pb2.ComputeRequest(
            model=self.start.model, quantities=self.start.quantities,
            options=self.start.options)
        if self.start.HasField("operational_space"):
            message.operational_space.CopyFrom(self.start.operational_space)
        frame = self.start.tip_wrench_reference_frame
        if frame:
            message.tip_wrench_on_environment.reference_frame = frame
        parts: list[wire.Part] = [message.SerializeToString()]
        for name in self.states.arrays:
            rows = self.states.part(name, *part)
            if name == _TIP_WRENCH:
                parts += _COMPUTE[name].of_parts(_WRENCH.of_array(rows))
            else:
                parts += _COMPUTE[name].of_array(rows)
        return wire.joined(parts)

    def rows_per_call(self, settings: Settings,
                      server: server_info_pb2.GetServerInfoReply) -> int:
        """server: 0 where a limit is not known."""
        size = min(settings.max_message_bytes,
                   server.max_message_bytes or settings.max_message_bytes)
        # A request counts three times there and a reply twice; a window of them is
        # to fit into the half of one client.
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

    A batch of no states asks for one of zeros, so that everything else about it
    is looked at, and its answer has no rows.
    """

    def __init__(self, plan: Plan, rows_per_call: int,
                 tell: Callable[[int, int], None]) -> None:
        # A robot without joints has one state without inputs.
        self._empty = plan.states.rows == 0
        self._leading = plan.states.leading
        self._plan = plan.of_example() if self._empty else plan
        self._tell = tell
        whole = Part(0, self._plan.states.rows)
        self.parts = list(whole.cut(rows_per_call))
        self._collector = Collector(self._plan, whole.rows, self._leading)

    def request(self, part: Part) -> bytes:
        return self._plan.request(part)

    def take(self, part: Part, reply: dynamics_pb2.ComputeReply) -> list[Part]:
        """In order. The parts to ask for instead, where the reply does not list all
        rows that are not OK."""
        if reply.rows_not_ok > len(reply.row_status) and part.rows > _LISTED_ROWS:
            return list(part.cut(_LISTED_ROWS))
        if reply.rows != part.rows:
            raise errors.make(
                "INTERNAL", f"the reply has {reply.rows} rows, {part.rows} were "
                "asked for")
        self._collector.add(*part, reply)
        if self._empty:
            self._collector.drop_rows(self._leading)
            self._tell(0, 0)
        else:
            self._tell(sum(part), self._plan.states.rows)
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
