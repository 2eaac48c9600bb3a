"""Base of models that predict from kept training rows, and checks of these rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.data.schema import Nominal, is_missing
from hornbeam.data.table import Table
from hornbeam.model.base.align import align
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema

FEW_PAIRS = 1 << 20  # columns times pairs of rows below which a second thread is not worthwhile


class OutputModel(Model):
    """Base of models whose `outputs(aligned, n_threads)` are probabilities or numbers."""

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Return probabilities, of shape (rows, classes), or numbers, of shape (rows, 1).

        The table has the model's columns.
        """
        raise NotImplementedError

    def _probabilities(self, rows: Table | AnyArray, n_threads: int) -> Floats:
        table = rows if isinstance(rows, Table) else self._table_of(rows)
        return self.outputs(align(self.schema, table), n_threads)

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> AnyArray:
        predictions = self._probabilities(rows, n_threads)
        return predictions.argmax(axis=1).astype(np.int32) if self.task == "classification" else predictions[:, 0]


def overall_prediction(kept: Table) -> Floats:
    """Return class probabilities, or the mean, of kept rows: the prediction if there is no other."""
    target, weights = kept.target_values(), kept.weights
    column = kept.schema.target_column
    if isinstance(column, Nominal):
        counts = np.bincount(target, weights, minlength=len(column.categories)).astype(np.float64)
        return np.asarray(counts / counts.sum())
    return np.array([np.average(target, weights=weights)])


def check_kept(schema: Schema, kept: Table) -> None:
    """Check that kept rows have the model's columns, targets, and weights above zero; else a `ModelError`."""
    if kept.schema != schema:
        raise ModelError("the kept rows have other columns than the model")
    if not kept.n_rows:
        raise ModelError("no row is kept")
    weights = kept.weights
    if is_missing(kept.target_values()).any():
        raise ModelError("a kept row has no target")
    if weights is not None and not (weights > 0).all():
        raise ModelError("a kept row has no weight above zero")


def in_parts(
    run: Callable[[int, int], None], n_rows: int, work_per_row: int, n_threads: int, least_rows: int = 1
) -> None:
    """Process rows in threads, if there is enough work.

    `run` gets the first row of a part and the row after its last. Each thread gets about four parts of at least
    `least_rows` rows.
    """
    if n_threads <= 1 or n_rows * work_per_row < FEW_PAIRS:
        if n_rows:
            run(0, n_rows)
        return
    size = max(least_rows, -(-n_rows // (4 * n_threads)))
    with Threads(n_threads) as pool:
        for future in [pool.submit(run, first, min(first + size, n_rows)) for first in range(0, n_rows, size)]:
            future.result()
