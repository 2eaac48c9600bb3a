"""hornbeam's neighbors, as a user calls them; see `ours`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.as_table import table_of
from benchmarks.peer import Learner
from benchmarks.queries import FEW_QUERIES, NEIGHBORS, REACH, Predictor, classes, mean_distance, numbers, wrong_mixed
from hornbeam.learn.neighbors.ib import IB2Classifier
from hornbeam.learn.neighbors.kstar import KStarClassifier
from hornbeam.learn.neighbors.local import LocallyWeightedRegressor
from hornbeam.learn.neighbors.nearest import NeighborsClassifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows

PIECE = 10_000  # rows of a stream that come at a time


def neighbors(threads: int) -> Predictor:
    """The nearest rows by numbers as they are."""
    learner = NeighborsClassifier(NEIGHBORS, ties="first", numeric="as-is", n_jobs=threads)
    return Predictor(
        lambda rows: learner.fit(rows.numbers, rows.target),
        lambda model, rows: _found(model, rows.numbers),
        mean_distance,
    )


def neighbors_mixed(threads: int) -> Predictor:
    """The nearest rows by numbers and categories, missing values left out."""
    learner = NeighborsClassifier(NEIGHBORS, ties="first", missing="ignore", n_jobs=threads)
    return Predictor(
        lambda rows: learner.fit(table_of(rows)), lambda model, rows: _found(model, table_of(rows)), wrong_mixed
    )


def _found(model: NeighborsClassifier, queries: Any) -> NDArray[np.int64]:  # noqa: ANN401 - a table or an array
    return model.neighbors(queries).rows.reshape(-1, min(NEIGHBORS, len(model.model_)))


def kstar(threads: int) -> Predictor:
    """K* as WEKA predicts."""
    learner = KStarClassifier(compat="weka", n_jobs=threads)
    return Predictor(
        lambda rows: learner.fit(table_of(rows)),
        lambda model, rows: model.model_.predict_codes(table_of(rows), threads),
        classes,
        FEW_QUERIES,
    )


def lwr(threads: int) -> Predictor:
    """Local regressions of the nearest rows."""
    return _local(LocallyWeightedRegressor(n_neighbors=REACH, n_jobs=threads))


def lwr_all(threads: int) -> Predictor:
    """Local regressions of all rows, as it comes."""
    return _local(LocallyWeightedRegressor(n_jobs=threads))


def _local(learner: LocallyWeightedRegressor) -> Predictor:
    return Predictor(
        lambda rows: learner.fit(rows.numbers, rows.target),
        lambda model, rows: model.predict(rows.numbers),
        numbers,
        FEW_QUERIES,
    )


def ib2(threads: int) -> Learner:
    """IB2 on a stream, some rows at a time."""
    assert threads == 1

    def fit(rows: Rows) -> IB2Classifier:
        learner = IB2Classifier()
        for start in range(0, len(rows), PIECE):
            piece = rows.part(slice(start, start + PIECE))
            learner.partial_fit(piece.numbers, piece.target, classes=np.arange(rows.n_classes))
        return learner

    return Learner(fit, lambda model, rows: model.predict(rows.numbers), lambda model: {"kept": len(model.model_)})
