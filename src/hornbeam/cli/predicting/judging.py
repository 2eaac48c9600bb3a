"""Scores and the verdict on predictions, if the file has the target's column."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.cli.options import remark
from hornbeam.data.in_words import percent, plural, printable
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.schema import Column, Role
    from hornbeam.evaluate.scores import ClassificationScore, RegressionScore
    from hornbeam.evaluate.verdicts.conclusion import Verdict

MOST_JUDGED = 1_000_000  # rows of a file that is read in parts; more would take more memory, and change little
MOST_PROBABILITIES = 10_000_000  # maximum number of cells; with more, the verdict does not use probabilities
SEEN = "The model was trained on these rows, so this says little about new ones."


@dataclass
class Judging:
    """Collects the true and the predicted values of rows, part by part."""

    model: Any
    column: Column  # the target
    learned_from: str | None = None  # the fingerprint of the training rows
    seen: bool = False  # whether these are the training rows
    truth: list[AnyArray] = field(default_factory=list)
    predicted: list[AnyArray] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    groups: list[AnyArray] = field(default_factory=list)
    probabilities: list[Floats] | None = field(default_factory=list)
    n_rows: int = 0
    n_left: int = 0  # rows after these, whose predictions are not compared

    def __post_init__(self) -> None:
        names = self.column.categories if isinstance(self.column, Nominal) else ()
        self.codes = {name: code for code, name in reversed(list(enumerate(names)))}
        self.n_own = len(names)

    def add(self, table: Table, labels: list[Any]) -> None:
        """Add some rows that have the target; parts after the first million rows are only counted."""
        if self.n_rows >= MOST_JUDGED:
            self.n_left += table.n_rows
            return
        rows = table.with_target(self.column.name)
        given, values = rows.schema.target_column, rows.target_values()
        if isinstance(given, Nominal) is not isinstance(self.column, Nominal):
            return
        self.seen = not self.n_rows and self._are_those_learned_from(rows)
        if isinstance(given, Nominal):
            self._add_classes(rows, given, values, labels)
        else:
            self.truth.append(values)
            self.predicted.append(np.array(labels, np.float64))
        self.weights.append(np.ones(rows.n_rows) if rows.weights is None else rows.weights)
        group = rows.schema.with_role("group")
        if group is not None:
            column, cells = rows.schema.columns[group], rows.columns[group]
            self.groups.append(np.array([*column.categories, ""])[cells] if isinstance(column, Nominal) else cells)
        self.n_rows += rows.n_rows

    def _are_those_learned_from(self, rows: Table) -> bool:
        """Whether rows are the training rows, regardless of the file name and the roles of other columns."""
        schema = self.model.schema
        if rows.schema.columns != schema.columns:
            return False
        return Table(schema, rows.columns, copy=False).fingerprint() == self.learned_from

    def _add_classes(self, rows: Table, given: Nominal, values: Ints32, labels: list[Any]) -> None:
        """Add classes; those that the model does not know get codes after its own."""
        recoded = [self.codes.setdefault(name, len(self.codes)) for name in given.categories]
        self.truth.append(np.array([*recoded, -1], np.int32)[values])
        self.predicted.append(np.array([self.codes.get(label, -1) for label in labels], np.int32))
        if (self.n_rows + rows.n_rows) * self.n_own > MOST_PROBABILITIES:
            self.probabilities = None
        elif self.probabilities is not None:
            self.probabilities.append(np.asarray(self.model.predict_proba(rows), np.float64))

    def score(self, *, ranked: bool = True) -> ClassificationScore | RegressionScore | None:
        """Return the score of all rows, with the ROC AUC if it is `ranked`; None if the target is unknown."""
        if not self.n_rows:
            return None
        from hornbeam.evaluate.scores import score

        costs = probabilities = None
        target: Column = Numeric(self.column.name)
        if isinstance(self.column, Nominal):
            target = Nominal(self.column.name, tuple(sorted(self.codes, key=lambda name: self.codes[name])))
            decision = getattr(self.model, "decision", None)
            costs = None if decision is None or decision.costs is None else np.array(decision.costs, np.float64)
            if ranked and self.probabilities is not None:
                known = np.concatenate(self.probabilities)
                probabilities = np.zeros((self.n_rows, len(self.codes)))
                probabilities[:, : self.n_own] = known
        columns: list[Column] = [target, Numeric(f"weight of {target.name}")]
        arrays: list[Any] = [np.concatenate(self.truth), np.concatenate(self.weights)]
        roles: list[Role] = ["target", "weight"]
        if len(self.groups) == len(self.truth):
            columns.append(Numeric(f"group of {target.name}"))
            arrays.append(np.unique(np.concatenate(self.groups), return_inverse=True)[1].astype(np.float64))
            roles.append("group")
        rows = Table(Schema(tuple(columns), tuple(roles)), arrays, copy=False)
        found: ClassificationScore | RegressionScore = score(np.concatenate(self.predicted), rows, costs, probabilities)
        return found if found.n_rows else None

    def verdict(self, found: ClassificationScore | RegressionScore) -> Verdict | None:
        """Return whether the predictions are better than the baseline; None for the training rows."""
        from hornbeam.evaluate.verdicts.of_score import of_score

        if self.seen:
            return None
        verdict = of_score(found)
        if not isinstance(self.column, Nominal):
            return verdict
        codes = np.concatenate(self.truth)
        known = codes[codes >= 0]
        if not len(known) or known.min() < self.n_own or known.min() != known.max():
            return verdict
        name = printable(next(name for name, code in self.codes.items() if code == known[0]), 40)
        text = f"All these rows are of the class '{name}', which the model cannot predict: it has no such class."
        return replace(verdict, text=text)

    def to_json(self) -> dict[str, Any]:
        """Return the score and the verdict for programs; nothing if the target is unknown."""
        found = self.score()
        if found is None:
            return {}
        verdict = self.verdict(found)
        return {
            "evaluation": found.to_json() | {"training_rows": self.seen},
            "verdict": None if verdict is None else verdict.to_json(),
        }

    def print(self) -> None:
        """Print the accuracy or the errors, and the verdict, if the target is known."""
        found = self.score(ranked=False)
        if found is None:
            return
        verdict = self.verdict(found)
        if verdict is not None and not verdict.better:  # the ranking of the rows counts only then
            found = self.score() or found
            verdict = self.verdict(found)
        rows = plural(found.n_rows, "row")
        if isinstance(self.column, Nominal):
            right = sum(int(np.sum((a == b) & (a >= 0))) for a, b in zip(self.truth, self.predicted, strict=True))
            remark(f"{right} of {rows} right, {percent(right / found.n_rows)}")
        else:
            remark(f"mean absolute error {found.mean_absolute_error:.4g} over {rows}")  # type: ignore[union-attr]
        remark(SEEN if verdict is None else f"Verdict: {verdict.text}")
        if self.n_left:
            remark(f"Only the first {self.n_rows:,} of {self.n_rows + self.n_left:,} rows were compared.")
