"""Discretize a numeric column before learning.

Each function takes the values of one column, NaN for missing, and returns the cuts in ascending order: a value equal to
a cut is below it. Rows with a missing value, without a class or of weight zero are left out, equal values are never
separated, and a constant column has no cuts. `equal_width_cuts` and `equal_frequency_cuts` only use the values,
`mdl_cuts` and `chi_merge_cuts` also the classes; `multiple_cuts` finds the cuts with the least impurity, greedily or
exactly.

References
----------
U. M. Fayyad and K. B. Irani, *Multi-Interval Discretization of Continuous-Valued Attributes for Classification
Learning*, IJCAI (1993), 1022-1027. R. Kerber, *ChiMerge: Discretization of Numeric Attributes*, AAAI (1992), 123-128.
T. Elomaa and J. Rousu, *General and Efficient Multisplitting of Numerical Attributes*, Machine Learning 36 (1999),
201-244.

Examples
--------
>>> equal_width_cuts([1, 2, 3, 10], bins=3).tolist()
[4.0, 7.0]
>>> equal_frequency_cuts([1, 2, 3, 10], bins=2).tolist()
[2.5]
>>> mdl_cuts([1, 2, 3, 4, 11, 12, 13, 14], [0, 0, 0, 0, 1, 1, 1, 1]).tolist()
[7.5]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.core.trees.split import cuts as kernel
from hornbeam.learn.base.parameters import at_least, between, one_of, whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats, Indices, Ints64, Uints32
    from hornbeam.core.trees.split.cuts import Criterion

Method = Literal["equal-width", "equal-frequency", "mdl", "chi-merge"]
METHODS: tuple[Method, ...] = get_args(Method)
BY_CLASS: tuple[Method, ...] = ("mdl", "chi-merge")


def column_cuts(
    method: Method,
    values: ArrayLike,
    classes: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    *,
    bins: int = 10,
    significance: float = 0.05,
    max_bins: int | None = None,
    order: Uints32 | None = None,
) -> Floats:
    """Cuts of one column by any of the methods; each uses its own parameters.

    Parameters
    ----------
    method : {"equal-width", "equal-frequency", "mdl", "chi-merge"}
        How intervals are made.
    values : array of shape (rows,)
        Numbers; NaN is missing.
    classes : array of shape (rows,), optional
        Class codes, -1 if unknown; needed by "mdl" and "chi-merge".
    weights : array of shape (rows,), optional
        Row weights; by default every row counts once.
    bins, significance, max_bins
        See the methods' own functions.
    order : array, optional
        Rows with a known value by rising value, if they are already sorted.

    Returns
    -------
    array of rising cuts
    """
    one_of("method", method, METHODS)
    if method == "equal-width":
        return equal_width_cuts(values, weights, bins=bins)
    if method == "equal-frequency":
        return equal_frequency_cuts(values, weights, bins=bins, order=order)
    if classes is None:
        msg = f"the method {method!r} uses the classes, and no classes were given"
        raise ValueError(msg)
    if method == "mdl":
        return mdl_cuts(values, classes, weights, order=order)
    return chi_merge_cuts(values, classes, weights, significance=significance, max_bins=max_bins, order=order)


def equal_width_cuts(values: ArrayLike, weights: ArrayLike | None = None, *, bins: int = 10) -> Floats:
    """Cut the range of the values into `bins` intervals of equal width.

    Parameters
    ----------
    values : array of shape (rows,)
        Numbers; NaN is missing.
    weights : array of shape (rows,), optional
        Rows of weight zero are left out; other weights do not matter.
    bins : int
        Number of intervals.

    Returns
    -------
    array of rising cuts

    Examples
    --------
    >>> equal_width_cuts([0, 1, 7, 8], bins=4).tolist()
    [2.0, 4.0, 6.0]
    """
    n_bins = whole("bins", bins, 1)
    numbers, counted = _numbers(values, weights)
    known = numbers[~np.isnan(numbers) if counted is None else ~np.isnan(numbers) & (counted > 0)]
    if not len(known):
        return np.empty(0)
    low, high = float(known.min()), float(known.max())
    share = np.arange(1, n_bins) / n_bins
    if np.isfinite(high - low):
        found = np.unique(low + (high - low) * share)
    else:
        found = np.unique(low * (1.0 - share) + high * share)
    return found[(found >= low) & (found < high)]


def equal_frequency_cuts(
    values: ArrayLike, weights: ArrayLike | None = None, *, bins: int = 10, order: Uints32 | None = None
) -> Floats:
    """Cut the values into `bins` intervals of about equal weight; fewer if many values are equal.

    Each interval in turn gets as nearly as possible its fraction of the remaining weight; cuts are midpoints between
    values.

    Parameters
    ----------
    values : array of shape (rows,)
        Numbers; NaN is missing.
    weights : array of shape (rows,), optional
        Row weights; by default every row counts once.
    bins : int
        Number of intervals.
    order : array, optional
        Rows with a known value by rising value, if they are already sorted.

    Returns
    -------
    array of rising cuts

    Examples
    --------
    >>> equal_frequency_cuts([1, 1, 1, 1, 2, 3], bins=3).tolist()
    [1.5, 2.5]
    """
    n_bins = whole("bins", bins, 1)
    column = _distinct(values, weights, order)
    up_to = np.cumsum(np.bincount(column.place, column.weights, minlength=len(column.values)))
    places: list[int] = []
    last = len(column.values)
    start, used = 0, 0.0  # distinct values, and weight, in the intervals made so far
    for left in range(n_bins, 1, -1):
        if start >= last - 1:
            break
        wanted = used + (up_to[-1] - used) / left
        place = start + int(np.searchsorted(up_to[start : last - 1], wanted))  # the first value that reaches it
        place = min(place, last - 2)
        if place > start and wanted - up_to[place - 1] <= up_to[place] - wanted:
            place -= 1
        start, used = place + 1, float(up_to[place])
        places.append(start)
    return column.cuts(np.array(places, np.int64))


def mdl_cuts(
    values: ArrayLike, classes: ArrayLike, weights: ArrayLike | None = None, *, order: Uints32 | None = None
) -> Floats:
    """Cut where entropy falls most, and each part again, as long as that makes the description of the classes shorter.

    A part of weight N is cut only if the bits saved exceed log2(N - 1) for naming the place, and log2(3^k - 2) less the
    change of k times the entropy for the classes of the two sides (Fayyad and Irani 1993).

    Parameters
    ----------
    classes : array of shape (rows,)
        Class codes; -1 is unknown.
    values, weights, order
        See `equal_frequency_cuts`.

    Returns
    -------
    array of rising cuts

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> mdl_cuts(iris.column("petallength"), iris.target_values()).tolist()
    [2.45, 4.75]
    """
    column = _distinct(values, weights, order, classes)
    joined, first = kernel.join(column.counts(classes))  # cuts lie on boundary points only
    return column.cuts(first[kernel.divide(joined)])


def chi_merge_cuts(
    values: ArrayLike,
    classes: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    significance: float = 0.05,
    max_bins: int | None = None,
    order: Uints32 | None = None,
) -> Floats:
    """Start with one interval per value, and repeatedly merge the two neighbors whose classes differ least.

    It ends when every two neighbors differ significantly by the chi-square test, and there are at most `max_bins`
    intervals (Kerber 1992). Classes that neither of two neighbors has do not count in their statistic; the test has
    one degree of freedom less than there are classes in the column.

    Parameters
    ----------
    values, classes, weights, order
        See `mdl_cuts`.
    significance : float
        Neighbors are merged while the p-value of their difference is not below this.
    max_bins : int, optional
        Neighbors are merged, significant or not, while there are more intervals than this.

    Returns
    -------
    array of rising cuts

    Examples
    --------
    >>> chi_merge_cuts([1, 2, 3, 4, 11, 12, 13, 14], [0, 0, 0, 0, 1, 1, 1, 1]).tolist()
    [7.5]
    """
    level = between("significance", significance, 0.0, 1.0)
    most = np.iinfo(np.int64).max if max_bins is None else whole("max_bins", max_bins, 1)
    column = _distinct(values, weights, order, classes)
    return column.cuts(kernel.merge(column.counts(classes), level, most))


def multiple_cuts(
    values: ArrayLike,
    target: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    criterion: Criterion = "entropy",
    max_cuts: int = 3,
    cuts_by: Literal["greedy", "optimal"] = "optimal",
    min_branch: float = 0.0,
    limit: int = 1024,
) -> Floats:
    """At most `max_cuts` cuts with the least impurity; fewer if more would not reduce it.

    Parameters
    ----------
    values : array of shape (rows,)
        Numbers; NaN is missing.
    target : array of shape (rows,)
        Class codes, -1 if unknown; numbers for the criteria "variance" and "deviation".
    weights : array of shape (rows,), optional
        Row weights; by default every row counts once.
    criterion : {"entropy", "gini", "misclassification", "chi-square", "variance", "deviation"}
        The impurity.
    max_cuts : int
        The maximum number of cuts.
    cuts_by : {"greedy", "optimal"}
        The best cut first and then the best further one, and so on; or the best set, by dynamic programming.
    min_branch : float
        The minimum weight of an interval.
    limit : int
        Optimal: with more distinct values than this (neighbors of the same class probabilities joined), they are first
        joined to this many groups of about equal weight, and the cuts found are then moved to their best places among
        all values. The time grows with the square of the number of groups.

    Returns
    -------
    array of rising cuts

    Examples
    --------
    >>> multiple_cuts([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 0, 0]).tolist()
    [2.5, 4.5]
    """
    most = whole("max_cuts", max_cuts, 0)
    least = at_least("min_branch", min_branch, 0.0)
    one_of("cuts_by", cuts_by, ("greedy", "optimal"))
    one_of("criterion", criterion, tuple(kernel.CRITERIA))
    numeric = criterion in ("variance", "deviation")
    column = _distinct(values, weights, None, None if numeric else target)
    stats = column.moments(target) if numeric else column.counts(target)
    if not len(stats):
        return np.empty(0)
    if cuts_by == "greedy":
        return column.cuts(np.sort(kernel.greedy(stats, criterion, most, least)[0]))
    found, masses = kernel.optimal(stats, criterion, most, least, limit=limit)
    slack = 1e-12 * abs(float(masses[0]))  # as in the kernel
    best = 0
    for k in range(1, len(found)):
        if masses[k] < masses[best] - slack:
            best = k
    return column.cuts(found[best])


# ---- a column by its distinct values ----


@dataclass(frozen=True, slots=True)
class _Distinct:
    values: Floats  # rising
    rows: Indices  # rows that count, by ascending value
    place: Ints64  # index of each such row's value in `values`
    weights: Floats | None  # of these rows

    def cuts(self, places: Ints64) -> Floats:
        """Midpoints between the distinct values before and at `places`, never equal to the upper one."""
        low, high = self.values[places - 1], self.values[places]
        middle = 0.5 * low + 0.5 * high
        return np.where((middle >= low) & (middle < high), middle, low)

    def counts(self, classes: ArrayLike) -> Floats:
        """Class weights of every distinct value."""
        codes = np.asarray(classes)[self.rows].astype(np.int64)
        n_classes = int(codes.max()) + 1 if len(codes) else 1
        cells = np.bincount(self.place * n_classes + codes, self.weights, minlength=len(self.values) * n_classes)
        return cells.reshape(len(self.values), n_classes).astype(np.float64)

    def moments(self, target: ArrayLike) -> Floats:
        """Weight, sum and sum of squares of a numeric target, around its mean, for every distinct value."""
        numbers = np.asarray(target, np.float64)[self.rows]
        if not np.isfinite(numbers).all():
            row = int(self.rows[np.argmin(np.isfinite(numbers))])
            msg = f"row {row + 1} has the target {np.asarray(target)[row]}; expected a finite number"
            raise ValueError(msg)
        weights = np.ones(len(numbers)) if self.weights is None else self.weights
        apart = numbers - np.average(numbers, weights=weights) if len(numbers) else numbers
        powers = (weights, weights * apart, weights * apart * apart)
        return np.column_stack([np.bincount(self.place, power, minlength=len(self.values)) for power in powers])


def _distinct(
    values: ArrayLike, weights: ArrayLike | None, order: Uints32 | None, classes: ArrayLike | None = None
) -> _Distinct:
    numbers, counted = _numbers(values, weights)
    rows = np.asarray(sort_known(numbers) if order is None else order).astype(np.intp)
    if counted is not None:
        rows = rows[counted[rows] > 0]
    if classes is not None:
        codes = np.asarray(classes)
        if codes.shape != numbers.shape or codes.dtype.kind not in "iub":
            msg = f"found classes of shape {codes.shape} and type {codes.dtype}; expected {len(numbers)} whole codes"
            raise ValueError(msg)
        rows = rows[codes[rows] >= 0]
    sorted_values = numbers[rows]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = sorted_values[1:] != sorted_values[:-1]
    place = np.cumsum(fresh) - 1
    return _Distinct(sorted_values[fresh], rows, place, None if counted is None else counted[rows])


def _numbers(values: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats | None]:
    """Values and weights, checked."""
    numbers = np.ascontiguousarray(values, np.float64)
    if numbers.ndim != 1:
        msg = f"the values have {numbers.ndim} dimensions; expected one column"
        raise ValueError(msg)
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        msg = f"row {row + 1}: found {numbers[row]}; expected a finite number, or NaN where missing"
        raise ValueError(msg)
    if weights is None:
        return numbers, None
    counted = np.asarray(weights, np.float64)
    if counted.shape != numbers.shape or not (counted >= 0).all() or np.isinf(counted).any():
        msg = f"found weights of shape {counted.shape}; expected {len(numbers)} finite numbers of at least 0"
        raise ValueError(msg)
    return numbers, counted
