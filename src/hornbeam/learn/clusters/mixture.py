"""Mixtures by EM: soft clusters, with a probability for every row and component, and a density of rows.

Numbers are normal, on their own scale or a transformed one, or counts; categories have probabilities, alone or jointly.
Missing values are left out, not filled in. The number of components is chosen by cross-validation or by the evidence.
"""

from __future__ import annotations

import warnings
from dataclasses import (
    KW_ONLY,
    dataclass,
    replace,
)
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.errors import warn
from hornbeam.data.schema import Numeric, Role, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.clusterer import TableClusterer, kept_axes
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import weighing_rows
from hornbeam.learn.base.parameters import at_least, one_of, threads, whole
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.clusters.em import Choices, Fit, Rows, check_memory
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.clustering import Profile
from hornbeam.model.clusters.components import FORMS, Components, Places, log_sum
from hornbeam.model.clusters.mixture import Mixture, typical_scores
from hornbeam.model.clusters.mixture_columns import Columns
from hornbeam.model.clusters.principal_axes import Axes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

INITS = ("k-means", "random")
WEIGHTINGS = ("free", "equal")
PRIORS = ("laplace", "conjugate", None)
CHOICES = ("cross-validation", "bayesian")
ROUNDING = 1e-14  # of a log-likelihood, a sum over rows: smaller increases are rounding errors


@dataclass(frozen=True, eq=False)
class Ascent:
    """One run of EM: the result, and the log-likelihood without and with prior, before every step and at the end."""

    components: Components
    log_likelihoods: Floats
    log_posteriors: Floats
    converged: bool


