"""k-means: clusters around centers, from several starts. Lloyd, 1957; MacQueen, 1967.

Numbers are scaled, different categories differ by one and a center has the most frequent category (Huang's
k-prototypes, 1998), and missing values are ignored: a center is the mean of the known values.
"""

from __future__ import annotations

from dataclasses import (
    KW_ONLY,
    dataclass,
)
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hornbeam.learn.base.clusterer import TableClusterer, warn_of_few
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import NOT_BY_RANGE
from hornbeam.learn.base.parameters import at_least, one_of, threads, whole
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.clusters.choose import CHOICES, best_number
from hornbeam.learn.clusters.ground import Centers, Ground
from hornbeam.learn.clusters.lloyd import (
    IMPROVEMENTS,
    Lloyd,
    Run,
    Starts,
    centers_swapped,
    in_batches,
    rows_moved,
    top_down,
)
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.clustering import Profile
from hornbeam.model.clusters.partition import Measure, Partition
from hornbeam.model.neighbors.distance import Distance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

    Floats = NDArray[np.float64]

ALGORITHMS = ("auto", "lloyd", "mini-batch", "bisecting")
INITS = ("k-means++", "random")
SCALES = ("range", "deviation", "as-is")


@dataclass(frozen=True, eq=False)
class Restarts:
    """The results of all runs, in order.

    Parameters
    ----------
    errors : array
        The sum of squared distances at the end of each run.
    steps : array
        The number of steps (with mini-batches, of batches).
    converged : array
        Whether the run converged: no row moved, or centers moved by at most `tol`.
    """

    errors: Floats
    steps: NDArray[np.int64]
    converged: NDArray[np.bool_]


