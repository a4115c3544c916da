"""One question, asked in several ways that must have the same answer in every
bit: as one call, as a stream of odd chunks, in another encoding, and with the
joints in another order."""

import dataclasses

import numpy as np
from torqued.v1 import dynamics_pb2 as pb
from torqued.v1 import model_registry_pb2 as registry_pb

import robots
import streams
from calls import RESULT_AXES, States, numbers, options, register
from harness import F64, VALUES, array, failure_of, same_bits, table

GRAVITY = (0.7, -1.3, -9.5)  # not along an axis
WEIGHTLESS = (0.0, 0.0, 0.0)
LOCAL = pb.REFERENCE_FRAME_LOCAL
ALIGNED = pb.REFERENCE_FRAME_LOCAL_WORLD_ALIGNED
WORLD = pb.REFERENCE_FRAME_WORLD
JOINT_INPUTS = ("q", "v", "a", "tau", "null_space_torque")
INPUTS = (*JOINT_INPUTS, "tip_wrench_on_environment", "base_twist",
          "base_acceleration", "external_wrenches_on_robot",
          "task_acceleration")
CHUNKS = [1, 3, 5, 2, 61]
# The robots of which laws are asked and their tips, the only one being "".
TIPS = {"ur5e": "", "panda": "", "crane": "hook"}


def place(frame="", reference=LOCAL):
    """Where an external wrench acts."""
    return pb.WrenchPlace(frame=frame, reference_frame=reference)


@dataclasses.dataclass
class Question:
    """Some states of a model and what is asked of them; the inputs are tables
    by their names."""

    model: str
    quantities: tuple
    inputs: dict
    choice: pb.Options
    axes: tuple = ()
    wrench_frame: int = LOCAL
    damping: float = 0

    @property
    def task(self):
        damped = {"singularity": pb.SINGULARITY_RULE_DAMPED,
                  "damping": self.damping}
        return pb.OperationalSpaceOptions(
            axes=self.axes, **damped if self.damping else {})

    def request(self, payload=F64):
        arrays = {name: array(rows, payload)
                  for name, rows in self.inputs.items()}
        wrench = arrays.pop("tip_wrench_on_environment", None)
        if wrench is not None:
            arrays["tip_wrench_on_environment"] = pb.TipWrench(
                wrench=wrench, reference_frame=self.wrench_frame)
        return pb.ComputeRequest(
            model=self.model, quantities=self.quantities, options=self.choice,
            operational_space=self.task, **arrays)

    def messages(self, sizes=(1 << 30,), payload=F64):
        """The same as a stream."""
        yield streams.start(
            self.model, self.quantities, options=self.choice,
            operational_space=self.task,
            tip_wrench_reference_frame=self.wrench_frame)
        count = max(len(rows) for rows in self.inputs.values())
        first, sizes = 0, list(sizes)
        while first < count:
            last = first + (sizes.pop(0) if len(sizes) > 1 else sizes[0])
            yield streams.chunk(payload, **{
                name: rows if len(rows) == 1 else rows[first:last]
                for name, rows in self.inputs.items()})
            first = last

    def permuted(self, names, order):
        """With the joints of these names in this order."""
        choice = pb.Options()
        choice.CopyFrom(self.choice)
        choice.joint_names.extend(names[i] for i in order)
        return dataclasses.replace(self, choice=choice, inputs={
            name: rows[:, order] if name in JOINT_INPUTS else rows
            for name, rows in self.inputs.items()})


@dataclasses.dataclass
class Robot:
    """A robot on the server and states of it."""

    client: object
    info: object
    source: str
    s: States
    tip: str

    @classmethod
    def of(cls, client, name, rows, tip=""):
        reply = client.registry.GetModel(registry_pb.GetModelRequest(
            model=name, include_source=True))
        return cls(client, reply.model, reply.source.decode(),
                   States(reply.model.nv, rows), tip)

    @classmethod
    def example(cls, client, name, rows):
        """One of those in TIPS; the server brings along all but the crane."""
        if name == "crane":
            register(client, name, robots.crane())
        return cls.of(client, name, rows, TIPS[name])

    @property
    def name(self):
        return self.info.name

    @property
    def n(self):
        return self.info.nv

    @property
    def joints(self):
        return [joint.name for joint in self.info.joints]

    def question(self, *quantities, axes=(), wrench_frame=LOCAL, damping=0,
                 places=(), **given):
        """Of these states where no others are given; None takes an input away,
        and what is no input is an option."""
        inputs = {name: getattr(self.s, name)
                  for name in ("q", "v", "a", "tau")}
        inputs |= {name: given.pop(name) for name in INPUTS if name in given}
        # `gravity` is that of the terms.
        if "state_gravity" in given:
            inputs["gravity"] = given.pop("state_gravity")
        inputs = {name: np.atleast_2d(rows) for name, rows in inputs.items()
                  if rows is not None}
        given.setdefault("tip_frame", self.tip)
        given.setdefault("gravity", GRAVITY)
        return Question(self.name, quantities, inputs,
                        options(external_wrenches=places, **given), axes,
                        wrench_frame, damping)

    def ask(self, *quantities, singular=False, **given):
        """Numbers of quantities of rows that must all be OK, or all have a
        singular task, asked in all ways."""
        question = self.question(*quantities, **given)
        axes = len(question.axes) or 6

        def call(asked, payload=F64):
            reply = self.client.dynamics.Compute(asked.request(payload))
            assert reply.rows_not_ok == singular * reply.rows, reply.row_status
            assert {status.code for status in reply.row_status} <= {
                pb.ROW_CODE_SINGULAR_TASK_SPACE}
            return reply.results

        results = call(question)
        answer = numbers(results, self.n, axes)
        parts = streams.joined(streams.evaluate(
            self.client, *question.messages(CHUNKS)))
        plain = call(question, VALUES)
        order = np.random.default_rng(11).permutation(self.n)
        other = numbers(call(question.permuted(self.joints, order)), self.n,
                        axes)
        for name, rows in vars(answer).items():
            flat = table(getattr(results, name))
            assert same_bits(parts[name], flat), name
            assert same_bits(table(getattr(plain, name)), flat), name
            for axis, size in enumerate(RESULT_AXES[name], start=1):
                if size == "n":
                    rows = rows.take(order, axis=axis)
            assert same_bits(getattr(other, name), rows), name
        return answer


def check_refusal(robot, question, reason, field):
    """Refused by Compute and, at the same place, by Evaluate."""
    failure = failure_of(robot.client.dynamics.Compute, question.request())
    assert (failure.reason, failure.fields) == (reason, [field]), failure
    assert failure.violations[0][1]
    replies, streamed = streams.failed(robot.client, *question.messages())
    assert replies == []
    of_start = field.startswith("options.")
    assert (streamed.code, streamed.reason) == (failure.code, reason)
    assert streamed.fields == [("start." if of_start else "chunk.") + field]
    assert streamed.violations[0][1] == failure.violations[0][1]
    assert ("chunk" in streamed.metadata) == (not of_start)
    return failure
