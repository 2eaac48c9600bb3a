"""Methods compared by cross-validation on the same folds, with tests of whether they differ.

It is nested: a method sees the training part of a fold and nothing else, so whatever it chooses (rows held out for
pruning, a strength by cross-validation) it chooses inside that part, and is judged on rows that no choice has seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.evaluate.comparison import Comparison, Figure, Measure, Outcome, TableComparison, pairs_of
from hornbeam.evaluate.cross_validation import fold_of_rows, sort_columns, workers
from hornbeam.evaluate.judge import Judged, judge
from hornbeam.evaluate.significance import LEAST_METHODS, Ranking, rank
from hornbeam.learn.in_threads import in_order_of_arrival
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.learn.in_threads import Progress
    from hornbeam.schemes import Predicts

NONE = "none"  # how a parameter that is left open is called


def compare(
    tables: Table | Iterable[Table] | Mapping[str, Table],
    methods: Mapping[str, Any],
    *,
    folds: int | ArrayLike = 10,
    repeats: int = 1,
    seed: int = 1,
    baseline: str | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Cross-validate several methods on the same folds of one table or more.

    Parameters
    ----------
    tables : Table, several of them, or a mapping of names to them
        With targets, all of one kind: categories or numbers.
    methods : mapping of name to estimator
        Two or more. They are not changed; each fold fits clones. Where an estimator has a `random_state` and it is
        None, the comparison's seed is used, so that a comparison can be repeated.
    folds : int or array
        How many folds, with the classes spread evenly over them; or, for one table, the fold of every row.
    repeats : int
        How often rows are dealt to folds anew.
    seed : int
        Of the first deal; every further one counts on from it.
    baseline : str, optional
        The method that others are tested against; by default the first.
    n_jobs : int, optional
        Folds learned at the same time; None is one, -1 as many as there are cores. The result is the same.
    progress : callable, optional
        Called with the number of folds done and the number in all.

    Returns
    -------
    Comparison
        Means with 95% intervals, tests between methods, and for several tables a ranking.

    Examples
    --------
    >>> import hornbeam
    >>> found = compare(hornbeam.read("iris"), variants("tree", {"prune": [None, "pessimistic"]}))
    >>> for outcome in found.tables[0].outcomes:
    ...     print(outcome.method, round(outcome.score.mean, 3), outcome.size.mean)
    none 0.94 8.4
    pessimistic 0.94 6.2
    """
    named, measure = _checked(tables, methods, folds, repeats)
    first = next(iter(methods)) if baseline is None else baseline
    if first not in methods:
        msg = f"the baseline {first!r} is none of the methods: {', '.join(methods)}"
        raise ValueError(msg)
    dealt = {
        name: [_dealt(name, table, folds, seed + repeat) for repeat in range(repeats)] for name, table in named.items()
    }
    total = sum(int(fold.max()) + 1 for deals in dealt.values() for fold in deals)
    done, found = 0, []
    for name, table in named.items():
        here = None
        if progress is not None:
            before, tell = done, progress

            def here(count: int, _: int, before: int = before, tell: Progress = tell) -> None:
                tell(before + count, total)

        found.append(_on_table(name, table, methods, dealt[name], seed, measure, workers(n_jobs), here))
        done += sum(int(fold.max()) + 1 for fold in dealt[name])
    return Comparison(measure, tuple(methods), first, repeats, seed, tuple(found), _ranking(found, methods, measure))


def variants(
    scheme: str,
    choices: Mapping[str, Sequence[Any] | None],
    *,
    predicts: Predicts = "category",
    **parameters: Any,  # noqa: ANN401 - of the scheme
) -> dict[str, Any]:
    """Make the estimators that differ in some parameters of a scheme, for `compare`.

    Parameters
    ----------
    scheme : str
        Its name, such as ``"tree"``.
    choices : mapping of parameter to values
        What to try for each parameter, in all combinations; None tries everything that the parameter can be, where it
        is a choice. A parameter's value None is called ``"none"`` and comes first.
    predicts : {"category", "number"}
        Which of the schemes of that name.
    **parameters
        The same for all of them. Critical-value pruning without its threshold chooses one on held-out rows.

    Returns
    -------
    dict of str to estimator

    Examples
    --------
    >>> list(variants("tree", {"criterion": ["gini", "gain-ratio"], "prune": [None, "pessimistic"]}))
    ['gini, none', 'gini, pessimistic', 'gain-ratio, none', 'gain-ratio, pessimistic']
    """
    found = find(scheme, predicts)
    known = {parameter.name: parameter for parameter in found.parameters}
    made: dict[str, dict[str, Any]] = {"": {}}
    for name, wanted in choices.items():
        if name not in known:
            msg = f"the scheme {scheme} has no parameter {name!r} where it predicts {_PLURAL[predicts]}"
            raise ValueError(msg)
        possible = known[name].choices
        values = sorted(possible, key=lambda value: value is not None) if wanted is None else list(wanted)
        for value in values:
            if possible and value not in possible:
                told = ", ".join(_told(choice) for choice in possible)
                where = f"of the scheme {scheme}, where it predicts {_PLURAL[predicts]}"
                msg = f"{name} is {_told(value)!r}; expected {where}: {told}"
                raise ValueError(msg)
        made = {
            f"{before}, {_told(value)}" if before else _told(value): {**given, name: value}
            for before, given in made.items()
            for value in values
        }
    estimator = found.load()
    return {name: _ready(estimator(**parameters, **given)) for name, given in made.items()}


