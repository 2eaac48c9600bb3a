"""Rows of any kind as a Table: the only place that converts data frames and arrays given to functions.

The target is given in one of three ways: ``target="species"`` names a column, ``y`` holds the values, or the model's
schema names its target. Functions are declared with `hornbeam.data.takes_rows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.errors import DataError
from hornbeam.data.infer import as_nominal, as_numeric, as_written, notations_of, show_number
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from hornbeam.data.columns.numbers import Notation

TARGET = "target"  # the name of a target that has none
MATRIX = 2


def is_frame(rows: Any) -> bool:  # noqa: ANN401 - rows of any sort
    """Whether rows are a frame: of pandas, polars, pyarrow or another library."""
    return hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__dataframe__") or hasattr(rows, "iloc")


def as_table(
    data: Any,  # noqa: ANN401 - rows of any sort
    y: Any = None,  # noqa: ANN401 - values of any sort, or a name
    target: str | int | None = None,
    *,
    like: Any = None,  # noqa: ANN401 - a schema, a model or an estimator
    classes: bool | None = None,
) -> Table:
    """Return rows as a Table; a Table is returned as it is, or with another target.

    Parameters
    ----------
    data : Table, frame, array, path or name
        A Table, or anything that `hornbeam.read` takes. Columns of an array are those of `like`, in its order.
    y : values, or str, optional
        The target of every row, or the name of its column.
    target : str or int, optional
        The column of `data` that is the target.
    like : Schema, model or estimator, optional
        The model that the rows are for: its schema has the target and the kinds of the columns.
    classes : bool, optional
        Whether the target holds classes (True) or numbers (False), if no model is given.

    Examples
    --------
    >>> table = as_table({"size": [1.0, 2.0, 3.0], "kind": ["b", "a", "b"]}, target="kind")
    >>> table.schema.target_column
    Nominal(name='kind', categories=('a', 'b'), ordered=False)
    >>> as_table([[1.0], [2.0], [3.0]], ["b", "a", "b"]).target_values().tolist()
    [1, 0, 1]
    """
    if isinstance(y, str):
        y, target = None, y if target is None else target
    if y is not None and target is not None:
        msg = f"both y and target={target!r} are given; expected the target's values or its column, not both"
        raise ValueError(msg)
    if isinstance(data, Table):
        refuse_target(y)
        return data if target is None else data.with_target(target)
    known = schema_of(like)
    classes = predicts_classes(like) if classes is None else classes
    table = _read(data, known, target)
    if y is not None:
        table = with_target_values(table, *target_of(y, known, classes=classes))
    elif target is None and known is not None and known.target is not None:
        name = known.target_column.name
        table = table.with_target(name) if name in table.schema.names else table
    return _of_kind(table, known, classes=classes)


def refuse_target(y: Any) -> None:  # noqa: ANN401 - anything
    """Raise an error for a target that is given in addition to a Table."""
    if y is not None:
        msg = "a Table carries its own target, so y must be None; use table.with_target(column) to change it"
        raise ValueError(msg)


def schema_of(like: Any) -> Schema | None:  # noqa: ANN401 - a schema, a model, an estimator, or anything else
    """Return the schema of a model or a fitted estimator; None if there is none."""
    for found in (like, getattr(like, "schema", None), getattr(getattr(like, "model_", None), "schema", None)):
        if isinstance(found, Schema):
            return found
    return None


def predicts_classes(like: Any) -> bool | None:  # noqa: ANN401 - a schema, a model, an estimator, or anything else
    """Whether a model or an estimator predicts classes (True) or numbers (False); None if that is not known."""
    if isinstance(like, Mapping | list | tuple):  # several estimators
        kinds = map(predicts_classes, like.values() if isinstance(like, Mapping) else like)
        return next((kind for kind in kinds if kind is not None), None)
    tags = getattr(like, "__sklearn_tags__", None)
    if tags is not None and not isinstance(like, type):
        return {"classifier": True, "regressor": False}.get(tags().estimator_type)
    known = schema_of(like)
    return None if known is None or known.target is None else isinstance(known.target_column, Nominal)


# ---- the target ----


def name_of(y: Any, taken: Iterable[str] = ()) -> str:  # noqa: ANN401 - values of any sort
    """Return the name of a target: that of a series, or of the one column of a frame, else ``target``."""
    columns = getattr(y, "columns", None)
    named = columns if columns is not None and len(columns) == 1 else [getattr(y, "name", None)]
    given = named[0] if isinstance(named[0], str | int) and str(named[0]) else TARGET
    return unused(str(given), taken)


def unused(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores where a column has it already."""
    names = set(taken)
    while name in names:
        name += "_"
    return name


