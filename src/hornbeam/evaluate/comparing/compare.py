"""Methods compared by cross-validation on the same folds, with tests of whether they differ.

The evaluation is nested: a method sees only the training part of a fold, so it makes all choices (rows held out for
pruning, a pruning strength by cross-validation) inside that part, and is evaluated on rows that no choice has seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.as_table import unused
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.data.table import Table
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.comparing.comparison import Comparison, Estimate, HeldOut, Outcome, TableComparison, pairs_of
from hornbeam.evaluate.comparing.significance import LEAST_METHODS, Ranking, rank
from hornbeam.evaluate.cross_validation import sort_columns, workers
from hornbeam.evaluate.folds import Assignment, TimeFolds, assign_folds, check_repeats
from hornbeam.evaluate.judge import Examined, examine, size_in
from hornbeam.evaluate.measures import ABOUT, MEASURES, OWN_UNITS, SIZES, Measure
from hornbeam.learn.base.in_threads import in_order_of_arrival

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.learn.base.in_threads import Progress


@takes_rows(needs_target=True, learns=True, table="tables", several=True)
def compare(
    methods: Mapping[str, Any] | Sequence[Any],
    tables: Table | Iterable[Table] | Mapping[str, Table],
    *,
    folds: int | ArrayLike | TimeFolds = 10,
    repeats: int = 1,
    seed: int = 1,
    groups: str | None = None,
    order: str | None = None,
    measure: Measure | None = None,
    baseline: str | None = None,
    keep: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Cross-validate several methods on the same folds of one table or more.

    Parameters
    ----------
    methods : mapping of name to estimator, or list of estimators
        Two or more; those of a list are named by their classes. `schemes_by_name` and `variants` create such mappings.
        They are not changed; clones are fitted in each fold. If an estimator has a `random_state` and it is None, the
        comparison's seed is used, so that a comparison can be repeated. Estimators of scikit-learn, which take arrays,
        may be among them (`evaluate.outside`).
    tables : Table, several of them, or a mapping of names to them
        With targets, all of one kind: categories or numbers.
    folds : int, array or TimeFolds
        How many folds, with the classes spread evenly over them; or, for one table, the fold of every row; or folds in
        time order.
    repeats : int
        How many times cross-validation is repeated with new folds.
    seed : int
        The seed of the first repeat; it is increased by one for each further repeat.
    groups : str, optional
        A column of every table whose groups of rows stay together in one fold, and in one inner fold if a method is
        tuned. It is not used for learning. It is not needed for a table with a column of the role ``"group"``.
    order : str, optional
        A column of every table (numbers, dates or ordered categories) that gives the time order: every fold trains on
        earlier rows and is tested on later ones (`evaluate.folds`).
    measure : str, optional
        The metric of `score`, by which methods are tested and ranked: ``"accuracy"``, ``"balanced accuracy"``,
        ``"AUC"``, ``"log loss"``, ``"Brier score"`` or ``"mean cost"``; for numeric targets ``"root mean squared
        error"``, ``"mean absolute error"`` or ``"R2"``. The others are reported too.
    baseline : str, optional
        The method that others are tested against; by default the first.
    keep : bool
        Whether every prediction is kept (`Outcome.held_out`).
    n_jobs : int, optional
        The number of folds fitted in parallel; None is one, -1 one per core. The results are the same, except for
        times.
    progress : callable, optional
        Called with the number of finished folds and the total number.

    Returns
    -------
    Comparison
        Means with 95% intervals, tests between methods, and for several tables a ranking.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.evaluate import schemes_by_name
    >>> found = compare(schemes_by_name(["one-r", "tree"]), hornbeam.read("iris"))
    >>> for outcome in found.tables[0].outcomes:
    ...     print(outcome.method, round(outcome.score.mean, 3), outcome.size.mean)
    baseline 0.333 1.0
    one-r 0.92 3.0
    tree 0.94 8.4
    """
    if isinstance(folds, TimeFolds):
        order, folds = folds.order, folds.folds
    methods = _by_name(methods)
    named = _named(tables, groups)
    chosen = _checked(named, methods, folds, repeats, measure, order)
    first = next(iter(methods)) if baseline is None else baseline
    if first not in methods:
        raise ValueError(f"the baseline {first!r} is not one of the methods: {', '.join(methods)}")
    assigned = {
        name: [_assigned(name, table, folds, seed + repeat, order) for repeat in range(repeats)]
        for name, table in named.items()
    }
    for name, table in named.items():
        _check_classes(name, table)
    from hornbeam.evaluate.comparing.outside import on_tables  # noqa: PLC0415 - half a second that reading a result does not need

    learners = {name: on_tables(estimator) for name, estimator in methods.items()}
    total = sum(part.n_folds for assignments in assigned.values() for part in assignments)
    done, found = 0, []
    for name, table in named.items():
        here = None
        if progress is not None:
            before, report = done, progress

            def here(count: int, _: int, before: int = before, report: Progress = report) -> None:
                report(before + count, total)

        bench = _Bench(name, table, learners, assigned[name], seed, chosen, keep=keep)
        found.append(bench.run(workers(n_jobs), here))
        done += sum(part.n_folds for part in assigned[name])
    ranking = _ranking(found, methods, chosen)
    grouped = _grouped(named.values())
    return Comparison(
        chosen, tuple(methods), first, repeats, seed, tuple(found), ranking, grouped, order, _tuned(methods)
    )


