"""torqued/v1/tables.inc: a macro call for each table of Results, of EvaluateChunk and
of TrajectoryRows; and for the flags of torquectl each field that a word of QuantityInfo
stands for, and the comments of fields."""

import json
import re

FLAGS = ("EvaluateStart", "EvaluateChunk", "CheckTrajectoryStart")


def help_text(contract, field):
    """The first sentence of the comment, and those about an absent field."""
    comment = contract.comment(field) or contract.comment(
        field.enum_type or field.message_type or field)
    sentences = re.split(r"(?<=\.) (?=[A-Z])", " ".join(comment.split()))
    return " ".join(sentences[:1] + [
        each for each in sentences[1:] if re.match("(Absent|Empty)", each)])


def generate(contract):
    calls = {"TORQUED_RESULT_TABLE": [], "TORQUED_INPUT_TABLE": [],
             "TORQUED_TRAJECTORY_TABLE": [], "TORQUED_INPUT_WORD": [], "TORQUED_FIELD_COMMENT": []}
    for message, macro in (("Results", "TORQUED_RESULT_TABLE"),
                           ("EvaluateChunk", "TORQUED_INPUT_TABLE"),
                           ("TrajectoryRows", "TORQUED_TRAJECTORY_TABLE")):
        for field in contract.message(message).fields:
            if field.message_type:
                calls[macro].append(field.name)
    words = {word for _, info, _ in contract.quantities()
             for word in (info.needs + " " + info.uses).split()}
    for word in ["all", *sorted(words)]:
        calls["TORQUED_INPUT_WORD"] += [
            f'"{word}", "{field}"' for field in contract.read_with(word)]
    for name in contract.reached_from(FLAGS, ("Array",)):
        for field in contract.message(name).fields:
            text = help_text(contract, field)
            calls["TORQUED_FIELD_COMMENT"].append(
                f'"{field.full_name}", {json.dumps(text, ensure_ascii=False)}')
    lines = []
    for macro, arguments in calls.items():
        lines += [f"#ifdef {macro}", *(f"{macro}({each})" for each in arguments),
                  f"#undef {macro}", "#endif"]
    yield "torqued/v1/tables.inc", "\n".join(lines) + "\n"
