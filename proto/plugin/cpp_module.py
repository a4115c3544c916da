"""torqued/v1/result_tables.inc: a macro call for each table of Results."""


def generate(contract):
    lines = ["// The tables of torqued.v1.Results."]
    for field in contract.message("Results").fields:
        if field.message_type:
            lines.append(f"TORQUED_RESULT_TABLE({field.name})")
    return "torqued/v1/result_tables.inc", "\n".join(lines) + "\n"