@estimator(kw_only=False)
class KMeans(ReportsProgress, TableClusterer):
    """k-means: clusters around centers.

    Parameters
    ----------
    n_clusters : int or "auto"
        Number of clusters; "auto" chooses it by `choose`, from 1 or 2 up to `max_clusters`.
    init : {"k-means++", "random"} or array
        Starting centers: rows far from each other, any rows, or these centers, in the units of the table (numbers only;
        there is then one run).
    n_init : int
        Number of runs from different starts; the best is kept, and all are listed in `restarts_`.
    max_iter : int
        Maximum number of steps per run.
    tol : float
        A run ends when no row changes its cluster, or when the sum of squared moves of the centers is at most this
        fraction of the mean variance of the columns.
    algorithm : {"auto", "lloyd", "mini-batch", "bisecting"}
        "auto" and "lloyd" give the same result: "auto" skips comparisons by means of bounds, "lloyd" makes all of them.
        "mini-batch" moves centers by small batches of rows. "bisecting" splits the worst cluster until there are
        enough, and continues from there.
    improve : {None, "rows", "swaps"}
        What to try after a run has ended: nothing; "rows": move single rows to another cluster if that lowers the error
        (Hartigan); "swaps": also move one center after another elsewhere, until ten in a row gained nothing. Not with
        "mini-batch".
    choose : {"silhouette", "elbow", "gap", "likelihood"}
        How the number of clusters is chosen if it is "auto"; "likelihood": cross-validated, for normal distributions
        with one variance around the centers.
    max_clusters : int
        The maximum number that "auto" may choose.
    batch_size : int
        Rows per batch, with "mini-batch".
    numeric : {"range", "deviation", "as-is"}
        How numbers are scaled before they are compared.
    memory_mb : float
        Maximum memory for bounds, in addition to one number per row.

    Attributes
    ----------
    model_ : Partition
    inertia_ : float
        Sum of squared distances of rows to their centers, on the scale of the distance.
    cluster_centers_ : array of shape (clusters, numeric features)
        Centers in the units of the table.
    n_iter_ : int
        Number of steps of the best run.
    restarts_ : Restarts
        Errors and steps of all runs.
    choice_ : Choice
        With "auto": the values by which the number of clusters was chosen.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> clusters = hornbeam.KMeans(3, random_state=1).fit(table)
    >>> clusters.model_
    Partition('iris': 150 rows in 3 clusters, error 6.99811)
    >>> round(clusters.classes_to_clusters(table).wrong, 3)
    0.113
    """

    n_clusters: int | str = 8
    _: KW_ONLY
    init: str | ArrayLike = "k-means++"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 0.0
    algorithm: str = "auto"
    improve: str | None = None
    choose: str = "silhouette"
    max_clusters: int = 10
    batch_size: int = 1024
    numeric: str = "range"
    column_weights: Mapping[str, float] | None = None
    memory_mb: float = 256
    pca: float | None = None
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    def _squares_features(self) -> bool:
        return self.numeric in NOT_BY_RANGE

    def _runs(self, table: Table, measure: Measure) -> tuple[list[Run], str, int]:
        """All descents, the name of the algorithm, and the requested number of clusters (0 for "auto")."""
        auto = self.n_clusters == "auto" if isinstance(self.n_clusters, str) else False
        wanted = 0 if auto else whole("n_clusters", self.n_clusters, 1)
        way = one_of("algorithm", self.algorithm, ALGORITHMS)
        choice = one_of("choose", self.choose, CHOICES)
        if one_of("improve", self.improve, IMPROVEMENTS) is not None and way == "mini-batch":
            msg = f"improve is {self.improve!r} with algorithm 'mini-batch'; expected None with it"
            raise ValueError(msg)
        whole("n_init", self.n_init, 1), whole("max_iter", self.max_iter, 1), whole("batch_size", self.batch_size, 1)
        at_least("tol", self.tol, 0.0), at_least("memory_mb", self.memory_mb, 0.0)
        if wanted > table.n_rows:
            msg = (
                f"n_clusters is {wanted}, and there are {table.n_rows} rows (n_samples={table.n_rows}); expected fewer"
            )
            raise ValueError(msg)
        random = check_random_state(self.random_state)
        crew = Crew(threads(self.n_jobs))
        try:
            search = _Search(self, Ground.of(table, measure), measure, crew, random, way)
            if auto:
                most = min(whole("max_clusters", self.max_clusters, 1), table.n_rows)
                self.choice_, runs = best_number(search, measure.distance, table, most, choice, random)
            else:
                self.__dict__.pop("choice_", None)  # of an earlier fit
                runs = search.runs(wanted)
        finally:
            crew.close()
        return runs, way, wanted

    def _cluster(self, table: Table) -> tuple[Partition, NDArray[np.int32]]:
        distance = Distance.of(
            table, numeric=one_of("numeric", self.numeric, SCALES), missing="ignore", weights=self.column_weights
        )
        measure = Measure(distance)
        runs, way, wanted = self._runs(table, measure)
        run = min(runs, key=lambda run: run.error)
        k = len(run.centers)
        if k < wanted:
            warn_of_few(wanted, k, "that many clusters are made")
        self.restarts_ = Restarts(
            np.array([one.error for one in runs]),
            np.array([one.steps for one in runs]),
            np.array([one.converged for one in runs]),
        )
        self.inertia_, self.n_iter_ = run.error, run.steps
        self.cluster_centers_ = measure.from_scale(run.centers.numbers)
        recipe = {"algorithm": way, "init": self.init if isinstance(self.init, str) else "given"}
        profile = Profile.of(table, run.labels, k)
        model = Partition(table.schema, distance, run.centers.numbers, run.centers.codes, profile, run.error, recipe)
        return model, run.labels

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:  # noqa: ARG002 - scikit-learn passes it
        """Minus the sum of squared distances of rows from their nearest centers."""
        table = self._table(X)
        costs = self.model_.costs(table)
        weights = np.ones(len(costs)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        return -float(costs @ weights)


class _Search:
    """The runs of a fit, for any number of clusters."""

    def __init__(
        self, asked: KMeans, ground: Ground, measure: Measure, crew: Crew, random: np.random.RandomState, way: str
    ) -> None:
        self.asked, self.ground, self.measure, self.random, self.way = asked, ground, measure, random, way
        self.crew = crew
        self.starts = Starts(ground, crew)
        self.lloyd = Lloyd(ground, crew, plainly=way == "lloyd", memory_mb=asked.memory_mb)

    def runs(self, k: int) -> list[Run]:
        """All runs with k clusters; fewer clusters if there are not enough distinct rows."""
        asked = self.asked
        if not isinstance(asked.init, str):
            return [self._descend(self._given(asked.init, k))]
        draw = self.starts.random_rows if one_of("init", asked.init, INITS) == "random" else self.starts.far_apart
        if self.way == "bisecting":
            top = top_down(self.ground, k, self.crew, self.random, asked.n_init, asked.max_iter, asked.memory_mb)
            return [self._descend(top)]
        runs: list[Run] = []
        while len(runs) < asked.n_init:
            runs.append(self._descend(self.ground.at(draw(k, self.random))))
            if asked._report(len(runs), asked.n_init):
                break
        return runs

    def _descend(self, start: Centers) -> Run:
        asked = self.asked
        if self.way != "mini-batch":
            run = self.lloyd.descend(start, asked.max_iter, asked.tol)
            if asked.improve is not None:
                run = rows_moved(self.lloyd, run, asked.max_iter, asked.tol)
            if asked.improve == "swaps":
                run = centers_swapped(self.lloyd, run, self.random, asked.max_iter, asked.tol)
            return run
        centers, batches = in_batches(self.ground, start, self.crew, self.random, asked.batch_size, asked.max_iter)
        labels, costs = self.ground.nearest(centers, self.crew)
        return Run(centers, labels, float(costs @ self.ground.each_weight), batches, converged=True)

    def _given(self, init: Any, k: int) -> Centers:
        centers = np.asarray(init, np.float64)
        columns = self.ground.numbers.shape[1]
        if self.ground.codes.shape[1]:
            msg = "init gives centers as numbers, and the table has nominal columns; expected 'k-means++' or 'random'"
            raise ValueError(msg)
        if centers.shape != (k, columns) or not np.isfinite(centers).all():
            msg = f"init is an array of shape {centers.shape}; expected {k} centers of {columns} finite numbers"
            raise ValueError(msg)
        return Centers(self.measure.to_scale(centers), np.zeros((k, 0), np.int32))
