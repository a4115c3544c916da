"""A server, and the program of docs/other-languages.md compiled with the stubs
by the lines of that page."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).parent.parent))
# pylint: disable-next=wrong-import-position
import other_languages  # noqa: E402


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    with other_languages.serving(tmp_path_factory.mktemp("server")) as address:
        yield address


@pytest.fixture(scope="session")
def planner(address, tmp_path_factory):
    """Where the classes are, which jars they need, and what it prints."""
    directory = tmp_path_factory.mktemp("java")
    printed = other_languages.run_page(
        "java", "Planner.java", address, directory,
        then='printf %s "$jars" > jars\n')
    return (directory / "build" / "java" / "classes",
            (directory / "jars").read_text(), printed)


@pytest.fixture(scope="session")
def printed(planner):
    return planner[2]
