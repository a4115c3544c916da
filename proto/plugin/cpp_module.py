"""torqued/v1/tables.inc: a macro call for each table of Results, of EvaluateChunk and
of TrajectoryRows; and for the flags of torquectl each field that a word of QuantityInfo
stands for, and the comments of fields."""

import json
import re


def help_text(text):
    """The first sentence, and those about an absent field."""
    first, *others = re.split(r"(?<=\.) (?=[A-Z])", " ".join(text.split()))
    return " ".join([first, *(each for each in others
                              if re.match("(Absent|Empty)", each))])


def generate(contract):
    def tables(message):
        return [field.name for field in contract.message(message).fields
                if field.message_type]

    words = {word for _, info, _ in contract.quantities()
             for word in (info.needs + " " + info.uses).split()}
    messages = contract.reached_from(
        ("EvaluateStart", "EvaluateChunk", "CheckTrajectoryStart"), ("Array",))
    comments = {field.full_name: help_text(contract.described(field))
                for name in messages for field in contract.message(name).fields}
    for_flags = [f'"{word}", "{field}"' for word in ["all", *sorted(words)]
                 for field in contract.read_with(word)]
    lines = []
    for macro, arguments in (
            ("TORQUED_RESULT_TABLE", tables("Results")),
            ("TORQUED_INPUT_TABLE", tables("EvaluateChunk")),
            ("TORQUED_TRAJECTORY_TABLE", tables("TrajectoryRows")),
            ("TORQUED_INPUT_WORD", for_flags),
            ("TORQUED_FIELD_COMMENT", (
                f'"{name}", {json.dumps(text, ensure_ascii=False)}'
                for name, text in comments.items()))):
        lines += [f"#ifdef {macro}", *(f"{macro}({each})" for each in arguments),
                  f"#undef {macro}", "#endif"]
    yield "torqued/v1/tables.inc", "\n".join(lines) + "\n"
