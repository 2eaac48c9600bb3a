"""Permutation importance: how much worse a model is when the values of one column are shuffled among the rows.

It only needs predictions, so it is the same for trees, rules, equations and ensembles. Shuffling several times shows
how far chance alone can change the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from hornbeam._display import ShowsText
from hornbeam.data.schema import Nominal, Schema, is_missing
from hornbeam.data.table import Table
from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import between, one_of, threads, whole
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MOST_SEED = 2**31 - 1


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance(ShowsText):
    """How much the score falls when each column is shuffled.

    Parameters
    ----------
    names : tuple of str
        The features.
    baseline : float
        The score with all columns as they are.
    drops : array of shape (features, repeats)
        The decrease of the score each time the column was shuffled.
    confidence : float
        The confidence of the intervals.
    interval : {"t", "percentile"}
        How the intervals are made.
    """

    names: tuple[str, ...]
    baseline: float
    drops: NDArray[np.float64]
    confidence: float = 0.95
    interval: str = "t"

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean decrease of the score for every feature."""
        mean: NDArray[np.float64] = self.drops.mean(axis=1)
        return mean

    @property
    def low(self) -> NDArray[np.float64]:
        """Lower ends of the intervals."""
        return self._ends()[0]

    @property
    def high(self) -> NDArray[np.float64]:
        """Upper ends of the intervals."""
        return self._ends()[1]

    def _ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        outside = (1.0 - self.confidence) / 2
        if self.interval == "percentile":
            low, high = np.quantile(self.drops, [outside, 1.0 - outside], axis=1)
            return low, high
        count = self.drops.shape[1]
        error = self.drops.std(axis=1, ddof=1) / np.sqrt(count)
        reach = error * float(stats.t.ppf(1.0 - outside, count - 1))
        return self.mean - reach, self.mean + reach

    def text(self) -> str:
        """One line per feature, the most important first: the decrease of the score, and its interval."""
        order = np.argsort(-self.mean, kind="stable").tolist()
        room = max(map(len, self.names))
        low, high = self._ends()
        lines = [f"{self.names[i]:{room}}  {self.mean[i]:8.4f}  ({low[i]:.4f} to {high[i]:.4f})" for i in order]
        return "\n".join([f"{'score':{room}}  {self.baseline:8.4f}", *lines])


@takes_rows(needs_target=True)
def permutation_importance(
    model: Any,
    table: Table,
    n_repeats: int = 10,
    score: Callable[[Any, Table], float] | None = None,
    confidence: float = 0.95,
    interval: str = "t",
    n_jobs: int | None = None,
    random_state: Any = None,
    columns: Sequence[str] | None = None,
) -> PermutationImportance:
    """Measure how much worse a model is when the values of a column are shuffled among the rows.

    Parameters
    ----------
    model : fitted estimator or model
        Any model that predicts from a table.
    table : Table
        Rows with the target, preferably not those that the model learned from.
    n_repeats : int
        How often to shuffle each column; at least 2.
    score : callable, optional
        A function of the model and a table that returns a score. By default the score of the estimator: accuracy or R².
    confidence : float
        The confidence of the intervals.
    interval : {"t", "percentile"}
        An interval for the mean over shuffles, by Student's t; or the range that holds this fraction of the shuffles.
    n_jobs : int or None
        Number of threads, each of which shuffles other columns: None is one, -1 all cores. The result does not depend
        on it.
    random_state : int or None
        Seed of the shuffles.
    columns : sequence of str, optional
        The features to shuffle; by default all.

    Returns
    -------
    PermutationImportance

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.C45Classifier().fit(iris)
    >>> importance = hornbeam.permutation_importance(tree, iris, random_state=0)
    >>> importance.names[int(importance.mean.argmax())]
    'petalwidth'
    """
    repeats = whole("n_repeats", n_repeats, 2)
    between("confidence", confidence, 0, 1)
    one_of("interval", interval, ("t", "percentile"))
    judge = _own_score if score is None else score
    schema = getattr(model, "model_", model).schema
    names = tuple(schema.columns[place].name for place in schema.features) if columns is None else tuple(columns)
    table = _with_computed(table, schema, names)
    baseline = float(judge(model, table))
    seeds = check_random_state(random_state).randint(MOST_SEED, size=len(names))

    def run(number: int) -> list[float]:
        random = np.random.default_rng(int(seeds[number]))
        place = table.schema.position(names[number])
        return [baseline - float(judge(model, _shuffled(table, place, random))) for _ in range(repeats)]

    by_column = in_order_of_arrival(run, len(names), threads(n_jobs))
    drops = np.array([by_column[number] for number in range(len(names))]).reshape(len(names), repeats)
    return PermutationImportance(names, baseline, drops, float(confidence), interval)


def _with_computed(table: Table, schema: Schema, names: tuple[str, ...]) -> Table:
    """The table with the features that the model computes from its columns, such as the month of a date."""
    absent = [name for name in names if name in schema.names and name not in table.schema.names]
    aligned = align(schema, table) if absent else table
    for name in absent:
        columns = (*table.schema.columns, schema.columns[schema.position(name)])
        wider = replace(table.schema, columns=columns, roles=(*table.schema.roles, "feature"))
        table = table.extended(wider, aligned.column(name))
    return table


def _shuffled(table: Table, place: int, random: np.random.Generator) -> Table:
    arrays = list(table.columns)
    arrays[place] = random.permutation(arrays[place])
    return Table(table.schema, arrays, table.notes, copy=False)


def _own_score(model: Any, table: Table) -> float:
    """The score of an estimator; for a plain model accuracy or R²."""
    if hasattr(model, "score"):
        return float(model.score(table))
    truth, predicted = table.target_values(), model.predict_codes(table)
    nominal = isinstance(table.schema.target_column, Nominal)
    known = ~is_missing(truth)
    weights = None if table.weights is None else table.weights[known]
    if nominal:
        return float(np.average(predicted[known] == truth[known], weights=weights))
    spread = np.average((truth[known] - np.average(truth[known], weights=weights)) ** 2, weights=weights)
    return 1.0 - float(np.average((predicted[known] - truth[known]) ** 2, weights=weights) / spread)
