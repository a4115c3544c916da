"""contract.ts: what the Node client knows of the contract."""

import re
import textwrap

from python_module import short_name

NOT_VIEWED = ("Array", "Payload", "WrenchPlace")
# Messages that a caller makes.
GIVEN = ("Payload", "WrenchPlace", "Drive", "PositionLimits", "TorqueSpeedPoint",
         "WrenchPoint")
REPLIES = ("ModelInfo", "ModelSummary", "RegisterModelReply", "ValidateModelReply",
           "GetServerInfoReply", "RowStatus", "Echo", "TrajectoryVerdict")


def camel(name):
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def comment(text, indent=0, more=()):
    """A TSDoc comment, its lines."""
    pad = " " * indent
    lines = []
    for paragraph in [*text.split("\n\n"), *more]:
        lines += textwrap.wrap(" ".join(paragraph.split()), 76 - indent) or []
    if not lines:
        return []
    if len(lines) == 1:
        return [f"{pad}/** {lines[0]} */"]
    return [f"{pad}/**", *(f"{pad} * {line}" for line in lines), f"{pad} */"]


class Generator:
    def __init__(self, contract):
        self.contract = contract
        start = contract.message("EvaluateStart").fields_by_name
        self.options = {}
        for place, fields in (
                ("options", contract.message("Options").fields),
                ("terms", contract.message("Terms").fields),
                ("operationalSpace", contract.message("OperationalSpaceOptions").fields),
                ("start", [start["tip_wrench_reference_frame"]])):
            for field in fields:
                if field.name != "terms":
                    self.options[field.name] = (place, field)
        self.inputs = contract.message("EvaluateChunk").fields

    def enum(self, enum):
        values = [value for value in enum.values if value.number]
        more = [f"- {short_name(value)}: {self.contract.comment(value)}"
                for value in values if self.contract.comment(value)]
        yield ""
        yield from comment(self.contract.comment(enum), 0, more)
        yield f"export type {enum.name} ="
        yield from (f"  | '{short_name(value)}'" for value in values)
        yield "  ;"

    # --- What a server says --------------------------------------------------

    def viewed(self, field):
        repeated = field.label == field.LABEL_REPEATED
        if field.message_type:
            one = {"Timestamp": "Date", "Duration": "number", "Array": "Matrix"}.get(
                field.message_type.name, field.message_type.name)
        elif field.enum_type:
            one = field.enum_type.name
        else:
            one = {field.TYPE_BOOL: "boolean", field.TYPE_STRING: "string",
                   field.TYPE_BYTES: "Uint8Array"}.get(field.type, "number")
        if repeated:
            return f"readonly {one}[]"
        absent = field.message_type or field.enum_type or (
            field.containing_oneof and not self.contract.absent(field))
        return f"{one} | undefined" if absent else one

    def messages(self):
        for name in self.contract.reached_from(REPLIES, NOT_VIEWED):
            if name in GIVEN:
                continue
            message = self.contract.message(name)
            yield ""
            yield from comment(self.contract.comment(message) or name)
            yield f"export interface {name} {{"
            for field in message.fields:
                yield from comment(self.contract.comment(field), 2)
                yield f"  readonly {camel(field.name)}: {self.viewed(field)};"
            yield "}"

    # --- What a caller gives -------------------------------------------------

    def given(self, field):
        if field.enum_type:
            one = field.enum_type.name
        elif field.message_type:
            one = field.message_type.name
        else:
            one = {field.TYPE_BOOL: "boolean", field.TYPE_STRING: "string"}.get(
                field.type, "number")
        if field.label != field.LABEL_REPEATED:
            return one
        return "NumberList" if one == "number" else f"readonly {one}[]"

    def given_messages(self):
        for name in GIVEN:
            message = self.contract.message(name)
            yield ""
            yield from comment(self.contract.comment(message))
            yield f"export interface {name} {{"
            for field in message.fields:
                yield from comment(self.contract.comment(field), 2)
                optional = "" if field.name in ("dof", "coordinate") else "?"
                yield f"  {camel(field.name)}{optional}: {self.given(field)};"
            yield "}"

    def dynamics_options(self):
        yield ""
        yield from comment("What to compute besides the states. Everything may be absent.")
        yield "export interface DynamicsOptions {"
        for name, (_, field) in self.options.items():
            yield from comment(self.contract.comment(field) or self.contract.comment(
                field.enum_type or field.message_type), 2)
            yield f"  {camel(name)}?: {self.given(field)};"
        yield "}"
        yield ""
        yield from comment("Which message an option belongs to.")
        yield ("export const OPTION_PLACES: Readonly<\n"
               "  Record<keyof DynamicsOptions, 'options' | 'terms' | "
               "'operationalSpace' | 'start'>\n> = {")
        for name, (place, _) in self.options.items():
            yield f"  {camel(name)}: '{place}',"
        yield "};"

    def check_options(self):
        start = self.contract.message("CheckTrajectoryStart").fields
        own = [field for field in start if field.name not in (
            "model", "options", "operational_space", "tip_wrench_reference_frame")]
        yield ""
        yield from comment("What to check besides the samples. Everything may be absent.")
        yield ("export interface CheckFields<Table extends TrajectoryTable> extends Omit<\n"
               "  DynamicsOptions,\n  'failFast' | 'externalWrenches'\n> {")
        for field in own:
            yield from comment(self.contract.comment(field), 2)
            kind = "readonly Table[]" if field.name == "tables" else self.given(field)
            yield f"  {camel(field.name)}?: {kind};"
        yield "}"
        yield ""
        yield "export const CHECK_FIELDS = ["
        yield from (f"  '{camel(field.name)}'," for field in own)
        yield "] as const;"

    def states(self):
        yield ""
        yield from comment(
            "One state or many, one row for each state. An input of one row serves all "
            "states. Inputs of joints may be given by joint name instead. SI units.")
        yield "export interface States {"
        for field in self.inputs:
            info = self.contract.info(field, "table_info")
            joints = info.shape in ("nq", "nv")
            yield from comment(
                f"{info.shape} columns, {info.unit}. {self.contract.comment(field)}", 2)
            yield f"  {camel(field.name)}?: {'JointRows' if joints else 'Rows'};"
        yield "}"
        yield ""
        yield from comment("The shape of each input's rows.")
        yield "export const INPUTS: Readonly<Record<keyof States, string>> = {"
        for field in self.inputs:
            shape = self.contract.info(field, "table_info").shape
            yield f"  {camel(field.name)}: '{shape}',"
        yield "};"

    # --- Quantities ----------------------------------------------------------

    def result_type(self, field):
        if field.message_type:
            return "Matrix"
        if field.enum_type:
            return f"{field.enum_type.name}[]"
        return "Float64Array" if field.type == field.TYPE_DOUBLE else "Uint32Array"

    def quantities(self):
        rows = [(camel(short_name(value)), value, info, results)
                for value, info, results in self.contract.quantities()]
        yield ""
        yield from comment("The results of every quantity, one row for each state.")
        yield "export interface QuantityResults {"
        for name, _, _, results in rows:
            yield f"  {name}: {{"
            for field, table in results:
                text = ", ".join(filter(None, [
                    table.shape.replace(" ", " x ") or "1", table.unit,
                    f"in the {table.frame} frame" if table.frame else ""]))
                yield from comment(f"{text}. {self.contract.comment(field)}", 4)
                absent = "?" if field.name == "sigma_min" else ""
                yield (f"    {camel(field.name)}{absent}: {self.result_type(field)};")
            yield "  };"
        yield "}"
        yield ""
        yield from comment("A quantity, by the name of its method.")
        yield "export type QuantityName = keyof QuantityResults;"
        yield ""
        yield from comment("Results of each quantity with the shape of a state's numbers.")
        yield ("export const RESULT_TABLES: Readonly<\n"
               "  Record<QuantityName, Readonly<Record<string, string>>>\n> = {")
        for name, _, _, results in rows:
            yield f"  {name}: {{"
            yield from (f"    {camel(field.name)}: '{table.shape}',"
                        for field, table in results)
            yield "  },"
        yield "};"
        yield ""
        yield "/** A method for each quantity. */"
        yield "export interface QuantityMethods {"
        for name, value, info, _ in rows:
            uses = (f"Needs {', '.join(info.needs.split())}"
                    + (f"; uses {', '.join(info.uses.split())}" if info.uses else "")
                    + ".")
            if info.max_dof:
                uses += f" Models of at most {info.max_dof} degrees of freedom."
            yield from comment(self.contract.comment(value), 2,
                               [uses, *([info.source + "."] if info.source else [])])
            yield (f"  {name}(\n    states: States,\n    options?: ComputeOptions,\n"
                   f"  ): Promise<Evaluation<'{name}'>>;")
        yield "}"

    def module(self):
        yield "// The contract for editors and for the client, generated from its protos."
        yield ""
        yield "import type { Evaluation } from './evaluation.js';"
        yield "import type { Matrix } from './matrix.js';"
        yield "import type { ComputeOptions } from './options.js';"
        yield "import type { JointRows, NumberList, Rows } from './rows_input.js';"
        for enum in self.contract.enums:
            yield from self.enum(enum)
        yield from self.messages()
        yield from self.given_messages()
        yield from self.dynamics_options()
        yield from self.check_options()
        yield from self.states()
        yield from self.quantities()


def generate(contract):
    yield "contract.ts", "\n".join(Generator(contract).module()) + "\n"
