"""What the blocking connection and that of asyncio have in common: the methods
of the server, and what a call begins with. Nothing here waits."""

from __future__ import annotations

import functools
from typing import Any

from torqued import errors
from torqued.address import TLS
from torqued.batch import Batch, Plan
from torqued.check import Check, CheckPlan
from torqued.checking import check_seconds
from torqued.progress import teller
from torqued.retry import Budget, Deadline, Schedule
from torqued.security import credentials_of, metadata_of
from torqued.settings import (
    CHECK_METHOD, COMPUTE_METHOD, HEALTH_METHOD, Settings)
from torqued.v1 import (
    dynamics_pb2, model_registry_pb2_grpc, server_info_pb2,
    server_info_pb2_grpc, trajectory_pb2)


class _Calls:
    """Methods of a channel, whose calls all have the metadata. gRPC's own
    credentials of calls do not work without TLS."""

    def __init__(self, channel: Any,
                 metadata: tuple[tuple[str, str], ...]) -> None:
        self._channel = channel
        self._metadata = metadata

    def unary_unary(self, *arguments: Any, **words: Any) -> Any:
        return functools.partial(
            self._channel.unary_unary(*arguments, **words),
            metadata=self._metadata)

    def stream_stream(self, *arguments: Any, **words: Any) -> Any:
        return functools.partial(
            self._channel.stream_stream(*arguments, **words),
            metadata=self._metadata)


class Transport:
    """Of one server. registry, info: stubs of the services."""

    def __init__(self, settings: Settings, grpc_kind: Any,
                 closed: Any) -> None:
        """grpc_kind: the module that makes channels, `grpc` or `grpc.aio`.
        closed: an event of its kind, set by `close`."""
        self.settings = settings
        self._closed = closed
        self._budget = Budget()
        options = settings.channel_options()
        credentials = credentials_of(settings)
        metadata = metadata_of(settings)
        self.channel = (
            grpc_kind.insecure_channel(settings.address, options)
            if credentials is None else grpc_kind.secure_channel(
                settings.address.removeprefix(TLS), credentials, options))
        calls = _Calls(self.channel, metadata)
        self._compute = calls.unary_unary(
            COMPUTE_METHOD,
            response_deserializer=dynamics_pb2.ComputeReply.FromString)
        # Begins a call without waiting for it, as all of grpc.aio do.
        self._send = functools.partial(
            getattr(self._compute.func, "future", self._compute.func),
            metadata=metadata)
        self._check = calls.stream_stream(
            CHECK_METHOD, response_deserializer=(
                trajectory_pb2.CheckTrajectoryReply.FromString))
        self.registry = model_registry_pb2_grpc.ModelRegistryStub(calls)
        #: What the server has said of itself when this connected.
        self.server = server_info_pb2.GetServerInfoReply()
        self.info = server_info_pb2_grpc.ServerInfoStub(calls)
        self._health = calls.unary_unary(HEALTH_METHOD)

    def _check_open(self) -> None:
        """Raises Cancelled after close."""
        if self._closed.is_set():
            raise errors.make("CANCELLED", "the client is closed")

    def deadline(self, seconds: float | None = None) -> Deadline:
        """From now on; None: that of the settings. Raises InvalidArgument
        (INVALID_OPTION) for what is no number of seconds."""
        check_seconds("deadline", seconds)
        return Deadline(
            self.settings.deadline if seconds is None else seconds)

    def _schedule(self, deadline: Deadline) -> Schedule:
        return Schedule(deadline, self.settings.retry, self.settings.on_retry,
                        self._budget)

    def _begin_batch(self, plan: Plan) -> tuple[Batch, Deadline]:
        batch = Batch(plan, plan.rows_per_call(self.settings, self.server),
                      teller(plan.progress))
        return batch, self.deadline(plan.deadline)

    def _begin_check(self, plan: CheckPlan) -> tuple[Check, Deadline]:
        deadline = self.deadline(plan.deadline)
        check = Check(plan, self.settings.max_message_bytes,
                      self._schedule(deadline), teller(plan.progress))
        return check, deadline
