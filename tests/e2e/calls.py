"""Requests to the Dynamics service with numpy arrays, for the tests."""

import time
from types import SimpleNamespace

import numpy as np
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
from harness import F32, F64, array, matrices

# The quantities by their names without the prefix: ask.MASS_MATRIX.
ask = SimpleNamespace(**{
    name.removeprefix("QUANTITY_"): number
    for name, number in pb.Quantity.items()})
ALL_QUANTITIES = [
    ask.INVERSE_DYNAMICS, ask.MASS_MATRIX, ask.FORWARD_DYNAMICS,
    ask.BIAS_FORCES, ask.FRAME_POSE, ask.JACOBIAN, ask.JACOBIAN_DRIFT,
    ask.OPERATIONAL_SPACE]
RESULT_ARRAYS = (
    "tau", "mass_matrix", "a", "bias", "pose", "jacobian", "jacobian_drift",
    "lambda", "eta")
FRAMES = {
    "local": pb.REFERENCE_FRAME_LOCAL,
    "world_aligned": pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED,
    "world": pb.REFERENCE_FRAME_WORLD}


class States:
    """Random states of so many joints, always the same ones."""

    def __init__(self, joints, count, seed=7):
        random = np.random.default_rng(seed)
        self.q = random.uniform(-2.5, 2.5, (count, joints))
        self.v = random.uniform(-2, 2, (count, joints))
        self.a = random.uniform(-5, 5, (count, joints))
        self.tau = random.uniform(-20, 20, (count, joints))
        self.wrench = random.uniform(-10, 10, (count, 6))

    def rows(self, which):
        """The states that a slice or a list of rows selects."""
        part = States(0, 0)
        for name, numbers in vars(self).items():
            setattr(part, name, numbers[which])
        return part


def options(gravity=None, viscous=False, coulomb=False, **fields):
    return pb.Options(
        terms=pb.Terms(gravity=gravity or (), viscous_friction=viscous,
                       coulomb_friction=coulomb), **fields)


def tip_wrench(wrench, frame=pb.REFERENCE_FRAME_LOCAL, payload=F64):
    return pb.TipWrench(wrench=array(wrench, payload), reference_frame=frame)


def compute_request(model, quantities, payload=F64, **fields):
    for name in ("q", "v", "a", "tau"):
        if isinstance(fields.get(name), np.ndarray):
            fields[name] = array(fields[name], payload)
    return pb.ComputeRequest(model=model, quantities=quantities, **fields)


def compute(client, model, quantities, **fields):
    """Compute of rows that must all be OK."""
    reply = client.dynamics.Compute(
        compute_request(model, quantities, **fields))
    assert reply.rows_not_ok == 0, reply.row_status
    return reply


def everything_request(model, states, payload=F64, **choices):
    """All quantities, under a tip wrench, with singular values."""
    return compute_request(
        model, ALL_QUANTITIES, payload, q=states.q, v=states.v, a=states.a,
        tau=states.tau,
        tip_wrench_on_environment=tip_wrench(states.wrench, payload=payload),
        options=options(**choices),
        operational_space=pb.OperationalSpaceOptions(sigma_min=True))


def task_matrices(message):
    """Square matrices of the task: [state, row, column]."""
    m = round(np.sqrt(message.columns))
    assert m * m == message.columns
    return matrices(message, m)


def register(client, name, source, **fields):
    """Registers a URDF given as text; the reply."""
    return client.registry.RegisterModel(registry_pb.RegisterModelRequest(
        name=name, source=source.encode(), **fields))


def all_models(client):
    """Name -> summary, over all pages."""
    models, token = {}, ""
    while True:
        page = client.registry.ListModels(registry_pb.ListModelsRequest(
            page_size=1000, page_token=token))
        models.update((model.name, model) for model in page.models)
        token = page.next_page_token
        if not token:
            return models


LONG_JOINTS = 60


def register_long(client):
    """A robot whose states take long to compute, under the name "long"."""
    register(client, "long", robots.chain(LONG_JOINTS))


def laborious(rows):
    """So many states of "long", in small messages."""
    return compute_request(
        "long", [ask.OPERATIONAL_SPACE], F32, q=States(LONG_JOINTS, rows).q,
        operational_space=pb.OperationalSpaceOptions(
            axes=[pb.TASK_AXIS_LINEAR_Z], sigma_min=True))


def laborious_for(client, seconds):
    """As many states of "long" as take at least about so long when nothing
    else runs on the machine."""
    def elapsed(rows):
        began = time.monotonic()
        client.dynamics.Compute(laborious(rows))
        return time.monotonic() - began

    rows = 250
    while elapsed(rows) < 0.04:
        rows *= 2
    per_row = min(elapsed(rows) for _ in range(5)) / rows
    return laborious(min(int(seconds / per_row), 150_000))
