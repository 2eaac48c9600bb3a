"""Gradient boosting (Friedman 2001): each tree corrects the errors of the trees before it.

Trees grow leaf by leaf from binned columns; the value of a leaf is a step against the gradient of the loss, shortened
by the learning rate. Categories and missing values are used as they are.
"""

from __future__ import annotations

from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.classifier import BINARY, DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, between, one_of, share, threads, whole, whole_or_none
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.base.several_targets import one_target
from hornbeam.learn.forests.binned import MOST_BINS
from hornbeam.learn.forests.boost import BoostingChoices, boost
from hornbeam.learn.forests.boosting_losses import CLASS_LOSSES, NUMBER_LOSSES, Loss
from hornbeam.learn.forests.draws import amount
from hornbeam.learn.forests.forest_predictions import ForestEstimator
from hornbeam.learn.trees.tree_recipe import limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

MOST_SEED = 2**31 - 1
FEWEST_BINS = 2
MOST_COUNT = 1e30  # gradients of larger ones do not fit into single precision


@estimator(kw_only=False)
class GradientBoosting(ForestEstimator):
    """What boosting for classes and for numbers share; a mixin for `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    n_estimators : int
        The number of rounds. Each adds one tree, or one tree per class if there are more than two.
    learning_rate : float
        The fraction of its step that each tree contributes.
    l1_regularization : float
        L1 regularization: how far the gradient of a leaf is moved toward zero.
    l2_regularization : float
        L2 regularization: what is added to the second derivative of a leaf.
    min_gain : float
        A split must reduce the loss by more than this (summed over rows, by its second-order approximation).
    subsample : float
        The probability that a row is used in a round.
    max_features : float or int
        How many columns a tree may use: a fraction of all, or this many.
    early_stopping : bool
        Stop when the loss on held-out rows has not fallen for `n_iter_no_change` rounds, and keep the rounds up
        to its minimum.
    validation_fraction : float
        The fraction of the rows to hold out (for classes: of the rows of each class).
    n_iter_no_change : int
        How many rounds without a lower loss to wait before stopping.
    random_state : int or None
        Seed for rounding gradients and for random draws.

    Attributes
    ----------
    n_iter_ : int
        The number of rounds kept.
    validation_loss_ : array or None
        Mean loss on the held-out rows: before the first round, and after each round that was made.
    """

    n_estimators: int = 100
    _: KW_ONLY
    learning_rate: float = 0.1
    max_leaf_nodes: int | None = 31
    loss: str = "auto"
    max_depth: int | None = None
    min_samples_leaf: float = 20
    l1_regularization: float = 0.0
    l2_regularization: float = 0.0
    min_gain: float = 0.0
    subsample: float = 1.0
    max_features: float = 1.0
    max_bins: int = MOST_BINS
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 10
    monotonic_cst: Mapping[str, int] | Sequence[int] | None = None
    n_jobs: int | None = None
    random_state: Any = 0

    def _loss(self, table: Table) -> Loss:
        """The loss by the parameters and the target."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, None]:
        boosted = boost(table, self._choices(table), threads(self.n_jobs), self._report)
        self.n_iter_, self.validation_loss_ = boosted.n_rounds, boosted.validation_loss
        return boosted.forest, None

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
            l1=at_least("l1_regularization", self.l1_regularization, 0),
            l2=at_least("l2_regularization", self.l2_regularization, 0),
            min_gain=at_least("min_gain", self.min_gain, 0),
            subsample=_above_zero("subsample", share("subsample", self.subsample)),
            n_columns=amount("max_features", self.max_features, n_features) if n_features else 0,
            max_bins=max_bins,
            monotone=_limits(self.monotonic_cst, table, loss),
            validation_fraction=(
                between("validation_fraction", self.validation_fraction, 0, 1) if bool(self.early_stopping) else 0.0
            ),
            patience=whole("n_iter_no_change", self.n_iter_no_change, 1),
            seed=int(check_random_state(self.random_state).randint(MOST_SEED)),
            recipe={"loss": loss.name, "learning_rate": float(self.learning_rate)},
        )

    def _staged(self, X: Any, *, linked: bool = True) -> Iterator[NDArray[np.float64]]:
        """Predictions (or scores) of the first rounds alone, after each round."""
        table = self._table(X)
        return self.model_.staged(table, self.model_.n_outputs, threads(self.n_jobs), linked=linked)


@estimator
class GradientBoostingClassifier(GradientBoosting, DecidingClassifier):
    """Gradient boosting for classes.

    Parameters
    ----------
    loss : {"auto", "logistic", "multinomial"}
        The logarithm of the probability of the true class: from one score for two classes ("logistic"), or from one
        score per class ("multinomial").
    monotonic_cst : mapping or sequence, optional
        For two classes. By column name (or one entry per feature): 1 if the probability of the second class may only
        rise with the column, -1 if it may only fall.

    Notes
    -----
    Gradients are rounded to whole numbers, up or down at random, before they are summed; the values of leaves are
    computed from the exact gradients. Categories are ordered by their mean gradients and divided in two, however many
    there are; what such an order gains by chance alone is subtracted. A row without a value takes the side that fits
    the training rows without the value, or the side with more weight if there were none.

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

    @available_if(one_target)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores that the trees add up to, from which probabilities are computed.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows,) or (rows, classes)
            For two classes, one score: the logarithm of the odds of the second class.
        """
        table = self._table(X)
        return _one_of_two(self.model_.scores(table, threads(self.n_jobs)))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the scores by the first rounds alone, after each round.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Yields
        ------
        array of shape (rows,) or (rows, classes)
        """
        yield from map(_one_of_two, self._staged(X, linked=False))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the class probabilities by the first rounds alone, after each round.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Yields
        ------
        array of shape (rows, classes)
        """
        yield from self._staged(X)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the class of every row by the first rounds alone, after each round.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Yields
        ------
        array of shape (rows,)
            The last one is what `predict` returns.
        """
        for probabilities in self._staged(X):
            codes = self._decision().codes(probabilities) if self._decides else probabilities.argmax(axis=1)
            yield self.classes_.take(codes)


