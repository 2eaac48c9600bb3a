"""Size against accuracy: a comparison as a picture (matplotlib, an extra).

On one table, every method is a point with its intervals. Over several tables, sizes and scores are taken relative to
the baseline's, because leaves and accuracies of different tables have no common scale.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.evaluate.measures import ABOUT
from hornbeam.show.charts.pruning_charts import trade_off

if TYPE_CHECKING:
    from hornbeam.evaluate.comparing.comparison import Comparison, TableComparison
    from hornbeam.show.plot import Axes


def size_chart(found: Comparison, *, axes: Axes = None) -> Axes:
    """Draw the size of every method against its score.

    Parameters
    ----------
    found : Comparison
        The result of `compare`.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.evaluate import compare, variants
    >>> found = compare(variants("tree", {"prune": [None, "pessimistic"]}), hornbeam.read("iris"), folds=3)
    >>> size_chart(found).get_xlabel()
    'leaves'
    """
    return _one(found, found.tables[0], axes) if len(found.tables) == 1 else _several(found, axes)


def _one(found: Comparison, table: TableComparison, axes: Axes) -> Axes:
    percent = ABOUT[found.measure].percent
    scale = 100.0 if percent else 1.0
    points, intervals = {}, {}
    for outcome in table.outcomes:
        if outcome.score is None or outcome.size is None or math.isnan(outcome.size.mean):
            continue
        points[outcome.method] = (outcome.size.mean, scale * outcome.score.mean)
        low, high = outcome.score.interval
        intervals[outcome.method] = (outcome.size.interval, (scale * low, scale * high))
    _check(points)
    return trade_off(
        points,
        intervals,
        axes=axes,
        title=f"{table.table}: size against {found.measure}",
        x_label=found.size_name,
        y_label=f"{found.measure} (%)" if percent else found.measure,
    )


def _several(found: Comparison, axes: Axes) -> Axes:
    percent = ABOUT[found.measure].percent
    scale = 100.0 if percent else 1.0
    ratios: dict[str, list[float]] = {name: [] for name in found.methods}
    scores: dict[str, list[float]] = {name: [] for name in found.methods}
    for table in found.tables:
        base = table.outcome(found.baseline)
        if any(outcome.score is None or outcome.size is None for outcome in table.outcomes):
            continue
        for outcome in table.outcomes:
            assert outcome.score is not None
            assert outcome.size is not None
            assert base.score is not None
            assert base.size is not None
            if not (outcome.size.mean > 0 and base.size.mean > 0):
                continue  # a model without leaves and rules, or with none of them
            ratios[outcome.method].append(math.log(outcome.size.mean / base.size.mean))
            if found.higher_is_better:
                scores[outcome.method].append(scale * (outcome.score.mean - base.score.mean))
            elif base.score.mean > 0:
                scores[outcome.method].append(100 * (outcome.score.mean / base.score.mean - 1))
    points = {
        name: (math.exp(math.fsum(ratios[name]) / len(ratios[name])), math.fsum(scores[name]) / len(scores[name]))
        for name in found.methods
        if ratios[name] and scores[name]
    }
    _check(points)
    gained = f"{found.measure}{', points' if percent else ','} above" if found.higher_is_better else "error, % above"
    return trade_off(
        points,
        axes=axes,
        title=f"Size against {found.measure}: {max(map(len, ratios.values()))} tables",
        x_label=f"{found.size_name}, times those of {found.baseline} (geometric mean)",
        y_label=f"{gained} {found.baseline} (mean)",
    )


def _check(points: dict[str, tuple[float, float]]) -> None:
    if not points:
        raise ValueError("none of the models has leaves or rules; there is no size to draw")
