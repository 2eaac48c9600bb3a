"""What every classifier that learns a list of rules owes: scikit-learn's checks, and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.rules.irep import IrepClassifier
from hornbeam.learn.rules.ripper import RipperClassifier

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS: dict[str, Any] = {
    "RIPPER": RipperClassifier(),
    "RIPPER unpruned": RipperClassifier(prune=None),
    "RIPPER by share": RipperClassifier(measure="share", optimizations=1),
    "RIPPER missing": RipperClassifier(missing="value"),
    "RIPPER compat": RipperClassifier(compat="weka"),
    "IREP": IrepClassifier(),
    "IREP by significance": IrepClassifier(worth="significance", measure="share"),
}
BY_TEXT = ["RIPPER compat"]  # depends on the text of the rows, and on their number


@parametrize_with_checks([RipperClassifier(), RipperClassifier(prune=None), IrepClassifier()])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


def whole_table() -> Table:
    """Numbers and categories without missing values."""
    return hornbeam.read("credit-g").take(np.arange(300))


def conditions(model: Any) -> list[Any]:
    return [(rule.label, rule.conditions) for rule in model.rules]


def test_column_order_does_not_matter_for_prediction(learner: Any) -> None:
    table = whole_table()
    learner.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (learner.predict(turned) == learner.predict(table)).all()
    assert np.array_equal(learner.predict_proba(turned), learner.predict_proba(table))


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - set(BY_TEXT)))
def test_relabelled_categories_give_the_same_rules(name: str) -> None:
    table = whole_table()
    columns = [
        Nominal(c.name, tuple(f"<{name}> & 'co'" for name in c.categories)) if isinstance(c, Nominal) else c
        for c in table.schema.columns
    ]
    other = Table(Schema(tuple(columns), table.schema.roles), table.columns)
    model = clone(LEARNERS[name]).fit(table).model_
    assert conditions(clone(LEARNERS[name]).fit(other).model_) == conditions(model)


@pytest.mark.parametrize("name", sorted(set(LEARNERS) - set(BY_TEXT)))
def test_integer_weights_are_repeated_rows(name: str) -> None:
    table = whole_table()
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = clone(LEARNERS[name]).fit(table, sample_weight=weights).model_
    assert conditions(one) == conditions(clone(LEARNERS[name]).fit(repeated).model_)
    assert len(one) > 0


def test_rows_of_no_weight_are_left_out(learner: Any) -> None:
    table = whole_table()
    weights = np.ones(table.n_rows)
    weights[::3] = 0
    one = learner.fit(table, sample_weight=weights).model_
    assert conditions(one) == conditions(clone(learner).fit(table.take(weights > 0)).model_)


def test_saved_and_loaded_it_predicts_the_same(learner: Any, tmp_path: Path) -> None:
    table = whole_table()
    learner.fit(table)
    path = tmp_path / "model.hornbeam"
    learner.save(path)
    model = hornbeam.load(path)
    assert conditions(model) == conditions(learner.model_)
    wrapped = type(learner).from_model(model)
    assert (wrapped.predict(table) == learner.predict(table)).all()
    assert np.array_equal(wrapped.predict_proba(table), learner.predict_proba(table))


def test_an_all_missing_column_is_no_help_and_no_harm(learner: Any) -> None:
    table = hornbeam.read("labor")
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    learner.fit(Table(schema, [*missing, *table.columns]))
    assert all(condition.column >= 2 for rule in learner.model_.rules for condition in rule.conditions)


def test_one_row_and_one_class(learner: Any) -> None:
    table = whole_table()
    learner.fit(table.take([0]))
    assert len(learner.predict(table)) == table.n_rows
    learner.fit(table.take(table.target_values() == 0))
    assert set(learner.predict(table)) == {table.schema.target_column.categories[0]}


def test_frames_of_all_kinds_give_the_same_rules(learner: Any) -> None:
    table = hornbeam.read("labor")
    features = table.select(table.schema.features)
    truth = np.array(table.schema.target_column.categories)[table.target_values()]
    frame, arrow = features.to_pandas(), features.to_arrow()
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    expected = learner.fit(frame, truth).predict(frame)
    assert (clone(learner).fit(arrow, truth).predict(arrow) == expected).all()
    polars = features.to_polars()  # which puts categories in another order
    assert isinstance(polars, pl.DataFrame)
    learner.fit(polars, truth)
    assert set(learner.predict(polars)) <= set(truth)


def test_shares_are_of_the_rule_that_fired(learner: Any) -> None:
    table = hornbeam.read("vote")
    learner.fit(table)
    shares, fired = learner.predict_proba(table), learner.model_.fired(table)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    for place, rule in enumerate(learner.model_.rules):
        if rule.coverage:
            assert shares[fired == place] == pytest.approx(
                np.tile(rule.value / rule.coverage, ((fired == place).sum(), 1))
            )


def test_costs_and_thresholds_decide(learner: Any) -> None:
    table = whole_table()
    dear = clone(learner).set_params(costs=[[0, 1], [100, 0]]).fit(table)
    plain = clone(learner).fit(table)
    second = table.schema.target_column.categories[1]
    assert np.mean(dear.predict(table) == second) > np.mean(plain.predict(table) == second)
    low = clone(learner).set_params(decision_threshold=0.0).fit(table)
    assert set(low.predict(table)) == {second}


def test_a_numeric_target_is_refused(learner: Any) -> None:
    with pytest.raises(SchemaError, match="numeric"):
        learner.fit(hornbeam.read("cpu"))


def test_it_is_shown_in_every_style(learner: Any) -> None:
    learner.fit(hornbeam.read("iris"))
    assert "petal" in hornbeam.show.text(learner)
    assert " => class=" in hornbeam.show.text(learner, style="weka")
