"""What the package shows of the contract."""

import inspect

import pytest
import torqued
from torqued.contract import OPTIONS, QUANTITIES
from torqued.v1 import quantity_pb2


def test_every_quantity_is_a_documented_function_of_both_robots():
    assert {quantity.value for quantity in QUANTITIES} == set(
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


@pytest.mark.parametrize("function", ["compute", "with_options"])
def test_what_computes_anything_takes_every_option(function):
    shown = set(inspect.signature(getattr(torqued.Robot, function)).parameters)
    assert set(OPTIONS) <= shown


def test_both_kinds_of_client_have_the_same_functions():
    for kind in ("Client", "Robot"):
        names = [{name for name in dir(getattr(module, kind)) if name[0] != "_"}
                 for module in (torqued, torqued.aio)]
        assert names[0] == names[1]


def test_everything_public_is_documented():
    for name in torqued.__all__:
        thing = getattr(torqued, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
    for kind in (torqued.Client, torqued.Robot, torqued.aio.Client, torqued.aio.Robot):
        for name, function in inspect.getmembers(kind, inspect.isfunction):
            assert name[0] == "_" or function.__doc__, f"{kind}.{name}"
