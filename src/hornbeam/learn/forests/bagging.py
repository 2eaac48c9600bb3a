"""Bagging: the same learner on many samples of the rows, drawn with replacement; predictions are averaged.

Averaging reduces the variance of unstable models, which have other splits on other rows. Every row is left out by about
a third of the members, whose predictions for it are unbiased without holding out any rows.
"""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import TableEstimator, usable_rows
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import one_of, threads, whole
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.base.several_targets import SeveralTargets
from hornbeam.learn.forests.draws import Draws, amount
from hornbeam.learn.forests.forest_predictions import accuracy, member, r_squared
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.model.forests.ensemble import DECIDE, Ensemble, Sums
from hornbeam.model.rules.rule import best_labels
from hornbeam.model.trees.tree import Tree
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.schema import Role
    from hornbeam.data.table import Table
    from hornbeam.schemes import Predicts

MOST_SEED = 2**31 - 1


class Bagging(ReportsProgress, SeveralTargets):
    """Base of bagging for classes and for numbers; a mixin for `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    n_estimators : int
        The number of models.
    max_samples : float or int
        How many rows a model learns from: a fraction of all, or this many. With whole-number weights: this much weight.
    bootstrap : bool
        Whether rows are drawn with replacement. A row that is drawn twice weighs twice as much.
    max_features : float or int
        How many columns a model uses, drawn anew for each: a fraction of all, or this many.
    oob_score : bool
        Whether to predict every training row with the models that did not learn from it.
    random_state : int or None
        Seed of the random draws, also of those of the members. The first members are the same for any `n_estimators`.

    Attributes
    ----------
    model_ : Ensemble
    estimator_ : estimator
        The estimator that every member was learned by.
    estimators_ : list
        The members as fitted estimators.
    estimators_features_ : list of arrays
        The features that each member uses, by their numbers.
    feature_importances_ : array
        Only if the members are trees: how much the splits of each feature improved them, as fractions that add up to 1.
    """

    model_: Ensemble
    estimator: Any
    n_estimators: int
    max_samples: float
    bootstrap: bool
    max_features: float
    decide: str = "mean"
    oob_score: bool
    n_jobs: int | None
    random_state: Any

    def _base(self) -> TableEstimator:
        """The default learner of a member."""
        raise NotImplementedError

    def _keep_out_of_bag(self, sums: Sums, table: Table) -> None:
        """Keep the predictions of members for the rows that they did not learn from."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, None]:
        total = whole("n_estimators", self.n_estimators, 1)
        n_threads = threads(self.n_jobs)
        decide = one_of("decide", self.decide, DECIDE)
        self.estimator_ = self._member_learner(table)
        draws = Draws.of(table)
        size = amount("max_samples", self.max_samples, len(draws.rows))
        n_features = amount("max_features", self.max_features, len(table.schema.features))
        if self.oob_score and not self.bootstrap and size == len(draws.rows):
            msg = "oob_score needs rows that members did not see; without bootstrap, max_samples must be below 1.0"
            raise ValueError(msg)
        for place in table.schema.features:  # sorted once, for all members
            if isinstance(table.schema.columns[place], Numeric):
                table.sort_order(place)
        seeds = check_random_state(self.random_state).randint(MOST_SEED, size=total)
        # A scheme without weights, or one that follows another program, gets repeated rows; others get weights. One
        # that prunes on held-out rows gets repeated rows too: copies of a row are then on both sides, and trees stay
        # larger, which suits members of an ensemble.
        learner = self.estimator_
        follows, held_out = getattr(learner, "compat", None), getattr(learner, "prune", None) == "reduced-error"
        repeated = follows is not None or held_out or not has_fit_parameter(learner, "sample_weight")

        def run(number: int) -> tuple[Any, NDArray[np.bool_] | None]:
            random = np.random.default_rng(int(seeds[number]))
            counts = draws.counts(random, size, replace=bool(self.bootstrap))
            rows = _looking_at(table, n_features, random)
            learner = clone(self.estimator_)
            named = {name: int(seeds[number]) for name in learner.get_params() if name.endswith("random_state")}
            learner.set_params(**named)
            learner.fit(
                rows.take(np.repeat(np.arange(table.n_rows), counts)) if repeated else draws.weighed(rows, counts)
            )
            return learner.model_, counts == 0 if self.oob_score else None

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FewRowsWarning)  # of one member; averaging takes care of it
            found = in_order_of_arrival(run, total, n_threads, self._reported)
        members, left_out = zip(*(found[number] for number in range(total)), strict=True)
        model = Ensemble(table.schema, members, _overall(table), decide, {"samples": size, "features": n_features})
        self._judge(model, left_out, table)
        return model, None

    def _member_learner(self, table: Table) -> TableEstimator:
        """The learner of a member: as given, by the name of its scheme, or the default."""
        wanted = self.estimator
        if wanted is None:
            return self._base()
        if isinstance(wanted, str):
            predicts: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
            wanted = find(wanted, predicts).load()()
        kind = TableClassifier if isinstance(self, TableClassifier) else TableRegressor
        if not isinstance(wanted, kind):
            what = "classifier" if kind is TableClassifier else "regressor"
            msg = f"estimator is {wanted!r}; expected a {what} of hornbeam, the name of a scheme, or None"
            raise TypeError(msg)
        learner: TableEstimator = clone(wanted)
        return learner

    def _judge(self, model: Ensemble, left_out: tuple[NDArray[np.bool_], ...], table: Table) -> None:
        """Predict rows with the members that did not learn from them."""
        for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if not self.oob_score:
            return
        given = self._given
        place = np.full(given.n_rows, -1, np.intp)
        place[usable_rows(given)] = np.arange(table.n_rows)
        sums = Sums(given.n_rows, np.full(len(model.default), np.nan), classes=model.task == "classification")
        for number, out in enumerate(left_out):
            rows = np.flatnonzero((place < 0) | out[place])
            if len(rows):
                sums.add(model.member_predictions(number, given.take(rows)), rows)
        self._keep_out_of_bag(sums, given)

    _given: Table

    def _weighted(self, table: Table) -> Table:
        weighted = super()._weighted(table)
        self._given = weighted  # out-of-bag predictions are made for all rows, also those without a target or a weight
        return weighted

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with a target, or from X and y; see `TableEstimator.fit`."""
        try:
            return super().fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_given", None)

    @property
    def estimators_(self) -> list[Any]:
        """The members as fitted estimators, each usable on its own, with the columns of `estimators_features_`."""
        self._check_fitted()
        learner = self.estimator_
        parameters = learner.get_params(deep=False)
        return [member(type(learner), model, self, **parameters) for model in self.model_.members]

    @property
    def estimators_features_(self) -> list[NDArray[np.intp]]:
        """The features that each member uses, by their numbers."""
        self._check_fitted()
        schema = self.model_.schema
        number_of = {schema.columns[position].name: number for number, position in enumerate(schema.features)}
        used = [[model.schema.columns[place].name for place in model.schema.features] for model in self.model_.members]
        return [np.array([number_of[name] for name in names], np.intp) for names in used]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the trees, as fractions that add up to 1; only for trees."""
        from hornbeam.learn.trees.importance import importance  # noqa: PLC0415 - not needed to learn

        self._check_fitted()
        importances = np.zeros(len(self.model_.schema.features))
        if not all(isinstance(model, Tree) for model in self.model_.members):
            msg = "importance by splits needs trees as members; use hornbeam.permutation_importance for others"
            raise AttributeError(msg)
        for model, features in zip(self.model_.members, self.estimators_features_, strict=True):
            own = importance(model)
            importances[features] += own / max(float(own.sum()), np.finfo(np.float64).tiny)
        total = float(importances.sum())
        return importances / total if total > 0 else importances


@estimator(kw_only=False)
class BaggingClassifier(Bagging, TableClassifier):
    """Bagging for classes: many models, each learned from a sample of the rows.

    Parameters
    ----------
    estimator : classifier or str, optional
        A classifier of hornbeam, or the name of a scheme, such as "ripper". None: unpruned C4.5 trees.
    decide : {"mean", "vote"}
        Whether class probabilities are averaged, or every model has one vote.

    Attributes
    ----------
    oob_score_ : float
        Accuracy of the out-of-bag predictions: each row is predicted by the models that did not learn from it.
    oob_decision_function_ : array of shape (rows, classes)
        Class probabilities by these models; NaN for a row that all models learned from.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("glass")
    >>> bagged = hornbeam.BaggingClassifier(n_estimators=25, oob_score=True, random_state=1).fit(table)
    >>> bagged.model_
    Ensemble('glass': mean of 25 x Tree)
    >>> one = hornbeam.evaluate.cross_validate(hornbeam.C45Classifier(prune=None), table).score.accuracy
    >>> bagged.oob_score_ > one
    True
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 10
    max_samples: float = 1.0
    bootstrap: bool = True
    max_features: float = 1.0
    decide: str = "mean"
    oob_score: bool = False
    class_weight: Mapping[Any, float] | str | None = None
    costs: Any = None
    decision_threshold: float | None = None
    n_jobs: int | None = None
    random_state: Any = None

    def _base(self) -> TableEstimator:
        from hornbeam.learn.trees.c45 import C45Classifier  # noqa: PLC0415 - only where no other is asked for

        return C45Classifier(prune=None)

    def _keep_out_of_bag(self, sums: Sums, table: Table) -> None:
        probabilities = sums.mean()
        self.oob_decision_function_ = probabilities
        truth = table.target_values()
        known = (truth >= 0) & (sums.count > 0)
        self.oob_score_ = accuracy(best_labels(probabilities[known]), table, known)