def _ready(estimator: Any) -> Any:  # noqa: ANN401 - any estimator of ours
    """Let a way of pruning that needs a threshold choose it, where nobody gave one."""
    given = estimator.get_params()
    if given.get("prune") != "critical-value" or given.get("prune_threshold") is not None:
        return estimator
    from hornbeam.evaluate.chosen_threshold import ChosenThreshold  # noqa: PLC0415 - needs scikit-learn

    return ChosenThreshold(estimator)


_PLURAL = {"category": "categories", "number": "numbers"}


def _told(value: object) -> str:
    return NONE if value is None else str(value)


def _checked(tables: Any, methods: Mapping[str, Any], folds: Any, repeats: int) -> tuple[dict[str, Table], Measure]:  # noqa: ANN401 - as given
    """Give the tables by name, each name once, and what they are judged by."""
    if len(methods) < LEAST_METHODS:
        msg = f"there is nothing to compare: {len(methods)} method was given; expected two or more"
        raise ValueError(msg)
    if repeats < 1:
        msg = f"repeats is {repeats}; expected 1 or more"
        raise ValueError(msg)
    named: dict[str, Table] = {}
    if isinstance(tables, Mapping):
        named.update(tables)
    else:
        for table in [tables] if isinstance(tables, Table) else tables:
            name, count = table.schema.name, 1
            while name in named:
                count += 1
                name = f"{table.schema.name} ({count})"
            named[name] = table
    if not named:
        msg = "there is no table to compare methods on"
        raise ValueError(msg)
    if not isinstance(folds, int) and len(named) > 1:
        msg = f"folds were given row by row for {len(named)} tables; expected a number of folds, or one table"
        raise ValueError(msg)
    kinds = {isinstance(table.schema.target_column, Nominal): name for name, table in named.items()}
    if len(kinds) > 1:
        msg = f"the target of {kinds[True]} is nominal and that of {kinds[False]} numeric; expected targets of one kind"
        raise ValueError(msg)
    return named, "accuracy" if True in kinds else "root mean squared error"


def _dealt(name: str, table: Table, folds: Any, seed: int) -> NDArray[np.int64]:  # noqa: ANN401 - a number or an array
    try:
        return fold_of_rows(table, folds, seed)
    except ValueError as error:
        msg = f"{name}: {error}"
        raise ValueError(msg) from error


def _on_table(
    name: str,
    table: Table,
    methods: Mapping[str, Any],
    deals: Sequence[NDArray[np.int64]],
    seed: int,
    measure: Measure,
    threads: int,
    progress: Progress | None,
) -> TableComparison:
    sort_columns(table)
    jobs = [(repeat, number) for repeat, fold in enumerate(deals) for number in range(int(fold.max()) + 1)]

    def run(job: int) -> tuple[float, list[Judged]]:
        repeat, number = jobs[job]
        fold = deals[repeat]
        lesson = table.take(np.flatnonzero((fold != number) & (fold >= 0)))
        test = table.take(np.flatnonzero(fold == number))
        judged = [judge(estimator, lesson, test, measure, seed + repeat) for estimator in methods.values()]
        return len(test) / len(lesson), judged

    results = in_order_of_arrival(run, len(jobs), threads, progress)
    test_share = float(np.mean([results[job][0] for job in range(len(jobs))]))
    outcomes, errors = [], []
    for place, method in enumerate(methods):
        parts = [results[job][1][place] for job in range(len(jobs))]
        error = next((part.error for part in parts if part.error is not None), None)
        if error is not None:
            errors.append(error)
            outcomes.append(Outcome(method, None, None, str(error)))
            continue
        most = 1.0 if measure == "accuracy" else math.inf
        right = Figure.of([part.score for part in parts], test_share, most)
        outcomes.append(Outcome(method, right, Figure.of([part.size for part in parts], test_share, math.inf)))
    if len(errors) == len(methods):
        msg = f"{name}: no method could learn; {errors[0]}"
        raise ValueError(msg) from errors[0]
    rows = int((deals[0] >= 0).sum())
    return TableComparison(
        name, rows, int(deals[0].max()) + 1, test_share, tuple(outcomes), pairs_of(outcomes, test_share)
    )


def _ranking(found: Sequence[TableComparison], methods: Mapping[str, Any], measure: Measure) -> Ranking | None:
    """Rank the methods over the tables on which all of them were judged."""
    figures = [
        [outcome.score.mean for outcome in table.outcomes if outcome.score is not None and outcome.score.mean >= 0]
        for table in found
    ]
    whole = [row for row in figures if len(row) == len(methods)]
    if len(whole) < 2:  # noqa: PLR2004 - one table has no average
        return None
    return rank(whole, tuple(methods), higher_is_better=measure == "accuracy")
