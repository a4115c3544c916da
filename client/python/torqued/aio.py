"""The client for asyncio: the same names, to be awaited.

    async with await torqued.aio.connect("localhost:7421") as client:
        robot = await client.model("panda")
        tau = await robot.inverse_dynamics(q, v, a)

`async with torqued.aio.connect(...) as client` does as well. What is cancelled,
by a task's cancel() or by a timeout, is cancelled on the server at once. A
client belongs to the event loop in which it was connected.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import (
    Awaitable, Callable, Generator, Iterable, Mapping, Sequence)
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, Unpack

import grpc

from torqued import errors
from torqued.arrays import FloatArray, JointInput
from torqued.batch import Batch, Plan
from torqued.client import description_files
from torqued.enums import Health, Quantity
from torqued.evaluation import (
    CenterOfMass, Energy, Evaluation, ForwardDynamicsDerivatives,
    FrameAcceleration, InverseDynamicsDerivatives, OperationalSpace,
    PowerBalance, TaskProjection)
from torqued.local_server import LocalServer
from torqued.model import (
    Model, ModelSummary, Report, ServerInfo, info_of, model_of, report_of,
    summary_of)
from torqued.options import BoundWords, CallWords, Options, Progress
from torqued.progress import teller
from torqued.question import Described, plain_result
from torqued.registration import (
    RegistrationWords, Urdf, name_of, register_request, validate_request)
from torqued.retry import Deadline, Schedule
from torqued.settings import (
    COMPUTE_METHOD, EVALUATE_METHOD, HEALTH_METHOD, HEALTH_REQUEST,
    ConnectWords, Settings, Waiting, health_of)
from torqued.v1 import (
    dynamics_pb2, model_registry_pb2, model_registry_pb2_grpc,
    server_info_pb2, server_info_pb2_grpc)

C = TypeVar("C", bound="Client | Robot")


class Connection:
    """Calls with deadline and retries, without blocking."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._closed = False
        options = settings.channel_options()
        self.channel = (
            grpc.aio.insecure_channel(settings.address, options)
            if settings.credentials is None else grpc.aio.secure_channel(
                settings.address, settings.credentials, options))
        self._compute = self.channel.unary_unary(
            COMPUTE_METHOD,
            response_deserializer=dynamics_pb2.ComputeReply.FromString)
        self._evaluate = self.channel.stream_stream(
            EVALUATE_METHOD,
            response_deserializer=dynamics_pb2.EvaluateReply.FromString)
        self.registry = model_registry_pb2_grpc.ModelRegistryStub(self.channel)
        self.info = server_info_pb2_grpc.ServerInfoStub(self.channel)
        self._health = self.channel.unary_unary(HEALTH_METHOD)

    async def wait(self) -> None:
        """Raises Unavailable where no server answers."""
        waiting = Waiting(self.settings)
        while True:
            try:
                await self._health(
                    HEALTH_REQUEST, timeout=self.settings.deadline)
                return
            except grpc.RpcError as failure:
                pause = waiting.after(failure)
            if pause is None:
                return
            await asyncio.sleep(pause)

    async def health(self) -> Health:
        self._check_open()
        try:
            return health_of(await self._health(
                HEALTH_REQUEST, timeout=self.settings.deadline))
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None

    async def read(self, method: Any, request: Any,
                   deadline: Deadline | None = None,
                   schedule: Schedule | None = None) -> Any:
        """A call that changes nothing, tried again where that may help."""
        deadline = deadline or Deadline(self.settings.deadline)
        schedule = schedule or self._schedule(deadline)
        while True:
            self._check_open()
            try:
                return await method(request, timeout=deadline.remaining())
            except grpc.RpcError as failure:
                error = errors.decode(failure)
            await asyncio.sleep(schedule.delay_after(error))

    async def change(self, method: Any, request: Any) -> Any:
        """A call that is made once."""
        self._check_open()
        try:
            return await method(request, timeout=self.settings.deadline)
        except grpc.RpcError as failure:
            raise errors.decode(failure) from None

    async def compute(self, plan: Plan, progress: Progress | None,
                      stream: bool) -> Evaluation:
        settings = self.settings
        seconds = plan.options.deadline
        deadline = Deadline(settings.deadline if seconds is None else seconds)
        schedule = self._schedule(deadline)
        batch = Batch(plan, settings.max_message_bytes, settings.chunk_rows,
                      schedule, teller(progress), stream)
        if batch.in_one_call:
            try:
                reply = await self.read(
                    self._compute, batch.request(), deadline, schedule)
            except errors.ResourceExhausted as error:
                batch.shrink(error)
            else:
                evaluation = batch.take_whole(reply)
                if evaluation is not None:
                    return evaluation
        while not batch.complete:
            pause = await self._stream(batch, deadline)
            if pause:
                await asyncio.sleep(pause)
        return batch.evaluation()

    async def _stream(self, batch: Batch, deadline: Deadline) -> float:
        """Seconds to wait before the next one, where one is needed."""
        error = None
        self._check_open()
        call = self._evaluate(
            batch.stream_messages(), timeout=deadline.remaining())
        try:
            async for reply in call:
                batch.take(reply)
        except grpc.RpcError as failure:
            error = errors.decode(failure)
        except BaseException:
            call.cancel()
            raise
        if error is None and batch.complete:
            return 0.0
        return batch.next_try(error)

    def _check_open(self) -> None:
        """Raises Cancelled after close."""
        if self._closed:
            raise errors.make("CANCELLED", "the client is closed")

    def _schedule(self, deadline: Deadline) -> Schedule:
        return Schedule(deadline, self.settings.retry, self.settings.on_retry)

    async def close(self) -> None:
        self._closed = True
        await self.channel.close()


