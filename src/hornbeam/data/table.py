"""The table that every learner reads: typed columns, not one float matrix.

A Table is columnar and immutable. Numeric columns are float64 with NaN for missing, nominal columns are
int32 codes with -1 for missing. Each numeric column's sort order is computed once and filtered, not sorted
again, by `take`, so that cross-validation folds share the work.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hornbeam.data.errors import option
from hornbeam.data.indices import row_numbers
from hornbeam.data.schema import Nominal, Numeric, Role, Schema, SchemaError, is_missing

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

FloatArray = NDArray[np.float64]
CodeArray = NDArray[np.int32]
RowArray = NDArray[np.uint32]
NOT_TAKEN = 2**32 - 1


class Table:
    """Columns of equal length with a schema.

    Parameters
    ----------
    schema : Schema
        Names, kinds and roles of the columns.
    columns : sequence of arrays
        float64 for a numeric column, int32 codes for a nominal one.
    notes : sequence of str
        What was guessed while reading (``zip code: 41 distinct integers, read as numeric``).
    copy : bool
        Whether to copy arrays that can still be changed from outside. False is only safe for arrays that nobody else
        keeps.
    declared : bool
        Whether the source declares its columns (ARFF, example sets), so that nothing about them is guessed.
    """

    __slots__ = ("_orders", "columns", "declared", "n_rows", "notes", "schema")

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[ArrayLike],
        notes: Sequence[str] = (),
        *,
        copy: bool = True,
        declared: bool = False,
    ) -> None:
        if len(columns) != len(schema.columns):
            msg = f"{len(columns)} arrays were given for {len(schema.columns)} columns"
            raise SchemaError(msg)
        arrays: list[NDArray[Any]] = []
        for kind, given in zip(schema.columns, columns, strict=True):
            wanted = np.float64 if isinstance(kind, Numeric) else np.int32
            array = np.ascontiguousarray(given, dtype=wanted)
            if copy and _can_change(array, given):  # before the check, so that the copy is checked
                array = array.copy()
            if array.ndim != 1:
                msg = f"column {kind.name!r} has {array.ndim} dimensions; expected one"
                raise SchemaError(msg)
            if arrays and len(array) != len(arrays[0]):
                msg = f"column {kind.name!r} has {len(array)} rows; the columns before it have {len(arrays[0])}"
                raise SchemaError(msg)
            if isinstance(kind, Nominal):
                _check_codes(kind, array)
            else:
                _check_finite(kind, array)
            arrays.append(_frozen(array.view() if array is given else array))
        self.schema = schema
        self.columns: tuple[NDArray[Any], ...] = tuple(arrays)
        self.n_rows = len(arrays[0]) if arrays else 0
        self.notes = tuple(notes)
        self.declared = declared
        self._orders: dict[int, RowArray] = {}

    def __len__(self) -> int:
        return self.n_rows

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Restore a copy or a pickled table, whose arrays come back without being read-only."""
        for name, value in state[1].items():
            setattr(self, name, value)
        self.columns = tuple(map(_frozen, self.columns))

    def __repr__(self) -> str:
        kinds = sum(isinstance(c, Nominal) for c in self.schema.columns)
        return (
            f"Table({self.schema.name!r}: {self.n_rows} rows, {len(self.columns) - kinds} numeric and "
            f"{kinds} nominal columns)"
        )

    def _repr_html_(self) -> str:
        """Show the first rows in a notebook."""
        from hornbeam.data.table_html import table_html  # noqa: PLC0415 (only in notebooks)

        return table_html(self)

    def column(self, column: str | int) -> NDArray[Any]:
        """The values (or codes) of one column, by name or position."""
        return self.columns[self.schema.position(column)]

    def missing(self, column: str | int) -> NDArray[np.bool_]:
        """Which rows lack a value in one column, by name or position."""
        return is_missing(self.column(column))

    def known(self, column: str | int) -> NDArray[np.bool_]:
        """Which rows have a value in one column, by name or position."""
        return ~self.missing(column)

    def target_values(self) -> NDArray[Any]:
        """The target column's numbers or codes."""
        _ = self.schema.target_column
        assert self.schema.target is not None
        return self.columns[self.schema.target]

    @property
    def weights(self) -> FloatArray | None:
        """The weight column, or None if there is none or all weights are one."""
        position = self.schema.with_role("weight")
        if position is None:
            return None
        weights: FloatArray = self.columns[position]
        once = len(weights) > 0 and weights[0] == 1.0 and bool((weights == 1.0).all())
        return None if once else weights

    @property
    def row_weights(self) -> FloatArray:
        """The weight of every row: the weight column, or ones."""
        weights = self.weights
        return np.ones(self.n_rows) if weights is None else weights

    def sort_order(self, column: str | int) -> RowArray:
        """Rows with a known value of a numeric column, by rising value (ties by row); cached."""
        position = self.schema.position(column)
        if position not in self._orders:
            from hornbeam.core.rows.presort import sort_known  # noqa: PLC0415 (not needed to read or predict)

            self._orders[position] = sort_known(self.columns[position])
        return self._orders[position]

    def known_order(self, column: str | int) -> RowArray | None:
        """A numeric column's sort order if it is known; None otherwise."""
        return self._orders.get(self.schema.position(column))

    def keep_order(self, column: str | int, order: RowArray) -> None:
        """Remember a numeric column's sort order, computed elsewhere."""
        if len(order) > self.n_rows or (len(order) and int(order.max()) >= self.n_rows):
            msg = f"a sort order has {len(order)} row numbers, some beyond the {self.n_rows} rows of the table"
            raise IndexError(msg)
        self._orders[self.schema.position(column)] = order

    def take(self, rows: ArrayLike) -> Table:
        """The table of some rows, in the order given; known sort orders are filtered, not sorted again.

        `rows` are row numbers (which may repeat) or a mask.
        """
        chosen = row_numbers(rows, self.n_rows)
        taken = Table.__new__(Table)
        taken.schema, taken.notes, taken.declared = self.schema, self.notes, self.declared
        taken.columns = tuple(_frozen(array.take(chosen)) for array in self.columns)
        taken.n_rows = len(chosen)
        taken._orders = {}
        if self._orders and len(chosen):
            from hornbeam.core.rows.presort import keep_in_order  # noqa: PLC0415 (not needed to read or predict)

            new_row = np.full(self.n_rows, NOT_TAKEN, np.uint32)
            new_row[chosen] = numbers = np.arange(len(chosen), dtype=np.uint32)
            if np.array_equal(new_row[chosen], numbers):  # no row twice
                for position, order in self._orders.items():
                    taken._orders[position] = keep_in_order(order, new_row, len(chosen))
        return taken

    def select(self, columns: Iterable[str | int]) -> Table:
        """The table of some columns, in the order given."""
        positions = [self.schema.position(column) for column in columns]
        chosen = Table.__new__(Table)
        chosen.schema, chosen.notes, chosen.n_rows = self.schema.select(positions), self.notes, self.n_rows
        chosen.declared = self.declared
        chosen.columns = tuple(self.columns[i] for i in positions)
        chosen._orders = {new: self._orders[old] for new, old in enumerate(positions) if old in self._orders}
        return chosen

    def assign(self, roles: Mapping[str | int, Role]) -> Table:
        """The same rows and columns with other roles, e.g. ``table.assign({"play": "target"})``."""
        return self._with_schema(self.schema.assign(roles))

    def with_target(self, column: str | int) -> Table:
        """The same table with `column` as the target."""
        return self.assign({self.schema.position(column): "target"})

    def extended(self, schema: Schema, values: ArrayLike) -> Table:
        """The table with one more column at the end, described by the last column of `schema`."""
        added = Table(schema.select([len(schema.columns) - 1]), [values])
        other = self._with_schema(schema)
        other.columns = (*self.columns, *added.columns)
        return other

    def renamed(self, name: str) -> Table:
        """The same table under another name."""
        return self._with_schema(replace(self.schema, name=name))

    def _with_schema(self, schema: Schema) -> Table:
        other = Table.__new__(Table)
        other.schema, other.columns, other.n_rows, other.notes = schema, self.columns, self.n_rows, self.notes
        other.declared, other._orders = self.declared, self._orders
        return other

    def replaced(self, schema: Schema, columns: Sequence[ArrayLike], notes: Iterable[str]) -> Table:
        """A table of other columns from the same source."""
        return Table(schema, columns, tuple(notes), copy=False, declared=self.declared)

    def with_notes(self, notes: Iterable[str]) -> Table:
        """The same table with other notes."""
        other = self._with_schema(self.schema)
        other.notes = tuple(notes)
        return other

    def to_arrow(self) -> Any:  # noqa: ANN401 (pyarrow has no types)
        """As a pyarrow Table, with the schema in its metadata."""
        from hornbeam.data.arrow import to_arrow  # noqa: PLC0415 (imports pyarrow)

        return to_arrow(self)

    def to_pandas(self) -> Any:  # noqa: ANN401 (pandas may not be installed)
        """As a pandas DataFrame; nominal columns are categorical."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 (polars may not be installed)
        """As a polars DataFrame; nominal columns are categorical."""
        import polars  # noqa: ICN001, PLC0415 (optional)

        return polars.from_arrow(self.to_arrow())

    def to_numpy(self) -> NDArray[Any]:
        """As a two-dimensional array: float64 if all columns are numeric, else objects with None for missing."""
        from hornbeam.data.array import to_array  # noqa: PLC0415 (would import this module in turn)

        return to_array(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a CSV, ARFF, Parquet or Feather file, by the path's ending."""
        from hornbeam.data.write import write  # noqa: PLC0415 (would import this module in turn)

        write(self, path)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table as an Arrow C stream."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def fingerprint(self) -> str:
        """A hash of the schema, the number of rows, and up to 4096 rows spread evenly over the table."""
        digest = hashlib.sha256(repr((self.schema.to_json(), self.n_rows)).encode())
        for array in self.columns:
            digest.update(np.ascontiguousarray(array[:: max(1, self.n_rows // 4096)]).data)
        return digest.hexdigest()


def _can_change(array: NDArray[Any], given: ArrayLike) -> bool:
    """Whether an array can still be changed from outside: it is the given one, or a view of other memory."""
    if array is not given and array.base is None:  # made from the given values just now
        return False
    held: Any = array
    while isinstance(held, np.ndarray):
        if held.flags.writeable:
            return True
        held = held.base
    return not (held is None or isinstance(held, bytes) or _is_read_only(held))


def _is_read_only(buffer: Any) -> bool:  # noqa: ANN401 - whatever an array looks into
    try:
        return memoryview(buffer).readonly
    except TypeError:
        return False


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _check_codes(column: Nominal, codes: NDArray[Any]) -> None:
    if len(codes) and (codes.min() < -1 or codes.max() >= len(column.categories)):
        row = int(np.flatnonzero((codes < -1) | (codes >= len(column.categories)))[0])
        msg = (
            f"column {column.name!r}, row {row + 1}: code {codes[row]} does not name one of its "
            f"{len(column.categories)} categories"
        )
        raise SchemaError(msg)


def _check_finite(column: Numeric, values: NDArray[Any]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # the usual case, and much faster than a test of every number
            return
    if np.isinf(values).any():
        row = int(np.flatnonzero(np.isinf(values))[0])
        found = str(values[row])
        msg = (
            f"column {column.name!r}, row {row + 1}: found {found}; expected a finite number or a missing value; "
            f"in a file, {option('missing', found)} reads it as missing"
        )
        raise SchemaError(msg)
