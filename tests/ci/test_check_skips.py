""".ci/check-skips on what ctest writes: every way to skip a test is seen, and
fails unless its reason is on the list."""

import json
import os
import pathlib
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TEST_SOURCE"])
CHECK = SOURCE / ".ci" / "check-skips"

PROJECT = r"""
cmake_minimum_required(VERSION 3.20)
project(skips NONE)
enable_testing()
add_test(NAME by.code COMMAND sh -c "echo lacks a program; exit 77")
set_tests_properties(by.code PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME by.pytest COMMAND /usr/bin/python3 -B -m pytest -q -rs
  -p no:cacheprovider ${CMAKE_SOURCE_DIR}/test_some.py)
add_test(NAME by.silent.pytest COMMAND /usr/bin/python3 -B -m pytest -q
  -p no:cacheprovider ${CMAKE_SOURCE_DIR}/test_some.py)
add_test(NAME by.node COMMAND node --test ${CMAKE_SOURCE_DIR}/some.test.mjs)
add_test(NAME by.gtest COMMAND cat ${CMAKE_SOURCE_DIR}/gtest.txt)
set_tests_properties(by.gtest PROPERTIES
  SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
add_test(NAME by.property COMMAND true)
set_tests_properties(by.property PROPERTIES DISABLED TRUE)
add_test(NAME none COMMAND sh -c "echo nothing was skipped; echo 3 passed")
"""

PYTEST = """
import pytest
@pytest.mark.skipif(True, reason="there is no browser")
def test_of_browsers(): pass
@pytest.mark.parametrize("n", [1, 2])
def test_of_targets(n): pytest.skip("one target only")
def test_that_runs(): pass
"""

NODE = """
import test from 'node:test';
test('one', {skip: 'no page'}, () => {});
test('two', (t) => t.skip('later'));
test('three', {todo: 'some day'}, () => {});
test('four', () => {});
"""

GTEST = """[ RUN      ] Suite.Name
/a/test.cc:12: Skipped
no vectors here

[  SKIPPED ] Suite.Name (0 ms)
"""

SKIPS = {
    ("by.code", "lacks a program"): 1,
    ("by.pytest", "there is no browser"): 1,
    ("by.pytest", "one target only"): 2,
    ("by.silent.pytest", "no reason is printed"): 3,
    ("by.node", "no page"): 1,
    ("by.node", "later"): 1,
    ("by.node", "some day"): 1,
    ("by.gtest", "no vectors here"): 1,
    ("by.property", "disabled"): 1,
}


def run(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True,
                          timeout=60, check=False)


@pytest.fixture(scope="module", name="junit")
def fixture_junit(tmp_path_factory):
    """What ctest wrote of a project with every kind of skip."""
    source = tmp_path_factory.mktemp("project")
    for name, text in (("CMakeLists.txt", PROJECT), ("test_some.py", PYTEST),
                       ("some.test.mjs", NODE), ("gtest.txt", GTEST)):
        (source / name).write_text(text, encoding="utf-8")
    build = source / "build"
    made = run("cmake", "-S", source, "-B", build, cwd=source)
    assert made.returncode == 0, made.stderr
    ran = run("ctest", "--output-junit", "junit.xml",
              "--test-output-size-passed", "1000000", cwd=build)
    # Not one of them failed.
    assert ran.returncode == 0, ran.stdout
    return build / "junit.xml"


def check(junit, allowed, tmp_path):
    file = tmp_path / "allowed"
    file.write_text(allowed, encoding="utf-8")
    return run(CHECK, junit, file, cwd=tmp_path)


def test_every_way_to_skip_is_seen(junit, tmp_path):
    checked = check(junit, "# nothing\n\n", tmp_path)
    assert checked.returncode == 1
    lines = [line for line in checked.stderr.splitlines()
             if line.startswith("check-skips: by.")]
    seen = {}
    for line in lines:
        test, said = line.removeprefix("check-skips: ").split(
            " was skipped: ", 1)
        for key in SKIPS:
            if key[0] == test and key[1] in said:
                seen[key] = seen.get(key, 0) + 1
    assert seen == SKIPS
    assert len(lines) == sum(SKIPS.values())
    assert "none was skipped" not in checked.stderr


def test_a_reason_on_the_list_passes_for_its_test_alone(junit, tmp_path):
    everything = [f"{test}  {reason}" for test, reason in SKIPS]
    passed = check(junit, "\n".join(everything), tmp_path)
    assert passed.returncode == 0, passed.stderr
    for left_out in range(len(everything)):
        rest = everything[:left_out] + everything[left_out + 1:]
        checked = check(junit, "\n".join(rest), tmp_path)
        assert checked.returncode == 1, everything[left_out]
        assert everything[left_out].split("  ")[0] in checked.stderr
    # The name is the whole name.
    assert check(junit, "\n".join(["by  ."] + everything[1:]),
                 tmp_path).returncode == 1


def test_no_test_at_all_is_a_failure(tmp_path):
    empty = tmp_path / "junit.xml"
    empty.write_text('<testsuite tests="0"></testsuite>', encoding="utf-8")
    checked = check(empty, "", tmp_path)
    assert checked.returncode == 1
    assert "no test ran" in checked.stderr


def test_every_preset_writes_what_is_checked():
    presets = json.loads((SOURCE / "CMakePresets.json").read_text())
    for preset in presets["testPresets"]:
        output = preset["output"]
        assert output["outputJUnitFile"].endswith("/junit.xml")
        assert output["maxPassedTestOutputSize"] >= 1_000_000
        assert preset["execution"]["noTestsAction"] == "error"


@pytest.mark.parametrize("script", ["run", "sanitize", "check-full"])
def test_every_run_of_ctest_is_checked(script):
    """Of the scripts of continuous integration; `make test` is one, too."""
    text = (SOURCE / ".ci" / script).read_text(encoding="utf-8")
    runs = sum(line.strip().startswith(("ctest --preset", "make test"))
               for line in text.splitlines())
    assert runs >= 1
    assert text.count(".ci/check-skips build/") == runs
