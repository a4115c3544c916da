"""What the package shows of the contract."""

import inspect
import re

import torqued
from torqued.v1 import quantity_pb2


def test_every_quantity_is_a_documented_function_of_both_robots():
    assert {quantity.value for quantity in torqued.Quantity} == set(
        quantity_pb2.Quantity.values()) - {0}
    for quantity in torqued.Quantity:
        function = getattr(torqued.Robot, quantity.name.lower())
        assert "Returns" in inspect.getdoc(function)
        assert getattr(torqued.aio.Robot, quantity.name.lower()) is function


def test_help_shows_every_option_that_a_quantity_reads():
    shown = inspect.signature(torqued.Robot.task_torque).parameters
    assert {"axes", "damping", "gravity", "tip_wrench_on_environment", "base_twist",
            "null_space_torque", "payload", "precision"} <= set(shown)
    for name, parameter in shown.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert f"\n{name}\n    " in inspect.getdoc(torqued.Robot.task_torque)
    assert "gravity" not in inspect.signature(torqued.Robot.jacobian).parameters


def test_what_computes_anything_takes_every_option():
    every, bound = (set(inspect.signature(function).parameters) for function in (
        torqued.Robot.compute, torqued.Robot.with_options))
    assert "payload" in bound and bound < every


def test_both_kinds_of_client_have_the_same_functions():
    for kind in ("Client", "Robot"):
        names = [{name for name in dir(getattr(module, kind)) if name[0] != "_"}
                 for module in (torqued, torqued.aio)]
        assert names[0] == names[1]


def test_everything_public_and_its_parameters_are_documented():
    things = {name: getattr(torqued, name) for name in torqued.__all__}
    for kind in (torqued.Client, torqued.Robot, torqued.Trajectory,
                 torqued.TrajectoryVerdict, torqued.LocalServer):
        things.update((f"{kind.__name__}.{name}", function)
                      for name, function in inspect.getmembers(kind, callable)
                      if name[0] != "_")
    for name, thing in things.items():
        if inspect.isclass(thing) or inspect.isroutine(thing):
            text = inspect.getdoc(thing)
            assert text, name
            if inspect.isroutine(thing):
                # The deadline is that of the class; `as` names a sibling's parameters.
                assert not [word for word in inspect.signature(thing).parameters
                            if word not in ("self", "deadline")
                            and not re.search(rf"\b{word}\b|([Aa]s|[Ss]ee) `|with its parameters", text)], name
