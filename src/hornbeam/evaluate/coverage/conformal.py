"""Conformal prediction at the leaves of a tree, or the rules of a list: sets and intervals that hold what they promise.

A row is *surprising* by how far its number lies from the tree's prediction, or by how small a probability its class has
at its leaf. Rows that the tree did not learn from say how surprising rows are; a new row is no more surprising than the
k-th of them, k = ceil((rows + 1) coverage), with at least that chance, whatever the data are like, as long as they come
alike (Vovk, Gammerman & Shafer, Algorithmic Learning in a Random World, 2005). Each leaf has its own such rows (Vovk's
Mondrian taxonomies); `conformal_parts.py` says what is done where they are too few.
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
from hornbeam.evaluate.cross_validation import fold_of_rows, groups_of, sort_columns, workers
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

HOLD_OUT = 0.3  # of the rows
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
    """Learn a model whose leaves or rules predict sets of classes, or intervals of numbers, of stated coverage.

    Parameters
    ----------
    estimator : estimator of a tree, or of a list of rules of which the first that holds decides
        Not changed; clones are fitted.
    table : Table
        With a target. Rows without one, or of weight zero, are left out. If a column has the role ``"group"``, rows
        of one group are held out together.
    coverage : float
        The fraction of new rows whose target is to be in their set or interval.
    method : {"split", "cross"}
        ``"split"``: a fraction of the rows, drawn at random, is held out for calibration. The coverage
        then holds for any data whose rows come alike, and for every leaf that has rows enough of its own. ``"cross"``:
        the tree learns from all rows; a row calibrates the leaf it ends at by how surprising it is to a tree that was
        learned without its fold. Nothing is held back, but the promise is one of experience, not of proof: it holds as
        far as leaving out a fold changes neither the leaves nor their predictions much.
    hold_out : float
        For ``"split"``: the fraction of the rows held out for calibration.
    folds : int
        For ``"cross"``: how many.
    min_rows : int, optional
        The minimum number of calibration rows of a leaf; with fewer, it borrows. By default the smallest possible
        number: 9 for 0.9.
    seed : int
        Random seed, by learners that have no seed too.
    fitted : fitted estimator, optional
        For ``"cross"``: the estimator as learned from the whole table, if that has been done already.
    n_jobs : int, optional
        For ``"cross"``: threads over the folds, as in scikit-learn.
    progress : callable, optional
        Called with the number of trees learned and the number in all.

    Returns
    -------
    CalibratedModel
        Rows count once each, whatever they weigh: it is rows that are covered. A row that goes down several branches
        in pieces, for a missing value, counts at the leaf of its largest piece, and gets that leaf's promise.

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
                f"coverage {coverage:g} takes at least {least} rows that are not learned from; "
                f"hold_out {hold_out:g} of {rows.n_rows} rows gives {held}"
            )
            raise ValueError(msg)
        part = np.flatnonzero(~held_back)
        learner = seeded(estimator, seed).fit(rows.take(part))
        found = calibrate(learner, rows.take(np.flatnonzero(held_back)), coverage, min_rows=min_rows)
        return replace(found, learned_from=len(part), learned_rows=used[part])
    whole("folds", folds, 2)
    if rows.n_rows < max(least, 2):
        msg = f"coverage {coverage:g} takes at least {max(least, 2)} rows; there are {rows.n_rows} with a target"
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
    """Calibrate the leaves or rules of a model with rows that it has not learned from; see `conformal`.

    Parameters
    ----------
    model : Tree, RuleList, or fitted estimator of one
        What predicts.
    table : Table
        Rows with the target, none of which it has learned from.
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
    """How surprising each row's target is to a model.

    Parameters
    ----------
    model : Places
        What predicts.
    table : Table
        Rows with a target, which all of them have.
    by_place : bool
        See `Places.class_surprise`.

    Returns
    -------
    array
        For numbers, how far they lie from the prediction. For classes, what `class_surprise` says of the leaf; infinite
        for a class that the model does not know, and for a number where it has no prediction.
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
    """How many rows a leaf must have."""
    between("coverage", coverage, 0, 1)
    least = least_rows(coverage)
    return least if min_rows is None else max(whole("min_rows", min_rows, 1), least)


def _held_out(rows: Table, count: int, seed: int) -> NDArray[np.bool_]:
    """Draw about this many rows to be held out; rows of one group together."""
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
    """Assign every place where rows may end its calibration scores."""
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
    """The classes that are not too surprising, and always the least surprising one."""
    assert isinstance(target, Nominal)
    less = np.searchsorted(scores, surprise, "left")
    order = np.argsort(surprise, kind="stable")
    member = less < rank(len(scores), coverage)
    member[order[0]] = True
    return {
        "classes": tuple(target.categories[code] for code in order.tolist() if member[code]),
        "p_values": tuple(((len(scores) - less + 1) / (len(scores) + 1)).tolist()),
    }
