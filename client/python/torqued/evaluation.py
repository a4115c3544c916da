"""A computation of any number of states: from the keywords of a call to what travels, and
from replies to an Evaluation. Sends nothing itself; connection.py does."""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from torqued import contract, errors
from torqued.contract import (
    Echo, ModelInfo, Precision, Quantity, Reason, Results, RowCode, RowStatus)
from torqued.errors import RowError, SingularTaskWarning
from torqued.inputs import (
    F32, States, field, names_of, refuse, rows_field, set_field, table)
from torqued.message import parse, view
from torqued.values import ExternalWrench, FloatArray
from torqued.v1 import array_pb2, dynamics_pb2, quantity_pb2


def _table_of(field: Any) -> quantity_pb2.TableInfo:
    return field.GetOptions().Extensions[quantity_pb2.table_info]


#: Fields of Results by their quantity.
RESULTS = {quantity: [field for field in dynamics_pb2.Results.DESCRIPTOR.fields
                      if _table_of(field).quantity == quantity.value]
           for quantity in Quantity}
#: Shapes of the inputs that travel with the states.
INPUTS = {field.name: _table_of(field).shape
          for field in dynamics_pb2.EvaluateChunk.DESCRIPTOR.fields}
_OF_TASKS = {value.number for value in quantity_pb2.Quantity.DESCRIPTOR.values
             if "task" in value.GetOptions().Extensions[
                 quantity_pb2.quantity_info].needs.split()}
#: Bytes of rows in a message beyond which larger ones are not faster.
GOOD_MESSAGE = 1024 * 1024
#: Calls in flight at a time.
WINDOW = 8
# A reply lists at most so many rows that are not OK.
_LISTED_ROWS = 1000


class Evaluation(Results):
    """All results of a call, as attributes: `tau`, `mass_matrix`, `Lambda`, ... Each has
    the leading axes of the states, then the axes of one state.

    Attributes
    ----------
    row_status
        Of all states that are not `ok`; rows count in row-major order.
    echo
        What was computed.
    names
        Of the results that there are, see `Results`.
    """

    def __init__(self, leading: tuple[int, ...],
                 results: dict[str, npt.NDArray[Any]],
                 row_status: list[RowStatus], echo: dynamics_pb2.Echo) -> None:
        self._leading = leading
        self.rows = math.prod(leading)
        self.row_status = row_status
        self.echo: Echo = view(echo)
        self.names = tuple(results)
        for name, numbers in results.items():
            setattr(self, name, numbers.reshape(leading + numbers.shape[1:])[()])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{name} was not asked for; there are " + ", ".join(self.names)
            if name in Results.__annotations__ else name)

    @functools.cached_property
    def ok(self) -> npt.NDArray[np.bool_]:
        """Whether a state has its results, with the leading axes of the states."""
        ok = np.ones(self.rows, np.bool_)
        ok[[status.row for status in self.row_status]] = False
        return ok.reshape(self._leading)

    @property
    def revision(self) -> str:
        return self.echo.revision

    @property
    def computed_precision(self) -> Precision:
        """The precision that computed; DOUBLE for robots of over 256 degrees of
        freedom, also if SINGLE was asked for."""
        return self.echo.computed_precision or self.echo.precision or Precision.DOUBLE

    def returned(self, quantity: Quantity) -> Any:
        """The value that the function of a quantity returns."""
        results = [self.__dict__.get(_attribute(field)) for field in RESULTS[quantity]]
        if len(results) == 1:
            return results[0]
        return getattr(contract, quantity.name.title().replace("_", ""))(*results)

    def raise_or_warn(self, bad_rows: str | None) -> None:
        if not self.row_status or bad_rows == "nan":
            return
        for status in self.row_status:
            if status.code != RowCode.SINGULAR_TASK_SPACE:
                raise RowError(status)
        first = self.row_status[0]
        errors.warn(SingularTaskWarning(
            f"{len(self.row_status)} of {self.rows} rows follow the singularity rule; "
            f"the first is row {first.row}: {first.message}"))

    def __repr__(self) -> str:
        return (f"<torqued.Evaluation of {self.rows} states: {', '.join(self.names)}; "
                f"{len(self.row_status)} not ok>")


def _attribute(result: Any) -> str:
    """`lambda` is a word of Python."""
    return "Lambda" if result.name == "lambda" else result.name


#: The common part of calls with the same quantities and options: the message without
#: states, and the field of each result with the axes of one state.
Question = tuple[bytes, tuple[tuple[Any, tuple[int, ...]], ...]]


