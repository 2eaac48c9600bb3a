r"""Split criteria as in textbooks: functions of a table of branches by classes.

The compiled engine computes the same values from running sums; these functions are for tests, for teaching, and for
computing single values. A *table* has a row for every branch and a column for every class, and contains weights, which
may be fractions. All logarithms are to base 2, and :math:`0 \log 0 = 0`.

Every impurity here is given by the formula :math:`E(S) = \min_c \frac{1}{|S|} \sum_{y \in S} L(y, c)`: the mean loss of
the best single prediction c. The logarithmic loss gives the entropy, the Brier score the Gini index, 0-1 loss the
misclassification, squared error the variance, absolute error the mean distance from the median, and a matrix of losses
one more (`class_impurity`, `number_impurity`).

References
----------
J. R. Quinlan, *Induction of Decision Trees*, Machine Learning 1 (1986), 81-106; *C4.5: Programs for Machine Learning*,
Morgan Kaufmann (1993). L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*,
Wadsworth (1984).

Examples
--------
The weather data, 9 days with play and 5 without, split by outlook (sunny, overcast, rainy):

>>> outlook = [[2, 3], [4, 0], [3, 2]]
>>> round(entropy([9, 5]), 3)
0.94
>>> round(information(outlook), 3)
0.694
>>> round(information_gain(outlook), 3), round(split_information(outlook), 3), round(gain_ratio(outlook), 3)
(0.247, 1.577, 0.156)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import chdtrc

from hornbeam.data.schema import Nominal, Numeric, SchemaError
from hornbeam.model.trees import criterion as impurities
from hornbeam.model.trees.criterion import fractions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table

TABLE_DIMENSIONS = 2

ClassLoss = Literal["log", "brier", "0-1"]
NumberLoss = Literal["squared", "absolute"]


def contingency(table: Table, column: str | int, cut: float | None = None) -> Floats:
    """Count classes by branch: the branches x classes table of splitting `table` on `column`.

    Parameters
    ----------
    table : Table
        Rows with a nominal target; a weight column is used. Rows without the value or the class are left out.
    column : str or int
        A nominal column (one branch per category) or, with `cut`, a numeric one (two branches: at most `cut`, above
        it).
    cut : float, optional
        Where to cut a numeric column.

    Returns
    -------
    ndarray of shape (branches, classes)
    """
    position = table.schema.position(column)
    kind, target = table.schema.columns[position], table.schema.target_column
    if not isinstance(target, Nominal):
        msg = f"the target {target.name!r} is numeric; expected a nominal one"
        raise SchemaError(msg)
    values, classes = table.columns[position], table.target_values()
    if isinstance(kind, Numeric):
        if cut is None:
            msg = f"column {kind.name!r} is numeric; say where to cut it, e.g. cut={float(np.nanmean(values)):g}"
            raise ValueError(msg)
        branches, n_branches, known = (values > cut).astype(np.intp), 2, ~np.isnan(values)
    else:
        if cut is not None:
            msg = f"column {kind.name!r} is nominal; a cut is for numeric columns"
            raise ValueError(msg)
        branches, n_branches, known = values.astype(np.intp), len(kind.categories), values >= 0
    known = known & (classes >= 0)
    counts = np.zeros((n_branches, len(target.categories)))
    weights = 1.0 if table.weights is None else table.weights[known]
    np.add.at(counts, (branches[known], classes[known]), weights)
    return counts


def entropy(counts: ArrayLike) -> float:
    r"""Entropy of a distribution in bits, :math:`-\sum_k p_k \log_2 p_k`.

    Parameters
    ----------
    counts : array-like
        Weight of each class; weights need not sum to 1.

    Examples
    --------
    >>> entropy([1, 1]), entropy([4, 0]), entropy([4, 2, 2])
    (1.0, 0.0, 1.5)
    """
    return impurities.entropy(_weights(counts, 1))


def gini(counts: ArrayLike) -> float:
    r"""Gini index of a distribution, :math:`\sum_k p_k (1 - p_k) = 1 - \sum_k p_k^2`.

    Examples
    --------
    >>> gini([1, 1]), gini([4, 0])
    (0.5, 0.0)
    """
    return impurities.gini(_weights(counts, 1))


def misclassification(counts: ArrayLike) -> float:
    r"""Fraction of the weight that is not of the majority class, :math:`1 - \max_k p_k`.

    Examples
    --------
    >>> misclassification([3, 1]), misclassification([4, 0])
    (0.25, 0.0)
    """
    return impurities.misclassification(_weights(counts, 1))


def information(table: ArrayLike) -> float:
    r"""Entropy of the classes once the branch is known: :math:`\sum_r \frac{|S_r|}{|S|} E(S_r)`.

    Examples
    --------
    Temperature in the numeric weather data, cut at 71.5 (yes, no on each side):

    >>> round(information([[4, 2], [5, 3]]), 3)
    0.939
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return float(fractions_of(counts.sum(axis=1)) @ [entropy(row) for row in counts])


