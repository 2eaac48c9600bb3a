"""Which columns a model needs: how much worse it does when one column's values are shuffled among the rows.

It asks the model and not how the model was made, so it is the same for trees, rules, equations and ensembles; shuffled
several times, it says how far chance alone could move the figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from hornbeam.data.schema import Nominal, is_missing
from hornbeam.data.table import Table
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import between, one_of, threads, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST_SEED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """What shuffling each column costs.

    Parameters
    ----------
    names : tuple of str
        The features.
    baseline : float
        The score with all columns as they are.
    drops : array of shape (features, repeats)
        How much the score fell, each time the column was shuffled.
    confidence : float
        Of the intervals.
    interval : {"t", "percentile"}
        How they are made.
    """

    names: tuple[str, ...]
    baseline: float
    drops: NDArray[np.float64]
    confidence: float = 0.95
    interval: str = "t"

    @property
    def mean(self) -> NDArray[np.float64]:
        """How much the score falls on average, for every feature."""
        found: NDArray[np.float64] = self.drops.mean(axis=1)
        return found

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
        """A line a feature, the most important first: the fall of the score, and its interval."""
        order = np.argsort(-self.mean, kind="stable").tolist()
        room = max(map(len, self.names))
        low, high = self._ends()
        lines = [
            f"{self.names[place]:{room}}  {self.mean[place]:8.4f}  ({low[place]:.4f} to {high[place]:.4f})"
            for place in order
        ]
        return "\n".join([f"{'score':{room}}  {self.baseline:8.4f}", *lines])


def permutation_importance(
    model: Any,
    table: Table,
    n_repeats: int = 10,
    score: Callable[[Any, Table], float] | None = None,
    confidence: float = 0.95,
    interval: str = "t",
    n_jobs: int | None = None,
    random_state: Any = None,
) -> PermutationImportance:
    """How much worse a model does when a column's values are shuffled among the rows.

    Parameters
    ----------
    model : fitted estimator or model
        Any that predicts from a table.
    table : Table
        Rows with the target; other rows than those learned from tell what the model needs, and not what it knows by
        heart.
    n_repeats : int
        How often each column is shuffled; at least 2.
    score : callable, optional
        Given the model and a table, how good it is. By default the estimator's own score: the share of rows right, or
        the share of the variance explained.
    confidence : float
        Of the intervals.
    interval : {"t", "percentile"}
        Of the mean over shuffles, by Student's t; or the range in which so many of the shuffles themselves fell.
    n_jobs : int or None
        Threads, each of which shuffles other columns. The figures do not depend on it.
    random_state : int or None
        Seed of the shuffles.

    Returns
    -------
    PermutationImportance

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.C45Classifier().fit(iris)
    >>> found = hornbeam.permutation_importance(tree, iris, random_state=0)
    >>> found.names[int(found.mean.argmax())]
    'petalwidth'
    """
    repeats = whole("n_repeats", n_repeats, 2)
    between("confidence", confidence, 0, 1)
    one_of("interval", interval, ("t", "percentile"))
    judge = _own_score if score is None else score
    schema = getattr(model, "model_", model).schema
    names = tuple(schema.columns[place].name for place in schema.features)
    baseline = float(judge(model, table))
    seeds = check_random_state(random_state).randint(MOST_SEED, size=len(names))

    def run(number: int) -> list[float]:
        random = np.random.default_rng(int(seeds[number]))
        place = table.schema.position(names[number])
        return [baseline - float(judge(model, _shuffled(table, place, random))) for _ in range(repeats)]

    found = in_order_of_arrival(run, len(names), threads(n_jobs))
    drops = np.array([found[number] for number in range(len(names))]).reshape(len(names), repeats)
    return PermutationImportance(names, baseline, drops, float(confidence), interval)


def _shuffled(table: Table, place: int, random: np.random.Generator) -> Table:
    arrays = list(table.columns)
    arrays[place] = random.permutation(arrays[place])
    return Table(table.schema, arrays, table.notes, copy=False)


def _own_score(model: Any, table: Table) -> float:
    """An estimator's own score; of a plain model, the share of rows right or of the variance explained."""
    if hasattr(model, "score"):
        return float(model.score(table))
    truth, answers = table.target_values(), model.predict_codes(table)
    nominal = isinstance(table.schema.target_column, Nominal)
    known = ~is_missing(truth)
    weights = None if table.weights is None else table.weights[known]
    if nominal:
        return float(np.average(answers[known] == truth[known], weights=weights))
    spread = np.average((truth[known] - np.average(truth[known], weights=weights)) ** 2, weights=weights)
    return 1.0 - float(np.average((answers[known] - truth[known]) ** 2, weights=weights) / spread)
