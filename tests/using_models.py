"""Model files of every kind, and everything that is done with a model, for tests of what strange files come to."""

from __future__ import annotations

import functools
import linecache
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

import hornbeam
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.files.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.schema import Schema

SENTENCES = (ValueError, TypeError, NotImplementedError)  # what our own code raises, ModelError and DataError included


def learners() -> dict[str, tuple[Any, Any, Any]]:
    """An estimator of every kind of model, with the rows and the target to fit it to."""
    weather, numbers = hornbeam.read("weather.numeric"), hornbeam.read("cpu").take(np.arange(25))
    x = np.array([[0.0, 2, 0], [1, 0, 0], [0, 0, 3], [2, 2, 0], [0, 1, 1], [3, 0, 1], [1, 1, 0], [0, 3, 2]])
    y = np.array(list("abcacbab"))
    return {
        "tree": (hornbeam.C45Classifier(), weather, None),
        "surrogates": (hornbeam.CartClassifier(min_samples_split=2, min_samples_leaf=1), weather, None),
        "model-tree": (hornbeam.M5Regressor(), numbers, None),
        "rules": (hornbeam.RipperClassifier(random_state=0), weather, None),
        "exceptions": (hornbeam.ExceptionRulesClassifier(), weather, None),
        "linear": (hornbeam.LinearRegressor(), numbers, None),
        "discretized": (hornbeam.DiscretizedRegressor(), numbers, None),
        "forest": (hornbeam.RandomForestClassifier(3, random_state=0), weather, None),
        "boosting": (hornbeam.GradientBoostingRegressor(3), numbers, None),
        "ensemble": (hornbeam.BaggingClassifier("c45", n_estimators=2, random_state=0), weather, None),
        "instances": (hornbeam.NeighborsClassifier(2), weather, None),
        "kstar": (hornbeam.KStarClassifier(), weather, None),
        "local": (hornbeam.LocallyWeightedRegressor(n_neighbors=8), numbers, None),
        "local-learner": (hornbeam.LocallyWeightedClassifier("one-r", n_neighbors=8), weather, None),
        "exemplars": (hornbeam.ExemplarsClassifier(), weather, None),
        "corrected": (hornbeam.M5Regressor(neighbors=2), numbers, None),
        "partition": (hornbeam.KMeans(2, random_state=0), weather, None),
        "mixture": (hornbeam.MixtureModel(2, covariance_type="full", random_state=0), weather, None),
        "mixture-tied": (hornbeam.MixtureModel(2, covariance_type="tied", random_state=0), numbers, None),
        "projected": (hornbeam.KMeans(2, pca=1, random_state=0), numbers, None),
        "concepts": (hornbeam.Cobweb(), weather, None),
        "dendrogram": (hornbeam.HierarchicalClustering(2), weather, None),
        "graph-clusters": (hornbeam.SpectralClustering(2, random_state=0), weather, None),
        "svm": (hornbeam.SVMClassifier(probability=True, random_state=0), weather, None),
        "svm-products": (hornbeam.SVMClassifier(kernel="linear", products=2), weather, None),
        "svm-numbers": (hornbeam.SVMRegressor(), numbers, None),
        "svm-sparse": (hornbeam.SVMClassifier(gamma=0.5), sparse.csr_array(x), y),
        "svm-sparse-planes": (hornbeam.SVMClassifier(kernel="linear", solver="planes"), sparse.csr_array(x), y),
        "several": (hornbeam.TreeClassifier(), x, np.column_stack([y, y[::-1]])),
        "several-numbers": (hornbeam.RandomForestRegressor(2, random_state=0), x, x[:, :2] ** 2),
        "svm-given": (hornbeam.SVMClassifier(kernel="precomputed"), x @ x.T, y),
    }


@functools.cache
def good_files() -> dict[str, bytes]:
    """A sound model file of every kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: to_bytes(learner.fit(rows, target).model_, learner.provenance())
            for name, (learner, rows, target) in learners().items()
        }


def rows_for(schema: Schema, n_rows: int = 4) -> Table:
    """A few rows with the features of a schema: numbers, categories, and one row without any value."""
    columns = [schema.columns[place] for place in schema.features]
    arrays: list[Any] = []
    for column in columns:
        if isinstance(column, Nominal):
            codes = np.arange(n_rows) % max(1, len(column.categories)) if column.categories else np.full(n_rows, -1)
            arrays.append(np.where(np.arange(n_rows) == n_rows - 1, -1, codes))
        else:
            arrays.append(np.append(np.linspace(-3.0, 80.0, n_rows - 1), np.nan))
    return Table(schema.select(schema.features), arrays)


def uses(model: Any) -> dict[str, Callable[[], object]]:
    """Everything that is done with a loaded model."""
    from hornbeam.export import FORMATS
    from hornbeam.show import explain, svg, text

    rows = rows_for(model.schema)
    if getattr(getattr(model, "kernel", None), "name", "") == "precomputed":
        rows = rows.take([0, 1])
    return {
        "repr": lambda: repr(model),
        "predict": lambda: model.predict_codes(rows),
        "predict_proba": lambda: model.predict_proba(rows) if hasattr(model, "predict_proba") else None,
        "text": lambda: text(model),
        "svg": lambda: svg(model),
        **{one.name: functools.partial(one.write, model) for one in FORMATS},
        "explain": lambda: explain(model, rows, 0),
        "save": lambda: from_bytes(to_bytes(model)),
    }


def is_sentence(error: BaseException) -> bool:
    """Whether our own code raised an error on purpose: the line it comes from is a `raise` in the package."""
    if not isinstance(error, SENTENCES):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    place = trace.tb_frame.f_code.co_filename
    line = linecache.getline(place, trace.tb_lineno).strip()
    return "hornbeam" in place and line.startswith("raise ")


def use(model: Any) -> None:
    """Do everything with a model; errors that are not sentences of our own come through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, act in uses(model).items():
            try:
                act()
            except Exception as error:
                if not is_sentence(error):
                    error.add_note(f"while using the model: {name}")
                    raise
