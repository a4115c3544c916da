"""The code of docs/conventions.md as a module, run as it stands there."""

import os
import pathlib
import re
import sys
import types

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
sys.path.append(str(SOURCE / "tests" / "docs"))

# pylint: disable=wrong-import-position
from extract_snippets import snippets

PATH = SOURCE / "docs" / "conventions.md"


def module(*kinds):
    """The functions of the blocks of these kinds, in the order of the kinds."""
    page = types.SimpleNamespace()
    for kind in kinds:
        for block in snippets(PATH, kind):
            exec(compile(block, f"{PATH} ({kind})", "exec"), page.__dict__)
    return page


def rows():
    """(what, checked) of every row of the tables that say how it is checked."""
    found, checked = [], False
    for line in PATH.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            checked = False
        elif cells[-1] == "Checked":
            checked = True
        elif checked and not set(line) <= set("|-"):
            found.append((cells[0], cells[-1]))
    return found


def tests_of(path):
    return set(re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"),
                          re.MULTILINE))
