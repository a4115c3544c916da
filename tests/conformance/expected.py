"""What a case must be answered."""

import numpy as np

from question import Question
from results import OF_QUANTITY, permuted


def count_rows(states):
    return max((len(rows) for rows in states.values()), default=0)


def expected_results(case, bad):
    """`bad`: row -> results that are NaN there (all: None)."""
    results = {}
    for row in range(count_rows(case["states"])):
        undefined = bad.get(row, ())
        question = None
        for quantity in case["quantities"]:
            for name, (axes, function) in OF_QUANTITY[quantity].items():
                if name == "sigma_min" and not case.get(
                        "operational_space", {}).get("sigma_min"):
                    continue
                rows = results.setdefault(name, [])
                if undefined is None or name in undefined:
                    rows.append(None)
                    continue
                question = question or Question(case, row)
                numbers = function(question)
                if axes is not None:
                    numbers = permuted(numbers, axes, question.order)
                    numbers = [float(x) for x in np.ravel(numbers)]
                rows.append(numbers)
    return fill_undefined(results)


def fill_undefined(results):
    """A row of nulls for each undefined one; what has no defined row at all is
    not checked."""
    filled = {}
    for name, rows in results.items():
        defined = [row for row in rows if row is not None]
        if not defined:
            continue
        if name in ("rank", "rule"):
            if len(defined) < len(rows):
                continue
            filled[name] = rows
        elif name == "sigma_min":
            filled[name] = rows
        else:
            filled[name] = [
                [None] * len(defined[0]) if row is None else row
                for row in rows]
    return filled
