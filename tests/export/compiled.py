"""What the tests of C and of Rust share: models that are hard to write, with rows to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from export.exported import quick_cases
from node_answers import other_rows
from sklearn.base import clone
from strategies import fill_table, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis import strategies as st

    Case = tuple[Any, Table]  # a model or an estimator, and rows

QUICK = ("labor", "glass", "servo")
QUICK_CASES = quick_cases(QUICK)
HOSTILE = ['a"b', "it's", "int", "x.y", "*/ #error", "ü 漢字", "back\\slash", "%s ??/ \\n", "hb_0", "a\nb", ""]

OTHER_WAYS: dict[str, list[Any]] = {
    "auto-mpg": [
        hornbeam.M5Regressor(neighbors=5),
        hornbeam.M5RulesRegressor(neighbors=1, committees=2),
        hornbeam.NeighborsRegressor(n_neighbors=7, weights="inverse"),
        hornbeam.NeighborsRegressor(n_neighbors=2, numeric="rank", nominal="value-difference", missing="ignore"),
        hornbeam.SVMRegressor(kernel="polynomial", degree=2),
        hornbeam.TreeRegressor(combinations=True, leaf="linear"),
        hornbeam.TreeRegressor(missing="fractional", leaf="linear"),
        hornbeam.GradientBoostingRegressor(n_estimators=5, loss="poisson"),
    ],
    "glass": [
        hornbeam.SVMClassifier(probability=True, random_state=0),
        hornbeam.SVMClassifier(kernel="sigmoid"),
        hornbeam.SVMClassifier(kernel="linear", products=2),
        hornbeam.NeighborsClassifier(n_neighbors=3, ties="first", metric="manhattan", weights="similarity"),
        hornbeam.BaggingClassifier("ripper", n_estimators=3, random_state=0),
    ],
    "labor": [
        hornbeam.NeighborsClassifier(n_neighbors=3, missing="average", nominal="value-difference"),
        hornbeam.TreeClassifier(missing="fractional"),
        hornbeam.C45RulesClassifier(),
    ],
}


def drawn_tree(data: st.DataObject, random: Any) -> Case:
    """A tree with every kind of split, surrogates, fractions, and rows that end at inner nodes."""
    target = random.choice(("nominal", "numeric"))
    model = data.draw(trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=target))
    return model, fill_table(random, model.schema, 20, random.choice((0.0, 0.3, 0.8)))


def hostile() -> Iterator[Case]:
    """Names of columns, categories and classes with quotes, keywords, signs of comments and nothing."""
    columns = (*map(Numeric, HOSTILE[:-1]), Nominal("kind", tuple(HOSTILE)), Nominal("y", (*HOSTILE[:3], "")))
    random = np.random.default_rng(0)
    n = 200
    values: list[Any] = [np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)) for _ in HOSTILE[:-1]]
    values += [random.integers(-1, len(HOSTILE), n).astype(np.int32)]
    values += [((values[0] > 0).astype(np.int32) + (values[-1] % 3 == 0)).astype(np.int32)]
    table = Table(Schema(columns, name="rows"), values).with_target("y")
    for estimator in (hornbeam.C45Classifier(), hornbeam.RandomForestClassifier(n_estimators=3, random_state=0)):
        yield estimator.fit(table), other_rows(table, 100, seed=1)


def many_categories() -> Iterator[Case]:
    """A column with 10,000 categories."""
    names = tuple(f"category {i}" for i in range(10_000))
    random = np.random.default_rng(0)
    codes = random.integers(0, 10_000, 20_000).astype(np.int32)
    table = Table(Schema((Nominal("c", names), Nominal("y", ("a", "b"))), name="rows"), [codes, codes % 2])
    for estimator in (hornbeam.CartClassifier(max_depth=3), hornbeam.GradientBoostingClassifier(n_estimators=3)):
        yield estimator.fit(table.with_target("y")), table.take(np.arange(500))


def deciding() -> Iterator[Case]:
    """Costs, thresholds, probabilities of support vector machines, and clusters."""
    table = hornbeam.read("credit-g")
    for estimator in (
        hornbeam.C45Classifier(costs={"bad": {"good": 5}}),
        hornbeam.C45Classifier(decision_threshold=0.3),
        hornbeam.SVMClassifier(kernel="linear", probability=True, random_state=0),
        hornbeam.SVMClassifier(probability=True, random_state=0),
        hornbeam.KMeans(3, random_state=0),
    ):
        yield estimator.fit(table), other_rows(table, 100, seed=2)


def large_trees() -> Case:
    """A forest whose trees have more than 64 leaves."""
    random = np.random.default_rng(0)
    table = Table(Schema((Numeric("x"), Numeric("y")), name="rows"), [random.random(2000), random.random(2000)])
    deep = hornbeam.RandomForestRegressor(n_estimators=2, random_state=0).fit(table.with_target("y"))
    assert deep.model_.tree(0).n_leaves > 64
    return deep, table.take(np.arange(100))


def other_ways() -> Iterator[Case]:
    """Schemes with other options than their defaults, with weights of rows."""
    random = np.random.default_rng(1)
    for name, estimators in OTHER_WAYS.items():
        table = hornbeam.read(name)
        weights = random.choice([0.3, 1.0, 2.0], table.n_rows)
        for estimator in estimators:
            yield clone(estimator).fit(table, sample_weight=weights), other_rows(table, 60, seed=4)
