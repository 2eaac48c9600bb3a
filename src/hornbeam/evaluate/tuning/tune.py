"""The best setting of an estimator's parameters, by cross-validation on the same folds for every setting.

The score of the best of many settings is too optimistic: it was chosen on the rows that it is evaluated on. With
`nested`, the estimator is tuned again in each fold of an outer cross-validation, on the training part only.

`Tuned` is an estimator that tunes its parameters in `fit`, for nested cross-validation and for comparisons.
"""

from __future__ import annotations

import math
import threading
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.comparing.comparison import Estimate
from hornbeam.evaluate.cross_validation import cross_validate, sort_columns, workers
from hornbeam.evaluate.folds import Assignment, TimeFolds, assign_folds
from hornbeam.evaluate.judge import Judged, judge
from hornbeam.evaluate.measures import ABOUT, MEASURES, OF_PROBABILITIES
from hornbeam.evaluate.tuning.settings import MOST_IN_GRID, Grid, Setting, coarse, drawn, searched
from hornbeam.evaluate.tuning.tuning import Choose, Nested, Trial, Tuning, best_of
from hornbeam.learn.base.declare import ShownByModel
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.measures import Measure
    from hornbeam.evaluate.tuning.tuning import Choose
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.schemes.scheme import Search, Value

    Parameters = Sequence[str] | Mapping[str, Search | Sequence[Value] | None] | None

TRIES = 40  # number of random settings if a grid would be too large


@dataclass(frozen=True, slots=True)
class Plan:
    """What to try and how to evaluate it; `tune` describes the fields."""

    parameters: Parameters = None
    tries: int | None = None
    finer: int = 1
    folds: int | ArrayLike | TimeFolds = 5
    seed: int = 1
    measure: Measure | None = None
    choose: Choose = "best"

    def check(self) -> None:
        """Raise an error for invalid values."""
        if self.choose not in ("best", "1-se"):
            raise ValueError(f"choose is {self.choose!r}; expected best or 1-se")
        if (self.tries is not None and self.tries < 1) or self.finer < 0:
            raise ValueError(f"tries is {self.tries} and finer {self.finer}; expected at least 1 try and 0 finer grids")


