"""What every estimator of the project guarantees.

An exception is listed with its reason. It is a strict expected failure: an exception that is no longer needed fails.
test_expected_reasons.py shows by experiments that the reasons are true.
"""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import (
    CLASSIFIERS,
    CLUSTERERS,
    EVERY,
    PREDICTORS,
    class_table,
    new_rows,
    predictions,
    same_clusters,
    table_for,
)
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

DRAWS = "rows are drawn at random by their positions, and copies of a row are drawn one by one"
FOLDS = "some rows are held out, by their positions, and copies of a row need not be held out together"
IN_ORDER = "learns row by row, so the order of rows matters"
TIES = "of conditions with equal scores the one on the earlier column is taken"
WEIGHTED = [name for name, estimator in EVERY.items() if "sample_weight" in signature(estimator.fit).parameters]


def each(names: Iterable[str], exceptions: dict[str, str]) -> Any:
    """Parametrize a test by estimators; those with an exception are expected to fail."""
    marks = {name: [pytest.mark.xfail(strict=True, reason=reason)] for name, reason in exceptions.items()}
    assert set(exceptions) <= set(names)
    return pytest.mark.parametrize("name", [pytest.param(name, marks=marks.get(name, [])) for name in names])


def fitted(name: str, table: Table, **arguments: Any) -> Any:
    return clone(EVERY[name]).fit(table, **arguments)


FEW_TIES = {"max_depth": 2, "min_samples_leaf": 20, "min_samples_split": 60, "min_samples_rule": 30}
MEMBERS = {"bagging": "c45", "bagging numbers": "tree numbers", "discretized": "c45"}


def with_few_ties(name: str) -> Any:
    """The estimator with limits that leave few splits of equal worth, between which rounding or order would decide."""
    learner = clone(EVERY[name])
    if name in MEMBERS:
        return learner.set_params(estimator=with_few_ties(MEMBERS[name]))
    return learner.set_params(
        **{key: value for key, value in FEW_TIES.items() if key in learner.get_params(deep=False)}
    )


def agree(name: str, one: Any, other: Any, *, exactly: bool = False) -> None:
    """The two estimators predict the same for rows that neither has seen."""
    rows = new_rows(name)
    first, second = predictions(name, one, rows), predictions(name, other, rows)
    if name in CLUSTERERS:
        assert same_clusters(first, second)
    elif exactly:
        assert np.array_equal(first, second)
    else:
        spread = max(1.0, float(np.ptp(first)))
        assert np.abs(first - second).max() <= 1e-6 * spread


def test_every_scheme_is_here() -> None:
    classes = {type(estimator).__name__ for estimator in EVERY.values()}
    assert classes == {scheme.estimator for scheme in (*SCHEMES, *CLUSTER_SCHEMES)}


def test_only_these_take_no_weights() -> None:
    assert set(EVERY) - set(WEIGHTED) == {"ib2", "ib3", "ib5"}


@each(WEIGHTED, {})
def test_weights_of_one_are_no_weights(name: str) -> None:
    for seed in range(3):
        table = table_for(name, seed=seed)
        without = fitted(name, table)
        ones = fitted(name, table, sample_weight=np.ones(table.n_rows))
        assert ones.model_.same_as(without.model_)
        columns, roles = (*table.schema.columns, Numeric("weight")), (*table.schema.roles, "weight")
        weighted = Table(Schema(columns, roles), [*table.columns, np.ones(table.n_rows)])
        column = fitted(name, weighted)
        agree(name, column, without, exactly=True)


REPEATS = {
    "c45 weka": "counts rows where WEKA does, whatever they weigh",
    "c45 reduced-error": FOLDS,
    "tree cost-complexity": FOLDS,
    "cart numbers": FOLDS,
    "forest": DRAWS,
    "forest numbers": DRAWS,
    "cobweb": IN_ORDER,
}


@each(WEIGHTED, REPEATS)
def test_weights_are_repeated_rows(name: str) -> None:
    table = table_for(name)
    weights = np.random.default_rng(1).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    agree(name, fitted(name, table, sample_weight=weights.astype(float)), fitted(name, repeated))


# Four times every row keeps the order of the rows, and makes folds that are alike.
PASSED = ("cobweb", "tree cost-complexity", "cart numbers")


@each(WEIGHTED, {name: reason for name, reason in REPEATS.items() if name not in PASSED})
def test_scaled_weights_are_repeated_rows(name: str) -> None:
    table = table_for(name)
    weights = np.random.default_rng(3).integers(1, 4, table.n_rows).astype(float)
    repeated = table.take(np.tile(np.arange(table.n_rows), 4))
    learner = with_few_ties(name)
    four_times = clone(learner).fit(table, sample_weight=weights * 4)
    agree(name, four_times, clone(learner).fit(repeated, sample_weight=np.tile(weights, 4)))


# Learners without a least number of rows or a statistical test: only the proportions of the weights matter.
SCALE_FREE = [
    "id3",
    "tree",
    "tree combinations",
    "tree cost-complexity",
    "prism",
    "induct",
    "forest",
    "forest numbers",
    "kstar",
    "kstar numbers",
    "locally-weighted",
    "locally-weighted numbers",
    "exemplars",
    "linear unselected",
    *CLUSTERERS,
]


@each(SCALE_FREE, {})
def test_the_scale_of_the_weights_does_not_matter(name: str) -> None:
    table = table_for(name)
    weights = np.random.default_rng(3).integers(1, 5, table.n_rows).astype(float)
    agree(name, fitted(name, table, sample_weight=weights), fitted(name, table, sample_weight=weights * 4))