@estimator(kw_only=False)
class BaggingRegressor(Bagging, TableRegressor):
    """Bagging for numbers: many models, each learned from a sample of the rows; their predictions are averaged.

    Parameters
    ----------
    estimator : regressor or str, optional
        A regressor of hornbeam, or the name of a scheme, such as "m5". None: unpruned regression trees.

    Attributes
    ----------
    oob_score_ : float
        R² of the out-of-bag predictions: each row is predicted by the models that did not learn from it.
    oob_prediction_ : array of shape (rows,)
        These predictions; NaN for a row that all models learned from.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> bagged = hornbeam.BaggingRegressor("m5", random_state=1).fit(table)
    >>> len(bagged.model_)
    10
    """

    estimator: Any = None
    _: KW_ONLY
    n_estimators: int = 10
    max_samples: float = 1.0
    bootstrap: bool = True
    max_features: float = 1.0
    oob_score: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    def _base(self) -> TableEstimator:
        from hornbeam.learn.trees.tree_regressor import TreeRegressor  # noqa: PLC0415 - only where no other is asked for

        return TreeRegressor()

    def _keep_out_of_bag(self, sums: Sums, table: Table) -> None:
        self.oob_prediction_ = sums.mean()[:, 0]
        truth = table.target_values()
        known = ~np.isnan(truth) & (sums.count > 0)
        self.oob_score_ = r_squared(self.oob_prediction_[known], table, known)


def _looking_at(table: Table, count: int, random: np.random.Generator) -> Table:
    """The table with this many features, drawn at random; the others are ignored."""
    features = table.schema.features
    if count == len(features):
        return table
    ignored = random.permutation(len(features))[count:]
    roles: dict[str | int, Role] = {features[place]: "ignored" for place in ignored.tolist()}
    return table.assign(roles)


def _overall(table: Table) -> NDArray[np.float64]:
    """The proportions of the classes, or the mean."""
    target, truth, weights = table.schema.target_column, table.target_values(), table.weights
    if isinstance(target, Nominal):
        counted = np.bincount(truth, weights, minlength=len(target.categories)).astype(np.float64)
        proportions: NDArray[np.float64] = counted / counted.sum()
        return proportions
    return np.array([np.average(truth, weights=weights)])
