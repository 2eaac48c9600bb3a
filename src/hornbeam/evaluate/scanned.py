"""Cross-validation over partitions: every partition is predicted by a model learned from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.scores import costs_of, score

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.evaluate.scores import ClassificationScore, RegressionScore
    from hornbeam.learn.base.lazy import LazyRows

    Score = ClassificationScore | RegressionScore
    # the score of all, the score of each fold, predictions, the fold of each row, no seed, and probabilities
    Found = tuple[Score, tuple[Score, ...], NDArray[Any], NDArray[np.int64], None, NDArray[np.float64] | None]


def by_partitions(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    rows: LazyRows,
    folds: Any,  # noqa: ANN401 - a number is expected, and anything else refused
    order: str | None,
    progress: Callable[[int, int], object] | None,
    *,
    keep: bool,
) -> Found:
    """Predict every row with a target by a model that has not seen its partition; rows are in the order of the folds.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted in each fold.
    rows : LazyRows
        The result of `hornbeam.scan`.
    folds : int
        How many folds.
    order : None
        Partitions are in no order of time.
    progress : callable, optional
        Called with the number of finished folds and the total number.
    keep : bool
        Whether to also return the probabilities of every class.
    """
    if not isinstance(folds, int) or order is not None:
        raise ValueError("scanned data is divided by partitions; expected a number of folds, and no order")
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading a result does not need

    target = rows.schema.target_column
    schema, costs = Schema((target,), ("target",)), None
    found, scores = [], []
    for number, (train, test) in enumerate(rows.folds(folds), 1):
        learner = clone(estimator).fit(train)
        costs = costs_of(learner)
        one = test.predicted(learner, probabilities=True)
        found.append(one)
        scores.append(score(one.predictions, Table(schema, [one.truth], copy=False), costs))
        if progress is not None:
            progress(number, folds)
    truth, predictions = (np.concatenate([getattr(one, name) for one in found]) for name in ("truth", "predictions"))
    shares = [one.probabilities for one in found if one.probabilities is not None]
    probabilities = np.concatenate(shares) if shares else None
    whole = score(predictions, Table(schema, [truth], copy=False), costs, probabilities)
    fold = np.repeat(np.arange(folds), [len(one.truth) for one in found])
    return whole, tuple(scores), predictions, fold, None, probabilities if keep else None
