"""Requests to the Dynamics service with numpy arrays, for the tests."""

import time
from types import SimpleNamespace

import numpy as np
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
from harness import F32, F64, array

# The quantities by their names without the prefix: ask.MASS_MATRIX.
ask = SimpleNamespace(**{
    name.removeprefix("QUANTITY_"): number
    for name, number in pb.Quantity.items()})
ALL_QUANTITIES = [
    number for number in pb.Quantity.values()
    if number != pb.QUANTITY_UNSPECIFIED]
RESULT_ARRAYS = tuple(
    field.name for field in pb.Results.DESCRIPTOR.fields
    if field.message_type is not None)


class States:
    """Random states of so many joints, always the same ones."""

    def __init__(self, joints, count, seed=7):
        random = np.random.default_rng(seed)
        self.q = random.uniform(-2.5, 2.5, (count, joints))
        self.v = random.uniform(-2, 2, (count, joints))
        self.a = random.uniform(-5, 5, (count, joints))
        self.tau = random.uniform(-20, 20, (count, joints))
        self.wrench = random.uniform(-10, 10, (count, 6))
        self.task_acceleration = random.uniform(-5, 5, (count, 6))
        self.null_space_torque = random.uniform(-20, 20, (count, joints))

    def rows(self, which):
        """The states that a slice or a list of rows selects."""
        part = States(0, 0)
        for name, numbers in vars(self).items():
            setattr(part, name, numbers[which])
        return part


def options(gravity=None, viscous=False, coulomb=False, smoothing=0, **fields):
    return pb.Options(
        terms=pb.Terms(
            gravity=gravity or (), viscous_friction=viscous,
            coulomb_friction=coulomb, coulomb_smoothing=smoothing), **fields)


def tip_wrench(wrench, frame=pb.REFERENCE_FRAME_LOCAL, payload=F64):
    return pb.TipWrench(wrench=array(wrench, payload), reference_frame=frame)


def compute_request(model, quantities, payload=F64, **fields):
    for name, numbers_of in fields.items():
        if isinstance(numbers_of, np.ndarray):
            fields[name] = array(numbers_of, payload)
    return pb.ComputeRequest(model=model, quantities=quantities, **fields)


def compute(client, model, quantities, **fields):
    """Compute of rows that must all be OK."""
    reply = client.dynamics.Compute(
        compute_request(model, quantities, **fields))
    assert reply.rows_not_ok == 0, reply.row_status
    return reply


def everything_request(model, states, payload=F64, **choices):
    """All quantities, under a tip wrench, for a wanted acceleration of the tip,
    with singular values."""
    return compute_request(
        model, ALL_QUANTITIES, payload, q=states.q, v=states.v, a=states.a,
        tau=states.tau, task_acceleration=states.task_acceleration,
        null_space_torque=states.null_space_torque,
        tip_wrench_on_environment=tip_wrench(states.wrench, payload=payload),
        options=options(**choices),
        operational_space=pb.OperationalSpaceOptions(sigma_min=True))


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


LONG_JOINTS = 90


def register_long(client):
    """A robot whose states take long to compute, under the name "long"."""
    register(client, "long", robots.chain(LONG_JOINTS))


def laborious(rows):
    """So many states of "long", in small messages."""
    return compute_request(
        "long", [ask.OPERATIONAL_SPACE], F32, q=States(LONG_JOINTS, rows).q,
        operational_space=pb.OperationalSpaceOptions(
            axes=[pb.TASK_AXIS_LINEAR_Z], sigma_min=True))


def laborious_for(client, seconds, clock=time.monotonic):
    """As many states of "long" as take at least about so long when nothing
    else runs on the machine; whatever runs by the clock of the server's CPU
    time."""
    def elapsed(rows):
        began = clock()
        client.dynamics.Compute(laborious(rows))
        return clock() - began

    rows = 250
    while elapsed(rows) < 0.04:
        rows *= 2
    per_row = min(elapsed(rows) for _ in range(5)) / rows
    fit = 16_000_000 // (4 * LONG_JOINTS)  # into a message
    return laborious(min(int(seconds / per_row), fit))
