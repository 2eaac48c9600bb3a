"""Every learner from neighbors on input that has nothing to tell: large k, rows without values, constants, copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

MANY = 10_000  # neighbors, of far fewer rows
CLASSIFIERS: dict[str, Any] = {
    "neighbors": hornbeam.NeighborsClassifier(n_neighbors=MANY),
    "neighbors, weighted": hornbeam.NeighborsClassifier(n_neighbors=MANY, weights="inverse", ties="first"),
    "neighbors, ignoring": hornbeam.NeighborsClassifier(n_neighbors=MANY, weights="similarity", missing="ignore"),
    "neighbors, average": hornbeam.NeighborsClassifier(n_neighbors=MANY, missing="average", nominal="value-difference"),
    "neighbors, best k": hornbeam.NeighborsClassifier(n_neighbors=MANY, choose_k=True, numeric="rank"),
    "neighbors, Manhattan": hornbeam.NeighborsClassifier(n_neighbors=MANY, metric="manhattan", numeric="deviation"),
    "neighbors, as the reference program": hornbeam.NeighborsClassifier(n_neighbors=MANY, compat="weka"),
    "ib2": hornbeam.IB2Classifier(),
    "ib3": hornbeam.IB3Classifier(),
    "ib5": hornbeam.IB5Classifier(),
    "ib5 by class": hornbeam.IB5Classifier(by_class=True),
    "exemplars": hornbeam.ExemplarsClassifier(attempts=MANY),
    "exemplars, nested": hornbeam.ExemplarsClassifier(nested=True),
    "exemplars, overlapping": hornbeam.ExemplarsClassifier(overlap=True),
    "exemplars, offline": hornbeam.ExemplarsClassifier(form="offline", attempts=MANY),
    "kstar": hornbeam.KStarClassifier(),
    "kstar, farthest": hornbeam.KStarClassifier(missing="farthest"),
    "kstar, as the reference program": hornbeam.KStarClassifier(compat="weka"),
    "locally weighted": hornbeam.LocallyWeightedClassifier(n_neighbors=MANY),
    "locally weighted, c45": hornbeam.LocallyWeightedClassifier("c45", kernel="gaussian", bandwidth=0.5),
}
REGRESSORS: dict[str, Any] = {
    "neighbors": hornbeam.NeighborsRegressor(n_neighbors=MANY),
    "neighbors, ignoring": hornbeam.NeighborsRegressor(n_neighbors=MANY, weights="inverse", missing="ignore"),
    "neighbors, best k": hornbeam.NeighborsRegressor(n_neighbors=MANY, choose_k=True),
    "kstar": hornbeam.KStarRegressor(),
    "locally weighted": hornbeam.LocallyWeightedRegressor(n_neighbors=MANY),
    "locally weighted, tricube": hornbeam.LocallyWeightedRegressor(kernel="tricube", bandwidth=0.3),
    "model tree put right": hornbeam.M5Regressor(neighbors=MANY),
    "rules put right": hornbeam.M5RulesRegressor(neighbors=MANY),
}
ALL = [pytest.param(learner, id=f"classes: {name}") for name, learner in CLASSIFIERS.items()] + [
    pytest.param(learner, id=f"numbers: {name}") for name, learner in REGRESSORS.items()
]
pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def predicts_classes(learner: Any) -> bool:
    return hasattr(learner, "predict_proba")


def rows_of(learner: Any, x: Any, codes: Any, target: Any) -> Table:
    """Two numbers, a category, and a target of the learner's kind."""
    x = np.asarray(x, float)
    last: Any = Nominal("y", ("a", "b")) if predicts_classes(learner) else Numeric("y")
    values = np.asarray(target) % 2 if predicts_classes(learner) else np.asarray(target, float)
    columns = (Numeric("p"), Numeric("q"), Nominal("c", ("r", "s", "t")), last)
    return Table(Schema(columns, ("feature", "feature", "feature", "target")), [x[:, 0], x[:, 1], codes, values])


def ordinary(learner: Any, rows: int = 24) -> Table:
    random = np.random.default_rng(4)
    x = random.normal(size=(rows, 2))
    return rows_of(learner, x, random.integers(0, 3, rows), (x[:, 0] > 0) + 2 * (x[:, 1] > 0))


