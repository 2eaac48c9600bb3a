"""The schema of all partitions together: kinds of columns, and categories in a fixed order.

Categories that every partition declares in the same way (Arrow dictionaries, or files written by hornbeam) keep their
order; others are sorted.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from hornbeam.data.arrow import SCHEMA_KEY
from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal, Numeric, Schema, SchemaError
from hornbeam.scale.parts.typed import as_numbers, one_column

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.scale.executors.base import Executor
    from hornbeam.scale.parts import Key, Parts

MOST_CATEGORIES = 100_000


class Kinds(NamedTuple):
    """The kinds of a column, and the first file with each kind; partial results can be merged in any order."""

    places: dict[str, str]  # from a kind to the file that comes first by name
    formats: frozenset[str]


class Categories(NamedTuple):
    """Categories of a column: as declared, if every partition declares the same ones; and all that occur."""

    declared: tuple[tuple[str, ...], bool] | None
    seen: frozenset[Any]


def find_schema(
    executor: Executor, parts: Parts, keys: list[Key], target: str | None, ignore: Collection[str],
    nominal: Collection[str],
) -> Schema:  # fmt: skip
    """The schema of all partitions.

    Parameters
    ----------
    executor : Executor Reads the partitions. parts, keys : Parts, list of keys
        The partitions.
    target : str or None
        The column to predict.
    ignore : collection of str
        Columns that are left out.
    nominal : collection of str
        Columns of numbers that are categories.
    """
    every = parts.names()
    for name in (*ignore, *nominal, *(() if target is None else (target,))):
        if name not in every:
            Schema(tuple(Numeric(one) for one in every)).position(name)  # raises an error with a suggestion
    names = [name for name in every if name not in set(ignore)]
    handle = executor.load(_itself, keys)
    kinds = executor.map_reduce(handle, _kinds, (parts, names, frozenset(nominal)), _unite_kinds)
    of_text = [name for name in names if _decided(name, kinds[name], text=parts.from_text) == "categories"]
    found = executor.map_reduce(handle, _categories, (parts, of_text), _unite_categories)
    columns: list[Column] = []
    for name in names:
        if name in of_text:
            columns.append(_nominal(name, found[name]))
        else:
            formats = kinds[name].formats
            columns.append(Numeric(name, max(formats, key=lambda one: (len(one), one)) if formats else None))
    roles = tuple("target" if name == target else "feature" for name in names)
    return Schema(tuple(columns), roles)  # type: ignore[arg-type]


def _itself(key: Key) -> Key:
    return key


# ---- kinds ----


def _kinds(key: Key, parts: Parts, names: list[str], nominal: frozenset[str]) -> dict[str, Kinds]:
    table = parts.read(key)
    for name in names:
        if name not in table.column_names:
            raise DataError(f"{key[0]}: there is no column {name!r}, which the first file has")
    return {name: _kind(table.select([name]), name, parts, key, as_category=name in nominal) for name in names}


def _kind(source: pa.Table, name: str, parts: Parts, key: Key, *, as_category: bool) -> Kinds:
    chunks, place = source.column(0), str(key[0])
    none = frozenset[str]()
    if as_category:
        return Kinds({"categories": place}, none)
    if chunks.null_count == len(chunks) and not pa.types.is_dictionary(chunks.type):
        return Kinds({}, none)
    if parts.from_text:
        return Kinds({"numbers" if _are_numbers(chunks) else "categories": place}, none)
    column, _ = one_column(source.slice(0, 0) if pa.types.is_floating(chunks.type) else source, name, key)
    if isinstance(column, Numeric) and column.format is not None:
        return Kinds({"dates": place}, frozenset((column.format,)))
    return Kinds({"numbers" if isinstance(column, Numeric) else "categories": place}, none)


def _are_numbers(texts: pa.ChunkedArray) -> bool:
    try:
        as_numbers(texts)
    except pa.ArrowInvalid:
        return False
    return True


def _unite_kinds(one: dict[str, Kinds], other: dict[str, Kinds]) -> dict[str, Kinds]:
    united = {}
    for name, here in one.items():
        there = other[name]
        found = sorted([*here.places.items(), *there.places.items()], reverse=True)
        united[name] = Kinds(dict(found), here.formats | there.formats)  # the first by name is written last and wins
    return united


def _decided(name: str, kinds: Kinds, *, text: bool) -> str:
    """The one kind of a column; in CSV files, text wins over numbers; in typed files, different types are an error."""
    if len(kinds.places) > 1 and not text:
        where = ", ".join(f"{kind} in {place}" for kind, place in sorted(kinds.places.items()))
        raise DataError(f"{where}; expected one type in all files", column=name)
    return "categories" if "categories" in kinds.places else "numbers"


# ---- categories ----


def _categories(key: Key, parts: Parts, names: list[str]) -> dict[str, Categories]:
    if not names:
        return {}
    table = parts.read(key, names)
    stored = (table.schema.metadata or {}).get(SCHEMA_KEY)
    known: dict[str, Column] = {}
    if stored is not None:
        try:
            known = {column.name: column for column in Schema.from_json(json.loads(stored)).columns}
        except (ValueError, RecursionError) as error:
            raise SchemaError(f"{key[0]}: the schema stored with the table is damaged: {error}") from None
    return {name: _categories_of(table.select([name]), name, key, known.get(name)) for name in names}


def _categories_of(source: pa.Table, name: str, key: Key, stored: Column | None) -> Categories:
    column, values = one_column(source, name, key)
    if isinstance(column, Numeric):
        distinct = np.unique(values[~np.isnan(values)])
        return Categories(None, frozenset(distinct.tolist()))
    if len(column.categories) > MOST_CATEGORIES:
        msg = f"more than {MOST_CATEGORIES} categories; leave the column out: ignore=[{name!r}]"
        raise DataError(msg, column=name)
    kind = source.schema.types[0]
    seen = frozenset(column.categories)
    if isinstance(stored, Nominal) and seen <= frozenset(stored.categories):
        return Categories((stored.categories, stored.ordered), seen)
    if pa.types.is_dictionary(kind) or pa.types.is_boolean(kind):
        return Categories((column.categories, column.ordered), seen)
    return Categories(None, seen)


def _unite_categories(one: dict[str, Categories], other: dict[str, Categories]) -> dict[str, Categories]:
    return {
        name: Categories(here.declared if here.declared == other[name].declared else None, here.seen | other[name].seen)
        for name, here in one.items()
    }


def _nominal(name: str, found: Categories) -> Nominal:
    if len(found.seen) > MOST_CATEGORIES:
        msg = f"more than {MOST_CATEGORIES} categories; leave the column out: ignore=[{name!r}]"
        raise DataError(msg, column=name)
    if found.declared is not None:
        return Nominal(name, *found.declared)
    numbers = sorted(value for value in found.seen if not isinstance(value, str))
    texts = [show_number(value) for value in numbers]
    texts += sorted(value for value in found.seen if isinstance(value, str))
    return Nominal(name, tuple(dict.fromkeys(texts)))