@estimator(kw_only=False)
class MixtureModel(ReportsProgress, TableClusterer):
    """A mixture of distributions, fitted by expectation-maximization (EM).

    Parameters
    ----------
    n_components : int or "auto"
        Number of components; "auto" chooses it by `choose`, up to `max_components`.
    covariance_type : {"diagonal", "spherical", "tied", "full", "fixed"}
        One variance per component and column; one per component; one matrix for all components; one matrix per
        component; or one known variance, `variance`.
    prior : {"laplace", "conjugate"} or None
        Prior for categories and counts, worth `pseudo_count` rows each; for normal columns and weights too; or none,
        for maximum likelihood.
    distributions : mapping, optional
        Distribution of numeric columns within a component, by name: "normal" (if not named), "poisson" (counts),
        ("log-normal", minimum) or ("log-odds", low, high).
    joint : list of lists of str, optional
        Nominal columns that depend on each other within a component; each list is read as one column of combinations.
    pca : int or float, optional
        Project normal columns without missing values onto their principal axes, and keep this many of them, or (a
        number up to 1.0) as many as explain this fraction of the variance. The others have one distribution for all
        components.
    variance : float
        The variance of "fixed".
    weights : {"free", "equal"}
        Whether components may have different weights.
    init : {"k-means", "random"} or array
        Starting point: the clusters of k-means, random probabilities, or these clusters (one number per row) or
        probabilities (by row and component).
    n_init : int
        Number of runs; the one with the highest likelihood is kept.
    max_iter : int
        Maximum number of steps.
    tol : float
        A run ends when a step adds less than this to the mean log-likelihood of a row.
    min_deviation : float
        The minimum standard deviation, in the units of the column (with `pca`: of standardized columns); also the
        square root of the minimum rate of counts.
    reg_covar : float
        Added to every variance.
    pseudo_count : float
        Rows that the prior adds to every category of a component (Laplace), and to every rate, at the average count.
    choose : {"cross-validation", "bayesian"}
        How "auto" chooses: add components as long as the cross-validated log-likelihood rises; or the number with the
        highest evidence, all numbers being equally probable beforehand (needs the conjugate prior).
    max_components : int
        The maximum number that "auto" may choose.
    folds : int
        Number of folds, with "cross-validation".

    Attributes
    ----------
    model_ : Mixture
    labels_ : array
        The most probable component of every row.
    weights_, means_, covariances_, rates_ : array
        Of the components, in the units of the table, or of the logarithms and log-odds that are normal.
    log_likelihoods_ : array
        Log-likelihood of all rows before every step and at the end.
    log_posteriors_ : array
        The same plus the logarithm of the prior; it never falls.
    lower_bound_ : float
        The mean log-likelihood of a row at the end.
    n_parameters_ : int
        Number of free parameters.
    n_iter_, converged_
        Number of steps, and whether the run converged.
    restarts_ : array
        The log-posterior at the end of every run.
    log_evidence_ : float
        With the conjugate prior: the logarithm of the marginal probability of the rows (approximate).
    validation_ : array
        With "auto": the cross-validated mean log-likelihood, or the evidence, for every number of components tried.

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

    _turns_columns = True

    _takes_sparse = False  # scikit-learn expects classes of what has probabilities and takes sparse rows

    n_components: int | str = 1
    _: KW_ONLY
    covariance_type: str = "diagonal"
    prior: str | None = "laplace"
    distributions: Mapping[str, Any] | None = None
    joint: Iterable[Iterable[str]] | None = None
    pca: float | None = None
    variance: float = 1.0
    weights: str = "free"
    init: str | ArrayLike = "k-means"
    n_init: int = 1
    max_iter: int = 200
    tol: float = 1e-6
    min_deviation: float = 1e-6
    reg_covar: float = 0.0
    pseudo_count: float = 1.0
    choose: str = "cross-validation"
    max_components: int = 10
    folds: int = 10
    random_state: int | np.random.RandomState | None = None
    n_jobs: int | None = None

    @property
    def n_clusters(self) -> int | str:
        """The parameter `n_components`, by the name that it has in other clusterers."""
        return self.n_components

    @n_clusters.setter
    def n_clusters(self, value: int | str) -> None:
        self.n_components = value

    def _clustered(self, X: Any, sample_weight: ArrayLike | None) -> Table:
        table = super()._clustered(X, sample_weight)
        Columns.of(table.schema, self.distributions, self.joint).check(table, weighing_rows(table))
        return table

    def _choices(self) -> Choices:
        prior = one_of("prior", self.prior, PRIORS)
        pseudo_count = at_least("pseudo_count", self.pseudo_count, 0.0)
        return Choices(
            one_of("covariance_type", self.covariance_type, FORMS),
            at_least("variance", self.variance, np.finfo(np.float64).tiny),
            one_of("weights", self.weights, WEIGHTINGS) == "equal",
            at_least("min_deviation", self.min_deviation, 0.0),
            at_least("reg_covar", self.reg_covar, 0.0),
            0.0 if prior is None else pseudo_count,
            prior == "conjugate",
        )

    def _squares_features(self) -> bool:
        return True

    def _cluster(self, table: Table) -> tuple[Mixture, NDArray[np.int32]]:
        choices = self._choices()
        whole("n_init", self.n_init, 1), whole("max_iter", self.max_iter, 1), at_least("tol", self.tol, 0.0)
        random = check_random_state(self.random_state)
        if isinstance(self.n_components, str) and self.n_components == "auto":
            k, self.validation_ = best_number(self, table, one_of("choose", self.choose, CHOICES), random)
        else:
            self.__dict__.pop("validation_", None)  # of an earlier fit
            k = whole("n_components", self.n_components, 1)
        if k > table.n_rows:
            msg = f"n_components is {k}, and the rows are fewer (n_samples={table.n_rows})"
            raise ValueError(msg)
        each = table.row_weights
        columns = Columns.of(table.schema, self.distributions, self.joint)
        places = columns.places(table)
        keep = kept_axes(self.pca)
        if keep is not None:
            axes = Axes.of(places.numbers, each, keep, choices.least)
            columns, places = replace(columns, axes=axes), axes.turn(places)
        check_memory(places.numbers.shape[1], choices.form, k)
        crew = Crew(threads(self.n_jobs))
        try:
            fit = Fit(Rows.of(places, columns.sizes, each, choices.form), choices, crew, k)
            starts = self._starts(_as_points(table, columns, places), k, random)
            runs: list[Any] = []
            for shares in starts:
                runs.append(self._ascend(fit, shares * each[:, np.newaxis]))
                if self._report(len(runs), len(starts)):
                    break
            best = max(runs, key=lambda run: run.log_posteriors[-1])
            self.__dict__.pop("log_evidence_", None)
            if choices.conjugate and choices.pseudo_count:
                self.log_evidence_ = fit.log_evidence(best.components)
        finally:
            crew.close()
        if not best.converged:
            msg = f"EM took {self.max_iter} steps without converging; use a larger max_iter or tol"
            warn(msg, ConvergenceWarning)
        self.log_likelihoods_, self.log_posteriors_ = best.log_likelihoods, best.log_posteriors
        self.n_iter_, self.converged_ = len(best.log_likelihoods) - 1, best.converged
        self.restarts_ = np.array([run.log_posteriors[-1] for run in runs])
        self.lower_bound_ = float(best.log_likelihoods[-1] / each.sum())
        components = fit.in_units(best.components)
        densities = components.log_densities(places)
        labels = densities.argmax(axis=1).astype(np.int32)
        scores = typical_scores(log_sum(densities) + places.constant, each)
        init = self.init if isinstance(self.init, str) else "given"
        recipe: dict[str, Any] = {"init": init, "prior": self.prior, "pseudo_count": choices.pseudo_count}
        profile = Profile.of(table, labels, k)
        model = Mixture(table.schema, columns, components, profile, float(best.log_likelihoods[-1]), scores, recipe)
        self._set_fitted(model, components)
        return model, labels

    def _set_fitted(self, model: Mixture, components: Components) -> None:
        straight, axes = model.straight, model.columns.axes
        self.weights_, self.means_, self.covariances_ = straight.weights, straight.means, straight.covariances
        self.rates_ = straight.rates
        fixed = len(components.weights) - 1 if self.weights == "equal" else 0
        self.n_parameters_ = components.n_figures - fixed + (0 if axes is None else axes.n_figures)

    def _starts(self, table: Table, k: int, random: np.random.RandomState) -> list[Floats]:
        """Starting probabilities of components, by row, for every run."""
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
            posteriors.append(likelihood + fit.prior.logarithm(components))
            converged = self._at_rest(posteriors, rows)
            if converged:
                break
            components = following
        if not converged:  # the likelihood after the last step is not known yet
            likelihoods.append(fit.log_likelihood(components))
            posteriors.append(likelihoods[-1] + fit.prior.logarithm(components))
            converged = self._at_rest(posteriors, rows)
        return Ascent(components, np.array(likelihoods), np.array(posteriors), converged)

    def _at_rest(self, posteriors: list[float], rows: float) -> bool:
        """Whether the last step added less than `tol` for each row, or no more than the sum is rounded by."""
        if len(posteriors) == 1:
            return False
        rise = posteriors[-1] - posteriors[-2]
        return rise < self.tol * rows or rise <= ROUNDING * abs(posteriors[-1])

    # ---- uses of the density ----

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the components, by row."""
        table = self._table(X)
        return np.asarray(self.model_.predict_proba(table))

    def score_samples(self, X: Any) -> Floats:
        """The log-likelihood of every row; low for unusual rows."""
        table = self._table(X)
        model: Any = self.model_
        return np.asarray(model.score_samples(table))

    def anomaly_score(self, X: Any) -> Floats:
        """The fraction of the training rows that are more probable than each row: 1 if it is less probable than all."""
        table = self._table(X)
        model: Any = self.model_
        return np.asarray(model.anomaly_score(table))

    def surprises(self, X: Any) -> Floats:
        """Minus the log-density of every value given the rest of the row, by row and column; high if unusual."""
        table = self._table(X)
        model: Any = self.model_
        return np.asarray(model.surprises(table))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> float:  # noqa: ARG002 - scikit-learn passes it
        """The mean log-likelihood of a row, for comparing models on held-out rows."""
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return float(np.average(self.score_samples(X), weights=weights))

    def bic(self, X: Any) -> float:
        """The Bayesian information criterion (Schwarz) on rows; lower is better."""
        scores = self.score_samples(X)
        return float(self.n_parameters_ * np.log(len(scores)) - 2 * scores.sum())

    def sample(self, n: int = 1) -> tuple[Table, NDArray[np.int32]]:
        """Draw rows from the mixture: a table, and the component of each row."""
        check_is_fitted(self)
        model: Any = self.model_
        drawn: tuple[Table, NDArray[np.int32]] = model.sample(whole("n", n, 1), check_random_state(self.random_state))
        return drawn

    def fill(self, X: Any) -> Table:
        """The features of rows, missing values filled in: expected numbers (counts rounded), likeliest categories."""
        table = self._table(X)
        model: Any = self.model_
        filled: Table = model.fill(table)
        return filled


