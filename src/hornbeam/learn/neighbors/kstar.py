"""K*: kept rows are weighted by the probability that random changes turn them into the query row.

The model is `model/neighbors/kstar.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, threads
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.compat.weka import IgnoresWeights
from hornbeam.model.base.align import align
from hornbeam.model.neighbors.kstar import MISSING, NEAR, KStarModel, n_categories
from hornbeam.model.neighbors.scales import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

WEKA_STEPS = 40  # the maximum number of iterations of its search
WEKA_LEAST_RATE = 0.01  # so large numbers are distinguished more than the blend requires


class KStar(IgnoresWeights):
    """Base of K* for classes and for numbers; a mixin for `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    blend : float
        How many rows count: the effective number in every column lies this fraction of the way from the nearest rows
        alone to all rows. If small, the nearest rows decide; with 1, all rows count the same.
    missing : {"average", "farthest", "exclude", "equal"}
        How likely a missing value of a kept row is: as the known values on average, as the least likely of them, not at
        all, or as the most likely. A missing value of the query row is ignored.
    compat : {None, "weka"}
        "weka": use WEKA's approximate search for the scale of a column, its minimum scale for numbers, and its
        treatment of missing values in the query row: each makes the other columns count more, and many make all classes
        equally likely. Row weights are ignored.

    Attributes
    ----------
    model_ : KStarModel
        The kept rows.
    """

    _counts_weights = False

    model_: KStarModel
    blend: float
    missing: str
    compat: str | None
    n_jobs: int | None

    def _learn(self, table: Table) -> tuple[Any, None]:
        threads(self.n_jobs)
        return kstar_model(table, self.blend, self.missing, one_of("compat", self.compat, (None, "weka"))), None

    def distances(self, X: Any) -> NDArray[np.float64]:
        """The number of bits that turn every row of X into every kept row, of shape (rows, kept rows).

        The kept rows with the fewest bits have the most weight.
        """
        return self.model_.bits(align(self.model_.schema, self._table(X)), self.model_.kept, threads(self.n_jobs))


@estimator
class KStarClassifier(KStar, TableClassifier):
    """K* for classes: kept rows are weighted by the probability that random changes turn them into the query row.

    References
    ----------
    Cleary, J. G. and Trigg, L. E. (1995). K*: an instance-based learner using an entropic distance measure.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> kstar = hornbeam.KStarClassifier().fit(table)
    >>> kstar.predict(table.take([0, 60, 120])).tolist()
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """

    blend: float = 0.2
    missing: str = "average"
    class_weight: Mapping[Any, float] | str | None = None
    costs: Any = None
    decision_threshold: float | None = None
    n_jobs: int | None = None
    compat: str | None = None


@estimator
class KStarRegressor(KStar, TableRegressor):
    """K* for numbers: the mean of the kept rows, weighted by the probability that they turn into the query row.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("cpu")
    >>> predicted = hornbeam.KStarRegressor().fit(table).predict(table)
    >>> bool(abs(predicted - table.target_values()).mean() < 10)
    True
    """

    blend: float = 0.2
    missing: str = "average"
    n_jobs: int | None = None
    compat: str | None = None


@takes_rows(table="a", also=("b", "within"))
def kstar_distance(
    a: Table,
    b: Table,
    *,
    sets: ArrayLike | None = None,
    within: Table | None = None,
    blend: float = 0.2,
    missing: str = "average",
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """The number of bits that turn rows of `a` into rows of `b`, or into any row of a set, by random changes.

    It is not symmetric, and not zero from a row to itself. Numbers count as densities, so bits can be below zero.

    Parameters
    ----------
    a, b : Table
        Rows to start from, and rows to reach. Their features are compared; a target is ignored.
    sets : array, optional
        The set of each row of `b`, from 0; the distance is then that from a row to the whole set.
    within : Table, optional
        The rows from which scales are computed; by default those of `b`.
    blend, missing : see `KStarClassifier`
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    array of shape (rows of a, rows of b), or (rows of a, sets)

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> bits = hornbeam.kstar_distance(table.take([0]), table, sets=table.target_values())
    >>> bits.argmin()
    np.int64(0)
    """
    model = kstar_model(b if within is None else within, blend, missing, None)
    rows = align(model.schema, b)
    bits = model.bits(align(model.schema, a), rows, threads(n_jobs))
    if sets is None:
        return bits
    members = np.asarray(sets)
    if members.shape != (b.n_rows,) or members.dtype.kind not in "iu" or (len(members) and members.min() < 0):
        msg = f"sets are {sets!r}; expected a whole number of at least 0 for each of the {b.n_rows} rows of b"
        raise ValueError(msg)
    found = np.full((a.n_rows, int(members.max(initial=-1)) + 1), np.inf)
    for number in np.unique(members):
        found[:, number] = -np.logaddexp2.reduce(-bits[:, members == number], axis=1)
    return found


def kstar_model(table: Table, blend: Any, missing: Any, compat: str | None) -> KStarModel:
    """The model of a table's rows with all parameters."""
    if isinstance(blend, bool) or not isinstance(blend, int | float) or not 0 < blend <= 1:
        msg = f"blend is {blend!r}; expected a number above 0 and at most 1"
        raise ValueError(msg)
    how = one_of("missing", missing, MISSING)
    found = [np.empty((0, 3))]
    for place in table.schema.features:
        if not is_number(table.schema.columns[place]):
            n = n_categories(table.schema, place)
            codes = table.columns[place]
            weights = None if table.weights is None else table.weights[codes >= 0]
            counts = np.bincount(codes[codes >= 0], weights, minlength=n).astype(np.float64)
            known = float(counts.sum())
            different, place_of = np.unique(counts, return_inverse=True)  # most categories may have no rows
            if compat == "weka":
                ratios = [_searched_ratio(count, known, n, float(blend)) for count in different.tolist()]
            else:
                ratios = [_ratio(count, known, float(blend)) for count in different.tolist()]
            found.append(_code_costs(counts, np.array(ratios)[place_of], n, how))
    recipe: dict[str, str | float | bool | None] = {"blend": float(blend), "missing": how}
    least = WEKA_LEAST_RATE if compat == "weka" else 0.0
    raised = len(table.schema.features) + 1 if compat == "weka" else 0  # the target is counted as a column
    return KStarModel(table.schema, table, float(blend), how, np.concatenate(found), least, raised, recipe)


def _ratio(same: float, known: float, blend: float) -> float:
    """The likelihood ratio of another category and the same, for the effective number of rows given by the blend.

    With s rows of the same category and o others it is (s + o r)² / (s + o r²): a quadratic equation.
    """
    other = known - same
    if same <= 0 or other <= 0 or blend >= 1:
        return 1.0
    aim = same + blend * other
    # (o² - aim o) r² + 2 s o r + s² - aim s = 0; the first coefficient is positive, the last negative
    a, b, c = other * (other - aim), 2.0 * same * other, same * (same - aim)
    return -2.0 * c / (b + math.sqrt(max(b * b - 4.0 * a * c, 0.0)))


def _searched_ratio(same: float, known: float, n: int, blend: float) -> float:
    """The same by the search of another program: bisection of the probability of no change."""
    other = known - same
    if same <= 0 or other <= 0 or blend >= 1:
        return 1.0

    def effective(stay: float) -> float:
        equal, unequal = stay + (1.0 - stay) / n, (1.0 - stay) / n
        total = same * equal + other * unequal
        return total * total / (same * equal * equal + other * unequal * unequal)

    aim = same + blend * other
    low, high, stay = NEAR / 2, 1.0 - NEAR / 2, 1.0 - blend
    for _ in range(WEKA_STEPS):
        found = effective(stay)
        if abs(found - aim) <= NEAR:
            break
        low, high = (stay, high) if found > aim else (low, stay)
        stay = (low + high) / 2
    return ((1.0 - stay) / n) / (stay + (1.0 - stay) / n)


def _code_costs(counts: NDArray[np.float64], ratio: NDArray[np.float64], n: int, missing: str) -> NDArray[np.float64]:
    """Minus the logarithms of the likelihoods of the same, another and a missing category, for each category."""
    same = 1.0 / (1.0 + (n - 1) * ratio)
    other = same * ratio
    known = max(float(counts.sum()), np.finfo(np.float64).tiny)
    without = {
        "average": (counts * same + (counts.sum() - counts) * other) / known,
        "farthest": other,
        "exclude": np.zeros(n),
        "equal": same,
    }[missing]
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.column_stack([same, other, without])))
