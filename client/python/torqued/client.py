"""A connection to a server, and what it serves beside dynamics."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Generic, Iterable, List, Mapping, Optional, Sequence, TypeVar, Union

from torqued.connection import Connection, run, served, within
from torqued.contract import (
    GetServerInfoReply, ModelInfo, ModelSummary, Validation, ValidateModelReply)
from torqued.errors import InvalidArgument
from torqued.local_server import LocalServer
from torqued.message import view
from torqued.robot import Robot, Urdf, description_of, name_of, with_places
from torqued.settings import Health, Settings
from torqued.values import Entered, Path
from torqued.v1 import model_registry_pb2 as pb
from torqued.v1 import server_info_pb2

R = TypeVar("R")


class Calls(Generic[R]):
    """What both kinds of client have."""

    _connection: Any
    _robot: Any
    _run: Any

    def __init__(self, connection: Any, server: Optional[LocalServer] = None) -> None:
        """See `connect` and `local`."""
        self.connection = connection
        #: The local server that ends with this client, if there is one.
        self.server = server

    @classmethod
    async def connected(cls, address: str, settings: Mapping[str, Any]) -> Any:
        """See `connect`."""
        connection = cls._connection(Settings(address, **settings))
        try:
            await connection.wait()
        except BaseException:
            await connection.close()
            raise
        return cls(connection)

    @classmethod
    async def with_server(cls, models: Union[Iterable[Path], Path] = (),
                          settings: Mapping[str, Any] = {}, **words: Any) -> Any:
        """See `local`. words: of `LocalServer`."""
        server = await cls._connection.aside(lambda: LocalServer(**words))
        client = None
        try:
            client = await cls.connected(server.address, settings)
            client.server = server
            for path in description_files(models):
                await within(client.register, name_of(path), path)
        except BaseException:
            if client is not None:
                await client.connection.close()
            await cls._connection.aside(server.stop)
            raise
        return client

    @property
    def address(self) -> str:
        return self.connection.settings.address

    @served
    async def model(self, reference: str, *, deadline: Optional[float] = None) -> R:
        """A robot that the server knows: name, name@revision, name@label or
        @revision. Raises NotFound, InvalidArgument (INVALID_MODEL_REFERENCE)."""
        return self._described((await self._get(reference, False, deadline)).model)

    @served
    async def describe(self, reference: str, *,
                       deadline: Optional[float] = None) -> ModelInfo:
        """What `model` knows of it."""
        return view((await self._get(reference, False, deadline)).model)

    @served
    async def source(self, reference: str, *, deadline: Optional[float] = None) -> bytes:
        """The exact bytes of its description."""
        return bytes((await self._get(reference, True, deadline)).source)

    @served
    async def register(self, name: str, urdf: Urdf, *, tip_frame: str = "",
                       validation: Union[Validation, str, None] = None, label: str = "",
                       expected_current: Optional[str] = None,
                       deadline: Optional[float] = None) -> R:
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
        try:
            reply = await self.connection.call(
                self.connection.registry.RegisterModel, request, deadline, changes=True)
        except InvalidArgument as error:
            raise with_places(error, urdf) from None
        return self._described(reply.model)

    @served
    async def validate(self, urdf: Urdf, *, tip_frame: str = "",
                       validation: Union[Validation, str, None] = None,
                       deadline: Optional[float] = None) -> ValidateModelReply:
        """What registering it would say; nothing is stored."""
        return view(await self.connection.call(
            self.connection.registry.ValidateModel,
            pb.ValidateModelRequest(**description_of(urdf, tip_frame, validation)),
            deadline))

    @served
    async def models(self, *, deadline: Optional[float] = None) -> List[ModelSummary]:
        """All names, in byte order."""
        request = pb.ListModelsRequest(page_size=1000)
        models: List[ModelSummary] = []
        end = self.connection.deadline(deadline)
        while True:
            page = await self.connection.call(
                self.connection.registry.ListModels, request, end)
            models += map(view, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    @served
    async def delete(self, name: str, *, expected_current: Optional[str] = None,
                     deadline: Optional[float] = None) -> None:
        """Removes a name with all its history."""
        await self.connection.call(
            self.connection.registry.DeleteModel,
            pb.DeleteModelRequest(name=name, expected_current=expected_current),
            deadline, changes=True)

    @served
    async def server_info(self, *, deadline: Optional[float] = None) -> GetServerInfoReply:
        """What the server is and how much it accepts at a time."""
        return view(await self.connection.call(
            self.connection.info.GetServerInfo, server_info_pb2.GetServerInfoRequest(),
            deadline))

    @served
    async def health(self, *, deadline: Optional[float] = None) -> Health:
        """What the server says of itself now; never tried again. Raises
        Unavailable, DeadlineExceeded."""
        return await self.connection.health(deadline)

    @served
    async def close(self) -> None:
        """Cancels what is under way, and ends the local server if there is one."""
        await self.connection.close()
        if self.server is not None:
            await self.connection.aside(self.server.stop)

    async def _get(self, reference: str, source: bool, deadline: Optional[float]) -> Any:
        return await self.connection.call(
            self.connection.registry.GetModel,
            pb.GetModelRequest(model=reference, include_source=source), deadline)

    def _described(self, model: Any) -> Any:
        return self._robot(self, view(model))

    def __repr__(self) -> str:
        return f"<{type(self).__module__.replace('.client', '')}.Client of {self.address}>"


class Client(Calls[Robot], Entered):
    """One connection, to be shared between threads. Every function raises
    TorquedError. deadline: seconds of the call, all retries included; None: that
    of `connect`.

    A process that forks must not use it on both sides, as for all of gRPC:
    connect after the fork, or start workers by "spawn" or "forkserver".
    """

    _connection = Connection
    _robot = Robot
    _run = staticmethod(run)


def connect(address: str, **settings: Any) -> Client:
    """A client of the server at "host", "host:port", "tls:host:port" or
    "unix:/path". Keywords: see `Settings`. Raises InvalidArgument (INVALID_OPTION)
    for what is no address or does not fit it, Unavailable if none answers, and
    Unimplemented, mostly, if a server answers that is no torqued."""
    return run(Client.connected(address, settings))


def local(models: Union[Iterable[Path], Path] = (), *, binary: Optional[Path] = None,
          store: Optional[Path] = None, arguments: Sequence[str] = (),
          **settings: Any) -> Client:
    """A client of a server that is started for it and ends with it.

    models: descriptions to register, under their file names, one path or several; a
    directory stands for its *.urdf. binary, store, arguments: see `LocalServer`.
    Other keywords: see `Settings`. Raises LocalServerError; InvalidArgument for a
    description that is refused.
    """
    return run(Client.with_server(
        models, settings, binary=binary, store=store, arguments=arguments))


def description_files(models: Union[Iterable[Path], Path]) -> List[pathlib.Path]:
    if isinstance(models, (str, os.PathLike)):
        models = [models]
    return [file for path in map(pathlib.Path, models) for file in (
        sorted(path.glob("*.urdf")) if path.is_dir() else [path])]
