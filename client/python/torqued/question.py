"""From the keywords of a call to what travels; the same for both kinds of robot."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from torqued import errors
from torqued.batch import Plan
from torqued.checking import check_progress, refuse, set_field
from torqued.choice import parse
from torqued.contract import INPUTS, OPTIONS, QUANTITIES, ModelInfo, Quantity, Reason
from torqued.inputs import States, table
from torqued.values import ExternalWrench, FloatArray
from torqued.v1 import array_pb2, dynamics_pb2

_BAD_ROWS = ("raise", "nan")


def fill_request(message: Any, model: ModelInfo, words: Mapping[str, Any], task: bool,
                 encoding: Any, places: Sequence[ExternalWrench] = ()) -> None:
    """Sets the fields of options, except frames of wrenches. task: whether those of a
    task count."""
    message.model = "@" + model.revision
    options = message.options
    options.encoding = encoding
    for word, value in words.items():
        if value is None or word not in OPTIONS:
            continue
        for target in (options, options.terms, message.operational_space):
            if word in target.DESCRIPTOR.fields_by_name:
                set_field(target, word, value)
    for wrench in places:
        place = options.external_wrenches.add(frame=wrench.frame)
        if wrench.reference_frame is not None:
            set_field(place, "reference_frame", wrench.reference_frame)
    if task:
        message.operational_space.SetInParent()
    else:
        message.ClearField("operational_space")


def parsed_quantities(names: Any) -> "tuple[Quantity, ...]":
    if isinstance(names, str) or not isinstance(names, Iterable):
        names = [names]
    chosen = []
    for index, name in enumerate(names):
        try:
            chosen.append(parse(Quantity, name))
        except ValueError as error:
            raise errors.invalid(Reason.INVALID_FIELD, f"quantities[{index}]",
                                 str(error)) from None
    return tuple(chosen)


def order_of(model: ModelInfo, words: Mapping[str, Any]) -> Sequence[str]:
    """Joints in the order of all tables: the option's, else the model's."""
    names = words.get("joint_names")
    if names is None or not len(names):
        return [joint.name for joint in model.proto.joints]
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        refuse("joint_names", "a list of names", names)
    return list(map(str, names))


def plan_of(model: ModelInfo, quantities: Any, words: Mapping[str, Any]) -> Plan:
    """words: inputs and options, None if absent."""
    chosen = parsed_quantities(quantities)
    words = dict(words)
    check_progress(words.get("progress"))
    if words.get("bad_rows") not in (None, *_BAD_ROWS):
        refuse("bad_rows", '"raise" or "nan"', words["bad_rows"])
    places = _places(words.pop("external_wrenches_on_robot", None))
    tables = {}
    for name, axes in INPUTS.items():
        given = words.get(name)
        if given is None or (name == "gravity" and np.ndim(_shaped(given)) < 2):
            continue
        words[name] = None
        by_name = axes in (("nq",), ("nv",)) and not isinstance(given, np.ndarray)
        tables[name] = table(name, given, order_of(model, words) if by_name else None)
    if places:
        tables["external_wrenches_on_robot"] = _beside(places)
    states = States(tables)
    encoding = (array_pb2.ENCODING_F32 if states.dtype.itemsize == 4
                else array_pb2.ENCODING_F64)
    request = dynamics_pb2.ComputeRequest()
    frame = words.pop("tip_wrench_reference_frame", None)
    if frame is not None:
        set_field(request.tip_wrench_on_environment, "reference_frame", frame,
                  "tip_wrench_reference_frame")
    request.quantities.extend(chosen)
    fill_request(request, model, words, any(
        "task" in QUANTITIES[quantity].reads for quantity in chosen), encoding, places)
    return Plan(
        request=request, quantities=chosen, states=states, n=model.nv,
        deadline=words.get("deadline"), progress=words.get("progress"))


def _shaped(given: Any) -> Any:
    """What is ragged has rows, too."""
    try:
        return np.asarray(given)
    except ValueError:
        return np.zeros((1, 1))


def _places(given: Any) -> "list[ExternalWrench]":
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [ExternalWrench(wrench, frame) for frame, wrench in given.items()]
    if isinstance(given, ExternalWrench):
        return [given]
    if isinstance(given, Iterable):
        places = list(given)
        if all(isinstance(place, ExternalWrench) for place in places):
            return places
    refuse("external_wrenches_on_robot", "a dict from link names to wrenches, or a "
           "list of torqued.ExternalWrench", given)


def _beside(places: "list[ExternalWrench]") -> FloatArray:
    """All wrenches in one table, six columns each."""
    name = "external_wrenches_on_robot"
    tables = [table(name, place.wrench) for place in places]
    for index, numbers in enumerate(tables):
        if numbers.shape[-1] != 6:
            raise errors.invalid(
                Reason.WRONG_COLUMN_COUNT, name,
                f"external wrench {index} has {numbers.shape[-1]} numbers; give 6")
    try:
        leading = np.broadcast_shapes(*(numbers.shape[:-1] for numbers in tables))
    except ValueError as error:
        raise errors.invalid(Reason.WRONG_ROW_COUNT, name, f"{name}: {error}") from None
    return np.concatenate(
        [np.broadcast_to(numbers, (*leading, 6)) for numbers in tables], -1)

