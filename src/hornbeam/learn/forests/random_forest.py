"""Random forests (Breiman 2001): trees on samples of the rows, each node choosing among a few random columns.

Extremely randomized trees (Geurts, Ernst & Wehenkel 2006) also draw the cuts at random. Columns are binned once,
for all trees. Quantiles are those of the training targets in the leaves of a row (Meinshausen 2006).
"""

from __future__ import annotations

import math
import numbers
from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from hornbeam.data.indices import offsets
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import TableEstimator
from hornbeam.learn.base.parameters import at_least, one_of, share, threads, whole, whole_or_none
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.forests.binned import MOST_BINS
from hornbeam.learn.forests.draws import amount
from hornbeam.learn.forests.forest_predictions import ForestEstimator, accuracy, r_squared
from hornbeam.learn.forests.grow_forest import ForestChoices, OutOfBag, grow_forest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.forests.forest import Forest

MOST_SEED = 2**63 - 1
FEWEST_BINS = 2
BLOCK_TARGETS = 2_000_000  # held at a time


class RandomForest(ForestEstimator, TableEstimator):
    """Base of forests for classes and for numbers; a mixin for `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    n_estimators : int
        The number of trees.
    max_features : {"sqrt", "log2", "third"}, float, int or None
        How many columns a node (or a tree) chooses from: the square root of their number, its logarithm, a third (each
        rounded up), a fraction of them, this many, or all. Only columns that can be split count.
    features_per : {"node", "tree"}
        Whether columns are drawn at every node, or once per tree.
    numeric : {"histogram", "one-cut"}
        Whether numeric columns are cut between bins, or between any two values.
    extremely_randomized : bool
        Try each column with one cut drawn at random, instead of its best cut.
    min_samples_split : float
        Nodes with less weight than this are leaves.
    bootstrap : bool
        Whether rows are drawn with replacement.
    max_samples : float or int
        How many rows to draw for a tree: a fraction of all, or this many.
    oob_score : bool
        Whether to predict every training row with the trees that did not learn from it.
    random_state : int or None
        Seed of the random draws. The first trees are the same for any `n_estimators`.
    """

    model_: Forest
    n_estimators: int
    criterion: str
    max_features: str | float | None
    features_per: str
    numeric: str
    extremely_randomized: bool
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: float
    min_samples_split: float
    bootstrap: bool
    max_samples: float
    max_bins: int
    oob_score: bool
    keep_targets: bool = False
    n_jobs: int | None
    random_state: Any
    _criteria: ClassVar[tuple[str, ...]]

    def _learn(self, table: Table) -> tuple[Any, None]:
        for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        forest, out_of_bag = grow_forest(
            table, self._choices(table), threads(self.n_jobs), out_of_bag=bool(self.oob_score), report=self._report
        )
        if out_of_bag is not None:
            self._keep_out_of_bag(out_of_bag, table)
        return forest, None

    def _keep_out_of_bag(self, out_of_bag: OutOfBag, table: Table) -> None:
        """Keep the predictions of trees for the rows that they did not learn from."""
        raise NotImplementedError

    def _choices(self, table: Table) -> ForestChoices:
        n_drawn = amount("max_samples", self.max_samples, table.n_rows)
        if self.oob_score and not self.bootstrap and n_drawn == table.n_rows:
            msg = "oob_score needs rows that trees did not see; without bootstrap, max_samples must be below 1.0"
            raise ValueError(msg)
        criterion = one_of("criterion", self.criterion, self._criteria)
        numeric = one_of("numeric", self.numeric, ("histogram", "one-cut"))
        max_bins = whole("max_bins", self.max_bins, FEWEST_BINS)
        if max_bins > MOST_BINS:
            msg = f'max_bins is {max_bins}; expected at most {MOST_BINS}; numeric="one-cut" uses every value'
            raise ValueError(msg)
        features_per = one_of("features_per", self.features_per, ("node", "tree"))
        max_leaf_nodes = whole_or_none("max_leaf_nodes", self.max_leaf_nodes, 2)
        return ForestChoices(
            n_trees=whole("n_estimators", self.n_estimators, 1),
            n_candidates=columns_wanted(self.max_features, len(table.schema.features)),
            columns_by_tree=features_per == "tree",
            exact=numeric == "one-cut",
            max_bins=max_bins,
            entropy=criterion == "information-gain",
            random_cut=bool(self.extremely_randomized),
            bootstrap=bool(self.bootstrap),
            n_drawn=n_drawn,
            min_leaf=at_least("min_samples_leaf", self.min_samples_leaf, 0),
            min_split=at_least("min_samples_split", self.min_samples_split, 0),
            max_depth=whole_or_none("max_depth", self.max_depth, 1),
            max_leaves=max_leaf_nodes,
            seed=int(check_random_state(self.random_state).randint(MOST_SEED, dtype=np.int64)),
            keep_targets=bool(self.keep_targets),
            recipe={"criterion": criterion, "numeric": numeric, "features_per": features_per},
        )


