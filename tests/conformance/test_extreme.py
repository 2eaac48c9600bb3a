"""Every estimator on small tables that are hard on arithmetic: a sound model, or a sentence; never anything else.

Warnings that NumPy or Python raise from inside are errors here.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import EVERY, hard_settings
from conformance.extreme import TABLES, Extreme
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import SchemaError
from hornbeam.learn.base.limits import LearnError

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = hard_settings()
CASES = [
    (name, table)
    for name, (predicts, _) in SETTINGS.items()
    for table in TABLES
    if ("target" not in table or predicts == "number") and ("class" not in table or predicts == "category")
]
REFUSALS = (ValueError, LearnError, SchemaError)  # of this project; those of NumPy and others are subclasses of these


def fitted_on(estimator: Any, predicts: str, extreme: Extreme) -> Any:
    """The estimator, fitted; None where it refuses the table in words of our own."""
    takes_weights = "sample_weight" in inspect.signature(estimator.fit).parameters
    weights = {"sample_weight": extreme.weights} if takes_weights and extreme.weights is not None else {}
    try:
        return estimator.fit(extreme.table(predicts), **weights)
    except ValueError as error:
        if not is_a_sentence(error):
            raise
        return None


def is_a_sentence(error: ValueError) -> bool:
    """Whether an error was raised on purpose by this project, not by Python or NumPy in one of its lines."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    ours = f"{hornbeam.__name__}/" in place.filename and (place.line or "raise").startswith("raise")
    return ours and type(error) in REFUSALS and len(str(error).split()) > 4


@pytest.mark.parametrize(("name", "table"), CASES)
def test_a_sound_model_or_a_sentence(name: str, table: str, tmp_path: Path) -> None:
    predicts, estimator = SETTINGS[name]
    extreme = TABLES[table]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        fitted = fitted_on(clone(estimator), predicts, extreme)
        if fitted is None:
            assert table != "ordinary"
            return
        rows = extreme.table(predicts)
        predicted = fitted.predict(rows)
        if predicts == "number":
            assert np.isfinite(predicted).all()
        if hasattr(fitted, "predict_proba"):
            shares = fitted.predict_proba(rows)
            assert np.abs(shares.sum(axis=1) - 1).max() < 1e-9
            assert shares.min() >= 0
        assert hornbeam.show.text(fitted)
        fitted.save(tmp_path / "model.hornbeam")
        loaded = type(fitted).from_model(hornbeam.load(tmp_path / "model.hornbeam"))
        assert np.array_equal(loaded.predict(rows), predicted)


@pytest.mark.parametrize("name", ["c45", "neighbors", "svm", "cart numbers", "k-means"])
def test_sums_of_large_numbers_of_both_signs_give_no_warning(name: str) -> None:
    """Warnings from inside are errors in the tests."""
    large = np.array([-1.0, 1.0, -1.0, 1.0] * 30) * 1.7e308
    x, y = np.column_stack([large, np.arange(120.0)]), np.repeat([0, 1], 60)
    learner = clone(EVERY[name])
    try:
        learner.fit(x, *(() if name == "k-means" else (y,))).predict(x)
    except ValueError as error:
        if not is_a_sentence(error):
            raise
