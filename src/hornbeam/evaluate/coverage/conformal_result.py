"""A model whose leaves or rules predict sets of classes or intervals with a given coverage.

Plain data, with methods for prediction and for text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.coverage.conformal_parts import exactly, rank
from hornbeam.evaluate.plain import plain_fields
from hornbeam.model.base.align import recode
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.calibrated import calibration_head, calibration_rows, coverage_words, leaf_words
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.rules import rule_list
from hornbeam.show.texts.trees.indented import prediction_text
from hornbeam.show.texts.wording import path, printable

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Indices
    from hornbeam.data.table import Table
    from hornbeam.evaluate.coverage.conformal_parts import Places
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.node_figures import LeafCalibration

Method = Literal["split", "cross"]
PATH_LIMIT = 60


@dataclass(frozen=True, eq=False, repr=False)
class CalibratedModel(ShowsText):
    """The result of `conformal` and `calibrate`.

    Parameters
    ----------
    places : Places
        The model that predicts, and where rows end in it.
    estimator : fitted estimator, or None
        The fitted estimator, if there is one.
    coverage : float
        The fraction of new rows whose target is in their set or interval.
    method : {"split", "cross"}
        Whether the calibration rows were held out, or predicted in folds.
    folds : int or None
        The number of folds, for ``"cross"``.
    learned_from : int or None
        The number of training rows, if known.
    calibrated_on : int
        Number of calibration rows.
    nodes : tuple of LeafCalibration
        Every leaf, and every inner node where rows may end; or every rule, counted from 1 as it is printed.
    scores : dict of node to array
        The surprise of the calibration rows of a node, ascending.
    surprise : array (nodes, classes) or None
        The surprise of each class at each node; None if the target is a number.
    learned_rows : array or None
        The training rows, as indices of the table given to `conformal`.
    """

    places: Places
    estimator: Any
    coverage: float
    method: Method
    folds: int | None
    learned_from: int | None
    calibrated_on: int
    nodes: tuple[LeafCalibration, ...]
    scores: dict[int, Floats]
    surprise: Floats | None = None
    learned_rows: Indices | None = None

    @property
    def model(self) -> Tree | RuleList:
        """The model that predicts."""
        return self.places.model

    def predict_set(self, table: Table, random_state: int | None = None) -> Bools:
        """Return the set of classes of every row.

        Parameters
        ----------
        table : Table
            Rows with the model's features.
        random_state : int, optional
            By default a leaf has one set: the most probable class and as many others as needed. It covers at least the
            requested probability, and usually more, because a class is either in the set or not. With a seed, the last
            class is in the set of some rows at random, so that the coverage is exact; a set may then be empty. This is
            useful for testing, not for readers.

        Returns
        -------
        array of bool, (rows, classes)
            Whether each class of the target is in the row's set.
        """
        self._ask(Nominal, "predict_interval")
        assert self.surprise is not None
        ends = self.places.ends(table)
        classes = self.surprise.shape[1]
        if random_state is None:
            member = np.zeros((len(self.places.parent), classes), np.bool_)
            for found in self.nodes:
                assert found.classes is not None
                member[found.node] = [name in found.classes for name in self._categories]
            return member[ends]
        chance = np.random.default_rng(random_state).random(table.n_rows)
        above, same, rows = (np.zeros((len(self.places.parent), classes)) for _ in range(3))
        for node, scores in self.scores.items():
            surprise = self.surprise[node]
            above[node] = len(scores) - np.searchsorted(scores, surprise, "right")
            same[node] = len(scores) - np.searchsorted(scores, surprise, "left") - above[node]
            rows[node] = len(scores)
        p_value = (above[ends] + chance[:, np.newaxis] * (same[ends] + 1)) / (rows[ends] + 1)
        return np.asarray(p_value > float(1 - exactly(self.coverage)))

    def predict_interval(self, table: Table, random_state: int | None = None) -> tuple[Floats, Floats]:
        """Return the interval of every row: the model's prediction plus and minus the width of its leaf.

        Parameters
        ----------
        table : Table
            Rows with the model's features.
        random_state : int, optional
            By default the width is that of ``ceil((rows + 1) coverage)``, which covers up to ``1 / (rows + 1)`` more
            than requested. With a seed, this or the next smaller width is chosen at random, so that the coverage is
            exact.

        Returns
        -------
        low, high : arrays
        """
        self._ask(object, "predict_set")
        ends, predictions = self.places.ends(table), self.model.predict_codes(table)
        narrow, wide, odds = (np.zeros(len(self.places.parent)) for _ in range(3))
        for node, scores in self.scores.items():
            place = rank(len(scores), self.coverage)
            wide[node] = scores[place - 1]
            narrow[node] = scores[place - 2] if place > 1 else -np.inf
            odds[node] = 1 - float(place - exactly(self.coverage) * Fraction(len(scores) + 1))
        half = wide[ends]
        if random_state is not None:
            chance = np.random.default_rng(random_state).random(table.n_rows)
            half = np.where(chance < odds[ends], half, narrow[ends])
        return predictions - half, predictions + half

    def covered(self, table: Table) -> float:
        """The fraction of a table's rows whose target is in their set or interval, among those that have one.

        Parameters
        ----------
        table : Table
            Rows with the target that were used neither for learning nor for calibration.
        """
        target = self.places.schema.target_column
        given, values = table.schema.columns[table.schema.position(target.name)], table.column(target.name)
        if isinstance(target, Nominal) and isinstance(given, Nominal):
            codes, known = recode(given, target, values), values >= 0
            held = (codes >= 0) & self.predict_set(table)[np.arange(len(codes)), codes]
        else:
            low, high = self.predict_interval(table)
            known, held = ~np.isnan(values), (low <= values) & (values <= high)
        return float(held[known].mean()) if known.any() else math.nan

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = "coverage method folds learned_from calibrated_on target=places.schema.target_column.name"
        return plain_fields(self, names) | {"classes": list(self._categories) or None} | plain_fields(self, "nodes")

    def text(self) -> str:
        """One line per leaf or rule: its conditions, the prediction, its set or interval, and the calibration rows."""
        model = self.model
        if not isinstance(model, Tree):
            return f"{rule_list.write(model, {found.node: found for found in self.nodes})}\n{self.coverage_statement()}"
        head = ["leaf", printable(model.schema.target_column.name, PATH_LIMIT), calibration_head(self.nodes[0])]
        rows = [[*head, "calibrated on", "borrowed from"]]
        for found in self.nodes:
            if not found.own_rows and model.n_children[found.node]:
                continue  # rows could end there, but none did
            borrowed = "" if found.borrowed_from is None else f"node {found.borrowed_from}"
            said = prediction_text(model, found.node) if model.intercept is None else "equation"
            name = f"{found.node}  {printable(path(model, found.node), PATH_LIMIT)}"
            rows.append([name, said, leaf_words(found), calibration_rows(found), borrowed])
        return "\n".join([*aligned(rows, left={0, 1, 2, 3, 4}), "", self.coverage_statement()])

    def coverage_statement(self) -> str:
        """What the coverage means, in a sentence."""
        share = f"{'at least' if self.method == 'split' else 'about'} {coverage_words(self.coverage)}"
        what = "class in the set" if self._categories else "number in the interval"
        without = f"each with a model learned without its fold ({self.folds} folds)"
        how = f"{self.calibrated_on} rows were used for calibration, {without}"
        if self.method == "split":
            rest = "" if self.learned_from is None else f"; it learned from the other {self.learned_from}"
            how = f"{self.calibrated_on} held-out rows were used for calibration{rest}"
        return f"of new rows like these, {share} have their {what}: {how}"

    @property
    def _categories(self) -> tuple[str, ...]:
        target = self.places.schema.target_column
        return target.categories if isinstance(target, Nominal) else ()

    def _ask(self, kind: type, instead: str) -> None:
        if (kind is Nominal) != bool(self._categories):
            name = self.places.schema.target_column.name
            held = "classes" if self._categories else "numbers"
            raise ValueError(f"the target {name!r} holds {held}; expected {instead}")
