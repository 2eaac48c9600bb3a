"""`hornbeam.report.build`: make a report on a table.

Apart from the cross-validations, every readable scheme is fitted once on all rows, to find the size of its model, and
the chosen one a few more times for the importance of its columns.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import warn
from hornbeam.data.examine import describe
from hornbeam.data.notices import findings_of
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.comparing.compare import compare
from hornbeam.evaluate.comparing.methods import for_folds, schemes_by_name
from hornbeam.evaluate.judge import PROBLEMS, seeded
from hornbeam.report.about import About
from hornbeam.report.choice import MAX_SIZE, ROWS_PER_LEAF, SMALL_TREE, choose, is_readable, model_size
from hornbeam.report.effects import MOST_EFFECTS, effects, importance
from hornbeam.report.examples import examples as choose_examples
from hornbeam.report.form import used_columns
from hornbeam.report.listing import listing
from hornbeam.report.metrics import errors_of, metrics_of
from hornbeam.report.origin import origin
from hornbeam.report.relations import relations
from hornbeam.report.result import Report
from hornbeam.report.slices import slices
from hornbeam.report.thresholds import thresholds
from hornbeam.schemes import MANY_ROWS, SLOW_OF_MANY, USUAL, find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import Comparison, HeldOut, Outcome
    from hornbeam.evaluate.folds import TimeFolds
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.report.choice import Choice, Size
    from hornbeam.report.relations import Relation
    from hornbeam.schemes import Predicts


@takes_rows(needs_target=True)
def build(
    table: Table,
    *,
    schemes: Sequence[str] | None = None,
    scheme: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    max_size: int = MAX_SIZE,
    folds: int | TimeFolds = 10,
    repeats: int = 1,
    seed: int = 1,
    examples: int = 20,
    about: About | None = None,
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
        more than 20,000 rows without those that would take minutes per fold. If one of these makes a model that is too
        large, a tree with at most `max_size` leaves is compared, too.
    scheme : str, optional
        The scheme to report on; by default the simplest readable one that is about as good as the best readable one:
        within one standard error of its score, or within one point of accuracy or 1% of the error.
    parameters : mapping, optional
        Parameters of that scheme; by default its own defaults.
    max_size : int
        The largest number of leaves, rules or terms of a chosen model.
    folds : int or TimeFolds
        Of the cross-validations; in time order or not.
    repeats, seed : int
        Of the cross-validations; `seed` is also the seed of the schemes.
    examples : int
        The number of rows to show with their path through the model; 0: the report contains no row of the table.
    about : About, optional
        Title, author, date and notes, and where the table was read from.
    n_jobs : int, optional
        The number of folds fitted in parallel; None is one, -1 one per core. The results are the same.
    progress : callable, optional
        Called with the number of finished steps and the total number.

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
    about = about or About()
    predicts: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
    names, left_out = _names(schemes, predicts, table.n_rows)
    names += [scheme] if scheme is not None and scheme not in names else []
    methods = _methods(names, predicts, scheme, parameters, seed)
    learned = _Learned(table, methods, [name for name in names if is_readable(name, predicts) or name == scheme])
    if schemes is None and scheme is None and learned.largest > max_size:
        methods[SMALL_TREE] = _small_tree(predicts, max_size, seed)
        learned.add(SMALL_TREE, methods[SMALL_TREE])
    group = table.schema.with_role("group")
    compared = compare(
        methods,
        table,
        folds=folds,
        repeats=repeats,
        seed=seed,
        groups=None if group is None else table.schema.names[group],
        keep=True,
        n_jobs=n_jobs,
        progress=None if progress is None else lambda done, total: progress(done, total + 1),
    )
    chosen, outcome = _choose(compared, predicts, scheme, learned.sizes, max_size)
    estimator, n_folds = learned.estimator(chosen.scheme), compared.tables[0].folds
    made_with: dict[str, Any] = {"folds": n_folds, "repeats": repeats, "seed": seed, "examples": examples}
    made_with |= {"about": about, "named": scheme is not None, "max_size": max_size}
    of_data = _of_data(table, compared.order)
    made = Report(
        table=table,
        predicts=predicts,
        comparison=compared,
        left_out=left_out,
        limited_tree=schemes is None and SMALL_TREE in learned.sizes and scheme is None,
        choice=chosen,
        estimator=estimator,
        size=learned.sizes[chosen.scheme],
        lines=listing(estimator.model_),
        about=about,
        origin=origin(table, estimator, chosen.scheme, schemes and names, **made_with),
        **of_data,
        **_of_predictions(table, outcome.held_out[0], examples),
        **_of_columns(table, methods[chosen.scheme], estimator, compared, chosen, of_data["relations"]),
    )
    if progress is not None:
        progress(n_folds * repeats + 1, n_folds * repeats + 1)
    return made


def _of_data(table: Table, order: str | None) -> dict[str, Any]:
    """Return the parts of a report that are about the data."""
    return {
        "description": describe(table),
        "findings": tuple(findings_of(table, order)),
        "relations": relations(table),
    }


def _of_predictions(table: Table, held_out: HeldOut, examples: int) -> dict[str, Any]:
    """Return the parts of a report that are about the held-out predictions."""
    held = held_out.fold >= 0
    errors = errors_of(table, held_out.predictions, held)
    return {
        "held_out": held_out,
        "metrics": metrics_of(table, held_out.predictions, held_out.probabilities, held),
        "thresholds": thresholds(table, held_out),
        "slices": slices(table, errors),
        "examples": choose_examples(table, held_out.predictions, held_out.probabilities, errors, examples)
        if examples
        else (),
    }


class _Learned:
    """The schemes learned from all rows, with the sizes of their models; warnings are kept until one is chosen."""

    def __init__(self, table: Table, methods: Mapping[str, Any], names: Sequence[str]) -> None:
        self.table = table
        self.sizes: dict[str, Size | None] = {}
        self._fitted: dict[str, Any] = {}
        self._warnings: dict[str, list[warnings.WarningMessage]] = {}
        for name in names:
            self.add(name, methods[name])

    def add(self, name: str, method: Any) -> None:  # noqa: ANN401 - any estimator of ours
        """Learn one more; if a scheme cannot be fitted, the comparison reports why."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                self._fitted[name] = method.fit(self.table)
            except PROBLEMS:
                return
        self._warnings[name] = caught
        self.sizes[name] = model_size(self._fitted[name].model_)

    @property
    def largest(self) -> int:
        """The size of the largest model."""
        return max((size.largest for size in self.sizes.values() if size is not None), default=0)

    def estimator(self, name: str) -> Any:  # noqa: ANN401 - any estimator of ours
        """Return a scheme, and the warnings of its fit."""
        for one in self._warnings.get(name, ()):
            warn(one.message, one.category)
        return self._fitted[name]