class Batch:
    """One run: a call for each of `parts`, ranges of rows, whose replies `take` joins.

    A batch of no states asks for one of zeros, so that everything else about it is looked
    at, and its answer has no rows.
    """

    def __init__(self, question: Question, states: States, deadline: float | None,
                 progress: Any) -> None:
        self.deadline = deadline
        self._head, self._asked = question
        self._states, self._rows = states, max(states.rows, 1)
        self._tell = teller(progress)
        self._results: dict[str, Any] = {}
        self._row_status: list[Any] = []
        self._echo = dynamics_pb2.Echo()

    def parts(self, payload: int, most: int) -> list[range]:
        """payload: bytes of a message. most: rows of a message; 0: any number."""
        if self._rows == 1:
            return [range(1)]
        sent = sum(rows.shape[1] * rows.itemsize for rows in self._states.arrays.values()
                   if len(rows) > 1)
        returned = self._states.dtype.itemsize * sum(
            math.prod(axes) for _, axes in self._asked)
        rows = max(payload // max(sent, returned, 1), 1)
        rows = rows if rows < 64 else rows // 64 * 64
        return _cut(range(self._rows), min(rows, most or rows))

    def request(self, part: range) -> bytes:
        pieces: list[Any] = [self._head]
        for name, rows in self._states.arrays.items():
            if len(rows) > 1:
                rows = rows[part.start:part.stop]
            if name == "tip_wrench_on_environment":
                pieces += field(dynamics_pb2.ComputeRequest, name,
                                rows_field(dynamics_pb2.TipWrench, "wrench", rows))
            else:
                pieces += rows_field(dynamics_pb2.ComputeRequest, name, rows)
        return b"".join(pieces)

    def take(self, part: range, reply: dynamics_pb2.ComputeReply) -> list[range]:
        """In order. The parts to ask for instead, if the reply does not list all rows
        that are not OK."""
        if reply.rows_not_ok > len(reply.row_status) and len(part) > _LISTED_ROWS:
            return _cut(part, _LISTED_ROWS)
        self._echo = reply.echo
        kind = self._states.dtype
        for result, axes in self._asked:
            sent = getattr(reply.results, result.name)
            if result.message_type is not None:
                numbers = np.frombuffer(sent.f32 if kind == F32 else sent.f64, kind)
                numbers = numbers.reshape(len(part), *axes)
                if result.name == "pose":
                    # Homogeneous; a row without an answer has NaNs alone.
                    last = np.where(np.isnan(numbers[:, :1, :1]), np.nan, [0, 0, 0, 1])
                    numbers = np.concatenate([numbers, last.astype(kind)], axis=1)
            elif sent:
                numbers = np.array(sent)
            else:
                continue
            name = _attribute(result)
            if name not in self._results:
                self._results[name] = np.zeros(
                    (self._rows, *numbers.shape[1:]), numbers.dtype)
            self._results[name][part.start:part.stop] = numbers
        for status in reply.row_status:
            status.row += part.start
            self._row_status.append(view(status))
        self._tell(min(part.stop, self._states.rows), self._states.rows)
        return []

    def evaluation(self) -> Evaluation:
        end = self._states.rows
        return Evaluation(
            self._states.leading,
            {name: numbers[:end] for name, numbers in self._results.items()},
            self._row_status if end else [], self._echo)


def _cut(part: range, rows: int) -> list[range]:
    return [part[first:first + rows] for first in range(0, len(part), rows)]


def teller(progress: Any) -> Callable[[int, int], Any]:
    """A function of (done, total) from a callback or a tqdm-like bar."""
    if progress is None:
        return lambda done, total: None
    if callable(progress):
        return progress
    if not hasattr(progress, "update"):
        refuse("progress", "a function of (done, total), or a bar that has update()",
               progress)
    shown = 0

    def tell(done: int, total: int) -> None:
        nonlocal shown
        if getattr(progress, "total", None) is None:
            progress.total = total
        progress.update(done - shown)
        shown = done

    return tell


def fill_request(message: Any, reference: str, words: Mapping[str, Any], task: bool,
                 ) -> None:
    """Sets the fields of options. task: whether those of a task count."""
    message.model = reference  # with a name, to which rights may be limited
    for word, value in words.items():
        for target in (message.options, message.options.terms, message.operational_space):
            if value is not None and word in target.DESCRIPTOR.fields_by_name:
                set_field(target, word, value)
    if task:
        message.operational_space.SetInParent()
    else:
        message.ClearField("operational_space")


def order_of(model: ModelInfo, words: Mapping[str, Any]) -> Sequence[str]:
    """Joints in the order of all tables: the option's, else the model's."""
    names = words.get("joint_names")
    if names is None or not len(names):
        return [joint.name for joint in model.proto.joints]
    return names_of(names)


def batch_of(model: ModelInfo, quantities: Any, words: dict[str, Any]) -> Batch:
    """words: inputs and options, none of them None."""
    try:
        if isinstance(quantities, str):
            raise ValueError(f"a list of names, not {quantities!r:.60}")
        chosen = tuple(parse(Quantity, name) for name in quantities)
    except (TypeError, ValueError) as error:
        raise errors.invalid(Reason.INVALID_FIELD, "quantities", str(error)) from None
    bad_rows = words.get("bad_rows", "raise")
    if bad_rows not in ("raise", "nan"):
        refuse("bad_rows", '"raise" or "nan"', bad_rows)
    tables, options = {}, {}
    frames: list[Any] = []
    for name, given in words.items():
        if name in ("bad_rows", "deadline", "progress"):
            continue
        # One for all rows is an option. Ragged lists are an array of objects.
        if name not in INPUTS or name == "gravity" and np.ndim(
                given if isinstance(given, np.ndarray) else np.array(given, object)) < 2:
            options[name] = names_of(given) if name == "joint_names" else given
        elif name == "external_wrenches_on_robot":
            frames, wrenches = _beside(name, given)
            if frames:
                tables[name] = wrenches
        else:
            by_name = type(given) is not np.ndarray and INPUTS[name] in ("nq", "nv")
            tables[name] = table(name, given, order_of(model, words) if by_name else None)
    states = States(tables)
    if not states.rows:
        options.pop("fail_fast", None)
    return Batch(
        _question(f"{model.name}@{model.revision}", model.nv, chosen, states.dtype,
                  pickle.dumps((options, frames)) if options or frames else b""),
        states, words.get("deadline"), words.get("progress"))


@functools.lru_cache(maxsize=256)
def _question(reference: str, n: int, quantities: tuple[Quantity, ...],
              kind: np.dtype[Any], pickled: bytes) -> Question:
    """n: joints. pickled: options, and the frames of external wrenches."""
    options, frames = pickle.loads(pickled) if pickled else ({}, [])
    request = dynamics_pb2.ComputeRequest()
    request.quantities.extend(quantities)
    if "tip_wrench_reference_frame" in options:
        set_field(request.tip_wrench_on_environment, "reference_frame",
                  options["tip_wrench_reference_frame"], "tip_wrench_reference_frame")
    fill_request(request, reference, options, not _OF_TASKS.isdisjoint(quantities))
    request.options.encoding = (
        array_pb2.ENCODING_F32 if kind == F32 else array_pb2.ENCODING_F64)
    for frame, reference_frame in frames:
        place = request.options.external_wrenches.add(frame=frame)
        if reference_frame is not None:
            set_field(place, "reference_frame", reference_frame)
    m = len(request.operational_space.axes) or 6
    sizes = {"nq": n, "nv": n, "links": n, "10links": 10 * n, "m": m}
    return request.SerializeToString(), tuple(
        (field, tuple(int(sizes.get(word, word)) for word in _table_of(field).shape.split()))
        for quantity in quantities for field in RESULTS[quantity])


def _beside(name: str, given: Any) -> tuple[list[tuple[str, Any]], FloatArray]:
    """The frames of wrenches, and all wrenches in one table, six columns each."""
    places = ([ExternalWrench(wrench, frame) for frame, wrench in given.items()]
              if isinstance(given, Mapping) else given)
    if not isinstance(places, (list, tuple)) or not all(
            isinstance(place, ExternalWrench) for place in places):
        refuse(name, "a dict from link names to wrenches, or a list of "
               "torqued.ExternalWrench", given)
    tables = [table(name, place.wrench) for place in places]
    try:
        # The last one has the six columns that all must have.
        rows = np.stack(np.broadcast_arrays(*tables, np.zeros(6, F32)), -2)[..., :-1, :]
    except ValueError as error:
        raise errors.invalid(Reason.WRONG_COLUMN_COUNT, name, f"{name}: {error}") from None
    return ([(place.frame, place.reference_frame) for place in places],
            np.ascontiguousarray(rows).reshape(*rows.shape[:-2], 6 * len(places)))
