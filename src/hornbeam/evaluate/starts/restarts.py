"""Local optima of clustering: run the same learner from many starts, and compare the results.

k-means and EM improve an initial solution, and COBWEB depends on the order of rows: all three end in a local optimum.
Since its distance from the global optimum is not known, the algorithm is run many times to see the distribution of the
results.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from hornbeam.evaluate.starts.restart_study import Kind, RestartStudy, Solution, ZeroCost
from hornbeam.learn.base.estimator import weighing_rows
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import number, one_of, threads, whole
from hornbeam.learn.clusters.cobweb import Cobweb
from hornbeam.learn.clusters.kmeans import SCALES, KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.model.clusters.clustering import as_they_appear
from hornbeam.model.neighbors.distance import Distance

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.base.clusterer import TableClusterer
    from hornbeam.learn.base.in_threads import Progress

NOTHING = 1e-12  # errors up to this fraction of the error of a single cluster count as rounding
MOST_SEEDS = 2**31 - 1
KINDS: dict[type[TableClusterer], Kind] = {
    KMeans: Kind("error", "start", "steps", higher_is_better=False, ratio="error / best"),
    MixtureModel: Kind(
        "log-posterior", "start", "steps", higher_is_better=True, ratio="likelihood of a row, best / own"
    ),
    Cobweb: Kind("category utility", "order", "merges and splits", higher_is_better=True, ratio="best / utility"),
}


@dataclass(frozen=True, eq=False)
class _End:
    """The result of one run."""

    score: float
    steps: int
    converged: bool
    solution: bytes


def restarts(
    estimator: TableClusterer,
    X: Any,  # noqa: ANN401, N803 - scikit-learn's name for rows of any kind
    count: int = 100,
    *,
    sample_weight: ArrayLike | None = None,
    best_known: float | None = None,
    compared: int = 8,
    random_state: int | np.random.RandomState | None = 1,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> RestartStudy:
    """Run a clustering algorithm from many starts, and compare the results.

    Parameters
    ----------
    estimator : KMeans, MixtureModel or Cobweb
        Not changed. KMeans and MixtureModel get another start in every run, Cobweb another order of rows. The number of
        clusters must be given.
    X : Table, array or frame
        The rows; a target is ignored.
    count : int, default=100
        How many runs.
    sample_weight : array, optional
        Row weights, for arrays and frames.
    best_known : float, optional
        The best error (k-means), log-posterior (EM) or category utility (COBWEB) known from elsewhere; by default, or
        if a run is better, the best of these runs.
    compared : int, default=8
        How many of the best solutions are kept and compared with each other.
    random_state : int, RandomState or None, default=1
        Seed of the starts or orders. The first runs are the same for any count.
    n_jobs : int or None, default=None
        The number of threads; None is one, -1 one per core. The results do not depend on it.
    progress : callable, optional
        Called with the number of finished runs and the total number.

    Returns
    -------
    RestartStudy
        As text (`text()`), picture (`svg()`) and plain data (`to_json()`).

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.evaluate import restarts
    >>> iris = hornbeam.read("iris")
    >>> found = restarts(hornbeam.KMeans(3, init="random"), iris, 50)
    >>> round(found.best, 3), found.solutions[0].runs
    (6.998, 20)
    """
    kind = _kind(estimator)
    count, compared = whole("count", count, 1), whole("compared", compared, 1)
    known = None if best_known is None else number("best_known", best_known)
    whole_table = clone(estimator)._clustered(X, sample_weight)
    table = whole_table.take(weighing_rows(whole_table))
    if not table.n_rows:
        raise ValueError("there are no rows to learn from: every row has weight zero")
    seeds = check_random_state(random_state).randint(MOST_SEEDS, size=count).tolist()
    kept = _Kept(kind.higher_is_better, compared)
    nothing = _nothing(estimator, table)

    def run(place: int) -> _End:
        fitted = _begun(estimator, table, seeds[place]).fit(table)
        labels = as_they_appear(fitted.labels_)
        end = _ended(fitted, nothing, blake2b(labels.tobytes(), digest_size=16).digest())
        kept.offer(end, labels)
        return end

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # reported in the results
        by_place = in_order_of_arrival(run, count, threads(n_jobs), progress)
    ends = [by_place[place] for place in range(count)]
    figures = np.array([end.score for end in ends])
    best = float(figures.max() if kind.higher_is_better else figures.min())
    if known is not None:
        best = (max if kind.higher_is_better else min)(best, known)
    weight = float(table.n_rows if table.weights is None else table.weights.sum())
    solutions, of_run = _solutions(ends, kept, kind)
    return RestartStudy(
        table.schema.name,
        table.n_rows,
        weight,
        type(estimator).__name__,
        kind,
        figures,
        np.array([end.steps for end in ends], np.int64),
        np.array([end.converged for end in ends], np.bool_),
        of_run,
        best,
        solutions,
        _agreement(solutions),
        _zero_cost(estimator, table, figures),
        random_state if isinstance(random_state, int) else None,
    )


def _kind(estimator: Any) -> Kind:  # noqa: ANN401 - anything may be given
    kind = next((kind for learner, kind in KINDS.items() if isinstance(estimator, learner)), None)
    if kind is None:
        msg = f"estimator is {estimator!r}; expected KMeans, MixtureModel or Cobweb: other estimators have no start"
        raise TypeError(msg)
    for name in ("n_clusters", "n_components"):
        if estimator.get_params().get(name) == "auto":
            raise ValueError(f"{name} is 'auto'; expected a number, so that runs can be compared")
    if not isinstance(getattr(estimator, "init", ""), str):
        msg = (
            "init gives the start, so that every run would be the same; expected the name of a method, such as 'random'"
        )
        raise ValueError(msg)  # noqa: TRY004 - of a right type, in another place
    return kind


def _begun(estimator: TableClusterer, table: Table, seed: int) -> TableClusterer:
    """The unfitted estimator of one run."""
    learner: TableClusterer = clone(estimator).set_params(random_state=seed)
    if isinstance(learner, Cobweb):
        learner.set_params(order="shuffled")
        return learner
    learner.set_params(n_init=1, n_jobs=None)
    if isinstance(learner, MixtureModel) and learner.init == "k-means":
        # By default, EM starts with the best of several k-means runs; here every run starts with one.
        clusters = KMeans(learner.n_components, n_init=1, random_state=seed).fit(table)
        learner.set_params(init=clusters.labels_)
    return learner


def _ended(fitted: Any, nothing: float, solution: bytes) -> _End:  # noqa: ANN401 - one of three
    if isinstance(fitted, KMeans):
        error = fitted.inertia_ if fitted.inertia_ > nothing else 0.0
        return _End(error, fitted.n_iter_, bool(fitted.restarts_.converged[0]), solution)
    if isinstance(fitted, MixtureModel):
        return _End(float(fitted.log_posteriors_[-1]), fitted.n_iter_, bool(fitted.converged_), solution)
    return _End(fitted.model_.category_utility(), fitted.merges_ + fitted.splits_, True, solution)


class _Kept:
    """The labels of the best few different solutions so far; which ones are kept does not depend on their order."""

    def __init__(self, higher_is_better: bool, most: int) -> None:
        self.sign, self.most, self.lock = -1.0 if higher_is_better else 1.0, most, Lock()
        self.costs: dict[bytes, float] = {}
        self.labels: dict[bytes, Ints32] = {}

    def offer(self, end: _End, labels: Ints32) -> None:
        """Keep a solution if it is among the best."""
        with self.lock:
            cost = self.sign * end.score
            self.costs[end.solution] = min(cost, self.costs.get(end.solution, np.inf))
            self.labels[end.solution] = labels
            if len(self.labels) > self.most:
                worst = max(self.labels, key=lambda solution: (self.costs[solution], solution))
                del self.labels[worst]


def _solutions(ends: list[_End], kept: _Kept, kind: Kind) -> tuple[tuple[Solution, ...], Ints64]:
    """The different solutions, the best first, and which of them each run found."""
    order = sorted(kept.costs, key=lambda solution: (kept.costs[solution], solution))
    place = {solution: i for i, solution in enumerate(order)}
    of_run = np.array([place[end.solution] for end in ends], np.int64)
    runs = np.bincount(of_run, minlength=len(order))
    sign = -1.0 if kind.higher_is_better else 1.0
    solutions = tuple(
        Solution(sign * kept.costs[solution] + 0.0, int(many), kept.labels.get(solution))
        for solution, many in zip(order, runs, strict=True)
    )
    return solutions, of_run


def _agreement(solutions: tuple[Solution, ...]) -> Floats:
    """Adjusted Rand index of all pairs of solutions whose labels were kept."""
    labels = [solution.labels for solution in solutions if solution.labels is not None]
    found = np.eye(len(labels))
    for i, one in enumerate(labels):
        for j in range(i):
            found[i, j] = found[j, i] = adjusted_rand_score(one, labels[j])
    return found


def _nothing(estimator: TableClusterer, table: Table) -> float:
    """The largest error of k-means that counts as zero, because of rounding."""
    if not isinstance(estimator, KMeans):
        return 0.0
    alone = KMeans(1, n_init=1, numeric=estimator.numeric, column_weights=estimator.column_weights, random_state=0)
    return NOTHING * float(alone.fit(table).inertia_)


def _zero_cost(estimator: TableClusterer, table: Table, figures: Floats) -> ZeroCost | None:
    """Whether an error of zero is possible, and how many runs reached it; only for k-means."""
    if not isinstance(estimator, KMeans):
        return None
    scale = one_of("numeric", estimator.numeric, SCALES)
    distance = Distance.of(table, numeric=scale, missing="ignore", weights=estimator.column_weights)
    points = distance.points(table)
    distinct_rows, clusters = len(distance.distinct(points)[0]), int(estimator.n_clusters)
    reached = int((figures == 0).sum())
    exists: bool | None = bool(distinct_rows <= clusters or reached)
    if (
        not exists and not points.complete[distance.weight > 0].all()
    ):  # rows with missing values may be equal in their known values
        exists = None
    return ZeroCost(exists, distinct_rows, clusters, reached)
