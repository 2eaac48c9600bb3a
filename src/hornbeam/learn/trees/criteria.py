r"""Split criteria as the textbooks write them: functions of a table of branches by classes.

The compiled engine computes the same figures from running sums; these are for checking it, for teaching, and for
working one figure out by hand. A *table* has a row for every branch and a column for every class, and holds weights,
so fractions of rows are welcome. All logarithms are to base 2, and :math:`0 \log 0 = 0`.

References
----------
J. R. Quinlan, *Induction of Decision Trees*, Machine Learning 1 (1986), 81-106; *C4.5: Programs for Machine Learning*,
Morgan Kaufmann (1993).

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

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, SchemaError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

TABLE_DIMENSIONS = 2


def contingency(table: Table, column: str | int, cut: float | None = None) -> NDArray[np.float64]:
    """Count classes by branch: the branches x classes table of splitting `table` on `column`.

    Parameters
    ----------
    table : Table
        Rows with a nominal target; a weight column is heeded. Rows without the value or the class are left out.
    column : str or int
        A nominal column (one branch a category) or, with `cut`, a numeric one (two branches: at most `cut`, above it).
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
        Weight of each class; shares need not be taken first.

    Examples
    --------
    >>> entropy([1, 1]), entropy([4, 0]), entropy([4, 2, 2])
    (1.0, 0.0, 1.5)
    """
    shares = _shares(_weights(counts, 1))
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum()) + 0.0  # no -0.0 for a pure distribution


def gini(counts: ArrayLike) -> float:
    r"""Gini index of a distribution, :math:`\sum_k p_k (1 - p_k) = 1 - \sum_k p_k^2`.

    Examples
    --------
    >>> gini([1, 1]), gini([4, 0])
    (0.5, 0.0)
    """
    shares = _shares(_weights(counts, 1))
    return float((shares * (1.0 - shares)).sum())


def misclassification(counts: ArrayLike) -> float:
    r"""Share of the weight that the majority class gets wrong, :math:`1 - \max_k p_k`.

    Examples
    --------
    >>> misclassification([3, 1]), misclassification([4, 0])
    (0.25, 0.0)
    """
    weights = _weights(counts, 1)
    return float(1.0 - _shares(weights).max()) if weights.sum() > 0 else 0.0


def information(table: ArrayLike) -> float:
    r"""Entropy of the classes once the branch is known: :math:`\sum_r \frac{|S_r|}{|S|} E(S_r)`.

    Examples
    --------
    Temperature in the numeric weather data, cut at 71.5 (yes, no on each side):

    >>> round(information([[4, 2], [5, 3]]), 3)
    0.939
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return float(_shares(counts.sum(axis=1)) @ [entropy(row) for row in counts])


def information_gain(table: ArrayLike) -> float:
    """Bits that knowing the branch saves: entropy of all rows less `information` of the branches.

    Examples
    --------
    Who likes Casablanca, by what they study (mathematics, history, computer science):

    >>> information_gain([[2, 2], [0, 2], [2, 0]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return entropy(counts.sum(axis=0)) - information(counts)


def split_information(table: ArrayLike) -> float:
    """Bits it takes to tell the branch of a row (the split's intrinsic information).

    Examples
    --------
    A column that differs in each of 14 rows:

    >>> import numpy as np
    >>> round(split_information(np.eye(14)), 3)
    3.807
    """
    return entropy(_weights(table, TABLE_DIMENSIONS).sum(axis=1))


def gain_ratio(table: ArrayLike) -> float:
    """Information gain for every bit of split information; 0 where all rows take one branch.

    Examples
    --------
    Humidity (high, normal) in the weather data:

    >>> round(gain_ratio([[3, 4], [6, 1]]), 3)
    0.152
    """
    bits = split_information(table)
    return information_gain(table) / bits if bits > 0 else 0.0


def gini_gain(table: ArrayLike) -> float:
    """Fall of the Gini index from all rows to the average over branches.

    Examples
    --------
    >>> gini_gain([[2, 0], [0, 2]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    return gini(counts.sum(axis=0)) - float(_shares(counts.sum(axis=1)) @ [gini(row) for row in counts])


def misclassification_gain(table: ArrayLike) -> float:
    """Fall of the share misclassified from all rows to the average over branches.

    Examples
    --------
    >>> misclassification_gain([[2, 0], [0, 2]])
    0.5
    """
    counts = _weights(table, TABLE_DIMENSIONS)
    after = float(_shares(counts.sum(axis=1)) @ [misclassification(row) for row in counts])
    return misclassification(counts.sum(axis=0)) - after


def _weights(given: ArrayLike, dimensions: int) -> NDArray[np.float64]:
    weights = np.asarray(given, dtype=np.float64)
    if weights.ndim != dimensions:
        wanted = "one weight a class" if dimensions == 1 else "a row of class weights for every branch"
        msg = f"found an array of {weights.ndim} dimensions; expected {wanted}"
        raise ValueError(msg)
    if weights.size == 0 or not np.isfinite(weights).all() or (weights < 0).any():
        msg = "weights must be finite, at least 0, and at least one must be given"
        raise ValueError(msg)
    return weights


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total = weights.sum()
    return weights / total if total > 0 else np.zeros_like(weights)