def label_text(value: Any) -> str:  # noqa: ANN401 - a label of any type
    """Return the name of a class: as `hornbeam.read` would read it from a column.

    Examples
    --------
    >>> label_text("a"), label_text(True), label_text(1.0), label_text(0.5)
    ('a', 'true', '1', '0.5')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return show_number(float(value)) if isinstance(value, float | np.floating) else str(value)


def codes_of(labels: Any, column: Column) -> NDArray[Any]:  # noqa: ANN401 - values of any sort
    """Convert labels, as returned by `predict`, to the values of a column: codes (-1: no such class), or numbers."""
    if not isinstance(column, Nominal):
        return np.asarray(labels, np.float64)
    found, inverse = np.unique(np.asarray(labels), return_inverse=True)
    code_of = {text: code for code, text in enumerate(column.categories)}
    codes = np.array([code_of.get(label_text(label), -1) for label in found.tolist()], np.int32)
    return codes[inverse] if len(codes) else np.empty(0, np.int32)


def target_of(
    y: Any,  # noqa: ANN401 - values of any sort
    known: Schema | None = None,
    *,
    classes: bool | None = None,
) -> tuple[Column, NDArray[Any]]:
    """Return y as a column and its values; missing values stay missing.

    Parameters
    ----------
    y : values
        A series, an array, a list.
    known : Schema, optional
        Of the model: its target has the name if y has none, and the order of the classes.
    classes : bool, optional
        Whether they are classes; by default numbers are not.
    """
    own = None if known is None or known.target is None else known.target_column
    name = name_of(y)
    if name == TARGET and own is not None:
        name = own.name
    values = np.asarray(y)
    if values.ndim == MATRIX and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = f"y has the shape {values.shape}; expected one value per row, or the name of a column"
        raise ValueError(msg)
    if classes is not True and values.dtype.kind in "iuf":
        return Numeric(name), values.astype(np.float64)
    if classes is False:
        return as_numeric(*_objects(name, values))
    return _classes(name, values, own)


def _objects(name: str, values: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
    from hornbeam.data.array import from_array  # noqa: PLC0415 - rarely needed

    table = from_array(values.astype(object).reshape(-1, 1), names=[name])
    return table.schema.columns[0], table.columns[0]


def _classes(name: str, values: NDArray[Any], own: Column | None) -> tuple[Nominal, NDArray[np.int32]]:
    """The classes of labels: sorted, or in the order of the model's target if that has them all."""
    missing = np.array([value is None or value != value for value in values.tolist()], bool)  # noqa: PLR0124 - NaN
    found, inverse = np.unique(values[~missing], return_inverse=True)
    texts = list(map(label_text, found.tolist()))
    order = own.categories if isinstance(own, Nominal) and set(texts) <= set(own.categories) else tuple(texts)
    code_of = {text: code for code, text in enumerate(order)}
    codes = np.full(len(values), -1, np.int32)
    if len(found):
        codes[~missing] = np.array([code_of[text] for text in texts], np.int32)[inverse]
    return Nominal(name, tuple(order)), codes


def with_target_values(features: Table, target: Column, values: NDArray[Any]) -> Table:
    """Return a table of features with its target as the last column."""
    if len(values) != features.n_rows:
        msg = f"y has {len(values)} values for {features.n_rows} rows; expected one per row"
        raise ValueError(msg)
    target = replace(target, name=unused(target.name, features.schema.names))
    roles: list[Role] = [*features.schema.roles, "target"]
    schema = Schema((*features.schema.columns, target), tuple(roles), name=features.schema.name)
    return features.extended(schema, values)


def sorted_classes(table: Table, target: str | int) -> Table:
    """Return a table from a frame or an array whose classes are sorted: those that occur, as scikit-learn has them.

    Ordered categories keep their order.
    """
    place = table.schema.position(target)
    column, codes = table.schema.columns[place], table.columns[place]
    if not isinstance(column, Nominal) or column.ordered:
        return table
    present = np.unique(codes[codes >= 0]).tolist()
    return _recoded(table, place, sorted(column.categories[code] for code in present))


