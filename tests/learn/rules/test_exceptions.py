"""Rules with exceptions: learned at once, row by row, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import hornbeam
from hornbeam import ExceptionRulesClassifier
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.by_hand import rule, rules
from hornbeam.model.rules.exceptions import measured, places

SETS = ["iris", "labor", "vote", "glass", "weather.numeric"]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "options", [{}, {"max_significance": 1.0, "min_coverage": 1}, {"missing": "value", "nominal": "set"}]
)
def test_the_same_without_exceptions(name: str, options: dict[str, Any]) -> None:
    table = hornbeam.read(name)
    learner = ExceptionRulesClassifier(**options).fit(table)
    flat = learner.as_if_else()
    assert not any(part.exceptions for _, part in places(flat))
    assert (flat.predict_codes(table) == learner.model_.predict_codes(table)).all()
    assert np.allclose(flat.predict_proba(table), learner.model_.predict_proba(table))


@pytest.mark.parametrize("name", SETS)
def test_figures_are_those_of_the_rows(name: str) -> None:
    table = hornbeam.read(name)
    learned = ExceptionRulesClassifier().fit(table).model_
    counted = measured(learned, table)
    for (_, one), (_, other) in zip(places(learned), places(counted), strict=True):
        assert one.coverage == other.coverage
        assert one.errors == other.errors
        assert np.allclose(one.value, other.value)


def test_depth_is_limited() -> None:
    table = hornbeam.read("glass")
    deep = ExceptionRulesClassifier(max_significance=1.0).fit(table).model_
    assert max(len(place) for place, _ in places(deep)) > 2
    flat = ExceptionRulesClassifier(max_significance=1.0, max_depth=1).fit(table).model_
    assert max(len(place) for place, _ in places(flat)) == 2


@pytest.mark.parametrize("name", ["iris", "glass", "labor"])
def test_row_by_row_everything_that_can_be_told_apart_is_right(name: str) -> None:
    table = hornbeam.read(name)
    order = np.random.default_rng(1).permutation(table.n_rows)
    learner = ExceptionRulesClassifier(missing="value")
    for part in np.array_split(order, 7):
        learner.partial_fit(table.take(part))
    assert learner.rows_ is not None
    assert learner.rows_.n_rows == table.n_rows
    assert learner.score(table) == 1.0


def test_a_new_row_spoils_nothing() -> None:
    table = hornbeam.read("vote")
    learner = ExceptionRulesClassifier().fit(table.take(np.arange(300)))
    before = learner.predict(table.take(np.arange(300)))
    learner.partial_fit(table.take(np.arange(300, 435)))
    truth = np.array(table.schema.target_column.categories)[table.target_values()[:300]]
    right = before == truth
    assert (learner.predict(table.take(np.arange(300)))[right] == truth[right]).all()


def test_rows_that_nothing_tells_apart_stay_as_they_are() -> None:
    frame = pd.DataFrame({"x": [1.0, 1.0, 1.0]})
    learner = ExceptionRulesClassifier().partial_fit(frame, ["a", "a", "b"])
    assert learner.predict(frame).tolist() == ["a", "a", "a"]
    assert learner.model_.default.errors == 1


def test_classes_that_come_later() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    learner = ExceptionRulesClassifier().partial_fit(frame, ["a", "a"], classes=["a", "b"])
    learner.partial_fit(pd.DataFrame({"x": [9.0]}), ["b"])
    assert learner.predict(pd.DataFrame({"x": [1.5, 8.0]})).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="the class 'c' was not known"):
        learner.partial_fit(frame, ["c", "a"])


def test_domain_knowledge_comes_first() -> None:
    table = hornbeam.read("weather")
    learner = ExceptionRulesClassifier().fit(table)
    learner.add_exception(rule("if windy = TRUE then no", table.schema))
    windy = table.take(table.column("windy") == 0)
    assert set(learner.predict(windy)) == {"no"}
    first = learner.model_.default.exceptions.rules[0]
    assert first.coverage == windy.n_rows
    learner.add_exception(rule("if outlook = overcast then yes", table.schema), to=(-1, 0))
    assert learner.model_.default.exceptions.rules[0].exceptions.rules[0].coverage == 2
    with pytest.raises(ModelError, match="no rule at the position"):
        learner.add_exception(rule("yes", table.schema), to=(-1, 9))


def test_a_plain_list_becomes_exceptions_to_its_default() -> None:
    table = hornbeam.read("weather")
    made = rules(["if outlook = sunny and humidity = high then no"], table.schema, "yes")
    learner = ExceptionRulesClassifier.from_model(made)
    assert (learner.model_.predict_codes(table) == made.predict_codes(table)).all()
    learner.partial_fit(table)
    assert learner.score(table) == 1.0


def test_saved_and_loaded(tmp_path: Any) -> None:
    table = hornbeam.read("glass")
    learner = ExceptionRulesClassifier().fit(table)
    learner.save(tmp_path / "rules")
    assert (hornbeam.load(tmp_path / "rules").predict_codes(table) == learner.model_.predict_codes(table)).all()
