"""Generalized exemplars: boxes of rows of one class, enlarged row by row; see `model/neighbors/exemplars.py`.

A row joins the nearest box of its class that can include it; otherwise it becomes a box of its own. If boxes must not
overlap, a box that would overlap is not enlarged, and one that turns out to hold a row of another class is divided.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.table import Table
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.base.parameters import one_of, threads, whole
from hornbeam.learn.neighbors.divided import DividedDistances
from hornbeam.model.neighbors.exemplars import Exemplars, Layout
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.core.neighbors import boxes as kernels
    from hornbeam.data.schema import Schema
    from hornbeam.model.rules.rule import RuleList


INTERVALS = 5  # intervals of a numeric column for its mutual information with the class
FORMS = ("online", "offline")
WEIGHTS = ("information", "none")
FIRST_CAPACITY = 64


@estimator
class ExemplarsClassifier(DividedDistances):
    """Generalized exemplars: boxes of rows of one class, each a range or a set of categories in every column.

    Rows come one after another. A row joins the nearest box of its class that can be enlarged to include it; if there
    is none, it becomes a box of its own. The predicted class is that of the box that holds the row, or of the nearest
    box.

    Parameters
    ----------
    form : {"online", "offline"}
        Boxes are made in one pass over the rows; "offline" also merges them afterwards if nothing is in between.
    overlap : bool
        Whether boxes of different classes may partly overlap.
    nested : bool
        Whether a box may lie inside a box of another class, as an exception to it. With neither, a box that turns out
        to hold a row of another class is divided, in the column where that removes the fewest rows. With either, the
        smallest box that holds a row decides; a row joins the box that decides it if the class is right (and, without
        `overlap`, if the box then partly overlaps none of another class), and is a box of its own otherwise.
    class_weight : dict, "balanced" or None
        Weights of the classes: the distance to the boxes of a class is divided by the p-th root of its weight, where p
        is the number of feature columns, and ranges of boxes shrink by the p-th root of the ratio of the weight to the
        largest weight. Which boxes are made does not depend on the weights. Rows of a class of weight zero are left
        out.
    attempts : int
        How many boxes a row tries to join, nearest first; only without `overlap` and `nested`.
    column_weights : {"information", "none"}
        Columns are weighted by their mutual information with the class (numbers in five intervals), or all the same.

    Attributes
    ----------
    model_ : Exemplars

    Notes
    -----
    The boxes depend on the order of the rows. A missing value of the query row does not count in the distance; in a box
    it is one more category, or a flag beside the range.

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
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """

    model_: Exemplars

    form: str = "online"
    overlap: bool = False
    nested: bool = False
    attempts: int = 5
    column_weights: str = "information"
    n_jobs: int | None = None

    def _learn(self, table: Table) -> tuple[Any, None]:
        one_of("form", self.form, FORMS)
        threads(self.n_jobs)
        attempts = whole("attempts", self.attempts, 1)
        self._boxes = Boxes(table.schema, attempts, overlap=bool(self.overlap), nested=bool(self.nested))
        self._seen = table
        return self._more(table), None

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None) -> Self:
        """Learn from more rows, one after another, in addition to earlier rows.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            With the columns of the first call.
        y : array of shape (rows,), optional
            The target, for anything but a Table.
        classes : array, optional
            All classes, if the rows of the first call do not have them all; later classes must be among them.
        """
        if not hasattr(self, "model_"):
            model, self.trace_ = self._learn(usable(self._weighted(self._first_rows(X, y, classes))))
            self.model_ = self._deciding(model)
            self.schema_, self._fingerprint = self.model_.schema, None
            return self
        if not hasattr(self, "_boxes"):
            msg = "a model read from a file has its boxes, not its rows: it cannot learn more; fit it again"
            raise ValueError(msg)
        more = self._weighted(self._later_rows(X, y))
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
        rows_of_classes = np.bincount(self._seen.target_values(), minlength=len(self.classes_))
        return replace(self._boxes.model(recipe), divisors=self._divisors(rows_of_classes, len(table.schema.features)))

    def rules(self) -> RuleList:
        """The boxes as rules, largest first; a box inside one of another class is an exception to it."""
        check_is_fitted(self)
        return self.model_.to_rules()


def information(table: Table) -> Floats:
    """The mutual information of each feature and the class, in bits; for a numeric one, of its five intervals."""
    target = table.target_values()
    n_classes = len(table.schema.target_column.categories)  # type: ignore[union-attr]
    weights = table.row_weights
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


def _bits(counts: AnyArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _joined(one: Table, other: Table) -> Table:
    columns = [np.concatenate(pair) for pair in zip(one.columns, other.columns, strict=True)]
    return Table(one.schema, columns, copy=False)


class Boxes:
    """The boxes, and the rows in them, during learning.

    Parameters
    ----------
    schema : Schema
        Columns and nominal target.
    attempts : int
        How many boxes a row tries to join, nearest first.
    overlap, nested : bool
        Whether boxes of different classes may partly overlap, and whether one may be inside another.
    """

    def __init__(self, schema: Schema, attempts: int, *, overlap: bool, nested: bool) -> None:
        self.schema, self.layout = schema, Layout(schema)
        self.attempts, self.overlap, self.nested = attempts, overlap, nested
        shape = len(self.layout.numbers), self.layout.start[-1]
        self.numbers, self.codes = np.empty((0, shape[0])), np.empty((0, len(self.layout.codes)), np.intp)
        self.classes, self.row_weight = np.empty(0, np.int32), np.empty(0)
        self.low, self.high = np.empty((0, shape[0])), np.empty((0, shape[0]))
        self.gaps, self.sets = np.empty((0, shape[0]), np.bool_), np.empty((0, shape[1]), np.bool_)
        self.label = np.empty(0, np.int32)  # -1: a removed box
        self.extent = np.empty(0)  # as in `Exemplars.sizes`; used if boxes of different classes may overlap
        self.members: list[list[int]] = []
        self.width, self.column_weight = np.zeros(shape[0]), np.ones(len(schema.features))

    def take_in(self, table: Table) -> range:
        """Store more rows, not yet in any box; return their numbers among all rows."""
        numbers, codes = self.layout.rows(table)
        weights = table.row_weights
        first = len(self.classes)
        self.numbers, self.codes = np.concatenate([self.numbers, numbers]), np.concatenate([self.codes, codes])
        self.classes = np.concatenate([self.classes, table.target_values()])
        self.row_weight = np.concatenate([self.row_weight, weights])
        low = np.fmin.reduce(self.numbers, axis=0, initial=np.inf)
        high = np.fmax.reduce(self.numbers, axis=0, initial=-np.inf)
        self.width = np.maximum(high - low, 0.0)
        self.extent = self.layout.sizes(self.low, self.high, self.sets, self.width)
        return range(first, len(self.classes))

    def weigh(self, column_weight: Floats) -> None:
        """Set the column weights; to be called after rows are stored, before they are added."""
        self.column_weight = column_weight
        self._see()

    def _see(self) -> None:
        """Pass the current arrays to the kernel."""
        self._kernel: kernels.Boxes = self.layout.boxes(
            self.low, self.high, self.gaps, self.sets, self.label, self.width, self.column_weight
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_kernel"}  # computed from the arrays

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._see()

    def add(self, row: int) -> None:
        """Put a row into a box."""
        taken_out: list[int] = []
        if not (self.overlap or self.nested):
            for box in self._kernel.holding(self.numbers[row], self.codes[row], int(self.classes[row])):
                taken_out += self._divide(box, row)
        self._join(row)  # before those taken out, so that none of their boxes will contain it
        for other in taken_out:
            self._join(other)

    def _join(self, row: int) -> None:
        """Enlarge the nearest box that can include a row, or make the row a new box."""
        kernel, values, places, label = self._kernel, self.numbers[row], self.codes[row], int(self.classes[row])
        if self.overlap or self.nested:  # a misclassified row becomes a new box, or one box might include all others
            box = kernel.deciding(values, places, self.extent)
            if box >= 0 and self.label[box] != label:  # equal rows add their weight
                box = kernel.same(values, places, label, self.extent)
            own = [box] if box >= 0 else []
        else:
            own = kernel.nearest(values, places, label, self.attempts)
        for box in own:
            if kernel.enlarge(box, values, places, self.overlap, self.nested):
                self.members[box].append(row)
                self._measure(box)
                return
        self._new([row], label)

    def _measure(self, box: int) -> None:
        if self.overlap or self.nested:
            one = slice(box, box + 1)
            self.extent[one] = self.layout.sizes(self.low[one], self.high[one], self.sets[one], self.width)

    def _divide(self, box: int, row: int) -> list[int]:
        """Divide a box so that it no longer contains a row, in the column where that removes the fewest rows.

        Returns the removed rows, which are then in no box.
        """
        members = np.array(self.members[box])
        values = self.numbers[members]
        best: tuple[float, float, int] | None = None
        for c, feature in enumerate(self.layout.feature_of_number):
            same = self._same_number(values[:, c], self.numbers[row, c])
            if not same.all():
                key = (float(self.row_weight[members[same]].sum()), -self.column_weight[feature], c)
                best = key if best is None or key < best else best
        for c, feature in enumerate(self.layout.feature_of_code):
            same = self.codes[members, c] == self.codes[row, c]
            if not same.all():
                key = (float(self.row_weight[members[same]].sum()), -self.column_weight[feature], -1 - c)
                best = key if best is None or key < best else best
        if best is None:  # all rows of the box are equal to this one
            return []
        c, label = best[2], int(self.label[box])
        if c >= 0:
            same = self._same_number(values[:, c], self.numbers[row, c])
            above = values[:, c] > self.numbers[row, c]
            parts = [members[~same & above], members[~same & ~above]]
        else:
            same = self.codes[members, -1 - c] == self.codes[row, -1 - c]
            parts = [members[~same]]
        self._forget(box)
        for part in parts:
            if len(part):
                self._new(part.tolist(), label)
        taken_out: list[int] = members[same].tolist()
        return taken_out

    @staticmethod
    def _same_number(values: Floats, value: float) -> Bools:
        same: Bools = np.isnan(values) if np.isnan(value) else values == value
        return same

    def _new(self, members: list[int], label: int) -> None:
        if (self.label >= 0).all():
            self._grow()
        box = int(np.argmax(self.label < 0))
        values = self.numbers[members]
        self.low[box] = np.fmin.reduce(values, axis=0, initial=np.inf)
        self.high[box] = np.fmax.reduce(values, axis=0, initial=-np.inf)
        self.gaps[box] = np.isnan(values).any(axis=0)
        self.sets[box] = False
        self.sets[box, self.codes[members].ravel()] = True
        self.label[box], self.members[box] = label, members
        self._measure(box)

    def _grow(self) -> None:
        more = max(FIRST_CAPACITY, len(self.label))
        for name in ("low", "high", "gaps", "sets"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate([array, np.zeros((more, *array.shape[1:]), array.dtype)]))
        self.label = np.concatenate([self.label, np.full(more, -1, np.int32)])
        self.extent = np.concatenate([self.extent, np.zeros(more)])
        self.members += [[] for _ in range(more)]
        self._see()

    def _forget(self, box: int) -> None:
        self.label[box], self.members[box] = -1, []

    def merge(self) -> None:
        """Merge boxes of one class, smaller ones first, if the merged box overlaps none of another class."""
        for box in sorted(np.flatnonzero(self.label >= 0).tolist(), key=lambda b: (len(self.members[b]), b)):
            others = np.flatnonzero(self.label == self.label[box])
            others = others[others != box]
            apart = np.zeros(len(others))
            wide = np.where(self.width > 0, self.width, 1.0)
            gap = np.maximum(np.maximum(self.low[others] - self.high[box], self.low[box] - self.high[others]), 0.0)
            apart += (np.where(np.isfinite(gap), gap, 0.0) / wide).sum(axis=1)
            apart += (self.sets[others] ^ self.sets[box]).sum(axis=1)
            for other in others[np.argsort(apart, kind="stable")[: self.attempts]]:
                if self._kernel.join(int(other), box):
                    self.members[other] = self.members[other] + self.members[box]
                    self._forget(box)
                    break

    def model(self, recipe: dict[str, str | float | bool | None]) -> Exemplars:
        """The current boxes."""
        there = np.flatnonzero(self.label >= 0)
        rows = np.array([self.row_weight[self.members[box]].sum() for box in there], np.float64)
        return Exemplars(
            self.schema, self.low[there], self.high[there], self.gaps[there], self.sets[there], self.label[there],
            rows, self.width.copy(), self.column_weight.copy(), recipe,
        )  # fmt: skip
