"""Exemplars: boxes apart, every row in one of its class, learned row by row, shown as rules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.neighbors.exemplars import ExemplarsClassifier, information

if TYPE_CHECKING:
    from hornbeam.model.neighbors.exemplars import Exemplars


@st.composite
def drawn(draw: Any) -> Table:
    n = draw(st.integers(1, 25))
    number = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))
    columns = [
        draw(st.lists(number, min_size=n, max_size=n)),
        draw(st.lists(number, min_size=n, max_size=n)),
        draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)),
        draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)),
    ]
    kinds = (Numeric("x"), Numeric("y"), Nominal("c", ("r", "g", "b")), Nominal("class", ("1", "2", "3")))
    return Table(Schema(kinds, ("feature", "feature", "feature", "target")), columns)


def consistent(table: Table) -> Table:
    """Without rows that are the same as an earlier one."""
    seen: dict[Any, int] = {}
    for row in range(table.n_rows):
        key = tuple(None if value != value else float(value) for value in (c[row] for c in table.columns[:3]))  # noqa: PLR0124 - NaN
        seen.setdefault(key, row)
    return table.take(sorted(seen.values()))


def overlapping(model: Exemplars) -> list[tuple[int, int]]:
    found = []
    starts = list(model.layout.start[:-1])
    for a in range(len(model)):
        for b in range(a):
            numbers = (model.low[a] <= model.high[b]) & (model.low[b] <= model.high[a]) | (
                model.gaps[a] & model.gaps[b]
            )
            codes = np.logical_or.reduceat(model.sets[a] & model.sets[b], starts)
            if model.label[a] != model.label[b] and numbers.all() and codes.all():
                found.append((a, b))
    return found


@given(drawn(), st.sampled_from(["online", "offline"]))
def test_boxes_of_different_classes_do_not_overlap(table: Table, form: str) -> None:
    rows = consistent(table)
    model = ExemplarsClassifier(form=form).fit(rows).model_
    model.validate()
    assert overlapping(model) == []
    assert model.rows.sum() == rows.n_rows


@given(drawn(), st.booleans(), st.booleans())
def test_rows_without_gaps_are_answered_as_they_were_learned(table: Table, overlap: bool, nested: bool) -> None:
    rows = consistent(table)
    whole = ~np.isnan(rows.column("x")) & ~np.isnan(rows.column("y")) & (rows.column("c") >= 0)
    rows = rows.take(whole)
    if rows.n_rows:
        model = ExemplarsClassifier(overlap=overlap, nested=nested).fit(rows).model_
        assert np.array_equal(model.predict_codes(rows), rows.target_values())


@given(drawn())
def test_rules_answer_for_what_lies_in_boxes(table: Table) -> None:
    rows = consistent(table)
    rules = ExemplarsClassifier().fit(rows).rules()
    assert np.array_equal(rules.predict_codes(rows), rows.target_values())


def test_a_box_within_another_is_an_exception() -> None:
    x = np.array([[0.0], [1.0], [2.0], [9.0], [10.0], [5.0], [3.0], [7.0]])
    y = np.array([0, 0, 0, 0, 0, 1, 0, 0])
    rules = ExemplarsClassifier(nested=True).fit(x, y).rules()
    assert [len(rule.exceptions.rules) for rule in rules.rules if rule.exceptions] == [1]


def test_learning_in_parts_goes_on_where_it_was() -> None:
    table = hornbeam.read("iris").take(np.random.default_rng(1).permutation(150))
    whole = ExemplarsClassifier(column_weights="none").fit(table)
    parts = ExemplarsClassifier(column_weights="none")
    for start in range(0, 150, 50):
        parts.partial_fit(table.take(np.arange(start, start + 50)))
    assert parts.score(table) == whole.score(table) == 1.0
    x, y = table.select([0, 1, 2, 3]).to_numpy(), table.target_values()
    frames = ExemplarsClassifier().partial_fit(x[:2], y[:2], classes=[0, 1, 2]).partial_fit(x[2:], y[2:])
    assert frames.score(x, y) == 1.0
    with pytest.raises(ValueError, match="the class 9"):
        frames.partial_fit(x[:1], [9])


def test_column_weights_are_mutual_information() -> None:
    found = information(hornbeam.read("weather.nominal"))
    np.testing.assert_allclose(found, [0.24674982, 0.02922257, 0.15183550, 0.04812703], atol=1e-8)


def test_rows_that_contradict_each_other_are_outvoted() -> None:
    x, y = [[1.0]] * 5 + [[2.0]], ["a", "b", "b", "b", "a", "c"]
    assert ExemplarsClassifier().fit(x, y).predict([[1.0]]).tolist() == ["b"]


def test_a_row_without_any_value_is_answered() -> None:
    table = hornbeam.read("weather.numeric")
    learner = ExemplarsClassifier().fit(table)
    nothing = Table(table.schema, [np.full(1, np.nan if isinstance(c, Numeric) else -1) for c in table.schema.columns])
    assert learner.predict(nothing)[0] in {"yes", "no"}


def test_a_model_comes_back_from_its_file(tmp_path: Any) -> None:
    table = hornbeam.read("labor")
    learner = ExemplarsClassifier().fit(table)
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.same_as(learner.model_)
    assert np.array_equal(model.predict_codes(table, n_threads=2), learner.model_.predict_codes(table))
