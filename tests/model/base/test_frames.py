"""Every method of a model that takes a table takes data frames: the methods are found, none is left out."""

from __future__ import annotations

import inspect
from types import GeneratorType
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import hornbeam
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
IRIS = hornbeam.read("iris")
LEARNERS: list[Any] = [
    hornbeam.C45Classifier(),
    hornbeam.RipperClassifier(random_state=0),
    hornbeam.RandomForestClassifier(3, random_state=0),
    hornbeam.GradientBoostingClassifier(3),
    hornbeam.BaggingClassifier("one-r", n_estimators=2, random_state=0),
    hornbeam.NeighborsClassifier(),
    hornbeam.KStarClassifier(),
    hornbeam.LocallyWeightedClassifier(n_neighbors=20),
    hornbeam.ExemplarsClassifier(),
    hornbeam.SVMClassifier(),
    hornbeam.KMeans(3, random_state=0),
    hornbeam.MixtureModel(2, random_state=0),
    hornbeam.Cobweb(0.2),
    hornbeam.HierarchicalClustering(3),
    hornbeam.SpectralClustering(2, random_state=0),
]
MORE: dict[str, tuple[Any, ...]] = {"member_predictions": (0,)}  # what comes before the table
NOT_ROWS = {"as_table", "add_trees"}  # which the others call


def methods(model: Any) -> list[str]:
    """Public methods with a parameter for rows."""
    found = []
    for name, method in inspect.getmembers(type(model), inspect.isfunction):
        parameters = inspect.signature(method).parameters
        if not name.startswith("_") and name not in NOT_ROWS and {"table", "rows"} & parameters.keys():
            found.append(name)
    return found


def plain(found: Any) -> Any:
    """A result as lists, to compare it with another."""
    if isinstance(found, np.ndarray):
        return found.tolist()
    if isinstance(found, Table):
        return [column.tolist() for column in found.columns]
    if isinstance(found, GeneratorType | list | tuple):
        return [plain(one) for one in found]
    return [plain(getattr(found, name)) for name in found.__slots__] if hasattr(found, "__slots__") else repr(found)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_methods_take_frames(learner: Any, kind: str) -> None:
    model = learner.fit(IRIS).model_
    assert {"predict", "predict_codes"} <= {*methods(model)}
    rows = IRIS.take(np.arange(0, 150, 7))
    frame = FRAMES[kind](rows.to_pandas().drop(columns="class"))
    for name in methods(model):
        if name in ("predict_proba", "probabilities") and model.task != "classification":
            continue
        before = MORE.get(name, ())
        expected = plain(getattr(model, name)(*before, rows))
        assert plain(getattr(model, name)(*before, frame)) == expected, name
