"""Every row of docs/coverage.md names things that exist."""

import os
import pathlib
import re

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
PAGE = SOURCE / "docs" / "coverage.md"
NAME = re.compile(r"`([^`]+)`")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)",
                  re.MULTILINE)


def rows(text):
    """(quantity, where) of all tables."""
    found = []
    for line in text.splitlines():
        if not line.startswith("|") or set(line) <= set("|-"):
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells != ["quantity", "where"]:
            found.append(cells)
    return found


def proto_fields():
    """Message.field of the whole contract."""
    fields = set()
    for path in (SOURCE / "proto" / "torqued" / "v1").glob("*.proto"):
        text = re.sub(r"//.*", "", path.read_text(encoding="utf-8"))
        for message, body in re.findall(r"^message (\w+) \{(.*?)^\}", text,
                                        re.MULTILINE | re.DOTALL):
            fields |= {f"{message}.{field}" for field in
                       re.findall(r"(\w+)\s*=\s*\d+\s*;", body)}
    return fields


def installed_headers():
    text = (SOURCE / "core" / "CMakeLists.txt").read_text(encoding="utf-8")
    return {"core/" + name for name in re.findall(r"[\w/]+\.h\b", text)}


def gtests():
    names = set()
    for path in (SOURCE / "tests").rglob("*.cc"):
        text = path.read_text(encoding="utf-8")
        names |= {f"{suite}.{name}" for suite, name in TEST.findall(text)}
    return names


def declared(header):
    """Functions, types and aliases of a header, without its comments."""
    text = (SOURCE / header).read_text(encoding="utf-8")
    text = re.sub(r"//.*", "", text)
    return (set(re.findall(r"\b(\w+)\(", text)) |
            set(re.findall(r"\b(?:struct|class|using) (\w+)", text)))


class Names:
    """What a table may name."""

    def __init__(self):
        self.fields = proto_fields()
        self.headers = installed_headers()
        self.tests = gtests()

    def exists(self, name):
        header, colon, function = name.partition(": ")
        if colon:
            return header in self.headers and function in declared(header)
        return name in self.fields or name in self.tests

    def problems(self, table):
        for cells in table:
            if len(cells) != 2 or not cells[0]:
                yield f"no row of two cells: {cells}"
                continue
            names = NAME.findall(cells[1])
            if not names:
                yield f"{cells[0]}: names nothing"
            if NAME.sub("", cells[1]).strip(" ,"):
                yield f"{cells[0]}: has words beside the names"
            for name in names:
                if not self.exists(name):
                    yield f"{cells[0]}: there is no {name}"


@pytest.fixture(scope="module", name="names")
def fixture_names():
    return Names()


@pytest.fixture(scope="module", name="text")
def fixture_text():
    return PAGE.read_text(encoding="utf-8")


def test_every_name_exists(names, text):
    table = rows(text)
    assert len(table) > 100
    assert not list(names.problems(table))


def test_every_quantity_stands_once(text):
    quantities = [cells[0] for cells in rows(text)]
    assert len(set(quantities)) == len(quantities)


def test_every_field_of_a_reply_is_named(names, text):
    results = {name for name in names.fields if name.startswith("Results.")}
    assert len(results) >= 38
    assert results <= set(NAME.findall(text))


@pytest.mark.parametrize("where", [
    "", "`Results.tauu`", "`Nothing.tau`", "`Planar2R.Nothing`",
    "`core/batch/euler.h: Nothing`", "`core/batch/nothing.h: EulerStep`",
    # There, but not installed.
    "`core/dynamics/energy.h: KineticEnergy`",
    # Only in a comment of the header.
    "`core/batch/euler.h: FD`",
    "see elsewhere", "`Results.tau` and more",
])
def test_what_does_not_exist_is_found(names, where):
    assert list(names.problems([["a quantity", where]]))
    assert not list(names.problems([["a quantity", "`Results.tau`"]]))
