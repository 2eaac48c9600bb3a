"""Forests and boosting from partitions: one byte per value is collected, and the learner for tables in memory runs."""

from __future__ import annotations

import hashlib
import logging
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.parameters import whole
from hornbeam.learn.forests.binned import Binned, CodedTable
from hornbeam.scale.forests.bins import find_bins
from hornbeam.scale.gather import unite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Ints32
    from hornbeam.scale.executors.base import Executor
    from hornbeam.scale.forests.bins import Bins
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source

LOGGER = logging.getLogger("hornbeam.scale")
AT_ONCE = 8  # partitions that are collected in one step
# Bytes of a row besides its codes and their copy: the target and what the learner stores for every row.
ROW_BYTES = 64


def learn_from_codes(source: Source, estimator: Any, _sizes: Mapping[Key, int]) -> tuple[Any, str]:
    """Return the model that a forest or boosting learns from a source, and a digest of the data."""
    if getattr(estimator, "numeric", "histogram") != "histogram":
        msg = (
            f"{type(estimator).__name__} with numeric={estimator.numeric!r} needs all values in memory; expected "
            "numeric='histogram', or a larger local_rows in hornbeam.scan"
        )
        raise ValueError(msg)
    if getattr(estimator, "warm_start", False) and hasattr(estimator, "model_"):
        msg = (
            f"{type(estimator).__name__} with warm_start=True needs all values in memory to continue a model; "
            "expected warm_start=False, or a larger local_rows in hornbeam.scan"
        )
        raise ValueError(msg)
    max_bins = whole("max_bins", estimator.max_bins, 2)
    executor, schema = source.executor, source.schema
    rows = executor.load(source.typed, source.keys)
    LOGGER.info(
        "finding the bins of %s in %s", plural(len(schema.features), "column"), plural(len(source.keys), "part")
    )
    bins, counts = find_bins(executor, rows, schema, max_bins)
    _check_memory(source, bins, sum(counts.values()), estimator)
    table, digest = _collected(source, executor, bins, counts)
    given = estimator._weighted(table)
    estimator._note_target(given)
    LOGGER.info("learning from %s", plural(table.n_rows, "row"))
    model, _ = estimator._learn(given)
    return model, digest


def _check_memory(source: Source, bins: tuple[Bins, ...], n_rows: int, estimator: Any) -> None:
    """Raise an error if the codes of all rows do not fit in memory."""
    each = ROW_BYTES + sum(8 if one.wide else 2 for one in bins)
    needed = n_rows * each >> 20
    most = source.memory_mb
    if most is None:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20 if hasattr(os, "sysconf") else needed
    if needed > most:
        msg = (
            f"{type(estimator).__name__} needs the codes of all rows in one process: about {needed} MB for "
            f"{plural(n_rows, 'row')} of {plural(len(bins), 'column')}; there are {most} MB (memory_mb): leave out "
            "rows or columns, or use a tree classifier, which counts partitions"
        )
        raise MemoryError(msg)


def _collected(
    source: Source, executor: Executor, bins: tuple[Bins, ...], counts: dict[Key, int]
) -> tuple[CodedTable, str]:
    n_rows = sum(counts.values())
    codes = np.zeros((len(bins), n_rows), np.uint8)
    wide: dict[int, Ints32] = {f: np.zeros(n_rows, np.int32) for f, one in enumerate(bins) if one.wide}
    nominal = isinstance(source.schema.target_column, Nominal)
    target: AnyArray = np.zeros(n_rows, np.int32 if nominal else np.float64)
    first = 0
    for start in range(0, len(source.keys), AT_ONCE):
        some = source.keys[start : start + AT_ONCE]
        handle = executor.load(source.typed, some)
        found: dict[Key, Any] = executor.map_reduce(handle, _encode, (bins,), unite)
        for key in some:
            own, goal = found.pop(key)
            stop = first + counts[key]
            for f, column in enumerate(own):
                (wide[f] if f in wide else codes[f])[first:stop] = column
            target[first:stop] = goal
            first = stop
        LOGGER.info("collected %s of %d", plural(first, "row"), n_rows)
    digest = hashlib.sha256(repr((source.schema.names, source.schema.roles)).encode())
    arrays: list[Any] = [codes, *wide.values(), target]
    for array in arrays:
        digest.update(array.data)
    binned = Binned(
        codes,
        wide,
        np.array([one.n_bins for one in bins], np.int32),
        np.array([one.missing for one in bins], np.bool_),
        np.array([one.nominal for one in bins], np.bool_),
        np.array([one.coarse for one in bins], np.bool_),
        tuple(one.cuts for one in bins),
    )
    return CodedTable(source.schema, binned, target), digest.hexdigest()


def _encode(rows: Rows, bins: tuple[Bins, ...]) -> dict[Key, tuple[list[AnyArray], AnyArray]]:
    assert rows.schema.target is not None
    codes = [one.encode(rows.usable_column(one.position)) for one in bins]
    return {rows.key: (codes, rows.usable_column(rows.schema.target))}
