"""contract.ts: what the Node client knows of the contract."""

import textwrap

from python_module import short_name

NOT_VIEWED = ("Array", "Payload", "WrenchPlace")
# Messages that a caller makes.
GIVEN = ("Payload", "WrenchPlace", "Drive", "PositionLimits", "TorqueSpeedPoint",
         "WrenchPoint")
REPLIES = ("ModelInfo", "ModelSummary", "RegisterModelReply", "ValidateModelReply",
           "GetServerInfoReply", "RowStatus", "Echo", "TrajectoryVerdict")
HEAD = """\
// The contract for editors and for the client, generated from its protos.

import type { Evaluation } from './evaluation.js';
import type { Matrix } from './matrix.js';
import type { ComputeOptions } from './options.js';
import type { JointRows, NumberList, Rows } from './rows_input.js';"""


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def type_name(field):
    kind = field.message_type or field.enum_type
    return kind.name if kind else {
        field.TYPE_BOOL: "boolean", field.TYPE_STRING: "string",
        field.TYPE_BYTES: "Uint8Array"}.get(field.type, "number")


def comment(text, indent=0, more=()):
    """A TSDoc comment, its lines."""
    pad = " " * indent
    lines = []
    for paragraph in [*text.split("\n\n"), *more]:
        lines += textwrap.wrap(paragraph, 76 - indent)
    if len(lines) > 1:
        return [f"{pad}/**", *(f"{pad} * {line}" for line in lines), f"{pad} */"]
    return [f"{pad}/** {line} */" for line in lines]


def member(text, line, indent=2, more=()):
    return [*comment(text, indent, more), " " * indent + line]


def block(head, lines, text="", end="}"):
    """Something in braces with its comment; lines: lists of lines."""
    return ["", *comment(text), head, *(line for each in lines for line in each), end]


