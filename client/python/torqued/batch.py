"""A computation of any number of states: which messages to send, what to make
of the replies, and how to go on after a failure. Sends nothing itself;
connection.py and aio/connection.py do."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Optional

from torqued import errors, wire
from torqued.contract import QUANTITIES, Quantity
from torqued.evaluation import Collector, Evaluation
from torqued.inputs import States
from torqued.retry import Schedule, fewer_rows, whole_blocks
from torqued.values import Progress, sizes
from torqued.v1 import dynamics_pb2

# Bytes that a message has for everything but rows: names, echo, and the row
# status list at its longest.
_OVERHEAD = 384 * 1024
# Payload of one call beyond which a stream is as fast.
_GOOD_MESSAGE = 4 * 1024 * 1024
#: A reply lists at most so many rows that are not OK, so chunks of no more rows
#: have every one of theirs listed.
LISTED_ROWS = 1000

_TIP_WRENCH = "tip_wrench_on_environment"
_CHUNK = {field.name: wire.Field(dynamics_pb2.EvaluateChunk, field.name)
          for field in dynamics_pb2.EvaluateChunk.DESCRIPTOR.fields}
_COMPUTE = {name: wire.Field(dynamics_pb2.ComputeRequest, name)
            for name in _CHUNK}
_WRENCH = wire.Field(dynamics_pb2.TipWrench, "wrench")
_OF_CHUNK = wire.Field(dynamics_pb2.EvaluateRequest, "chunk")


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

    def request(self) -> bytes:
        """A ComputeRequest of all states."""
        message = dynamics_pb2.ComputeRequest(
            model=self.start.model, quantities=self.start.quantities,
            options=self.start.options)
        if self.start.HasField("operational_space"):
            message.operational_space.CopyFrom(self.start.operational_space)
        frame = self.start.tip_wrench_reference_frame
        if frame:
            message.tip_wrench_on_environment.reference_frame = frame
        parts: list[wire.Part] = [message.SerializeToString()]
        for name, rows in self.states.arrays.items():
            if name == _TIP_WRENCH:
                parts += _COMPUTE[name].of_parts(_WRENCH.of_array(rows))
            else:
                parts += _COMPUTE[name].of_array(rows)
        return wire.joined(parts)

    def chunk(self, first: int, count: int) -> bytes:
        """An EvaluateRequest of some states."""
        parts: list[wire.Part] = []
        for name in self.states.arrays:
            parts += _CHUNK[name].of_array(
                self.states.part(name, first, count))
        return wire.joined(_OF_CHUNK.of_parts(parts))

    def rows_per_message(self, max_message_bytes: int) -> int:
        payload = max(max_message_bytes - _OVERHEAD, max_message_bytes // 2)
        numbers = sum(math.prod(row.shape(self.sizes)) for quantity in self.quantities
                      for row in QUANTITIES[quantity].results)
        bytes_of_row = max(
            self.states.bytes_per_row(), numbers * self.states.dtype.itemsize, 1)
        return whole_blocks(max(
            min(payload, _GOOD_MESSAGE) // bytes_of_row, 1))

    def collector(self, rows: int) -> Collector:
        return Collector(self, rows, self.states.leading)


class Batch:
    """One run of a plan: first in one call where that is right, else, or after
    that, through streams, which `stream_messages` feeds and `take` reads.

    A batch of no states asks for one of zeros, so that everything else about it
    is looked at, and its answer has no rows.
    """

    def __init__(self, plan: Plan, max_message_bytes: int, chunk_rows: int,
                 schedule: Schedule, tell: Callable[[int, int], None]) -> None:
        # A robot without joints has one state without inputs.
        self._empty = plan.states.rows == 0
        self._leading = plan.states.leading
        if self._empty:
            plan = plan.of_example()
        self._plan = plan
        self._schedule = schedule
        self._tell = tell
        self._total = plan.states.rows
        most = plan.rows_per_message(max_message_bytes)
        self._chunk_rows = min(chunk_rows, most, LISTED_ROWS)
        self._start: dynamics_pb2.EvaluateStart | None = None
        self._collector = plan.collector(self._total)
        self._done_rows = self._done_chunks = 0
        self._first_row = self._first_chunk = 0
        #: Whether to begin with one call of Compute.
        self.in_one_call = self._total <= (
            most if chunk_rows >= LISTED_ROWS else chunk_rows)
        if self._empty:
            self.in_one_call = True

    # --- In one call ---------------------------------------------------------

    def request(self) -> bytes:
        return self._plan.request()

    def take_whole(
            self, reply: dynamics_pb2.ComputeReply) -> Evaluation | None:
        """None: the list of rows that are not OK is cut; stream it."""
        if reply.rows_not_ok > len(reply.row_status):
            return None
        rows = self._total
        if reply.rows != rows:
            raise errors.make(
                "INTERNAL", f"the reply has {reply.rows} rows, {rows} were "
                "asked for")
        collector = self._plan.collector(rows)
        collector.add(0, rows, reply.results, reply.row_status)
        collector.add_echo(reply.echo, 0)
        if self._empty:
            collector.drop_rows(self._leading)
        evaluation = collector.evaluation()
        self._tell(evaluation.rows, evaluation.rows)
        return evaluation

    def shrink(self, error: errors.TorquedError) -> None:
        """After one call failed. Raises `error` unless smaller messages may
        do."""
        fewer = fewer_rows(error, self._total)
        if fewer is None:
            raise error
        self._chunk_rows = min(fewer, self._chunk_rows)

    # --- Through streams -----------------------------------------------------

    @property
    def complete(self) -> bool:
        return self._done_rows == self._total

    def stream_messages(self) -> Iterator[bytes]:
        """Of the next stream, which begins where the one before ended."""
        self._first_row, self._first_chunk = self._done_rows, self._done_chunks
        if self._start is None:
            self._start = self._plan.start
        return self._messages(self._start, self._done_rows, self._chunk_rows)

    def _messages(self, start: dynamics_pb2.EvaluateStart, first: int,
                  count: int) -> Iterator[bytes]:
        yield dynamics_pb2.EvaluateRequest(start=start).SerializeToString()
        for row in range(first, self._total, count):
            yield self._plan.chunk(row, min(count, self._total - row))

    def take(self, reply: dynamics_pb2.EvaluateReply) -> None:
        first = self._done_rows
        rows = min(self._chunk_rows, self._total - first)
        if (reply.first_row, reply.rows) != (first - self._first_row, rows):
            raise errors.make(
                "INTERNAL", f"the reply has {reply.rows} rows from "
                f"{reply.first_row} of the stream on; {rows} from "
                f"{first - self._first_row} on were its turn")
        if reply.HasField("echo"):
            self._collector.add_echo(reply.echo, first)
        self._collector.add(first, rows, reply.results, reply.row_status,
                            self._first_row)
        self._done_rows += rows
        self._done_chunks += 1
        self._schedule.made_progress()
        self._tell(self._done_rows, self._total)

    def next_try(self, error: errors.TorquedError | None) -> Iterator[float]:
        """After a stream ended with `error` (None: with OK, too early). Seconds
        to wait, one after the other, before the next one; raises what is
        final."""
        if error is None:
            error = errors.make(
                "INTERNAL", f"the stream ended after {self._done_rows} of "
                f"{self._total} rows")
        self._count_from_start(error)
        fewer = fewer_rows(
            error, min(self._chunk_rows, self._total - self._done_rows))
        if fewer is not None:
            self._chunk_rows = fewer
            return iter(())
        return self._schedule.pauses(error)

    def _count_from_start(self, error: errors.TorquedError) -> None:
        """The server counts from the start of its stream."""
        for key, first in (("row", self._first_row),
                           ("next_row", self._first_row),
                           ("chunk", self._first_chunk)):
            number = error.metadata.get(key, "")
            if number.isdigit():
                error.metadata[key] = str(int(number) + first)

    def evaluation(self) -> Evaluation:
        return self._collector.evaluation()