@each(WEIGHTED, {})
def test_rows_of_weight_zero_are_left_out(name: str) -> None:
    table = table_for(name)
    weights = np.ones(table.n_rows)
    weights[::4] = 0
    agree(name, fitted(name, table, sample_weight=weights), fitted(name, table.take(weights > 0)))


ROW_ORDER = {
    "c45 reduced-error": FOLDS,
    "forest": DRAWS,
    "forest numbers": DRAWS,
    "ib2": IN_ORDER,
    "ib3": IN_ORDER,
    "ib5": IN_ORDER,
    "exemplars": IN_ORDER,
}


@each(EVERY, ROW_ORDER)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    table = table_for(name)
    shuffled = table.take(np.random.default_rng(2).permutation(table.n_rows))
    agree(name, fitted(name, table), fitted(name, shuffled))


COLUMN_ORDER = {  # learn/rules/test_column_order.py shows that nothing but ties is decided by the order
    "prism": TIES,
    "induct": TIES,
    "exceptions": TIES,
    "forest": "columns are drawn at random by their positions",
    "forest numbers": "columns are drawn at random by their positions",
}


@each(EVERY, COLUMN_ORDER)
def test_the_order_of_columns_does_not_matter(name: str) -> None:
    table = table_for(name, 300)
    turned = table.select(list(reversed(range(len(table.columns)))))
    learner = with_few_ties(name)
    agree(name, clone(learner).fit(table), clone(learner).fit(turned))


EQUAL_SCORES = (
    "of splits or conditions with equal scores another is taken, since sums over the classes round differently"
)
LABELS = {
    "prism": "the rules of the first class come first, in the order in which classes are declared",
    "exceptions": EQUAL_SCORES,
    "ripper": "rows are held out at random, in an order in which the number of the class counts",
    "irep": "rows are held out at random, in an order in which the number of the class counts",
    "bagging": "rows are drawn at random, in an order in which the number of the class counts",
    "forest": EQUAL_SCORES,
    "boosting": EQUAL_SCORES,
}


@each(CLASSIFIERS, LABELS)
def test_the_order_of_classes_does_not_matter(name: str) -> None:
    table = class_table()
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    columns = (*table.schema.columns[:-1], Nominal(target.name, target.categories[::-1]))
    codes = (len(target.categories) - 1 - table.target_values()).astype(np.int32)
    other = Table(Schema(columns, table.schema.roles), [*table.columns[:-1], codes])
    one, two = fitted(name, table), fitted(name, other)
    rows = new_rows(name)
    first = dict(zip(one.classes_, predictions(name, one, rows).T, strict=True))
    second = dict(zip(two.classes_, predictions(name, two, rows).T, strict=True))
    assert sorted(first) == sorted(second)
    for label, probability in first.items():
        assert np.allclose(probability, second[label], atol=1e-6), label


@each(CLASSIFIERS, {})
def test_probabilities_sum_to_one_and_predict_takes_the_largest(name: str) -> None:
    rows = new_rows(name, 200)
    asked = rows.select(rows.schema.features)
    learner = fitted(name, class_table(200))
    shares = learner.predict_proba(asked)
    assert ((shares >= 0) & (shares <= 1)).all()
    assert np.abs(shares.sum(axis=1) - 1).max() <= 1e-12
    chosen = shares[np.arange(len(shares)), np.searchsorted(learner.classes_, learner.predict(asked))]
    assert (chosen >= shares.max(axis=1) - 1e-12).all()


@each(CLASSIFIERS, {})
def test_predict_takes_the_least_expected_cost(name: str) -> None:
    table = class_table(200)
    costs = np.array([[0.0, 1, 4], [2, 0, 1], [5, 3, 0]])
    learner = clone(CLASSIFIERS[name]).set_params(costs=costs).fit(table)
    rows = new_rows(name, 200)
    asked = rows.select(rows.schema.features)
    expected = learner.predict_proba(asked) @ costs
    chosen = expected[np.arange(len(expected)), np.searchsorted(learner.classes_, learner.predict(asked))]
    assert (chosen <= expected.min(axis=1) + 1e-9).all()


@each(EVERY, {})
def test_a_loaded_model_is_the_saved_one(name: str, tmp_path: Path) -> None:
    learner = fitted(name, table_for(name))
    learner.save(tmp_path / "model")
    model = hornbeam.load(tmp_path / "model")
    assert model.same_as(learner.model_)
    assert hornbeam.show.text(model) == hornbeam.show.text(learner.model_)
    if name in PREDICTORS:
        agree(name, type(learner).from_model(model), learner, exactly=True)


THREADED = [name for name, estimator in EVERY.items() if "n_jobs" in estimator.get_params()]


@each(THREADED, {})
def test_any_number_of_threads_gives_the_same_model(name: str) -> None:
    table = table_for(name, 400)
    one = clone(EVERY[name]).set_params(n_jobs=1).fit(table)
    for threads in (2, 3, 7):
        several = clone(EVERY[name]).set_params(n_jobs=threads).fit(table)
        assert several.model_.same_as(one.model_)
        agree(name, several, one, exactly=True)


@each(EVERY, {})
def test_a_second_fit_gives_the_same_model(name: str) -> None:
    table = table_for(name)
    learner = fitted(name, table)
    before = learner.model_
    assert learner.fit(table).model_.same_as(before)
