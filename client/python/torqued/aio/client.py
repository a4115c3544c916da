"""A connection to a server, and what it serves beside dynamics, for asyncio."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Type, Union

from torqued.aio.connection import Connection
from torqued.aio.opening import Opening
from torqued.aio.robot import Robot
from torqued.client import description_files
from torqued.contract import (
    GetServerInfoReply, ModelInfo, ModelSummary, Validation, ValidateModelReply)
from torqued.local_server import LocalServer
from torqued.message import view
from torqued.model_faults import file_of, with_places
from torqued.registration import Urdf, description_of, name_of
from torqued.settings import Health, Settings
from torqued.values import Path
from torqued.v1 import model_registry_pb2 as pb
from torqued.v1 import server_info_pb2


class Client:
    """As torqued.Client, with functions to be awaited."""

    def __init__(self, connection: Connection,
                 server: Optional[LocalServer] = None) -> None:
        """See `connect` and `local`."""
        self.connection = connection
        #: The local server that ends with this client, if there is one.
        self.server = server

    @property
    def address(self) -> str:
        return self.connection.settings.address

    async def model(self, reference: str, *,
                    deadline: Optional[float] = None) -> Robot:
        """As torqued.Client.model."""
        return Robot(self, await self.describe(reference, deadline=deadline))

    async def describe(self, reference: str, *,
                       deadline: Optional[float] = None) -> ModelInfo:
        """As torqued.Client.describe."""
        info: ModelInfo = view((await self._get(reference, False, deadline)).model)
        return info

    async def source(self, reference: str, *,
                     deadline: Optional[float] = None) -> bytes:
        """As torqued.Client.source."""
        return bytes((await self._get(reference, True, deadline)).source)

    async def register(self, name: str, urdf: Urdf, *, tip_frame: str = "",
                       validation: Union[Validation, str, None] = None, label: str = "",
                       expected_current: Optional[str] = None,
                       deadline: Optional[float] = None) -> Robot:
        """As torqued.Client.register."""
        request = pb.RegisterModelRequest(
            name=name, label=label, expected_current=expected_current,
            **description_of(urdf, tip_frame, validation))
        with with_places(file_of(urdf)):
            reply = await self.connection.change(
                self.connection.registry.RegisterModel, request,
                self.connection.deadline(deadline))
        return Robot(self, view(reply.model))

    async def validate(self, urdf: Urdf, *, tip_frame: str = "",
                       validation: Union[Validation, str, None] = None,
                       deadline: Optional[float] = None) -> ValidateModelReply:
        """As torqued.Client.validate."""
        reply: ValidateModelReply = view(await self.connection.read(
            self.connection.registry.ValidateModel,
            pb.ValidateModelRequest(**description_of(urdf, tip_frame, validation)),
            self.connection.deadline(deadline)))
        return reply

    async def models(self, *, deadline: Optional[float] = None) -> List[ModelSummary]:
        """As torqued.Client.models."""
        request = pb.ListModelsRequest(page_size=1000)
        models: List[ModelSummary] = []
        end = self.connection.deadline(deadline)
        while True:
            page = await self.connection.read(
                self.connection.registry.ListModels, request, end)
            models += map(view, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    async def delete(self, name: str, *, expected_current: Optional[str] = None,
                     deadline: Optional[float] = None) -> None:
        """As torqued.Client.delete."""
        await self.connection.change(
            self.connection.registry.DeleteModel,
            pb.DeleteModelRequest(name=name, expected_current=expected_current),
            self.connection.deadline(deadline))

    async def server_info(self, *,
                          deadline: Optional[float] = None) -> GetServerInfoReply:
        """As torqued.Client.server_info."""
        reply: GetServerInfoReply = view(await self.connection.read(
            self.connection.info.GetServerInfo,
            server_info_pb2.GetServerInfoRequest(),
            self.connection.deadline(deadline)))
        return reply

    async def health(self, *, deadline: Optional[float] = None) -> Health:
        """As torqued.Client.health."""
        return await self.connection.health(self.connection.deadline(deadline))

    async def close(self) -> None:
        """As torqued.Client.close."""
        await self.connection.close()
        if self.server is not None:
            await asyncio.to_thread(self.server.stop)

    async def _get(self, reference: str, source: bool,
                   deadline: Optional[float]) -> Any:
        return await self.connection.read(
            self.connection.registry.GetModel,
            pb.GetModelRequest(model=reference, include_source=source),
            self.connection.deadline(deadline))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<torqued.aio.Client of {self.address}>"


def connect(address: str, **settings: Any) -> "Opening[Client]":
    """As torqued.connect."""
    return Opening(lambda: _connect(address, settings))


def local(models: Union[Iterable[Path], Path] = (), *, binary: Optional[Path] = None,
          store: Optional[Path] = None, arguments: Sequence[str] = (),
          **settings: Any) -> "Opening[Client]":
    """As torqued.local."""
    return Opening(lambda: _local(models, binary, store, arguments, settings))


async def _connect(address: str, settings: Mapping[str, Any]) -> Client:
    connection = Connection(Settings(address, **settings))
    try:
        await connection.wait()
    except BaseException:
        await connection.close()
        raise
    return Client(connection)


async def _local(models: Union[Iterable[Path], Path], binary: Optional[Path],
                 store: Optional[Path], arguments: Sequence[str],
                 settings: Mapping[str, Any]) -> Client:
    server = await asyncio.to_thread(
        lambda: LocalServer(binary, store=store, arguments=arguments))
    client = None
    try:
        client = await _connect(server.address, settings)
        client.server = server
        for path in description_files(models):
            await client.register(name_of(path), path)
    except BaseException:
        if client is not None:
            await client.close()
        await asyncio.to_thread(server.stop)
        raise
    return client