@estimator(kw_only=False)
class RandomForestClassifier(RandomForest, TableClassifier):
    """A random forest for classes: many trees, each on a sample of the rows, each node choosing among a few columns.

    Parameters
    ----------
    criterion : {"gini", "information-gain"}
        How candidate splits are ranked. "entropy" and "log_loss" are other names of "information-gain".

    Attributes
    ----------
    oob_score_ : float
        Accuracy of the out-of-bag predictions: each row is predicted by the trees that did not learn from it.
    oob_decision_function_ : array of shape (rows, classes)
        Class probabilities by these trees; NaN for a row that all trees learned from.

    Notes
    -----
    Categories are divided in two, however many there are: ordered by the proportion of one class, for each class in
    turn. A row without a value takes the side that fits the training rows without the value, or the side with more
    weight if there were none.

    References
    ----------
    Breiman, L. (2001). Random forests.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("glass")
    >>> forest = hornbeam.RandomForestClassifier(oob_score=True, random_state=1).fit(table)
    >>> forest.model_.n_trees, forest.oob_score_ > 0.75
    (100, True)
    """

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "gini"
    max_features: str | float | None = "sqrt"
    features_per: str = "node"
    numeric: str = "histogram"
    extremely_randomized: bool = False
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: float = 1
    min_samples_split: float = 2
    bootstrap: bool = True
    max_samples: float = 1.0
    max_bins: int = MOST_BINS
    oob_score: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    costs: Any = None
    decision_threshold: float | None = None
    n_jobs: int | None = None
    random_state: Any = None

    _criteria = ("gini", "information-gain")

    def _keep_out_of_bag(self, out_of_bag: OutOfBag, table: Table) -> None:
        self.oob_decision_function_ = out_of_bag.predictions
        known = out_of_bag.n_trees > 0
        self.oob_score_ = accuracy(out_of_bag.predictions[known].argmax(axis=1), table, known)


@estimator(kw_only=False)
class RandomForestRegressor(RandomForest, TableRegressor):
    """A random forest for numbers: many trees, each on a sample of the rows, each node choosing among a few columns.

    Parameters
    ----------
    criterion : {"variance"}
        How candidate splits are ranked: by the decrease of the squared error. "squared_error" is another name of it.
    keep_targets : bool
        Whether leaves keep the targets of their rows, which `predict_quantiles` needs.

    Attributes
    ----------
    oob_score_ : float
        R² of the out-of-bag predictions: each row is predicted by the trees that did not learn from it.
    oob_prediction_ : array of shape (rows,)
        These predictions; NaN for a row that all trees learned from.

    References
    ----------
    Breiman, L. (2001). Random forests. Meinshausen, N. (2006). Quantile regression forests.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> forest = hornbeam.RandomForestRegressor(keep_targets=True, random_state=1).fit(table)
    >>> low, high = forest.predict_quantiles(table.take([0]), [0.1, 0.9])[0]
    >>> bool(low < forest.predict(table.take([0]))[0] < high)
    True
    """

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "variance"
    max_features: str | float | None = "sqrt"
    features_per: str = "node"
    numeric: str = "histogram"
    extremely_randomized: bool = False
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: float = 1
    min_samples_split: float = 2
    bootstrap: bool = True
    max_samples: float = 1.0
    max_bins: int = MOST_BINS
    oob_score: bool = False
    keep_targets: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    _criteria = ("variance",)

    def predict_quantiles(self, X: Any, levels: ArrayLike) -> NDArray[np.float64]:
        """Predict quantiles of the target for every row, from the training targets in the leaves of the row.

        Parameters
        ----------
        X : Table, array or frame
        levels : array
            The quantiles to predict, each from 0 to 1.

        Returns
        -------
        array of shape (rows, levels)
        """
        wanted = np.array(
            [share("a quantile", level) for level in np.atleast_1d(np.asarray(levels, np.float64)).tolist()]
        )
        return quantiles(self.model_, self._table(X), wanted, threads(self.n_jobs))

    def _keep_out_of_bag(self, out_of_bag: OutOfBag, table: Table) -> None:
        self.oob_prediction_ = out_of_bag.predictions[:, 0]
        known = out_of_bag.n_trees > 0
        self.oob_score_ = r_squared(self.oob_prediction_[known], table, known)


