"""What a terminal shows."""

import numpy as np

from calls import ERROR, OK, PANDA, on_a_terminal, planar_with, run

TURNED = "\u202egnorw"


def test_progress_goes_away_and_is_not_there_if_quiet(tmp_path, monkeypatch):
    command = ("compute", "energy", "-m", PANDA, "--q", "@q.npy", "--output", "csv")
    monkeypatch.chdir(tmp_path)
    np.save("q.npy", np.zeros((1_500_000, 7)))
    code, shown = on_a_terminal("stderr", *command, "--spawn")
    assert code == OK
    assert "of 1500000 states" in shown and shown.endswith("\r\x1b[K")
    assert on_a_terminal("stderr", *command, "--spawn", "--quiet") == (OK, "")


def steering(text):
    return [c for c in text if c in "\u202e\u0085\u009b\x1b"]


def test_no_output_for_people_has_what_steers_a_terminal(tmp_path):
    turned = planar_with(tmp_path / "turned.urdf", ("joint1", "joint" + TURNED),
                         ("link1", "link\u0085\u009b"))
    for words in (("models", "show", turned), ("id", "-m", turned, "--q",
                                               "0,0"),
                  ("models", "validate", turned),
                  ("id", "-m", turned, "--q", "0,0,0"),
                  ("id", "-m", turned, "--q", "0,0", "--joint-names", "x\u202ey,b")):
        for form in ("table", "json"):
            done = run(*words, "--output", form)
            assert not steering(done.stdout + done.stderr), words
    refused = run("models", "show", turned)
    assert refused.returncode == ERROR
    assert "joint\\u202egnorw" in refused.stderr
    assert "link\\u0085\\u009b" in refused.stderr


def test_no_source_that_a_terminal_shows_steers_it(tmp_path):
    model = planar_with(tmp_path / "remarked.urdf", (
        "</robot>", f"<!-- {TURNED} \u0085\u009b --></robot>"))
    words = ("models", "show", model, "--source")
    code, shown = on_a_terminal("stdout", *words)
    assert code == OK
    assert not steering(shown) and "\\u202e" in shown
    # What no terminal shows is as it is.
    assert run(*words).stdout == model.read_text()
