"""Conformal prediction at the leaves of a tree, or the rules of a list: sets and intervals with guaranteed coverage.

The nonconformity score of a row, here called its *surprise*, is the distance of its target from the tree's prediction,
or is large if its class has a small probability at its leaf. It is computed for calibration rows, which were not used
for training. The surprise of a new row is at most the k-th smallest of them, k = ceil((rows + 1) coverage), with at
least the probability `coverage`, for any distribution, as long as the rows are exchangeable (Vovk, Gammerman & Shafer,
Algorithmic Learning in a Random World, 2005). Each leaf has its own calibration rows (Vovk's Mondrian taxonomies);
`conformal_parts.py` explains what happens if they are too few.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.coverage.conformal_parts import Parts, least_rows, places_of, rank
from hornbeam.evaluate.coverage.conformal_result import CalibratedModel, Method
from hornbeam.evaluate.cross_validation import sort_columns, workers
from hornbeam.evaluate.folds import fold_of_rows, groups_of
from hornbeam.evaluate.judge import seeded
from hornbeam.learn.base.estimator import usable, usable_rows
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.parameters import between, one_of, whole
from hornbeam.model.base.align import recode
from hornbeam.model.trees.node_figures import LeafCalibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table
    from hornbeam.evaluate.coverage.conformal_parts import Places
    from hornbeam.learn.base.in_threads import Progress

HOLD_OUT = 0.3  # fraction of the rows
FOLDS = 10


@takes_rows(needs_target=True, learns=True)
def conformal(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    coverage: float = 0.9,
    *,
    method: Method = "split",
    hold_out: float = HOLD_OUT,
    folds: int = FOLDS,
    min_rows: int | None = None,
    seed: int = 1,
    fitted: Any = None,  # noqa: ANN401 - the same
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CalibratedModel:
    """Fit a model whose leaves or rules predict sets of classes, or intervals, with a given coverage.

    Parameters
    ----------
    estimator : estimator of a tree, or of a list of rules in which the first matching rule decides
        Not changed; clones are fitted.
    table : Table
        With a target. Rows without one, or of weight zero, are left out. If a column has the role ``"group"``, rows
        of one group are held out together.
    coverage : float
        The fraction of new rows whose target should be in their set or interval.
    method : {"split", "cross"}
        ``"split"``: a fraction of the rows, drawn at random, is held out for calibration. The coverage then holds for
        any exchangeable rows, and for every leaf that has enough rows of its own. ``"cross"``: the tree is fitted on
        all rows; a row calibrates the leaf where it ends by its surprise in a tree fitted without its fold. No rows are
        lost, but the coverage is approximate, not guaranteed: it holds if leaving out a fold hardly changes the leaves
        and their predictions.
    hold_out : float
        For ``"split"``: the fraction of the rows held out for calibration.
    folds : int
        For ``"cross"``: the number of folds.
    min_rows : int, optional
        The minimum number of calibration rows of a leaf; with fewer, it shares those of other leaves. By default the
        smallest possible number: 9 for 0.9.
    seed : int
        Random seed, also for learners without a seed of their own.
    fitted : fitted estimator, optional
        For ``"cross"``: the estimator fitted on the whole table, if that has been done already.
    n_jobs : int, optional
        For ``"cross"``: threads over the folds, as in scikit-learn.
    progress : callable, optional
        Called with the number of fitted trees and the total number.

    Returns
    -------
    CalibratedModel
        Each row counts once, regardless of its weight: the coverage is that of rows. A row that is divided because of a
        missing value counts at the leaf of its largest piece, and gets that leaf's set or interval.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> found = conformal(hornbeam.C45Classifier(), iris, 0.9)
    >>> found.learned_from, found.calibrated_on
    (105, 45)
    >>> found.predict_set(iris)[[0, 149]].tolist()
    [[True, False, False], [False, True, True]]
    """
    least = _least(coverage, min_rows)
    one_of("method", method, get_args(Method))
    used = np.flatnonzero(usable_rows(table))
    rows = table.take(used)
    if method == "split":
        between("hold_out", hold_out, 0, 1)
        held_back = _held_out(rows, round(hold_out * rows.n_rows), seed)
        held = int(held_back.sum())
        if held < least or held == rows.n_rows:
            msg = (
                f"coverage {coverage:g} needs at least {least} held-out rows; "
                f"hold_out {hold_out:g} of {rows.n_rows} rows gives {held}"
            )
            raise ValueError(msg)
        part = np.flatnonzero(~held_back)
        learner = seeded(estimator, seed).fit(rows.take(part))
        found = calibrate(learner, rows.take(np.flatnonzero(held_back)), coverage, min_rows=min_rows)
        return replace(found, learned_from=len(part), learned_rows=used[part])
    whole("folds", folds, 2)
    if rows.n_rows < max(least, 2):
        msg = f"coverage {coverage:g} needs at least {max(least, 2)} rows; there are {rows.n_rows} with a target"
        raise ValueError(msg)
    fold = fold_of_rows(rows, folds, seed)
    total = int(fold.max()) + 1
    sort_columns(rows)

    def run(number: int) -> Any:  # noqa: ANN401 - the estimator, or the scores of a fold
        if number == total:
            return seeded(estimator, seed).fit(rows) if fitted is None else fitted
        learner = seeded(estimator, seed).fit(rows.take(np.flatnonzero(fold != number)))
        return surprises(places_of(learner), rows.take(np.flatnonzero(fold == number)), by_place=True)

    done = in_order_of_arrival(run, total + 1, workers(n_jobs), progress)
    scores = np.empty(rows.n_rows)
    for number in range(total):
        scores[fold == number] = done[number]
    found = _calibrated(done[total], rows, scores, coverage, least, folds=total)
    return replace(found, learned_rows=used)


@takes_rows(needs_target=True)
def calibrate(
    model: Any,  # noqa: ANN401 - a tree, or any estimator that holds one
    table: Table,
    coverage: float = 0.9,
    *,
    min_rows: int | None = None,
) -> CalibratedModel:
    """Calibrate the leaves or rules of a model with held-out rows; see `conformal`.

    Parameters
    ----------
    model : Tree, RuleList, or fitted estimator of one
        What predicts.
    table : Table
        Rows with the target that were not used for training.
    coverage, min_rows
        As for `conformal`.

    Returns
    -------
    CalibratedModel

    Examples
    --------
    >>> import hornbeam, numpy as np
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.C45Classifier().fit(iris.take(np.arange(0, 150, 2)))
    >>> found = calibrate(tree, iris.take(np.arange(1, 150, 2)), 0.8)
    >>> [leaf.classes for leaf in found.nodes]
    [('Iris-setosa',), ('Iris-versicolor',), ('Iris-virginica',)]
    """
    least = _least(coverage, min_rows)
    ends_of = places_of(model)
    target = ends_of.schema.target_column.name
    if target not in table.schema.names:
        raise SchemaError(f"the table has no column {target!r}, the target")
    rows = usable(table.with_target(target))
    if rows.n_rows < least:
        raise ValueError(f"coverage {coverage:g} needs at least {least} rows for calibration; there are {rows.n_rows}")
    return _calibrated(model, rows, surprises(ends_of, rows), coverage, least)


def surprises(model: Places, table: Table, *, by_place: bool = False) -> NDArray[np.float64]:
    """The surprise (nonconformity score) of each row's target.

    Parameters
    ----------
    model : Places
        What predicts.
    table : Table
        Rows, all with a target.
    by_place : bool
        See `Places.class_surprise`.

    Returns
    -------
    array
        For numbers, the distance from the prediction. For classes, `class_surprise` at the leaf. Infinite for a class
        that the model does not know, and for a number if there is no prediction.
    """
    target, given = model.schema.target_column, table.schema.target_column
    if isinstance(target, Nominal) != isinstance(given, Nominal):
        kinds = [("numbers", "classes")[isinstance(column, Nominal)] for column in (given, target)]
        raise SchemaError(f"the column {target.name!r} holds {kinds[0]}; the model predicts {kinds[1]}")
    truth, surprise = table.target_values(), model.class_surprise(by_place=by_place)
    if surprise is None:
        away = np.abs(truth - model.model.predict_codes(table))
        return np.where(np.isnan(away), np.inf, away)
    assert isinstance(target, Nominal)
    assert isinstance(given, Nominal)
    codes = recode(given, target, truth)
    return np.where(codes < 0, np.inf, surprise[model.ends(table), codes])


def _least(coverage: float, min_rows: int | None) -> int:
    """The minimum number of rows of a leaf."""
    between("coverage", coverage, 0, 1)
    least = least_rows(coverage)
    return least if min_rows is None else max(whole("min_rows", min_rows, 1), least)


def _held_out(rows: Table, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw about `count` rows to hold out; rows of one group stay together."""
    random, place = np.random.default_rng(seed), rows.schema.with_role("group")
    held = np.zeros(rows.n_rows, np.bool_)
    if place is None:
        held[random.permutation(rows.n_rows)[:count]] = True
        return held
    groups = groups_of(rows, place, np.arange(rows.n_rows))
    order = random.permutation(int(groups.max()) + 1)
    reached = np.cumsum(np.bincount(groups)[order])
    return np.asarray(np.isin(groups, order[: 1 + int(np.abs(reached[:-1] - count).argmin())]))


