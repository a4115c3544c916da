"""The blocking transport."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import grpc

from torqued import errors
from torqued.batch import Batch, Plan
from torqued.check import CheckPlan
from torqued.evaluation import Evaluation
from torqued.retry import Deadline, Schedule
from torqued.settings import (
    HEALTH_REQUEST, Health, Settings, Waiting, health_of)
from torqued.transport import Transport
from torqued.v1 import server_info_pb2
from torqued.verdict import TrajectoryVerdict


class Connection(Transport):
    """Calls with deadline and retries. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings, grpc, threading.Event())

    def wait(self) -> None:
        """Raises Unavailable where no server answers, and what fits where
        another one does."""
        waiting = Waiting(self.settings)
        while True:
            try:
                self.info.GetServerInfo(
                    server_info_pb2.GetServerInfoRequest(),
                    timeout=self.deadline().remaining())
                return
            except grpc.RpcError as failure:
                pause = waiting.after(failure)
            if pause is None:
                return
            time.sleep(pause)

    def health(self, deadline: Deadline) -> Health:
        self._check_open()
        try:
            return health_of(self._health(
                HEALTH_REQUEST, timeout=deadline.remaining()))
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None

    def read(self, method: Any, request: Any, deadline: Deadline,
             schedule: Schedule | None = None) -> Any:
        """A call that changes nothing, tried again where that may help."""
        schedule = schedule or self._schedule(deadline)
        while True:
            self._check_open()
            try:
                reply = method(request, timeout=deadline.remaining())
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            self._wait(schedule.pauses(error))

    def change(self, method: Any, request: Any, deadline: Deadline) -> Any:
        """A call that is made again only where the server says that it has not
        begun, and where a server answers then: to find nobody, or the end
        of the old connection, would be final."""
        schedule = self._schedule(deadline)
        again = False
        while True:
            self._check_open()
            try:
                reply = method(request, timeout=schedule.remaining(),
                               wait_for_ready=again)
                self._budget.answered()
                return reply
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            self._wait(schedule.only_refused(error))
            self.read(self.info.GetServerInfo,
                      server_info_pb2.GetServerInfoRequest(),
                      deadline, schedule)
            again = True

    def compute(self, plan: Plan) -> Evaluation:
        batch, deadline, schedule = self._begin_batch(plan)
        if batch.in_one_call:
            try:
                reply = self.read(self._compute, batch.request(),
                                  deadline, schedule)
            except errors.ResourceExhausted as error:
                batch.shrink(error)
            else:
                evaluation = batch.take_whole(reply)
                if evaluation is not None:
                    return evaluation
        while not batch.complete:
            self._stream(batch, deadline)
        return batch.evaluation()

    def _stream(self, batch: Batch, deadline: Deadline) -> None:
        """What one stream brings, and the wait for the next one where one is
        needed."""
        error = None
        self._check_open()
        call = self._evaluate(
            batch.stream_messages(), timeout=deadline.remaining())
        try:
            for reply in call:
                batch.take(reply)
        except grpc.RpcError as failure:
            error = errors.decode(failure)
        except BaseException:
            # An interrupt, or a reply that breaks the contract.
            call.cancel()
            raise
        if error is not None or not batch.complete:
            self._wait(batch.next_try(error))

    def check(self, plan: CheckPlan) -> TrajectoryVerdict:
        check, deadline = self._begin_check(plan)
        while True:
            self._check_open()
            call = self._check(check.messages(), timeout=deadline.remaining())
            try:
                for reply in call:
                    check.take(reply)
                self._budget.answered()
                return check.verdict()
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            except BaseException:
                call.cancel()
                raise
            self._wait(check.next_try(error))

    def _wait(self, pauses: Iterator[float]) -> None:
        """Until the next try, or the end of the client."""
        self._check_open()
        for pause in pauses:
            if self._closed.wait(pause):
                return

    def close(self) -> None:
        self._closed.set()
        self.channel.close()