def _tuned(methods: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the methods that choose parameters, and the names of these parameters."""
    from hornbeam.evaluate.tuning.settings import tunable  # noqa: PLC0415 - only here
    from hornbeam.evaluate.tuning.tune import Tuned  # noqa: PLC0415 - needs scikit-learn

    chosen = [(name, method) for name, method in methods.items() if isinstance(method, Tuned)]
    return tuple((name, tuple(one.parameters or tunable(one.estimator))) for name, one in chosen)


def _by_name(methods: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any]:
    """Name the methods of a list by their classes, and those of the same class by their parameters."""
    if isinstance(methods, Mapping):
        return methods
    classes = [type(method).__name__ for method in methods]
    named: dict[str, Any] = {}
    for name, method in zip(classes, methods, strict=True):
        written = name if classes.count(name) == 1 else " ".join(repr(method).split())
        named[unused(written, named)] = method
    return named


def _named(tables: Any, groups: str | None) -> dict[str, Table]:  # noqa: ANN401 - as given
    """Return the tables by unique names, with their groups."""
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
    if groups is None:
        return named
    for name, table in named.items():
        try:
            position = table.schema.position(groups)
        except SchemaError as error:
            raise SchemaError(f"{name}: {error}") from error
        if position == table.schema.target:
            raise SchemaError(f"{name}: the column {groups!r} is the target; expected another one for the groups")
        named[name] = table.assign({position: "group"})
    return named


def _grouped(tables: Iterable[Table]) -> str | None:
    """Return the columns whose groups are kept together."""
    places = [(table, table.schema.with_role("group")) for table in tables]
    names = dict.fromkeys(table.schema.names[place] for table, place in places if place is not None)
    return ", ".join(names) or None


def _checked(
    named: Mapping[str, Table],
    methods: Mapping[str, Any],
    folds: Any,  # noqa: ANN401 - a number or an array
    repeats: int,
    measure: Measure | None,
    order: str | None,
) -> Measure:
    """Check the arguments; return the metric by which methods are compared."""
    if len(methods) < LEAST_METHODS:
        raise ValueError(f"there is nothing to compare: {len(methods)} method was given; expected two or more")
    check_repeats(repeats, order)
    if not named:
        raise ValueError("there is no table to compare methods on")
    if not isinstance(folds, int) and len(named) > 1:
        msg = f"folds were given row by row for {len(named)} tables; expected a number of folds, or one table"
        raise ValueError(msg)
    kinds = {isinstance(table.schema.target_column, Nominal): name for name, table in named.items()}
    if len(kinds) > 1:
        msg = f"the target of {kinds[True]} is nominal and that of {kinds[False]} numeric; expected targets of one kind"
        raise ValueError(msg)
    known = MEASURES[True in kinds]
    if measure is not None and measure not in known:
        holds = "categories" if True in kinds else "numbers"
        raise ValueError(f"measure is {measure!r}; expected for a target that holds {holds}: {', '.join(known)}")
    return known[0] if measure is None else measure


def _check_classes(name: str, table: Table) -> None:
    """Raise an error for a table whose rows are all of one class: every method would be right."""
    column = table.schema.target_column
    if not isinstance(column, Nominal):
        return
    codes = np.unique(table.target_values())
    classes = [column.categories[code] for code in codes.tolist() if code >= 0]
    if len(classes) < 2:  # noqa: PLR2004 - only one class
        msg = (
            f"{name}: all rows are of one class, {classes[0]!r} (column {column.name!r}); expected two classes or more"
        )
        raise ValueError(msg)


def _assigned(name: str, table: Table, folds: Any, seed: int, order: str | None) -> Assignment:  # noqa: ANN401
    try:
        return assign_folds(table, folds, seed, order)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


@dataclass(frozen=True, eq=False)
class _Bench:
    """One table with its folds, on which methods are evaluated."""

    name: str
    table: Table
    methods: Mapping[str, Any]
    assignments: Sequence[Assignment]
    seed: int
    measure: Measure
    keep: bool

    def run(self, threads: int, progress: Progress | None) -> TableComparison:
        """Evaluate every method on every fold."""
        sort_columns(self.table)
        jobs = [(repeat, number) for repeat, part in enumerate(self.assignments) for number in range(part.n_folds)]

        def run(job: int) -> tuple[float, list[Examined]]:
            repeat, number = jobs[job]
            train = self.table.take(self.assignments[repeat].train(number))
            test = self.table.take(self.assignments[repeat].test(number))
            judged = [examine(one, train, test, self.seed + repeat) for one in self.methods.values()]
            return len(test) / len(train), judged if self.keep else [one.without_predictions() for one in judged]

        results = in_order_of_arrival(run, len(jobs), threads, progress)
        test_share = float(np.mean([results[job][0] for job in range(len(jobs))]))
        outcomes, errors = [], []
        for place, method in enumerate(self.methods):
            parts = [results[job][1][place] for job in range(len(jobs))]
            error = next((part.error for part in parts if part.error is not None), None)
            if error is not None:
                errors.append(error)
                outcomes.append(Outcome(method, None, None, str(error)))
            else:
                outcomes.append(self._outcome(method, parts, jobs, test_share))
        if all(outcome.score is None for outcome in outcomes):
            msg = f"{self.name}: no method could learn; {outcomes[0].problem}"
            raise ValueError(msg) from (errors[0] if errors else None)
        first = self.assignments[0]
        pairs = pairs_of(outcomes, test_share)
        return TableComparison(self.name, first.n_rows, first.n_folds, test_share, tuple(outcomes), pairs)

    def _outcome(
        self, method: str, parts: Sequence[Examined], jobs: Sequence[tuple[int, int]], test_share: float
    ) -> Outcome:
        names = [name for name in ABOUT if name in parts[0].metrics]
        metrics = {
            name: Estimate.of([part.metrics[name] for part in parts], test_share, ABOUT[name].most, ABOUT[name].least)
            for name in names
        }
        if self.measure not in metrics:
            lacks = "costs" if self.measure == "mean cost" else "probabilities"
            problem = f"it has no {lacks}, and so no {self.measure}"
            return Outcome(method, None, None, problem, metrics, self._held_out(parts, jobs))
        sizes = [size_in({name: part.metrics[name] for name in SIZES}) for part in parts]
        size = Estimate.of(sizes, test_share)
        return Outcome(method, metrics[self.measure], size, None, metrics, self._held_out(parts, jobs))

    def _held_out(self, parts: Sequence[Examined], jobs: Sequence[tuple[int, int]]) -> tuple[HeldOut, ...]:
        """Put the predictions of the folds into the order of the rows."""
        if not self.keep:
            return ()
        rows, held_out = self.table.n_rows, []
        for repeat, part in enumerate(self.assignments):
            mine = [(number, one) for (here, number), one in zip(jobs, parts, strict=True) if here == repeat]
            column = self.table.schema.target_column
            predictions: Any = np.full(rows, -1, np.int32) if isinstance(column, Nominal) else np.full(rows, math.nan)
            probabilities = None
            if mine[0][1].probabilities is not None:
                probabilities = np.full((rows, mine[0][1].probabilities.shape[1]), math.nan)
            for number, one in mine:
                predictions[part.test(number)] = one.predictions
                if probabilities is not None:
                    probabilities[part.test(number)] = one.probabilities
            held_out.append(HeldOut(predictions, probabilities, part.fold))
        return tuple(held_out)


def _ranking(found: Sequence[TableComparison], methods: Mapping[str, Any], measure: Measure) -> Ranking | None:
    """Rank the methods over the tables on which all of them were evaluated."""
    metrics = [
        [
            outcome.score.mean
            for outcome in table.outcomes
            if outcome.score is not None and not math.isnan(outcome.score.mean)
        ]
        for table in found
    ]
    whole = [row for row in metrics if len(row) == len(methods)]
    if len(whole) < 2:  # noqa: PLR2004 - one table has no average
        return None
    higher = ABOUT[measure].higher_is_better
    return rank(whole, tuple(methods), higher_is_better=higher, relative=measure in OWN_UNITS)