def _small_tree(predicts: Predicts, max_size: int, seed: int) -> Any:  # noqa: ANN401 - an estimator of ours
    """Make a tree with few leaves."""
    small = find(SMALL_TREE, predicts).load()(max_leaf_nodes=max_size, min_samples_leaf=ROWS_PER_LEAF)
    return seeded(for_folds(small), seed)


def _of_columns(
    table: Table,
    method: Any,  # noqa: ANN401 - any estimator of ours
    estimator: Any,  # noqa: ANN401 - the same, fitted
    compared: Comparison,
    chosen: Choice,
    related: Sequence[Relation],
) -> dict[str, Any]:
    """Return the parts of a report that are about the columns that the model uses."""
    held_out = compared.tables[0].outcome(chosen.scheme).held_out[0]
    used = used_columns(estimator.model_)
    by_relation = [one.column for one in related]
    with warnings.catch_warnings():  # the warnings of the chosen model have been shown already
        warnings.simplefilter("ignore")
        important = importance(
            method, table, held_out, seed=compared.seed, in_order=compared.order is not None, first=by_relation
        )
    ordered = [one.column for one in important if one.mean > 0] or by_relation
    shown = [name for name in ordered if used is None or table.schema.position(name) in used][:MOST_EFFECTS]
    return {
        "importance": important,
        "effects": effects(estimator, table, shown, scheme=chosen.scheme, seed=compared.seed),
    }


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


def _choose(
    compared: Comparison, predicts: Predicts, scheme: str | None, sizes: Mapping[str, Size | None], max_size: int
) -> tuple[Choice, Outcome]:
    """Choose the scheme to report on, and return its outcome; `scheme` is the one that was named, if any."""
    chosen = choose(
        compared.tables[0].outcomes,
        predicts,
        higher_is_better=compared.higher_is_better,
        named=scheme,
        sizes=sizes,
        max_size=max_size,
    )
    outcome = compared.tables[0].outcome(chosen.scheme)
    if outcome.problem is not None:
        msg = f"the scheme {chosen.scheme} could not learn from {compared.tables[0].table}: {outcome.problem}"
        raise ValueError(msg)
    return chosen, outcome


def _names(schemes: Sequence[str] | None, predicts: Predicts, rows: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the schemes to compare, and the usual ones that are left out because there are too many rows."""
    if schemes is not None:
        return list(dict.fromkeys(schemes)), ()
    usual = [name for name in USUAL[predicts] if is_readable(name, predicts)]
    slow = tuple(name for name in usual if name in SLOW_OF_MANY) if rows > MANY_ROWS else ()
    return [name for name in usual if name not in slow], slow
