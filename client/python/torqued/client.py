"""Robots whose quantities are functions, and the client of a server that has them."""

from __future__ import annotations

import os
import pathlib
import re
from typing import Any, Generic, Iterable, Mapping, Sequence, TypeVar, Union

import numpy as np

from torqued.check import Check
from torqued.connection import Connection, run, served, within
from torqued.contract import (
    BOUND, Functions, GetServerInfoReply, JointInfo, ModelInfo, ModelSummary,
    Quantity, Reason, ValidateModelReply, Validation)
from torqued.errors import FileError, InvalidArgument, ModelWarning, warn
from torqued.evaluation import Evaluation, batch_of, order_of
from torqued.inputs import set_field
from torqued.local_server import LocalServer
from torqued.message import Messages, view
from torqued.settings import Health, Settings
from torqued.v1 import model_registry_pb2 as pb
from torqued.v1 import server_info_pb2
from torqued.values import Entered, FloatArray, Path
from torqued.verdict import TrajectoryVerdict

R = TypeVar("R")
D = TypeVar("D", bound="Described")


def _limits(attribute: str, text: str) -> Any:
    def of_joints(self: Described) -> FloatArray:
        return np.array([getattr(self.joints[name], attribute)
                         for name in self.joint_names], float)

    return property(of_joints, doc=text)


