"""Rules from trees owe what every list of rules does: scikit-learn's checks, and ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance.test_rule_lists import (  # noqa: F401 - the same checks, of the learners here
    conditions,
    test_a_numeric_target_is_refused,
    test_an_all_missing_column_is_no_help_and_no_harm,
    test_column_order_does_not_matter_for_prediction,
    test_costs_and_thresholds_decide,
    test_frames_of_all_kinds_give_the_same_rules,
    test_one_row_and_one_class,
    test_rows_of_no_weight_are_left_out,
    test_saved_and_loaded_it_predicts_the_same,
    whole_table,
)
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.learn.rules.c45rules import C45RulesClassifier
from hornbeam.learn.rules.part import PartClassifier

LEARNERS: dict[str, Any] = {
    "PART": PartClassifier(),
    "PART unpruned": PartClassifier(prune=None, compat="weka"),
    "PART one-vs-rest": PartClassifier(nominal="one-vs-rest", leaf="laplace", threshold="midpoint"),
    "C4.5rules": C45RulesClassifier(),
    "C4.5rules one-vs-rest": C45RulesClassifier(nominal="one-vs-rest", leaf="laplace", mdl=False),
}


@parametrize_with_checks([PartClassifier(), PartClassifier(prune=None), C45RulesClassifier()])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


def test_relabelled_categories_give_the_same_rules(learner: Any) -> None:
    table = whole_table()
    columns = [
        Nominal(c.name, tuple(f"<{name}> & 'co'" for name in c.categories)) if isinstance(c, Nominal) else c
        for c in table.schema.columns
    ]
    other = Table(Schema(tuple(columns), table.schema.roles), table.columns)
    assert conditions(clone(learner).fit(other).model_) == conditions(learner.fit(table).model_)


def test_integer_weights_are_repeated_rows(learner: Any) -> None:
    table = whole_table()
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = learner.fit(table, sample_weight=weights).model_
    assert conditions(one) == conditions(clone(learner).fit(repeated).model_)
    assert len(one) > 0


def test_shares_are_of_the_rule_that_fired(learner: Any) -> None:
    table = whole_table()  # no value is missing, so one rule fires
    learner.fit(table)
    model = learner.model_
    shares, fired = learner.predict_proba(table), model.fired(table)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    for place, rule in enumerate(model.rules):
        value = rule.value + model.pseudo_count
        assert shares[fired == place] == pytest.approx(np.tile(value / value.sum(), ((fired == place).sum(), 1)))


def test_it_is_shown_in_every_style(learner: Any) -> None:
    learner.fit(hornbeam.read("iris"))
    assert "petal" in hornbeam.show.text(learner)
    if isinstance(learner, PartClassifier):
        assert hornbeam.show.text(learner, style="weka").startswith("petalwidth <= ")
