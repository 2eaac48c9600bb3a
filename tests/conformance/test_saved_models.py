"""Saved models predict as the estimators did: `hornbeam.load(path)` itself, and an estimator made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import CLASSIFIERS, EVERY, class_table, new_rows, table_for
from sklearn.base import clone

import hornbeam

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

pytestmark = pytest.mark.filterwarnings("ignore")  # few rows: not what this is about

COSTS = {"class a": {"class b": 4.0}, "class b": {"class c": 6.0}, "class c": {"class a": 9.0}}


def check(estimator: Any, rows: Table, path: Path) -> Any:
    """Save, load, and compare the predictions; return the loaded model."""
    rows = rows.select(rows.schema.features)
    expected = estimator.predict(rows)
    estimator.save(path)
    loaded = hornbeam.load(path)
    assert np.array_equal(loaded.predict(rows), expected)
    assert np.array_equal(estimator.model_.predict(rows), expected)
    assert np.array_equal(type(estimator).from_model(loaded).predict(rows), expected)
    assert loaded.same_as(estimator.model_)
    return loaded


@pytest.mark.parametrize("name", EVERY)
def test_a_loaded_model_predicts_as_the_estimator(name: str, tmp_path: Path) -> None:
    loaded = check(clone(EVERY[name]).fit(table_for(name)), new_rows(name), tmp_path / "model")
    assert loaded.KIND
    assert loaded.task == ("classification" if name in CLASSIFIERS else loaded.task)
    assert loaded.describe()
    loaded.validate()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_loaded_model_decides_by_costs(name: str, tmp_path: Path) -> None:
    if "costs" not in CLASSIFIERS[name].get_params():
        pytest.skip("takes no costs")
    estimator = clone(CLASSIFIERS[name]).set_params(costs=COSTS).fit(table_for(name))
    loaded = check(estimator, new_rows(name), tmp_path / "model")
    assert loaded.decision.costs == tuple(map(tuple, estimator.cost_matrix_.tolist()))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_loaded_model_decides_by_a_threshold(name: str, tmp_path: Path) -> None:
    if "decision_threshold" not in CLASSIFIERS[name].get_params():
        pytest.skip("takes no threshold")
    estimator = clone(CLASSIFIERS[name]).set_params(decision_threshold=0.2).fit(class_table(n_classes=2))
    loaded = check(estimator, class_table(80, seed=99, n_classes=2), tmp_path / "model")
    assert loaded.decision.threshold == 0.2


def test_the_parameters_at_the_time_of_saving_decide(tmp_path: Path) -> None:
    estimator = hornbeam.C45Classifier().fit(class_table())
    rows = class_table(seed=99)
    estimator.set_params(costs=COSTS).save(tmp_path / "model")
    assert np.array_equal(hornbeam.load(tmp_path / "model").predict(rows), estimator.predict(rows))


@pytest.mark.parametrize("classes", [[3, 5, 8], [1.0, 2.0, 4.0], [False, True], ["x", "y", "z"]])
def test_classes_keep_their_type(classes: list[Any], tmp_path: Path) -> None:
    random, labels = np.random.default_rng(0), np.array(classes)
    x = random.normal(size=(60, 2))
    y = labels[random.integers(0, len(labels), 60)]
    estimator = hornbeam.CartClassifier(min_samples_leaf=5).fit(x, y)
    estimator.save(tmp_path / "model")
    loaded = hornbeam.load(tmp_path / "model")
    predicted, expected = loaded.predict(x), estimator.predict(x)
    assert np.array_equal(predicted, expected)
    assert predicted.dtype.kind == expected.dtype.kind
    again = hornbeam.CartClassifier.from_model(loaded)
    assert again.classes_.tolist() == estimator.classes_.tolist()


def test_rows_may_be_tables_frames_matrices_and_lists() -> None:
    table = class_table(missing=0.0)
    model = hornbeam.C45Classifier().fit(table).model_
    rows = table.select(table.schema.features)
    expected, frame = model.predict(rows), rows.to_pandas()
    assert np.array_equal(model.predict(frame), expected)
    assert np.array_equal(model.predict(frame.to_numpy().tolist()), expected)
    numbers = hornbeam.read("iris")
    tree = hornbeam.C45Classifier().fit(numbers).model_
    matrix = np.column_stack([numbers.columns[place] for place in numbers.schema.features])
    for given in (matrix, np.asfortranarray(matrix), matrix.tolist()):
        assert np.array_equal(tree.predict(given), tree.predict(numbers))
    with pytest.raises(ValueError, match="is nominal: a matrix of numbers"):
        model.predict(np.zeros((2, 5)))
    with pytest.raises(ValueError, match="expected rows x 4 features"):
        tree.predict(matrix[:, :2])
