"""Regression by classification: a classifier of intervals, and a number for each interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base import plain
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


@dataclass(frozen=True, eq=False)
class DiscretizedModel(Model):
    """A classifier whose classes are intervals of a numeric target.

    Parameters
    ----------
    schema : Schema
        The schema, with the numeric target.
    classifier : Tree or RuleList
        Learned from the same columns, with the interval as the target; any model with class probabilities.
    values : array
        The number of each interval, in the order of the classifier's classes.
    default : float
        The prediction if the classifier has none.
    """

    KIND: ClassVar = "discretized"
    PARTS: ClassVar = {
        "classifier": (
            *("tree", "rules", "ensemble", "forest"),
            *("instances", "kstar", "local-learner", "exemplars", "svm"),
        ),
    }
    PLAIN: ClassVar = {"values": plain.number_array, "default": plain.number, "classifier": None}

    schema: Schema
    classifier: Any
    values: Floats
    default: float

    def __repr__(self) -> str:
        return f"DiscretizedModel({self.schema.name!r}: {len(self.values)} intervals by {self.classifier!r})"

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as every model
        """Return the mean of the intervals' numbers, weighted by the class probabilities."""
        return self._mean(self.classifier.predict_proba(rows))

    def _mean(self, shares: Floats) -> Floats:
        predictions: Floats = shares @ self.values
        predictions[~(shares.sum(axis=1) > 0)] = self.default
        return predictions

    def validate(self) -> None:
        """Check that the classifier fits the numbers and the schema; raise a `ModelError` if not."""
        if not isinstance(self.schema.target_column, Numeric):
            msg = f"the model predicts numbers; the target {self.schema.target_column.name!r} is nominal"
            raise ModelError(msg)
        self.classifier.validate()
        target = self.classifier.schema.target_column
        if not isinstance(target, Nominal) or self.values.shape != (len(target.categories),):
            msg = f"{self.values.size} numbers were given; expected one for each class of the classifier"
            raise ModelError(msg)
        if not (np.isfinite(self.values).all() and np.isfinite(self.default)):
            raise ModelError("the value of an interval is not a finite number")
        if replace(self.classifier.schema, columns=self.schema.columns) != self.schema or any(
            self.classifier.schema.columns[place] != self.schema.columns[place] for place in self.schema.features
        ):
            raise ModelError("the classifier of the intervals has other columns than the model")
