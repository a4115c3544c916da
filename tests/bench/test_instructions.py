"""The comparison of instruction counts, with tools that count as told."""

import os
import stat

import pytest

import instructions

COMPILER = "GNU 12.2.0 x86_64 Release"

# Two cases for valgrind, one that counts its steps. A call has 8 states.
PROGRAM = f"""#!/bin/sh
case $1 in
  compiler) echo "{COMPILER}" ;;
  list) printf 'baseline/arm/mass_matrix\\nbaseline/arm/jacobian\\n'
        printf 'avx512/arm/jacobian\\n' ;;
  step) shift
        if [ -n "$NO_STEPS" ]; then echo 'no steps' >&2; exit 1; fi
        for case; do echo "$case 160 8"; done ;;
esac
"""

# Writes a profile per case named in COUNTS, as callgrind does: set-up first.
VALGRIND = """#!/usr/bin/python3
import os, sys
path = next(a for a in sys.argv if a.startswith("--callgrind-out-file="))
path = path.split("=")[1]
with open(f"{path}.1", "w") as file:
    file.write("desc: Trigger: Client Request: set-up\\ntotals: 999999\\n")
for i, item in enumerate(os.environ["COUNTS"].split()):
    case, total = item.split("=")
    assert case in sys.argv
    with open(f"{path}.{i + 2}", "w") as file:
        file.write(f"desc: Trigger: Client Request: {case} 8\\n"
                   f"fn=whatever\\ntotals: {total}\\n")
"""

@pytest.fixture
def tools(tmp_path, monkeypatch):
    """The programs, on a search path of their own."""
    for name, text in (("program", PROGRAM), ("valgrind", VALGRIND)):
        file = tmp_path / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    counts(monkeypatch, 8000, 4000)
    return tmp_path


def counts(monkeypatch, mass_matrix, jacobian):
    monkeypatch.setenv("COUNTS", f"baseline/arm/mass_matrix={mass_matrix} "
                                 f"baseline/arm/jacobian={jacobian}")


def run(tools, command):
    return instructions.main([command, str(tools / "program"), "--table",
                              str(tools / "table.txt")])


def test_table_holds_instructions_per_state(tools):
    assert run(tools, "update") == 0
    compiler, table = instructions.read_table(tools / "table.txt")
    assert compiler == COMPILER
    assert table == {"baseline/arm/mass_matrix": 1000,
                     "baseline/arm/jacobian": 500,
                     "avx512/arm/jacobian": 20}


def test_same_counts_pass(tools, capsys):
    run(tools, "update")
    assert run(tools, "check") == 0
    assert "3 counts are within 3 %" in capsys.readouterr().out


@pytest.mark.parametrize("mass_matrix, status", [(8232, 0), (8250, 1)])
def test_slack_is_three_percent(tools, monkeypatch, capsys, mass_matrix,
                                status):
    run(tools, "update")
    counts(monkeypatch, mass_matrix, 4000)
    assert run(tools, "check") == status
    said = capsys.readouterr().out
    assert ("baseline/arm/mass_matrix takes 1031 instructions per state, "
            "3.1 % more than the 1000 of the table" in said) == bool(status)
    assert (f"update {tools}/program" in said) == bool(status)


def test_fewer_instructions_pass_and_are_told(tools, monkeypatch, capsys):
    run(tools, "update")
    counts(monkeypatch, 4000, 4000)
    assert run(tools, "check") == 0
    assert "mass_matrix: 500, less than the 1000" in capsys.readouterr().out


def test_more_instructions_of_avx512_fail(tools, capsys):
    run(tools, "update")
    table = tools / "table.txt"
    table.write_text(table.read_text().replace("avx512/arm/jacobian 20",
                                               "avx512/arm/jacobian 19"))
    assert run(tools, "check") == 1
    assert "avx512/arm/jacobian takes 20" in capsys.readouterr().out


def test_where_nothing_can_be_traced_avx512_is_left_out_and_kept(
        tools, monkeypatch, capsys):
    run(tools, "update")
    before = (tools / "table.txt").read_text()
    monkeypatch.setenv("NO_STEPS", "1")
    assert run(tools, "check") == 0
    said = capsys.readouterr().out
    assert "no steps" in said
    assert "1 of AVX-512 cannot be counted here" in said
    run(tools, "update")
    assert (tools / "table.txt").read_text() == before


def test_other_compiler_is_skipped(tools, capsys):
    run(tools, "update")
    table = tools / "table.txt"
    table.write_text(table.read_text().replace("12.2.0", "13.1.0"))
    assert run(tools, "check") == 77
    assert "GNU 13.1.0" in capsys.readouterr().out


def test_case_without_a_line_fails(tools, capsys):
    run(tools, "update")
    table = tools / "table.txt"
    table.write_text("".join(line for line in table.open()
                             if "baseline/arm/jacobian" not in line))
    assert run(tools, "check") == 1
    assert "baseline/arm/jacobian is not in the table" in \
        capsys.readouterr().out


def test_line_without_a_case_fails_for_targets_of_this_machine(tools, capsys):
    run(tools, "update")
    with (tools / "table.txt").open("a") as table:
        table.write("baseline/arm/gone 5\navx2/arm/jacobian 5\n")
    assert run(tools, "check") == 1
    said = capsys.readouterr().out
    assert "baseline/arm/gone of the table does not exist" in said
    assert "avx2" not in said


def test_counting_nothing_is_an_error(tools, monkeypatch):
    counts(monkeypatch, 0, 4000)
    with pytest.raises(instructions.Failure,
                       match="no instructions of baseline/arm/mass_matrix"):
        run(tools, "update")


def test_missing_valgrind_is_named(tools, monkeypatch):
    (tools / "valgrind").unlink()
    monkeypatch.setenv("PATH", str(tools))
    (tools / "sh").symlink_to("/usr/bin/sh")
    with pytest.raises(instructions.Failure, match="valgrind is not installed"):
        run(tools, "update")
