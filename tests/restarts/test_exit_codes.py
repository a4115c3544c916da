"""What restarts.py says once it is through."""

import pytest

import restarts


@pytest.mark.parametrize("outcomes, code", [
    ({"cpp": [], "node": []}, 0),
    ({"cpp": [], "node": None}, 77),
    ({"cpp": None, "node": None}, 77),
    ({"cpp": ["a call failed"], "node": []}, 1),
    ({"cpp": ["a call failed"], "node": None}, 1)])
def test_only_languages_that_all_ran_pass(monkeypatch, outcomes, code):
    """None: skipped."""
    def run(language, _build, _times):
        if outcomes[language] is None:
            raise restarts.Skipped
        return outcomes[language]

    monkeypatch.setattr(restarts, "run", run)
    monkeypatch.setattr("sys.argv", ["restarts.py", "--build", ".", *outcomes])
    assert restarts.main() == code