@estimator
class GradientBoostingRegressor(GradientBoosting, TableRegressor):
    """Gradient boosting for numbers.

    Parameters
    ----------
    loss : {"squared", "absolute", "huber", "quantile", "poisson"}
        What to minimize. It leads to predictions of the mean, the median, something between the two, a quantile, or the
        mean of counts (the trees then add up to its logarithm).
    quantile : float
        With ``loss="quantile"``: which quantile.
    huber_share : float
        With ``loss="huber"``: the fraction of the rows whose errors count squared; larger errors count as they are.
    monotonic_cst : mapping or sequence, optional
        By column name (or one entry per feature): 1 if the prediction may only rise with the column, -1 if it may only
        fall.

    Notes
    -----
    See `GradientBoostingClassifier`. With a loss for the median or a quantile, leaves predict the median (or quantile)
    of the residuals of their rows.

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("auto-mpg")
    >>> boosted = hornbeam.GradientBoostingRegressor(monotonic_cst={"weight": -1}).fit(table)
    >>> boosted.score(table) > 0.9
    True
    """

    loss: str = "squared"
    quantile: float = 0.5
    huber_share: float = 0.9

    def _loss(self, table: Table) -> Loss:
        name = one_of("loss", self.loss, NUMBER_LOSSES)
        if name == "poisson":
            _check_counts(table)
        if name == "huber":
            return Loss(name, level=between("huber_share", self.huber_share, 0, 1))
        return Loss(name, level=between("quantile", self.quantile, 0, 1) if name == "quantile" else 0.5)

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield the predicted number of every row by the first rounds alone, after each round.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Yields
        ------
        array of shape (rows,)
            The last one is what `predict` returns.
        """
        yield from self._staged(X)


def _one_of_two(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores as scikit-learn returns them: of two classes, one."""
    return scores[:, 0] if scores.shape[1] == 1 else scores


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
    number = at_least(name, value, 0)
    if number == 0.0:
        msg = f"{name} is {value!r}; expected a number above 0"
        raise ValueError(msg)
    return number


def _limits(monotonic_cst: Any, table: Table, loss: Loss) -> tuple[int, ...]:
    """One limit per feature; empty if nothing is limited."""
    by_feature = limits(monotonic_cst, table.schema)
    if by_feature and loss.n_outputs > 1:
        msg = f"monotonic_cst limits one score; there are {loss.n_outputs}, one for each class"
        raise ValueError(msg)
    for position, limit in zip(table.schema.features, by_feature, strict=False):
        column = table.schema.columns[position]
        if limit and isinstance(column, Nominal) and not column.ordered:
            msg = f"monotonic_cst is {limit} for column {column.name!r}, whose categories have no order"
            raise ValueError(msg)
    return by_feature
