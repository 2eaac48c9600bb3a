"""What every rule learner promises: the same suite over the simple ones and rules with exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam import ExceptionRulesClassifier, InductClassifier, OneRClassifier, PrismClassifier
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.exceptions import places

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.rule import RuleList

LEARNERS: dict[str, Any] = {
    "1R": OneRClassifier(),
    "PRISM": PrismClassifier(),
    "PRISM list": PrismClassifier(order="smallest-first", measure="gain", nominal="set", missing="value"),
    "INDUCT": InductClassifier(),
    "exceptions": ExceptionRulesClassifier(),
}


@parametrize_with_checks([*LEARNERS.values(), PrismClassifier(decide="vote")])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


def whole_table() -> Table:
    return hornbeam.read("credit-g").take(np.arange(200))


def conditions(rules: RuleList) -> list[Any]:
    return [(place, rule.conditions, rule.label) for place, rule in places(rules)]


def test_column_order_does_not_matter_for_prediction(learner: Any) -> None:
    table = whole_table()
    learner.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (learner.predict(turned) == learner.predict(table)).all()
    assert np.array_equal(learner.predict_proba(turned), learner.predict_proba(table))


def test_whole_weights_are_repeated_rows(learner: Any) -> None:
    table = whole_table()
    weights = np.random.default_rng(0).integers(0, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = learner.fit(table, sample_weight=weights).model_
    other = clone(learner).fit(repeated).model_
    assert conditions(one) == conditions(other)
    for (_, rule), (_, same) in zip(places(one), places(other), strict=True):
        assert np.allclose(rule.value, same.value)


def test_saved_and_loaded_it_predicts_the_same(learner: Any, tmp_path: Path) -> None:
    table = whole_table()
    learner.fit(table).save(tmp_path / "rules")
    wrapped = type(learner).from_model(hornbeam.load(tmp_path / "rules"))
    assert (wrapped.predict(table) == learner.predict(table)).all()
    assert np.array_equal(wrapped.predict_proba(table), learner.predict_proba(table))


def test_shares_add_up_and_lead_to_the_answer(learner: Any) -> None:
    table = hornbeam.read("labor")
    shares = learner.fit(table).predict_proba(table)
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (learner.classes_[shares.argmax(axis=1)] == learner.predict(table)).mean() > 0.9


def test_an_all_missing_column_is_no_help_and_no_harm(learner: Any) -> None:
    table = hornbeam.read("labor")
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    more = Table(schema, [*missing, *table.columns])
    assert (learner.fit(more).model_.predict(more) == clone(learner).fit(table).model_.predict(table)).all()


def test_one_row_and_one_class(learner: Any) -> None:
    table = whole_table()
    one = table.take([0])
    assert (learner.fit(one).model_.predict(one) == one.target_values()).all()
    same = table.take(table.target_values() == 0)
    assert set(clone(learner).fit(same).predict(table)) == {table.schema.target_column.categories[0]}


def test_frames_go_in_as_they_are(learner: Any) -> None:
    table = hornbeam.read("vote")
    frame = pl.from_pandas(table.select(table.schema.features).to_pandas())
    y = np.array(table.schema.target_column.categories)[table.target_values()]
    assert learner.fit(frame, y).score(frame, y) > 0.9


def test_ordered_categories_are_cut_in_their_order() -> None:
    schema = Schema(
        (Nominal("grade", ("low", "mid", "high"), ordered=True), Nominal("y", ("n", "p"))), ("feature", "target")
    )
    table = Table(schema, [[0, 1, 2] * 10, [0, 1, 1] * 10])
    for model in (PrismClassifier(), InductClassifier(), ExceptionRulesClassifier()):
        assert model.fit(table).score(table) == 1.0
    assert "grade >= mid" in hornbeam.show.text(PrismClassifier().fit(table))


def test_costs_and_thresholds_decide(learner: Any) -> None:
    table = whole_table()
    good, bad = table.schema.target_column.categories
    plain = learner.fit(table).predict(table)
    shares = learner.predict_proba(table)[:, 1]
    eager = clone(learner).set_params(decision_threshold=0.05).fit(table).predict(table)
    assert (eager == np.where(shares >= 0.05, bad, good)).all()
    costly = clone(learner).set_params(costs={bad: {good: 50}}).fit(table).predict(table)
    assert (costly == bad).sum() >= (plain == bad).sum()


def test_a_wrong_table_is_refused(learner: Any) -> None:
    with pytest.raises(SchemaError, match="numeric"):
        learner.fit(hornbeam.read("cpu"))
    with pytest.raises(ValueError, match="no rows to learn from"):
        learner.fit(whole_table().take([]))
    learner.fit(whole_table())
    with pytest.raises(SchemaError, match="'purpose'"):
        learner.predict(whole_table().select([c for c in whole_table().schema.names if c != "purpose"]))
