"""Learning and complexity curves: training and held-out scores against the number of rows, or against a parameter.

Every point is evaluated on the same folds, so points differ only by what is on the axis. A learning curve uses more and
more rows of each fold's training part; the smaller samples are subsets of the larger ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.comparing.comparison import Estimate
from hornbeam.evaluate.cross_validation import sort_columns, workers
from hornbeam.evaluate.curves.curve_result import ROWS, Curve, CurvePoint
from hornbeam.evaluate.folds import assign_folds, check_repeats
from hornbeam.evaluate.judge import judge
from hornbeam.evaluate.measures import ABOUT
from hornbeam.evaluate.tuning.settings import searched
from hornbeam.evaluate.tuning.tune import measure_of
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.schemes.scheme import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table
    from hornbeam.evaluate.folds import Assignment
    from hornbeam.evaluate.judge import Judged
    from hornbeam.evaluate.measures import Measure
    from hornbeam.learn.base.in_threads import Progress

HALVINGS = 6  # default number of times the training rows are halved
FEWEST_ROWS = 10  # smallest number of rows of a default point


@takes_rows(needs_target=True, learns=True)
def learning_curve(
    estimator: Any,  # noqa: ANN401 - any estimator
    table: Table,
    sizes: Sequence[float] | None = None,
    *,
    folds: int | ArrayLike = 10,
    repeats: int = 1,
    seed: int = 1,
    measure: Measure | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    order: str | None = None,
) -> Curve:
    """Score an estimator fitted on more and more rows.

    Parameters
    ----------
    estimator : estimator
        Not changed; clones are fitted. If its `random_state` is None, the seed is used. Estimators
        of scikit-learn, which take arrays, can be used too.
    table : Table
        With a target; rows without one are left out.
    sizes : sequence of int or float, optional
        Numbers of training rows (whole numbers), or fractions of a fold's training part (up to 1.0). By default the
        whole training part, half of it, a quarter and so on. Samples are stratified by class.
    folds : int or array
        How many folds, with the classes spread evenly over them; or the fold of every row.
    repeats, seed : int
        The number of repeats with new folds, and the seed of the first.
    measure : str, optional
        One of the metrics of `compare`: by default accuracy (mean cost if errors have costs), or root mean squared
        error for numbers.
    n_jobs : int, optional
        The number of models fitted in parallel; None is one, -1 one per core. The results are the same.
    progress : callable, optional
        Called with the number of evaluated models and the total number.
    order : str, optional
        A column of the table (numbers, dates or ordered categories) that gives the time order: every fold trains on
        earlier rows and is tested on later ones. Then `repeats` must be 1. The training rows are the last ones before
        the test rows.

    Returns
    -------
    Curve

    Examples
    --------
    >>> import hornbeam
    >>> found = learning_curve(hornbeam.C45Classifier(), hornbeam.read("iris"), [15, 60, 135])
    >>> [(point.value, round(point.test.mean, 2)) for point in found.points]
    [(15, 0.85), (60, 0.92), (135, 0.94)]
    """
    assignments = _assignments(table, folds, repeats, seed, order)
    least = min(len(assigned.train(number)) for assigned in assignments for number in range(assigned.n_folds))
    counts = _sizes(sizes, least)
    from hornbeam.evaluate.comparing.outside import on_tables  # noqa: PLC0415 - needs scikit-learn, which a result does not

    learner = on_tables(estimator)

    def parts(assigned: Assignment, number: int, drawn: int) -> Callable[[int], tuple[Any, Table, Table]]:
        train = assigned.train(number)
        rows = _spread(table, train, drawn) if order is None else _latest_first(table, train, order)
        test = table.take(assigned.test(number))
        return lambda point: (learner, table.take(np.sort(rows[: counts[point]])), test)

    by = measure_of(estimator, table, measure)
    points = _judged(table, assignments, parts, counts, by, seed, workers(n_jobs), progress)
    return _curve(estimator, table, ROWS, points, assignments, by, seed, order)


@takes_rows(needs_target=True, learns=True)
def complexity_curve(
    estimator: Any,  # noqa: ANN401 - any estimator
    table: Table,
    parameter: str,
    values: Sequence[float | None] | None = None,
    *,
    folds: int | ArrayLike = 10,
    repeats: int = 1,
    seed: int = 1,
    measure: Measure | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    order: str | None = None,
) -> Curve:
    """Score an estimator for several values of a parameter, such as depth, leaves, confidence, k, degree or ridge.

    Parameters
    ----------
    estimator, table
        See `learning_curve`.
    parameter : str
        Its name; a parameter of a nested estimator is written ``estimator__name``.
    values : sequence of number or None, optional
        The values to try, in this order; they may include None if the parameter allows it. By default the search range
        of the scheme.
    folds, repeats, seed, measure, n_jobs, progress, order
        See `learning_curve`.

    Returns
    -------
    Curve

    Examples
    --------
    >>> import hornbeam
    >>> found = complexity_curve(hornbeam.TreeClassifier(), hornbeam.read("iris"), "max_depth", [1, 2, 4])
    >>> [(point.value, round(point.training.mean, 2), round(point.test.mean, 2)) for point in found.points]
    [(1, 0.67, 0.67), (2, 0.96, 0.93), (4, 0.99, 0.94)]
    """
    tried = values_of(estimator, parameter, values)
    learners = [with_value(estimator, parameter, value) for value in tried]
    assignments = _assignments(table, folds, repeats, seed, order)

    def parts(assigned: Assignment, number: int, _: int) -> Callable[[int], tuple[Any, Table, Table]]:
        train, test = table.take(assigned.train(number)), table.take(assigned.test(number))
        return lambda point: (learners[point], train, test)

    by = measure_of(estimator, table, measure)
    points = _judged(table, assignments, parts, tried, by, seed, workers(n_jobs), progress)
    return _curve(estimator, table, parameter, points, assignments, by, seed, order)


def values_of(estimator: Any, parameter: str, values: Sequence[float | None] | None) -> list[float | None]:  # noqa: ANN401 - any estimator
    """Return the values of a parameter to try: those given, or the search range of its scheme."""
    if "__" in parameter and values is not None and parameter in estimator.get_params():
        tried: list[Any] = list(values)
    else:
        search = searched(estimator, [parameter] if values is None else {parameter: tuple(values)})[parameter]
        tried = list(search.values() if isinstance(search, Range) else search)
    numbers: list[float | None] = []
    for value in tried:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            msg = f"{parameter} is {value!r}; a curve needs numbers (and none, if the parameter may be None)"
            raise ValueError(msg)
        numbers.append(value)
    return numbers


def with_value(estimator: Any, parameter: str, value: float | None) -> Any:  # noqa: ANN401 - any estimator
    """Return a clone of an estimator that learns from tables, with one parameter set."""
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading a result does not need

    from hornbeam.evaluate.comparing.outside import on_tables  # noqa: PLC0415 - as above

    return on_tables(clone(estimator).set_params(**{parameter: value}))


def _assignments(table: Table, folds: int | ArrayLike, repeats: int, seed: int, order: str | None) -> list[Assignment]:
    check_repeats(repeats, order)
    return [assign_folds(table, folds, seed + repeat, order) for repeat in range(repeats)]


def _sizes(sizes: Sequence[float] | None, least: int) -> list[int]:
    """Return the numbers of training rows, ascending; the training parts have `least` rows or more."""
    if sizes is None:
        halves = {least // 2**step for step in range(HALVINGS + 1)}
        return sorted(size for size in halves if size >= FEWEST_ROWS or size == least)
    counts = set()
    for size in sizes:
        rows = round(size * least) if isinstance(size, float) and 0 < size <= 1 else int(size)
        if rows != size and not isinstance(size, float):
            raise ValueError(f"a size is {size!r}; expected rows (a whole number) or a fraction up to 1.0")
        if not 1 <= rows <= least or (isinstance(size, float) and size > 1 and not size.is_integer()):
            msg = f"a size is {size!r}; expected 1 to {least} rows (the training part), or a fraction up to 1.0"
            raise ValueError(msg)
        counts.add(rows)
    if not counts:
        raise ValueError("there is no number of rows to try")
    return sorted(counts)


def _latest_first(table: Table, rows: NDArray[np.intp], order: str) -> NDArray[np.intp]:
    """Sort rows by a column in descending order; for equal values, the later row comes first."""
    values = table.columns[table.schema.position(order)][rows]
    return rows[np.argsort(values, kind="stable")[::-1]]


def _spread(table: Table, rows: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """Put rows in a random order in which every initial part is stratified by class."""
    chance = np.random.default_rng(seed)
    rows = chance.permutation(rows)
    if not isinstance(table.schema.target_column, Nominal):
        return rows
    codes = table.target_values()[rows]
    place = np.empty(len(rows))
    for code in np.unique(codes):
        here = np.flatnonzero(codes == code)
        place[here] = (np.arange(len(here)) + chance.random(len(here))) / len(here)
    return rows[np.argsort(place, kind="stable")]


def _judged(
    table: Table,
    assignments: Sequence[Assignment],
    parts: Callable[[Assignment, int, int], Callable[[int], tuple[Any, Table, Table]]],
    values: Sequence[float | None],
    measure: Measure,
    seed: int,
    threads: int,
    progress: Progress | None,
) -> tuple[CurvePoint, ...]:
    """Evaluate every point on every fold of every repeat, and summarize by point."""
    sort_columns(table)
    jobs = [
        (parts(assigned, number, seed + repeat), seed + repeat)
        for repeat, assigned in enumerate(assignments)
        for number in range(assigned.n_folds)
    ]
    count = len(values)

    def run(job: int) -> Judged:
        give, drawn = jobs[job // count]
        return judge(*give(job % count), measure, drawn, training=True)

    results = in_order_of_arrival(run, len(jobs) * count, threads, progress)
    shares = [
        len(assigned.test(number)) / len(assigned.train(number))
        for assigned in assignments
        for number in range(assigned.n_folds)
    ]
    points = tuple(
        _point(value, [results[place + job * count] for job in range(len(jobs))], measure, float(np.mean(shares)))
        for place, value in enumerate(values)
    )
    if all(point.test is None for point in points):
        raise ValueError(f"{table.schema.name}: no point of the curve could be learned; {points[0].problem}")
    return points


def _point(value: float | None, parts: Sequence[Judged], measure: Measure, test_share: float) -> CurvePoint:
    error = next((part.error for part in parts if part.error is not None), None)
    if error is not None:
        return CurvePoint(value, None, None, None, str(error) or type(error).__name__)
    about = ABOUT[measure]
    return CurvePoint(
        value,
        Estimate.of([part.training for part in parts], test_share, about.most, about.least),
        Estimate.of([part.score for part in parts], test_share, about.most, about.least),
        Estimate.of([part.size for part in parts], test_share),
    )


def _curve(
    estimator: Any,  # noqa: ANN401
    table: Table,
    of: str,
    points: tuple[CurvePoint, ...],
    assignments: Sequence[Assignment],
    measure: Measure,
    seed: int,
    order: str | None,
) -> Curve:
    return Curve(
        table.schema.name,
        assignments[0].n_rows,
        type(estimator).__name__,
        of,
        measure,
        points,
        assignments[0].n_folds,
        len(assignments),
        seed,
        order,
    )
