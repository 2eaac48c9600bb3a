"""The base of every model: what it predicts, from which rows, and how a class is chosen.

A model has a `schema`, a `task`, and these methods:

* `predict(rows)`: class names, numbers, or numbers of clusters; classes are chosen by the model's `decision`.
* `predict_proba(rows)`: class probabilities.
* * `predict_codes(rows)`: class codes without the decision, -1 where the model has none; for other tasks the same as
`predict`.
  none; for other tasks the same as `predict`.
* `validate()`: check everything before a kernel reads it.
* `same_as(other)`, `arrays()` and the writing and reading of files: see `hornbeam.model.base.stored`.

Rows are a Table, a frame (pandas, polars, pyarrow), a matrix, or a list of rows. A subclass has `_codes` and, if it
predicts classes, `_probabilities`, both from a Table or a matrix of numbers.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.align import first_nominal, rows_of_matrix
from hornbeam.model.base.decision import text_array
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, Stored

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.model.base.decision import Decision

    Rows = Table | NDArray[Any]
    Task = Literal["classification", "regression", "clustering"]


@dataclass(frozen=True, eq=False)
class Model(Stored):
    """Base of the models.

    Parameters
    ----------
    schema : Schema
        Columns and, except for clusters, the target.
    decision : Decision, optional
        How a class is chosen; None: the most probable one. `same_as` ignores it.
    """

    KIND: ClassVar[str] = ""  # its name in files

    schema: Schema
    decision: Decision | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def task(self) -> Task:
        """The task: classification, regression or clustering."""
        if self.schema.target is None:
            return "clustering"
        return "classification" if isinstance(self.schema.target_column, Nominal) else "regression"

    def validate(self) -> None:
        """Check that the arrays and values fit the schema and each other; raise a `ModelError` if not."""
        raise NotImplementedError

    def describe(self) -> Any:  # noqa: ANN401 - a text, or of clusters a list
        """Describe the model in a line; models of clusters return a description of each cluster."""
        return repr(self)

    def _repr_html_(self) -> str:
        """Show the model in a notebook; the HTML is made in `report`, a higher layer."""
        import hornbeam  # noqa: PLC0415 - the whole package, reached from below

        return hornbeam._html(self)

    def with_decision(self, decision: Decision | None) -> Self:
        """Return the same model with another decision."""
        other = copy.copy(self)
        object.__setattr__(other, "decision", decision)
        return other

    # ---- rows ----

    @cached_property
    def all_numeric(self) -> bool:
        """Whether every feature is numeric, so that the model can predict a matrix."""
        return self._first_nominal is None

    @cached_property
    def _first_nominal(self) -> str | None:
        return first_nominal(self.schema)

    def as_table(self, rows: Any) -> Table:  # noqa: ANN401 - rows of any sort
        """Return rows as a table: a Table as it is, a frame, a matrix, or a list of rows in the schema's order."""
        found = self._as_rows(rows)
        return found if isinstance(found, Table) else self._table_of(found)

    def _as_rows(self, rows: Any) -> Any:  # noqa: ANN401 - rows of any sort; a Table or a matrix
        if isinstance(rows, Table):
            return rows
        from hornbeam.data.as_table import as_table, is_frame  # noqa: PLC0415 - not for tables

        if type(rows) is np.ndarray or not is_frame(rows):
            array = np.asarray(rows)
            if array.dtype.kind in "fiub":  # refused later if a feature is nominal
                return array
        return as_table(rows, like=self.schema)

    def _table_of(self, matrix: ArrayLike) -> Table:
        """Return a matrix of numbers as a table of the features."""
        rows_of_matrix(self.schema, matrix, self._first_nominal)  # raises an error if it does not fit
        return Table(self.schema.select(self.schema.features), list(np.asarray(matrix, np.float64).T))

    # ---- predictions ----

    def predict(self, rows: Any, n_threads: int = 1) -> NDArray[Any]:  # noqa: ANN401 - rows of any sort
        """Predict every row: class names as in the training data, numbers, or numbers of clusters.

        Parameters
        ----------
        rows : Table, frame, matrix or list of rows
            Columns are found by name; those of a matrix or a list are in the schema's order.
        n_threads : int
            Threads that share the rows; the predictions do not depend on it.
        """
        given = self._as_rows(rows)
        codes = self.decided_codes(given, n_threads)
        if self.task != "classification":
            return codes
        if len(codes) and codes.min() < 0:
            codes = np.where(codes < 0, self.probabilities(given, n_threads).argmax(axis=1), codes)
        return self.classes.take(codes)

    def predict_codes(self, rows: Any, n_threads: int = 1) -> NDArray[Any]:  # noqa: ANN401 - rows of any sort
        """Return class codes without the decision (int32, -1: none), or numbers, or numbers of clusters."""
        return self._codes(self._as_rows(rows), n_threads)

    def predict_proba(self, rows: Any, n_threads: int = 1) -> NDArray[np.float64]:  # noqa: ANN401 - rows of any sort
        """Return class probabilities of every row, in the order of the target's categories."""
        if self.task != "classification":
            if self.schema.target is None:
                raise ModelError("the model predicts clusters, which have no probabilities")
            name = self.schema.target_column.name
            msg = f"the target {name!r} is numeric: the {self.NOUN} predicts numbers, not class probabilities"
            raise ModelError(msg)
        return self._probabilities(self._as_rows(rows), n_threads)

    def probabilities(self, rows: Any, n_threads: int = 1) -> NDArray[np.float64]:  # noqa: ANN401 - rows of any sort
        """Return class probabilities from which a class can be chosen: for every row, also where the model has none."""
        return self.predict_proba(rows, n_threads)

    @property
    def classes(self) -> NDArray[Any]:
        """The classes as in the training data, in the order of their codes."""
        if self.decision is not None:
            return self.decision.classes()
        target = self.schema.target_column
        return text_array(target.categories if isinstance(target, Nominal) else ())

    def decided_codes(self, rows: Any, n_threads: int = 1) -> NDArray[Any]:  # noqa: ANN401 - rows of any sort
        """Return class codes chosen by the decision; without one, and for other tasks, as `predict_codes`."""
        if self.decision is not None and self.decision.decides and self.task == "classification":
            return self.decision.codes(self.probabilities(rows, n_threads))
        return self.predict_codes(rows, n_threads)

    def _codes(self, rows: Rows, n_threads: int) -> NDArray[Any]:
        raise NotImplementedError

    def _probabilities(self, rows: Rows, n_threads: int) -> NDArray[np.float64]:
        raise NotImplementedError

    # ---- files ----

    def file_entries(self) -> dict[str, Any]:
        """Return the entries of the file's JSON that are the model's own."""
        return {self.KIND: self.to_plain()}

    def to_entry(self) -> dict[str, Any]:
        """Return everything except the arrays, for a model inside another."""
        return {"schema": self.schema.to_json(), **self.file_entries(), "kind": self.KIND}

    @classmethod
    def from_entries(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model from the entries of the file's JSON; it is not checked yet."""
        return cls.from_file(plain[cls.KIND], schema, members)
