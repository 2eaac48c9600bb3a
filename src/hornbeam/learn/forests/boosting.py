"""Gradient boosting (Friedman 2001): trees that each make up for what those before them left over.

Trees grow leaf by leaf from binned columns; every leaf's value is a step against the gradient of the loss, made shorter
by the learning rate. Categories and missing values are taken as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.classifier import BINARY, TableClassifier
from hornbeam.learn.base.parameters import at_least, between, one_of, share, threads, whole, whole_or_none
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.forests.binned import MOST_BINS
from hornbeam.learn.forests.boost import BoostingChoices, boost
from hornbeam.learn.forests.boosting_losses import CLASS_LOSSES, NUMBER_LOSSES, Loss
from hornbeam.learn.forests.draws import amount
from hornbeam.learn.forests.forest_predictions import ForestAnswers
from hornbeam.learn.trees.tree_recipe import limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

MOST_SEED = 2**31 - 1
FEWEST_BINS = 2
MOST_COUNT = 1e30  # gradients of larger ones do not fit into single precision


class GradientBoosting(ForestAnswers):
    """What boosting of classes and of numbers share; beside `TableClassifier` or `TableRegressor`."""

    n_iter_: int
    validation_loss_: NDArray[np.float64] | None
    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int | None
    loss: str
    max_depth: int | None
    min_samples_leaf: float
    l1: float
    l2: float
    min_gain: float
    subsample: float
    max_features: float
    max_bins: int
    early_stopping: bool
    validation_share: float
    patience: int
    monotone: Mapping[str, int] | Sequence[int] | None
    random_state: Any

    def _loss(self, table: Table) -> Loss:
        """The loss that the parameters and the target ask for."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, None]:
        found = boost(table, self._choices(table), threads(self.n_jobs))
        self.n_iter_, self.validation_loss_ = found.n_rounds, found.validation_loss
        return found.forest, None

    def _choices(self, table: Table) -> BoostingChoices:
        loss = self._loss(table)
        max_bins = whole("max_bins", self.max_bins, FEWEST_BINS)
        if max_bins > MOST_BINS:
            msg = f"max_bins is {max_bins}; expected at most {MOST_BINS}"
            raise ValueError(msg)
        n_features = len(table.schema.features)
        return BoostingChoices(
            loss=loss,
            n_rounds=whole("n_estimators", self.n_estimators, 1),
            shrink=_above_zero("learning_rate", self.learning_rate),
            max_leaves=whole_or_none("max_leaf_nodes", self.max_leaf_nodes, 2),
            max_depth=whole_or_none("max_depth", self.max_depth, 1),
            min_leaf=at_least("min_samples_leaf", self.min_samples_leaf, 0),
            l1=at_least("l1", self.l1, 0),
            l2=at_least("l2", self.l2, 0),
            min_gain=at_least("min_gain", self.min_gain, 0),
            subsample=_above_zero("subsample", share("subsample", self.subsample)),
            n_columns=amount("max_features", self.max_features, n_features) if n_features else 0,
            max_bins=max_bins,
            monotone=_limits(self.monotone, table, loss),
            validation_share=(
                between("validation_share", self.validation_share, 0, 1) if bool(self.early_stopping) else 0.0
            ),
            patience=whole("patience", self.patience, 1),
            seed=int(check_random_state(self.random_state).randint(MOST_SEED)),
            recipe={"loss": loss.name, "learning_rate": float(self.learning_rate)},
        )

    def _staged(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Answers of the first rounds alone, after each."""
        check_is_fitted(self)
        rows = X if isinstance(X, Table) else self._features(X, reset=False)
        return self.model_.staged(rows, every=self.model_.n_outputs, n_threads=threads(self.n_jobs))


class GradientBoostingClassifier(GradientBoosting, TableClassifier):
    """Classes by boosted trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds; each adds a tree, or one for every class where there are more than two.
    learning_rate : float, default=0.1
        How much of its step a tree takes.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; the leaf that gains most is split first.
    loss : {"auto", "logistic", "multinomial"}, default="auto"
        The logarithm of the chance given to the true class: by one score for two classes, or by one a class.
    max_depth : int or None, default=None
        Most splits on a way down.
    min_samples_leaf : float, default=20
        Both sides of a split hold this much weight.
    l1, l2 : float, default=0.0
        What is taken off a leaf's gradient, and added to its second derivative, before one is divided by the other.
    min_gain : float, default=0.0
        A split takes more than this off the loss (summed over rows, by its second-order approximation).
    subsample : float, default=1.0
        Chance of a row to be used in a round.
    max_features : float or int, default=1.0
        Columns that a tree may use: a share of all, or so many.
    max_bins : int, default=256
        Most bins of a numeric column; one that has no more values is exact.
    early_stopping : bool, default=False
        Stop when the loss on rows held out has not fallen for `patience` rounds, and keep the rounds up to its least.
    validation_share : float, default=0.1
        Share of the rows of every class that is held out.
    patience : int, default=10
        Rounds without a lower loss after which to stop.
    monotone : mapping or sequence, optional
        Two classes, by column name (or one entry a feature): 1, the second one's chance may only rise with it; -1, only
        fall.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : matrix or mapping, optional
        What it costs to answer the column's class where the row's is true; the answer is the class of least cost.
    decision_threshold : float or None, default=None
        Two classes: the second is predicted where its share is at least this.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The trees do not depend on it.
    random_state : int or None, default=0
        Seed of how gradients are rounded, and of what is drawn.

    Attributes
    ----------
    model_ : Forest
    feature_importances_ : array
    n_iter_ : int
        Rounds kept.
    validation_loss_ : array or None
        Mean loss on the rows held out: before the first round, and after each that was made.
    classes_ : array
    schema_ : Schema

    Notes
    -----
    Gradients are rounded to whole numbers, up or down by chance, before they are summed; the values of leaves come from
    the gradients themselves. Categories are parted in two in the order of their mean gradients, however many there are;
    what such an order gains by chance alone is taken off. A row without a value takes the side that suits the training
    rows without it, or the heavier one where there were none.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> import hornbeam
    >>> boosted = hornbeam.GradientBoostingClassifier(n_estimators=20).fit(hornbeam.read("glass"))
    >>> boosted.model_.n_trees, boosted.score(hornbeam.read("glass")) > 0.9
    (140, True)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        loss: str = "auto",
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l1: float = 0.0,
        l2: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        max_bins: int = MOST_BINS,
        early_stopping: bool = False,
        validation_share: float = 0.1,
        patience: int = 10,
        monotone: Mapping[str, int] | Sequence[int] | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.loss = loss
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l1 = l1
        self.l2 = l2
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.early_stopping = early_stopping
        self.validation_share = validation_share
        self.patience = patience
        self.monotone = monotone
        self.class_weight = class_weight
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _loss(self, table: Table) -> Loss:
        target = table.schema.target_column
        assert isinstance(target, Nominal)
        n_classes = len(target.categories)
        name = one_of("loss", self.loss, CLASS_LOSSES)
        if name == "auto":
            name = "logistic" if n_classes == BINARY else "multinomial"
        if name == "logistic" and n_classes != BINARY:
            msg = f"loss is 'logistic', which is for two classes; the target {target.name!r} has {n_classes}"
            raise ValueError(msg)
        return Loss(name, 1 if name == "logistic" else n_classes)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Class shares by the first rounds alone, after each."""
        yield from self._staged(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """The class of every row (that of the greatest share) by the first rounds alone, after each."""
        for shares in self._staged(X):
            yield self.classes_.take(shares.argmax(axis=1))


class GradientBoostingRegressor(GradientBoosting, TableRegressor):
    """Numbers by boosted trees.

    Parameters
    ----------
    n_estimators : int, default=100
        Rounds; each adds a tree.
    learning_rate : float, default=0.1
        How much of its step a tree takes.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; the leaf that gains most is split first.
    loss : {"squared", "absolute", "huber", "quantile", "poisson"}, default="squared"
        What is made small: for the mean, the median, something between them, a quantile, or the mean of counts (whose
        logarithm is what trees add up to).
    max_depth : int or None, default=None
        Most splits on a way down.
    min_samples_leaf : float, default=20
        Both sides of a split hold this much weight.
    l1, l2 : float, default=0.0
        What is taken off a leaf's gradient, and added to its second derivative, before one is divided by the other.
    min_gain : float, default=0.0
        A split takes more than this off the loss (summed over rows, by its second-order approximation).
    subsample : float, default=1.0
        Chance of a row to be used in a round.
    max_features : float or int, default=1.0
        Columns that a tree may use: a share of all, or so many.
    max_bins : int, default=256
        Most bins of a numeric column; one that has no more values is exact.
    quantile : float, default=0.5
        Of the loss "quantile": which one.
    huber_share : float, default=0.9
        Of the loss "huber": share of the rows whose errors count squared; larger ones count as they are.
    early_stopping : bool, default=False
        Stop when the loss on rows held out has not fallen for `patience` rounds, and keep the rounds up to its least.
    validation_share : float, default=0.1
        Share of the rows that is held out.
    patience : int, default=10
        Rounds without a lower loss after which to stop.
    monotone : mapping or sequence, optional
        By column name (or one entry a feature): 1, the answer may only rise with it; -1, only fall.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The trees do not depend on it.
    random_state : int or None, default=0
        Seed of how gradients are rounded, and of what is drawn.

    Attributes
    ----------
    model_ : Forest
    feature_importances_ : array
    n_iter_ : int
        Rounds kept.
    validation_loss_ : array or None
        Mean loss on the rows held out: before the first round, and after each that was made.
    schema_ : Schema

    Notes
    -----
    See `GradientBoostingClassifier`. Leaves answer with the median (or the quantile) of what is left of their rows'
    targets, where the loss is about that.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("auto-mpg")
    >>> boosted = hornbeam.GradientBoostingRegressor(monotone={"weight": -1}).fit(table)
    >>> boosted.score(table) > 0.9
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        loss: str = "squared",
        max_depth: int | None = None,
        min_samples_leaf: float = 20,
        l1: float = 0.0,
        l2: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 1.0,
        max_bins: int = MOST_BINS,
        quantile: float = 0.5,
        huber_share: float = 0.9,
        early_stopping: bool = False,
        validation_share: float = 0.1,
        patience: int = 10,
        monotone: Mapping[str, int] | Sequence[int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.loss = loss
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l1 = l1
        self.l2 = l2
        self.min_gain = min_gain
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.quantile = quantile
        self.huber_share = huber_share
        self.early_stopping = early_stopping
        self.validation_share = validation_share
        self.patience = patience
        self.monotone = monotone
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _loss(self, table: Table) -> Loss:
        name = one_of("loss", self.loss, NUMBER_LOSSES)
        if name == "poisson":
            _check_counts(table)
        if name == "huber":
            return Loss(name, level=between("huber_share", self.huber_share, 0, 1))
        return Loss(name, level=between("quantile", self.quantile, 0, 1) if name == "quantile" else 0.5)

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """The number of every row by the first rounds alone, after each."""
        yield from self._staged(X)


def _check_counts(table: Table) -> None:
    truth = table.target_values()
    name = table.schema.target_column.name
    if (truth < 0).any():
        row = int(np.argmax(truth < 0))
        msg = f"the target {name!r} has {truth[row]} in row {row + 1}; the loss 'poisson' expects numbers of at least 0"
        raise ValueError(msg)
    if truth.max() > MOST_COUNT:
        row = int(np.argmax(truth))
        msg = (
            f"the target {name!r} has {truth[row]:.3g} in row {row + 1}; the loss 'poisson' expects numbers up to "
            f"{MOST_COUNT:.0e}"
        )
        raise ValueError(msg)
    if not truth.any():
        msg = f"the target {name!r} is 0 in every row; the loss 'poisson' expects some number above 0"
        raise ValueError(msg)


def _above_zero(name: str, value: Any) -> float:
    found = at_least(name, value, 0)
    if found == 0.0:
        msg = f"{name} is {value!r}; expected a number above 0"
        raise ValueError(msg)
    return found


def _limits(monotone: Any, table: Table, loss: Loss) -> tuple[int, ...]:
    """One limit a feature; none where nothing is limited."""
    found = limits(monotone, table.schema)
    if found and loss.n_outputs > 1:
        msg = f"monotone limits one score; there are {loss.n_outputs}, one for each class"
        raise ValueError(msg)
    for place, limit in zip(table.schema.features, found, strict=False):
        column = table.schema.columns[place]
        if limit and isinstance(column, Nominal) and not column.ordered:
            msg = f"monotone is {limit} for column {column.name!r}, whose categories have no order"
            raise ValueError(msg)
    return found
