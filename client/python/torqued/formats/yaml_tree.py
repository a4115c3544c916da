"""What a YAML file says, as lists, dicts, strings, numbers and None."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from torqued.errors import FileError, FilePlace

#: What the parsers of PyYAML, in C and in Python, complain of, and how to say it.
_FAULTS = {
    "',' or ']'": "a list in brackets lacks a comma or its ']'",
    "',' or '}'": "a map in braces lacks a comma or its '}'",
    "mapping values are not allowed": "no value can follow this ':'",
    "sequence entries are not allowed": "no list can begin with this '-'",
    "node content":
        "a value is missing before this, or a bracket is not closed",
    "'-' indicator":
        "this does not fit the list before it; look at its indentation",
    "expected key":
        "this does not fit the keys before it; look at its indentation",
    "<block end>":
        "this does not fit what is before it; look at its indentation",
    "<document start>": "the text goes on behind its value",
    "expected ':'": "the line before lacks a ':'",
    "unexpected end of stream": "a quote is not closed",
    "unknown escape character":
        "the text in quotes has an escape that YAML does not know",
    "cannot start any token":
        "a word cannot begin with this character; put it in quotes",
}
_CONTROL = re.compile("[\0-\b\v\f\x0e-\x1f\x7f]")

#: Messages within goals have fewer levels. What nests deeper never reaches the
#: composers of PyYAML, which call themselves for every level.
MOST_LEVELS = 16

_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
# float() does not know them.
_NOT_FINITE = {".nan": math.nan, ".inf": math.inf, "inf": math.inf,
               "nan": math.nan, "infinity": math.inf}
_NOTHING = ("", "~", "null")


def read(file: BinaryIO, place: FilePlace) -> Any:
    """The one document that is not empty. Raises FileError, OSError, and
    ImportError without PyYAML.

    Words without quotes and tags are numbers where they are decimal: YAML
    itself has 1e-3 for a string, 010 for eight, and 1:30 for ninety. Tags never
    make objects. Aliases are refused.
    """
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"to read {place.path} takes PyYAML (Debian: python3-yaml)") from None
    content = file.read()
    try:
        documents = [document for document in _documents(
            yaml, yaml.parse(content, getattr(yaml, "CLoader", yaml.Loader)),
            place) if document is not None]
    except FileError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        words = next((": " + words for found, words in _FAULTS.items()
                      if found in (error.problem or "")), "")
        raise place.problem(
            "is not YAML" + (f" at column {mark.column + 1}" if mark else "")
            + words, line=mark.line + 1 if mark else None) from None
    # The parser that is written in Python makes characters of all numbers.
    except (yaml.YAMLError, ValueError, OverflowError):
        raise _no_text(content, place) from None
    if len(documents) != 1:
        raise place.problem(
            f"has {len(documents)} messages; give one" if documents
            else "has no message")
    return documents[0]


def _no_text(content: bytes, place: FilePlace) -> FileError:
    """Why the parsers cannot even begin."""
    try:
        control = _CONTROL.search(content.decode())
    except UnicodeDecodeError as error:
        return place.problem("is not YAML: it is no UTF-8",
                             line=1 + content.count(b"\n", 0, error.start))
    if control is None:
        return place.problem("is not YAML")
    return place.problem(
        "is not YAML: it has a control character",
        line=1 + control.string.count("\n", 0, control.start()))


def _documents(yaml: Any, events: Iterator[Any],
               place: FilePlace) -> Iterator[Any]:
    """Puts them together without calling itself."""
    # Lists and mappings that are open, with the key that waits for its value.
    opened: list[tuple[Any, list[str]]] = []

    def fail(event: Any, problem: str) -> NoReturn:
        raise place.problem(f"is not YAML that is read here: {problem}",
                            line=event.start_mark.line + 1)

    document: Any = None
    for event in events:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = event.value
            if not opened or isinstance(opened[-1][0], list) or opened[-1][1]:
                if event.tag is None and event.implicit[0]:
                    value = _plain(value)
        elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
            if len(opened) == MOST_LEVELS:
                fail(event, f"it has more than {MOST_LEVELS} levels")
            opened.append(([] if kind is yaml.SequenceStartEvent else {}, []))
            continue
        elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
            value = opened.pop()[0]
        elif kind is yaml.AliasEvent:
            fail(event, "it has aliases")
        else:
            if kind is yaml.DocumentEndEvent:
                yield document
                document = None
            continue
        if not opened:
            document = value
            continue
        within, key = opened[-1]
        if isinstance(within, list):
            within.append(value)
        elif key:
            within[key.pop()] = value
        elif not isinstance(value, str):
            fail(event, "a key is no single word")
        elif value in within:
            fail(event, f"the key {value!r:.40} stands there twice")
        else:
            key.append(value)


def _plain(word: str) -> float | str | None:
    if _DECIMAL.fullmatch(word):
        return float(word)
    if word in _NOTHING:
        return None
    name = word.lower().removeprefix("+")
    sign = -1.0 if name.startswith("-") else 1.0
    number = _NOT_FINITE.get(name.removeprefix("-"))
    return word if number is None else sign * number
