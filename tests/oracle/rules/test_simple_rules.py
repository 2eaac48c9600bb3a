"""1R's and PRISM's rules are the reference program's, character by character, and so are predictions."""

from __future__ import annotations

import pytest
from oracle.rules.simple_rules import BAR, Outcome, compare, complaints, small_pairs


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_small_set_is_identical(scheme: str, data: str) -> None:
    assert compare(scheme, data).difference == ""


def test_a_spoiled_answer_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    from oracle.rules import simple_rules

    model, predictions = simple_rules.stored("OneR", "iris")
    monkeypatch.setattr(simple_rules, "stored", lambda *_: (model + " ", predictions))
    assert compare("OneR", "iris").difference == "text differs"
    monkeypatch.setattr(simple_rules, "stored", lambda *_: (model, "1" + predictions[1:]))
    assert compare("OneR", "iris").difference == "predictions differ"


def test_exceptions_that_are_less_accurate_are_found_out() -> None:
    assert complaints([Outcome("Ridor", "iris", None, BAR), Outcome("OneR", "iris", "", None)]) == []
    assert len(complaints([Outcome("Ridor", "iris", None, BAR - 0.1)])) == 1
