"""The model that a report is about."""

from __future__ import annotations

import pytest

import hornbeam
from hornbeam.evaluate.comparing.comparison import Figure, Outcome
from hornbeam.report import build
from hornbeam.report.choice import choose, is_readable


def outcome(method: str, folds: list[float], conditions: float) -> Outcome:
    size = Figure.of([conditions] * len(folds), 0.1)
    return Outcome(method, Figure.of(folds, 0.1), size, figures={"conditions": size})


BEST = outcome("c45", [0.90, 0.94, 0.92, 0.92], 30)  # mean 0.92, standard error 0.00816
NEAR = outcome("ripper", [0.92, 0.91, 0.92, 0.91], 6)
FAR = outcome("one-r", [0.80, 0.80, 0.80, 0.80], 2)
FOREST = outcome("forest", [0.99, 0.99, 0.99, 0.99], 9000)
NOTHING_BEST = outcome("cart", [0.90, 0.94, 0.92, 0.92], 0)
NOTHING = outcome("cart", [0.915, 0.915, 0.915, 0.915], 0)


def test_the_simplest_within_one_standard_error() -> None:
    found = choose([BEST, NEAR, FAR, FOREST], "category", higher_is_better=True)
    assert (found.scheme, found.best) == ("ripper", "c45")
    assert found.limit == pytest.approx(0.92 - 0.008165, abs=1e-5)
    assert "simplest" in found.reason


def test_a_forest_is_no_choice_unless_asked_for() -> None:
    assert choose([BEST, FOREST], "category", higher_is_better=True).scheme == "c45"
    asked = choose([BEST, FOREST], "category", higher_is_better=True, named="forest")
    assert (asked.scheme, asked.limit) == ("forest", None)


def test_what_asks_nothing_is_passed_over_where_another_is_near() -> None:
    assert choose([BEST, NOTHING], "category", higher_is_better=True).scheme == "c45"
    assert choose([FAR, NOTHING], "category", higher_is_better=True).scheme == "cart"


def test_less_is_better_of_errors() -> None:
    tree, equation = outcome("cart", [3.0, 3.2, 3.1, 3.1], 20), outcome("linear", [3.1, 3.2, 3.1, 3.1], 0)
    rules = outcome("m5-rules", [9.0, 9.0, 9.0, 9.0], 3)
    found = choose([tree, equation, rules], "number", higher_is_better=False)
    assert found.best == "cart"
    assert found.limit is not None
    assert found.limit > 3.1
    assert found.scheme == "linear"  # an equation has no conditions


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(ValueError, match="none of the schemes compared is readable"):
        choose([FOREST], "category", higher_is_better=True)


def test_what_is_readable() -> None:
    assert is_readable("c45", "category")
    assert is_readable("linear", "number")
    assert not is_readable("svm", "category")
    assert not is_readable("baseline", "category")


def test_the_scheme_asked_for_is_compared_too() -> None:
    report = build(hornbeam.read("weather"), schemes=["one-r"], scheme="id3", folds=3)
    assert report.choice.scheme == "id3"
    assert [one.method for one in report.compared.outcomes] == ["baseline", "one-r", "id3"]


def test_a_scheme_that_cannot_learn_is_told() -> None:
    with pytest.raises(ValueError, match="id3 could not learn from labor"):
        build(hornbeam.read("labor"), schemes=["one-r"], scheme="id3", folds=3)  # it takes no missing values


def test_slow_schemes_are_left_out_where_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.report.making.MANY_ROWS", 100)
    report = build(hornbeam.read("iris"), folds=3)
    assert report.left_out == ("part",)
    assert "part" not in report.comparison.methods
    assert "Left out, since they take long for this many rows: part" in report.markdown()
    assert build(hornbeam.read("iris"), schemes=["part"], folds=3).left_out == ()
    assert build(hornbeam.read("labor"), folds=3).left_out == ()


def test_the_reason_is_true() -> None:
    found = choose([BEST, NEAR, FAR, FOREST], "category", higher_is_better=True)
    assert found.reason == (
        "ripper is the simplest of the 2 readable schemes whose score is within one standard error of the best (c45)."
    )
    alone = choose([BEST, FAR], "category", higher_is_better=True).reason
    assert alone == "c45 has the best score of the readable schemes; no other is within one standard error of it."
    over = choose([NOTHING_BEST, NEAR], "category", higher_is_better=True)
    assert over.reason == (
        "ripper is the only readable scheme within one standard error of the best (cart) whose model has any "
        "condition; a model without conditions is the baseline."
    )
