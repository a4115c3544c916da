"""Keywords that a function does not have: never ignored, and told with the
nearest that it has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

from torqued.near_names import hint

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


def check_keywords(given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError for one that is not of `known`."""
    names = frozenset(known)
    for word in given:
        if word not in names:
            raise TypeError(
                f"unexpected keyword {word!r}" + hint(word, names))


def names_its_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """For functions that name all their keywords, which Python refuses without
    a hint."""
    known = [
        name for name, parameter in
        inspect.signature(function).parameters.items()
        if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
        and name != "self"]

    @functools.wraps(function)
    def checked(*arguments: P.args, **words: P.kwargs) -> R:
        check_keywords(words, known)
        return function(*arguments, **words)

    return checked


def names_its_fields(kind: C) -> C:
    """The same for a class that is made by keywords."""
    made: Any = kind
    made.__init__ = names_its_keywords(made.__init__)
    return kind
