"""Rows of all partitions in memory, in the order of the partitions: for learners that need a table of all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source


def count_rows(source: Source) -> int:
    """The number of rows."""
    handle = source.executor.load(_itself, source.keys)
    return int(source.executor.map_reduce(handle, _count, (source.parts, source.schema.names[:1]), _add) or 0)


def all_rows(source: Source, executor: Executor, rows: Handle) -> Table:
    """A Table of all rows."""
    found: list[tuple[Key, list[AnyArray]]] = executor.map_reduce(rows, _whole, (), _concatenated)
    place = {key: number for number, key in enumerate(source.keys)}
    found.sort(key=lambda one: place[one[0]])
    columns = [np.concatenate(parts) for parts in zip(*(one[1] for one in found), strict=True)]
    return Table(source.schema, columns, copy=False)


def _itself(key: Key) -> Key:
    return key


def _count(key: Key, parts: Any, names: tuple[str, ...]) -> int:
    return int(parts.read(key, list(names)).num_rows)


def _add(one: int, other: int) -> int:
    return one + other


def _whole(rows: Rows) -> list[tuple[Any, list[AnyArray]]]:
    return [(rows.key, list(rows.table().columns))]


def _concatenated(one: list[Any], other: list[Any]) -> list[Any]:
    return one + other
