"""Class weights of learners where one kept row or box predicts: they divide distances.

There are no votes to weight, and repeating the rows of a class changes little, as one of equal rows predicts as well as
several. The nearest row still estimates how dense a class is: with p columns, the density around a query row is
inversely proportional to the distance to the nearest row of the class, to the power p. A class weight multiplies this
density, so distances to the rows or boxes of the class are divided by the p-th root of its weight. Boxes of classes
with less than the largest weight also shrink, by the p-th root of the ratio: the volume that the class claims is
multiplied by it. Which rows are kept, and which boxes are made, does not depend on the weights. If the weight of a
class is raised, no row that was predicted to have the class gets another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.weights import LARGEST_TOTAL, SMALLEST_TOTAL
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.incremental import IncrementalClassifier

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.data.table import Table


@estimator
class DividedDistances(IncrementalClassifier):
    """Base of classifiers whose class weights divide distances.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        Weights of the classes: the distance to the rows or boxes of a class is divided by the p-th root of its weight,
        where p is the number of feature columns. A larger weight means more predictions of the class; rows at distance
        zero are not affected. Rows of a class of weight zero are left out.
    """

    class_weight: object = None
    costs: Any = None
    decision_threshold: float | None = None

    def _weighted(self, table: Table) -> Table:
        """The table without the rows of classes of weight zero."""
        self._costs(), self._threshold()  # checked before the work, not after it
        codes = table.target_values()
        weights = self._class_weights(np.bincount(codes[codes >= 0], minlength=len(self.classes_)))
        return table if weights is None or weights.all() else table.take((codes < 0) | (weights[codes] > 0))

    def _divisors(self, rows: Ints64, n_features: int) -> Floats | None:
        """The divisor of the distances to each class; None if all classes have the same weight.

        Parameters
        ----------
        rows : array
            The numbers of rows of the classes seen so far.
        n_features : int
            The number of feature columns.
        """
        weights = self._class_weights(rows)
        if weights is None:
            return None
        used = weights[rows > 0]
        for name, weight in zip(self.classes_.tolist(), weights.tolist(), strict=True):
            if weight > LARGEST_TOTAL or 0 < weight < SMALLEST_TOTAL:
                msg = (
                    f"the class_weight of {name!r} is {weight:.6g}; expected 0 or a number between "
                    f"{SMALLEST_TOTAL:.0e} and {LARGEST_TOTAL:.0e}"
                )
                raise ValueError(msg)
        if (used == used[0]).all():
            return None
        weights = np.where(weights > 0, weights, 1.0)  # a class of weight zero has no rows
        return np.asarray(weights ** (1.0 / max(n_features, 1)))
