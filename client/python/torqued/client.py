"""A connection to a server, and what it serves beside dynamics."""

from __future__ import annotations

import os
import pathlib
from types import TracebackType
from typing import Any, Iterable, List, Optional, Sequence, Type, Union

from torqued.connection import Connection
from torqued.contract import (
    GetServerInfoReply, ModelInfo, ModelSummary, Validation, ValidateModelReply)
from torqued.local_server import LocalServer
from torqued.message import view
from torqued.model_faults import file_of, with_places
from torqued.registration import Urdf, description_of, name_of
from torqued.robot import Robot
from torqued.settings import Health, Settings
from torqued.values import Path
from torqued.v1 import model_registry_pb2 as pb
from torqued.v1 import server_info_pb2


class Client:
    """One connection, to be shared between threads. Every function raises
    TorquedError. deadline: seconds of the call, all retries included; None: that
    of `connect`.

    A process that forks must not use it on both sides, as for all of gRPC:
    connect after the fork, or start workers by "spawn" or "forkserver".
    """

    def __init__(self, connection: Connection,
                 server: Optional[LocalServer] = None) -> None:
        """See `connect` and `local`."""
        self.connection = connection
        #: The local server that ends with this client, if there is one.
        self.server = server

    @property
    def address(self) -> str:
        return self.connection.settings.address

    def model(self, reference: str, *, deadline: Optional[float] = None) -> Robot:
        """A robot that the server knows: name, name@revision, name@label or
        @revision. Raises NotFound, InvalidArgument (INVALID_MODEL_REFERENCE)."""
        return Robot(self, self.describe(reference, deadline=deadline))

    def describe(self, reference: str, *,
                 deadline: Optional[float] = None) -> ModelInfo:
        """What `model` knows of it."""
        info: ModelInfo = view(self._get(reference, False, deadline).model)
        return info

    def source(self, reference: str, *, deadline: Optional[float] = None) -> bytes:
        """The exact bytes of its description."""
        return bytes(self._get(reference, True, deadline).source)

    def register(self, name: str, urdf: Urdf, *, tip_frame: str = "",
                 validation: Union[Validation, str, None] = None, label: str = "",
                 expected_current: Optional[str] = None,
                 deadline: Optional[float] = None) -> Robot:
        """Stores a robot description under a name and points the name at it.

        Parameters
        ----------
        name
            [A-Za-z0-9._-]{1,128}, but neither "." nor "..".
        urdf
            A path, the text itself (it has a "<"), or its bytes.
        tip_frame
            The link that is the tip of calls that name none; part of the revision.
        validation
            How strictly masses are judged, see `Validation`; part of the revision.
        label
            For this revision under this name.
        expected_current
            The name moves only if its current revision is this one ("": it must not
            exist yet); else FailedPrecondition (REVISION_CONFLICT).

        Raises InvalidArgument (INVALID_MODEL, INVALID_MODEL_NAME, UNKNOWN_FRAME), with
        all faults by line, as a FileError for a file; ResourceExhausted
        (QUOTA_REACHED: the server's store is full).
        """
        request = pb.RegisterModelRequest(
            name=name, label=label, expected_current=expected_current,
            **description_of(urdf, tip_frame, validation))
        with with_places(file_of(urdf)):
            reply = self.connection.change(
                self.connection.registry.RegisterModel, request,
                self.connection.deadline(deadline))
        return Robot(self, view(reply.model))

    def validate(self, urdf: Urdf, *, tip_frame: str = "",
                 validation: Union[Validation, str, None] = None,
                 deadline: Optional[float] = None) -> ValidateModelReply:
        """What registering it would say; nothing is stored."""
        reply: ValidateModelReply = view(self.connection.read(
            self.connection.registry.ValidateModel,
            pb.ValidateModelRequest(**description_of(urdf, tip_frame, validation)),
            self.connection.deadline(deadline)))
        return reply

    def models(self, *, deadline: Optional[float] = None) -> List[ModelSummary]:
        """All names, in byte order."""
        request = pb.ListModelsRequest(page_size=1000)
        models: List[ModelSummary] = []
        end = self.connection.deadline(deadline)
        while True:
            page = self.connection.read(
                self.connection.registry.ListModels, request, end)
            models += map(view, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    def delete(self, name: str, *, expected_current: Optional[str] = None,
               deadline: Optional[float] = None) -> None:
        """Removes a name with all its history."""
        self.connection.change(
            self.connection.registry.DeleteModel,
            pb.DeleteModelRequest(name=name, expected_current=expected_current),
            self.connection.deadline(deadline))

    def server_info(self, *, deadline: Optional[float] = None) -> GetServerInfoReply:
        """What the server is and how much it accepts at a time."""
        reply: GetServerInfoReply = view(self.connection.read(
            self.connection.info.GetServerInfo,
            server_info_pb2.GetServerInfoRequest(),
            self.connection.deadline(deadline)))
        return reply

    def health(self, *, deadline: Optional[float] = None) -> Health:
        """What the server says of itself now; never tried again. Raises
        Unavailable, DeadlineExceeded."""
        return self.connection.health(self.connection.deadline(deadline))

    def close(self) -> None:
        """Cancels what is under way, and ends the local server if there is
        one."""
        self.connection.close()
        if self.server is not None:
            self.server.stop()

    def _get(self, reference: str, source: bool, deadline: Optional[float]) -> Any:
        return self.connection.read(
            self.connection.registry.GetModel,
            pb.GetModelRequest(model=reference, include_source=source),
            self.connection.deadline(deadline))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]],
                 error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<torqued.Client of {self.address}>"


def connect(address: str, **settings: Any) -> Client:
    """A client of the server at "host", "host:port", "tls:host:port" or
    "unix:/path". Keywords: see `Settings`. Raises InvalidArgument (INVALID_OPTION)
    for what is no address or does not fit it, Unavailable if none answers, and
    Unimplemented, mostly, if a server answers that is no torqued."""
    connection = Connection(Settings(address, **settings))
    try:
        connection.wait()
    except BaseException:
        connection.close()
        raise
    return Client(connection)


def local(models: Union[Iterable[Path], Path] = (), *, binary: Optional[Path] = None,
          store: Optional[Path] = None, arguments: Sequence[str] = (),
          **settings: Any) -> Client:
    """A client of a server that is started for it and ends with it.

    models: descriptions to register, under their file names, one path or several; a
    directory stands for its *.urdf. binary, store, arguments: see `LocalServer`.
    Other keywords: see `Settings`. Raises LocalServerError; InvalidArgument for a
    description that is refused.
    """
    server = LocalServer(binary, store=store, arguments=arguments)
    client = None
    try:
        client = connect(server.address, **settings)
        client.server = server
        for path in description_files(models):
            client.register(name_of(path), path)
    except BaseException:
        if client is not None:
            client.close()
        server.stop()
        raise
    return client


def description_files(models: Union[Iterable[Path], Path]) -> List[pathlib.Path]:
    if isinstance(models, (str, os.PathLike)):
        models = [models]
    files: List[pathlib.Path] = []
    for path in map(pathlib.Path, models):
        files += sorted(path.glob("*.urdf")) if path.is_dir() else [path]
    return files