class Described:
    """A robot's description and the options that its calls start from."""

    def __init__(self, client: Any, model: ModelInfo,
                 options: Mapping[str, Any] | None = None) -> None:
        self.client = client
        self._run = client._run
        self._owns_client = False
        self.model = model
        self.name: str = model.name
        #: Every call uses this one, even after the name has moved to another.
        self.revision: str = model.revision
        self.nq: int = model.nq
        self.nv: int = model.nv
        self.joints: Messages[JointInfo] = model.joints
        #: Link names, root first.
        self.frames: tuple[str, ...] = model.frames
        #: Bound by `with_options`.
        self.options = {word: value for word, value in (options or {}).items()
                        if value is not None}

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Order of all arrays: the option's, else the model's."""
        return tuple(order_of(self.model, self.options))

    @property
    def tip_frame(self) -> str:
        return self.options.get("tip_frame") or self.model.tip_frame

    @property
    def gravity(self) -> FloatArray:
        """(3,), base axes, m/s^2."""
        bound = self.options.get("gravity")
        return np.array(self.model.gravity if bound is None else bound, float)

    lower_limits = _limits("lower", "(n,), rad or m; -inf: unlimited.")
    upper_limits = _limits("upper", "(n,), rad or m; inf: unlimited.")
    velocity_limits = _limits("velocity", "(n,), rad/s or m/s; inf: unlimited.")
    effort_limits = _limits("effort", "(n,), N m or N; inf: unlimited.")

    def __repr__(self) -> str:
        return (f"<{type(self).__module__.replace('.client', '')}.Robot "
                f"{self.name}@{self.revision[:12]}>")

    def _bind(self: D, words: Mapping[str, Any]) -> D:
        given = {word: value for word, value in words.items()
                 if word != "self" and value is not BOUND}
        return type(self)(self.client, self.model, {**self.options, **given})

    def _words(self, words: Mapping[str, Any]) -> dict[str, Any]:
        """Bound options under those of a call."""
        return {**self.options, **{word: value for word, value in words.items()
                                   if value is not None and word != "self"}}

    @served
    async def _several(self, quantities: Sequence[Any], words: Mapping[str, Any],
                       ) -> Evaluation:
        words = self._words(words)
        evaluation: Evaluation = await self.client.connection.compute(
            batch_of(self.model, quantities, words))
        evaluation.raise_or_warn(words.get("bad_rows"))
        return evaluation

    @served
    async def _one(self, quantity: Quantity, words: Mapping[str, Any]) -> Any:
        return (await within(self._several, [quantity], words)).returned(quantity)

    @served
    async def _checked(self, words: Mapping[str, Any]) -> TrajectoryVerdict:
        # A file may be large.
        check = await self.client.connection.aside(
            lambda: Check(self.model, self._words(words)))
        check.warn()
        return await self.client.connection.check(check)

    @served
    async def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            await within(self.client.close)


class Robot(Described, Functions, Entered):
    """One revision of a robot on a server. Immutable, thread-safe.

    q, v, a and tau have one number for each joint in the last axis, in the order of
    `joint_names`; or they are a dict or a table with numbers by joint name. Axes before
    the last one are broadcast as in numpy, and results have them, too. If all inputs
    are float32, so are the results. Large batches travel in parts.

    Every function raises TorquedError: InvalidArgument for what cannot be used, with field,
    joint and row; RowError for a state without an answer (see `bad_rows`); Unavailable,
    DeadlineExceeded, Overloaded for what went wrong between here and the server.
    """

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None, **words: Any) -> Robot:
        """Registers a robot description and returns the robot.

        Parameters
        ----------
        urdf
            A path, the text itself (it has a "<"), or its bytes.
        client
            None: a local server, which ends with `close`, a `with` block, or the program.
        name
            None: the file's, or the robot's own.
        **words
            See `Client.register`.

        Raises
        ------
        InvalidArgument
            INVALID_MODEL, with the line of each fault as field violations.
        LocalServerError, OSError
        """
        return run(registered(Client, client, name, urdf, words))


async def registered(kind: Any, client: Any, name: str | None, urdf: Urdf,
                     words: Mapping[str, Any]) -> Any:
    """See `Robot.from_urdf`. kind: class of the client that is made without `client`."""
    owned = client is None
    client = await kind.with_server() if client is None else client
    try:
        robot = await within(
            client.register, name or name_of(urdf), urdf, **words)
    except BaseException:
        if owned:
            await within(client.close)
        raise
    robot._owns_client = owned
    return robot


#: A path, the text itself (it has a "<"), or its bytes.
Urdf = Union[str, bytes, "os.PathLike[str]"]

_ROBOT_NAME = re.compile(rb"<robot\b[^>]*?\sname\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def _text_of(urdf: Urdf) -> bytes | None:
    """None for a path."""
    if isinstance(urdf, str) and "<" in urdf:
        return urdf.encode()
    return urdf if isinstance(urdf, bytes) else None


def name_of(urdf: Urdf) -> str:
    """One to register it under: the file's, else the robot's own."""
    text = _text_of(urdf)
    if text is None:
        name = pathlib.Path(urdf).stem  # type: ignore[arg-type]
    else:
        found = _ROBOT_NAME.search(text)
        name = (found[1] or found[2] or b"").decode(errors="replace") if found else ""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[:128] or "robot"


def description_of(urdf: Any, tip_frame: str, validation: Any) -> dict[str, Any]:
    """The fields that registration and dry run share. Raises OSError."""
    options = pb.RegistrationOptions(default_tip=tip_frame)
    if validation is not None:
        set_field(options, "validation", validation)
    text = _text_of(urdf)
    return {"format": pb.MODEL_FORMAT_URDF, "options": options,
            "source": pathlib.Path(urdf).read_bytes() if text is None else text}


def with_places(error: InvalidArgument, urdf: Any) -> InvalidArgument:
    """For a refused model, the error with its faults by line, a FileError for a file."""
    violations = error.field_violations
    if error.reason is not Reason.INVALID_MODEL or not violations:
        return error
    is_text = _text_of(urdf) is not None
    source = "source" if is_text else os.fspath(urdf)
    kind, place = (InvalidArgument, {}) if is_text else (FileError, {
        "file": source, "line": violations[0].field.rpartition(":")[2]})
    total = error.metadata.get("errors", "1")
    return kind(f"{source}: {total} error{'s' * (total != '1')}" + "".join(
        f"\n  {source}{violation.field.removeprefix('source')}: {violation.description}"
        for violation in violations), code=error.code, reason=error.reason,
        field_violations=violations, metadata={**error.metadata, **place})


class Calls(Generic[R]):
    """The calls that both kinds of client have."""

    _connection: Any
    _robot: Any
    _run: Any

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        #: The local server that ends with this client, if there is one.
        self.server: LocalServer | None = None

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
    async def with_server(cls, models: Iterable[Path] | Path = (),
                          binary: Path | None = None, store: Path | None = None,
                          arguments: Sequence[str] = (), **settings: Any) -> Any:
        """See `local`."""
        server = await cls._connection.aside(
            lambda: LocalServer(binary, store=store, arguments=arguments))
        client = None
        try:
            client = await cls.connected(server.address, settings)
            client.server = server
            for path in map(pathlib.Path, [models] if isinstance(
                    models, (str, os.PathLike)) else models):
                for file in sorted(path.glob("*.urdf")) if path.is_dir() else [path]:
                    await within(client.register, name_of(file), file)
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
    async def model(self, reference: str, *, deadline: float | None = None) -> R:
        """A robot of the server, pinned to its revision.

        Parameters
        ----------
        reference
            "name", "name@revision", "name@label" or "@revision".

        Raises
        ------
        NotFound, InvalidArgument
        """
        return self._robot(self, await within(
            self.describe, reference, deadline=deadline))

    @served
    async def describe(self, reference: str, *, deadline: float | None = None) -> ModelInfo:
        """The robot's joints, frames and limits, and its revision; as `model`."""
        return view((await self._ask("GetModel", deadline, model=reference)).model)

    @served
    async def source(self, reference: str, *, deadline: float | None = None) -> bytes:
        """The exact bytes of the robot's description; as `model`."""
        return (await self._ask(
            "GetModel", deadline, model=reference, include_source=True)).source

    @served
    async def register(self, name: str, urdf: Urdf, *, tip_frame: str = "",
                       validation: Validation | str | None = None, label: str = "",
                       expected_current: str | None = None,
                       deadline: float | None = None) -> R:
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
            The name moves only if its current revision is this one ("": only if there is
            no such name yet).

        Raises
        ------
        InvalidArgument
            INVALID_MODEL (of a file a FileError) with all faults by line,
            INVALID_MODEL_NAME, UNKNOWN_FRAME.
        FailedPrecondition
            REVISION_CONFLICT: the current revision is another one.
        ResourceExhausted
            QUOTA_REACHED: the server's store is full.
        """
        try:
            reply = await self._ask(
                "RegisterModel", deadline, changes=True, name=name, label=label,
                expected_current=expected_current,
                **description_of(urdf, tip_frame, validation))
        except InvalidArgument as error:
            raise with_places(error, urdf) from None
        robot = self._robot(self, view(reply.model))
        for found in robot.model.report.findings[:robot.model.report.warnings]:
            place = f"{name}, line {found.line}" if found.line else name
            warn(ModelWarning(f"{place}: {found.message}"))
        return robot

    @served
    async def validate(self, urdf: Urdf, *, tip_frame: str = "",
                       validation: Validation | str | None = None,
                       deadline: float | None = None) -> ValidateModelReply:
        """The findings of `register`, with its parameters; stores nothing."""
        return view(await self._ask(
            "ValidateModel", deadline, **description_of(urdf, tip_frame, validation)))

    @served
    async def models(self, *, deadline: float | None = None) -> list[ModelSummary]:
        """All robots of the server, by name in byte order."""
        models: list[ModelSummary] = []
        token = None
        while token != "":
            page = await self._ask(
                "ListModels", deadline, page_size=1000, page_token=token)
            models += map(view, page.models)
            token = page.next_page_token
        return models

    @served
    async def delete(self, name: str, *, expected_current: str | None = None,
                     deadline: float | None = None) -> None:
        """Removes a name with all its revisions; `expected_current` as in `register`."""
        await self._ask("DeleteModel", deadline, changes=True, name=name,
                        expected_current=expected_current)

    @served
    async def server_info(self, *, deadline: float | None = None) -> GetServerInfoReply:
        """The server's version, instruction set and limits."""
        return view(await self.connection.call(
            self.connection.info.GetServerInfo, server_info_pb2.GetServerInfoRequest(),
            deadline))

    @served
    async def health(self, *, deadline: float | None = None) -> Health:
        """Whether the server serves now; asked once, without retries."""
        return await self.connection.health(deadline)

    @served
    async def close(self) -> None:
        """Cancels calls in flight, and ends the local server if there is one."""
        await self.connection.close()
        if self.server is not None:
            await self.connection.aside(self.server.stop)

    async def _ask(self, method: str, deadline: Any, *, changes: bool = False,
                   **fields: Any) -> Any:
        request = getattr(pb, method + "Request")(**fields)
        return await self.connection.call(
            getattr(self.connection.registry, method), request, deadline, changes=changes)

    def __repr__(self) -> str:
        return f"<{type(self).__module__.replace('.client', '')}.Client of {self.address}>"


