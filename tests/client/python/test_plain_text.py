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


def test_what_steers_terminals_is_escaped_and_nothing_else():
    for code in range(0x10000):
        shown = f"a\\u{code:04x}b" if steers(code) else f"a{chr(code)}b"
        assert errors.plain(f"a{chr(code)}b") == shown, hex(code)


@pytest.mark.parametrize("make", [
    lambda text: TrajectoryVerdict(
        trajectory.TrajectoryVerdict(message=text), None, {}, {}, 0),
    lambda text: errors.make("NOT_FOUND", text, reason=Reason.MODEL_NOT_FOUND),
    lambda text: errors.file_error("a.csv", text),
    lambda text: errors.RowError(
        view(dynamics.RowStatus(code=1, field="q", message=text))),
    errors.LeftOutWarning, errors.ModelWarning, errors.SingularTaskWarning])
def test_it_is_escaped_in_all_that_is_printed(make):
    made = make("a\u202eb")
    assert "a\\u202eb" in str(made)
    # The message is as it came.
    assert "a\u202eb" in getattr(made, "message", "a\u202eb")
