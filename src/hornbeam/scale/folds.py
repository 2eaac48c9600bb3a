"""Parts of a source for cross-validation, and predictions for all its rows in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.as_table import codes_of
from hornbeam.data.errors import DataError
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.lazy import Predictions
from hornbeam.scale.gather import unite

if TYPE_CHECKING:
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source


def fold_sources(source: Source, folds: int) -> list[tuple[Source, Source]]:
    """The rows to learn from and the rows to predict, for every fold: every n-th partition is in the same fold."""
    if source.in_database:
        raise TypeError("cross-validation does not work inside a database; leave engine out")
    if not 2 <= folds <= len(source.keys):  # noqa: PLR2004 - one part cannot be learned from the others
        msg = (
            f"folds is {folds}, and there are {plural(len(source.keys), 'partition')}; expected a number from 2 to the "
            "number of partitions, each of which is in one fold"
        )
        raise DataError(msg)
    place = range(len(source.keys))
    found = []
    for fold in range(folds):
        lesson = [key for number, key in zip(place, source.keys, strict=True) if number % folds != fold]
        found.append((part_of(source, keys=lesson), part_of(source, keys=source.keys[fold::folds])))
    return found


def part_of(source: Source, **other: Any) -> Source:
    """The source with other partitions (`keys`), another schema or another loader (`typed`), by the same executor."""
    part = replace(source)
    part.__dict__.update({"keys": source.keys, "schema": source.schema, "executor": source.executor, **other})
    return part


def predictions_of(source: Source, estimator: Any, *, probabilities: bool) -> Predictions:
    """Predictions for all rows with a target, in the order of the rows."""
    handle = source.executor.load(source.typed, source.keys)
    wanted = probabilities and isinstance(source.schema.target_column, Nominal) and hasattr(estimator, "predict_proba")
    found: dict[Key, Predictions] | None = source.executor.map_reduce(handle, _predict, (estimator, wanted), unite)
    parts = [found[key] for key in source.keys] if found else []
    truth = np.concatenate([part.truth for part in parts])
    predictions = np.concatenate([part.predictions for part in parts])
    shares = [part.probabilities for part in parts if part.probabilities is not None]
    return Predictions(truth, predictions, np.concatenate(shares) if shares else None)


def _predict(rows: Rows, estimator: Any, probabilities: bool) -> dict[Key, Predictions]:
    table = rows.table(rows.usable)
    target = rows.schema.target_column
    if not table.n_rows:  # estimators refuse no rows
        none = np.empty((0, len(target.categories) if isinstance(target, Nominal) else 0))
        return {rows.key: Predictions(table.target_values(), table.target_values(), none if probabilities else None)}
    predictions = codes_of(estimator.predict(table), target)
    shares = estimator.predict_proba(table) if probabilities else None
    return {rows.key: Predictions(table.target_values(), predictions, shares)}
