"""torqued/contract.py: what the Python client knows of the contract."""

import keyword
import re
import textwrap

from google.protobuf.descriptor import FieldDescriptor

PACKAGE_PREFIX = "torqued.v1."
# Messages whose content has forms of its own in Python.
NOT_VIEWED = ("Array", "Payload")

HEAD = '''"""Enums, quantities and functions of the contract, generated from its protos."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Awaitable, NamedTuple, Sequence, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from torqued.choice import Choice
from torqued.message import Message, Messages
from torqued.values import (
    BadRows, ExternalWrenches, FloatArray, JointInput, Path, Progress,
    QuantityRow, ResultRow)

if TYPE_CHECKING:
    from torqued.evaluation import Evaluation
    from torqued.limits import Limits
    from torqued.trajectory import Trajectory
    from torqued.verdict import TrajectoryVerdict as Verdict

R = TypeVar("R")
#: An option that `with_options` leaves as it is.
BOUND: Any = ...
'''
POSITIONAL = ("q", "v", "a", "tau")
# What the client itself understands: type, what it is.
OWN = {
    "bad_rows": ("BadRows | None", '"raise" (default): RowError for the first row '
                 'without an answer. "nan": such rows are NaN, `Evaluation.ok` tells '
                 "which."),
    "deadline": ("float | None", "Seconds for the whole call, retries included. None: "
                 "the client's."),
    "progress": ("Progress | None", "Called with (done, total), or a bar with "
                 "`update`, as tqdm makes them."),
}


def python_name(name):
    """`Lambda` for `lambda`, which is a word of the language."""
    return name.capitalize() if keyword.iskeyword(name) else name


def class_name(quantity):
    return "".join(word.capitalize() for word in quantity.split("_"))


SCALARS = {FieldDescriptor.TYPE_DOUBLE: "float", FieldDescriptor.TYPE_BOOL: "bool",
           FieldDescriptor.TYPE_STRING: "str", FieldDescriptor.TYPE_BYTES: "bytes"}


def class_lines(head, text, members):
    """A class with its docstring; members: (comment, line)."""
    paragraphs = ["\n    ".join(textwrap.wrap(" ".join(each.split()), 80))
                  for each in text.split("\n\n")]
    end = "\n    " if "\n" in text else ""
    yield f'\n\nclass {head}:\n    """' + "\n\n    ".join(paragraphs) + f'{end}"""'
    if members:
        yield ""
    for comment, line in members:
        for each in textwrap.wrap(" ".join(comment.split()), 81):
            yield f"    #: {each}"
        yield f"    {line}"


