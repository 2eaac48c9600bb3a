"""Rows of all partitions in memory, in the order of the partitions: for learners that need a table of all rows."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source


def sizes_of(source: Source) -> dict[Key, int]:
    """The number of rows of every partition."""
    handle = source.executor.load(_itself, source.keys)
    found: dict[Key, int] | None = source.executor.map_reduce(
        handle, _size, (source.parts, source.schema.names[:1]), unite
    )
    return found or {}


def first_rows(keys: Sequence[Key], sizes: Mapping[Key, int]) -> dict[Key, int]:
    """The number of the first row of every partition, if rows are numbered in the order of the partitions."""
    return dict(zip(keys, accumulate((sizes[key] for key in keys), initial=0), strict=False))


def unite(one: dict[Key, Any], other: dict[Key, Any]) -> dict[Key, Any]:
    """The results of both, by partition."""
    return one | other


def all_rows(source: Source, executor: Executor, rows: Handle) -> Table:
    """A Table of all rows."""
    found: list[tuple[Key, list[AnyArray]]] = executor.map_reduce(rows, _whole, (), _concatenated)
    place = {key: number for number, key in enumerate(source.keys)}
    found.sort(key=lambda one: place[one[0]])
    columns = [np.concatenate(parts) for parts in zip(*(one[1] for one in found), strict=True)]
    return Table(source.schema, columns, copy=False)


def _itself(key: Key) -> Key:
    return key


def _size(key: Key, parts: Any, names: tuple[str, ...]) -> dict[Key, int]:
    return {key: int(parts.read(key, list(names)).num_rows)}


def _whole(rows: Rows) -> list[tuple[Any, list[AnyArray]]]:
    return [(rows.key, list(rows.table().columns))]


def _concatenated(one: list[Any], other: list[Any]) -> list[Any]:
    return one + other