class Generator:
    def __init__(self, contract):
        self.contract = contract
        self.inputs = {field: contract.info(field, "table_info")
                       for field in contract.message("EvaluateChunk").fields}

    def enum(self, enum):
        values = [value for value in enum.values if value.number]
        return ["", *comment(self.contract.comment(enum), 0, [
            f"- {short_name(value)}: {self.contract.comment(value)}"
            for value in values if self.contract.comment(value)]),
            f"export type {enum.name} =",
            *(f"  | '{short_name(value)}'" for value in values), "  ;"]

    # --- What a server says --------------------------------------------------

    def viewed(self, field):
        one = type_name(field)
        one = {"Timestamp": "Date", "Duration": "number", "Array": "Matrix"}.get(one, one)
        if field.label == field.LABEL_REPEATED:
            return f"readonly {one}[]"
        absent = field.message_type or field.enum_type or (
            field.containing_oneof and not self.contract.info(field, "absent"))
        return f"{one} | undefined" if absent else one

    def message(self, name):
        message = self.contract.message(name)
        return block(
            f"export interface {name} {{",
            [member(self.contract.described(field),
                    f"readonly {camel(field.name)}: {self.viewed(field)};")
             for field in message.fields], self.contract.comment(message) or name)

    # --- What a caller gives -------------------------------------------------

    @staticmethod
    def given(field):
        one = "Table" if field.name == "tables" else type_name(field)
        if field.label != field.LABEL_REPEATED:
            return one
        return "NumberList" if one == "number" else f"readonly {one}[]"

    def option(self, field, needed=False):
        return member(self.contract.described(field),
                      f"{camel(field.name)}{'' if needed else '?'}: {self.given(field)};")

    def given_message(self, name):
        message = self.contract.message(name)
        return block(f"export interface {name} {{",
                     [self.option(field, field.name in ("dof", "coordinate"))
                      for field in message.fields], self.contract.comment(message))

    def dynamics_options(self):
        return block("export interface DynamicsOptions {",
                     map(self.option, self.contract.options()),
                     "What to compute besides the states. Everything may be absent.")

    def check_options(self):
        own = [field for field in self.contract.message("CheckTrajectoryStart").fields
               if field.name not in ("model", "options", "operational_space",
                                     "tip_wrench_reference_frame")]
        return block(
            "export interface CheckFields<Table extends TrajectoryTable> extends Omit<\n"
            "  DynamicsOptions,\n  'failFast' | 'externalWrenches'\n> {",
            map(self.option, own),
            "What to check besides the samples. Everything may be absent.")

    def states(self):
        yield from block(
            "export interface States {",
            [member(f"{info.shape} columns, {info.unit}. {self.contract.comment(field)}",
                    f"{camel(field.name)}?: "
                    f"{'JointRows' if info.shape in ('nq', 'nv') else 'Rows'};")
             for field, info in self.inputs.items()],
            "One state or many, one row for each state. An input of one row serves all "
            "states. Inputs of joints may be given by joint name instead. SI units.")
        yield from block(
            "export const INPUTS: Readonly<Record<keyof States, string>> = {",
            [[f"  {camel(field.name)}: '{info.shape}',"]
             for field, info in self.inputs.items()],
            "The shape of each input's rows.", "};")

    # --- Quantities ----------------------------------------------------------

    def result(self, field, table):
        text = ", ".join(filter(None, [
            table.shape.replace(" ", " x ") or "1", table.unit,
            f"in the {table.frame} frame" if table.frame else ""]))
        kind = "Float64Array" if field.type == field.TYPE_DOUBLE else "Uint32Array"
        if field.message_type:
            kind = "Matrix"
        elif field.enum_type:
            kind = f"{field.enum_type.name}[]"
        absent = "?" if field.name == "sigma_min" else ""
        return member(f"{text}. {self.contract.comment(field)}",
                      f"{camel(field.name)}{absent}: {kind};", 4)

    def method(self, name, value, info):
        uses = f"; uses {', '.join(info.uses.split())}" if info.uses else ""
        needs = f"Needs {', '.join(info.needs.split())}{uses}."
        if info.max_dof:
            needs += f" Models of at most {info.max_dof} degrees of freedom."
        return member(self.contract.comment(value),
                      f"{name}(\n    states: States,\n    options?: ComputeOptions,\n"
                      f"  ): Promise<Evaluation<'{name}'>>;",
                      2, [needs, *([info.source + "."] if info.source else [])])

    def quantities(self):
        rows = [(camel(short_name(value)), value, info, results)
                for value, info, results in self.contract.quantities()]
        yield from block(
            "export interface QuantityResults {",
            [[f"  {name}: {{", *(line for each in results for line in self.result(*each)),
              "  };"] for name, _, _, results in rows],
            "The results of every quantity, one row for each state.")
        yield from ["", *comment("A quantity, by the name of its method."),
                    "export type QuantityName = keyof QuantityResults;"]
        yield from block(
            "export const RESULT_TABLES: Readonly<\n"
            "  Record<QuantityName, Readonly<Record<string, string>>>\n> = {",
            [[f"  {name}: {{", *(f"    {camel(field.name)}: '{table.shape}',"
                                for field, table in results), "  },"]
             for name, _, _, results in rows],
            "Results of each quantity with the shape of a state's numbers.", "};")
        yield from block("export interface QuantityMethods {",
                         [self.method(*row[:3]) for row in rows],
                         "A method for each quantity.")

    def module(self):
        yield HEAD
        for enum in self.contract.enums:
            yield from self.enum(enum)
        for name in self.contract.reached_from(REPLIES, NOT_VIEWED):
            if name not in GIVEN:
                yield from self.message(name)
        for name in GIVEN:
            yield from self.given_message(name)
        yield from self.dynamics_options()
        yield from self.check_options()
        yield from self.states()
        yield from self.quantities()


def generate(contract):
    yield "contract.ts", "\n".join(Generator(contract).module()) + "\n"