def information_gain(table: ArrayLike) -> float:
    """Information gain in bits: the entropy of all rows minus `information` of the branches.

    Examples
    --------
    Who likes Casablanca, by major (mathematics, history, computer science):

    >>> information_gain([[2, 2], [0, 2], [2, 0]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return entropy(counts.sum(axis=0)) - information(counts)


def split_information(table: ArrayLike) -> float:
    """Bits needed to encode the branch of a row (the split's intrinsic information).

    Examples
    --------
    A column that differs in each of 14 rows:

    >>> import numpy as np
    >>> round(split_information(np.eye(14)), 3)
    3.807
    """
    return entropy(_weights(table, TABLE_DIMENSIONS).sum(axis=1))


def gain_ratio(table: ArrayLike) -> float:
    """Information gain divided by split information; 0 if all rows take one branch.

    Examples
    --------
    Humidity (high, normal) in the weather data:

    >>> round(gain_ratio([[3, 4], [6, 1]]), 3)
    0.152
    """
    bits = split_information(table)
    return information_gain(table) / bits if bits > 0 else 0.0


def gini_gain(table: ArrayLike) -> float:
    """Decrease of the Gini index from all rows to the average over branches.

    Examples
    --------
    >>> gini_gain([[2, 0], [0, 2]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return gini(counts.sum(axis=0)) - float(fractions_of(counts.sum(axis=1)) @ [gini(row) for row in counts])


def misclassification_gain(table: ArrayLike) -> float:
    """Decrease of the misclassification rate from all rows to the average over branches.

    Examples
    --------
    >>> misclassification_gain([[2, 0], [0, 2]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    after = float(fractions_of(counts.sum(axis=1)) @ [misclassification(row) for row in counts])
    return misclassification(counts.sum(axis=0)) - after


def expected_counts(table: ArrayLike) -> Floats:
    """Expected class weights of every branch if branches and classes were independent.

    Examples
    --------
    >>> expected_counts([[1, 4], [1, 3]]).round(3)
    array([[1.111, 3.889],
           [0.889, 3.111]])
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return np.outer(counts.sum(axis=1), fractions_of(counts.sum(axis=0)))


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """Pearson's test of branches against classes.

    Parameters
    ----------
    statistic : float
        Sum of (observed - expected)² / expected.
    degrees : int
        Degrees of freedom: (branches - 1)(classes - 1), of those that occur.
    p_value : float
        The probability of a statistic at least as large by chance; 1 if nothing could differ.
    """

    statistic: float
    degrees: int
    p_value: float


def chi_square(table: ArrayLike) -> ChiSquare:
    """Test whether the classes depend on the branch.

    Examples
    --------
    Nine rows of two classes, 2 and 7, that a split divides into 1 and 4, 1 and 3: useless.

    >>> found = chi_square([[1, 4], [1, 3]])
    >>> round(found.statistic, 4), found.degrees, round(found.p_value, 2)
    (0.0321, 1, 0.86)
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if not counts.size:
        return ChiSquare(0.0, 0, 1.0)
    expected = expected_counts(counts)
    degrees = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return ChiSquare(statistic, degrees, float(chdtrc(degrees, statistic)) if degrees else 1.0)


def class_impurity(counts: ArrayLike, loss: ClassLoss | ArrayLike = "log") -> float:
    """Mean loss of the best single prediction for rows of these classes.

    Parameters
    ----------
    counts : array-like
        Weight of each class.
    loss : {"log", "brier", "0-1"} or matrix
        The loss of predicting c if class k is true. For "log" (bits) and "brier", c are probabilities: -log2 c_k, and
        the squared distance of c from the truth. For "0-1" and a matrix of losses (true class by row, prediction by
        column), c is a class.

    Examples
    --------
    >>> [round(class_impurity([1, 3], loss), 4) for loss in ("log", "brier", "0-1")]
    [0.8113, 0.375, 0.25]
    >>> class_impurity([1, 3], [[0, 4], [1, 0]])
    0.75
    """
    if isinstance(loss, str):
        known = {"log": entropy, "brier": gini, "0-1": misclassification}
        if loss not in known:
            msg = f"loss is {loss!r}; expected one of {', '.join(map(repr, known))}, or a matrix"
            raise ValueError(msg)
        return known[loss](counts)
    shares = fractions_of(_weights(counts, 1))
    matrix = np.asarray(loss, np.float64)
    if matrix.ndim != TABLE_DIMENSIONS or len(matrix) != len(shares):
        msg = f"the losses have the shape {matrix.shape}; expected a row for each of the {len(shares)} classes"
        raise ValueError(msg)
    return float((shares @ matrix).min())


def number_impurity(values: ArrayLike, loss: NumberLoss = "squared", weights: ArrayLike | None = None) -> float:
    """Mean loss of the best single prediction for these numbers: the variance, or the mean distance from the median.

    Examples
    --------
    >>> number_impurity([1, 2, 3, 6]), number_impurity([1, 2, 3, 6], "absolute")
    (3.5, 1.5)
    """
    numbers, share = _numbers(values, weights)
    if loss == "squared":
        return float(share @ (numbers - share @ numbers) ** 2)
    if loss == "absolute":
        return float(share @ np.abs(numbers - median(numbers, share)))
    msg = f"loss is {loss!r}; expected 'squared' or 'absolute'"
    raise ValueError(msg)


def median(values: ArrayLike, weights: ArrayLike | None = None) -> float:
    """The lower weighted median: the smallest value with at least half of the weight up to it.

    Examples
    --------
    >>> median([1, 2, 3, 4]), median([1, 2, 3, 4], [1, 1, 1, 4])
    (2.0, 4.0)
    """
    numbers, share = _numbers(values, weights)
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(share[order])
    return float(numbers[order][np.searchsorted(reached, HALF - HALF_SLACK)])


def variance_reduction(branches: Sequence[ArrayLike]) -> float:
    """Decrease of the variance from all rows to the average over branches, each a list of its rows' numbers.

    Examples
    --------
    >>> variance_reduction([[1, 1], [5, 5]])
    4.0
    """
    return _reduction(branches, number_impurity)


def absolute_error_reduction(branches: Sequence[ArrayLike]) -> float:
    """Decrease of the mean distance from the median, from all rows to the average over branches.

    Examples
    --------
    >>> absolute_error_reduction([[1, 1], [5, 5]])
    2.0
    """
    return _reduction(branches, lambda values: number_impurity(values, "absolute"))


def sd_reduction(branches: Sequence[ArrayLike]) -> float:
    """Decrease of the standard deviation from all rows to the average over branches.

    Examples
    --------
    >>> sd_reduction([[1, 1], [5, 5]])
    2.0
    """
    return _reduction(branches, lambda values: float(np.sqrt(number_impurity(values))))


# Half of the weight is reached if the running sum is this close to it, to allow for rounding.
HALF, HALF_SLACK = 0.5, 1e-12


def _reduction(branches: Sequence[ArrayLike], impurity: Callable[[Any], float]) -> float:
    parts = [_numbers(branch, None)[0] for branch in branches if len(np.atleast_1d(branch))]
    if not parts:
        msg = "found no numbers in any branch; expected at least one"
        raise ValueError(msg)
    rows = sum(map(len, parts))
    return impurity(np.concatenate(parts)) - sum(len(part) / rows * impurity(part) for part in parts)


def _numbers(values: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    numbers = np.asarray(values, np.float64)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        msg = f"found an array of shape {numbers.shape}; expected a list of one or more finite numbers"
        raise ValueError(msg)
    shares = fractions_of(_weights(np.ones(len(numbers)) if weights is None else weights, 1))
    if len(shares) != len(numbers) or not shares.any():
        msg = f"{len(shares)} weights for {len(numbers)} numbers; expected one each, not all of them 0"
        raise ValueError(msg)
    return numbers, shares


def _weights(given: ArrayLike, dimensions: int) -> Floats:
    weights = np.asarray(given, dtype=np.float64)
    if weights.ndim != dimensions:
        wanted = "one weight per class" if dimensions == 1 else "a row of class weights for every branch"
        msg = f"found an array of {weights.ndim} dimensions; expected {wanted}"
        raise ValueError(msg)
    if weights.size == 0 or not np.isfinite(weights).all() or (weights < 0).any():
        msg = "weights must be finite, at least 0, and at least one must be given"
        raise ValueError(msg)
    return weights
