"""The reasons of the expected failures in test_every_estimator.py, by experiment: without the cause nothing differs.

Random weights leave no ties: two conditions have the same score only if they cover the same rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import class_table, number_table
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.forests import draws
from hornbeam.learn.rules import grower, irep

if TYPE_CHECKING:
    from collections.abc import Callable

FOREST: dict[str, Any] = {"bootstrap": False, "max_features": None, "random_state": 0}
FOREST |= {"max_depth": 2, "min_samples_leaf": 20}  # of few rows, splits on two columns may make the same parts
NOTHING_DRAWN: dict[str, Any] = {
    "forest": hornbeam.RandomForestClassifier(3, **FOREST),
    "forest numbers": hornbeam.RandomForestRegressor(3, **FOREST),
}
NO_FOLDS: dict[str, Any] = {
    "c45 reduced-error": hornbeam.C45Classifier(prune=None),
    "tree cost-complexity": hornbeam.TreeClassifier(prune=None),
    "cart numbers": hornbeam.CartRegressor(folds=0),
}
OTHER_LABELS: dict[str, Any] = {
    "prism, classes by size": hornbeam.PrismClassifier(order="smallest-first"),
    "prism, all rules vote": hornbeam.PrismClassifier(decide="vote"),
    "exceptions": hornbeam.ExceptionRulesClassifier(),
    "ripper, no rows held out": hornbeam.RipperClassifier(prune=None, optimizations=0),
    "irep, no rows held out": hornbeam.IrepClassifier(prune=None, min_samples_rule=12),
    "bagging, all rows": hornbeam.BaggingClassifier(n_estimators=3, bootstrap=False, random_state=0),
    "forest": NOTHING_DRAWN["forest"],
    "boosting": hornbeam.GradientBoostingClassifier(5, random_state=0),
}


def weighted(seed: int, learner: Any) -> Table:
    """A table for the learner, with random weights."""
    table = class_table(seed=seed) if hasattr(learner, "predict_proba") else number_table(seed=seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, table.n_rows)
    schema = Schema((*table.schema.columns, Numeric("weight")), (*table.schema.roles, "weight"))
    return Table(schema, [*table.columns, weights])


def predicted(learner: Any, table: Table, asked: Table) -> np.ndarray[Any, Any]:
    """Probabilities, by the names of the classes; or numbers."""
    fitted = clone(learner).fit(table)
    asked = asked.select(asked.schema.features)
    if not hasattr(fitted, "predict_proba"):
        return np.asarray(fitted.predict(asked))
    order = np.argsort(fitted.classes_)
    return np.asarray(fitted.predict_proba(asked)[:, order])


def shuffled_rows(table: Table) -> Table:
    return table.take(np.random.default_rng(2).permutation(table.n_rows))


def reversed_columns(table: Table) -> Table:
    return table.select(list(reversed(range(len(table.columns)))))


def reversed_classes(table: Table) -> Table:
    """The same table, its classes declared in the opposite order."""
    place, target = table.schema.target, table.schema.target_column
    assert place is not None
    assert isinstance(target, Nominal)
    names, columns = list(table.schema.columns), list(table.columns)
    names[place] = Nominal(target.name, target.categories[::-1])
    columns[place] = (len(target.categories) - 1 - columns[place]).astype(np.int32)
    return Table(Schema(tuple(names), table.schema.roles), columns)


def repeated_rows(table: Table) -> Table:
    """Every row once or twice, with the same sums of weights as the table has after `doubled_weights`."""
    return table.take(np.repeat(np.arange(table.n_rows), np.arange(table.n_rows) % 2 + 1))


def doubled_weights(table: Table) -> Table:
    columns = list(table.columns)
    columns[-1] = columns[-1] * (np.arange(table.n_rows) % 2 + 1)
    return Table(table.schema, columns)


def same(learner: Any, one: Callable[[Table], Table], other: Callable[[Table], Table]) -> None:
    for seed in range(3):
        table, asked = weighted(seed, learner), weighted(99, learner)
        first, second = predicted(learner, one(table), asked), predicted(learner, other(table), asked)
        assert first == pytest.approx(second, abs=1e-6 * max(1.0, float(np.ptp(first)))), seed


def as_it_is(table: Table) -> Table:
    return table


@pytest.mark.parametrize("name", NOTHING_DRAWN)
def test_forests_that_draw_nothing_depend_on_no_order(name: str) -> None:
    same(NOTHING_DRAWN[name], as_it_is, shuffled_rows)
    same(NOTHING_DRAWN[name], as_it_is, reversed_columns)
    same(NOTHING_DRAWN[name], doubled_weights, repeated_rows)


@pytest.mark.parametrize("name", NO_FOLDS)
def test_without_folds_weights_are_repeated_rows(name: str) -> None:
    same(NO_FOLDS[name], doubled_weights, repeated_rows)
    same(NO_FOLDS[name], as_it_is, shuffled_rows)


@pytest.mark.parametrize("name", OTHER_LABELS)
def test_the_order_of_classes_decides_only_ties_draws_and_which_class_comes_first(name: str) -> None:
    same(OTHER_LABELS[name], as_it_is, reversed_classes)


DRAWN_BY_CLASS: dict[str, Any] = {
    "ripper": hornbeam.RipperClassifier(random_state=0),
    "irep": hornbeam.IrepClassifier(random_state=0),
    "irep, whole list": hornbeam.IrepClassifier(prune="whole-list", random_state=0),
    "bagging": hornbeam.BaggingClassifier(n_estimators=5, random_state=0),
}


@pytest.mark.parametrize("name", DRAWN_BY_CLASS)
def test_draws_are_all_that_the_numbers_of_the_classes_decide(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the classes in the opposite order, but the rows drawn as before, the same is learned."""
    learner = DRAWN_BY_CLASS[name]
    tables, asked = [weighted(seed, learner) for seed in range(3)], weighted(99, learner)
    first = [predicted(learner, table, asked) for table in tables]
    turned = [predicted(learner, reversed_classes(table), asked) for table in tables]
    assert not all(np.allclose(one, other) for one, other in zip(first, turned, strict=True))
    for module in (draws, grower):
        own_order = module.own_order
        monkeypatch.setattr(module, "own_order", lambda table, of=own_order: of(reversed_classes(table)))
    dealer = irep.Dealer
    monkeypatch.setattr(irep, "Dealer", lambda classes, *rest: dealer(classes.max() - classes, *rest))
    drawn_alike = [predicted(learner, reversed_classes(table), asked) for table in tables]
    for one, other in zip(first, drawn_alike, strict=True):
        assert one == pytest.approx(other, abs=1e-9)
