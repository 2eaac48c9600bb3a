"""Spark: one row of numbers stands for each partition, and `mapInArrow` makes blocks and results of it.

Only DataFrames are used, no RDDs and no barrier, so that this also works through Spark Connect, and Spark makes what a
lost executor held again.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing, Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from hornbeam.scale.executors.base import Combine, Loader

FORM = "number long, content binary"


class SparkExecutor(Closing):
    """Works in a Spark session.

    Parameters
    ----------
    session : SparkSession or None
        The session; None: the one in use, or a new local one.
    """

    name = "spark"

    def __init__(self, session: Any = None) -> None:
        # workers must run the same Python, with the same packages
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
        self._own: Any = None
        if session is None:
            session = self._session()
        self.session = session

    def _session(self) -> Any:
        try:
            from pyspark.sql import SparkSession
        except ModuleNotFoundError:
            raise ModuleNotFoundError("engine='spark' needs PySpark: pip install 'hornbeam[spark]'") from None
        session = SparkSession.getActiveSession()
        if session is not None:
            return session
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ and "SPARK_REMOTE" not in os.environ:
            raise RuntimeError(
                "engine='spark' needs Java 17 or later, and no java was found; install it or set JAVA_HOME"
            )
        builder = SparkSession.builder.appName("hornbeam").master(f"local[{os.cpu_count() or 1},4]")
        self._own = builder.config("spark.ui.enabled", "false").getOrCreate()
        return self._own

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Partitions made by ``loader(key)``; kept ones are rows of a persisted DataFrame."""
        keys = list(keys)
        held = None
        if keep and keys:
            held = self._numbers(len(keys)).mapInArrow(partial(_loaded, loader, keys), FORM).persist()
        return Handle(loader, keys, keep, held=held)

    def map_reduce(
        self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...], combine: Combine
    ) -> Any:
        """Combine ``function(block, *arguments)`` over all partitions, in the order of the keys."""
        if not handle.keys:
            return None
        if handle.held is not None:
            frame = handle.held.mapInArrow(partial(_applied, function, arguments), FORM)
        else:
            numbers = self._numbers(len(handle.keys))
            frame = numbers.mapInArrow(
                partial(_loaded_and_applied, handle.loader, handle.keys, function, arguments), FORM
            )
        rows = sorted((row["number"], bytes(row["content"])) for row in frame.collect())
        result = None
        for position, (_, content) in enumerate(rows):
            good, one = pickle.loads(content)  # noqa: S301 - written by our own workers
            if not good:
                raise one
            result = one if position == 0 else combine(result, one)
        return result

    def close(self) -> None:
        """End the session, if it was started here."""
        if self._own is not None:
            self._own.stop()
            self._own = None

    def _numbers(self, count: int) -> Any:
        return self.session.range(0, count, 1, count)


def _batch(number: int, content: Any) -> pa.RecordBatch:
    import pyarrow as pa

    data = [pa.array([number], pa.int64()), pa.array([pickle.dumps(content, protocol=5)], pa.binary())]
    return pa.RecordBatch.from_arrays(data, ["number", "content"])


def _numbers_in(batches: Iterator[pa.RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _loaded(loader: Loader, keys: Sequence[Any], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for number in _numbers_in(batches):
        yield _batch(number, loader(keys[number]))


def _applied(
    function: Callable[..., Any], arguments: tuple[Any, ...], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            block = pickle.loads(content.as_buffer())  # noqa: S301 - written by our own workers
            yield _batch(number, _attempt(function, block, arguments))


def _loaded_and_applied(
    loader: Loader, keys: Sequence[Any], function: Callable[..., Any], arguments: tuple[Any, ...],
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    for number in _numbers_in(batches):
        yield _batch(number, _attempt(_of_key, keys[number], (loader, function, arguments)))


def _of_key(key: Any, loader: Loader, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(loader(key), *arguments)


def _attempt(function: Callable[..., Any], block: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """The result, or an error in the data: it would be the same again, so Spark need not try."""
    try:
        return True, function(block, *arguments)
    except ValueError as error:
        return False, error
