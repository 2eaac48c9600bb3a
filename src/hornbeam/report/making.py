"""`hornbeam.report.build`: make a report on a table.

Apart from the cross-validations there is one fit, to all rows; everything else is counting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.examine import describe, examine
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.comparing.compare import compare
from hornbeam.evaluate.comparing.methods import for_folds, schemes_by_name
from hornbeam.evaluate.judge import seeded
from hornbeam.report.choice import choose, is_readable
from hornbeam.report.examples import examples as choose_examples
from hornbeam.report.listing import listing
from hornbeam.report.metrics import errors_of, metrics_of
from hornbeam.report.origin import origin
from hornbeam.report.relations import relations
from hornbeam.report.result import Report
from hornbeam.report.slices import slices
from hornbeam.schemes import MANY_ROWS, SLOW_OF_MANY, USUAL, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import Comparison, Outcome
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.report.choice import Choice
    from hornbeam.schemes import Predicts


def build(
    table: Table,
    *,
    schemes: Sequence[str] | None = None,
    scheme: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    folds: int = 10,
    repeats: int = 1,
    seed: int = 1,
    examples: int = 20,
    source: str | None = None,
    reading: Sequence[str] = (),
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Make a report on a table with a target.

    Parameters
    ----------
    table : Table
        The data.
    schemes : sequence of str, optional
        Names of the schemes to compare, with their default parameters; by default a few with readable models, and for
        more than 20,000 rows without those that would take minutes per fold.
    scheme : str, optional
        The scheme to report on; by default the simplest readable one whose score is within one standard error of the
        best readable one's.
    parameters : mapping, optional
        Parameters of that scheme; by default its own defaults.
    folds, repeats, seed : int
        Of the cross-validations; `seed` is also the seed of the schemes.
    examples : int
        How many rows to show with their way through the model; 0: the report contains no row of the table.
    source : str, optional
        Where the table was read from, for the commands in the report; only the file's name of a path is shown.
    reading : sequence of str
        More words of these commands: the options that the table was read with, and those of the scheme.
    n_jobs : int, optional
        Number of folds to learn at the same time; None is one, -1 one per core. The result is the same.
    progress : callable, optional
        Called with the number of steps done and the total.

    Returns
    -------
    Report
        Plain data; `html`, `markdown` and `save` write it.

    Examples
    --------
    >>> import hornbeam
    >>> report = build(hornbeam.read("weather"), schemes=["one-r", "id3"], folds=5)
    >>> report.choice.scheme, report.relations[0].column
    ('id3', 'outlook')
    >>> report.html().startswith("<!doctype html>")
    True
    """
    predicts: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
    names, left_out = _names(schemes, predicts, table.n_rows)
    names += [scheme] if scheme is not None and scheme not in names else []
    group = table.schema.with_role("group")
    methods = _methods(names, predicts, scheme, parameters, seed)
    compared = compare(
        table,
        methods,
        folds=folds,
        repeats=repeats,
        seed=seed,
        groups=None if group is None else table.schema.names[group],
        keep=True,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done, total: progress(done, total + 1),
    )
    chosen, outcome = _choose(compared, predicts, scheme)
    estimator = methods[chosen.scheme].fit(table)
    held_out = outcome.held_out[0]
    held = held_out.fold >= 0
    errors = errors_of(table, held_out.answers, held)
    n_folds = compared.tables[0].folds
    if progress is not None:
        progress(n_folds * repeats + 1, n_folds * repeats + 1)
    made_with: dict[str, Any] = {"folds": n_folds, "repeats": repeats, "seed": seed, "examples": examples}
    made_with |= {"source": source, "reading": reading, "named": scheme is not None}
    return Report(
        table=table,
        predicts=predicts,
        description=describe(table),
        findings=tuple(examine(table)),
        relations=relations(table),
        comparison=compared,
        left_out=left_out,
        choice=chosen,
        estimator=estimator,
        lines=listing(estimator.model_),
        held_out=held_out,
        metrics=metrics_of(table, held_out.answers, held_out.shares, held),
        slices=slices(table, errors),
        examples=choose_examples(table, held_out.answers, held_out.shares, errors, examples) if examples else (),
        origin=origin(table, estimator, chosen.scheme, names, **made_with),
    )


def _methods(
    names: Sequence[str], predicts: Predicts, scheme: str | None, parameters: Mapping[str, Any] | None, seed: int
) -> dict[str, Any]:
    """Make the estimators to compare; `parameters` are those of `scheme`."""
    methods = schemes_by_name(names, predicts)
    if parameters:
        if scheme is None:
            raise ValueError(f"parameters were given ({', '.join(parameters)}) without the scheme that they belong to")
        methods[scheme] = for_folds(find(scheme, predicts).load()(**parameters))
    return {name: seeded(estimator, seed) for name, estimator in methods.items()}


def _choose(compared: Comparison, predicts: Predicts, scheme: str | None) -> tuple[Choice, Outcome]:
    """Choose the scheme to report on, and give how it did; `scheme` is the one that was named, if any."""
    outcomes = compared.tables[0].outcomes
    chosen = choose(outcomes, predicts, higher_is_better=compared.higher_is_better, named=scheme)
    outcome = compared.tables[0].outcome(chosen.scheme)
    if outcome.problem is not None:
        msg = f"the scheme {chosen.scheme} could not learn from {compared.tables[0].table}: {outcome.problem}"
        raise ValueError(msg)
    return chosen, outcome


def _names(schemes: Sequence[str] | None, predicts: Predicts, rows: int) -> tuple[list[str], tuple[str, ...]]:
    """Give the schemes to compare, and the usual ones that are left out because there are too many rows."""
    if schemes is not None:
        return list(dict.fromkeys(schemes)), ()
    usual = [name for name in USUAL[predicts] if is_readable(name, predicts)]
    slow = tuple(name for name in usual if name in SLOW_OF_MANY) if rows > MANY_ROWS else ()
    return [name for name in usual if name not in slow], slow
