"""Mixtures by EM: soft clusters, a probability for every row and component, and a density of rows like these.

Numbers are normal, categories have shares, missing values are left out: nothing is put in their place.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.clusterer import TableClusterer
from hornbeam.learn.clusters.em import Choices, Fit, Rows
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.parameters import at_least, one_of, threads, whole
from hornbeam.model.centres import Crew
from hornbeam.model.clustering import Profile
from hornbeam.model.mixture import FORMS, Components, Mixture, log_sum, patterns, places_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

INITS = ("k-means", "random")
WEIGHTINGS = ("free", "equal")


@dataclass(frozen=True, eq=False)
class Ascent:
    """One run of EM: where it ended; the log-likelihood, alone and with the prior, before every step and at the end."""

    components: Components
    log_likelihoods: Floats
    log_posteriors: Floats
    converged: bool


class MixtureModel(TableClusterer):
    """A mixture of distributions, by expectation and maximisation.

    Parameters
    ----------
    n_components : int or "auto", default=1
        How many; "auto" takes one more as long as the log-likelihood of rows left out rises, up to `max_components`.
    covariance_type : {"diagonal", "spherical", "tied", "full", "fixed"}, default="diagonal"
        A variance for each component and column; for each component; one matrix for all; a matrix each; or one
        variance that is known, `variance`.
    variance : float, default=1.0
        The one of "fixed".
    weights : {"free", "equal"}, default="free"
        Whether components may weigh differently.
    init : {"k-means", "random"} or array, default="k-means"
        Where it begins: the clusters of k-means, any shares, or these clusters (a number a row) or shares (by row and
        component).
    n_init : int, default=1
        How many runs; the one of the greatest likelihood is kept.
    max_iter : int, default=200
        The most steps.
    tol : float, default=1e-6
        A run ends where a step adds less than this to the mean log-likelihood of a row.
    min_deviation : float, default=1e-6
        The least standard deviation, in the units of the column.
    reg_covar : float, default=0.0
        What is added to every variance.
    pseudo_count : float, default=1.0
        Rows that every category of a component has beforehand (Laplace); 0 for the greatest likelihood.
    max_components : int, default=10
        The most that may be chosen.
    folds : int, default=10
        Parts of the rows that are left out in turn, with "auto".
    random_state : int, RandomState or None, default=None
        Seed of what is drawn at random.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    model_ : Mixture
    labels_ : array
        The most probable component of every row.
    weights_, means_, covariances_ : array
        Of the components, in the units of the table.
    log_likelihoods_ : array
        Of the rows, in all, before every step and at the end.
    log_posteriors_ : array
        The same with what the pseudo-counts add: it never falls.
    lower_bound_ : float
        The mean log-likelihood of a row, at the end.
    n_parameters_ : int
        How many figures were free.
    n_iter_, converged_
        Steps, and whether they came to an end by themselves.
    restarts_ : array
        The log-posterior that every run ended with.
    validation_ : array
        With "auto": the mean log-likelihood of rows left out, for every number of components tried.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> mixture = hornbeam.MixtureModel(3, covariance_type="full", random_state=1).fit(table)
    >>> mixture.n_parameters_
    44
    >>> round(mixture.classes_to_clusters(table).wrong, 3)
    0.033
    """

    def __init__(
        self,
        n_components: int | str = 1,
        covariance_type: str = "diagonal",
        variance: float = 1.0,
        weights: str = "free",
        init: str | ArrayLike = "k-means",
        n_init: int = 1,
        max_iter: int = 200,
        tol: float = 1e-6,
        min_deviation: float = 1e-6,
        reg_covar: float = 0.0,
        pseudo_count: float = 1.0,
        max_components: int = 10,
        folds: int = 10,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.variance = variance
        self.weights = weights
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.min_deviation = min_deviation
        self.reg_covar = reg_covar
        self.pseudo_count = pseudo_count
        self.max_components = max_components
        self.folds = folds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _cluster(self, table: Table) -> tuple[Mixture, NDArray[np.int32]]:
        choices = Choices(
            one_of("covariance_type", self.covariance_type, FORMS),
            at_least("variance", self.variance, np.finfo(np.float64).tiny),
            one_of("weights", self.weights, WEIGHTINGS) == "equal",
            at_least("min_deviation", self.min_deviation, 0.0),
            at_least("reg_covar", self.reg_covar, 0.0),
            at_least("pseudo_count", self.pseudo_count, 0.0),
        )
        whole("n_init", self.n_init, 1), whole("max_iter", self.max_iter, 1), at_least("tol", self.tol, 0.0)
        random = check_random_state(self.random_state)
        if isinstance(self.n_components, str) and self.n_components == "auto":
            k = self._best_number(table, random)
        else:
            self.__dict__.pop("validation_", None)  # of an earlier fit
            k = whole("n_components", self.n_components, 1)
        if k > table.n_rows:
            msg = f"n_components is {k}, and the rows are fewer (n_samples={table.n_rows})"
            raise ValueError(msg)
        numbers, codes = places_of(table)
        nominal = [c for c in (table.schema.columns[i] for i in table.schema.features) if isinstance(c, Nominal)]
        n_codes = tuple(len(column.categories) for column in nominal)
        each = np.ones(table.n_rows) if table.weights is None else np.asarray(table.weights)
        crew = Crew(threads(self.n_jobs))
        try:
            fit = Fit(Rows.of(numbers, codes, n_codes, each, choices.form), choices, crew)
            runs = [self._ascend(fit, shares * each[:, np.newaxis]) for shares in self._starts(table, k, random)]
        finally:
            crew.close()
        best = max(runs, key=lambda run: run.log_posteriors[-1])
        if not best.converged:
            msg = f"EM took {self.max_iter} steps and was still rising; more steps (max_iter) or a larger tol end it"
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)
        components = fit.in_units(best.components)
        labels = components.log_densities(numbers, codes).argmax(axis=1).astype(np.int32)
        self.weights_, self.means_, self.covariances_ = components.weights, components.means, components.covariances
        self.log_likelihoods_, self.log_posteriors_ = best.log_likelihoods, best.log_posteriors
        self.n_iter_, self.converged_ = len(best.log_likelihoods) - 1, best.converged
        self.restarts_ = np.array([run.log_posteriors[-1] for run in runs])
        self.lower_bound_ = float(best.log_likelihoods[-1] / each.sum())
        self.n_parameters_ = _free_figures(components)
        recipe = {"init": self.init if isinstance(self.init, str) else "given", "pseudo_count": choices.pseudo_count}
        profile = Profile.of(table, labels, k)
        return Mixture(table.schema, components, profile, float(best.log_likelihoods[-1]), recipe), labels

    def _starts(self, table: Table, k: int, random: np.random.RandomState) -> list[Floats]:
        """Shares of components, by row, for every run."""
        if not isinstance(self.init, str):
            return [_given_shares(np.asarray(self.init), table.n_rows, k)]
        if one_of("init", self.init, INITS) == "random":
            return [random.dirichlet(np.ones(k), size=table.n_rows) for _ in range(self.n_init)]
        starts = []
        for number in range(self.n_init):
            tries = 1 if number else 10  # the best clusters first, then others
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                clusters = KMeans(k, n_init=tries, random_state=random, n_jobs=self.n_jobs).fit(table)
            starts.append(np.eye(k)[clusters.labels_])
        return starts

    def _ascend(self, fit: Fit, shares: Floats) -> Ascent:
        components = fit.start(shares)
        likelihoods: list[float] = []
        posteriors: list[float] = []
        converged, rows = False, float(fit.rows.weights.sum())
        for _ in range(self.max_iter):
            following, likelihood = fit.step(components)
            likelihoods.append(likelihood)
            posteriors.append(likelihood + fit.log_prior(components))
            if len(posteriors) > 1 and posteriors[-1] - posteriors[-2] < self.tol * rows:
                converged = True
                break
            components = following
        if not converged:  # the likelihood after the last step is not known yet
            likelihoods.append(fit.log_likelihood(components))
            posteriors.append(likelihoods[-1] + fit.log_prior(components))
            converged = posteriors[-1] - posteriors[-2] < self.tol * rows
        return Ascent(components, np.array(likelihoods), np.array(posteriors), converged)

    def _best_number(self, table: Table, random: np.random.RandomState) -> int:
        """One component more as long as rows left out become more probable."""
        folds = min(whole("folds", self.folds, 2), table.n_rows)
        most = min(whole("max_components", self.max_components, 1), table.n_rows - table.n_rows // max(folds, 1))
        fold = random.permutation(np.arange(table.n_rows) % folds)
        seed = int(random.randint(2**31 - 1))
        found: list[float] = []
        for k in range(1, max(most, 1) + 1):
            total, weight = 0.0, 0.0
            for number in range(folds if table.n_rows > 1 else 0):
                learner = clone(self).set_params(n_components=k, random_state=seed)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ConvergenceWarning)
                    learner.fit(table.take(fold != number))
                left = table.take(fold == number)
                counts = np.ones(left.n_rows) if left.weights is None else np.asarray(left.weights)
                total += float(counts @ learner.model_.score_samples(left))
                weight += float(counts.sum())
            found.append(total / weight if weight else 0.0)
            if len(found) > 1 and not found[-1] > found[-2]:
                break
        self.validation_ = np.array(found)
        return int(np.argmax(found)) + 1

    # ---- what a density is good for ----

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        rows: Any = self._rows(X)
        model: Any = self.model_
        table: Table = rows if isinstance(rows, Table) else model._table_of(rows)
        return table

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the components, by row."""
        table = self._table(X)
        return np.asarray(self.model_.predict_proba(table))

    def score_samples(self, X: Any) -> Floats:
        """The log-likelihood of every row: the lower, the odder the row."""
        table = self._table(X)
        model: Any = self.model_
        return np.asarray(model.score_samples(table))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002 - scikit-learn passes it
        """The mean log-likelihood of a row: compares models on rows they have not seen."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """Schwarz's criterion on rows: the lower the better."""
        scores = self.score_samples(X)
        return float(self.n_parameters_ * np.log(len(scores)) - 2 * scores.sum())

    def sample(self, n: int = 1) -> tuple[Table, NDArray[np.int32]]:
        """Draw rows from the mixture: a table, and the component of each row."""
        check_is_fitted(self)
        random = check_random_state(self.random_state)
        model: Any = self.model_
        own: Components = model.components
        member = random.choice(len(own.weights), size=whole("n", n, 1), p=own.weights / own.weights.sum())
        numbers = np.empty((n, own.means.shape[1]))
        codes = np.empty((n, len(own.shares)), np.int32)
        for k in range(len(own.weights)):
            here = np.flatnonzero(member == k)
            if own.means.shape[1]:
                numbers[here] = random.multivariate_normal(own.means[k], own.matrix(k), size=len(here))
            for j, shares in enumerate(own.shares):
                codes[here, j] = random.choice(shares.shape[1], size=len(here), p=shares[k] / shares[k].sum())
        return _table_of(self.schema_, numbers, codes), member.astype(np.int32)

    def fill(self, X: Any) -> Table:
        """The features of rows with missing values put in: expected numbers, and the likeliest categories."""
        from hornbeam.model.align import align  # noqa: PLC0415 - needed here only

        table = self._table(X)
        model: Any = self.model_
        own: Components = model.components
        numbers, codes = model.places(align(self.schema_, table))
        densities = own.log_densities(numbers, codes)
        shares = np.exp(densities - log_sum(densities)[:, np.newaxis])
        filled = numbers.copy()
        for known, rows in patterns(numbers):
            absent = ~known
            if not absent.any():
                continue
            expected = np.zeros((len(rows), int(absent.sum())))
            for k in range(len(own.weights)):
                matrix = own.matrix(k)
                across = matrix[np.ix_(absent, known)]
                slope = np.linalg.solve(matrix[np.ix_(known, known)], across.T).T
                there = own.means[k, absent] + (numbers[np.ix_(rows, known)] - own.means[k, known]) @ slope.T
                expected += shares[rows, k : k + 1] * there
            filled[np.ix_(rows, absent)] = expected
        for j, chances in enumerate(own.shares):
            likeliest = (shares @ chances).argmax(axis=1)
            codes[:, j] = np.where(codes[:, j] < 0, likeliest, codes[:, j])
        return _table_of(self.schema_, filled, codes)


