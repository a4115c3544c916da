"""torqued/v1/tables.inc: a macro call for each table of Results, each table of
EvaluateChunk, and the comment of each field that is a flag of torquectl."""

import json

FLAGS = ("EvaluateStart", "EvaluateChunk", "CheckTrajectoryStart")


def generate(contract):
    calls = {"TORQUED_RESULT_TABLE": [], "TORQUED_INPUT_TABLE": [],
             "TORQUED_FIELD_COMMENT": []}
    for message, macro in ("Results", "TORQUED_RESULT_TABLE"), (
            "EvaluateChunk", "TORQUED_INPUT_TABLE"):
        for field in contract.message(message).fields:
            if field.message_type:
                calls[macro].append(field.name)
    for name in contract.reached_from(FLAGS, ("Array",)):
        for field in contract.message(name).fields:
            text = " ".join(contract.comment(field).split())
            calls["TORQUED_FIELD_COMMENT"].append(
                f'"{field.full_name}", {json.dumps(text, ensure_ascii=False)}')
    lines = []
    for macro, arguments in calls.items():
        lines += [f"#ifdef {macro}", *(f"{macro}({each})" for each in arguments),
                  f"#undef {macro}", "#endif"]
    return "torqued/v1/tables.inc", "\n".join(lines) + "\n"