def sound(learner: Any, table: Table, rows: int) -> Any:
    """Answers that are classes or numbers within the range of the target."""
    answers = learner.predict(table)
    assert len(answers) == rows
    if predicts_classes(learner):
        assert set(answers.tolist()) <= {"a", "b"}
        shares = learner.predict_proba(table)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    else:
        assert np.isfinite(answers).all()
    return answers


@pytest.mark.parametrize("learner", ALL)
def test_more_neighbors_than_rows(learner: Any) -> None:
    for rows in (1, 2, 3, 24):
        table = ordinary(learner, rows)
        sound(clone(learner).fit(table), table, rows)
    table = ordinary(learner)
    if (
        "n_neighbors" in learner.get_params()
        and type(learner).__name__.startswith("Neighbors")
        and not learner.choose_k
    ):
        fewer = clone(learner).set_params(n_neighbors=24).fit(table)
        assert np.array_equal(fewer.predict(table), clone(learner).fit(table).predict(table))


@pytest.mark.parametrize("learner", ALL)
def test_a_row_without_any_value(learner: Any) -> None:
    table = ordinary(learner)
    fitted = clone(learner).fit(table)
    nothing = Table(table.schema.select([0, 1, 2]), [[np.nan, np.nan], [np.nan, np.nan], [-1, -1]])
    answers = sound(fitted, nothing, 2)
    assert answers[0] == answers[1]
    mixed = Table(table.schema.select([0, 1, 2]), [[np.nan, 0.1], [np.nan, 0.1], [-1, 0]])
    assert sound(fitted, mixed, 2)[0] == answers[0]  # whatever else is asked


@pytest.mark.parametrize("learner", ALL)
def test_training_rows_without_any_value(learner: Any) -> None:
    table = ordinary(learner)
    columns = [column.copy() for column in table.columns]
    columns[0][:6] = columns[1][:6] = np.nan
    columns[2][:6] = -1
    holes = Table(table.schema, columns)
    sound(clone(learner).fit(holes), holes, 24)
    empty = Table(table.schema, [np.full(24, np.nan), np.full(24, np.nan), np.full(24, -1), table.columns[3]])
    sound(clone(learner).fit(empty), table, 24)


@pytest.mark.parametrize("learner", ALL)
def test_constant_columns_say_nothing(learner: Any) -> None:
    x = np.full((12, 2), 3.25)
    table = rows_of(learner, x, np.ones(12, int), np.tile([0, 0, 1], 4))
    answers = sound(clone(learner).fit(table), table, 12)
    assert len(set(answers.tolist())) == 1  # the rows are all the same
    random = np.random.default_rng(0)
    x[:, 0] = random.permutation(12)
    half = rows_of(learner, x, np.ones(12, int), (x[:, 0] > 5).astype(int))
    fitted = clone(learner).fit(half)
    asked = rows_of(learner, [[0.0, 99.0], [0.0, -99.0]], [1, 1], [0, 0])
    first, second = sound(fitted, asked, 2)
    # K* goes by values, not by ranges
    assert first == second or isinstance(learner, hornbeam.KStarClassifier | hornbeam.KStarRegressor)


@pytest.mark.parametrize("learner", ALL)
def test_copies_of_rows_are_answered_alike(learner: Any) -> None:
    table = ordinary(learner, 8)
    twice = table.take(np.repeat(np.arange(8), 5))
    answers = sound(clone(learner).fit(twice), twice, 40)
    assert all(len(set(answers[5 * row : 5 * row + 5].tolist())) == 1 for row in range(8))
    contrary = rows_of(learner, np.zeros((10, 2)), np.zeros(10, int), np.arange(10) % 2)
    sound(clone(learner).fit(contrary), contrary, 10)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "three", None, True])
def test_a_k_that_is_no_number_of_rows_is_refused(wrong: Any) -> None:
    table = hornbeam.read("weather.numeric")
    for learner in (
        hornbeam.NeighborsClassifier(n_neighbors=wrong),
        hornbeam.LocallyWeightedClassifier(n_neighbors=wrong),
    ):
        if wrong is None and isinstance(learner, hornbeam.LocallyWeightedClassifier):
            continue  # the farthest row
        with pytest.raises((ValueError, TypeError), match="n_neighbors is"):
            learner.fit(table)
