"""What errors and verdicts print steers no terminal, whatever a server or a file
says."""

import pytest
from torqued import errors
from torqued.contract import Reason
from torqued.message import view
from torqued.v1 import dynamics_pb2 as dynamics
from torqued.v1 import trajectory_pb2 as trajectory
from torqued.verdict import TrajectoryVerdict


def steers(code):
    return (code < 0x20 and code not in (9, 10) or 0x7F <= code <= 0x9F
            or code in (0x61C, 0x200E, 0x200F) or 0x2028 <= code <= 0x202E
            or 0x2066 <= code <= 0x2069)


def of_a_call(text):
    return errors.make("NOT_FOUND", text, reason=Reason.MODEL_NOT_FOUND)


def of_a_file(text):
    return errors.FilePlace("a.csv").problem(text)


def of_a_row(text):
    return errors.RowError(view(dynamics.RowStatus(code=1, field="q", message=text)))


def of_a_verdict(text):
    return TrajectoryVerdict(trajectory.TrajectoryVerdict(message=text), None, {}, {}, 0)


def test_what_steers_terminals_is_escaped_and_nothing_else():
    for code in range(0x10000):
        shown = f"a\\u{code:04x}b" if steers(code) else f"a{chr(code)}b"
        assert errors.plain(f"a{chr(code)}b") == shown, hex(code)


@pytest.mark.parametrize("make", [
    of_a_verdict, of_a_call, of_a_file, of_a_row, errors.LeftOutWarning,
    errors.SingularTaskWarning])
def test_it_is_escaped_in_all_that_is_printed(make):
    assert "a\\u202eb" in str(make("a\u202eb"))


def test_the_message_is_as_it_came():
    assert of_a_call("a\u202eb").message == "a\u202eb"
