"""An estimator that tunes itself before it learns: for nested cross-validation, and as a method to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.base import BaseEstimator

from hornbeam.evaluate.tuning.tune import Plan, search
from hornbeam.learn.base.shown import ShownByModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import Measure
    from hornbeam.evaluate.tuning.tune import Parameters
    from hornbeam.evaluate.tuning.tuning import Choose, Tuning
    from hornbeam.learn.base.in_threads import Progress

SEED = 1


class Tuned(ShownByModel, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Learns with the setting that is best by cross-validation on what it is given; see `tune` for the parameters.

    Parameters
    ----------
    estimator : estimator
        Not changed.
    parameters, tries, finer, folds, measure, choose
        As in `tune`.
    random_state : int or None
        The seed of `tune`; None is 1.
    n_jobs : int, optional
        Folds of settings learned at the same time, as in `tune`.
    tell : callable, optional
        Given what tuning found, each time.
    new_run : callable, optional
        Gives what to report progress to, each time.

    Attributes
    ----------
    tuning_ : Tuning
        What was found.
    learner_ : estimator
        Learned from all rows with the setting chosen.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.evaluate import compare
    >>> tree = hornbeam.C45Classifier()
    >>> found = compare(hornbeam.read("iris"), {"as given": tree, "tuned": Tuned(tree, ["confidence"])}, folds=3)
    >>> [round(outcome.score.mean, 2) for outcome in found.tables[0].outcomes]
    [0.95, 0.95]
    """

    def __init__(
        self,
        estimator: Any,  # noqa: ANN401 - any estimator
        parameters: Parameters = None,
        *,
        tries: int | None = None,
        finer: int = 1,
        folds: int | ArrayLike = 5,
        measure: Measure | None = None,
        choose: Choose = "best",
        random_state: int | None = None,
        n_jobs: int | None = None,
        tell: Callable[[Tuning], None] | None = None,
        new_run: Callable[[], Progress | None] | None = None,
    ) -> None:
        self.estimator = estimator
        self.parameters = parameters
        self.tries = tries
        self.finer = finer
        self.folds = folds
        self.measure = measure
        self.choose = choose
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.tell = tell
        self.new_run = new_run

    def fit(self, table: Table) -> Self:
        """Choose the setting, and learn with it."""
        seed = SEED if self.random_state is None else self.random_state
        plan = Plan(self.parameters, self.tries, self.finer, self.folds, seed, self.measure, self.choose)
        progress = None if self.new_run is None else self.new_run()
        self.tuning_ = search(self.estimator, table, plan, self.n_jobs, progress)
        if self.tell is not None:
            self.tell(self.tuning_)
        learner = self.tuning_.estimator
        if learner.get_params().get("random_state", 0) is None:
            learner.set_params(random_state=seed)
        self.learner_ = learner.fit(table)
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        """Answer as the estimator learned with the setting chosen."""
        answers: NDArray[Any] = self.learner_.predict(table)
        return answers

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the learner's
        """Return what the learner knows: its model, its classes, its costs, its probabilities."""
        if name in ("model_", "classes_", "cost_matrix_", "schema_", "predict_proba") and "learner_" in self.__dict__:
            return getattr(self.__dict__["learner_"], name)
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(msg)
