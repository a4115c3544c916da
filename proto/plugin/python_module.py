"""torqued/contract.py: what the Python client knows of the contract."""

import keyword
import re
import textwrap

# Messages whose content has forms of its own in Python.
NOT_VIEWED = ("Array", "Payload")

HEAD = '''"""Enums, quantities and functions of the contract, generated from its protos."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Awaitable, NamedTuple, Sequence, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from torqued.message import Choice, Message, Messages
from torqued.values import (
    BadRows, ExternalWrenches, FloatArray, JointInput, Path, Progress)

if TYPE_CHECKING:
    from torqued.evaluation import Evaluation
    from torqued.check import Limits
    from torqued.trajectory import Trajectory
    from torqued.verdict import TrajectoryVerdict as Verdict

R = TypeVar("R")
#: An option that `with_options` leaves as it is.
BOUND: Any = ...'''
POSITIONAL = ("q", "v", "a", "tau")
# What the client itself understands, and what has another form in Python: type, what
# it is.
OWN = {
    "bad_rows": ("BadRows", '"raise" (default): RowError for the first row without an '
                 'answer. "nan": such rows are NaN, `Evaluation.ok` tells which.'),
    "deadline": ("float", "Seconds for the whole call, retries included. None: the "
                 "client's."),
    "progress": ("Progress", "Called with (done, total), or a bar with `update`, as "
                 "tqdm makes them."),
}
FORMS = {
    **OWN,
    "gravity": ("npt.ArrayLike", "(3,) or one row for each state, base axes, m/s^2. "
                "Absent: the model's."),
    "external_wrenches_on_robot": (
        "ExternalWrenches", "(moment; force) that acts ON THE ROBOT: a dict from link "
        "names to wrenches in LOCAL axes, or a list of `ExternalWrench`. N m, N. Absent: "
        "zeros."),
}


def python_name(name):
    """`Lambda` for `lambda`, which is a word of the language."""
    return name.capitalize() if keyword.iskeyword(name) else name


def short_name(value):
    """RED for COLOR_RED of the enum Color."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", value.type.name).upper() + "_"
    return value.name[len(prefix):] if value.name.startswith(prefix) else value.name


def class_name(quantity):
    return short_name(quantity).title().replace("_", "")


def scalar(field):
    return {field.TYPE_DOUBLE: "float", field.TYPE_BOOL: "bool",
            field.TYPE_STRING: "str", field.TYPE_BYTES: "bytes"}.get(field.type, "int")


def class_lines(head, text, members):
    """A class with its docstring; members: (comment, line)."""
    doc = "\n\n".join(textwrap.fill(each, 80) for each in text.split("\n\n"))
    if members:
        doc += "\n\nAttributes\n----------\n" + "\n".join(
            re.sub(" = .*", "", line).replace(": ", " : ") + "\n"
            + textwrap.indent(textwrap.fill(comment, 76), "    ")
            for comment, line in members)
    doc += "\n" if "\n" in doc else ""
    yield f"\n\nclass {head}:"
    yield textwrap.indent(f'"""{doc}"""', "    ")
    yield from (f"    {line}" for _, line in members)


def function(name, parameters, returned, text, call, results=(), source=""):
    """A method with its docstring; parameters: (declaration, what it is)."""
    yield f"\n    def {name}("
    yield ",\n".join(f"        {declaration}" for declaration, _ in parameters)
    yield f"    ) -> {returned}:"
    doc = ['"""' + textwrap.fill(text, 77), "", "Parameters", "----------"]
    for declaration, described in parameters:
        if described:
            doc += [declaration.split(":")[0],
                    textwrap.indent(textwrap.fill(described, 74), "    ")]
    if results:
        doc += ["", "Returns", "-------", *map(" : ".join, results)]
    if source:
        doc += ["", "References", "----------", source]
    yield textwrap.indent("\n".join([*doc, '"""', f"return {call}"]), " " * 8)


