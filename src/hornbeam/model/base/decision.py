"""How a classifier turns class probabilities into classes: by costs, by a threshold, among the classes with rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.base.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.data.schema import Schema

BINARY = 2


@dataclass(frozen=True, slots=True)
class Decision:
    """A rule of decision; the default is the class of the greatest probability.

    Parameters
    ----------
    labels : tuple of str
        The classes, in order.
    costs : tuple of tuples of float, optional
        What each prediction (column) costs where each class (row) is true: the class of least expected cost is
        predicted.
    threshold : float, optional
        Two classes: the second is predicted where its probability is at least this.
    with_rows : tuple of bool, optional
        Which classes had training rows; the others are never predicted. None: not known.
    """

    labels: tuple[str, ...]
    costs: tuple[tuple[float, ...], ...] | None = None
    threshold: float | None = None
    with_rows: tuple[bool, ...] | None = None

    def __post_init__(self) -> None:
        count = len(self.labels)
        if self.costs is not None:
            cells = [cost for row in self.costs for cost in row]
            if len(self.costs) != count or any(len(row) != count for row in self.costs):
                msg = f"the costs of a decision are not {count} rows of {count} numbers, one for each class"
                raise ModelError(msg)
            if not all(0 <= cost < math.inf for cost in cells):
                raise ModelError("a cost of a decision is negative or not a number")
        if self.threshold is not None and not (0 <= self.threshold <= 1 and count == BINARY):
            msg = f"the threshold of a decision is {self.threshold} among {count} classes; expected 0 to 1, of two"
            raise ModelError(msg)
        if self.with_rows is not None and (len(self.with_rows) != count or not any(self.with_rows)):
            msg = f"a decision says which of {len(self.with_rows)} classes have rows; expected {count}, one at least"
            raise ModelError(msg)

    def to_json(self) -> dict[str, Any]:
        """Plain data, as a model file keeps it."""
        return {
            "labels": list(self.labels),
            "costs": None if self.costs is None else [list(row) for row in self.costs],
            "threshold": self.threshold,
            "with_rows": None if self.with_rows is None else list(self.with_rows),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], schema: Schema) -> Decision:
        """Read plain data of a model with this schema; refuse what does not belong to its classes."""
        target = schema.target_column
        labels = tuple(target.categories) if isinstance(target, Nominal) else ()
        if not labels or tuple(plain["labels"]) != labels:
            raise ModelError("the decision of the model is about other classes than its target has")
        costs, with_rows, threshold = plain["costs"], plain["with_rows"], plain["threshold"]
        if with_rows is not None and not all(isinstance(each, bool) for each in with_rows):
            raise ModelError("a decision does not say true or false of every class")
        return cls(
            labels,
            None if costs is None else tuple(tuple(map(float, row)) for row in costs),
            None if threshold is None else float(threshold),
            None if with_rows is None else tuple(with_rows),
        )


def attach(model: object, decision: Decision) -> None:
    """Let a model remember how its estimator decides; what the model itself predicts does not change."""
    object.__setattr__(model, "decision", decision)


def decision_of(model: object) -> Decision | None:
    """How the estimator of a model decided, where it was saved or read from a file that says so."""
    found = getattr(model, "decision", None)
    return found if isinstance(found, Decision) else None
