"""What a JSON or YAML file says, as lists, dicts, strings, numbers and None."""

from __future__ import annotations

import json
import re
from typing import Any

from torqued.errors import FileError, FilePlace

# Messages within goals have fewer.
_MOST_LEVELS = 16
_DECIMAL = re.compile("[-+.0-9eE]+")
_NOT_FINITE = re.compile(r"[-+]?(\.?(nan|inf)|infinity)", re.IGNORECASE)


def number_of(word: str) -> float | None:
    """None for what is not a decimal number: float() takes 1_000 and other digits."""
    try:
        if _DECIMAL.fullmatch(word):
            return float(word)
    except ValueError:
        return None
    return float(word.replace(".", "")) if _NOT_FINITE.fullmatch(word) else None


def read_tree(kind: str, content: bytes, place: FilePlace) -> Any:
    """kind: "JSON" or "YAML". Raises FileError, also for a name that stands twice in an
    object, of which the last would win in silence; and ImportError without PyYAML."""
    try:
        tree = (_of_yaml if kind == "YAML" else _of_json)(content, place)
        _check_levels(tree, _MOST_LEVELS)
    except RecursionError:
        raise place.problem(f"the {kind} is nested too deeply") from None
    return tree


def _check_levels(tree: Any, most: int) -> None:
    if isinstance(tree, (list, dict)):
        if most == 0:
            raise RecursionError
        for inner in tree.values() if isinstance(tree, dict) else tree:
            _check_levels(inner, most - 1)


def _of_json(content: bytes, place: FilePlace) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise place.problem(f"{name!r:.128} stands there twice")
            found[name] = value
        return found

    def no_constant(word: str) -> Any:
        raise ValueError(f"it has no {word}")

    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=members,
                          parse_constant=no_constant)
    except FileError:
        raise
    except json.JSONDecodeError as error:
        raise place.problem(f"the text is not JSON at column {error.colno}: {error.msg}",
                            line=error.lineno) from None
    except ValueError as error:
        raise place.problem(f"the text is not JSON: {error}") from None


def _of_yaml(content: bytes, place: FilePlace) -> Any:
    """The one document that is not empty. Words without quotes and tags are numbers if
    they are decimal: YAML itself has 1e-3 for a string, 010 for eight, and 1:30 for
    ninety. Tags never make objects."""
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"to read {place.path} takes PyYAML (Debian: python3-yaml)") from None

    def fault(problem: str, event: Any) -> FileError:
        return place.problem(problem, line=event.start_mark.line + 1)

    def built(event: Any) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            if event.tag is not None or not event.implicit[0]:
                return event.value
            number = number_of(event.value)
            empty = event.value in ("", "~", "null")
            return None if empty else event.value if number is None else number
        if isinstance(event, yaml.AliasEvent):
            raise fault("aliases are not read", event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := next(events), yaml.SequenceEndEvent):
                items.append(built(inner))
            return items
        members: dict[str, Any] = {}
        while not isinstance(key := next(events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise fault("a key of YAML is a single word", key)
            if key.value in members:
                raise fault(f"the key {key.value!r:.40} stands there twice", key)
            members[key.value] = built(next(events))
        return members

    try:
        events = yaml.parse(content, getattr(yaml, "CLoader", yaml.Loader))
        documents = [built(next(events)) for event in events
                     if isinstance(event, yaml.DocumentStartEvent)]
    except (FileError, RecursionError):
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise place.problem(
            f"the text is not YAML at column {mark.column + 1}: {error.problem}"
            if mark else f"the text is not YAML: {error.problem}",
            line=mark.line + 1 if mark else None) from None
    # The parser that is written in Python makes characters of all numbers.
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        at = getattr(error, "position", None)
        raise place.problem(
            f"the text is not YAML: {getattr(error, 'reason', error)}",
            line=None if at is None else 1 + content.count(b"\n", 0, at)) from None
    documents = [document for document in documents if document is not None]
    if len(documents) != 1:
        raise place.problem(f"has {len(documents)} messages; give one")
    return documents[0]