class Client(Calls[Robot], Entered):
    """One connection, to be shared between threads. Every function raises TorquedError.
    Each takes a `deadline`: seconds of the call, all retries included; None: that of
    `connect`.

    A process that forks must not use it on both sides, as for all of gRPC: connect after
    the fork, or start workers by "spawn" or "forkserver".
    """

    _connection = Connection
    _robot = Robot
    _run = staticmethod(run)


def connect(address: str, **settings: Any) -> Client:
    """A client of a server.

    Parameters
    ----------
    address
        "host" (port 7421), "host:port", "tls:host:port" or "unix:/path".
    **settings
        See `Settings`.

    Raises
    ------
    InvalidArgument
        INVALID_OPTION: an address or a setting that cannot be used.
    Unavailable
        No server answers.
    Unimplemented
        It is another server than torqued.
    """
    return run(Client.connected(address, settings))


def local(models: Iterable[Path] | Path = (), *, binary: Path | None = None,
          store: Path | None = None, arguments: Sequence[str] = (),
          **settings: Any) -> Client:
    """A client of a server that is started for it and ends with it.

    Parameters
    ----------
    models
        Descriptions to register under their file names: one path or several; a directory
        stands for its *.urdf.
    binary, store, arguments
        See `LocalServer`.
    **settings
        See `Settings`.

    Raises
    ------
    LocalServerError
    InvalidArgument
        A description is refused.
    """
    return run(Client.with_server(models, binary, store, arguments, **settings))
