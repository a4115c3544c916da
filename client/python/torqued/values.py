"""Arguments of functions."""

from __future__ import annotations

import os
from typing import (
    Any, Callable, Literal, Mapping, NamedTuple, Protocol, Sequence, TypeVar, Union,
    runtime_checkable)

import numpy as np
import numpy.typing as npt

E = TypeVar("E")
FloatArray = npt.NDArray[np.floating[Any]]
#: A file or a directory.
Path = Union[str, "os.PathLike[str]"]
#: See `Functions`.
BadRows = Literal["raise", "nan"]


class Entered:
    """`with` closes it."""

    close: Any

    def __enter__(self: E) -> E:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class AwaitedEntered:
    """`async with` closes it."""

    close: Any

    async def __aenter__(self: E) -> E:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


@runtime_checkable
class Columns(Protocol):
    """Numbers by joint name: a dict, a pandas DataFrame or Series, or anything else
    that has keys() and accepts them in brackets."""

    def keys(self) -> Any: ...

    def __getitem__(self, key: str, /) -> Any: ...


#: One number for each joint in the last axis, in joint order; or numbers by name.
JointInput = Union[npt.ArrayLike, Columns]


class ProgressBar(Protocol):
    """The part of tqdm that is used."""

    total: Any

    def update(self, n: int, /) -> Any: ...


#: Called with (states done, states of all), or a tqdm-like bar.
Progress = Union[Callable[[int, int], Any], ProgressBar]


class ExternalWrench(NamedTuple):
    """A wrench that acts ON THE ROBOT at a link.

    Attributes
    ----------
    wrench
        (..., 6), (moment; force), N m and N.
    frame
        Link name; "": the tip frame.
    reference_frame
        Axes and point of the wrench, of that frame; None: LOCAL.
    """

    wrench: npt.ArrayLike
    frame: str = ""
    reference_frame: Any = None


#: At several links: a list, or a dict from link names to wrenches in LOCAL axes.
ExternalWrenches = Union[Sequence[ExternalWrench], Mapping[str, npt.ArrayLike]]
