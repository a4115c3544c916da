"""Pages of docs with the tables of the contract between their marks."""

import os
import re

from python_module import short_name

DOCS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../docs")
QUANTITIES = re.compile(r"(<!-- quantities: ([a-z_ \n]+) -->\n).*?(<!-- end -->)", re.S)
REASONS = re.compile(r"(<!-- reasons -->\n).*?(<!-- end -->)", re.S)
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


def reasons(contract):
    yield "| Reason | Code | When | Next step |\n|---|---|---|---|\n"
    codes = contract.message("ReasonInfo").enum_types_by_name["Code"].values_by_number
    for value in contract.enum("Reason").values:
        info = contract.info(value, "reason_info")
        if info:
            when = " ".join(contract.comment(value).split()).removesuffix(info.next_step)
            yield (f"| `{value.name}` | {codes[info.code].name} | {when.strip()} | "
                   f"{info.next_step} |\n")


def generate(contract):
    def of_quantities(found):
        return found[1] + HEAD + "".join(
            row for name in found[2].split() for row in rows(contract, name)) + found[3]

    def of_reasons(found):
        return found[1] + "".join(reasons(contract)) + found[2]

    for name, mark, table in (("quantities.md", QUANTITIES, of_quantities),
                              ("grpc.md", REASONS, of_reasons)):
        with open(os.path.join(DOCS, name), encoding="utf-8") as page:
            yield name, mark.sub(table, page.read())