class Robot(Described):
    """As torqued.Robot, with functions to be awaited."""

    def __init__(self, client: Client, model: Model,
                 options: Options = Options()) -> None:
        """See `Client.model`, `Client.register` and `from_urdf`."""
        super().__init__(model, options)
        self._client = client
        self._owns_client = False

    @classmethod
    def from_urdf(cls, urdf: Urdf, client: Client | None = None, *,
                  name: str | None = None,
                  **words: Unpack[RegistrationWords]) -> Opening[Robot]:
        """As torqued.Robot.from_urdf."""
        return Opening(lambda: _from_urdf(urdf, client, name, words))

    @property
    def client(self) -> Client:
        return self._client

    def with_options(self, **words: Unpack[BoundWords]) -> Self:
        """The same robot, whose calls start from these options."""
        return self._bound(words)

    async def compute(
            self, quantities: Sequence[Quantity | str], q: JointInput | None,
            v: JointInput | None = None, a: JointInput | None = None,
            tau: JointInput | None = None, *, stream: bool = False,
            **words: Unpack[CallWords]) -> Evaluation:
        """As torqued.Robot.compute."""
        evaluation = await self._evaluate(
            quantities, {"q": q, "v": v, "a": a, "tau": tau}, words, stream)
        evaluation.raise_or_warn(
            self._on_bad_row(words) or "mask", stacklevel=2)
        return evaluation

    async def close(self) -> None:
        """Ends the local server that `from_urdf` started, if it did."""
        if self._owns_client:
            await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<torqued.aio.Robot {self.name}@{self.revision[:12]}>"

    # --- Quantities ----------------------------------------------------------

    async def inverse_dynamics(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.inverse_dynamics."""
        return await self._plain(
            Quantity.INVERSE_DYNAMICS, {"q": q, "v": v, "a": a}, words)

    async def mass_matrix(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.mass_matrix."""
        return await self._plain(Quantity.MASS_MATRIX, {"q": q}, words)

    async def forward_dynamics(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.forward_dynamics."""
        return await self._plain(
            Quantity.FORWARD_DYNAMICS, {"q": q, "v": v, "tau": tau}, words)

    async def bias_forces(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.bias_forces."""
        return await self._plain(Quantity.BIAS_FORCES, {"q": q, "v": v}, words)

    async def frame_pose(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.frame_pose."""
        return await self._plain(Quantity.FRAME_POSE, {"q": q}, words)

    async def jacobian(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.jacobian."""
        return await self._plain(Quantity.JACOBIAN, {"q": q}, words)

    async def jacobian_drift(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.jacobian_drift."""
        return await self._plain(
            Quantity.JACOBIAN_DRIFT, {"q": q, "v": v}, words)

    async def operational_space(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> OperationalSpace:
        """As torqued.Robot.operational_space."""
        return await self._plain(
            Quantity.OPERATIONAL_SPACE, {"q": q, "v": v}, words)

    async def gravity_forces(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.gravity_forces."""
        return await self._plain(Quantity.GRAVITY_FORCES, {"q": q}, words)

    async def coriolis_forces(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.coriolis_forces."""
        return await self._plain(
            Quantity.CORIOLIS_FORCES, {"q": q, "v": v}, words)

    async def coriolis_matrix(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.coriolis_matrix."""
        return await self._plain(
            Quantity.CORIOLIS_MATRIX, {"q": q, "v": v}, words)

    async def christoffel_symbols(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.christoffel_symbols."""
        return await self._plain(Quantity.CHRISTOFFEL_SYMBOLS, {"q": q}, words)

    async def mass_matrix_rate(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.mass_matrix_rate."""
        return await self._plain(
            Quantity.MASS_MATRIX_RATE, {"q": q, "v": v}, words)

    async def mass_matrix_inverse(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.mass_matrix_inverse."""
        return await self._plain(Quantity.MASS_MATRIX_INVERSE, {"q": q}, words)

    async def energy(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> Energy:
        """As torqued.Robot.energy."""
        return await self._plain(Quantity.ENERGY, {"q": q, "v": v}, words)

    async def center_of_mass(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> CenterOfMass:
        """As torqued.Robot.center_of_mass."""
        return await self._plain(
            Quantity.CENTER_OF_MASS, {"q": q, "v": v}, words)

    async def momentum(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.momentum."""
        return await self._plain(Quantity.MOMENTUM, {"q": q, "v": v}, words)

    async def momentum_matrix(
        self, q: JointInput, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.momentum_matrix."""
        return await self._plain(Quantity.MOMENTUM_MATRIX, {"q": q}, words)

    async def link_twists(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.link_twists."""
        return await self._plain(Quantity.LINK_TWISTS, {"q": q, "v": v}, words)

    async def link_accelerations(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.link_accelerations."""
        return await self._plain(
            Quantity.LINK_ACCELERATIONS, {"q": q, "v": v, "a": a}, words)

    async def frame_velocity(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.frame_velocity."""
        return await self._plain(
            Quantity.FRAME_VELOCITY, {"q": q, "v": v}, words)

    async def frame_acceleration(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FrameAcceleration:
        """As torqued.Robot.frame_acceleration."""
        return await self._plain(
            Quantity.FRAME_ACCELERATION, {"q": q, "v": v, "a": a}, words)

    async def jacobian_rate(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.jacobian_rate."""
        return await self._plain(
            Quantity.JACOBIAN_RATE, {"q": q, "v": v}, words)

    async def joint_wrenches(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.joint_wrenches."""
        return await self._plain(
            Quantity.JOINT_WRENCHES, {"q": q, "v": v, "a": a}, words)

    async def base_wrench(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.base_wrench."""
        return await self._plain(
            Quantity.BASE_WRENCH, {"q": q, "v": v, "a": a}, words)

    async def regressor(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.regressor."""
        return await self._plain(
            Quantity.REGRESSOR, {"q": q, "v": v, "a": a}, words)

    async def inverse_dynamics_derivatives(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> InverseDynamicsDerivatives:
        """As torqued.Robot.inverse_dynamics_derivatives."""
        return await self._plain(
            Quantity.INVERSE_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "a": a}, words)

    async def forward_dynamics_derivatives(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> ForwardDynamicsDerivatives:
        """As torqued.Robot.forward_dynamics_derivatives."""
        return await self._plain(
            Quantity.FORWARD_DYNAMICS_DERIVATIVES,
            {"q": q, "v": v, "tau": tau}, words)

    async def task_projection(
        self, q: JointInput, **words: Unpack[CallWords]) -> TaskProjection:
        """As torqued.Robot.task_projection."""
        return await self._plain(Quantity.TASK_PROJECTION, {"q": q}, words)

    async def forward_frame_acceleration(
        self, q: JointInput, v: JointInput | None, tau: JointInput | None,
        **words: Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.forward_frame_acceleration."""
        return await self._plain(
            Quantity.FORWARD_FRAME_ACCELERATION,
            {"q": q, "v": v, "tau": tau}, words)

    async def task_torque(
        self, q: JointInput, v: JointInput | None = None, **words:
        Unpack[CallWords]) -> FloatArray:
        """As torqued.Robot.task_torque."""
        return await self._plain(Quantity.TASK_TORQUE, {"q": q, "v": v}, words)

    async def power_balance(
        self, q: JointInput, v: JointInput | None = None, a: JointInput | None
        = None, **words: Unpack[CallWords]) -> PowerBalance:
        """As torqued.Robot.power_balance."""
        return await self._plain(
            Quantity.POWER_BALANCE, {"q": q, "v": v, "a": a}, words)

    # --- Below ---------------------------------------------------------------

    def _with(self, options: Options) -> Self:
        return type(self)(self._client, self.model, options)

    async def _plain(self, quantity: Quantity,
                     inputs: Mapping[str, JointInput | None],
                     words: CallWords) -> Any:
        evaluation = await self._evaluate([quantity], inputs, words, False)
        if evaluation.row_status:
            evaluation.raise_or_warn(self._on_bad_row(words), stacklevel=3)
        return plain_result(evaluation, quantity)

    async def _evaluate(self, quantities: Sequence[Quantity | str],
                        inputs: Mapping[str, JointInput | None],
                        words: CallWords, stream: bool) -> Evaluation:
        plan, progress = self._plan(quantities, inputs, words)
        return await self._client.connection.compute(plan, progress, stream)


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

    async def model(self, reference: str) -> Robot:
        """As torqued.Client.model."""
        return Robot(self, await self.describe(reference))

    async def describe(self, reference: str) -> Model:
        """As torqued.Client.describe."""
        reply = await self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(model=reference))
        return model_of(reply.model)

    async def source(self, reference: str) -> bytes:
        """As torqued.Client.source."""
        reply = await self.connection.read(
            self.connection.registry.GetModel,
            model_registry_pb2.GetModelRequest(
                model=reference, include_source=True))
        return bytes(reply.source)

    async def register(self, name: str, urdf: Urdf,
                       **words: Unpack[RegistrationWords]) -> Robot:
        """As torqued.Client.register."""
        reply = await self.connection.change(
            self.connection.registry.RegisterModel,
            register_request(name, urdf, words))
        return Robot(self, model_of(reply.model))

    async def validate(self, urdf: Urdf,
                       **words: Unpack[RegistrationWords]) -> Report:
        """As torqued.Client.validate."""
        return report_of(await self.connection.read(
            self.connection.registry.ValidateModel,
            validate_request(urdf, words)))

    async def models(self) -> list[ModelSummary]:
        """As torqued.Client.models."""
        request = model_registry_pb2.ListModelsRequest(page_size=1000)
        models: list[ModelSummary] = []
        while True:
            page = await self.connection.read(
                self.connection.registry.ListModels, request)
            models += map(summary_of, page.models)
            request.page_token = page.next_page_token
            if not request.page_token:
                return models

    async def delete(self, name: str, *,
                     expected_current: str | None = None) -> None:
        """As torqued.Client.delete."""
        request = model_registry_pb2.DeleteModelRequest(name=name)
        if expected_current is not None:
            request.expected_current = expected_current
        await self.connection.change(
            self.connection.registry.DeleteModel, request)

    async def server_info(self) -> ServerInfo:
        """As torqued.Client.server_info."""
        return info_of(await self.connection.read(
            self.connection.info.GetServerInfo,
            server_info_pb2.GetServerInfoRequest()))

    async def health(self) -> Health:
        """As torqued.Client.health."""
        return await self.connection.health()

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


class Opening(Generic[C]):
    """What is being opened: await it, or enter it with `async with`."""

    def __init__(self, open_: Callable[[], Awaitable[C]]) -> None:
        self._open = open_
        self._opened: C | None = None

    def __await__(self) -> Generator[Any, None, C]:
        return self._open().__await__()

    async def __aenter__(self) -> C:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, kind: type[BaseException] | None,
                        error: BaseException | None,
                        trace: TracebackType | None) -> None:
        if self._opened is not None:
            await self._opened.close()


def connect(address: str, **words: Unpack[ConnectWords]) -> Opening[Client]:
    """As torqued.connect."""
    return Opening(lambda: _connect(address, words))


def local(models: Iterable[str | os.PathLike[str]] = (), *,
          binary: str | os.PathLike[str] | None = None,
          store: str | os.PathLike[str] | None = None,
          arguments: Sequence[str] = (),
          **words: Unpack[ConnectWords]) -> Opening[Client]:
    """As torqued.local."""
    return Opening(lambda: _local(models, binary, store, arguments, words))


async def _connect(address: str, words: ConnectWords) -> Client:
    connection = Connection(Settings(address, **words))
    try:
        await connection.wait()
    except BaseException:
        await connection.close()
        raise
    return Client(connection)


async def _local(models: Iterable[str | os.PathLike[str]],
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


async def _from_urdf(urdf: Urdf, client: Client | None, name: str | None,
                     words: RegistrationWords) -> Robot:
    owned = client is None
    client = await local() if client is None else client
    try:
        robot = await client.register(name or name_of(urdf), urdf, **words)
    except BaseException:
        if owned:
            await client.close()
        raise
    robot._owns_client = owned
    return robot
