"""`hornbeam.report.build`: a table becomes a report.

Beside the cross-validations there is one fit, on all rows; everything else is counting.
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
from hornbeam.report.figures import errors_of, figures
from hornbeam.report.listing import listing
from hornbeam.report.origin import origin
from hornbeam.report.relations import relations
from hornbeam.report.result import Report
from hornbeam.report.slices import slices
from hornbeam.schemes import MANY_ROWS, SLOW_OF_MANY, USUAL, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table
    from hornbeam.learn.base.in_threads import Progress
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
        Names of the schemes to compare, with their default parameters; by default a few whose models can be read, but
        for more than 20,000 rows not those that would then take minutes a fold.
    scheme : str, optional
        The one that the report is about; by default the simplest readable one whose score is within one standard error
        of the best readable one's.
    parameters : mapping, optional
        Of that scheme, where they are not to be the default ones.
    folds, repeats, seed : int
        Of the cross-validations; `seed` also of what schemes draw at random.
    examples : int
        How many rows are shown, to be traced through the model; 0: none leave the table.
    source : str, optional
        What the table was read from, for the commands in the report; of a path only the file's name is told.
    reading : sequence of str
        Further words of these commands: the options by which the table was read, and those of the scheme.
    n_jobs : int, optional
        Folds learned at the same time; None is one, -1 as many as there are cores. The result is the same.
    progress : callable, optional
        Called with the number of steps done and the number in all.

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
    methods = schemes_by_name(names, predicts)
    if parameters:
        if scheme is None:
            msg = f"parameters were given ({', '.join(parameters)}), and no scheme that they are of"
            raise ValueError(msg)
        methods[scheme] = for_folds(find(scheme, predicts).load()(**parameters))
    methods = {name: seeded(estimator, seed) for name, estimator in methods.items()}
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
    found = compared.tables[0]
    chosen = choose(found.outcomes, predicts, higher_is_better=compared.higher_is_better, asked=scheme)
    outcome = found.outcome(chosen.scheme)
    if outcome.problem is not None:
        msg = f"the scheme {chosen.scheme} could not learn from {table.schema.name}: {outcome.problem}"
        raise ValueError(msg)
    estimator = methods[chosen.scheme].fit(table)
    held_out = outcome.held_out[0]
    held = held_out.fold >= 0
    errors = errors_of(table, held_out.answers, held)
    if progress is not None:
        folds_in_all = found.folds * repeats
        progress(folds_in_all + 1, folds_in_all + 1)
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
        figures=figures(table, held_out.answers, held_out.shares, held),
        slices=slices(table, errors),
        examples=choose_examples(table, held_out.answers, held_out.shares, errors, examples) if examples else (),
        origin=origin(
            table,
            estimator,
            chosen.scheme,
            names,
            source=source,
            reading=reading,
            examples=examples,
            asked=scheme is not None,
            folds=found.folds,
            repeats=repeats,
            seed=seed,
        ),
    )


def _names(schemes: Sequence[str] | None, predicts: Predicts, rows: int) -> tuple[list[str], tuple[str, ...]]:
    """Which schemes are compared; and which of the usual ones are not, since rows are many."""
    if schemes is not None:
        return list(dict.fromkeys(schemes)), ()
    usual = [name for name in USUAL[predicts] if is_readable(name, predicts)]
    slow = tuple(name for name in usual if name in SLOW_OF_MANY) if rows > MANY_ROWS else ()
    return [name for name in usual if name not in slow], slow
