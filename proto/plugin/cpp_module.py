"""torqued/v1/tables.inc: a macro call for each table of Results, of EvaluateChunk and
of TrajectoryRows; and for the flags of torquectl each field that a word of QuantityInfo
stands for, and the comments of fields."""

import json
import re

from python_module import ALWAYS, WORDS

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
    # The empty word: these count everywhere.
    for word, fields in {**WORDS, "": [*ALWAYS, "fail_fast"]}.items():
        calls["TORQUED_INPUT_WORD"] += [f'"{word}", "{field}"' for field in fields]
    for name in contract.reached_from(FLAGS, ("Array",)):
        for field in contract.message(name).fields:
            text = help_text(contract, field)
            calls["TORQUED_FIELD_COMMENT"].append(
                f'"{field.full_name}", {json.dumps(text, ensure_ascii=False)}')
    lines = []
    for macro, arguments in calls.items():
        lines += [f"#ifdef {macro}", *(f"{macro}({each})" for each in arguments),
                  f"#undef {macro}", "#endif"]
    return "torqued/v1/tables.inc", "\n".join(lines) + "\n"
