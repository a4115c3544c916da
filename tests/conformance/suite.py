"""The cases, as they are added in turn."""

from expected import count_rows, expected_results

FRAMES = ("LOCAL", "LOCAL_WORLD_ALIGNED", "WORLD")
CASES = []


def add(name, model_name, quantities, states, bad=None, status=None,
        tolerance=None, expect=None, wrench_frame=None, **fields):
    case = {"name": name, "model": model_name, "quantities": quantities,
            "states": states}
    if wrench_frame:
        case["tip_wrench_reference_frame"] = wrench_frame
    case.update({key: value for key, value in fields.items() if value})
    # Only now: the numbers that JSON lacks are read here as floats.
    case["expect"] = {"rows": count_rows(states),
                      "results": expected_results(case, bad or {})}
    if tolerance:
        case["expect"]["tolerance"] = tolerance
    if status:
        case["expect"]["row_status"] = status
    case["expect"].update(expect or {})
    CASES.append(case)


def refuse(name, model_name, quantities, states, code, reason, field=None,
           wrench_frame=None, error=None, **fields):
    case = {"name": name, "model": model_name, "quantities": quantities,
            "states": states}
    if wrench_frame:
        case["tip_wrench_reference_frame"] = wrench_frame
    case.update(fields)
    case["expect"] = {"error": {"code": code, "reason": reason}}
    if field is not None:
        case["expect"]["error"]["field"] = field
    case["expect"]["error"].update(error or {})
    CASES.append(case)


def refuse_registration(name, registration, code, reason, field=None):
    error = {"code": code, "reason": reason}
    if field is not None:
        error["field"] = field
    CASES.append({"name": name, "register": registration,
                  "expect": {"error": error}})