def columns_wanted(value: Any, n_features: int) -> int:
    """The number of columns that `max_features` stands for; at least one."""
    if value is None:
        return n_features
    named = {"sqrt": math.sqrt(n_features), "log2": math.log2(max(n_features, 1)), "third": n_features / 3}
    if isinstance(value, str) and value in named:
        return max(1, math.ceil(named[value] - 1e-9))
    if isinstance(value, str) or not isinstance(value, numbers.Real):
        msg = f"max_features is {value!r}; expected {', '.join(map(repr, named))}, a fraction, a number, or None"
        raise ValueError(msg)  # noqa: TRY004 - an unknown name is not a wrong type
    if isinstance(value, numbers.Integral) and int(value) > n_features:
        return n_features
    return amount("max_features", value, n_features)


def quantiles(forest: Forest, table: Table, levels: NDArray[np.float64], n_threads: int = 1) -> NDArray[np.float64]:
    """Weighted quantiles of the training targets in the same leaves as each row; all trees have equal weight.

    Returns
    -------
    array of shape (rows, levels)
        The least target at which the cumulative fraction of the weight reaches the level.
    """
    if forest.target_start is None or forest.targets is None:
        msg = "this forest does not keep the targets of its leaves; expected one learned with keep_targets=True"
        raise ValueError(msg)
    leaves = forest.apply(table, n_threads)
    start = forest.target_start[leaves]
    count = forest.target_start[leaves + 1] - start
    result = np.empty((table.n_rows, len(levels)))
    reached = offsets(count.sum(axis=1))
    first = 0
    while first < table.n_rows:
        stop = max(first + 1, int(np.searchsorted(reached, reached[first] + BLOCK_TARGETS, side="right")) - 1)
        result[first:stop] = _of_block(forest.targets, start[first:stop], count[first:stop], levels)
        first = stop
    return result if forest.unit is None else result * forest.unit[0] + forest.base[0]


def _of_block(
    targets: NDArray[np.float32], start: NDArray[np.int64], count: NDArray[np.int64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The quantiles of some rows, given where the targets of each tree start and how many there are."""
    n_rows, n_trees = count.shape
    flat = count.ravel()
    inside = np.arange(flat.sum()) - np.repeat(np.cumsum(flat) - flat, flat)
    values = targets[np.repeat(start.ravel(), flat) + inside].astype(np.float64)
    weights = np.repeat(1.0 / (n_trees * np.maximum(flat, 1)), flat)
    row = np.repeat(np.arange(n_rows), count.sum(axis=1))
    order = np.lexsort((values, row))
    values, weights = values[order], weights[order]
    stop = np.cumsum(count.sum(axis=1))
    reached = np.cumsum(weights)
    before = np.concatenate([[0.0], reached[stop[:-1] - 1]])
    result = np.empty((n_rows, len(levels)))
    for number, level in enumerate(levels):
        # sums are rounded: a level counts as reached if it is missed by less than this
        place = np.searchsorted(reached, before + level - 1e-9)
        result[:, number] = values[np.clip(place, np.concatenate([[0], stop[:-1]]), stop - 1)]
    return result
