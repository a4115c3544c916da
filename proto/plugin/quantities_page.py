"""docs/quantities.md with the tables of the contract between their marks."""

import os
import re

from python_module import short_name

PAGE = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                    "../../docs/quantities.md")
MARKED = re.compile(r"(<!-- quantities: ([a-z_ \n]+) -->\n).*?(<!-- end -->)", re.S)
READS = {"tau": "τ", "base_motion": "V₀, V̇₀", "wrenches": "wrench",
         "task_acceleration": "a*", "null_space_torque": "τ₀"}
HEAD = ("| Quantity | Result | Formula | Reads | Numbers | Unit | Frame | Cost | Source |\n"
        "|---|---|---|---|---|---|---|---|---|\n")


def powers(text):
    return text.replace("^2", "²").replace("^3", "³")


def numbers(shape):
    words = [{"nv": "n", "links": "n", "10links": "10 n"}.get(word, word)
             for word in shape.split()]
    return " × ".join(words) or "1"


def rows(contract, name):
    value, info, results = next(
        each for each in contract.quantities()
        if short_name(each[0]).lower() == name)
    reads = ", ".join(READS.get(word, word)
                      for word in (info.needs + " " + info.uses).split()
                      if word not in ("q", "frames", "task"))
    quantity = f"`{name.replace('_', '-')}`"
    for field, table in results:
        if field.message_type:
            yield "| " + " | ".join([
                quantity, f"`{field.name}`", table.formula, reads,
                numbers(table.shape), powers(table.unit.split(" | ")[0]), table.frame,
                powers(info.cost), info.source]) + " |\n"
            quantity = reads = ""


def generate(contract):
    with open(PAGE, encoding="utf-8") as page:
        text = page.read()

    def filled(found):
        names = found[2].split()
        return found[1] + HEAD + "".join(
            row for name in names for row in rows(contract, name)) + found[3]

    return "quantities.md", MARKED.sub(filled, text)