def _calibrated(
    model: Any,  # noqa: ANN401 - as above
    rows: Table,
    scores: NDArray[np.float64],
    coverage: float,
    least: int,
    folds: int | None = None,
) -> CalibratedModel:
    """Assign calibration scores to every place where rows may end."""
    ends_of = places_of(model)
    ends = ends_of.ends(rows)
    counts = np.bincount(ends, minlength=len(ends_of.parent))
    order = np.argsort(ends, kind="stable")
    start = offsets(counts)
    parts = Parts(ends_of.parent, counts, least)
    surprise = ends_of.class_surprise(by_place=folds is not None)
    kept: dict[int, NDArray[np.float64]] = {}
    nodes = []
    for node in np.flatnonzero(ends_of.may_end).tolist():
        part = parts.of(node)
        found = np.sort(np.concatenate([scores[order[start[m] : start[m + 1]]] for m in part.members]))
        kept[node] = found
        borrowed = None if counts[node] >= least else part.formed_at
        if surprise is None:
            assert ends_of.center is not None
            figures = _interval(float(ends_of.center[node]), found, coverage)
        else:
            figures = _set(ends_of.schema.target_column, surprise[node], found, coverage)
        nodes.append(LeafCalibration(node, coverage, part.rows, int(counts[node]), borrowed, **figures))
    return CalibratedModel(
        places=ends_of,
        estimator=None if model is ends_of.model else model,
        coverage=coverage,
        method="split" if folds is None else "cross",
        folds=folds,
        learned_from=rows.n_rows if folds else None,
        calibrated_on=rows.n_rows,
        nodes=tuple(nodes),
        scores=kept,
        surprise=surprise,
    )


def _interval(center: float, scores: NDArray[np.float64], coverage: float) -> dict[str, Any]:
    half = float(scores[rank(len(scores), coverage) - 1])
    return {"half_width": half} | ({} if np.isnan(center) else {"low": center - half, "high": center + half})


def _set(target: Column, surprise: NDArray[np.float64], scores: NDArray[np.float64], coverage: float) -> dict[str, Any]:
    """The classes that are not too surprising, always including the least surprising one."""
    assert isinstance(target, Nominal)
    less = np.searchsorted(scores, surprise, "left")
    order = np.argsort(surprise, kind="stable")
    member = less < rank(len(scores), coverage)
    member[order[0]] = True
    return {
        "classes": tuple(target.categories[code] for code in order.tolist() if member[code]),
        "p_values": tuple(((len(scores) - less + 1) / (len(scores) + 1)).tolist()),
    }