def _given_shares(given: NDArray[Any], n_rows: int, k: int) -> Floats:
    if given.shape == (n_rows,) and given.dtype.kind in "iu" and given.min() >= 0 and given.max() < k:
        return np.asarray(np.eye(k)[given])
    if given.shape != (n_rows, k) or not np.isfinite(given).all() or (given < 0).any() or not given.sum(axis=1).all():
        msg = f"init has the shape {given.shape}; expected {n_rows} clusters below {k} or rows of {k} probabilities"
        raise ValueError(msg)
    return np.asarray(given / given.sum(axis=1, keepdims=True), np.float64)


def _as_points(table: Table, columns: Columns, places: Places) -> Table:
    """The table for finding starts: numbers on their normal scale, square roots of counts."""
    if columns.is_plain and columns.axes is None:
        return table
    made = [*places.numbers.T, *np.sqrt(places.counts.T)]
    weight = table.schema.with_role("weight")
    kept = columns.nominal if weight is None else [*columns.nominal, weight]
    old = table.schema.select(kept)
    before = max((len(name) for name in old.names), default=0)
    named = [Numeric(" " * before + str(number)) for number in range(len(made))]  # equal to no other
    roles: list[Role] = ["feature"] * len(named)
    schema = Schema((*named, *old.columns), (*roles, *old.roles))
    return Table(schema, [*made, *(table.columns[place] for place in kept)], copy=False)