def _given_shares(given: NDArray[Any], n_rows: int, k: int) -> Floats:
    if given.shape == (n_rows,) and given.dtype.kind in "iu" and given.min() >= 0 and given.max() < k:
        return np.asarray(np.eye(k)[given])
    if given.shape != (n_rows, k) or not np.isfinite(given).all() or (given < 0).any() or not given.sum(axis=1).all():
        msg = f"init is an array of shape {given.shape}; expected a cluster below {k} or {k} shares for {n_rows} rows"
        raise ValueError(msg)
    return np.asarray(given / given.sum(axis=1, keepdims=True), np.float64)


def _free_figures(components: Components) -> int:
    k, d = components.means.shape
    covariance = {
        "spherical": k,
        "diagonal": k * d,
        "tied": d * (d + 1) // 2,
        "full": k * d * (d + 1) // 2,
        "fixed": 0,
    }[components.form]
    nominal = sum(k * max(0, shares.shape[1] - 1) for shares in components.shares)
    return int(k - 1 + k * d + (covariance if d else 0) + nominal)


def _table_of(schema: Any, numbers: Floats, codes: NDArray[np.int32]) -> Table:
    features = schema.select(schema.features)
    nominal = [isinstance(column, Nominal) for column in features.columns]
    values, kinds = iter(numbers.T), iter(codes.T)
    return Table(features, [next(kinds) if is_nominal else next(values) for is_nominal in nominal])
