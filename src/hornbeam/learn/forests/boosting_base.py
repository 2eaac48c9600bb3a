"""The base of the estimators of gradient boosting: parameters, `fit` with other rows to evaluate, and warm start."""

from __future__ import annotations

from dataclasses import KW_ONLY  # noqa: TC003 - `dataclass` looks it up in this module
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils import check_random_state

from hornbeam.data.schema import Nominal
from hornbeam.gpu.device import DEVICES
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, between, one_of, share, threads, whole, whole_or_none
from hornbeam.learn.forests.binned import MOST_BINS
from hornbeam.learn.forests.boost import BoostingChoices, boost
from hornbeam.learn.forests.boosting_rows import checked_before, given_sets
from hornbeam.learn.forests.draws import amount
from hornbeam.learn.forests.forest_predictions import ForestEstimator
from hornbeam.learn.forests.watched import EvalSet
from hornbeam.learn.trees.tree_recipe import limits
from hornbeam.model.forests.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.forests.boosting_losses import Loss

MOST_SEED = 2**31 - 1
FEWEST_BINS = 2


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
        to its minimum. With `eval_set` these are the rows of its last set, and no training rows are held out.
    validation_fraction : float
        The fraction of the rows to hold out (for classes: of the rows of each class).
    n_iter_no_change : int
        How many rounds without a lower loss to wait before stopping.
    warm_start : bool
        Whether `fit` adds to the rounds of the last `fit`, up to `n_estimators` in all. With the same rows and
        other parameters, the model is that of one `fit` with all rounds. Columns, categories and classes must be the
        same.
    device : {"cpu", "cuda", "auto"}
        Where to learn. ``"cuda"`` needs an NVIDIA GPU and CuPy (extra ``gpu``); the model is the same. ``"auto"`` takes
        the GPU if there is one, the table is large, and every option is supported there.
    random_state : int or None
        Seed for rounding gradients and for random draws.

    Attributes
    ----------
    n_iter_ : int
        The number of rounds kept.
    validation_loss_ : array or None
        With `early_stopping`: mean loss on the rows that decide when to stop, before the first round and after each
        round that was made.
    evals_result_ : dict
        With `eval_set`: by the name of each set and of the loss, the mean loss after each round that was made; also
        while learning, for callbacks.
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
    warm_start: bool = False
    n_jobs: int | None = None
    device: str = "cpu"
    random_state: Any = 0

    def _loss(self, table: Table) -> Loss:
        """The loss by the parameters and the target."""
        raise NotImplementedError

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        eval_names: Sequence[str] | None = None,
    ) -> Self:
        """Learn from a table with a target, or from X and y.

        Parameters
        ----------
        X : Table, or array, frame or sparse matrix of shape (rows, features)
            A Table carries its own target and weights; frames may have categories and missing values.
        y : array of shape (rows,), or str, optional
            The target, for anything but a Table: its values, or the name of its column in X. Several columns, or a list
            of their names in X, are several targets.
        sample_weight : array of shape (rows,), optional
            Row weights; rows of weight zero are left out.
        eval_set : pair (X, y), Table, or list of these, optional
            Other rows, such as held-out ones: the loss on them is computed after each round (`evals_result_`), and with
            `early_stopping` the last set decides when to stop. ``y`` may be the name of a column of X. Categories that
            did not occur in training are missing values; rows without a target are left out.
        eval_sample_weight : array, or list of arrays or None, optional
            Row weights of each set. Class weights are not applied to the sets.
        eval_names : sequence of str, optional
            The names of the sets in `evals_result_`, by default ``valid_0``, ``valid_1``, ...

        Returns
        -------
        self

        Examples
        --------
        >>> import hornbeam
        >>> table = hornbeam.read("credit-g")
        >>> learned, others = table.take(range(700)), table.take(range(700, 1000))
        >>> boosted = hornbeam.GradientBoostingClassifier(200, early_stopping=True).fit(learned, eval_set=others)
        >>> losses = boosted.evals_result_["valid_0"]["logistic"]
        >>> boosted.n_iter_ == losses.index(min(losses)) + 1
        True
        """
        self._sets = given_sets(eval_set, eval_sample_weight, eval_names)
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._sets

    def _learn(self, table: Table) -> tuple[Any, None]:
        choices, before = self._choices(table), self._before(table)
        self.__dict__.pop("evals_result_", None)  # of an earlier fit
        sets: list[EvalSet] = []
        given = getattr(self, "_sets", [])
        if given:
            self.evals_result_: dict[str, dict[str, list[float]]] = {}
            for one in given:
                results = self.evals_result_.setdefault(one.name, {})
                sets.append(EvalSet(one.as_table(table.schema, counts=choices.loss.name == "poisson"), results))
        boosted = boost(table, choices, threads(self.n_jobs), self._report, sets=sets, before=before)
        self.n_iter_, self.validation_loss_ = boosted.n_rounds, boosted.validation_loss
        return boosted.forest, None

    def _before(self, table: Table) -> Forest | None:
        """The rounds to continue, with `warm_start`."""
        if not self.warm_start or not isinstance(getattr(self, "model_", None), Forest):
            return None
        return checked_before(self.model_, table, self._loss(table), self.n_estimators)

    def _reached(self) -> str:
        """The losses on the sets of `eval_set`, for lines of progress."""
        results = getattr(self, "evals_result_", {})
        return "".join(f", {name} {next(iter(losses.values()))[-1]:.6g}" for name, losses in results.items() if losses)

    def _learner_of(self, number: int) -> Any:
        """The estimator to learn one of several targets; with `warm_start` that of the last fit."""
        outputs = getattr(self, "outputs_", ())
        if not self.warm_start or number >= len(outputs):
            return super()._learner_of(number)
        return outputs[number].set_params(**self.get_params(deep=False))

    def _fit_learner(self, learner: Any, number: int, X: Any, target: Any, sample_weight: ArrayLike | None) -> Any:
        if not getattr(self, "_sets", []):
            return super()._fit_learner(learner, number, X, target, sample_weight)
        sets = [one.of_target(number) for one in self._sets]
        return learner.fit(
            X,
            target,
            sample_weight,
            eval_set=[one.rows for one in sets],
            eval_sample_weight=[one.weights for one in sets],
            eval_names=[one.name for one in sets],
        )

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
            shrink=above_zero("learning_rate", self.learning_rate),
            max_leaves=whole_or_none("max_leaf_nodes", self.max_leaf_nodes, 2),
            max_depth=whole_or_none("max_depth", self.max_depth, 1),
            min_leaf=at_least("min_samples_leaf", self.min_samples_leaf, 0),
            l1=at_least("l1_regularization", self.l1_regularization, 0),
            l2=at_least("l2_regularization", self.l2_regularization, 0),
            min_gain=at_least("min_gain", self.min_gain, 0),
            subsample=above_zero("subsample", share("subsample", self.subsample)),
            n_columns=amount("max_features", self.max_features, n_features) if n_features else 0,
            max_bins=max_bins,
            monotone=_limits(self.monotonic_cst, table, loss),
            early_stopping=bool(self.early_stopping),
            validation_fraction=(
                between("validation_fraction", self.validation_fraction, 0, 1) if bool(self.early_stopping) else 0.0
            ),
            patience=whole("n_iter_no_change", self.n_iter_no_change, 1),
            seed=self._seed(),
            recipe={"loss": loss.name, "learning_rate": float(self.learning_rate)},
            device=one_of("device", self.device, DEVICES),
        )

    def _seed(self) -> int:
        """The seed of all draws; with `warm_start` that of the last fit, even if `random_state` is not a number."""
        if not (self.warm_start and hasattr(self, "_last_seed")):
            self._last_seed = int(check_random_state(self.random_state).randint(MOST_SEED))
        return self._last_seed

    def _staged(self, X: Any, *, linked: bool = True) -> Iterator[NDArray[np.float64]]:
        """Predictions (or scores) of the first rounds alone, after each round."""
        table = self._table(X)
        return self.model_.staged(table, self.model_.n_outputs, threads(self.n_jobs), linked=linked)


def above_zero(name: str, value: Any) -> float:
    """A parameter that is a number above 0."""
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
