"""What errors and verdicts print steers no terminal, whatever a server or a file
says."""

import pytest

from torqued import errors
from torqued.enums import LimitKind, Reason, RemarkKind, RowCode
from torqued.remarks import Peak, Remark
from torqued.verdict import LimitedBy, LimitViolation


def steers(code):
    return (code < 0x20 and code not in (9, 10) or 0x7F <= code <= 0x9F
            or code in (0x61C, 0x200E, 0x200F) or 0x2028 <= code <= 0x202E
            or 0x2066 <= code <= 0x2069)


def of_a_call(text):
    return errors.make("NOT_FOUND", text, reason=Reason.MODEL_NOT_FOUND)


def of_a_file(text):
    return errors.FilePlace("a.csv").problem(text)


def of_a_row(text):
    return errors.RowError(errors.RowStatus(
        3, RowCode.INVALID_INPUT, "q", "elbow", 1.0, text))


PEAK = Peak(0, 0.0, 1.0)


def of_a_violation(joint):
    return LimitViolation(
        LimitKind.TORQUE, joint, 0, 0, 0.0, 0.0, 1, PEAK, 1.0, 1.0)


def of_what_limits(joint):
    return LimitedBy(0, 0.0, joint, LimitKind.TORQUE)


def of_a_remark(joint):
    return Remark(
        RemarkKind.VELOCITY, joint, 0, 1, 0.0, 1.0, 1, PEAK, 1.0, 1.0)


@pytest.mark.parametrize("make", [
    of_a_violation, of_what_limits, of_a_remark, of_a_call, of_a_file, of_a_row, errors.BadRowsWarning,
    errors.LeftOutWarning, errors.SingularTaskWarning])
def test_what_steers_terminals_is_escaped_and_nothing_else(make):
    for code in range(0x10000):
        if 0xD800 <= code <= 0xDFFF:
            continue
        text = str(make(f"a{chr(code)}b"))
        shown = f"a\\u{code:04x}b" if steers(code) else f"a{chr(code)}b"
        assert shown in text, hex(code)
        assert not steers(code) or chr(code) not in text, hex(code)


def test_the_message_is_as_it_came():
    assert of_a_call("a\u202eb").message == "a\u202eb"
