"""The code of docs/conventions.md as a module, run as it stands there."""

import os
import pathlib
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
