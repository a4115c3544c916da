"""A connection to a server, and what it serves beside dynamics."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Unpack

from torqued.connection import Connection
from torqued.enums import Health
from torqued.keywords import check_keywords, names_its_keywords
from torqued.local_server import LocalServer
from torqued.model import (
    Model, ModelSummary, Report, ServerInfo, info_of, model_of, report_of,
    summary_of)
from torqued.model_faults import file_of, told_with_place
from torqued.registration import (
    DescriptionWords, RegistrationWords, Urdf, name_of, register_request,
    validate_request)
from torqued.robot import Robot
from torqued.settings import ConnectWords, Settings
from torqued.trajectory import Path
from torqued.v1 import model_registry_pb2, server_info_pb2


class Client:
    """One connection, to be shared between threads. Every function raises
    TorquedError. deadline: seconds of the call, all retries included; None: that
    of `connect`.

    A process that forks must not use it on both sides, as for all of gRPC:
    connect after the fork, or start workers by "spawn" or "forkserver".
    """

    def __init__(self, connection: Connection,
                 server: LocalServer | None = None) -> None:
        """See `connect` and `local`."""
        self.connection = connection
        #: The local server that ends with this client, if there is one.
        self.server = server

    @property
    def address(self) -> str:
        return self.connection.settings.address

    @names_its_keywords
    def model(self, reference: str, *, deadline: float | None = None) -> Robot:
        """A robot that the server knows: name, name@revision, name@label or
        @revision. Raises NotFound, InvalidArgument
        (INVALID_MODEL_REFERENCE)."""
        return Robot(
            self, self.describe(reference, deadline=deadline))

    @names_its_keywords
    def describe(self, reference: str, *,
                 deadline: float | None = None) -> Model:
        """What `model` knows of it."""
        reply = self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(model=reference),
            self.connection.deadline(deadline))
        return model_of(reply.model)

    @names_its_keywords
    def source(self, reference: str, *,
               deadline: float | None = None) -> bytes:
        """The exact bytes of its description."""
        reply = self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(
                model=reference, include_source=True),
            self.connection.deadline(deadline))
        return bytes(reply.source)

    def register(self, name: str, urdf: Urdf,
                 **words: Unpack[RegistrationWords]) -> Robot:
        """Stores a robot description, a path or its text, under a name and
        points the name at it. Raises InvalidArgument (INVALID_MODEL,
        INVALID_MODEL_NAME, UNKNOWN_FRAME), FailedPrecondition
        (REVISION_CONFLICT), ResourceExhausted (QUOTA_REACHED: the server's store
        is full). What is wrong with a description is listed line by line; that
        of a file is a FileError."""
        request = register_request(name, urdf, words)
        with told_with_place(file_of(urdf)):
            reply = self.connection.change(
                self.connection.registry.RegisterModel, request,
                self.connection.deadline(words.get("deadline")))
        return Robot(self, model_of(reply.model))

    def validate(self, urdf: Urdf,
                 **words: Unpack[DescriptionWords]) -> Report:
        """What registering it would say; nothing is stored."""
        return report_of(self.connection.read(
            self.connection.registry.ValidateModel,
            validate_request(urdf, words),
            self.connection.deadline(words.get("deadline"))))

    @names_its_keywords
    def models(self, *, deadline: float | None = None) -> list[ModelSummary]:
        """All names, in byte order."""
        request = model_registry_pb2.ListModelsRequest(page_size=1000)
        models: list[ModelSummary] = []
        end = self.connection.deadline(deadline)
        while True:
            page = self.connection.read(
                self.connection.registry.ListModels, request, end)
            models += map(summary_of, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    @names_its_keywords
    def delete(self, name: str, *,
               expected_current: str | None = None,
               deadline: float | None = None) -> None:
        """Removes a name with all its history."""
        request = model_registry_pb2.DeleteModelRequest(name=name)
        if expected_current is not None:
            request.expected_current = expected_current
        self.connection.change(
            self.connection.registry.DeleteModel, request,
            self.connection.deadline(deadline))

    @names_its_keywords
    def server_info(self, *, deadline: float | None = None) -> ServerInfo:
        return info_of(self.connection.read(
            self.connection.info.GetServerInfo,
            server_info_pb2.GetServerInfoRequest(),
            self.connection.deadline(deadline)))

    @names_its_keywords
    def health(self, *, deadline: float | None = None) -> Health:
        """What the server says of itself now; never tried again. Raises
        Unavailable, DeadlineExceeded."""
        return self.connection.health(
            self.connection.deadline(deadline))

    def close(self) -> None:
        """Cancels what is under way, and ends the local server if there is
        one."""
        self.connection.close()
        if self.server is not None:
            self.server.stop()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<torqued.Client of {self.address}>"


def connect(address: str, **words: Unpack[ConnectWords]) -> Client:
    """A client of the server at "host", "host:port", "tls:host:port" or
    "unix:/path". Keywords: see `Settings`. Raises InvalidArgument
    (INVALID_OPTION) for what is no address or does not fit it, Unavailable where
    none answers, and Unimplemented, mostly, where a server answers that is no
    torqued."""
    check_keywords(words, ConnectWords.__annotations__)
    connection = Connection(Settings(address, **words))
    try:
        connection.wait()
    except BaseException:
        connection.close()
        raise
    return Client(connection)


def local(models: Iterable[Path] | Path = (), *,
          binary: str | os.PathLike[str] | None = None,
          store: str | os.PathLike[str] | None = None,
          arguments: Sequence[str] = (),
          **words: Unpack[ConnectWords]) -> Client:
    """A client of a server that is started for it and ends with it.

    models: descriptions to register, under their file names, one path or
    several; a directory stands for its *.urdf. binary, store, arguments: see `LocalServer`. Raises
    LocalServerError; InvalidArgument for a description that is refused.
    """
    check_keywords(words, ConnectWords.__annotations__)
    server = LocalServer(binary, store=store, arguments=arguments)
    try:
        client = connect(server.address, **words)
        client.server = server
        for path in description_files(models):
            client.register(name_of(path), path)
    except BaseException:
        server.stop()
        raise
    return client


def description_files(models: Iterable[Path] | Path) -> list[pathlib.Path]:
    if isinstance(models, (str, os.PathLike)):
        models = [models]
    files: list[pathlib.Path] = []
    for path in map(pathlib.Path, models):
        files += sorted(path.glob("*.urdf")) if path.is_dir() else [path]
    return files
