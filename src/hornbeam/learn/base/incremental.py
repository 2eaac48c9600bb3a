"""Base of the classifiers with `partial_fit`: the first rows and later ones, as tables of one schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.as_table import label_text, refuse_target
from hornbeam.data.schema import Nominal, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.parameters import require_target
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class IncrementalClassifier(TableClassifier):
    """Base of classifiers with `partial_fit`."""

    def _first_rows(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Table:
        """The rows of the first call, with all possible classes."""
        table = self._learnable(self._from_first(X, y, classes, sample_weight))
        self._note_target(table)
        return table

    def _from_first(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None = None) -> Table:
        if isinstance(X, Table):
            return self._from_table(X, y, sample_weight)
        table = self._from_frame(X, y, sample_weight)
        return table if classes is None else self._with_classes(table, classes)

    def _with_classes(self, table: Table, classes: ArrayLike) -> Table:
        """The table with all possible classes, in sorted order."""
        possible = np.unique(np.asarray(classes))
        codes = _codes_of(self.classes_, possible, "is not among the given classes")
        self.classes_ = possible
        at = table.schema.target
        assert at is not None
        columns, arrays = list(table.schema.columns), list(table.columns)
        columns[at] = Nominal(columns[at].name, tuple(map(label_text, possible.tolist())))
        arrays[at] = codes[arrays[at]]
        return Table(
            Schema(tuple(columns), table.schema.roles, name=table.schema.name), arrays, table.notes, copy=False
        )

    def _given(self, X: Any, y: Any) -> Table:
        """New rows with their classes, as a table."""
        if isinstance(X, Table):
            refuse_target(y)
            self._check_classes(X)
            return X
        require_target(self, y)
        features = self._features(X, reset=False)
        codes = _codes_of(np.asarray(y), self.classes_, "was not known")
        if len(codes) != features.n_rows:
            msg = f"y has {len(codes)} classes for {features.n_rows} rows; expected one per row"
            raise ValueError(msg)
        schema = Schema((*features.schema.columns, self.schema_.target_column), (*features.schema.roles, "target"))
        return Table(schema, [*features.columns, codes], copy=False)

    def _check_classes(self, table: Table) -> None:
        """Refuse rows of a class that was not among those of the first rows."""
        target = table.schema.target_column
        if not isinstance(target, Nominal):
            msg = f"the target {target.name!r} is numeric; {type(self).__name__} has learned classes"
            raise SchemaError(msg)
        codes = table.target_values()
        known = self.schema_.target_column
        assert isinstance(known, Nominal)
        present = np.array(target.categories, object)[np.unique(codes[codes >= 0])]
        _codes_of(present, np.array(known.categories, object), "was not known")

    def _later_rows(self, X: Any, y: Any) -> Table:
        """New rows with the columns of the first rows, the target included; rows without a class are left out."""
        given = self._given(X, y)
        aligned = align(self.schema_, given)
        weight = self.schema_.with_role("weight")
        if weight is not None and given.schema.with_role("weight") is None:
            arrays = list(aligned.columns)
            arrays[weight] = np.ones(aligned.n_rows)
            aligned = Table(self.schema_, arrays, copy=False)
        table = self._learnable(aligned)
        self._note_target(table, more=True)
        return table


def _codes_of(values: Any, classes: Any, complaint: str) -> Any:
    """The index of every value among the classes."""
    code_of = {value: code for code, value in enumerate(classes.tolist())}
    strange = [value for value in values.tolist() if value not in code_of]
    if strange:
        msg = f"the class {strange[0]!r} {complaint}; the classes are {', '.join(map(repr, code_of))}"
        raise ValueError(msg)
    return np.array([code_of[value] for value in values.tolist()], np.int32)
