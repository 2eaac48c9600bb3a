"""`hornbeam.distance`: all distances between the rows of one table, or of two; by default Gower's.

J. C. Gower, A general coefficient of similarity and some of its properties, *Biometrics* 27 (1971) 857-871.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.as_table import as_table
from hornbeam.model.neighbors.distance import Distance, MissingDifference, NominalDifference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.model.neighbors.scales import NumericScale


def distance(
    a: Any,  # noqa: ANN401 - anything that becomes a table
    b: Any = None,  # noqa: ANN401 - the same
    *,
    numeric: NumericScale = "range",
    nominal: NominalDifference = "overlap",
    missing: MissingDifference = "ignore",
    metric: str = "gower",
    weights: Mapping[str, float] | None = None,
    dtype: Any = np.float64,  # noqa: ANN401 - a type of NumPy's
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """Distances between rows with numbers, categories and missing values.

    Parameters
    ----------
    a : Table, frame or array
        Rows. Scales are learned from these; the features of a Table are compared.
    b : Table, frame or array, optional
        Other rows; columns are found by name. None: the rows of `a`.
    numeric : {"range", "deviation", "rank", "as-is"}
        How numbers are scaled. Ordered categories are numbers.
    nominal : {"overlap", "value-difference"}
        Different categories differ by 1, or by the difference of the target's distribution among their rows (of a
        Table).
    missing : {"ignore", "farthest", "average"}
        A column with a missing value does not count; or the difference is the largest possible one; or it is the
        average difference of two rows.
    metric : {"gower", "manhattan", "euclidean"}
        The weighted mean of the differences; their sum; or the root of the sum of their squares.
    weights : mapping, optional
        Weights of columns by name, 1 if not named; 0 leaves a column out.
    dtype : {float64, float32}
        Of the result: float32 takes half the memory.
    n_jobs : int, optional
        Threads; None is one, -1 all cores. The distances do not depend on it.

    Returns
    -------
    array of shape (rows of a, rows of b)
        NaN if missing values are ignored and two rows have no known value in common.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("weather.numeric")
    >>> hornbeam.distance(table).shape
    (14, 14)
    >>> hornbeam.distance(table, table.take([0])).round(3)[:3].ravel().tolist()
    [0.0, 0.35, 0.282]
    """
    if metric not in ("gower", "manhattan", "euclidean"):
        msg = f"metric is {metric!r}; expected one of 'gower', 'manhattan', 'euclidean'"
        raise ValueError(msg)
    rows = as_table(a)
    learned = Distance.of(
        rows, numeric=numeric, nominal=nominal, missing=missing, squared=metric == "euclidean", mean=metric == "gower",
        weights=weights,
    )  # fmt: skip
    points = learned.points(rows)
    others = points if b is None else learned.points(as_table(b, like=rows.schema))
    return learned.between(points, others, dtype, _threads(n_jobs))


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; expected None, a number of threads, or -1 for every core")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
