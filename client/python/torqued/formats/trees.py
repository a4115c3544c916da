"""What a JSON or YAML file says, as lists, dicts, strings, numbers and None."""

from __future__ import annotations

import json
import re
from typing import Any

from torqued.contract import Reason
from torqued.errors import FileError, FilePlace

# Messages within goals have fewer; what is built calls itself for every level.
_MOST_LEVELS = 16
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?(\.?(nan|inf)|infinity)", re.IGNORECASE)


def read_json(content: bytes, place: FilePlace,
              twice: Reason = Reason.MALFORMED_ARRAY) -> Any:
    """Raises FileError, with the reason `twice` for a member that an object has twice,
    of which the last would win in silence."""
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise place.problem(f"{name!r:.128} stands there twice", reason=twice)
            found[name] = value
        return found

    def no_constant(word: str) -> Any:
        raise ValueError(f"it has no {word}")

    try:
        tree = json.loads(content.decode("utf-8-sig"), object_pairs_hook=members,
                          parse_constant=no_constant)
        _check_levels(tree, _MOST_LEVELS)
        return tree
    except FileError:
        raise
    except json.JSONDecodeError as error:
        raise place.problem(f"the text is not JSON at column {error.colno}: {error.msg}",
                            line=error.lineno) from None
    except RecursionError:
        raise place.problem("the text is nested too deeply") from None
    except ValueError as error:
        raise place.problem(f"the text is not JSON: {error}") from None


def _check_levels(tree: Any, most: int) -> None:
    if isinstance(tree, (list, dict)):
        if most == 0:
            raise RecursionError
        for inner in tree.values() if isinstance(tree, dict) else tree:
            _check_levels(inner, most - 1)


def read_yaml(content: bytes, place: FilePlace) -> Any:
    """The one document that is not empty. Raises FileError, and ImportError without
    PyYAML.

    Words without quotes and tags are numbers if they are decimal: YAML itself has 1e-3
    for a string, 010 for eight, and 1:30 for ninety. Tags never make objects.
    """
    try:
        import yaml
    except ImportError:
        raise ImportError(
            f"to read {place.path} takes PyYAML (Debian: python3-yaml)") from None

    def built(event: Any, levels: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            plain = event.tag is None and event.implicit[0]
            return _plain(event.value) if plain else event.value
        if isinstance(event, yaml.AliasEvent):
            raise fault("aliases are not read", event)
        if levels == 0:
            raise fault(f"the text has more than {_MOST_LEVELS} levels of YAML", event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := next(events), yaml.SequenceEndEvent):
                items.append(built(inner, levels - 1))
            return items
        members: dict[str, Any] = {}
        while not isinstance(key := next(events), yaml.MappingEndEvent):
            if not isinstance(key, yaml.ScalarEvent):
                raise fault("a key of YAML is a single word", key)
            if key.value in members:
                raise fault(f"the key {key.value!r:.40} stands there twice", key)
            members[key.value] = built(next(events), levels - 1)
        return members

    def fault(problem: str, event: Any) -> FileError:
        return place.problem(problem, line=event.start_mark.line + 1)

    try:
        events = yaml.parse(content, getattr(yaml, "CLoader", yaml.Loader))
        documents = [built(next(events), _MOST_LEVELS) for event in events
                     if isinstance(event, yaml.DocumentStartEvent)]
    except FileError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise place.problem(
            "the text is not YAML" + (f" at column {mark.column + 1}" if mark else "")
            + f": {error.problem}", line=mark.line + 1 if mark else None) from None
    # The parser that is written in Python makes characters of all numbers.
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        place_of = getattr(error, "position", None)
        raise place.problem(
            f"the text is not YAML: {getattr(error, 'reason', error)}", line=None
            if place_of is None else 1 + content.count(b"\n", 0, place_of)) from None
    documents = [document for document in documents if document is not None]
    if len(documents) != 1:
        raise place.problem(f"has {len(documents)} messages; give one")
    return documents[0]


def _plain(word: str) -> float | str | None:
    if _DECIMAL.fullmatch(word):
        return float(word)
    if _NOT_FINITE.fullmatch(word):
        return float(word.replace(".", ""))
    return None if word in ("", "~", "null") else word