class Generator:
    def __init__(self, contract):
        self.contract = contract
        self.inputs = {field.name: field
                       for field in contract.message("EvaluateChunk").fields}
        # The client decides the encoding; places come with their wrenches.
        self.options = {field.name: field for field in contract.options()
                        if field.name not in ("encoding", "external_wrenches")}

    # --- Types and descriptions of keywords ----------------------------------

    @staticmethod
    def field_type(field):
        if field.enum_type:
            one = f"{field.enum_type.name} | str"
        else:
            one = field.message_type.name if field.message_type else scalar(field)
        return f"Sequence[{one}]" if field.label == field.LABEL_REPEATED else one

    def word(self, name, default="None"):
        """Declaration and description of a keyword."""
        if name in FORMS:
            kind, text = FORMS[name]
        elif name in self.inputs:
            info = self.contract.info(self.inputs[name], "table_info")
            kind = "JointInput" if info.shape in ("nq", "nv") else "npt.ArrayLike"
            text = (f"({', '.join(['...', *info.shape.split(' ')])}), {info.unit}. "
                    + self.contract.comment(self.inputs[name]))
        else:
            kind = self.field_type(self.options[name])
            text = self.contract.described(self.options[name])
        return f"{name}: {kind} | None = {default}", text

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
            return [(self.result_text(info),
                     f"{python_name(field.name)}: {self.result_type(field)}"
                     + (absent if field.name == "sigma_min" else ""))
                    for field, info in results]

        yield from class_lines(
            "Results", "The results of an evaluation, those that were asked for.",
            [each for _, _, results in self.contract.quantities()
             for each in members(results, "")])
        for value, _, results in self.contract.quantities():
            if len(results) > 1:
                yield from class_lines(f"{class_name(value)}(NamedTuple)",
                                       self.contract.comment(value), members(results))

    @staticmethod
    def result_type(field):
        if field.message_type or field.type == field.TYPE_DOUBLE:
            return "FloatArray"
        return "npt.NDArray[np.int64]"

    @staticmethod
    def result_text(info):
        words = info.shape.split()
        text = f"({', '.join(words)}{',' if len(words) == 1 else ''})"
        return text + (f", {info.unit}" if info.unit else "") + f": {info.symbol}."

    def keywords_of(self, words):
        keywords = []
        for word in words:
            keywords += self.contract.read_with(word) or (
                [word] if word not in POSITIONAL else [])
        keywords += [name for name in self.contract.read_with("all")
                     if name != "fail_fast"]
        return list(dict.fromkeys(keywords))

    def quantity(self, value, info, results):
        name = short_name(value).lower()
        needs, uses = info.needs.split(), info.uses.split()
        tables = [table for table in POSITIONAL if table in needs + uses]
        last = max(tables.index(table) for table in tables if table in needs)
        parameters = [("self", "")]
        for k, table in enumerate(tables):
            declaration, text = self.word(table)
            if table in needs:
                declaration = declaration.replace(" | None", "")
            if k <= last:
                declaration = declaration.replace(" = None", "")
            parameters.append((declaration, text))
        keywords = self.keywords_of(needs + uses)
        if name == "operational_space":
            keywords.append("sigma_min")
        text = self.contract.comment(value)
        if info.max_dof:
            text += f" Models of at most {info.max_dof} degrees of freedom."
        return function(
            name, [*parameters, ("*", ""), *map(self.word, [*keywords, *OWN])],
            class_name(value) if len(results) > 1 else "FloatArray", text,
            f"self._one(Quantity.{short_name(value)}, locals())",
            [(python_name(field.name), self.result_text(table).rstrip(".")
              + (f", in the {table.frame} frame" if table.frame else ""))
             for field, table in results], info.source)

    def functions(self):
        yield "class Functions:"
        yield '    """A function for each quantity, and what takes several."""\n'
        yield "    _one: Any\n    _several: Any\n    _checked: Any\n    _bind: Any"
        keywords = [name for name in dict.fromkeys([*self.inputs, *self.options])
                    if name not in POSITIONAL]
        yield from function(
            "compute",
            [("self", ""), ("quantities: Sequence[Quantity | str]", ""),
             *map(self.word, POSITIONAL), ("*", ""),
             *map(self.word, [*keywords, *OWN])], "Evaluation",
            "Several quantities of the same states in one round trip. Each quantity is "
            "given once. Reads what its quantities read.",
            "self._several(quantities, locals())")
        yield from self.check_trajectory()
        yield from function(
            "with_options",
            [("self: R", ""), ("*", ""),
             *(self.word(name, "BOUND") for name in [*self.options, "bad_rows", "deadline"])],
            "R",
            "The same robot, whose calls start from these options. None: the default "
            "again.", "self._bind(locals())  # type: ignore[attr-defined]")
        for row in self.contract.quantities():
            yield from self.quantity(*row)

    def check_trajectory(self):
        words = [(f"{field.name}: {self.field_type(field)} | None = None",
                  self.contract.described(field))
                 for field in self.contract.message("CheckTrajectoryStart").fields
                 if not field.message_type and field.name not in ("model", *self.options)]
        words += [
            ("limits: Limits | None = None", "Limits, torque-speed curves, friction and "
             "rotor inertia of joints instead of the model's: {\"drives\": [...], "
             "\"position_limits\": [...]}, lists of `Drive` and `PositionLimits` of the "
             "contract as dicts, or a JSON file of the same."),
            ("task: bool = False", "Report the operational space of the tip along the "
             "path, as `axes` and other options describe it."),
            ("tip_wrench_on_environment: npt.ArrayLike | Path | None = None",
             self.word("tip_wrench_on_environment")[1] + " Or a .csv or .npy file with "
             "time, mx, my, mz, fx, fy, fz, with straight lines between its rows.")]
        words += map(self.word, [*(name for name in self.options if name != "fail_fast"),
                                 "deadline", "progress"])
        return function(
            "check_trajectory",
            [("self", ""), ("trajectory: Trajectory | Path", "Or a file, see "
              "`Trajectory.read`. Columns with names are put into the robot's order; "
              "joints that the robot does not move are left out, with a "
              "LeftOutWarning."), ("*", ""), *words], "Verdict",
            "Whether the robot keeps its limits along a trajectory, where it does not, "
            "and by how much; see docs/trajectories.md.", "self._checked(locals())")

    def payload(self):
        """A request's message that a caller makes: a dict of its fields."""
        message = self.contract.message("Payload")
        return class_lines(
            f"{message.name}(TypedDict, total=False)", self.contract.comment(message),
            [(self.contract.described(field), f"{field.name}: {self.field_type(field)}")
             for field in message.fields])

    def messages(self, names):
        """A typed view of every message that a reply may hold."""
        for name in names:
            message = self.contract.message(name)
            yield from class_lines(
                f"{name}(Message)",
                self.contract.comment(message) or f"{name} of the contract.",
                [(self.contract.described(field),
                  f"{python_name(field.name)}: {self.viewed_type(field)}")
                 for field in message.fields])

    def viewed_type(self, field):
        repeated = field.label == field.LABEL_REPEATED
        kind = field.message_type or field.enum_type
        one = kind.name if kind else scalar(field)
        one = {"Timestamp": "datetime.datetime", "Duration": "float",
               "Array": "FloatArray", "Payload": "Message"}.get(one, one)
        if repeated and one == "float":
            return "FloatArray"
        if repeated:
            return f"Messages[{one}]" if field.message_type else f"tuple[{one}, ...]"
        optional = kind or field.containing_oneof and not self.contract.info(
            field, "absent")
        return one + (" | None" if optional else "")

    def module(self):
        names = self.contract.reached_from(
            ("ModelInfo", "ModelSummary", "ValidateModelReply", "GetServerInfoReply",
             "RowStatus", "TrajectoryVerdict"), NOT_VIEWED)
        yield HEAD
        for enum in self.contract.enums:
            yield from self.enum(enum)
        yield from self.payload()
        yield from self.result_types()
        yield from self.messages(names)
        functions = "\n".join(self.functions())
        yield "\n\n" + functions
        yield "\n\nif TYPE_CHECKING:"
        yield textwrap.indent(re.sub(
            r'\) -> (\w+):\n +""".*?"""\n[^\n]*', r") -> Awaitable[\1]: ...",
            functions.replace("class ", "class Awaited", 1), flags=re.S), "    ")
        yield "else:\n    AwaitedFunctions = Functions"
        public = [enum.name for enum in self.contract.enums] + ["Payload", *names]
        public += [class_name(value) for value, _, results in self.contract.quantities()
                   if len(results) > 1]
        yield f"\n__all__ = {sorted({*public} - {'TrajectoryVerdict'})!r}"


def generate(contract):
    yield "torqued/contract.py", "\n".join(Generator(contract).module()) + "\n"
