"""Ensembles of models of any kind: their probabilities or numbers are averaged, or they vote.

Forests of plain trees have a special form, one flat struct for all trees. This class is for members of different kinds,
and for members that do not fit into such a struct: rules, equations, trees with surrogates, model trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.base import plain
from hornbeam.model.base.align import align, rows_of_matrix
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.members import KINDS
from hornbeam.model.rules.rule import best_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema

    Predict = Callable[[int], Floats]

Decide = Literal["mean", "vote"]
DECIDE: tuple[Decide, ...] = ("mean", "vote")


@dataclass(frozen=True, eq=False)
class Ensemble(Model):
    """Models that predict together.

    Parameters
    ----------
    schema : Schema
        Columns and target; its features are those that any member uses.
    members : tuple of models
        Trees, lists of rules, linear models, forests, ensembles and so on. Each has the same target, and features among
        those of the schema.
    default : array
        The prediction if no member has one: class probabilities, or one number.
    decide : {"mean", "vote"}
        Probabilities and numbers are averaged over the members that have a prediction; or, for classes, every member
        has one vote, and the probabilities are those of the votes.
    recipe : mapping
        How it was learned, as plain values.
    """

    KIND: ClassVar = "ensemble"
    PARTS: ClassVar = {"members": [kind for kind in KINDS if kind != "several"]}
    PLAIN: ClassVar = {
        "decide": plain.unchecked,
        "default": plain.number_array,
        "recipe": plain.recipe,
        "members": None,
    }

    schema: Schema
    members: tuple[Any, ...]
    default: Floats
    decide: Decide = "mean"
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        kinds = ", ".join(sorted({type(member).__name__ for member in self.members}))
        return f"Ensemble({self.schema.name!r}: {self.decide} of {len(self.members)} x {kinds})"

    def __len__(self) -> int:
        return len(self.members)

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> AnyArray:
        """Return class codes, the first on a tie, or numbers."""
        return self._chosen(self._probabilities(rows, n_threads))

    def _probabilities(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as every model
        if isinstance(rows, Table):
            return self._together(rows.n_rows, self._of_table(rows))
        rows_of_matrix(self.schema, rows, self._first_nominal)  # refuses what does not fit
        return self._together(len(rows), self._of_matrix(rows))

    def staged(self, table: Table) -> Iterator[AnyArray]:
        """Yield the predictions of the first member, then of the first two together, and so on."""
        table = self.as_table(table)
        sums = Sums(table.n_rows, self.default, classes=self.task == "classification")
        predict = self._of_table(table)
        for place in range(len(self.members)):
            sums.add(predict(place))
            yield self._chosen(sums.mean())

    def member_predictions(self, place: int, table: Table) -> Floats:
        """Return predictions of one member: probabilities or votes (rows, classes), or numbers (rows, 1)."""
        return self._of_table(self.as_table(table))(place)

    def validate(self) -> None:
        """Check the members, their targets and their features; raise a `ModelError` if they are wrong."""
        if self.decide not in DECIDE or (self.decide == "vote" and self.task == "regression"):
            msg = f"decide is {self.decide!r}; expected mean, or vote where classes are predicted"
            raise ModelError(msg)
        if not self.members:
            raise ModelError("there are no members")
        target = self.schema.target_column
        wanted = len(target.categories) if isinstance(target, Nominal) else 1
        if self.default.shape != (wanted,) or not np.isfinite(self.default).all():
            msg = f"the default prediction has the shape {self.default.shape}; expected {wanted} finite numbers"
            raise ModelError(msg)
        if isinstance(target, Nominal) and (self.default < 0).any():
            raise ModelError("the default prediction has a class probability below zero")
        known = {self.schema.columns[place] for place in self.schema.features}
        for number, member in enumerate(self.members, start=1):
            try:
                member.validate()
            except ModelError as error:
                msg = f"member {number}: {error}"
                raise ModelError(msg) from None
            if member.schema.target_column != target:
                msg = f"member {number} predicts {member.schema.target_column.name!r}; expected {target.name!r}"
                raise ModelError(msg)
            for place in member.schema.features:
                if member.schema.columns[place] not in known:
                    name = member.schema.columns[place].name
                    msg = f"member {number} uses the column {name!r}, which is not a feature, or is of another kind"
                    raise ModelError(msg)

    def _together(self, n_rows: int, predict: Predict) -> Floats:
        sums = Sums(n_rows, self.default, classes=self.task == "classification")
        for place in range(len(self.members)):
            sums.add(predict(place))
        return sums.mean()

    def _chosen(self, predictions: Floats) -> AnyArray:
        return best_labels(predictions) if self.task == "classification" else predictions[:, 0]

    def _of_table(self, table: Table) -> Predict:
        """The predictions of one member, by its number, for the rows of a table."""
        whole = align(self.schema, table)
        made = [whole]  # by set of columns: members learned from weighted rows have an additional column

        def rows_for(member: Any) -> Table:  # noqa: ANN401 - any model
            for rows in made:
                if rows.schema.columns == member.schema.columns:
                    return rows
            made.append(align(member.schema, whole))
            return made[-1]

        def predict(place: int) -> Floats:
            member = self.members[place]
            return self._said_by(member, rows_for(member))

        return predict

    def _of_matrix(self, matrix: AnyArray) -> Predict:
        """Return the same for a matrix; every member gets the columns that it uses."""

        def predict(place: int) -> Floats:
            return self._said_by(self.members[place], matrix[:, self._looks_at[place]])

        return predict

    def _said_by(self, member: Any, rows: Any) -> Floats:  # noqa: ANN401 - any model; a Table or a matrix
        if self.task == "classification" and self.decide == "mean":
            shares: Floats = member.predict_proba(rows)
            return shares
        return self._as_columns(member.predict_codes(rows))

    def _as_columns(self, predictions: AnyArray) -> Floats:
        """Numbers as one column, or labels as one column per class."""
        return predictions[:, np.newaxis] if self.task == "regression" else _votes(predictions, len(self.default))

    @cached_property
    def _looks_at(self) -> list[Any]:
        """The features that every member uses; a slice if it uses all of them in the same order."""
        place_of = {self.schema.columns[place].name: number for number, place in enumerate(self.schema.features)}
        found: list[Any] = []
        for member in self.members:
            places = [place_of[member.schema.columns[place].name] for place in member.schema.features]
            found.append(slice(None) if places == list(range(len(place_of))) else places)
        return found


class Sums:
    """Sums of predictions, and their number: some members, or all, may have no prediction for a row.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    default : array
        The prediction for rows without any.
    classes : bool
        Whether predictions are class probabilities, where zeros mean no prediction; otherwise numbers, where NaN does.
    """

    def __init__(self, n_rows: int, default: Floats, *, classes: bool) -> None:
        self.default, self.classes = default, classes
        self.sums = np.zeros((n_rows, len(default)))
        self.count = np.zeros(n_rows, np.int64)
        self.least, self.greatest = np.full(n_rows, np.inf), np.full(n_rows, -np.inf)  # of numbers

    def add(self, predictions: Floats, rows: AnyArray | slice = slice(None)) -> None:
        """Add predictions of all rows, or of some."""
        there = predictions.sum(axis=1) > 0 if self.classes else ~np.isnan(predictions[:, 0])
        with np.errstate(over="ignore"):  # keeps the mean between the least and the greatest value
            self.sums[rows] += predictions if there.all() else np.where(there[:, np.newaxis], predictions, 0.0)
        self.count[rows] += there
        if not self.classes:
            self.least[rows] = np.fmin(self.least[rows], predictions[:, 0])
            self.greatest[rows] = np.fmax(self.greatest[rows], predictions[:, 0])

    def mean(self) -> Floats:
        """The mean of the predictions; the default if there were none."""
        found = self.sums / np.maximum(self.count, 1)[:, np.newaxis]
        if not self.classes:
            found[:, 0] = np.clip(found[:, 0], self.least, self.greatest)
        found[self.count == 0] = self.default
        return found


def _votes(labels: AnyArray, n_classes: int) -> Floats:
    """Class probabilities of single votes; zeros if there is no label."""
    votes = np.zeros((len(labels), n_classes))
    known = np.flatnonzero(labels >= 0)
    votes[known, labels[known]] = 1.0
    return votes