class Generator:
    def __init__(self, contract):
        self.contract = contract
        self.inputs = {field.name: field
                       for field in contract.message("EvaluateChunk").fields}
        start = contract.message("EvaluateStart").fields_by_name
        self.options = {}
        for fields in (
                contract.message("Options").fields, contract.message("Terms").fields,
                contract.message("OperationalSpaceOptions").fields,
                [start["tip_wrench_reference_frame"]]):
            self.options.update((field.name, field) for field in fields)
        # The client decides the encoding; places come with their wrenches.
        for name in ("encoding", "terms", "external_wrenches"):
            del self.options[name]

    # --- Types and descriptions of keywords ----------------------------------

    def type_of(self, name):
        if name in OWN:
            return OWN[name][0]
        if name == "external_wrenches_on_robot":
            return "ExternalWrenches | None"
        if name == "gravity":
            return "npt.ArrayLike | None"
        if name in self.inputs:
            shape = self.info(name).shape
            return ("JointInput" if shape in ("nq", "nv") else "npt.ArrayLike") + (
                " | None")
        return self.field_type(self.options[name]) + " | None"

    @staticmethod
    def field_type(field):
        if field.enum_type:
            one = f"{field.enum_type.name} | str"
        elif field.message_type:
            one = field.message_type.name
        else:
            one = SCALARS.get(field.type, "int")
        if field.label == field.LABEL_REPEATED:
            return f"Sequence[{one}]"
        return one

    def info(self, name):
        return self.contract.info(self.inputs[name], "table_info")

    def describe(self, name):
        if name in OWN:
            return OWN[name][1]
        if name == "gravity":
            return ("(3,) or one row for each state, base axes, m/s^2. Absent: the "
                    "model's.")
        if name == "external_wrenches_on_robot":
            return (self.contract.comment(self.inputs[name]).split(" at each of")[0]
                    + ": a dict from link names to wrenches in LOCAL axes, or a list "
                    "of `ExternalWrench`. N m, N. Absent: zeros.")
        if name in self.inputs:
            info = self.info(name)
            parts = [f"(..., {info.shape.replace(' ', ', ')})", info.unit,
                     self.contract.comment(self.inputs[name])]
            return ", ".join(parts[:2]) + ". " + parts[2]
        field = self.options[name]
        return self.contract.comment(field) or self.contract.comment(
            field.enum_type or field.message_type)

    # --- Sections of the module ----------------------------------------------

    def enum(self, enum):
        yield from class_lines(
            f"{enum.name}(Choice)",
            self.contract.comment(enum) or f"{enum.name} of the contract.",
            [(self.contract.comment(value), f"{short_name(value)} = {value.number}")
             for value in enum.values if value.number])

    def result_types(self):
        """The attributes of an Evaluation, and a tuple for each quantity that has
        several results."""
        def members(results, absent=" | None"):
            return [(self.result_text(field, info),
                     f"{python_name(field.name)}: {self.result_type(field)}"
                     + (absent if field.name == "sigma_min" else ""))
                    for field, info in results]

        everything = [each for _, _, results in self.contract.quantities()
                      for each in results]
        yield from class_lines(
            "Results", "The results of an evaluation, those that were asked for.",
            members(everything, ""))
        for value, _, results in self.contract.quantities():
            if len(results) > 1:
                yield from class_lines(f"{class_name(short_name(value))}(NamedTuple)",
                                       self.contract.comment(value), members(results))

    @staticmethod
    def result_type(field):
        if field.message_type or field.type == field.TYPE_DOUBLE:
            return "FloatArray"
        return "npt.NDArray[np.int64]"

    def result_text(self, field, info):
        shape = self.shape(info)
        text = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
        return (text + (f", {info.unit}" if info.unit else "") + f": {info.symbol}")

    @staticmethod
    def shape(info):
        return [int(word) if word.isdigit() else word for word in info.shape.split()]

    def table(self):
        yield "\n\n#: What there is of each quantity."
        yield "QUANTITIES: dict[Quantity, QuantityRow] = {"
        for value, info, results in self.contract.quantities():
            name = short_name(value)
            returns = class_name(name) if len(results) > 1 else "None"
            yield f"    Quantity.{name}: QuantityRow("
            yield f"        {tuple((info.needs + ' ' + info.uses).split())!r}, {returns}, ("
            for field, table in results:
                yield (f"            ResultRow({field.name!r}, "
                       f"{python_name(field.name)!r}, {tuple(self.shape(table))!r}, "
                       f"{bool(field.message_type)}),")
            yield "        )),"
        yield "}"

    def words_of(self, info):
        words = (info.needs + " " + info.uses).split()
        keywords = []
        for word in words:
            keywords += self.contract.read_with(word) or (
                [word] if word not in POSITIONAL else [])
        keywords += [name for name in self.contract.read_with("all")
                     if name != "fail_fast"]
        return list(dict.fromkeys(keywords))

    def function(self, value, info, results, awaited):
        name = short_name(value).lower()
        words = (info.needs + " " + info.uses).split()
        needs = info.needs.split()
        tables = [table for table in POSITIONAL if table in words]
        last = max(tables.index(table) for table in tables if table in needs)
        keywords = self.words_of(info)
        if name == "operational_space":
            keywords.append("sigma_min")
        keywords += OWN
        signature = ["self"]
        for k, table in enumerate(tables):
            optional = "" if table in needs else " | None"
            signature.append(f"{table}: JointInput{optional}"
                             + ("" if k <= last else " = None"))
        signature.append("*")
        signature += [f"{word}: {self.type_of(word)} = None" for word in keywords]
        returned = (class_name(short_name(value)) if len(results) > 1 else "FloatArray")
        text = self.contract.comment(value)
        if info.max_dof:
            text += f" Models of at most {info.max_dof} degrees of freedom."
        parameters = [(table, self.describe(table)) for table in tables]
        parameters += [(word, self.describe(word)) for word in keywords]
        yield from self.definition(
            name, signature, returned, awaited, text, parameters,
            [(python_name(field.name), self.result_text(field, table)
              + (f", in the {table.frame} frame" if table.frame else ""))
             for field, table in results],
            info.source, f"self._one(Quantity.{short_name(value)}, locals())")

    @staticmethod
    def definition(name, signature, returned, awaited, text, parameters, results,
                   source, call):
        returned = f"Awaitable[{returned}]" if awaited else returned
        yield f"\n    def {name}("
        line = ""
        for part in signature:
            part += ", "
            if line and len(line + part) > 79:
                yield "        " + line.rstrip()
                line = ""
            line += part
        yield f"        {line.rstrip(', ')}"
        if awaited:
            yield f"    ) -> {returned}: ..."
            return
        yield f"    ) -> {returned}:"
        doc = ['"""' + textwrap.fill(" ".join(text.split()), 77),
               "", "Parameters", "----------"]
        for word, described in parameters:
            described = " ".join(described.split())
            doc.append(f"{word}")
            doc += ["    " + each for each in textwrap.wrap(described, 74)]
        if results:
            doc += ["", "Returns", "-------"]
            doc += [f"{word} : {described}" for word, described in results]
        if source:
            doc += ["", "References", "----------", source]
        doc.append('"""')
        yield textwrap.indent("\n".join(doc), " " * 8)
        yield f"        return {call}"

    def functions(self, awaited):
        yield f"class {'Awaited' if awaited else ''}Functions:"
        yield '    """A function for each quantity, and what takes several."""\n'
        if not awaited:
            yield ("    _one: Any\n    _several: Any\n    _checked: Any\n"
                   "    _bind: Any")
        everything = [name for name in self.inputs if name not in POSITIONAL]
        everything += [name for name in self.options if name not in everything]
        yield from self.definition(
            "compute",
            ["self", "quantities: Sequence[Quantity | str]", "q: JointInput | None = None",
             *(f"{name}: JointInput | None = None" for name in POSITIONAL[1:]), "*",
             *(f"{name}: {self.type_of(name)} = None" for name in [*everything, *OWN])],
            "Evaluation", awaited,
            "Several quantities of the same states in one round trip. Each quantity is "
            "given once. Reads what its quantities read.",
            [(name, self.describe(name)) for name in [*POSITIONAL, *everything, *OWN]],
            [], "", "self._several(quantities, locals())")
        yield from self.check_trajectory(awaited)
        options = [*self.options, "bad_rows", "deadline"]
        if not awaited:
            yield from self.definition(
                "with_options",
                ["self: R", "*", *(f"{name}: {self.type_of(name)} = BOUND"
                                   for name in options)],
                "R", False,
                "The same robot, whose calls start from these options. None: the "
                "default again.",
                [(name, self.describe(name)) for name in options], [], "",
                "self._bind(locals())  # type: ignore[attr-defined]")
        for value, info, results in self.contract.quantities():
            yield from self.function(value, info, results, awaited)

    def check_fields(self):
        """Fields of the start of a check that are keywords as they are."""
        return [field.name for field in self.contract.message("CheckTrajectoryStart").fields
                if field.name == "tables" or not field.message_type
                and field.name not in ("model", *self.options)]

    def check_trajectory(self, awaited):
        start = self.contract.message("CheckTrajectoryStart").fields_by_name
        words = [(name, self.field_type(start[name]) + " | None",
                  self.contract.comment(start[name])) for name in self.check_fields()]
        words += [
            ("limits", "Limits | None", "Limits, torque-speed curves, friction and rotor "
             "inertia of joints in the place of the model's: {\"drives\": [...], "
             "\"position_limits\": [...]}, lists of `Drive` and `PositionLimits` of the "
             "contract as dicts, or a JSON file of the same."),
            ("task", "bool", "Look at the operational space of the tip along the path, "
             "too; `axes` and other options say which."),
            ("tip_wrench_on_environment", "npt.ArrayLike | Path | None",
             self.describe("tip_wrench_on_environment") + " Or a .csv or .npy file with "
             "time, mx, my, mz, fx, fy, fz, with straight lines between its rows.")]
        words += [(name, self.type_of(name), self.describe(name))
                  for name in [*self.options, "deadline", "progress"]
                  if name != "fail_fast"]
        yield from self.definition(
            "check_trajectory",
            ["self", "trajectory: Trajectory | Path", "*",
             *(f"{name}: {kind} = {'False' if kind == 'bool' else 'None'}"
               for name, kind, _ in words)],
            "Verdict", awaited,
            "Whether the robot keeps its limits along a trajectory, where it does not, "
            "and by how much; see docs/trajectory.md.",
            [("trajectory", "Or a file, see `Trajectory.read`. Columns with names are "
              "put into the robot's order; joints that the robot does not move are left "
              "out, with a LeftOutWarning."),
             *((name, text) for name, _, text in words)], [], "",
            "self._checked(locals())")

    def payload(self):
        """A request's message that a caller makes: a dict of its fields."""
        message = self.contract.message("Payload")
        self.public.append(message.name)
        yield from class_lines(
            f"{message.name}(TypedDict, total=False)", self.contract.comment(message),
            [(self.contract.comment(field), f"{field.name}: {self.field_type(field)}")
             for field in message.fields])

    def messages(self):
        """A typed view of every message that a reply may hold."""
        names = self.contract.reached_from(
            ("ModelInfo", "ModelSummary", "ValidateModelReply", "GetServerInfoReply",
             "RowStatus", "TrajectoryVerdict"), NOT_VIEWED)
        for name in names:
            message = self.contract.message(name)
            yield from class_lines(
                f"{name}(Message)",
                self.contract.comment(message) or f"{name} of the contract.",
                [(self.contract.comment(field),
                  f"{python_name(field.name)}: {self.viewed_type(field)}")
                 for field in message.fields])
        self.public += names
        yield "\n\nMESSAGES = {"
        for name in names:
            yield f"    {PACKAGE_PREFIX + name!r}: {name},"
        yield "}"

    def viewed_type(self, field):
        repeated = field.label == field.LABEL_REPEATED
        if field.message_type:
            one = {"Timestamp": "datetime.datetime", "Duration": "float",
                   "Array": "FloatArray", "Payload": "Message"}.get(
                       field.message_type.name, field.message_type.name)
            return f"Messages[{one}]" if repeated else f"{one} | None"
        if field.enum_type:
            one = field.enum_type.name
            return f"tuple[{one}, ...]" if repeated else f"{one} | None"
        one = SCALARS.get(field.type, "int")
        if repeated:
            return "FloatArray" if one == "float" else f"tuple[{one}, ...]"
        optional = field.containing_oneof and not self.contract.absent(field)
        return one + (" | None" if optional else "")

    def call_words(self):
        """Every option and every input by keyword."""
        yield "\n\n#: What `with_options` binds."
        yield f"OPTIONS = {tuple(self.options) + ('bad_rows', 'deadline')!r}"
        yield f"\n#: What the start of a check has beside these.\nCHECK_FIELDS = {self.check_fields()!r}"
        yield "\n#: Inputs that travel with the states, and their shapes."
        yield "INPUTS = {"
        for name in self.inputs:
            yield f"    {name!r}: {tuple(self.shape(self.info(name)))!r},"
        yield "}"

    def module(self):
        self.public = [enum.name for enum in self.contract.enums]
        self.public += [class_name(short_name(value))
                        for value, _, results in self.contract.quantities()
                        if len(results) > 1]
        yield HEAD.rstrip()
        for enum in self.contract.enums:
            yield from self.enum(enum)
        yield from self.payload()
        yield from self.result_types()
        yield from self.table()
        yield from self.call_words()
        yield from self.messages()
        yield "\n"
        yield from self.functions(False)
        yield "\n\nif TYPE_CHECKING:"
        yield textwrap.indent("\n".join(self.functions(True)), "    ")
        yield "else:\n    AwaitedFunctions = Functions"
        yield f"\n__all__ = {sorted(set(self.public) - {'TrajectoryVerdict'})!r}"


def short_name(value):
    """RED for COLOR_RED of the enum Color."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", value.type.name).upper() + "_"
    return value.name[len(prefix):] if value.name.startswith(prefix) else value.name


def generate(contract):
    yield "torqued/contract.py", "\n".join(Generator(contract).module()) + "\n"
