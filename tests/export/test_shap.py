"""Forests for shap: its values and its expected value add up to what the model predicts, before the link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.data.table import Table


def rows_of(name: str, target: str, kept: list[str]) -> Table:
    table = hornbeam.read(name)
    return table.select([*kept, target]).with_target(target)


CARS = rows_of("auto-mpg", "class", ["acceleration", "displacement", "horsepower", "weight"])
IRIS = hornbeam.read("iris")
CREDIT = rows_of("credit-g", "class", ["duration", "age", "foreign_worker", "own_telephone", "credit_amount"])
PARTS = [
    (hornbeam.RandomForestClassifier(n_estimators=7, random_state=1), IRIS),
    (hornbeam.RandomForestClassifier(n_estimators=7, random_state=1), CREDIT),
    (hornbeam.RandomForestRegressor(n_estimators=7, random_state=1), CARS),
    (hornbeam.GradientBoostingClassifier(n_estimators=7), IRIS),
    (hornbeam.GradientBoostingClassifier(n_estimators=7), CREDIT),
    (hornbeam.GradientBoostingRegressor(n_estimators=7), CARS),
]


@pytest.mark.parametrize(("learner", "table"), PARTS)
def test_values_add_up_to_the_score(learner: Any, table: Table) -> None:
    shap = pytest.importorskip("shap")
    model = learner.fit(table).model_
    explainer = shap.TreeExplainer(hornbeam.export.shap(model))
    matrix = hornbeam.export.shap_rows(model, table)
    values = np.asarray(explainer.shap_values(matrix)).reshape(*matrix.shape, -1)
    total = values.sum(axis=1) + np.ravel(explainer.expected_value)
    assert np.abs(total - model.scores(table)).max() < 1e-6 * max(1.0, np.abs(total).max())
    assert np.abs(values).max() > 0.01


def test_a_set_of_categories_is_refused() -> None:
    table = hornbeam.read("credit-g")
    forest = hornbeam.RandomForestClassifier(n_estimators=5, random_state=1).fit(table)
    with pytest.raises(
        ModelError, match="which no cut separates from the other categories, and shap supports only cuts"
    ):
        hornbeam.export.shap(forest)


def test_other_models_are_refused() -> None:
    with pytest.raises(TypeError, match="shap takes forests and boosting of plain trees; found a Tree"):
        hornbeam.export.shap(hornbeam.C45Classifier().fit(IRIS))