def best_number(asked: Any, table: Table, by: str, random: np.random.RandomState) -> tuple[int, Floats]:
    """The best number of components, and the values of all that were tried, from 1 on."""
    folds = min(whole("folds", asked.folds, 2), table.n_rows)
    most = whole("max_components", asked.max_components, 1)
    if by == "bayesian":
        if asked.prior != "conjugate" or not asked.pseudo_count > 0:
            msg = (
                f"choose is {by!r}, which compares models by their prior, and prior is {asked.prior!r} with "
                f"pseudo_count {asked.pseudo_count!r}; expected 'conjugate' and a number above 0"
            )
            raise ValueError(msg)
        figures = _evidence(asked, table, min(most, table.n_rows), random)
    else:
        figures = _left_out(asked, table, folds, most, random)
    return int(np.argmax(figures)) + 1, figures


def _fitted(asked: Any, k: int, seed: int, table: Table) -> Any:
    learner = clone(asked).set_params(n_components=k, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(table)


def _evidence(asked: Any, table: Table, most: int, random: np.random.RandomState) -> Floats:
    """The evidence for every number; the posterior has one mode for every order of the components."""
    seed = int(random.randint(2**31 - 1))
    numbers = np.arange(1, most + 1)
    found = np.array([_fitted(asked, int(k), seed, table).log_evidence_ for k in numbers])
    return np.asarray(found + np.cumsum(np.log(numbers)))


def _left_out(asked: Any, table: Table, folds: int, most: int, random: np.random.RandomState) -> Floats:
    """The mean log-likelihood of held-out rows, with one more component as long as it increases."""
    most = min(most, table.n_rows - table.n_rows // max(folds, 1))
    fold = random.permutation(np.arange(table.n_rows) % folds)
    seed = int(random.randint(2**31 - 1))
    found: list[float] = []
    for k in range(1, max(most, 1) + 1):
        total, weight = 0.0, 0.0
        for number in range(folds if table.n_rows > 1 else 0):
            learner = _fitted(asked, k, seed, table.take(fold != number))
            left = table.take(fold == number)
            counts = left.row_weights
            total += float(counts @ learner.model_.score_samples(left))
            weight += float(counts.sum())
        found.append(total / weight if weight else 0.0)
        if len(found) > 1 and not found[-1] > found[-2]:
            break
    return np.array(found)
