"""Generalized exemplars: boxes of rows of one class, enlarged row by row; see `model/neighbors/exemplars.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.table import Table
from hornbeam.learn.base.incremental import IncrementalClassifier
from hornbeam.learn.base.parameters import one_of, threads, whole
from hornbeam.learn.neighbors.boxes import Boxes
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.neighbors.exemplars import Exemplars
    from hornbeam.model.rules.rule import RuleList

INTERVALS = 5  # of a numeric column, when its mutual information with the class is taken
FORMS = ("online", "offline")
WEIGHTS = ("information", "none")


class ExemplarsClassifier(IncrementalClassifier):
    """Classes by generalized exemplars: boxes of rows of one class, each a range or a set in every column.

    Rows come one after another. A row joins the nearest box of its class that can be enlarged by it; where none can, it
    is a box of its own. A row asked about is of the class of the box that it lies in, or of the nearest.

    Parameters
    ----------
    form : {"online", "offline"}, default="online"
        Boxes are made in one pass over the rows, or are joined afterwards where nothing stands in between.
    overlap : bool, default=False
        Whether boxes of different classes may overlap in part.
    nested : bool, default=False
        Whether a box may lie within one of another class, to which it is an exception. With neither, a box that holds a
        row of another class is divided, in the column where that takes the fewest rows out. With either, the smallest
        box that a row lies in decides; a row joins the box that decides it, where that is right (and, without
        `overlap`, the box then overlaps none of another class in part), and is a box of its own otherwise.
    attempts : int, default=5
        How many boxes a row tries to join, nearest first; with neither of the above.
    column_weights : {"information", "none"}, default="information"
        Columns count by their mutual information with the class (of numbers in five intervals), or all the same.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true; the answer is the class of least cost.
    decision_threshold : float or None, default=None
        Two classes: the second is predicted where its share is at least this.
    n_jobs : int or None, default=None
        Threads that answer; None is one, -1 all cores. Answers do not depend on it.

    Attributes
    ----------
    model_ : Exemplars
    classes_ : array
    schema_ : Schema

    Notes
    -----
    A box depends on the rows that came before it, so the order of the rows matters. A missing value of the row asked
    about says nothing of how far a box is; in a box it is one more category, or a gap beside the range.

    References
    ----------
    Salzberg, S. (1991). A nearest hyperrectangle learning method. Martin, B. (1995). Instance-based learning: nearest
    neighbor with generalization.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> boxes = hornbeam.ExemplarsClassifier().fit(table)
    >>> len(boxes.model_) < 20
    True
    >>> boxes.rules().predict(table.take([0, 60, 120])).tolist()
    [0, 1, 2]
    """

    model_: Exemplars  # type: ignore[assignment]

    def __init__(
        self,
        form: str = "online",
        overlap: bool = False,
        nested: bool = False,
        attempts: int = 5,
        column_weights: str = "information",
        costs: Any = None,
        decision_threshold: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.form = form
        self.overlap = overlap
        self.nested = nested
        self.attempts = attempts
        self.column_weights = column_weights
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.n_jobs = n_jobs

    def _learn(self, table: Table) -> tuple[Any, None]:
        one_of("form", self.form, FORMS)
        threads(self.n_jobs)
        attempts = whole("attempts", self.attempts, 1)
        self._boxes = Boxes(table.schema, attempts, overlap=bool(self.overlap), nested=bool(self.nested))
        self._seen = table
        return self._more(table), None

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from more rows, one after another, after those that were seen before.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            With the columns of the first call.
        y : array of shape (rows,), optional
            The target, for anything but a Table.
        classes : array, optional
            All classes, where the first call does not have them all; later ones must be among them.
        """
        if not hasattr(self, "model_"):
            model, self.trace_ = self._learn(self._first_rows(X, y, classes))
            self.model_ = self._deciding(model)
            self.schema_, self._fingerprint = self.model_.schema, None
            return self
        if not hasattr(self, "_boxes"):
            msg = "a model read from a file has its boxes, not its rows: it cannot learn more; fit it again"
            raise ValueError(msg)
        more = self._later_rows(X, y)
        self._seen = _joined(self._seen, more)
        self.model_ = self._deciding(self._more(more))
        return self

    def _more(self, table: Table) -> Exemplars:
        rows = self._boxes.take_in(table)
        by_information = one_of("column_weights", self.column_weights, WEIGHTS) == "information"
        self._boxes.weigh(information(self._seen) if by_information else np.ones(len(table.schema.features)))
        for row in rows:
            self._boxes.add(row)
        if self.form == "offline":
            self._boxes.merge()
        recipe: dict[str, str | float | bool | None] = {
            "form": self.form,
            "overlap": bool(self.overlap),
            "nested": bool(self.nested),
        }
        return self._boxes.model(recipe)

    def rules(self) -> RuleList:
        """The boxes as rules, the most specific first; a box within one of another class is an exception to it."""
        check_is_fitted(self)
        return self.model_.to_rules()


def information(table: Table) -> NDArray[np.float64]:
    """The mutual information of each feature and the class, in bits; of a numeric one, of its five intervals."""
    target = table.target_values()
    n_classes = len(table.schema.target_column.categories)  # type: ignore[union-attr]
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    found = []
    for place in table.schema.features:
        column = table.schema.columns[place]
        if is_number(column):
            values = numbers_of(column, table.columns[place])
            known = ~np.isnan(values)
            low, high = (values[known].min(), values[known].max()) if known.any() else (0.0, 0.0)
            share = (values[known] - low) / (high - low) if high > low else np.zeros(int(known.sum()))
            codes, n_codes = np.minimum((share * INTERVALS).astype(np.intp), INTERVALS - 1), INTERVALS
        else:
            known = table.columns[place] >= 0
            codes, n_codes = table.columns[place][known], len(column.categories)  # type: ignore[union-attr]
        counts = np.bincount(codes * n_classes + target[known], weights[known], minlength=n_codes * n_classes)
        counts = counts.reshape(n_codes, n_classes)
        total = counts.sum()
        found.append((_bits(counts.sum(axis=0)) + _bits(counts.sum(axis=1)) - _bits(counts)) if total > 0 else 0.0)
    return np.asarray(np.maximum(np.array(found), 0.0))


def _bits(counts: NDArray[Any]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _joined(one: Table, other: Table) -> Table:
    columns = [np.concatenate(pair) for pair in zip(one.columns, other.columns, strict=True)]
    return Table(one.schema, columns, copy=False)
