"""What models that answer from kept rows share: class shares or numbers become answers in every form asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.data.schema import Nominal, Numeric, is_missing
from hornbeam.data.table import Table
from hornbeam.model.base.align import align
from hornbeam.model.base.errors import ModelError
from hornbeam.model.base.rows import rows_of_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.schema import Schema

FEW_PAIRS = 1 << 20  # columns times pairs of rows that are not worth a second thread


class TakesMatrices:
    """Base of models whose rows may come as a matrix of numbers, where every feature is one."""

    schema: Schema

    @cached_property
    def all_numeric(self) -> bool:
        """Whether every feature is a number, so that a matrix can be predicted from."""
        return all(isinstance(self.schema.columns[place], Numeric) for place in self.schema.features)

    def _table_of(self, matrix: ArrayLike) -> Table:
        rows_of_matrix(self.schema, matrix, None if self.all_numeric else "a feature")  # complains of what is none
        return Table(self.schema.select(self.schema.features), list(np.asarray(matrix, np.float64).T))


class Answering(TakesMatrices):
    """Base of such models; a subclass has a schema and `answers(aligned, n_threads)`."""

    def answers(self, aligned: Table, n_threads: int) -> NDArray[np.float64]:
        """Class shares, of shape (rows, classes), or numbers, of shape (rows, 1); the table has the model's columns."""
        raise NotImplementedError

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What is predicted: a class, or a number."""
        return "classification" if isinstance(self.schema.target_column, Nominal) else "regression"

    def predict(self, table: Table, n_threads: int = 1) -> NDArray[Any]:
        """Predict the target of every row: int32 class codes, the first on a tie, or float64 numbers."""
        answers = self.answers(align(self.schema, table), n_threads)
        return answers.argmax(axis=1).astype(np.int32) if self.task == "classification" else answers[:, 0]

    def predict_proba(self, table: Table, n_threads: int = 1) -> NDArray[np.float64]:
        """Class shares of every row, in the order of the target's categories."""
        if self.task != "classification":
            msg = f"the target {self.schema.target_column.name!r} is numeric: there are numbers, not class shares"
            raise ModelError(msg)
        return self.answers(align(self.schema, table), n_threads)

    def predict_matrix(self, matrix: ArrayLike, n_threads: int = 1) -> NDArray[Any]:
        """Predict from numbers: one matrix row a row, one matrix column a feature, in the schema's order."""
        return self.predict(self._table_of(matrix), n_threads)

    def predict_proba_matrix(self, matrix: ArrayLike, n_threads: int = 1) -> NDArray[np.float64]:
        """Class shares from numbers; see `predict_matrix`."""
        return self.predict_proba(self._table_of(matrix), n_threads)


def overall_answer(kept: Table) -> NDArray[np.float64]:
    """Class shares, or the mean, of kept rows: the answer where nothing else tells one."""
    target, weights = kept.target_values(), kept.weights
    column = kept.schema.target_column
    if isinstance(column, Nominal):
        counts = np.bincount(target, weights, minlength=len(column.categories)).astype(np.float64)
        return np.asarray(counts / counts.sum())
    return np.array([np.average(target, weights=weights)])


def check_kept(schema: Schema, kept: Table) -> None:
    """Check that kept rows have the model's columns, a target each, and a weight above zero.

    Raises
    ------
    ModelError
        A sentence on the first thing that is wrong.
    """
    if kept.schema != schema:
        msg = "the kept rows have other columns than the model"
        raise ModelError(msg)
    if not kept.n_rows:
        msg = "no row is kept"
        raise ModelError(msg)
    weights = kept.weights
    if is_missing(kept.target_values()).any():
        msg = "a kept row has no target"
        raise ModelError(msg)
    if weights is not None and not (weights > 0).all():
        msg = "a kept row has no weight above zero"
        raise ModelError(msg)


def same_rows(one: Table, other: Table) -> bool:
    """Whether two tables hold the same values under the same schema."""
    return one.schema == other.schema and all(
        np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in zip(one.columns, other.columns, strict=True)
    )


def in_parts(
    run: Callable[[int, int], None], n_rows: int, work_per_row: int, n_threads: int, least_rows: int = 1
) -> None:
    """Share rows among threads if there is enough work: `run` takes the first row of a part and the one after its last.

    Each thread gets about four parts, of `least_rows` rows or more.
    """
    if n_threads <= 1 or n_rows * work_per_row < FEW_PAIRS:
        if n_rows:
            run(0, n_rows)
        return
    size = max(least_rows, -(-n_rows // (4 * n_threads)))
    with Threads(n_threads) as pool:
        for future in [pool.submit(run, first, min(first + size, n_rows)) for first in range(0, n_rows, size)]:
            future.result()
