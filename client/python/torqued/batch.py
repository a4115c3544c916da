"""A computation of any number of states: which messages to send, what to make of
the replies, and how to go on after a failure. Sends nothing itself; connection.py
and aio.py do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from torqued import errors
from torqued.arrays import States
from torqued.enums import Quantity, ReferenceFrame
from torqued.evaluation import Collector, Evaluation
from torqued.options import (
    ExternalWrench, Options, choice, options_message, task_axes, task_message)
from torqued.quantities import bytes_per_row
from torqued.retry import Schedule, fewer_rows, whole_blocks
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


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is computed. n and m: joints, and axes of the task."""

    model: str
    quantities: tuple[Quantity, ...]
    states: States
    options: Options
    external: Sequence[ExternalWrench]
    n: int

    @property
    def m(self) -> int:
        return len(self.options.axes or range(6))

    def start(self) -> dynamics_pb2.EvaluateStart:
        """Raises InvalidArgument for choices that there are not."""
        return dynamics_pb2.EvaluateStart(
            model=self.model, quantities=self.quantities,
            options=options_message(self.options, self.external),
            operational_space=task_message(self.options, self.quantities),
            tip_wrench_reference_frame=self._wrench_frame())

    def request(self) -> dynamics_pb2.ComputeRequest:
        states = self.states
        arrays = {name: states.part(name, 0, states.rows)
                  for name in states.arrays if name != _TIP_WRENCH}
        request = dynamics_pb2.ComputeRequest(
            model=self.model, quantities=self.quantities,
            options=options_message(self.options, self.external),
            operational_space=task_message(self.options, self.quantities),
            **arrays)
        if _TIP_WRENCH in states.arrays:
            request.tip_wrench_on_environment.CopyFrom(dynamics_pb2.TipWrench(
                wrench=states.part(_TIP_WRENCH, 0, states.rows),
                reference_frame=self._wrench_frame()))
        return request

    def chunk(self, first: int, count: int) -> dynamics_pb2.EvaluateRequest:
        states = self.states
        return dynamics_pb2.EvaluateRequest(chunk=dynamics_pb2.EvaluateChunk(
            **{name: states.part(name, first, count)
               for name in states.arrays}))

    def rows_per_message(self, max_message_bytes: int) -> int:
        room = max(max_message_bytes - _OVERHEAD, max_message_bytes // 2)
        bytes_of_row = max(
            self.states.bytes_per_row(),
            bytes_per_row(self.quantities, self.n, self.m,
                          self.options.sigma_min), 1)
        return whole_blocks(max(
            min(room, _GOOD_MESSAGE) // bytes_of_row, 1))

    def collector(self, rows: int) -> Collector:
        return Collector(self.quantities, self.n, self.m, rows,
                         self.states.single, self.options.sigma_min)

    def _wrench_frame(self) -> int:
        return choice(ReferenceFrame, self.options.tip_wrench_frame,
                      f"{_TIP_WRENCH}.reference_frame")


class Batch:
    """One run of a plan: first in one call where that is right, else, or after
    that, through streams, which `stream_messages` feeds and `take` reads."""

    def __init__(self, plan: Plan, max_message_bytes: int, chunk_rows: int,
                 schedule: Schedule, tell: Callable[[int, int], None],
                 stream: bool) -> None:
        self._plan = plan
        self._schedule = schedule
        self._tell = tell
        self._total = plan.states.rows
        most = plan.rows_per_message(max_message_bytes)
        self._chunk_rows = min(max(chunk_rows, 1), most, LISTED_ROWS)
        self._start = plan.start()
        self._collector = plan.collector(self._total)
        self._done_rows = self._done_chunks = 0
        self._first_row = self._first_chunk = 0
        #: Whether to begin with one call of Compute.
        self.in_one_call = self._total <= (0 if stream else most)
        if self._total == 0:
            self.in_one_call = True

    # --- In one call ---------------------------------------------------------

    def request(self) -> dynamics_pb2.ComputeRequest:
        return self._plan.request()

    def take_whole(
            self, reply: dynamics_pb2.ComputeReply) -> Evaluation | None:
        """None: the list of rows that are not OK is cut; stream it."""
        if reply.rows_not_ok > len(reply.row_status):
            return None
        # Without joints and without states the server's word counts.
        rows = self._total or 1
        if reply.rows != rows:
            raise errors.make(
                "INTERNAL", f"the reply has {reply.rows} rows, {rows} were "
                "asked for")
        collector = self._plan.collector(rows)
        collector.add(0, rows, reply.results, reply.row_status)
        collector.add_echo(reply.echo, 0)
        self._tell(rows, rows)
        return collector.evaluation()

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

    def stream_messages(self) -> Iterator[dynamics_pb2.EvaluateRequest]:
        """Of the next stream, which begins where the one before ended."""
        self._first_row, self._first_chunk = self._done_rows, self._done_chunks
        return self._messages(self._start, self._done_rows, self._chunk_rows)

    def _messages(self, start: dynamics_pb2.EvaluateStart, first: int,
                  count: int) -> Iterator[dynamics_pb2.EvaluateRequest]:
        yield dynamics_pb2.EvaluateRequest(start=start)
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
        self._tell(self._done_rows, self._total)

    def next_try(self, error: errors.TorquedError | None) -> float:
        """After a stream ended with `error` (None: with OK, too early). Seconds
        to wait before the next one; raises what is final."""
        if error is None:
            error = errors.make(
                "INTERNAL", f"the stream ended after {self._done_rows} of "
                f"{self._total} rows")
        self._count_from_start(error)
        advanced = self._done_rows > self._first_row
        if self._done_rows > 0:
            # All rows are of one revision, even while the name moves.
            self._start.model = "@" + self._collector.revision
        fewer = fewer_rows(
            error, min(self._chunk_rows, self._total - self._done_rows))
        if fewer is not None:
            self._chunk_rows = fewer
            return 0.0
        if advanced:
            self._schedule.made_progress()
        return self._schedule.delay_after(error)

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
