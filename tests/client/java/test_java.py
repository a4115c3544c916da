"""The Java program of docs/other-languages.md prints the same torques as
torquectl, to the last bit."""

import re

import other_languages


def test_java_gets_the_same_torques(address, printed):
    numbers = re.search(r"double\[\] q = \{(.*?)\}",
                        other_languages.program_of("java")).group(1)
    other_languages.expect_same_torques(address, numbers, printed)


def test_java_sees_the_reason_of_an_error(printed):
    other_languages.expect_reason("java", printed)