def _recoded(table: Table, place: int, categories: Iterable[str]) -> Table:
    """Return a table with the categories of a column in another order; all that occur must be there."""
    column = table.schema.columns[place]
    assert isinstance(column, Nominal)
    order = tuple(categories)
    if order == column.categories:
        return table
    code_of = {text: code for code, text in enumerate(order)}
    moved = np.array([*(code_of.get(text, -1) for text in column.categories), -1], np.int32)
    return _replaced(table, place, replace(column, categories=order), moved[table.columns[place]])


def _replaced(table: Table, place: int, column: Column, values: NDArray[Any]) -> Table:
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[place], arrays[place] = column, values
    return Table(replace(table.schema, columns=tuple(columns)), arrays, table.notes, copy=False)


# ---- rows ----


def _read(data: Any, known: Schema | None, target: str | int | None) -> Table:  # noqa: ANN401 - rows of any sort
    """Convert data to a table; its columns are named as in the data, like the schema's features, or x0, x1, ..."""
    from hornbeam.data.read import read  # noqa: PLC0415 - imports this module in turn

    first = data[0] if isinstance(data, list | tuple) and data else data
    if isinstance(first, str) or hasattr(first, "__fspath__"):  # paths
        return read(data, target, notations=None if known is None else notations_of(known.columns))
    if known is not None and (is_frame(data) or isinstance(data, dict)):
        from hornbeam.data.frame import from_frame  # noqa: PLC0415 - imports pyarrow

        table = from_frame(data)  # as it is: the model says what its columns mean
        return table if target is None else sorted_classes(table, target).with_target(target)
    if target is not None or is_frame(data) or isinstance(data, dict):
        return read(data, target)
    from hornbeam.data.array import from_array  # noqa: PLC0415 - rarely needed

    array = np.asarray(data)
    array = array if array.dtype.kind in "fiub" or array.dtype.names else np.asarray(data, object)
    names = None if known is None else [known.columns[place].name for place in known.features]
    if names is not None and array.dtype.names is None and (array.ndim != MATRIX or array.shape[1] != len(names)):
        msg = f"an array of shape {array.shape} was given; expected rows x {len(names)} features"
        raise ValueError(msg)
    return from_array(array, names=names)


def _of_kind(table: Table, known: Schema | None, *, classes: bool | None) -> Table:
    """Return a table whose columns are of the kinds that a model or an estimator has."""
    wanted: dict[str, type[Column]] = {}
    written: dict[str, Notation | str] = {}  # dates, and numbers such as $1,234: the model reads them
    if known is not None:
        columns = [known.columns[place] for place in known.features]
        written = notations_of(columns)
        table = _with_written_target(table, known)
        wanted = {column.name: type(column) for column in columns}
    if table.schema.target is not None and classes is not None:
        wanted[table.schema.target_column.name] = Nominal if classes else Numeric
    for place, column in enumerate(table.schema.columns):
        kind = wanted.get(column.name, type(column))
        if isinstance(column, kind) or column.name in written:
            continue
        if kind is Nominal:
            table = _replaced(table, place, *as_nominal(column, table.columns[place]))
        elif isinstance(column, Nominal) and not column.missing(table.columns[place]).all():
            try:
                table = _replaced(table, place, *as_numeric(column, table.columns[place]))
            except DataError:
                continue  # the model reports the expected kinds
    return _in_known_order(table, known)


def _with_written_target(table: Table, known: Schema) -> Table:
    """Return a table whose target, where it holds texts such as $1,234, is read as the model's."""
    place = table.schema.target
    if place is None or known.target is None or not isinstance(table.schema.columns[place], Nominal):
        return table
    how = notations_of([known.target_column]).get(known.target_column.name)
    if how is None:
        return table
    return _replaced(table, place, *as_written(table.schema.columns[place], table.columns[place], how))


def _in_known_order(table: Table, known: Schema | None) -> Table:
    """Return a table whose classes have the order of the model's, if that has all of them."""
    if known is None or known.target is None or table.schema.target is None:
        return table
    own, given = known.target_column, table.schema.target_column
    if isinstance(own, Nominal) and isinstance(given, Nominal) and set(given.categories) <= set(own.categories):
        return _recoded(table, table.schema.target, own.categories)
    return table