@takes_rows(needs_target=True, learns=True)
def tune(
    estimator: Any,  # noqa: ANN401 - any estimator, or a scheme's name
    table: Table,
    parameters: Parameters = None,
    *,
    tries: int | None = None,
    finer: int = 1,
    folds: int | ArrayLike | TimeFolds = 5,
    seed: int = 1,
    measure: Measure | None = None,
    choose: Choose = "best",
    nested: bool | int = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Find the best setting of an estimator's parameters.

    Parameters
    ----------
    estimator : estimator or str
        Not changed; or the name of a scheme, such as ``"neighbors"``. Parameters that are not tuned keep their values.
    table : Table
        With a target.
    parameters : names, or a mapping of names to ranges or values, optional
        The parameters to tune; None in a mapping means the range that the scheme declares. By default the first two
        parameters that declare one.
    tries : int, optional
        Draw this many settings at random; by default one or two parameters are tuned by a grid, and more of them by 40
        random settings.
    finer : int
        The number of finer grids around the best setting so far, each between its neighbors with half the step.
    folds : int, array or TimeFolds
        How many folds, the same for every setting; or the fold of every row; or folds in time order. Rows of one group
        (the column with that role) are always in one fold.
    seed : int
        Seed of folds and of random settings; also of estimators whose `random_state` is None.
    measure : str, optional
        The metric of settings, one of those of `compare`: by default the accuracy (the mean cost, if the estimator has
        costs), or for numbers the root mean squared error.
    choose : {"best", "1-se"}
        Choose the best setting, or the simplest one within one standard error of it.
    nested : bool or int
        Evaluate the tuning by nested cross-validation, with this many folds (True: as many as `folds`); in time order,
        if `folds` are.
    n_jobs : int, optional
        The number of folds fitted in parallel; None is one, -1 one per core. The results are the same.
    progress : callable, optional
        Called with the number of fitted models and the expected total number.

    Returns
    -------
    Tuning
        All settings with scores and standard errors, the best and the simplest near it. A setting that cannot be fitted
        is reported with its error.

    Examples
    --------
    >>> import hornbeam
    >>> found = tune("neighbors", hornbeam.read("iris"), {"n_neighbors": (1, 5, 25, 100)}, seed=1)
    >>> for trial in found.trials:
    ...     print(trial.setting["n_neighbors"], round(trial.score.mean, 3))
    5 0.96
    1 0.953
    25 0.96
    100 0.667
    >>> found.estimator.n_neighbors
    5
    """
    if isinstance(estimator, str):
        nominal = isinstance(table.schema.target_column, Nominal)
        estimator = find(estimator, "category" if nominal else "number").load()()
    plan = Plan(parameters, tries, finer, folds, seed, measure, choose)
    outer = folds if nested is True else nested
    if nested and isinstance(folds, TimeFolds) and isinstance(outer, int):
        outer = TimeFolds(folds.order, outer)
    runs = 1 + assign_folds(table, outer, seed).n_folds if nested else 1
    new_run = _shared(progress, runs)
    with warnings.catch_warnings(record=True) as said:
        found = search(estimator, table, plan, n_jobs, new_run())
        if nested:
            found = replace(found, nested=_nested(estimator, table, plan, outer, n_jobs, new_run))
    return replace(found, remarks=tuple(dict.fromkeys(str(one.message) for one in said)))


def _nested(
    estimator: Any,  # noqa: ANN401
    table: Table,
    plan: Plan,
    outer: int | ArrayLike | TimeFolds,
    n_jobs: int | None,
    new_run: Callable[[], Progress | None],
) -> Nested:
    """Tune again in each outer fold, one after another; threads are used inside, so that Ctrl-C works at once."""
    settings: list[Setting] = []
    each = plan.folds if isinstance(plan.folds, int | TimeFolds) else int(np.unique(plan.folds).size)
    within = replace(plan, folds=each)

    def collect(tuning: Tuning) -> None:
        settings.append(tuning.chosen.setting)

    tuned = Tuned(
        estimator,
        within.parameters,
        tries=within.tries,
        finer=within.finer,
        folds=within.folds,
        measure=within.measure,
        choose=within.choose,
        random_state=within.seed,
        on_result=collect,
        n_jobs=n_jobs,
        new_run=new_run,
    )
    validation = cross_validate(tuned, table, outer, plan.seed)
    return Nested(validation, tuple(sorted(settings, key=str)))


def search(
    estimator: Any,  # noqa: ANN401 - any estimator
    table: Table,
    plan: Plan,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Try the settings of a plan; see `tune`. It does not change warning filters, so it may run in any thread."""
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading a result does not need

    plan.check()
    searches = searched(estimator, plan.parameters)
    measure = measure_of(estimator, table, plan.measure)
    assigned = assign_folds(table, plan.folds, plan.seed)
    bench = _Bench(estimator, table, assigned, measure, plan.seed, workers(n_jobs), progress)
    given = estimator.get_params(deep=False)
    bench.try_all([{name: given[name] for name in searches}], hold=True)
    grids: list[Grid] = []
    if plan.tries is None and len(searches) <= MOST_IN_GRID:
        grids.append(coarse(searches))
        bench.try_all(grids[0].settings())
        for _ in range(plan.finer):
            judged = [trial for trial in bench.of(grids[-1].settings()) if trial.score is not None]
            if not judged:
                break
            best = best_of(judged, searches, higher=ABOUT[measure].higher_is_better)
            grid = grids[-1].finer(searches, best.setting)
            if set(map(str, grid.settings())) <= set(map(str, grids[-1].settings())):
                break  # there may be none between whole numbers
            grids.append(grid)
            bench.try_all(grid.settings())
    else:
        bench.try_all(drawn(searches, plan.tries or TRIES, plan.seed))
    trials = tuple(bench.trials.values())
    if all(trial.score is None for trial in trials):
        raise ValueError(f"no setting of {', '.join(searches)} could learn; {trials[0].problem}")
    rows, count = assigned.n_rows, assigned.n_folds
    found = Tuning(
        table.schema.name, rows, estimator, searches, measure, trials, tuple(grids), count, plan.seed, plan.choose
    )
    order = plan.folds.order if isinstance(plan.folds, TimeFolds) else None
    return replace(found, estimator=clone(estimator).set_params(**found.chosen.setting), order=order)


class _Bench:
    """Evaluates settings on the same folds, each once."""

    def __init__(
        self,
        estimator: Any,  # noqa: ANN401
        table: Table,
        assigned: Assignment,
        measure: Measure,
        seed: int,
        threads: int,
        progress: Progress | None,
    ) -> None:
        sort_columns(table)
        self.estimator, self.measure, self.seed, self.threads = estimator, measure, seed, threads
        self.parts = [
            (table.take(assigned.train(number)), table.take(assigned.test(number)))
            for number in range(assigned.n_folds)
        ]
        self.test_share = float(np.mean([len(test) / len(train) for train, test in self.parts]))
        self.trials: dict[str, Trial] = {}
        self.progress, self.done = progress, 0
        self.held: list[Setting] = []

    def of(self, settings: Sequence[Setting]) -> list[Trial]:
        """Return the trials of settings."""
        return [self.trials[str(setting)] for setting in settings]

    def try_all(self, settings: Sequence[Setting], *, hold: bool = False) -> None:
        """Evaluate new settings; with `hold`, together with the next call."""
        self.held += settings
        if hold:
            return
        fresh = [one for key, one in {str(one): one for one in self.held}.items() if key not in self.trials]
        self.held = []
        from sklearn.base import clone  # noqa: PLC0415 - as above

        learners = [clone(self.estimator).set_params(**setting) for setting in fresh]
        count = len(self.parts)

        def run(job: int) -> Judged:
            train, test = self.parts[job % count]
            return judge(learners[job // count], train, test, self.measure, self.seed)

        def report(done: int, total: int) -> None:
            if self.progress is not None:
                self.progress(self.done + done, self.done + total)

        results = in_order_of_arrival(run, len(fresh) * count, self.threads, report)
        self.done += len(results)
        for place, setting in enumerate(fresh):
            self.trials[str(setting)] = self._trial(setting, [results[place * count + part] for part in range(count)])

    def _trial(self, setting: Setting, parts: list[Judged]) -> Trial:
        error = next((part.error for part in parts if part.error is not None), None)
        if error is not None:
            return Trial(setting, None, None, str(error) or type(error).__name__)
        if not all(math.isfinite(part.score) for part in parts):
            return Trial(setting, None, None, f"its {self.measure} is not a finite number in every fold")
        about = ABOUT[self.measure]
        right = Estimate.of([part.score for part in parts], self.test_share, about.most, about.least)
        return Trial(setting, right, Estimate.of([part.size for part in parts], self.test_share, math.inf))


def measure_of(estimator: Any, table: Table, asked: Measure | None) -> Measure:  # noqa: ANN401
    """Return the metric of settings; raise an error if it does not fit the target."""
    nominal = isinstance(table.schema.target_column, Nominal)
    priced = estimator.get_params(deep=False).get("costs") is not None
    if asked is None:
        return "mean cost" if priced and nominal else MEASURES[nominal][0]
    if asked not in MEASURES[nominal]:
        holds = "categories" if nominal else "numbers"
        msg = f"measure is {asked!r}; expected for a target that holds {holds}: {', '.join(MEASURES[nominal])}"
        raise ValueError(msg)
    if asked == "mean cost" and not priced:
        raise ValueError("measure is 'mean cost' and the estimator has no costs; give it some")
    if asked in OF_PROBABILITIES and not hasattr(estimator, "predict_proba"):
        raise ValueError(f"measure is {asked!r} and {type(estimator).__name__} has no probabilities")
    return asked


def _shared(progress: Progress | None, runs: int) -> Callable[[], Progress | None]:
    """Return a function that starts a run with shared progress; later runs are assumed to be as long as the first.

    It uses only functions: a clone of an estimator copies its parameters, and a lock cannot be copied.
    """
    lock = threading.Lock()
    counts: list[tuple[int, int]] = []

    def new_run() -> Progress | None:
        if progress is None:
            return None
        with lock:
            place = len(counts)
            counts.append((0, counts[0][1] if counts else 0))

        def report(done: int, total: int) -> None:
            with lock:
                counts[place] = (done, total)
                to_come = (runs - len(counts)) * counts[0][1]
                progress(sum(one for one, _ in counts), sum(one for _, one in counts) + to_come)

        return report

    return new_run


SEED = 1


class Tuned(ShownByModel, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Fits an estimator with the setting that is best by cross-validation on its training rows; see `tune`.

    Parameters
    ----------
    estimator : estimator
        Not changed.
    parameters, tries, finer, folds, measure, choose
        As in `tune`.
    random_state : int or None
        The seed of `tune`; None is 1.
    n_jobs : int, optional
        The number of folds fitted in parallel, as in `tune`.
    on_result : callable, optional
        Called with the result of each tuning.
    new_run : callable, optional
        Returns a progress callback for each tuning.

    Attributes
    ----------
    tuning_ : Tuning
        The result of the tuning.
    learner_ : estimator
        Fitted on all rows with the chosen setting.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.evaluate import compare
    >>> tree = hornbeam.C45Classifier()
    >>> found = compare({"as given": tree, "tuned": Tuned(tree, ["confidence"])}, hornbeam.read("iris"), folds=3)
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
        folds: int | ArrayLike | TimeFolds = 5,
        measure: Measure | None = None,
        choose: Choose = "best",
        random_state: int | None = None,
        n_jobs: int | None = None,
        on_result: Callable[[Tuning], None] | None = None,
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
        self.on_result = on_result
        self.new_run = new_run

    def fit(self, table: Table) -> Self:
        """Choose the setting, and learn with it."""
        seed = SEED if self.random_state is None else self.random_state
        plan = Plan(self.parameters, self.tries, self.finer, self.folds, seed, self.measure, self.choose)
        progress = None if self.new_run is None else self.new_run()
        self.tuning_ = search(self.estimator, table, plan, self.n_jobs, progress)
        if self.on_result is not None:
            self.on_result(self.tuning_)
        learner = self.tuning_.estimator
        if learner.get_params().get("random_state", 0) is None:
            learner.set_params(random_state=seed)
        self.learner_ = learner.fit(table)
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        """Predict with the estimator fitted with the chosen setting."""
        predictions: NDArray[Any] = self.learner_.predict(table)
        return predictions

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the learner's
        """Return an attribute of the fitted estimator: its model, classes, costs, probabilities."""
        if name in ("model_", "classes_", "cost_matrix_", "schema_", "predict_proba") and "learner_" in self.__dict__:
            return getattr(self.__dict__["learner_"], name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
