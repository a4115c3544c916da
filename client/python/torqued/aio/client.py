"""A connection to a server, and what it serves beside dynamics, for asyncio."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Unpack

from torqued.aio.connection import Connection
from torqued.aio.opening import Opening
from torqued.aio.robot import Robot
from torqued.client import description_files
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
from torqued.settings import ConnectWords, Settings
from torqued.trajectory import Path
from torqued.v1 import model_registry_pb2, server_info_pb2


class Client:
    """As torqued.Client, with functions to be awaited."""

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
    async def model(self, reference: str, *,
                    deadline: float | None = None) -> Robot:
        """As torqued.Client.model."""
        return Robot(
            self, await self.describe(reference, deadline=deadline))

    @names_its_keywords
    async def describe(self, reference: str, *,
                       deadline: float | None = None) -> Model:
        """As torqued.Client.describe."""
        reply = await self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(model=reference),
            self.connection.deadline(deadline))
        return model_of(reply.model)

    @names_its_keywords
    async def source(self, reference: str, *,
                     deadline: float | None = None) -> bytes:
        """As torqued.Client.source."""
        reply = await self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(
                model=reference, include_source=True),
            self.connection.deadline(deadline))
        return bytes(reply.source)

    async def register(self, name: str, urdf: Urdf,
                       **words: Unpack[RegistrationWords]) -> Robot:
        """As torqued.Client.register."""
        request = register_request(name, urdf, words)
        with told_with_place(file_of(urdf)):
            reply = await self.connection.change(
                self.connection.registry.RegisterModel, request,
                self.connection.deadline(words.get("deadline")))
        return Robot(self, model_of(reply.model))

    async def validate(self, urdf: Urdf,
                       **words: Unpack[DescriptionWords]) -> Report:
        """As torqued.Client.validate."""
        return report_of(await self.connection.read(
            self.connection.registry.ValidateModel,
            validate_request(urdf, words),
            self.connection.deadline(words.get("deadline"))))

    @names_its_keywords
    async def models(self, *,
                     deadline: float | None = None) -> list[ModelSummary]:
        """As torqued.Client.models."""
        request = model_registry_pb2.ListModelsRequest(page_size=1000)
        models: list[ModelSummary] = []
        end = self.connection.deadline(deadline)
        while True:
            page = await self.connection.read(
                self.connection.registry.ListModels, request, end)
            models += map(summary_of, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    @names_its_keywords
    async def delete(self, name: str, *,
                     expected_current: str | None = None,
                     deadline: float | None = None) -> None:
        """As torqued.Client.delete."""
        request = model_registry_pb2.DeleteModelRequest(name=name)
        if expected_current is not None:
            request.expected_current = expected_current
        await self.connection.change(
            self.connection.registry.DeleteModel, request,
            self.connection.deadline(deadline))

    @names_its_keywords
    async def server_info(self, *,
                          deadline: float | None = None) -> ServerInfo:
        """As torqued.Client.server_info."""
        return info_of(await self.connection.read(
            self.connection.info.GetServerInfo,
            server_info_pb2.GetServerInfoRequest(),
            self.connection.deadline(deadline)))

    @names_its_keywords
    async def health(self, *, deadline: float | None = None) -> Health:
        """As torqued.Client.health."""
        return await self.connection.health(
            self.connection.deadline(deadline))

    async def close(self) -> None:
        """As torqued.Client.close."""
        await self.connection.close()
        if self.server is not None:
            await asyncio.to_thread(self.server.stop)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<torqued.aio.Client of {self.address}>"


def connect(address: str, **words: Unpack[ConnectWords]) -> Opening[Client]:
    """As torqued.connect."""
    check_keywords(words, ConnectWords.__annotations__)
    return Opening(lambda: _connect(address, words))


def local(models: Iterable[Path] | Path = (), *,
          binary: str | os.PathLike[str] | None = None,
          store: str | os.PathLike[str] | None = None,
          arguments: Sequence[str] = (),
          **words: Unpack[ConnectWords]) -> Opening[Client]:
    """As torqued.local."""
    check_keywords(words, ConnectWords.__annotations__)
    return Opening(lambda: _local(models, binary, store, arguments, words))


async def _connect(address: str, words: ConnectWords) -> Client:
    connection = Connection(Settings(address, **words))
    try:
        await connection.wait()
    except BaseException:
        await connection.close()
        raise
    return Client(connection)


async def _local(models: Iterable[Path] | Path,
                 binary: str | os.PathLike[str] | None,
                 store: str | os.PathLike[str] | None,
                 arguments: Sequence[str], words: ConnectWords) -> Client:
    server = await asyncio.to_thread(
        lambda: LocalServer(binary, store=store, arguments=arguments))
    try:
        client = await _connect(server.address, words)
        client.server = server
        for path in description_files(models):
            await client.register(name_of(path), path)
    except BaseException:
        await asyncio.to_thread(server.stop)
        raise
    return client
