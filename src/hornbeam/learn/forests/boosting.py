"""Gradient boosting (Friedman 2001): each tree corrects the errors of the trees before it.

Trees grow leaf by leaf from binned columns; the value of a leaf is a step against the gradient of the loss, shortened
by the learning rate. Categories and missing values are used as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.classifier import BINARY, DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import between, one_of, threads
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.base.several_targets import one_target
from hornbeam.learn.forests.boosting_base import GradientBoosting
from hornbeam.learn.forests.boosting_losses import CLASS_LOSSES, NUMBER_LOSSES, Loss

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

MOST_COUNT = 1e30  # gradients of larger ones do not fit into single precision


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
    huber_quantile : float
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
    huber_quantile: float = 0.9

    def _loss(self, table: Table) -> Loss:
        name = one_of("loss", self.loss, NUMBER_LOSSES)
        if name == "poisson":
            _check_counts(table)
        if name == "huber":
            return Loss(name, level=between("huber_quantile", self.huber_quantile, 0, 1))
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
